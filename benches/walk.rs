//! The walk, trace generation and verification, beside the native permutation of as many calls.
//!
//! Rayon decides the number of threads, so one thread is
//! `RAYON_NUM_THREADS=1 cargo bench --bench walk`. After the measurements a line for each width
//! gives the ratio of the walk's time to the packed native permutation's, both the fastest of
//! several runs, taken in turns.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use airda_gkr::F;
use airda_gkr::memory::HugePages;
use airda_gkr::permutation::{Packed, Permutation, Poseidon2};
use airda_gkr::transcript::{ProverChannel, VerifierChannel};
use airda_gkr::walk::{CHUNK, Claim, Trace, prove, verify};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use p3_field::{PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

/// As in the binary.
#[global_allocator]
static ALLOCATOR: HugePages = HugePages;

const DOMAIN: &[u8] = b"bench";
/// Runs that the ratios are the fastest of.
const RUNS: usize = 10;

/// A word of a call's input.
fn word(call: usize, index: usize) -> F {
    F::from_u64((call as u64 * 64 + index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 34)
}

fn trace<const T: usize>(num_calls: usize) -> Trace<T>
where
    Poseidon2<T>: Permutation<T>,
{
    Trace::generate(num_calls, |chunk, columns| {
        for (index, column) in columns.iter_mut().enumerate() {
            for (i, to) in column.iter_mut().enumerate() {
                *to = word(chunk * CHUNK + i, index);
            }
        }
    })
}

fn walk<const T: usize>(trace: &Trace<T>) -> (Claim<T>, Vec<u8>)
where
    Poseidon2<T>: Permutation<T>,
{
    let mut channel = ProverChannel::new(DOMAIN);
    let claim = prove(trace, &mut channel);
    (claim, channel.finish())
}

/// The permutation alone, on states that are packed already.
fn native<const T: usize>(states: &mut [[Packed; T]])
where
    Poseidon2<T>: Permutation<T>,
{
    let task = states.len().div_ceil(current_num_threads()).max(1);
    states.par_chunks_mut(task).for_each(|states| {
        states.iter_mut().for_each(Poseidon2::<T>::permute_packed);
    });
}

fn packed<const T: usize>(num_calls: usize) -> Vec<[Packed; T]> {
    (0..num_calls / Packed::WIDTH)
        .map(|i| {
            std::array::from_fn(|index| {
                Packed::from_fn(|lane| word(i * Packed::WIDTH + lane, index))
            })
        })
        .collect()
}

fn fastest(best: &mut Duration, run: impl FnOnce()) {
    let start = Instant::now();
    run();
    *best = start.elapsed().min(*best);
}

fn at_width<const T: usize>(criterion: &mut Criterion, log_calls: usize)
where
    Poseidon2<T>: Permutation<T>,
{
    let num_calls = 1 << log_calls;
    let threads = current_num_threads();
    let parameters = format!("log_calls={log_calls} width={T} threads={threads}");
    let witness = trace::<T>(num_calls);
    let (claim, proof) = walk(&witness);
    let check = || {
        let mut channel = VerifierChannel::new(DOMAIN, &proof);
        let claim = verify::<T>(num_calls, &mut channel).expect("an honest walk verifies");
        channel.finish().expect("nothing is left over");
        claim
    };
    assert_eq!(check(), claim);

    let mut group = criterion.benchmark_group("walk");
    group.sample_size(10).throughput(Throughput::Elements(num_calls as u64));
    group.bench_function(BenchmarkId::from_parameter(&parameters), |b| b.iter(|| walk(&witness)));
    group.finish();
    let mut group = criterion.benchmark_group("walk_trace");
    group.sample_size(10).throughput(Throughput::Elements(num_calls as u64));
    group.bench_function(BenchmarkId::from_parameter(&parameters), |b| {
        b.iter(|| trace::<T>(num_calls));
    });
    group.finish();
    let mut group = criterion.benchmark_group("walk_native");
    group.sample_size(10).throughput(Throughput::Elements(num_calls as u64));
    let mut states = packed::<T>(num_calls);
    group.bench_function(BenchmarkId::from_parameter(&parameters), |b| {
        b.iter(|| native(black_box(&mut states)));
    });
    group.finish();
    let mut group = criterion.benchmark_group("walk_verify");
    group.bench_function(BenchmarkId::from_parameter(&parameters), |b| b.iter(check));
    group.finish();

    let mut best = [Duration::MAX; 4];
    let [best_native, best_trace, best_walk, best_verify] = &mut best;
    for _ in 0..RUNS {
        fastest(best_native, || native(black_box(&mut states)));
        fastest(best_trace, || drop(black_box(trace::<T>(num_calls))));
        fastest(best_walk, || drop(black_box(walk(&witness))));
        fastest(best_verify, || drop(black_box(check())));
    }
    let [native, trace, walk, verify] = best;
    eprintln!(
        "ratio {parameters}: walk/native {:.2} trace/native {:.2} \
         (native {native:.2?}, trace {trace:.2?}, walk {walk:.2?}, verify {verify:.2?}, {} bytes)",
        walk.as_secs_f64() / native.as_secs_f64(),
        trace.as_secs_f64() / native.as_secs_f64(),
        proof.len(),
    );
}

fn benches(criterion: &mut Criterion) {
    at_width::<16>(criterion, 17);
    at_width::<24>(criterion, 17);
}

criterion_group!(walks, benches);
criterion_main!(walks);
