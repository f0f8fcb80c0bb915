#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]

use p3_challenger::CanObserve;
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, TwoAdicField};
use p3_matrix::Matrix;

use super::*;
use crate::buses::{Address, BLOCK, Block, Ledger};
use crate::calls::{Poseidon2Calls16, ScheduleBuilder};
use crate::inner_product::{InnerProduct, LIMBS, Shape, Weights};
use crate::public_blocks::{PublicBlocks, Role};
use crate::{Machine, fri};

const FOLD: usize = 3;
const LANES: usize = 2;
const ROWS: usize = 16;
/// Blocks hashed by the first of two chains; the second hashes the other ones.
const FIRST: usize = 9;

const ZERO: Address = Ledger::ZERO;
const IV: Address = 1;
const WORDS: Address = 2;
const DIGESTS: Address = WORDS + ROWS as Address;
const ROOT: Address = DIGESTS + 2;

fn parameters(target_bits: usize) -> Parameters {
    Parameters {
        regime: SecurityAssumption::JohnsonBound,
        log_inv_rate: 1,
        first: Fold { variables: FOLD, shrink: 2 },
        later: Fold { variables: 2, shrink: 1 },
        target_bits,
    }
}

/// `MultiStarkProof: Clone` asks for its configuration to be.
fn copy(proof: &Proof) -> Proof {
    Proof {
        commitment: proof.commitment.clone(),
        lookup: proof.lookup.clone(),
        indexed: proof.indexed.clone(),
        bus: proof.bus.clone(),
        sumcheck: proof.sumcheck.clone(),
        opening: proof.opening.clone(),
        preprocessed_opening: proof.preprocessed_opening.clone(),
    }
}

/// A codeword's symbols, hashed in two chains whose digests a third call hashes.
struct Example {
    tables: [Table<16, 20>; 3],
    traces: Vec<RowMajorMatrix<F>>,
    public: Vec<Vec<F>>,
}

impl Example {
    /// With `2^log_public` rows of public blocks.
    fn new(log_public: usize) -> Self {
        let points = F::two_adic_generator(ROWS.ilog2() as usize).powers().collect_n(ROWS);
        let row = |row: usize| (points[row], row >= ROWS / 2, WORDS + row as Address);
        let products = InnerProduct::new(Shape {
            vectors: 1,
            multipliers: vec![F::ONE],
            rows: (0..ROWS).map(row).collect(),
            blocks: vec![vec![0]],
        });
        let element = |seed: u32| E::from_basis_coefficients_fn(|d| F::from_u32(seed + d as u32));
        let weights = Weights { point: element(71), scales: [element(5), element(1009)] };
        let mut symbols: Vec<E> = (0..ROWS as u32).map(|row| element(row * row + 3)).collect();
        let weight = |(row, &x): (usize, &F)| {
            (weights.point - x).inverse() * x * weights.scales[row / (ROWS / 2)]
        };
        let each: Vec<E> = points.iter().enumerate().map(weight).collect();
        let rest: E = each.iter().zip(&symbols).skip(1).map(|(&w, &s)| w * s).sum();
        symbols[0] = -rest * each[0].inverse();
        let words =
            products.trace(&weights, |_, row, d| symbols[row].as_basis_coefficients_slice()[d]);

        let mut ledger = Ledger::new(ROOT as usize + 1);
        let mut builder = ScheduleBuilder::new(LANES, 1);
        let addresses: Vec<Address> = (WORDS..DIGESTS).collect();
        builder.chain(&mut ledger, IV, addresses[..FIRST].chunks(1), DIGESTS);
        builder.chain(&mut ledger, IV, addresses[FIRST..].chunks(1), DIGESTS + 1);
        builder.chain(&mut ledger, DIGESTS, [&[DIGESTS + 1][..]], ROOT);
        ledger.read(ROOT);
        let calls = Poseidon2Calls16::new(builder.finish(&mut ledger));
        let given = |address| (address, Role::Given { readers: ledger.readers(address) });
        let public = PublicBlocks::new([given(ZERO), given(IV), (ROOT, Role::Claimed)])
            .with_log_height(log_public);

        let mut blocks = vec![[F::ZERO; BLOCK]; ledger.len()];
        let iv: Block = std::array::from_fn(|i| F::from_usize(i + 1));
        blocks[IV as usize] = iv;
        for (block, symbol) in blocks[WORDS as usize..].iter_mut().zip(&symbols) {
            block[..LIMBS].copy_from_slice(symbol.as_basis_coefficients_slice());
        }
        let inputs = calls.evaluate(&mut blocks);
        let root = blocks[ROOT as usize];

        let traces = vec![calls.trace(inputs), words, public.trace()];
        let public_words =
            vec![vec![], weights.public_values(), [[F::ZERO; BLOCK], iv, root].concat()];
        let tables = [Table::Calls(calls), Table::InnerProduct(products), Table::Public(public)];
        Self { tables, traces, public: public_words }
    }

