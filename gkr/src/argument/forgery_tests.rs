//! Cheating provers, one for each kind of claim that the linear form combines. All else that
//! the proof shows is true: the claim's own share of the form is all that can tell.

use p3_field::PrimeCharacteristicRing;

use super::tests::{long_table, scheme, trace_of};
use super::*;
use crate::calls::tests::{sample_table, sample_words};
use crate::form::{Equation, Term};
use crate::permutation::DIGEST;
use crate::transcript::ProverChannel;
use crate::walk::Trace;
use crate::{E, F};

/// Proves that `committed` fulfils table and equations, with traces of the prover's choice.
fn outcome<const T: usize>(
    table: &CallTable<T>,
    equations: &Equations<'_>,
    committed: &[F],
    trace: impl Fn(&Level<'_, T>) -> Trace<T>,
) -> Result<(), Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let statement = Statement { table, layout: Layout::whole(table), equations };
    let scheme = scheme(table.num_words());
    let mut channel = ProverChannel::new(b"forgery");
    prove_traced(&statement, &scheme, committed, trace, &mut channel);
    let proof = channel.finish();
    let mut channel = VerifierChannel::new(b"forgery", &proof);
    verify(&statement, &scheme, &mut channel)?;
    channel.finish()
}

fn honest<const T: usize>() -> (CallTable<T>, Vec<F>)
where
    Poseidon2<T>: Permutation<T>,
{
    let table = sample_table::<T>();
    let mut words = sample_words(&table, 5);
    table.evaluate(&mut words);
    (table, words)
}

/// Digests of the last call, which no other call reads: the inputs' claims stay true and y
/// is false. The second changes two words so that their plain sum stays what it was.
fn a_false_y<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    let (table, words) = honest::<T>();
    let last = table.pieces().len() - 1;
    for changes in [&[(3, F::ONE)][..], &[(0, F::ONE), (7, F::NEG_ONE)]] {
        let mut forged = words.clone();
        for &(v, by) in changes {
            forged[table.digest(last, v)] += by;
        }
        let refused = outcome(&table, &Equations::new(), &forged, |level| trace_of(level, &words));
        assert_eq!(refused, Err(Reject::LinearForm));
    }
}

#[test]
fn a_false_digest_shows_in_y_alone() {
    a_false_y::<16>();
    a_false_y::<24>();
}

/// The last call is computed from an input that is not committed, and the digest committed is
/// the one that makes y true: only the claim about that input column is false.
fn a_false_input<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    let (table, words) = honest::<T>();
    let last = table.pieces().len() - 1;
    let child = |v: usize| table.digest(last - 1, v % DIGEST) + v / DIGEST;
    for v in [0, DIGEST - 1, DIGEST, 2 * DIGEST - 1] {
        let mut read = words.clone();
        read[child(v)] += F::ONE;
        let trace = |level: &Level<'_, T>| trace_of(level, &read);
        // What the call gives, less its chaining value, plus the committed one. At width 24 too
        // the sample's chaining value is the left child.
        let mut state: [F; T] = std::array::from_fn(|v| match v / DIGEST {
            0 | 1 => read[child(v)],
            _ => F::from_usize(v),
        });
        Poseidon2::<T>::permute(&mut state);
        let mut forged = words.clone();
        for (u, word) in state.into_iter().enumerate().take(DIGEST) {
            forged[table.digest(last, u)] = word + words[child(u)];
        }
        let refused = outcome(&table, &Equations::new(), &forged, trace);
        assert_eq!(refused, Err(Reject::LinearForm), "column {v}");
    }
}

#[test]
fn a_false_input_shows_in_its_own_claim_alone() {
    a_false_input::<16>();
    a_false_input::<24>();
}

/// Each of several equations, false by one; and two that are false by one and minus one.
#[test]
fn a_false_equation_is_refused_wherever_it_stands() {
    let (table, words) = honest::<16>();
    let weights: Vec<E> = (1..=64).map(E::from_u32).collect();
    let weighed: E = weights.iter().zip(&words[64..]).map(|(&w, &f)| w * f).sum();
    let last = table.num_words() - 1;
    let with = |errors: [E; 4]| {
        let mut equations = Equations::new();
        let vector = equations.vector(&weights);
        let list = [
            (64, vector, weighed),
            (last, Equations::UNIT, words[last].into()),
            (7, Equations::UNIT, words[7].into()),
            (table.digest(1, 0), Equations::UNIT, words[table.digest(1, 0)].into()),
        ];
        for ((start, vector, value), error) in list.into_iter().zip(errors) {
            let term = Term { start, vector, coefficient: E::ONE };
            equations.push(Equation { terms: vec![term], value: value + error });
        }
        outcome(&table, &equations, &words, |level| trace_of(level, &words))
    };
    assert_eq!(with([E::ZERO; 4]), Ok(()));
    for wrong in 0..4 {
        let error = std::array::from_fn(|i| if i == wrong { E::ONE } else { E::ZERO });
        assert_eq!(with(error), Err(Reject::LinearForm), "equation {wrong}");
    }
    assert_eq!(with([E::ZERO, E::ONE, E::NEG_ONE, E::ZERO]), Err(Reject::LinearForm));
}

/// The rows beyond the table hold whole permutations, but not of the zero input: every layer
/// agrees with the next, and the ends' tails do not.
#[test]
fn a_tail_of_another_input_is_refused() {
    let table = long_table();
    let words = tests::words(&table);
    for word in [0, DIGEST, 15] {
        let refused = outcome(&table, &Equations::new(), &words, |level| {
            let mut trace = trace_of(level, &words);
            trace.forge_tail(std::array::from_fn(|v| F::from_bool(v == word)));
            trace
        });
        assert_eq!(refused, Err(Reject::LinearForm), "word {word}");
    }
}
