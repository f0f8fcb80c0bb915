//! Full rounds: t columns, all of them cubed.

use p3_field::{Field, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::algebra::{dot, lagrange};
use super::part::{ChunkTable, ColumnTally, NO_TALLY, Part, totals};
use super::rounds::{EqTable, Folding, Rounds, limbs_of, task_len};
use super::trace::column_rows;
use super::{CHUNK, NODES, POSITIONS, Point};
use crate::E;
use crate::permutation::{Permutation, Poseidon2};
use crate::simd::kernels::{BLOCK, Limbs, cube_sums, fold_positions};
use crate::simd::{ExtRow, Native, Row, Vector};

impl<const T: usize> Part<'_, T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// G(0), …, G(21) of a full round.
    pub(super) fn full_skip(
        &mut self,
        round: usize,
        table: &ChunkTable,
        at: &Point,
        weights: &[E; T],
    ) -> [E; NODES] {
        let mut message = [E::ZERO; NODES];
        for (tallies, &weight) in self.cube_sums(round, table, at).iter().zip(weights) {
            for (value, sum) in message.iter_mut().zip(totals(tallies)) {
                *value += weight * sum;
            }
        }
        let zero = self.trace.zero_full(round).map(|t| E::from(t.cube()));
        let rest = self.rest(table) * dot(weights, &zero);
        message.map(|value| value + rest)
    }

    fn cube_sums(&mut self, round: usize, table: &ChunkTable, at: &Point) -> Vec<ColumnTally> {
        let blocks = self.trace.blocks();
        let weights = self.block_weights(table, at);
        let trace = &*self.trace;
        let task = task_len(blocks);
        let sums = (0..blocks.div_ceil(task))
            .into_par_iter()
            .map(|index| {
                let mut tallies = vec![NO_TALLY; T];
                let mut further = [[Row::ZERO; BLOCK]; NODES - POSITIONS];
                let first = index * task;
                let weights = &weights[first..][..task.min(blocks - first)];
                // One column after the other: its tallies are more than the blocks' weights.
                for (word, tallies) in tallies.iter_mut().enumerate() {
                    for (block, weights) in weights.iter().enumerate() {
                        let block = first + block;
                        let column = column_rows(&trace.full(round, block)[word]);
                        let next = trace.full(round, (block + 1) % blocks);
                        let next = column_rows(&next[word]);
                        cube_sums::<Native>(column, next, weights, &mut further, tallies);
                    }
                }
                tallies
            })
            .par_fold_reduce(Vec::new, add_tallies, add_tallies);
        self.weights = weights;
        sums
    }

    /// Binds the positions at ζ', for the rounds; the columns come multiplied by `roots`.
    pub(super) fn full_fold(
        &mut self,
        round: usize,
        table: ChunkTable,
        at: &Point,
        zeta: E,
        roots: &[E; T],
    ) -> Rounds<'_> {
        let basis = lagrange::<POSITIONS>(zeta);
        let scales: [[Limbs; POSITIONS]; T] =
            roots.map(|root| basis.map(|weight| limbs_of(&(weight * root))));
        let zero = self.trace.zero_full(round);
        let rest: [E; T] = std::array::from_fn(|i| roots[i] * zero[i]);
        let trace = &*self.trace;
        let folding = Folding {
            chunks: trace.chunks(),
            rest: &rest,
            linear: false,
            fold: |block: usize, rows: &mut [ExtRow]| {
                let columns = trace.full(round, block);
                let after = &trace.full(round, (block + 1) % trace.blocks())[0];
                let ahead = columns[1..].iter().chain([after]);
                for (i, ((column, next), scales)) in
                    columns.iter().zip(ahead).zip(&scales).enumerate()
                {
                    let (chunks, _) = column_rows(column).as_chunks::<POSITIONS>();
                    let (next, _) = next.as_chunks::<POSITIONS>();
                    for (chunk, (rows_in, next)) in chunks.iter().zip(next).enumerate() {
                        fold_positions::<Native>(rows_in, next, scales, &mut rows[chunk * T + i]);
                    }
                }
            },
        };
        self.columns.begin(table.into_weighing(), at, &folding)
    }

    /// The columns at the new point, of what the rounds left.
    pub(super) fn full_ends(
        &self,
        round: usize,
        next: &Point,
        roots: &[E; T],
        bound: &[E],
    ) -> [E; T] {
        std::array::from_fn(|i| match roots[i].try_inverse() {
            Some(inverse) => bound[i] * inverse,
            // A weight of zero hides its column; no draw gives one but by rare chance.
            None => self.evaluate(round, i, next),
        })
    }

    /// One column of a full round at a point, by the definition.
    fn evaluate(&self, round: usize, word: usize, at: &Point) -> E {
        let eq = ChunkTable::eq(&at.outer);
        let lane_eq = EqTable::new(&at.lanes);
        let basis = at.positions.weights();
        let held = self.trace.chunks();
        let mut sum = self.rest(&eq) * self.trace.zero_full(round)[word];
        for call in 0..held * CHUNK {
            let (outer, z, lane) = super::point::split(call);
            let weight = eq.as_slice()[outer] * basis[z] * lane_eq.as_slice()[lane];
            sum += weight * self.trace.word(round, word, call);
        }
        sum
    }
}

/// The sum of two lists of tallies, either of which may be empty.
fn add_tallies(mut a: Vec<ColumnTally>, b: Vec<ColumnTally>) -> Vec<ColumnTally> {
    if a.is_empty() {
        return b;
    }
    for (a, b) in
        a.as_flattened_mut().as_flattened_mut().iter_mut().zip(b.as_flattened().as_flattened())
    {
        Native::merge(a, b);
    }
    a
}
