//! Linux: blocks of huge pages, and a list of the free ones.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::{Mutex, PoisonError};

use super::HugePages;

/// Bytes of a huge page.
const HUGE_PAGE: usize = 1 << 21;

/// Bytes from which on a block is ours; whole pages waste at most a third then.
const LARGE: usize = 2 * HUGE_PAGE;

/// Freed blocks.
static FREE: Mutex<FreeList> = Mutex::new(FreeList { ranges: [(0, 0); SLOTS] });

/// Free ranges, more than a prover ever leaves; what does not fit is unmapped.
const SLOTS: usize = 64;

/// Ranges of whole huge pages, (address, bytes), no two adjacent, in no order; 0 bytes mark
/// an empty slot.
struct FreeList {
    ranges: [(usize, usize); SLOTS],
}

impl FreeList {
    /// The first `len` bytes of the tightest range.
    fn take(&mut self, len: usize) -> Option<usize> {
        let fitting = self.ranges.iter_mut().filter(|range| range.1 >= len);
        let (start, rest) = fitting.min_by_key(|range| range.1)?;
        let taken = *start;
        *start += len;
        *rest -= len;
        Some(taken)
    }

    /// Adds a range, joined to its neighbours.
    fn give(&mut self, mut start: usize, mut len: usize) {
        for range in &mut self.ranges {
            if range.1 > 0 && (range.0 + range.1 == start || start + len == range.0) {
                start = start.min(range.0);
                len += std::mem::take(&mut range.1);
            }
        }
        match self.ranges.iter_mut().find(|range| range.1 == 0) {
            Some(slot) => *slot = (start, len),
            None => pages::unmap(start, len),
        }
    }

    /// Unmaps as many bytes as are going to be mapped, so that what is mapped grows only
    /// where nothing is free.
    fn release(&mut self, mut len: usize) {
        for (start, rest) in &mut self.ranges {
            let part = len.min(*rest);
            if part > 0 {
                pages::unmap(*start, part);
                *start += part;
                *rest -= part;
                len -= part;
            }
        }
    }
}

fn free_list() -> std::sync::MutexGuard<'static, FreeList> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes mapped for a large block; None for one that is the system's.
fn mapped(layout: Layout) -> Option<usize> {
    let large = layout.size() >= LARGE && layout.align() <= HUGE_PAGE;
    large.then(|| layout.size().next_multiple_of(HUGE_PAGE))
}

/// A block, and whether the kernel has cleared it.
fn block(len: usize) -> (usize, bool) {
    let mut free = free_list();
    match free.take(len) {
        Some(start) => (start, false),
        None => {
            free.release(len);
            (pages::map(len), true)
        }
    }
}

// SAFETY: a block is ours or the system's by its layout alone, which stays the same until
// it is freed; ours are disjoint ranges of mapped pages, aligned to huge ones.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match mapped(layout) {
            Some(len) => block(len).0 as *mut u8,
            // SAFETY: the caller's promises are the system's conditions; also below.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(len) = mapped(layout) else {
            // SAFETY: as above.
            return unsafe { System.alloc_zeroed(layout) };
        };
        let (start, cleared) = block(len);
        let start = start as *mut u8;
        if !cleared {
            // To have the kernel clear it again, page by page, takes longer.
            // SAFETY: a block of ours.
            unsafe { start.write_bytes(0, len) };
        }
        start
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        match mapped(layout) {
            Some(len) => free_list().give(start as usize, len),
            // SAFETY: as above.
            None => unsafe { System.dealloc(start, layout) },
        }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is one, rounded up to the alignment.
        let grown = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (mapped(layout), mapped(grown)) {
            // SAFETY: as above.
            (None, None) => unsafe { System.realloc(start, layout, size) },
            (Some(old), Some(new)) if new <= old => {
                if new < old {
                    free_list().give(start as usize + new, old - new);
                }
                start
            }
            _ => {
                // SAFETY: a block as large as either has room for the smaller; the old one
                // is freed only where there is another.
                unsafe {
                    let moved = self.alloc(grown);
                    if !moved.is_null() {
                        moved.copy_from_nonoverlapping(start, size.min(layout.size()));
                        self.dealloc(start, layout);
                    }
                    moved
                }
            }
        }
    }
}

/// See [`super::advise`].
pub(super) fn advise(start: usize, len: usize) {
    let (first, end) = (start.next_multiple_of(HUGE_PAGE), (start + len) & !(HUGE_PAGE - 1));
    if first < end {
        pages::advise(first, end - first);
    }
}

/// The kernel's calls. Addresses and lengths are whole huge pages.
mod pages {
    use std::ffi::{c_int, c_void};

    use super::HUGE_PAGE;

    unsafe extern "C" {
        fn mmap(
            address: *mut c_void,
            length: usize,
            protection: c_int,
            flags: c_int,
            file: c_int,
            offset: isize,
        ) -> *mut c_void;
        fn munmap(address: *mut c_void, length: usize) -> c_int;
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }

