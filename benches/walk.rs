//! The walk, trace generation and verification, beside the native permutation of as many calls.
//!
//! Rayon decides the number of threads, so one thread is
//! `RAYON_NUM_THREADS=1 cargo bench --bench walk`. After the measurements a line for each width
//! gives the times of the walk, of the trace and of both over that of the packed native
//! permutation. Each ratio is of one turn, in which all are run one after the other; the line
//! has the medians over several turns and, in brackets, the least and the largest.
#![allow(missing_docs)]

use std::array::from_fn;
use std::hint::black_box;
use std::time::Instant;

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
/// Turns that the ratios are the medians of.
const TURNS: usize = 11;

/// A chunk's inputs, word by word.
type Inputs<const T: usize> = [[F; CHUNK]; T];

/// A word of a call's input.
fn word(call: usize, index: usize) -> F {
    F::from_u64((call as u64 * 64 + index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 34)
}

fn inputs<const T: usize>(num_calls: usize) -> Vec<Inputs<T>> {
    (0..num_calls / CHUNK)
        .map(|chunk| from_fn(|index| from_fn(|i| word(chunk * CHUNK + i, index))))
        .collect()
}

fn trace<const T: usize>(inputs: &[Inputs<T>]) -> Trace<T>
where
    Poseidon2<T>: Permutation<T>,
{
    Trace::generate(inputs.len() * CHUNK, |chunk, columns| *columns = inputs[chunk])
}

fn walk<const T: usize>(trace: &mut Trace<T>) -> (Claim<T>, Vec<u8>)
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
        .map(|i| from_fn(|index| Packed::from_fn(|lane| word(i * Packed::WIDTH + lane, index))))
        .collect()
}

/// Seconds that `run` takes.
fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// The median, and between which values all lie.
fn spread(mut values: [f64; TURNS]) -> String {
    values.sort_by(f64::total_cmp);
    format!("{:.2} [{:.2}, {:.2}]", values[TURNS / 2], values[0], values[TURNS - 1])
}

fn at_width<const T: usize>(criterion: &mut Criterion, log_calls: usize)
where
    Poseidon2<T>: Permutation<T>,
{
    let num_calls = 1 << log_calls;
    let threads = current_num_threads();
    let parameters = format!("log_calls={log_calls} width={T} threads={threads}");
    let inputs = inputs::<T>(num_calls);
    let mut witness = trace(&inputs);
    let (claim, proof) = walk(&mut witness);
    let check = || {
        let mut channel = VerifierChannel::new(DOMAIN, &proof);
        let claim = verify::<T>(num_calls, &mut channel).expect("an honest walk verifies");
        channel.finish().expect("nothing is left over");
        claim
    };
    assert_eq!(check(), claim);

    let mut group = criterion.benchmark_group("walk");
    group.sample_size(10).throughput(Throughput::Elements(num_calls as u64));
    group.bench_function(BenchmarkId::from_parameter(&parameters), |b| {
        b.iter(|| walk(&mut witness))
    });
    group.finish();
    let mut group = criterion.benchmark_group("walk_trace");
    group.sample_size(10).throughput(Throughput::Elements(num_calls as u64));
    group.bench_function(BenchmarkId::from_parameter(&parameters), |b| {
        b.iter(|| trace(&inputs));
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

    let turns: [[f64; 4]; TURNS] = from_fn(|_| {
        [
            seconds(|| native(black_box(&mut states))),
            seconds(|| drop(black_box(trace(&inputs)))),
            seconds(|| drop(black_box(walk(&mut witness)))),
            seconds(|| drop(black_box(check()))),
        ]
    });
    let [native, trace, walk, verify] =
        from_fn(|what| spread(turns.map(|times| times[what] * 1e3)));
    eprintln!(
        "ratio {parameters}: walk/native {} trace/native {} (trace+walk)/native {} \
         (ms: native {native}, trace {trace}, walk {walk}, verify {verify}; {} bytes)",
        spread(turns.map(|[native, _, walk, _]| walk / native)),
        spread(turns.map(|[native, trace, ..]| trace / native)),
        spread(turns.map(|[native, trace, walk, _]| (trace + walk) / native)),
        proof.len(),
    );
}

fn benches(criterion: &mut Criterion) {
    at_width::<16>(criterion, 17);
    at_width::<24>(criterion, 17);
}

criterion_group!(walks, benches);
criterion_main!(walks);
