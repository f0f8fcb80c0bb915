//! Hashing an encoded block, beside the packed permutation alone for as many calls.

mod common;

use std::hint::black_box;

use airda::relation::Relation;
use airda::{Block, F, Params};
use airda_gkr::permutation::{Packed, Permutation, Poseidon2};
use common::{WIDTHS, b2_c32_r14, name};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use p3_field::{PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

fn permutations<const T: usize>(c: &mut Criterion, params: &Params)
where
    Poseidon2<T>: Permutation<T>,
{
    let calls = Relation::<T>::new(params).table().num_calls();
    let mut group = c.benchmark_group("permute");
    group.sample_size(10).throughput(Throughput::Elements(calls as u64));
    group.bench_function(format!("calls={calls} width={T}"), |b| {
        b.iter(|| {
            (0..calls.div_ceil(Packed::WIDTH)).into_par_iter().for_each(|_| {
                let mut state = [Packed::ONE; T];
                Poseidon2::<T>::permute_packed(black_box(&mut state));
            });
        });
    });
    group.finish();
}

fn commit(c: &mut Criterion) {
    for hash in WIDTHS {
        let (params, payload) = b2_c32_r14(hash);
        match hash.width() {
            16 => permutations::<16>(c, &params),
            _ => permutations::<24>(c, &params),
        }
        let matrix: Vec<F> = Block::build(params, &payload).expect("a payload").matrix().to_vec();
        let mut group = c.benchmark_group("commit");
        group.sample_size(10).throughput(Throughput::Bytes(params.payload_len()));
        group.bench_function(name(&params), |b| {
            let build = |matrix| Block::commit(params, matrix).expect("a matrix");
            b.iter_batched(|| matrix.clone(), build, BatchSize::LargeInput);
        });
        group.finish();
    }
}

criterion_group!(benches, commit);
criterion_main!(benches);
