use p3_field::{BasedVectorSpace, PackedFieldExtension, PackedValue, PrimeCharacteristicRing};
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::calls::tests::{sample_table, sample_words};
use crate::calls::{CallTable, Layout};
use crate::permutation::{DIGEST, Packed, Permutation, Poseidon2};
use crate::transcript::{ProverChannel, VerifierChannel};
use crate::{F, Reject, walk};

fn random(rng: &mut StdRng) -> E {
    E::from_basis_coefficients_fn(|_| rng.random::<F>())
}

fn point(num_calls: usize, rng: &mut StdRng) -> walk::Point {
    let chunks = num_calls.div_ceil(128).next_power_of_two();
    walk::Point {
        outer: (0..chunks.ilog2()).map(|_| random(rng)).collect(),
        zeta: random(rng),
        lanes: std::array::from_fn(|_| random(rng)),
    }
}

/// The weight of row i, by the definition.
fn weight(point: &walk::Point, i: usize) -> E {
    let bit = |r: E, set: bool| if set { r } else { E::ONE - r };
    let outer: E =
        point.outer.iter().enumerate().map(|(j, &r)| bit(r, i >> (7 + j) & 1 == 1)).product();
    let lanes: E = point.lanes.iter().enumerate().map(|(j, &r)| bit(r, i >> j & 1 == 1)).product();
    let z = i >> 4 & 7;
    let lambda: E = (0..8usize)
        .filter(|&other| other != z)
        .map(|other| {
            let (node, other) = (F::from_usize(z), F::from_usize(other));
            (point.zeta - other) * p3_field::Field::inverse(&(node - other))
        })
        .product();
    outer * lambda * lanes
}

/// A true claim of the walk about the table's rows, summed one by one.
fn true_claim<const T: usize>(table: &CallTable<T>, words: &[F], seed: u64) -> walk::Claim<T>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut rng = StdRng::seed_from_u64(seed);
    let [outputs_at, inputs_at] = [(); 2].map(|()| point(table.num_calls(), &mut rng));
    let beta: [E; DIGEST] = std::array::from_fn(|_| random(&mut rng));
    let (mut y, mut inputs) = (E::ZERO, [E::ZERO; T]);
    for chunk in 0..1usize << outputs_at.outer.len() {
        let mut columns = [[F::ZERO; 128]; T];
        table.fill_inputs(words, chunk, &mut columns);
        for lane in 0..128 {
            let mut state: [F; T] = std::array::from_fn(|v| columns[v][lane]);
            let i = chunk * 128 + lane;
            for v in 0..T {
                inputs[v] += weight(&inputs_at, i) * state[v];
            }
            Poseidon2::<T>::permute(&mut state);
            let output: E = beta.iter().zip(state).map(|(&b, word)| b * word).sum();
            y += weight(&outputs_at, i) * output;
        }
    }
    walk::Claim { outputs_at, beta, y, inputs_at, inputs }
}

/// Equations that hold: a word, and an inner product with a given vector.
fn equations<'a>(words: &[F], given: &'a [E]) -> Equations<'a> {
    let mut equations = Equations::new();
    let vector = equations.vector(given);
    let term = |start, vector| Term { start, vector, coefficient: E::TWO };
    equations.push(Equation {
        terms: vec![term(128, vector), term(17, Equations::UNIT)],
        value: (given.iter().zip(&words[128..]).map(|(&w, &f)| w * f).sum::<E>() + words[17])
            .double(),
    });
    equations.push(Equation { terms: vec![term(5, 0)], value: E::TWO * words[5] });
    equations
}

fn num_variables<const T: usize>(table: &CallTable<T>) -> usize {
    table.num_words().next_power_of_two().ilog2() as usize
}

fn unpack(weights: &[crate::sumcheck::PackedE]) -> Vec<E> {
    weights.iter().flat_map(|w| (0..Packed::WIDTH).map(|lane| w.extract(lane))).collect()
}

