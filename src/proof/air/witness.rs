//! The traces of a block: its words and digests, in the order of the tables.

use airda_air::calls::{Poseidon2 as Rounds, Width};
use airda_air::inner_product::Weights;
use airda_gkr::F;
use airda_gkr::permutation::{DIGEST, Digest, Permutation, Poseidon2};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use tracing::{info_span, instrument};

use super::tables::{Tables, run};
use crate::block::Block;
use crate::hash::{ABSENT, Domain};
use crate::relation::Relation;

/// The traces of all tables, in the order they are proved in.
#[instrument(name = "air.trace", skip_all)]
pub(super) fn traces<const T: usize, const P: usize>(
    block: &Block,
    tables: &Tables<T, P>,
    weights: &Weights,
) -> Vec<RowMajorMatrix<F>>
where
    Rounds<T, P>: Width<T, P>,
    Poseidon2<T>: Permutation<T>,
{
    let (params, matrix) = (block.params(), block.matrix());
    let calls = Calls { block, relation: Relation::<T>::new(params) };
    let (chains, nodes) = info_span!("air.inputs").in_scope(|| (calls.chains(), calls.nodes()));
    let (run, runs) = (run(params), params.c() / run(params));
    let word = |row: usize, table_row: usize, word: usize| {
        let (column, symbol) = (table_row / runs, table_row % runs * run + word % run);
        matrix[params.word_offset(row, word / run * params.c() + symbol) + column]
    };
    vec![
        tables.chains.trace(chains),
        tables.nodes.trace(nodes),
        tables.products.trace(weights, word),
        tables.public.trace(),
    ]
}

/// The inputs of a block's calls.
struct Calls<'a, const T: usize> {
    block: &'a Block,
    relation: Relation<T>,
}

impl<const T: usize> Calls<'_, T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// As [`Tables`] schedules the chains.
    fn chains(&self) -> Vec<[F; T]> {
        let (params, words) = (self.block.params(), self.block.words());
        let rate = Poseidon2::<T>::RATE;
        let steps = params.cell_words().div_ceil(rate);
        let cells = params.rows() * params.columns();
        let mut inputs = vec![[F::ZERO; T]; cells * steps];
        let iv = params.iv(Domain::Cell);
        inputs.par_chunks_exact_mut(steps * params.columns()).enumerate().for_each(
            |(row, inputs)| {
                // Neighbouring columns lie side by side in the block's words.
                for step in 0..steps {
                    let range = step * rate..params.cell_words().min((step + 1) * rate);
                    let calls = inputs.iter_mut().skip(step).step_by(steps).enumerate();
                    for (column, input) in calls {
                        let h = match step.checked_sub(1) {
                            None => iv,
                            Some(before) => self.relation.cell_step(words, before, row, column),
                        };
                        input[..DIGEST].copy_from_slice(&h);
                        for (word, place) in range.clone().zip(&mut input[DIGEST..]) {
                            *place = words[params.word_offset(row, word) + column];
                        }
                    }
                }
            },
        );
        let iv = params.iv(Domain::Row);
        for row in 0..params.rows() {
            let digests: Vec<Digest> = (0..params.half())
                .map(|column| self.relation.cell_digest(words, row, column))
                .collect();
            let messages = digests.chunks(rate / DIGEST).enumerate();
            inputs.extend(messages.map(|(step, message)| {
                let before = |before| self.relation.row_step(words, before, row);
                input(&step.checked_sub(1).map_or(iv, before), message)
            }));
        }
        inputs
    }

    /// As [`Tables`] schedules the nodes.
    fn nodes(&self) -> Vec<[F; T]> {
        let (params, words) = (self.block.params(), self.block.words());
        let mut inputs = Vec::with_capacity(params.tree_calls());
        let iv = params.iv(Domain::Node);
        let mut push = |left: Digest, right: Digest| {
            inputs.push(if T == 16 { input(&left, &[right]) } else { input(&iv, &[left, right]) });
        };
        let (mut level, mut len) = (0, params.rows());
        while len > 1 {
            for left in (0..len).step_by(2) {
                for column in 0..params.columns() {
                    let child = |node| self.relation.column_node(words, level, node, column);
                    let right = if left + 1 < len { child(left + 1) } else { ABSENT };
                    push(child(left), right);
                }
            }
            (level, len) = (level + 1, len.div_ceil(2));
        }
        let (mut level, mut len) = (0, params.columns());
        while len > 1 {
            for left in (0..len).step_by(2) {
                let child = |node| self.relation.root_node(words, level, node);
                push(child(left), child(left + 1));
            }
            (level, len) = (level + 1, len / 2);
        }
        inputs
    }
}

/// A call's input: h, and a message filled up with zeros.
fn input<const T: usize>(h: &Digest, message: &[Digest]) -> [F; T] {
    let mut input = [F::ZERO; T];
    input[..DIGEST].copy_from_slice(h);
    for (place, digest) in input[DIGEST..].chunks_exact_mut(DIGEST).zip(message) {
        place.copy_from_slice(digest);
    }
    input
}
