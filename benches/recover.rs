//! Recovery from half of the columns, encoding beside it, and the membership vector.
//!
//! A line for each shape gives the ratio of recovering to encoding, medians of several runs,
//! taken in turns.

mod common;

use std::cell::RefCell;
use std::hint::black_box;

use airda::code::membership::{MembershipVector, point};
use airda::{F, HashWidth, code};
use common::{SIZES, instance, medians};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use p3_field::PrimeCharacteristicRing;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

fn recover(criterion: &mut Criterion) {
    let mut rng = StdRng::seed_from_u64(1);
    for (log_k, log_c, rows) in SIZES {
        let (params, payload) = instance(HashWidth::W16, log_k, log_c, rows);
        let bytes = Throughput::Bytes(params.payload_len());
        let mut matrix = F::zero_vec(params.matrix_words());
        code::encode(&params, &payload, &mut matrix).unwrap();

        let mut order: Vec<usize> = (0..params.columns()).collect();
        order.shuffle(&mut rng);
        order.truncate(params.half());
        order.sort_unstable();
        let column = |&index: &usize| {
            let words = matrix.chunks_exact(params.columns()).map(|words| words[index]);
            (index, words.collect::<Vec<F>>())
        };
        let columns: Vec<(usize, Vec<F>)> = order.iter().map(column).collect();
        let columns: Vec<(usize, &[F])> =
            columns.iter().map(|(index, words)| (*index, &words[..])).collect();
        assert!(code::recover(&params, &columns).unwrap() == matrix);

        let name = format!("k={} c={} n={rows}", params.k(), params.c());
        let mut group = criterion.benchmark_group("recover");
        group.throughput(bytes.clone()).sample_size(20);
        group.bench_function(&name, |bencher| {
            bencher.iter(|| code::recover(&params, black_box(&columns)));
        });
        group.bench_function(format!("encode beside it {name}"), |bencher| {
            bencher.iter(|| code::encode(&params, black_box(&payload), &mut matrix));
        });
        group.finish();

        let matrix = RefCell::new(matrix);
        let [recover, encode] =
            medians([&|| drop(black_box(code::recover(&params, &columns))), &|| {
                code::encode(&params, &payload, &mut matrix.borrow_mut()).unwrap()
            }]);
        eprintln!(
            "ratio {name}: recover/encode {:.2} (recover {:.1} ms, encode {:.1} ms)",
            recover / encode,
            1e3 * recover,
            1e3 * encode,
        );

        let mut group = criterion.benchmark_group("membership_vector");
        group.sample_size(20);
        group.bench_function(&name, |bencher| {
            let p = point(&params, &[F::ONE; 8]);
            bencher.iter(|| MembershipVector::new(&params, black_box(p)));
        });
        group.finish();
    }
}

criterion_group!(benches, recover);
criterion_main!(benches);
