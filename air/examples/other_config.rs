//! The tables with another configuration of p3's: Merkle trees and transcript of Poseidon2, and
//! challenges from the quartic extension. They are AIRs as any other; only the words are those
//! of KoalaBear, and the inner products are of the quintic extension whatever is drawn from.
//!
//! What is shown: someone knows 64 symbols, orthogonal to public weights, that hash to a public
//! digest. With these parameters, which p3's own benchmarks have, that has few proven bits.
//!
//! `cargo run --release -p airda-air --example other_config`

use std::error::Error;

use airda_air::buses::{Address, BLOCK, Ledger};
use airda_air::calls::{Poseidon2Calls16, ScheduleBuilder};
use airda_air::inner_product::{InnerProduct, Shape, Weights};
use airda_air::public_blocks::{PublicBlocks, Role};
use airda_air::{E as Symbol, F, Table};
use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_challenger::DuplexChallenger;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::BinomialExtensionField;
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing};
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_koala_bear::{
    Poseidon2KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};
use p3_uni_stark::StarkConfig;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

type E = BinomialExtensionField<F, 4>;
type Packed = <F as Field>::Packing;
type Tree = MerkleTreeMmcs<
    Packed,
    Packed,
    PaddingFreeSponge<Poseidon2KoalaBear<24>, 24, 16, 8>,
    TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>,
    2,
    8,
>;
type Challenger = DuplexChallenger<F, Poseidon2KoalaBear<24>, 24, 16>;
type Pcs = TwoAdicFriPcs<F, Radix2DitParallel<F>, Tree, ExtensionMmcs<F, E, Tree>>;
type Config = StarkConfig<Pcs, E, Challenger>;

fn config() -> Config {
    let hash = PaddingFreeSponge::new(default_koalabear_poseidon2_24());
    let compress = TruncatedPermutation::new(default_koalabear_poseidon2_16());
    let tree = Tree::new(hash, compress, 0);
    let fri = FriParameters::new_benchmark(ExtensionMmcs::new(tree.clone()));
    let pcs = Pcs::new(Radix2DitParallel::default(), tree, fri);
    Config::new(pcs, Challenger::new(default_koalabear_poseidon2_24()))
}

/// Symbols in a run, and runs: rows of the inner product. A run is five blocks, one a limb.
const RUN: usize = 8;
const ROWS: usize = 8;
const BLOCKS: usize = 5;
/// Where the words begin, after the block of zeros, with which the chain starts, too.
const WORDS: Address = 1;

fn run() -> Result<(), Box<dyn Error>> {
    // Who reads what.
    let mut ledger = Ledger::new(1 + ROWS * BLOCKS);
    let messages: Vec<[Address; 1]> =
        (WORDS..).take(ROWS * BLOCKS).map(|address| [address]).collect();
    let digest = ledger.allocate();
    let mut schedule = ScheduleBuilder::new(BLOCKS, Poseidon2Calls16::MESSAGE_BLOCKS);
    schedule.chain(&mut ledger, Ledger::ZERO, messages.iter().map(<[_; 1]>::as_slice), digest);
    ledger.read(digest);
    let calls = Poseidon2Calls16::new(schedule.finish(&mut ledger));
    let zeros = (Ledger::ZERO, Role::Given { readers: ledger.readers(Ledger::ZERO) });
    let public = PublicBlocks::new([zeros, (digest, Role::Claimed)]);

    // Points 3^0, 3^1, … in runs of eight, and random weights for them.
    let points: Vec<F> = F::from_u8(3).powers().take(RUN * ROWS).collect();
    let row = |row: usize| (points[row * RUN], false, WORDS + (row * BLOCKS) as Address);
    let products = InnerProduct::new(Shape {
        vectors: 1,
        multipliers: points[..RUN].to_vec(),
        rows: (0..ROWS).map(row).collect(),
        blocks: vec![(0..BLOCKS as Address).collect()],
    });
    let mut rng = StdRng::seed_from_u64(1);
    let weights = Weights { point: rng.random(), scales: [Symbol::ONE; 2] };

    // The secret symbols: all but the last are random, that one makes the product zero.
    let weight = |x: F| (weights.point - x).inverse() * x;
    let mut symbols: Vec<Symbol> = (1..points.len()).map(|_| rng.random()).collect();
    let sum: Symbol = symbols.iter().zip(&points).map(|(&symbol, &x)| symbol * weight(x)).sum();
    symbols.push(-sum * weight(points[points.len() - 1]).inverse());
    let word = |row: usize, word: usize| {
        let limbs: &[F] = symbols[row * RUN + word % RUN].as_basis_coefficients_slice();
        limbs[word / RUN]
    };
    let mut blocks = vec![[F::ZERO; BLOCK]; ledger.len()];
    for (index, block) in blocks[WORDS as usize..][..ROWS * BLOCKS].iter_mut().enumerate() {
        *block = std::array::from_fn(|v| word(index / BLOCKS, index % BLOCKS * BLOCK + v));
    }
    let inputs = calls.evaluate(&mut blocks);
    let traces =
        [calls.trace(inputs), products.trace(&weights, |_, row, w| word(row, w)), public.trace()];
    let digest = blocks[digest as usize];
    let values = [vec![], weights.public_values(), [[F::ZERO; BLOCK], digest].concat()];

    let tables = [Table::Calls(calls), Table::InnerProduct(products), Table::Public(public)];
    let log_heights: Vec<usize> =
        tables.iter().map(|table| table.height().ilog2() as usize).collect();
    let config = config();
    let data = ProverData::from_airs_and_degrees(&config, &tables, &log_heights)
        .map_err(|error| format!("{error:?}"))?;
    let traces = traces.each_ref();
    let instances = StarkInstance::new_multiple(&tables, &traces, &values);
    let proof = prove_batch(&config, &instances, &data).map_err(|error| format!("{error:?}"))?;
    // p3 reads the heights from the proof; they are the verifier's to say.
    assert_eq!(proof.degree_bits, log_heights);
    verify_batch(&config, &tables, &proof, &values, &data.common)?;
    println!("{} symbols, orthogonal to the weights, digest {digest:?}", symbols.len());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs() {
        super::run().expect("a proof");
    }
}
