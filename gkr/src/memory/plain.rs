//! Systems of which nothing is asked.

use std::alloc::{GlobalAlloc, Layout, System};

// SAFETY: the system's allocator.
unsafe impl GlobalAlloc for super::HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the system's conditions; also below.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.realloc(start, layout, len) }
    }
}

/// Asks for nothing.
pub(super) const fn advise(_start: usize, _len: usize) {}
