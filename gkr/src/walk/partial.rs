//! Partial rounds: one cubed column, and the linear form L of the other words.

use p3_field::{Field, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::algebra::{cube_root, dot, lagrange};
use super::driver::{Form, Layer};
use super::prove::{ColumnTally, NO_TALLY, Prover, totals};
use super::rounds::{EqTable, Folding, elements, elements_mut, limbs_of, task_len, weigh_lanes};
use super::trace::column_rows;
use super::{NODES, POSITIONS, Point};
use crate::permutation::{HALF_FULL_ROUNDS, Permutation, Poseidon2};
use crate::simd::kernels::{
    BLOCK, BLOCK_ROWS, Factor, Limbs, add_rows, combine, cube_sums, fold_form, fold_positions,
    form_sums, prepare, recur,
};
use crate::simd::{ExtRow, Native, Row, Rows, Vector};
use crate::transcript::Sender;
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

impl<C: Sender, const T: usize> Prover<'_, C, T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// Steps 2a to 2c for γ_0·a³ + L.
    pub(super) fn partial_round(
        &mut self,
        layer: Layer,
        at: &Point,
        form: &Form<T>,
    ) -> (Point, [E; 2]) {
        let round = layer.round;
        let eq = EqTable::new(&at.outer);
        // 2a.
        let message = self.partial_skip(round, &eq, at, form);
        self.channel.send(&message);
        let zeta = self.channel.draw();

        // 2b. L is bound divided by 3: its part of coefficient 1 meets 3Σa²d there.
        let root = cube_root(form.gamma);
        let third = F::from_u8(3).inverse();
        let basis = lagrange::<POSITIONS>(zeta);
        let scales: [Limbs; POSITIONS] = basis.map(|weight| limbs_of(&(weight * root)));
        let thirds: [Factor; POSITIONS] = basis.map(|weight| prepare(&limbs_of(&(weight * third))));
        let rest = [root * self.trace.zero_partial(round), self.form.zero * third];
        let trace = self.trace;
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
        let bound = self.columns.run(eq, at, &folding, self.channel);

        // 2c.
        let next = Point { outer: bound.outer, zeta, lanes: bound.lanes };
        let inner = match root.try_inverse() {
            Some(inverse) => bound.ends[0] * inverse,
            None => self.evaluate_partial(round, &next),
        };
        let ends = [inner, bound.ends[1] * F::from_u8(3)];
        self.channel.send(&ends);
        (next, ends)
    }

    /// Brings L to this round and sums for G(0), …, G(21), in one pass.
    fn partial_skip(
        &mut self,
        round: usize,
        eq: &EqTable,
        at: &Point,
        form: &Form<T>,
    ) -> [E; NODES] {
        let limb_eq = self.block_limbs(eq);
        let weights_eq = self.block_weights(eq, at);
        let trace = self.trace;
        let constants = Poseidon2::<T>::constants();
        let is_first = round + 1 == Poseidon2::<T>::PARTIAL_ROUNDS;
        // L = Σ_j θ_j·s_j − γ_0·a³ on the first of these layers, then L += η·s_0 − γ_0·a³;
        // what is stored of s has its round constant added.
        let eta = form.above[0];
        let shift = if is_first {
            let round_constants = constants.terminal[0].map(E::from);
            -dot(&form.above, &round_constants)
        } else {
            -eta * constants.partial[round + 1]
        };
        let step = [limbs_of(&eta), limbs_of(&-form.gamma), limbs_of(&shift)];
        let weights = form.above.map(|weight| limbs_of(&weight));

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
                    let above: &[Row] = if is_first {
                        let columns = trace.full(HALF_FULL_ROUNDS, block);
                        rows.fill([Row::ZERO; 5]);
                        for (column, weight) in columns.iter().zip(&weights).skip(1) {
                            combine::<Native>(column_rows(column), weight, rows);
                        }
                        column_rows(&columns[0])
                    } else {
                        trace.partial(round + 1, block)
                    };
                    recur::<Native>(rows, above, inner, &step);
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
        self.keep_weights(weights_eq);

        let zero_cube = trace.zero_partial(round).cube();
        let mut zero = shift - form.gamma * zero_cube;
        if is_first {
            zero += dot(&form.above, &trace.zero_full(HALF_FULL_ROUNDS).map(E::from));
        } else {
            zero += self.form.zero + eta * trace.zero_partial(round + 1);
        }
        self.form.zero = zero;

        // L has degree 7 in Z: its sums at the further nodes follow.
        let rest = self.rest(eq);
        let mut message = totals(&cubes);
        let lane_eq = EqTable::new(&at.lanes);
        let linear = linear.map(|row| weigh_lanes(&row, lane_eq.as_slice()) + rest * zero);
        for (node, value) in message.iter_mut().enumerate() {
            let basis = lagrange::<POSITIONS>(E::from_usize(node));
            *value = (*value + rest * zero_cube) * form.gamma + dot(&basis, &linear);
        }
        message
    }

    /// The S-box input of a partial round at a point, by the definition.
    fn evaluate_partial(&self, round: usize, at: &Point) -> E {
        let eq = EqTable::new(&at.outer);
        let lane_eq = EqTable::new(&at.lanes);
        let basis = lagrange::<POSITIONS>(at.zeta);
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

fn add_sums(mut a: Sums, b: Sums) -> Sums {
    for (a, b) in a.0.as_flattened_mut().iter_mut().zip(b.0.as_flattened()) {
        Native::merge(a, b);
    }
    add_rows::<Native>(a.1.as_flattened_mut(), b.1.as_flattened());
    a
}
