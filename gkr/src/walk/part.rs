//! One part of a walk: its trace, and its weights in a layer.

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::partial::LinearForm;
use super::parts::ChunkWeights;
use super::rounds::{Columns, EqTable, Weighing, factor_of, limbs_of};
use super::trace::Trace;
use super::{NODES, Point};
use crate::permutation::{Permutation, Poseidon2};
use crate::simd::kernels::{BLOCK, Limbs, NodeTally, Weights, chunk_weights};
use crate::simd::{Native, Row, Vector};
use crate::{E, F};

/// One part's trace, and places for what a layer makes of it.
pub(super) struct Part<'a, const T: usize> {
    pub(super) trace: &'a mut Trace<T>,
    pub(super) columns: Columns,
    pub(super) form: LinearForm,
    /// The rows' weights in the layer at hand, kept as a place for those of the next.
    pub(super) weights: Vec<[Weights<Native>; BLOCK]>,
    /// The first layer's skip message, where y was computed from it.
    pub(super) first_skip: Option<[E; NODES]>,
}

/// The chunks' weights in a layer's claim.
#[derive(Debug)]
pub(super) struct ChunkTable {
    weights: Vec<E>,
    /// What all chunks weigh together.
    total: E,
    own: bool,
}

impl ChunkTable {
    /// eq over the outer bits.
    pub(super) fn eq(outer: &[E]) -> Self {
        Self { weights: EqTable::new(outer).into_entries(), total: E::ONE, own: false }
    }

    /// The weights of a stack of 2^`log_len` chunks.
    pub(super) fn own(weights: &ChunkWeights, log_len: usize) -> Self {
        let weights = weights.table(1 << log_len);
        let total = weights.iter().copied().sum();
        Self { weights, total, own: true }
    }

    pub(super) fn as_slice(&self) -> &[E] {
        &self.weights
    }

    /// The weight of all chunks but the first `held`.
    pub(super) fn rest(&self, held: usize) -> E {
        self.total - self.weights.iter().take(held).copied().sum::<E>()
    }

    pub(super) fn into_weighing(self) -> Weighing {
        if self.own {
            Weighing::Own(self.weights)
        } else {
            Weighing::Eq(EqTable::from_entries(self.weights))
        }
    }
}

/// A part's point and weight in the layer at hand.
pub(super) struct Share {
    /// The outer bits that the part has.
    pub(super) at: Point,
    /// λ, and its cube root.
    pub(super) weight: E,
    pub(super) root: E,
}

impl<'a, const T: usize> Part<'a, T>
where
    Poseidon2<T>: Permutation<T>,
{
    pub(super) fn new(trace: &'a mut Trace<T>) -> Self {
        Self {
            columns: Columns::new(trace.chunks(), T),
            form: LinearForm::new(trace.blocks()),
            trace,
            weights: Vec::new(),
            first_skip: None,
        }
    }

    /// The weight of all chunks that the trace does not hold.
    pub(super) fn rest(&self, table: &ChunkTable) -> E {
        table.rest(self.trace.chunks())
    }

    /// The weights of all rows but for their positions, chunk by chunk in blocks; zero for chunks
    /// beyond the table. To be put back into `weights`.
    pub(super) fn block_weights(
        &mut self,
        table: &ChunkTable,
        at: &Point,
    ) -> Vec<[Weights<Native>; BLOCK]> {
        let lane_eq = EqTable::new(&at.lanes);
        let mut lanes = [Row::ZERO; 5];
        for (lane, weight) in lane_eq.as_slice().iter().enumerate() {
            for (row, limb) in lanes.iter_mut().zip(limbs_of(weight)) {
                row.0[lane] = limb;
            }
        }
        let none: Weights<Native> = [Native::splat_split(F::ZERO); 5];
        let mut blocks = std::mem::take(&mut self.weights);
        blocks.resize(self.trace.blocks(), [none; BLOCK]);
        let weights = blocks.as_flattened_mut();
        weights.par_iter_mut().zip(table.as_slice().par_iter()).for_each(|(to, eq)| {
            *to = chunk_weights::<Native>(&lanes, &factor_of(eq));
        });
        blocks
    }

    /// The table's limbs block by block, zero for chunks beyond the table.
    pub(super) fn block_limbs(&self, table: &[E]) -> Vec<[Limbs; BLOCK]> {
        let mut blocks = vec![[[F::ZERO; 5]; BLOCK]; self.trace.blocks()];
        for (to, eq) in blocks.as_flattened_mut().iter_mut().zip(table) {
            *to = limbs_of(eq);
        }
        blocks
    }

    /// G(0), …, G(21) of a full round.
    pub(super) fn skip(
        &mut self,
        round: usize,
        table: &ChunkTable,
        at: &Point,
        weights: &[E; T],
    ) -> [E; NODES] {
        match self.first_skip.take() {
            Some(message) => message,
            None => self.full_skip(round, table, at, weights),
        }
    }
}

/// Per node, what the cubes of a column add up to.
pub(super) type ColumnTally = [NodeTally<Native>; NODES];

pub(super) const NO_TALLY: ColumnTally = [[Native::NO_TALLY; 5]; NODES];

/// The elements that the tallies of a column stand for.
pub(super) fn totals(tallies: &ColumnTally) -> [E; NODES] {
    tallies.each_ref().map(|tally| {
        let limbs = tally.each_ref().map(Native::total);
        E::from_basis_coefficients_fn(|limb| limbs[limb])
    })
}
