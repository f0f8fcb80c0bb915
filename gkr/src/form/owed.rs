//! What walks leave to be settled: claims about the rows of a level.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use crate::E;
use crate::calls::Level;
use crate::levels;
use crate::permutation::DIGEST;
use crate::walk::Point;

/// A claim about a level's rows, w(i) their weights at the point.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owed<'a, const T: usize> {
    /// `value = Σ_v beta_v·[Σ_i w(i)·(D_v[i] − h_v[i]) + tail·P(0)_v]`, w over the level's rows.
    Outputs {
        level: &'a Level<'a, T>,
        at: &'a Point,
        beta: &'a [E; DIGEST],
        value: E,
        /// `Σ_i w(i)·D_v[i]`, where the digests are not committed.
        known: Option<&'a [E; DIGEST]>,
    },
    /// `inputs[v] = Σ_i w(i)·in_v[i]`, without the chaining values of pieces that are fed.
    Inputs { level: &'a Level<'a, T>, at: &'a Point, inputs: [E; T] },
}

impl<'a, const T: usize> Owed<'a, T> {
    /// What the walks of a table's levels leave.
    pub(crate) fn of_levels(
        levels: &'a [Level<'a, T>],
        claims: &'a [levels::Claim<T>],
    ) -> Vec<Self> {
        let both = |(level, claim): (&'a Level<'a, T>, &'a levels::Claim<T>)| {
            let levels::Claim { walk, digests, fed } = claim;
            let mut inputs = walk.inputs;
            for (input, &fed) in inputs.iter_mut().zip(&fed.inputs) {
                *input -= fed;
            }
            let outputs = Self::Outputs {
                level,
                at: &walk.outputs_at,
                beta: &walk.beta,
                value: walk.y + fed.outputs,
                known: digests.as_ref(),
            };
            [outputs, Self::Inputs { level, at: &walk.inputs_at, inputs }]
        };
        levels.iter().zip(claims).flat_map(both).collect()
    }
}