fn check<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    let table = sample_table::<T>();
    let mut words = sample_words(&table, 3);
    table.evaluate(&mut words);
    let claim = true_claim(&table, &words, 4);
    let mut rng = StdRng::seed_from_u64(5);
    let given: Vec<E> = (0..64).map(|_| random(&mut rng)).collect();
    let equations = equations(&words, &given);
    let num_variables = num_variables(&table);

    // The form has its value, and its extension is that of its entries.
    let form = combine(
        &table,
        &Layout::whole(&table),
        &[claim.clone().into()],
        &equations,
        random(&mut rng),
    );
    let weights = unpack(&form.clone().materialise(num_variables));
    let sum: E = words.iter().zip(&weights).map(|(&f, &w)| w * f).sum();
    assert_eq!(sum, form.value);
    let z: Vec<E> = (0..num_variables).map(|_| random(&mut rng)).collect();
    let eq = eq_table(&z);
    let expected: E = eq.iter().zip(&weights).map(|(&eq, &w)| eq * w).sum();
    assert_eq!(form.extension(&z), expected);

    // Both sides end on one claim, which is true.
    let mut channel = ProverChannel::new(b"form");
    let point = prove(
        &table,
        &Layout::whole(&table),
        &[claim.clone().into()],
        &equations,
        &words,
        num_variables,
        &mut channel,
    );
    let proof = channel.finish();
    let verified = |claim: &walk::Claim<T>, equations: &Equations<'_>| {
        let mut channel = VerifierChannel::new(b"form", &proof);
        let owed = verify(
            &table,
            &Layout::whole(&table),
            &[claim.clone().into()],
            equations,
            num_variables,
            &mut channel,
        )
        .unwrap();
        let opened: E = eq_table(&owed.point).iter().zip(&words).map(|(&eq, &f)| eq * f).sum();
        (owed.point, opened * owed.weight == owed.sum)
    };
    assert_eq!(verified(&claim, &equations), (point, true));

    // A false claim of any kind stays false.
    let mut forged = claim.clone();
    forged.y += E::ONE;
    assert!(!verified(&forged, &equations).1);
    for v in 0..T {
        let mut forged = claim.clone();
        forged.inputs[v] += E::ONE;
        assert!(!verified(&forged, &equations).1);
    }
    for v in 0..DIGEST {
        let mut forged = claim.clone();
        forged.beta[v] += E::ONE;
        assert!(!verified(&forged, &equations).1);
    }
    let mut forged = Equations::new();
    forged.push(Equation {
        terms: vec![Term { start: 5, vector: Equations::UNIT, coefficient: E::ONE }],
        value: E::ONE + words[5],
    });
    assert!(!verified(&claim, &forged).1);
}

#[test]
fn the_form_equals_its_definition_at_width_16() {
    check::<16>();
}

#[test]
fn the_form_equals_its_definition_at_width_24() {
    check::<24>();
}

/// A digest word that disagrees with its call, or a source word changed after hashing, breaks
/// the form for the walk's true claim about the altered inputs.
#[test]
fn a_wrong_digest_breaks_the_form() {
    let table = sample_table::<16>();
    let mut words = sample_words(&table, 3);
    table.evaluate(&mut words);
    let mut rng = StdRng::seed_from_u64(6);
    // The first digest, one in a chain, the last one.
    for at in [table.digest(0, 0), table.digest(3, 2) + 5, table.num_words() - 1] {
        let mut words = words.clone();
        words[at] += F::ONE;
        // The walk speaks of the permutation of the inputs as they are.
        let claim = true_claim(&table, &words, 7);
        let equations = Equations::new();
        let form = combine(
            &table,
            &Layout::whole(&table),
            &[claim.clone().into()],
            &equations,
            random(&mut rng),
        );
        let weights = unpack(&form.clone().materialise(num_variables(&table)));
        let sum: E = words.iter().zip(&weights).map(|(&f, &w)| w * f).sum();
        assert_ne!(sum, form.value, "word {at}");
    }
}

/// A form without equations, proved.
struct Proved<const T: usize> {
    table: CallTable<T>,
    words: Vec<F>,
    claim: walk::Claim<T>,
    proof: Vec<u8>,
}

