//! Steps 1 and 2 on the prover's side: Ω is written out, packed, and summed.

use p3_field::{PackedFieldExtension, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use super::{Equations, LinearForm, Term, combine};
use crate::calls::{CallTable, Layout};
use crate::permutation::{Packed, Permutation, Poseidon2};
use crate::sumcheck::{self, PackedE};
use crate::transcript::Sender;
use crate::{E, F, levels};

/// Reduces all that is owed to one claim about the committed words, at the returned point.
#[instrument(name = "gkr.form.prove", skip_all, fields(num_variables))]
pub(crate) fn prove<const T: usize>(
    table: &CallTable<T>,
    layout: &Layout<'_>,
    claims: &[levels::Claim<T>],
    equations: &Equations<'_>,
    words: &[F],
    num_variables: usize,
    channel: &mut impl Sender,
) -> Vec<E>
where
    Poseidon2<T>: Permutation<T>,
{
    // 1.
    let gamma = channel.draw();
    let form = combine(table, layout, claims, equations, gamma);
    let value = form.value;
    let weights = form.materialise(num_variables);
    // 2. What is left of the claim is settled by the opening.
    sumcheck::prove(words, weights, value, channel).point
}

/// A vector, ready to be added: whole SIMD vectors, or the entries of a short one.
enum Ready {
    Packed(Vec<PackedE>),
    Short(Vec<E>),
}

impl Ready {
    fn new(entries: &[E]) -> Self {
        if entries.len() < Packed::WIDTH {
            Self::Short(entries.to_vec())
        } else {
            Self::Packed(entries.chunks_exact(Packed::WIDTH).map(PackedE::from_ext_slice).collect())
        }
    }
}

impl LinearForm<'_> {
    /// Ω over the hypercube of `num_variables`, packed.
    ///
    /// # Panics
    /// When the hypercube is smaller than a SIMD vector or than what the terms weigh.
    #[instrument(name = "gkr.form.materialise", skip_all, fields(terms = self.terms.len()))]
    pub(crate) fn materialise(mut self, num_variables: usize) -> Vec<PackedE> {
        let log_lanes = Packed::WIDTH.ilog2() as usize;
        assert!(num_variables >= log_lanes);
        let vectors: Vec<Ready> =
            self.vectors.par_iter().map(|vector| Ready::new(&vector.dense())).collect();
        let log_lens: Vec<usize> =
            self.vectors.iter().map(|vector| vector.log_len().max(log_lanes)).collect();
        self.terms.sort_unstable_by_key(|term| term.start);

        // Blocks are aligned to their size, so two of them are nested or disjoint: a run of
        // terms that overlap lies within the largest block among them.
        let mut weights = vec![PackedE::ZERO; 1 << (num_variables - log_lanes)];
        let mut runs: Vec<(usize, &[Term], &mut [PackedE])> = Vec::new();
        let mut rest = weights.as_mut_slice();
        let mut done = 0;
        let mut terms = self.terms.as_slice();
        while let Some(first) = terms.first() {
            let span = |term: &Term| {
                let log_len = log_lens[term.vector];
                let from = term.start >> log_len << log_len;
                (from, from + (1 << log_len))
            };
            let (mut from, mut to) = span(first);
            let mut count = 0;
            while let Some(term) = terms.get(count).filter(|term| term.start < to) {
                from = from.min(span(term).0);
                to = to.max(span(term).1);
                count += 1;
            }
            let (run, later) = terms.split_at(count);
            let (_, after) = rest.split_at_mut(from / Packed::WIDTH - done);
            let (block, after) = after.split_at_mut((to - from) / Packed::WIDTH);
            runs.push((from, run, block));
            (terms, rest, done) = (later, after, to / Packed::WIDTH);
        }
        runs.into_par_iter().for_each(|(from, run, block)| {
            for term in run {
                add_term(term, &vectors[term.vector], term.start - from, block);
            }
        });
        weights
    }
}

/// Adds a term to the weights of its run; `at` counts words from the run's first.
fn add_term(term: &Term, vector: &Ready, at: usize, block: &mut [PackedE]) {
    match vector {
        Ready::Packed(entries) => {
            let coefficient = PackedE::from(term.coefficient);
            let to = &mut block[at / Packed::WIDTH..][..entries.len()];
            for (weight, &entry) in to.iter_mut().zip(entries) {
                *weight += coefficient * entry;
            }
        }
        Ready::Short(entries) => {
            for (j, &entry) in entries.iter().enumerate() {
                let lane = (at + j) % Packed::WIDTH;
                block[at / Packed::WIDTH].add_assign_lane(lane, term.coefficient * entry);
            }
        }
    }
}
