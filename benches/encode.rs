//! Encoding, the bare transforms of p3 that would do the same, and the way back to bytes.

mod common;

use std::hint::black_box;

use airda::{F, HashWidth, code};
use common::{SIZES, instance};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::{PrimeCharacteristicRing, TwoAdicField};
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn encode(criterion: &mut Criterion) {
    let mut rng = StdRng::seed_from_u64(1);
    for (log_k, log_c, rows) in SIZES {
        let (params, payload) = instance(HashWidth::W16, log_k, log_c, rows);
        let bytes = Throughput::Bytes(params.payload_len());
        let mut matrix = F::zero_vec(params.matrix_words());
        code::encode(&params, &payload, &mut matrix).unwrap();
        assert!(code::payload(&params, &matrix).unwrap() == payload);

        let name = format!("k={} c={} n={rows}", params.k(), params.c());
        let mut group = criterion.benchmark_group("encode");
        group.throughput(bytes.clone()).sample_size(20);
        group.bench_function(&name, |bencher| {
            bencher.iter(|| code::encode(&params, black_box(&payload), &mut matrix));
        });
        group.finish();

        // As many transforms, of all limbs at once; 70 columns filled up to whole vectors, which
        // p3 does in less time than 70.
        let width = (5 * rows).next_multiple_of(16);
        let words = F::zero_vec(params.k() * width);
        let columns = RowMajorMatrix::new(words.iter().map(|_| rng.random()).collect(), width);
        let dft = Radix2DFTSmallBatch::<F>::new(params.m());
        let shift = F::two_adic_generator(log_k + 1);
        let mut group = criterion.benchmark_group("bare_transforms");
        group.throughput(bytes.clone()).sample_size(20);
        group.bench_function(format!("idft+coset_dft {name}"), |bencher| {
            let transform = |columns| dft.coset_dft_batch(dft.idft_batch(columns), shift);
            bencher.iter_batched(|| columns.clone(), transform, BatchSize::LargeInput);
        });
        group.bench_function(format!("coset_lde {name}"), |bencher| {
            let transform = |columns| dft.coset_lde_batch(columns, 1, F::ONE);
            bencher.iter_batched(|| columns.clone(), transform, BatchSize::LargeInput);
        });
        group.finish();

        let mut group = criterion.benchmark_group("payload");
        group.throughput(bytes.clone()).sample_size(20);
        group.bench_function(&name, |bencher| {
            bencher.iter(|| code::payload(&params, black_box(&matrix)));
        });
        group.finish();
    }
}

criterion_group!(benches, encode);
criterion_main!(benches);