    const PROT_READ_WRITE: c_int = 3;
    const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
    const MAP_FAILED: usize = usize::MAX;
    const MADV_HUGEPAGE: c_int = 14;

    /// Zeros to read and write, or 0 where there is no more memory.
    pub(super) fn map(len: usize) -> usize {
        let Some(all) = len.checked_add(HUGE_PAGE) else { return 0 };
        // SAFETY: wherever the kernel likes, touching nothing that is there.
        let start = unsafe {
            mmap(std::ptr::null_mut(), all, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0)
        } as usize;
        if start == MAP_FAILED {
            return 0;
        }
        // One huge page more than needed, to align the rest.
        let aligned = start.next_multiple_of(HUGE_PAGE);
        unmap(start, aligned - start);
        unmap(aligned + len, start + HUGE_PAGE - aligned);
        advise(aligned, len);
        aligned
    }

    /// Gives pages back. The caller owns them.
    pub(super) fn unmap(start: usize, len: usize) {
        if len > 0 {
            // SAFETY: the caller's own pages. Where it is refused they are lost, no more.
            unsafe { munmap(start as *mut c_void, len) };
        }
    }

    /// Asks for huge pages.
    pub(super) fn advise(start: usize, len: usize) {
        // SAFETY: this changes nothing that a program can read. Where it is refused, nothing
        // happens.
        unsafe { madvise(start as *mut c_void, len, MADV_HUGEPAGE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of all sizes around the limits, freed in another order than they were made in,
    /// each full of its own number.
    #[test]
    fn blocks_keep_what_is_written() {
        let mut held: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let check = |start: *mut u8, len: usize, number: u8| {
            // SAFETY: a block that is held.
            let bytes = unsafe { std::slice::from_raw_parts(start, len) };
            assert!(bytes.iter().all(|&byte| byte == number));
        };
        for step in 0..96usize {
            let number = step as u8 + 1;
            let size = LARGE - 1 + (step * 7 % 5) * (HUGE_PAGE / 2);
            let layout = Layout::from_size_align(size, [1, 64, 4096][step % 3]).unwrap();
            // SAFETY: neither size is zero; each block is freed with its last layout.
            unsafe {
                let start = if step % 2 == 0 {
                    let start = HugePages.alloc_zeroed(layout);
                    check(start, size, 0);
                    start
                } else {
                    HugePages.alloc(layout)
                };
                assert!(start.cast::<()>().align_offset(layout.align()) == 0);
                start.write_bytes(number, size);
                held.push((start, layout, number));
                if step % 4 == 3 {
                    let (start, layout, number) = held.swap_remove(step * 5 % held.len());
                    check(start, layout.size(), number);
                    let size = 1 + step * (HUGE_PAGE / 4);
                    let moved = HugePages.realloc(start, layout, size);
                    check(moved, size.min(layout.size()), number);
                    moved.write_bytes(number, size);
                    let layout = Layout::from_size_align_unchecked(size, layout.align());
                    held.push((moved, layout, number));
                }
                if step % 3 == 2 {
                    let (start, layout, number) = held.swap_remove(step * 3 % held.len());
                    check(start, layout.size(), number);
                    HugePages.dealloc(start, layout);
                }
            }
        }
        for (start, layout, number) in held {
            check(start, layout.size(), number);
            // SAFETY: as above.
            unsafe { HugePages.dealloc(start, layout) };
        }
    }

    #[test]
    fn free_neighbours_become_one() {
        let start = pages::map(4 * HUGE_PAGE);
        let mut list = FreeList { ranges: [(0, 0); SLOTS] };
        let free = |list: &FreeList| {
            list.ranges.into_iter().filter(|range| range.1 > 0).collect::<Vec<_>>()
        };
        list.give(start, HUGE_PAGE);
        list.give(start + 2 * HUGE_PAGE, 2 * HUGE_PAGE);
        assert_eq!(free(&list).len(), 2);
        assert_eq!(list.take(2 * HUGE_PAGE), Some(start + 2 * HUGE_PAGE));
        assert_eq!(list.take(2 * HUGE_PAGE), None);
        list.give(start + 2 * HUGE_PAGE, 2 * HUGE_PAGE);
        list.give(start + HUGE_PAGE, HUGE_PAGE);
        assert_eq!(free(&list), [(start, 4 * HUGE_PAGE)]);
        assert_eq!(list.take(HUGE_PAGE), Some(start));
        list.release(HUGE_PAGE);
        assert_eq!(free(&list), [(start + 2 * HUGE_PAGE, 2 * HUGE_PAGE)]);
        list.release(9 * HUGE_PAGE);
        assert_eq!(free(&list), []);
        pages::unmap(start, HUGE_PAGE);
    }

    #[test]
    fn what_cannot_be_mapped_is_null() {
        let layout = Layout::from_size_align(isize::MAX as usize - 4096, 1).unwrap();
        // SAFETY: the size is not zero; there is nothing to free.
        unsafe {
            assert!(HugePages.alloc(layout).is_null());
            assert!(HugePages.alloc_zeroed(layout).is_null());
        }
    }
}
