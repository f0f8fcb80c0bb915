//! airda's whole proof beside p3-uni-stark's Poseidon2 AIR, for the same number of calls.
//!
//! The peer is Plonky3's own example `prove_poseidon2_koala_bear_keccak`: width 16, several
//! permutations a row, FRI of rate 1/2 with 84 queries and 16 bits of grinding over the quartic
//! extension, once over Keccak-256 as there and once over Poseidon2 trees. Its rows are a power
//! of two, so it proves more calls than are asked for. It shows that the permutations were
//! computed and nothing else: neither where their inputs come from nor any membership; and that
//! with 57 proven bits (98 conjectured), where airda has 128 proven ones.
//!
//! Both sides are timed from their inputs to the proof in memory, in turns, in the same process
//! with the same allocator. `cargo bench --bench peers`; in a test a tiny size runs once.

mod common;

use std::time::Instant;

use airda::proof::{self, System};
use airda::{Block, F, HashWidth};
use common::instance;
use p3_challenger::{DuplexChallenger, HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::Field;
use p3_field::extension::BinomialExtensionField;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_keccak::{Keccak256Hash, KeccakF};
use p3_koala_bear::{
    GenericPoseidon2LinearLayersKoalaBear, KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16, KOALABEAR_S_BOX_DEGREE, Poseidon2KoalaBear,
    default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
use p3_maybe_rayon::prelude::current_num_threads;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_poseidon2_air::{RoundConstants, VectorizedPoseidon2Air};
use p3_symmetric::{
    CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation,
};
use p3_uni_stark::{Proof, StarkConfig, StarkGenericConfig, prove, verify};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Permutations a row: of those near the example's 8 the one that pads 595 967 calls least.
const VECTOR_LEN: usize = 10;

type Air = VectorizedPoseidon2Air<
    F,
    GenericPoseidon2LinearLayersKoalaBear,
    16,
    KOALABEAR_S_BOX_DEGREE,
    0,
    KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16,
    VECTOR_LEN,
>;
type Ext = BinomialExtensionField<F, 4>;
type Dft = Radix2DitParallel<F>;
type Config<Mmcs, Challenger> =
    StarkConfig<TwoAdicFriPcs<F, Dft, Mmcs, ExtensionMmcs<F, Ext, Mmcs>>, Ext, Challenger>;

fn config<Mmcs: Clone, Challenger: Clone>(
    mmcs: Mmcs,
    challenger: Challenger,
) -> Config<Mmcs, Challenger> {
    let fri = FriParameters {
        num_queries: 84,
        ..FriParameters::new_benchmark(ExtensionMmcs::new(mmcs.clone()))
    };
    StarkConfig::new(TwoAdicFriPcs::new(Dft::default(), mmcs, fri), challenger)
}

type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;
type KeccakMmcs = MerkleTreeMmcs<
    [F; p3_keccak::VECTOR_LEN],
    [u64; p3_keccak::VECTOR_LEN],
    SerializingHasher<Sponge>,
    CompressionFunctionFromHasher<Sponge, 2, 4>,
    2,
    4,
>;
type KeccakChallenger = SerializingChallenger32<F, HashChallenger<u8, Keccak256Hash, 32>>;

fn keccak() -> Config<KeccakMmcs, KeccakChallenger> {
    let sponge = Sponge::new(KeccakF {});
    let compress = CompressionFunctionFromHasher::new(sponge);
    let mmcs = KeccakMmcs::new(SerializingHasher::new(sponge), compress, 3);
    config(mmcs, KeccakChallenger::from_hasher(vec![], Keccak256Hash {}))
}

type Packed = <F as Field>::Packing;
type Poseidon2Mmcs = MerkleTreeMmcs<
    Packed,
    Packed,
    PaddingFreeSponge<Poseidon2KoalaBear<24>, 24, 16, 8>,
    TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>,
    2,
    8,
>;
type Poseidon2Challenger = DuplexChallenger<F, Poseidon2KoalaBear<24>, 24, 16>;

fn poseidon2() -> Config<Poseidon2Mmcs, Poseidon2Challenger> {
    let hash = PaddingFreeSponge::new(default_koalabear_poseidon2_24());
    let compress = TruncatedPermutation::new(default_koalabear_poseidon2_16());
    let mmcs = Poseidon2Mmcs::new(hash, compress, 3);
    config(mmcs, Poseidon2Challenger::new(default_koalabear_poseidon2_24()))
}

/// Bytes of a proof whose words of F take 4 and whose words of a Keccak digest take 8.
fn bytes<SC: StarkGenericConfig>(proof: &Proof<SC>) -> usize {
    fn count(value: &serde_json::Value) -> usize {
        match value {
            serde_json::Value::Number(number) => {
                if number.as_u64().is_some_and(|word| word > u64::from(u32::MAX)) { 8 } else { 4 }
            }
            serde_json::Value::Array(values) => values.iter().map(count).sum(),
            serde_json::Value::Object(values) => values.values().map(count).sum(),
            _ => 0,
        }
    }
    count(&serde_json::to_value(proof).expect("a proof is plain data"))
}

/// Seconds.
fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed().as_secs_f64())
}