    fn log_heights(&self) -> Vec<usize> {
        self.traces.iter().map(|trace| trace.height().ilog2() as usize).collect()
    }

    fn system(&self, target_bits: usize) -> Result<System<16, 20>, Error> {
        System::new(self.tables.to_vec(), self.log_heights(), &parameters(target_bits))
    }

    /// The verdict with `verified` on a proof made with `public`.
    fn verdict(&self, public: &[Vec<F>], verified: &[Vec<F>]) -> Result<(), Error> {
        let system = self.system(40).unwrap();
        let proof = system.prove(&self.traces, public, &mut challenger()).unwrap();
        system.verify(&proof, verified, &mut challenger())
    }
}

#[test]
fn the_same_tables_are_proved_over_fri_and_over_whir() {
    let over_fri = Example::new(0);
    let tables = over_fri.tables.iter().map(|table| (table.clone(), table.height())).collect();
    let machine = Machine::new(tables, &fri::Parameters::insecure_for_tests(8, 1)).unwrap();
    let proof = machine.prove(b"", &over_fri.traces, &over_fri.public).unwrap();
    machine.verify(b"", &over_fri.public, &proof).unwrap();

    let over_whir = Example::new(FOLD);
    assert_eq!(over_whir.traces[..2], over_fri.traces[..2]);
    over_whir.verdict(&over_whir.public, &over_whir.public).unwrap();
}

#[test]
fn every_public_value_counts() {
    let example = Example::new(FOLD);
    let system = example.system(40).unwrap();
    let proof = system.prove(&example.traces, &example.public, &mut challenger()).unwrap();
    for (table, values) in example.public.iter().enumerate() {
        for at in 0..values.len() {
            let mut changed = example.public.clone();
            changed[table][at] += F::ONE;
            let verdict = system.verify(&proof, &changed, &mut challenger());
            assert!(matches!(verdict, Err(Error::Rejected(_))), "table {table}, value {at}");
        }
    }
    let mut short = example.public.clone();
    short[1].pop();
    assert!(matches!(system.verify(&proof, &short, &mut challenger()), Err(Error::Shape)));
    assert!(matches!(
        system.verify(&proof, &example.public[..2], &mut challenger()),
        Err(Error::Shape)
    ));
}

#[test]
fn broken_constraints_are_refused() {
    // The prover says the same as the verifier, so only the relation can refuse.
    let example = Example::new(FOLD);
    for at in [0, LIMBS, 3 * LIMBS - 1] {
        let mut public = example.public.clone();
        public[1][at] += F::ONE;
        let verdict = example.verdict(&public, &public);
        assert!(matches!(verdict, Err(Error::Rejected(_))), "scalar {at}");
    }
    // A permutation's state, a weight, running sums, and the public table's only column.
    for (table, row, column) in
        [(0, 0, 60), (0, 15, 60), (1, 3, 2), (1, 0, LIMBS), (1, 15, 2 * LIMBS - 1), (2, 5, 0)]
    {
        let mut wrong = Example::new(FOLD);
        let width = wrong.traces[table].width();
        wrong.traces[table].values[row * width + column] += F::ONE;
        let verdict = wrong.verdict(&wrong.public, &wrong.public);
        assert!(matches!(verdict, Err(Error::Rejected(_))), "table {table}, cell {row}, {column}");
    }
}

