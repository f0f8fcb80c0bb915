//! What a batch starts from and what it ends with.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use super::Regions;
use crate::permutation::DIGEST;
use crate::transcript::{Channel, Receiver};
use crate::walk::{Point, log_outer};
use crate::{E, Reject};

/// A claim about the outputs of every region: `values[a] = Σ_i w(i)·Σ_v beta[v]·P(in_i)_v` over
/// the rows of region a, w the weights at the prefix of `at` that has the region's outer bits.
/// Rows without a call, up to 2^(7+m), have the all-zero input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputClaims {
    /// ρ, with the outer bits of the largest region.
    pub at: Point,
    /// β.
    pub beta: [E; DIGEST],
    /// One a region.
    pub values: Vec<E>,
}

impl OutputClaims {
    /// Draws ρ and β, for a caller whose transcript fixes the calls already.
    pub fn draw(regions: &Regions, channel: &mut impl Channel) -> (Point, [E; DIGEST]) {
        let at = Point::draw(regions.max_log_outer(), channel);
        (at, std::array::from_fn(|_| channel.draw()))
    }

    /// Receives the values at a drawn point, which the prover says.
    ///
    /// # Errors
    /// [`Reject::Truncated`] or [`Reject::NonCanonicalWord`].
    pub fn receive(regions: &Regions, channel: &mut impl Receiver) -> Result<Self, Reject> {
        let (at, beta) = Self::draw(regions, channel);
        let values = channel.recv_many(regions.len())?;
        Ok(Self { at, beta, values })
    }

    /// Whether the claims are of the regions' shape: there are as many, at a point of the largest
    /// one's bits.
    pub(super) fn fits(&self, regions: &Regions) -> bool {
        self.values.len() == regions.len() && self.at.outer.len() == regions.max_log_outer()
    }
}

/// Which rows an [`InputClaim`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Those of a region.
    Region(usize),
    /// Those of the [stack](super::Stack) of all regions.
    Stack,
}

/// `inputs[v] = Σ_i w(i)·in_i[v]` over some rows, w the weights at `at`; rows without a call
/// have zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputClaim<const T: usize> {
    /// The rows.
    pub rows: Rows,
    /// r.
    pub at: Point,
    /// The input columns at r.
    pub inputs: [E; T],
}

/// What a batch leaves to be checked. It proves nothing before one of the
/// [dischargers](super::discharge) has taken it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "the batch proves nothing until its terminal claims are discharged"]
pub struct Terminal<const T: usize> {
    pub(super) claims: Vec<InputClaim<T>>,
}

impl<const T: usize> Terminal<T> {
    /// The claims, in the order of the regions.
    pub fn claims(&self) -> &[InputClaim<T>] {
        &self.claims
    }

    /// Whether these are claims that a batch over the regions leaves: one about the stack, or one
    /// about every region, in order. A point has the outer bits of its rows, or of the largest
    /// region where all are filled up to its size.
    pub(super) fn fits(&self, regions: &Regions) -> bool {
        if let [InputClaim { rows: Rows::Stack, at, .. }] = self.claims.as_slice() {
            return at.outer.len() == log_outer(regions.stack().rows());
        }
        let largest = regions.max_log_outer();
        let mut regional = self.claims.iter().zip(regions.log_outer()).enumerate();
        self.claims.len() == regions.len()
            && regional.all(|(region, (claim, outer))| {
                let bits = claim.at.outer.len();
                claim.rows == Rows::Region(region) && (bits == outer || bits == largest)
            })
    }
}
