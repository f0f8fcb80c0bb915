//! The whole relation as AIR tables beside p3-uni-stark's bare Poseidon2 AIR, for the same number
//! of calls and with the same FRI parameters, trees, transcript and challenge field.
//!
//! The peer proves that permutations were computed, nothing else: neither where their inputs come
//! from nor any membership. Both choose how many permutations stand in a row so that little is
//! padding, and are timed from their inputs to the proof in memory, in turns, in one process.
//! What is prepared once for a shape, the preprocessed columns, is told apart. The same tables
//! over WHIR, with p3-multi-stark, run once beside them: from traces to the proof, at 128 bits in
//! unique decoding.
//! `cargo bench --bench air`; in a test a tiny size runs once.

mod common;

use std::time::Instant;

use airda::proof::{self, air};
use airda::{Block, F, HashWidth};
use airda_air::Table;
use airda_air::calls::ScheduleBuilder;
use airda_air::multi::{self, Fold, SecurityAssumption};
use common::instance;
use p3_challenger::CanObserve;
use p3_field::PrimeCharacteristicRing;
use p3_koala_bear::{
    GenericPoseidon2LinearLayersKoalaBear, KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16, KOALABEAR_S_BOX_DEGREE,
};
use p3_maybe_rayon::prelude::current_num_threads;
use p3_poseidon2_air::{RoundConstants, VectorizedPoseidon2Air};
use p3_uni_stark::{prove, verify};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Permutations in a row of the peer: of up to 20 the number that pads 309 247 calls least.
const VECTOR_LEN: usize = 19;

type Bare = VectorizedPoseidon2Air<
    F,
    GenericPoseidon2LinearLayersKoalaBear,
    16,
    KOALABEAR_S_BOX_DEGREE,
    0,
    KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16,
    VECTOR_LEN,
>;

/// The result and the seconds it took.
fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed().as_secs_f64())
}

/// Median, smallest and largest.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [values[values.len() / 2], values[0], values[values.len() - 1]]
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    // As criterion decides it.
    let tiny = !given("--bench") || given("--test");
    let (log_k, log_c, rows, repeat) = if tiny { (6, 2, 1, 1) } else { (14, 5, 14, 9) };

    let (params, payload) = instance(HashWidth::W16, log_k, log_c, rows);
    let block = Block::build(params, &payload).expect("a payload");
    let commitment = block.commitment();
    let system = air::System::for_rate(1).expect("a system");
    let calls = params.calls();
    if !tiny {
        let lanes = ScheduleBuilder::lanes_for(calls, 20);
        assert_eq!(lanes, VECTOR_LEN, "the peer's rows suit the calls");
    }
    let config = system.parameters().config(Vec::new());
    let bare = Bare::new(RoundConstants::from_rng(&mut StdRng::seed_from_u64(1)));
    let padded = calls.div_ceil(VECTOR_LEN).next_power_of_two() * VECTOR_LEN;

    let (file, first) = timed(|| proof::prove(&block, &system).expect("a size"));
    let _ = proof::verify(commitment, &file).expect("a good proof");
    let (mut ours, mut checks, mut peers, mut ratios) = (vec![], vec![], vec![], vec![]);
    for _ in 0..repeat {
        let (file, airda) = timed(|| proof::prove(&block, &system).expect("a size"));
        let (verdict, check) = timed(|| proof::verify(commitment, &file));
        let _ = verdict.expect("a good proof");
        let (proof, peer) = timed(|| {
            // Room for the low-degree extension, of rate 1/2.
            let trace = bare.generate_vectorized_trace_rows(padded, 1);
            prove(&config, &bare, trace, &[]).expect("a valid trace")
        });
        verify(&config, &bare, &proof, &[]).expect("a good proof");
        ours.push(airda);
        checks.push(check);
        peers.push(peer);
        ratios.push(peer / airda);
    }
    println!(
        "{} threads, medians of {repeat} [min, max], {}, {} queries, {} bits of work",
        current_num_threads(),
        common::name(&params),
        system.parameters().num_queries(),
        system.parameters().query_pow_bits(),
    );
    for (name, times) in [("airda, everything", ours), ("p3-uni-stark, bare", peers)] {
        let [median, least, most] = spread(times);
        println!(
            "{name:20} {median:.3} s [{least:.3}, {most:.3}]  {:8.0} calls/s of {calls}",
            calls as f64 / median,
        );
    }
    let [median, least, most] = spread(ratios);
    println!("calls a second, to the bare AIR's: {median:.3} [{least:.3}, {most:.3}]");
    let [check, ..] = spread(checks);
    println!(
        "proof {:.1} KiB, verify {:.1} ms, first proof of the shape {first:.3} s",
        file.len() as f64 / 1024.0,
        1e3 * check,
    );
    over_whir(&block, calls);
}

/// The same tables, traces and public values with p3-multi-stark.
fn over_whir(block: &Block, calls: usize) {
    let parameters = multi::Parameters {
        regime: SecurityAssumption::UniqueDecoding,
        log_inv_rate: 1,
        first: Fold { variables: 7, shrink: 5 },
        later: Fold { variables: 4, shrink: 2 },
        target_bits: 128,
    };
    // Its tables have as many rows as the first fold asks for; of the small ones only the table
    // of public blocks can be filled up.
    let mut instance = air::Instance::<16, 20>::new(block);
    let public = instance.tables.public.with_log_height(parameters.first.variables);
    instance.tables.public = public;
    instance.traces[3] = instance.tables.public.trace();
    let tables: Vec<(Table<16, 20>, usize)> = instance.tables.all();
    let log_heights = tables.iter().map(|(_, height)| height.ilog2() as usize).collect();
    let tables = tables.into_iter().map(|(table, _)| table).collect();
    let system = match multi::System::new(tables, log_heights, &parameters) {
        Ok(system) => system,
        Err(error) => return println!("p3-multi-stark over WHIR: {error}"),
    };
    let challenger = || {
        let mut challenger = multi::challenger();
        let statement = instance.statement.iter().map(|&byte| F::from_u8(byte));
        statement.for_each(|byte| challenger.observe(byte));
        challenger
    };
    let prove = || system.prove(&instance.traces, &instance.public, &mut challenger());
    let (proof, proving) = timed(prove);
    let proof = proof.expect("a valid trace");
    let check = || system.verify(&proof, &instance.public, &mut challenger());
    let (verdict, verifying) = timed(check);
    verdict.expect("a good proof");
    println!(
        "p3-multi-stark over WHIR, {:.1} bits: {proving:.3} s, {:.0} calls/s of {calls}, verify \
         {:.1} ms",
        system.security_bits(),
        calls as f64 / proving,
        1e3 * verifying,
    );
}
