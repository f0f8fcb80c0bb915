//! Hashing an encoded block, beside the packed permutation alone for as many calls.
//!
//! In the end a line for each shape gives the ratio of encoding and hashing to p3's bare
//! transforms and the permutations, medians of several runs, taken in turns.

mod common;

use std::hint::black_box;

use airda::relation::Relation;
use airda::{Block, F, HashWidth, Params};
use airda_gkr::permutation::{Packed, Permutation, Poseidon2};
use common::{SIZES, Transforms, WIDTHS, instance, medians, name};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use p3_field::{PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

/// As many permutations as the parameters have calls, packed, on every thread.
fn permute(params: &Params) -> usize {
    fn at<const T: usize>(params: &Params) -> usize
    where
        Poseidon2<T>: Permutation<T>,
    {
        let calls = Relation::<T>::new(params).table().num_calls();
        (0..calls.div_ceil(Packed::WIDTH)).into_par_iter().for_each(|_| {
            let mut state = [Packed::ONE; T];
            Poseidon2::<T>::permute_packed(black_box(&mut state));
        });
        calls
    }
    match params.hash() {
        HashWidth::W16 => at::<16>(params),
        HashWidth::W24 => at::<24>(params),
    }
}

fn shape(c: &mut Criterion, params: Params, payload: &[u8]) {
    let calls = permute(&params);
    let mut group = c.benchmark_group("permute");
    group.sample_size(10).throughput(Throughput::Elements(calls as u64));
    group.bench_function(format!("calls={calls} width={}", params.hash().width()), |b| {
        b.iter(|| permute(&params));
    });
    group.finish();

    let build = || Block::build(params, payload).expect("a payload");
    let matrix: Vec<F> = build().matrix().to_vec();
    let mut group = c.benchmark_group("commit");
    group.sample_size(10).throughput(Throughput::Bytes(params.payload_len()));
    group.bench_function(name(&params), |b| {
        b.iter(|| Block::commit(params, &matrix).expect("a matrix"));
    });
    group.finish();

    let transforms = Transforms::new(&params);
    let [build, transform, permute] =
        medians([&|| drop(build()), &|| transforms.run(), &|| _ = permute(&params)]);
    eprintln!(
        "ratio {}: encode+commit / (dft+permutations) {:.2} (encode+commit {:.1} ms, dft {:.1} ms, \
         permutations {:.1} ms)",
        name(&params),
        build / (transform + permute),
        1e3 * build,
        1e3 * transform,
        1e3 * permute,
    );
}

fn commit(c: &mut Criterion) {
    for (log_k, log_c, rows) in SIZES {
        for hash in WIDTHS {
            let (params, payload) = instance(hash, log_k, log_c, rows);
            shape(c, params, &payload);
        }
    }
}

criterion_group!(benches, commit);
criterion_main!(benches);