/// p3's prover refuses a bus that does not balance, in release builds too.
#[test]
#[should_panic(expected = "fraction GKR input fractions must sum to zero")]
fn an_unbalanced_bus_is_not_proved() {
    let example = Example::new(FOLD);
    let mut public = example.public.clone();
    public[2][3 * BLOCK - 1] += F::ONE;
    let _ = example.verdict(&public, &public);
}

#[test]
fn a_proof_is_of_one_transcript_and_one_schedule() {
    let example = Example::new(FOLD);
    let system = example.system(40).unwrap();
    let proof = system.prove(&example.traces, &example.public, &mut challenger()).unwrap();
    let mut other = challenger();
    other.observe(F::ONE);
    assert!(matches!(system.verify(&proof, &example.public, &mut other), Err(Error::Rejected(_))));

    // The same tables, a block more read.
    let mut tables = example.tables.to_vec();
    tables[2] = Table::Public(
        PublicBlocks::new([
            (ZERO, Role::Claimed),
            (IV, Role::Given { readers: 2 }),
            (ROOT, Role::Claimed),
        ])
        .with_log_height(FOLD),
    );
    let other = System::new(tables, example.log_heights(), &parameters(40)).unwrap();
    let verdict = other.verify(&proof, &example.public, &mut challenger());
    assert!(matches!(verdict, Err(Error::Rejected(_))));
}

#[test]
fn proofs_with_parts_left_out_are_refused() {
    let example = Example::new(FOLD);
    let system = example.system(40).unwrap();
    let proof = system.prove(&example.traces, &example.public, &mut challenger()).unwrap();
    type Damage = fn(&mut Proof);
    let damages: [(&str, Damage); 12] = [
        ("lookup", |proof| proof.lookup = None),
        ("a round", |proof| drop(proof.sumcheck.round_polys.pop())),
        ("all rounds", |proof| proof.sumcheck.round_polys.clear()),
        ("a value of a round", |proof| proof.sumcheck.round_polys[0].truncate(1)),
        ("preprocessed columns", |proof| proof.preprocessed_opening = None),
        ("a table's values", |proof| drop(proof.opening.evals.pop())),
        ("all values", |proof| proof.opening.evals.clear()),
        ("a round of WHIR", |proof| drop(proof.opening.whir.rounds.pop())),
        ("samples", |proof| proof.opening.whir.initial_ood_answers.clear()),
        ("the last polynomial", |proof| proof.opening.whir.final_poly = None),
        ("the other opening", |proof| {
            proof.opening = proof.preprocessed_opening.clone().unwrap();
        }),
        ("a layer", |proof| drop(proof.lookup.as_mut().unwrap().layers.pop())),
    ];
    for (what, damage) in damages {
        let mut damaged = copy(&proof);
        damage(&mut damaged);
        let verdict = system.verify(&damaged, &example.public, &mut challenger());
        assert!(matches!(verdict, Err(Error::Rejected(_))), "{what}");
    }
}

#[test]
fn heights_below_the_fold_are_refused() {
    for log_public in 0..FOLD {
        assert!(matches!(Example::new(log_public).system(40), Err(Error::Shape)));
    }
}

#[test]
fn the_target_is_reached_or_refused() {
    let example = Example::new(FOLD);
    for target in [40, 100] {
        assert!(example.system(target).unwrap().security_bits() >= target as f64);
    }
    let Err(Error::BelowTarget { target, reached }) = example.system(150) else {
        panic!("150 bits of a field of 155 after all its reductions");
    };
    assert!(target == 150 && reached < 150.0);
}
