//! Partial rounds: one cubed column, and the linear form L of the other words.

use p3_field::{Field, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::algebra::{dot, lagrange};
use super::driver::Form;
use super::part::{ChunkTable, ColumnTally, NO_TALLY, Part, Share, totals};
use super::parts::Partial;
use super::rounds::{
    EqTable, Folding, Rounds, elements, elements_mut, factor_of, limbs_of, task_len, weigh_lanes,
};
use super::trace::{Trace, column_rows};
use super::{NODES, POSITIONS, Point};
use crate::permutation::{HALF_FULL_ROUNDS, Permutation, Poseidon2};
use crate::simd::kernels::{
    BLOCK, BLOCK_ROWS, Factor, Limbs, add_rows, combine, cube_sums, fold_form, fold_positions,
    form_sums, prepare, recur,
};
use crate::simd::{ExtRow, Native, Row, Rows, Vector};
use crate::{E, F};

/// L of the partial round at hand, over all rows.
#[derive(Debug)]
pub(super) struct LinearForm {
    /// Five base columns, by block, chunk and position.
    rows: Rows,
    /// L of the all-zero input.
    zero: E,
}

impl LinearForm {
    /// Room for the form over `blocks` blocks.
    pub(super) fn new(blocks: usize) -> Self {
        Self { rows: Rows::zeros(blocks * BLOCK_ROWS * 5), zero: E::ZERO }
    }
}

/// Weighted sums over the outer bits: of the cubes, and of L on the base nodes.
type Sums = (ColumnTally, [ExtRow; POSITIONS]);

const NO_SUMS: Sums = (NO_TALLY, [[Row::ZERO; 5]; POSITIONS]);

impl<const T: usize> Part<'_, T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// Binds the positions at ζ', for the rounds of λ·(γ_0·a³ + L), `root` the cube root of γ_0.
    pub(super) fn partial_fold(
        &mut self,
        round: usize,
        table: ChunkTable,
        share: &Share,
        zeta: E,
        root: E,
    ) -> Rounds<'_> {
        // L is bound divided by 3: its part of coefficient 1 meets 3Σa²d there.
        let (root, third) = (share.root * root, share.weight * F::from_u8(3).inverse());
        let basis = lagrange::<POSITIONS>(zeta);
        let scales: [Limbs; POSITIONS] = basis.map(|weight| limbs_of(&(weight * root)));
        let thirds: [Factor; POSITIONS] = basis.map(|weight| factor_of(&(weight * third)));
        let rest = [root * self.trace.zero_partial(round), self.form.zero * third];
        let trace = &*self.trace;
        let linear = elements(&self.form.rows);
        let folding = Folding {
            chunks: trace.chunks(),
            rest: &rest,
            linear: true,
            fold: |block: usize, rows: &mut [ExtRow]| {
                let (inner, _) = trace.partial(round, block).as_chunks::<POSITIONS>();
                let (linear, _) =
                    linear[block * BLOCK_ROWS..][..BLOCK_ROWS].as_chunks::<POSITIONS>();
                let (rows, _) = rows.as_chunks_mut::<2>();
                for ((inner, linear), [cubed, plain]) in inner.iter().zip(linear).zip(rows) {
                    fold_positions::<Native>(inner, &[], &scales, cubed);
                    fold_form::<Native>(linear, &thirds, plain);
                }
            },
        };
        self.columns.begin(table.into_weighing(), &share.at, &folding)
    }

    /// a and L at the new point, of what the rounds left.
    pub(super) fn partial_ends(
        &self,
        round: usize,
        next: &Point,
        share: &Share,
        root: E,
        bound: &[E],
    ) -> [E; 2] {
        let inner = match (share.root * root).try_inverse() {
            Some(inverse) => bound[0] * inverse,
            None => self.evaluate_partial(round, next),
        };
        // λ is a power of a challenge, and no challenge is zero.
        [inner, bound[1] * F::from_u8(3) * share.weight.inverse()]
    }

    /// Brings L to this round and sums for G(0), …, G(21), in one pass.
    pub(super) fn partial_skip(
        &mut self,
        round: usize,
        table: &ChunkTable,
        at: &Point,
        form: &Form<T>,
        partial: Partial,
    ) -> [E; NODES] {
        let limb_eq = self.block_limbs(table.as_slice());
        let weights_eq = self.block_weights(table, at);
        let trace = &*self.trace;
        let gamma = form.gamma[0];
        let source = Source::new(trace, round, form, partial);

        let blocks = trace.blocks();
        let task = task_len(blocks);
        let (cubes, linear) = elements_mut(&mut self.form.rows)
            .par_chunks_mut(task * BLOCK_ROWS)
            .enumerate()
            .map(|(index, rows)| {
                let mut sums = NO_SUMS;
                let mut further = [[Row::ZERO; BLOCK]; NODES - POSITIONS];
                for (block, rows) in rows.as_chunks_mut::<BLOCK_ROWS>().0.iter_mut().enumerate() {
                    let block = index * task + block;
                    let inner = trace.partial(round, block);
                    source.bring(block, rows);
                    cube_sums::<Native>(
                        inner,
                        trace.partial(round, (block + 1) % trace.blocks()),
                        &weights_eq[block],
                        &mut further,
                        &mut sums.0,
                    );
                    form_sums::<Native>(rows, &limb_eq[block].map(|eq| prepare(&eq)), &mut sums.1);
                }
                sums
            })
            .par_fold_reduce(|| NO_SUMS, add_sums, add_sums);
        self.weights = weights_eq;

        let zero_cube = trace.zero_partial(round).cube();
        let zero = source.zero(self.form.zero);
        self.form.zero = zero;

        // L has degree 7 in Z: its sums at the further nodes follow.
        let rest = self.rest(table);
        let mut message = totals(&cubes);
        let lane_eq = EqTable::new(&at.lanes);
        let linear = linear.map(|row| weigh_lanes(&row, lane_eq.as_slice()) + rest * zero);
        for (node, value) in message.iter_mut().enumerate() {
            let basis = lagrange::<POSITIONS>(E::from_usize(node));
            *value = (*value + rest * zero_cube) * gamma + dot(&basis, &linear);
        }
        message
    }

    /// All words of a partial round at a point, of which the first is known.
    pub(super) fn partial_words(&self, round: usize, at: &Point, inner: E) -> [E; T] {
        let table = ChunkTable::eq(&at.outer);
        let limb_eq = self.block_limbs(table.as_slice());
        let lane_eq = EqTable::new(&at.lanes);
        let basis = at.positions.weights();
        let rest = self.rest(&table);
        let zero = self.trace.zero_partial_words(round);
        let evaluate = |word: usize| {
            let sums = (0..self.trace.blocks())
                .into_par_iter()
                .map(|block| {
                    let rows = column_rows(&self.trace.partial_words(round, block)[word]);
                    std::array::from_fn(|z| {
                        let rows = std::array::from_fn(|chunk| rows[chunk * POSITIONS + z]);
                        let mut sum = [Row::ZERO; 5];
                        fold_positions::<Native>(&rows, &[], &limb_eq[block], &mut sum);
                        sum
                    })
                })
                .par_fold_reduce(|| [[Row::ZERO; 5]; POSITIONS], add_positions, add_positions);
            let sums = sums.iter().zip(&basis);
            let held: E =
                sums.map(|(row, &basis)| basis * weigh_lanes(row, lane_eq.as_slice())).sum();
            held + rest * zero[word]
        };
        std::array::from_fn(|word| if word == 0 { inner } else { evaluate(word) })
    }

    /// The S-box input of a partial round at a point, by the definition.
    fn evaluate_partial(&self, round: usize, at: &Point) -> E {
        let eq = ChunkTable::eq(&at.outer);
        let lane_eq = EqTable::new(&at.lanes);
        let basis = at.positions.weights();
        let mut sum = self.rest(&eq) * self.trace.zero_partial(round);
        for (outer, &eq) in eq.as_slice().iter().enumerate().take(self.trace.chunks()) {
            let rows = &self.trace.partial(round, outer / BLOCK)[outer % BLOCK * POSITIONS..];
            for (row, &basis) in rows.iter().zip(&basis) {
                for (&word, &lane) in row.0.iter().zip(lane_eq.as_slice()) {
                    sum += eq * basis * lane * word;
                }
            }
        }
        sum
    }
}