fn proved<const T: usize>() -> Proved<T>
where
    Poseidon2<T>: Permutation<T>,
{
    let table = sample_table::<T>();
    let mut words = sample_words(&table, 3);
    table.evaluate(&mut words);
    let claim = true_claim(&table, &words, 4);
    let mut channel = ProverChannel::new(b"form");
    let equations = Equations::new();
    prove(
        &table,
        &Layout::whole(&table),
        &[claim.clone().into()],
        &equations,
        &words,
        num_variables(&table),
        &mut channel,
    );
    Proved { table, words, claim, proof: channel.finish() }
}

/// A change here is a change of the protocol: raise the argument's version.
#[test]
fn the_bytes_are_pinned() {
    let digest: [u8; 32] = Keccak256Hash.hash_iter(proved::<16>().proof);
    assert_eq!(digest[..8], [13, 118, 141, 152, 16, 204, 225, 212]);
}

#[test]
fn every_truncation_is_refused() {
    let Proved { table, claim, proof, .. } = proved::<24>();
    let (equations, num_variables) = (Equations::new(), num_variables(&table));
    for len in 0..proof.len() {
        let mut channel = VerifierChannel::new(b"form", &proof[..len]);
        let refused = verify(
            &table,
            &Layout::whole(&table),
            &[claim.clone().into()],
            &equations,
            num_variables,
            &mut channel,
        );
        assert_eq!(refused, Err(Reject::Truncated));
    }
}

/// Altered words, all over the messages: a false claim, or no word at all.
#[test]
fn altered_messages_leave_a_false_claim() {
    let Proved { table, words, claim, proof } = proved::<16>();
    let (equations, num_variables) = (Equations::new(), num_variables(&table));
    for at in 0..proof.len() {
        let mut forged = proof.clone();
        forged[at] ^= 1 << (at % 8);
        let mut channel = VerifierChannel::new(b"form", &forged);
        match verify(
            &table,
            &Layout::whole(&table),
            &[claim.clone().into()],
            &equations,
            num_variables,
            &mut channel,
        ) {
            Ok(owed) => {
                let eq = eq_table(&owed.point);
                let opened: E = eq.iter().zip(&words).map(|(&eq, &f)| eq * f).sum();
                assert_ne!(opened * owed.weight, owed.sum, "byte {at}");
            }
            Err(refused) => assert_eq!(refused, Reject::NonCanonicalWord, "byte {at}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Terms of all lengths, one over the other, written out and evaluated by the definition.
    #[test]
    fn written_out_and_evaluated_forms_agree(
        terms in prop::collection::vec((0..4_usize, any::<u16>(), any::<u32>()), 0..40),
        seed: u64,
    ) {
        const NUM_VARIABLES: usize = 9;
        let mut rng = StdRng::seed_from_u64(seed);
        let given: Vec<Vec<E>> =
            [2, 16, 64].map(|len| (0..len).map(|_| random(&mut rng)).collect()).to_vec();
        let mut vectors = vec![Vector::Unit];
        vectors.extend(given.iter().map(|entries| Vector::Given(entries)));
        let terms: Vec<Term> = terms
            .into_iter()
            .map(|(vector, start, coefficient)| {
                let len = 1 << vectors[vector].log_len();
                let start = usize::from(start) % (1 << NUM_VARIABLES) / len * len;
                Term { start, vector, coefficient: E::from_u32(coefficient) }
            })
            .collect();
        let mut expected = vec![E::ZERO; 1 << NUM_VARIABLES];
        for term in &terms {
            for (to, entry) in expected[term.start..].iter_mut().zip(vectors[term.vector].dense()) {
                *to += term.coefficient * entry;
            }
        }
        let form = LinearForm { vectors, terms, value: E::ZERO };
        prop_assert_eq!(&unpack(&form.clone().materialise(NUM_VARIABLES)), &expected);
        let z: Vec<E> = (0..NUM_VARIABLES).map(|_| random(&mut rng)).collect();
        let sum: E = eq_table(&z).iter().zip(&expected).map(|(&eq, &w)| eq * w).sum();
        prop_assert_eq!(form.extension(&z), sum);
    }
}
