//! Running cases by the thousand, so that each can be run again alone.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rand::SeedableRng;
use rand::rngs::StdRng;

/// What the environment says.
struct Options {
    /// Sampled cases in all.
    cases: usize,
    seed: u64,
    /// The only case of its kind to run.
    index: Option<usize>,
}

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    let number = |name: &str| {
        std::env::var(name).ok().map(|value| {
            value.parse::<u64>().unwrap_or_else(|_| panic!("{name}={value} is no number"))
        })
    };
    Options {
        cases: number("AIRDA_MALFORMED_CASES").unwrap_or(10_000) as usize,
        seed: number("AIRDA_MALFORMED_SEED").unwrap_or(1),
        index: number("AIRDA_MALFORMED_INDEX").map(|index| index as usize),
    }
});

/// Whether this is a long run.
pub(crate) fn long() -> bool {
    OPTIONS.cases >= 1_000_000
}

/// Cases of all kinds so far.
static RUN: AtomicUsize = AtomicUsize::new(0);
/// Those of them in which the dependency's verifier panicked.
static GAVE_UP: AtomicUsize = AtomicUsize::new(0);

/// Notes that the dependency's verifier panicked, which is an answer, and worth knowing.
pub(crate) fn gave_up() {
    GAVE_UP.fetch_add(1, Ordering::Relaxed);
}

/// Runs all `count` cases of a kind.
pub(crate) fn every(kind: &str, count: usize, case: impl Fn(usize) + Sync) {
    every_with(kind, count, |index, _| case(index));
}

/// The same, with a generator.
pub(crate) fn every_with(kind: &str, count: usize, case: impl Fn(usize, &mut StdRng) + Sync) {
    match OPTIONS.index {
        Some(index) if index >= count => {}
        _ => run(kind, count, case),
    }
}

/// Runs as many random cases of a kind as its share, in thousandths, of all sampled cases.
pub(crate) fn sampled(kind: &str, share: usize, case: impl Fn(&mut StdRng) + Sync) {
    run(kind, (OPTIONS.cases * share).div_ceil(1000), |_, rng| case(rng));
}

fn run(kind: &str, count: usize, case: impl Fn(usize, &mut StdRng) + Sync) {
    let range: Range<usize> = match OPTIONS.index {
        Some(index) => index..index + 1,
        None => 0..count,
    };
    let (seed, start, cases) = (OPTIONS.seed, Instant::now(), range.len());
    for index in range {
        let outcome = catch_unwind(AssertUnwindSafe(|| case(index, &mut rng(seed, kind, index))));
        if let Err(panic) = outcome {
            eprintln!(
                "malformed: failed: {kind}; again with \
                 AIRDA_MALFORMED_SEED={seed} AIRDA_MALFORMED_INDEX={index}"
            );
            resume_unwind(panic);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let all = RUN.fetch_add(cases, Ordering::Relaxed) + cases;
    let gave_up = GAVE_UP.load(Ordering::Relaxed);
    println!(
        "malformed: {kind}: {cases} cases, seed {seed}, {seconds:.1} s; \
         {all} in all, p3 panicked in {gave_up}"
    );
}

/// A case's own generator: it depends on nothing that ran before.
fn rng(seed: u64, kind: &str, index: usize) -> StdRng {
    let mut bytes = [0; 32];
    let name = kind.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&name.to_le_bytes());
    bytes[16..24].copy_from_slice(&(index as u64).to_le_bytes());
    StdRng::from_seed(bytes)
}

/// Runs `f` where everything is done by one thread, also what would be spread over several: what
/// a case costs is counted by thread.
pub(crate) fn alone<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread").install(f)
}