/// Where a partial round's L comes from.
#[derive(Clone, Copy)]
enum Origin {
    /// The words of the round's outputs: L = Σ_j θ_j·s_j − γ_0·a³, in the first of these layers.
    Outputs,
    /// The layer above: L += η·s_0 − γ_0·a³.
    Above,
    /// The words of the round's inputs: L = Σ_{j≥1} γ_j·s_j.
    Words,
}

/// How a partial round's L is made. What is stored of s has its round constant added.
struct Source<'a, const T: usize> {
    trace: &'a Trace<T>,
    round: usize,
    form: &'a Form<T>,
    origin: Origin,
    /// The form as the origin weighs its words.
    weights: [Limbs; T],
    /// What is added to every row.
    shift: E,
}

impl<'a, const T: usize> Source<'a, T>
where
    Poseidon2<T>: Permutation<T>,
{
    fn new(trace: &'a Trace<T>, round: usize, form: &'a Form<T>, partial: Partial) -> Self {
        let constants = Poseidon2::<T>::constants();
        let above = round + 1;
        let origin = match partial {
            Partial::Columns => Origin::Words,
            Partial::Recurrence if above == Poseidon2::<T>::PARTIAL_ROUNDS => Origin::Outputs,
            Partial::Recurrence => Origin::Above,
        };
        let shift = match origin {
            Origin::Outputs => -dot(&form.above, &constants.terminal[0].map(E::from)),
            Origin::Above => -form.above[0] * constants.partial[above],
            Origin::Words => E::ZERO,
        };
        let weights = match origin {
            Origin::Outputs | Origin::Above => &form.above,
            Origin::Words => &form.gamma,
        };
        let weights = weights.each_ref().map(limbs_of);
        Self { trace, round, form, origin, weights, shift }
    }

    /// Brings a block of L to this round.
    fn bring(&self, block: usize, rows: &mut [ExtRow; BLOCK_ROWS]) {
        let columns = match self.origin {
            Origin::Outputs => Some(self.trace.full(HALF_FULL_ROUNDS, block)),
            Origin::Above => None,
            Origin::Words => Some(self.trace.partial_words(self.round, block)),
        };
        if let Some(columns) = columns {
            rows.fill([Row::ZERO; 5]);
            for (column, weight) in columns.iter().zip(&self.weights).skip(1) {
                combine::<Native>(column_rows(column), weight, rows);
            }
        }
        let above: &[Row] = match (self.origin, columns) {
            (Origin::Words, _) => return,
            (_, Some(columns)) => column_rows(&columns[0]),
            (_, None) => self.trace.partial(self.round + 1, block),
        };
        let step = [self.form.above[0], -self.form.gamma[0], self.shift];
        let step = step.each_ref().map(limbs_of);
        recur::<Native>(rows, above, self.trace.partial(self.round, block), &step);
    }

    /// L of the all-zero input, of the one in the layer above.
    fn zero(&self, above: E) -> E {
        let Form { above: theta, gamma } = self.form;
        let cube = gamma[0] * self.trace.zero_partial(self.round).cube();
        match self.origin {
            Origin::Outputs => {
                let words = self.trace.zero_full(HALF_FULL_ROUNDS).map(E::from);
                dot(theta, &words) + self.shift - cube
            }
            Origin::Above => {
                let inner = self.trace.zero_partial(self.round + 1);
                above + theta[0] * inner + self.shift - cube
            }
            Origin::Words => {
                let words = self.trace.zero_partial_words(self.round).map(E::from);
                dot(&gamma[1..], &words[1..])
            }
        }
    }
}

fn add_sums(mut a: Sums, b: Sums) -> Sums {
    for (a, b) in a.0.as_flattened_mut().iter_mut().zip(b.0.as_flattened()) {
        Native::merge(a, b);
    }
    a.1 = add_positions(a.1, b.1);
    a
}

fn add_positions(mut a: [ExtRow; POSITIONS], b: [ExtRow; POSITIONS]) -> [ExtRow; POSITIONS] {
    add_rows::<Native>(a.as_flattened_mut(), b.as_flattened());
    a
}
