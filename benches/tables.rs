//! Each AIR table alone, with p3-uni-stark: filling in its trace, and proving its constraints,
//! at the size that b2-c32-r14 has. What ties the tables together is not in these figures.
//!
//! `cargo bench --bench tables`; in a test a tiny size runs once.

mod common;

use airda::proof::air::tables::Tables;
use airda::{F, HashWidth, Params};
use airda_air::E;
use airda_air::alone::{Alone, LoneAir};
use airda_air::buses::{BLOCK, Block};
use airda_air::calls::{Poseidon2, Poseidon2Calls, Width};
use airda_air::fri::Parameters;
use airda_air::inner_product::{InnerProduct, Weights};
use common::{instance, name};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing};
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The blocks of random cells, by their addresses; calls have not been computed.
fn blocks(params: &Params) -> Vec<Block> {
    let cells = params.rows() * params.columns() * params.cell_words().div_ceil(BLOCK);
    // Whatever is neither a word of a cell nor given, four of these, is some call's digest.
    let mut blocks = vec![[F::ZERO; BLOCK]; 4 + cells + params.calls()];
    let mut rng = StdRng::seed_from_u64(1);
    blocks[4..][..cells].fill_with(|| rng.random());
    blocks
}

/// Public weights and, for each vector, random symbols that are orthogonal to them.
fn orthogonal(products: &InnerProduct) -> (Weights, Vec<Vec<E>>) {
    let mut rng = StdRng::seed_from_u64(1);
    let weights = Weights { point: rng.random(), scales: [rng.random(), rng.random()] };
    let shape = products.shape();
    let of_points = shape.rows.iter().flat_map(|&(first, second, _)| {
        let scale = weights.scales[usize::from(second)];
        shape.multipliers.iter().map(move |&g| {
            let x = first * g;
            (weights.point - x).inverse() * scale * x
        })
    });
    let of_points: Vec<E> = of_points.collect();
    let (last, all_but_last) = of_points.split_last().expect("points");
    let symbols = |_| {
        let mut symbols: Vec<E> = all_but_last.iter().map(|_| rng.random()).collect();
        let sum: E = symbols.iter().zip(all_but_last).map(|(&a, &b)| a * b).sum();
        symbols.push(-sum * last.inverse());
        symbols
    };
    let symbols = (0..shape.vectors).map(symbols).collect();
    (weights, symbols)
}

/// Times a table's trace and its proof; `elements` are its calls or symbols.
fn table<A: LoneAir>(
    c: &mut Criterion,
    name: &str,
    elements: usize,
    (table, height): (A, usize),
    public: &[F],
    trace: impl Fn() -> RowMajorMatrix<F>,
) {
    let parameters = Parameters::for_rate(1).expect("a rate of the table");
    let alone = Alone::new(table, height, &parameters).expect("a size");
    let name = format!("{name} rows={height} columns={}", alone.table().width());
    let throughput = Throughput::Elements(elements as u64);
    let mut group = c.benchmark_group("air_trace");
    group.sample_size(10).throughput(throughput.clone());
    group.bench_function(&name, |b| b.iter_with_large_drop(&trace));
    group.finish();
    let filled = trace();
    let proof = alone.prove(&[], filled.clone(), public).expect("a size");
    alone.verify(&[], public, &proof).expect("a good proof");
    let mut group = c.benchmark_group("air_prove");
    group.sample_size(10).throughput(throughput);
    group.bench_function(&name, |b| {
        b.iter_batched(
            || filled.clone(),
            |trace| alone.prove(&[], trace, public),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn of_calls<const T: usize, const P: usize>(c: &mut Criterion, params: &Params)
where
    Poseidon2<T, P>: Width<T, P>,
{
    let tables = Tables::<T, P>::new(params);
    let mut blocks = blocks(params);
    let mut of = |kind: &str, calls: &Poseidon2Calls<T, P>| {
        let inputs = calls.evaluate(&mut blocks);
        let sized = (calls.clone(), calls.schedule().height());
        let name = format!("table={kind} {}", name(params));
        table(c, &name, inputs.len(), sized, &[], || calls.trace(inputs.clone()));
    };
    of("chains", &tables.chains);
    of("nodes", &tables.nodes);
}

fn of_products(c: &mut Criterion, params: &Params) {
    let products = Tables::<16, 20>::new(params).products;
    let (weights, symbols) = orthogonal(&products);
    let run = products.run();
    let word = |vector: usize, row: usize, word: usize| {
        let limbs: &[F] = symbols[vector][row * run + word % run].as_basis_coefficients_slice();
        limbs[word / run]
    };
    let name = format!("table=products {}", name(params));
    let sized = (products.clone(), products.height());
    let trace = || products.trace(&weights, word);
    table(c, &name, params.m() * params.rows(), sized, &weights.public_values(), trace);
}

fn tables(c: &mut Criterion) {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    // As criterion decides it.
    let tiny = !given("--bench") || given("--test");
    let (log_k, log_c, rows) = if tiny { (6, 3, 3) } else { (14, 5, 14) };
    let params = |hash| instance(hash, log_k, log_c, rows).0;
    of_calls::<16, 20>(c, &params(HashWidth::W16));
    of_calls::<24, 23>(c, &params(HashWidth::W24));
    of_products(c, &params(HashWidth::W16));
}

criterion_group!(benches, tables);
criterion_main!(benches);
