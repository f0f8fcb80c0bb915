//! What a case costs: bytes allocated and work counted, on the thread that runs it.
#![allow(unsafe_code, reason = "a global allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use airda_gkr::count::Counts;

/// What may always be allocated at a time.
const FREE_BYTES: usize = 64 << 20;
/// What may be allocated at a time for each byte of input.
const PER_BYTE: usize = 10;

thread_local! {
    /// Bytes this thread has allocated and not freed, and the most they have been. Memory that
    /// another thread frees stays on the books of the one that allocated it.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

impl Counting {
    fn moved(bytes: isize) {
        let live = LIVE.get() + bytes;
        LIVE.set(live);
        PEAK.set(PEAK.get().max(live));
    }
}

// SAFETY: every method hands its arguments to the system's allocator unchanged and returns what
// that returns. The books are thread-local integers without a destructor, initialised at compile
// time: keeping them neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::moved(layout.size() as isize);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::moved(layout.size() as isize);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::moved(-(layout.size() as isize));
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Old and new may exist side by side while one is copied into the other.
        Self::moved(new_size as isize);
        Self::moved(-(layout.size() as isize));
        // SAFETY: the caller's promises are the same.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// What something cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// The most bytes that were allocated at a time, beyond those at the start.
    pub(crate) peak: usize,
    /// Hashes, words and challenges.
    pub(crate) counts: Counts,
}

/// Runs `f` and tells what it cost.
pub(crate) fn measure<R>(f: impl FnOnce() -> R) -> (R, Cost) {
    let (before, start) = (Counts::now(), LIVE.get());
    PEAK.set(start);
    let result = f();
    let peak = (PEAK.get() - start).try_into().expect("no peak is below the start");
    (result, Cost { peak, counts: Counts::now().since(before) })
}

/// Runs `f` on `input` bytes and asserts that it keeps within the limits: the larger of 64 MiB
/// and ten times the input allocated, and twice what `honest` counted.
#[track_caller]
pub(crate) fn limited<R>(input: usize, honest: Counts, f: impl FnOnce() -> R) -> R {
    let (result, cost) = measure(f);
    within_memory(input, cost);
    assert!(cost.counts.within(2, honest), "{:?}, an honest one: {honest:?}", cost.counts);
    result
}

/// Asserts the limit on memory.
#[track_caller]
pub(crate) fn within_memory(input: usize, cost: Cost) {
    let limit = FREE_BYTES.max(PER_BYTE * input);
    assert!(cost.peak <= limit, "{} bytes allocated for an input of {input}", cost.peak);
}

/// The books are kept: a reader's limits mean nothing if they are not.
#[test]
fn allocations_are_counted() {
    let (kept, cost) = measure(|| {
        drop(std::hint::black_box(vec![1_u8; 3 << 20]));
        std::hint::black_box(vec![1_u8; 1 << 20])
    });
    assert!((3 << 20..4 << 20).contains(&cost.peak), "{cost:?}");
    drop(kept);
    let mut grown: Vec<u8> = Vec::with_capacity(1 << 20);
    let ((), cost) = measure(|| grown.reserve_exact(2 << 20));
    assert!(cost.peak >= 2 << 20, "{cost:?}");
}