/// One run of the peer: seconds to prove, seconds to verify, bytes.
macro_rules! peer {
    ($config:expr, $air:expr, $calls:expr) => {{
        let (config, air): (_, &Air) = ($config, $air);
        let (proof, proving) = timed(|| {
            // Room for the low-degree extension, of rate 1/2.
            let trace = air.generate_vectorized_trace_rows($calls, 1);
            prove(&config, air, trace, &[]).expect("a valid trace")
        });
        let (verdict, verifying) = timed(|| verify(&config, air, &proof, &[]));
        verdict.expect("a good proof");
        (proving, verifying, bytes(&proof))
    }};
}

/// The runs of one prover.
struct Runs {
    name: &'static str,
    /// Calls proved, those that only fill up included.
    calls: usize,
    runs: Vec<(f64, f64, usize)>,
}

impl Runs {
    fn median(&self, of: impl Fn(&(f64, f64, usize)) -> f64) -> [f64; 3] {
        let mut sorted: Vec<f64> = self.runs.iter().map(of).collect();
        sorted.sort_by(f64::total_cmp);
        [sorted[sorted.len() / 2], sorted[0], sorted[sorted.len() - 1]]
    }

    fn print(&self, asked: usize, unit: f64) {
        let [median, min, max] = self.median(|run| run.0);
        println!(
            "{:22} {median:.3} s [{min:.3}, {max:.3}]  {:.2} x airda  {:8.0} calls/s of the {asked} \
             asked, {:8.0} of its own {}  verify {:5.1} ms  proof {:6.1} KiB",
            self.name,
            median / unit,
            asked as f64 / median,
            self.calls as f64 / median,
            self.calls,
            1e3 * self.median(|run| run.1)[0],
            self.median(|run| run.2 as f64)[0] / 1024.0,
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    // As criterion decides it.
    let tiny = !given("--bench") || given("--test");
    let (log_k, log_c, rows, repeat) = if tiny { (6, 2, 1, 1) } else { (15, 6, 14, 5) };

    let (params, payload) = instance(HashWidth::W16, log_k, log_c, rows);
    let block = Block::build(params, &payload).expect("a payload");
    let system = System::for_rate(1).expect("a system");
    let commitment = block.commitment();
    let airda = || {
        let (file, proving) = timed(|| proof::prove(&block, &system).expect("a size"));
        let (verdict, verifying) = timed(|| proof::verify(commitment, &file));
        (verdict.expect("a good proof").calls, (proving, verifying, file.len()))
    };
    let (calls, _) = airda();

    let air = Air::new(RoundConstants::from_rng(&mut StdRng::seed_from_u64(1)));
    let padded = calls.div_ceil(VECTOR_LEN).next_power_of_two() * VECTOR_LEN;
    let runs = |name, calls| Runs { name, calls, runs: Vec::new() };
    let mut ours = runs("airda", calls);
    let mut peers = [runs("uni-stark, Keccak", padded), runs("uni-stark, Poseidon2", padded)];
    for _ in 0..repeat {
        ours.runs.push(airda().1);
        peers[0].runs.push(peer!(keccak(), &air, padded));
        peers[1].runs.push(peer!(poseidon2(), &air, padded));
    }
    println!(
        "{} threads, medians of {repeat} [min, max], {}",
        current_num_threads(),
        common::name(&params)
    );
    let [unit, ..] = ours.median(|run| run.0);
    for runs in std::iter::once(&ours).chain(&peers) {
        runs.print(calls, unit);
    }
}
