//! Against a commitment.
//!
//! # Statement
//! The [pieces](Grouped) of a call table are the regions. A vector f of words is committed that
//! holds what the [`Layout`] says of the table's words, so that every input column is a short
//! affine sum of blocks of f. A batch's terminal claims are true of these columns; so are, where
//! the digests are committed, the output claims it started from; and f fulfils the caller's
//! equations.
//!
//! Before the batch the channel must have absorbed whatever fixes the regions' calls and f: the
//! commitment's root, [`Grouped::bind`] and [`Equations::bind`], or a shorter description that
//! determines the table, its regions, the code and the equations.
//!
//! # Steps
//! 1. All claims are linear in f: the [linear form](crate::form) combines them by powers of a
//!    challenge and reduces them to `f~(z)·Ω~(z) = sum`.
//! 2. The prover opens `f~(z)`; the verifier computes `Ω~(z)` and checks the product.
//!
//! # Soundness
//! (claims − 1)/|E| and 2/|E| a round, and the opening's; [`Batch::reductions`] counts them.
//!
//! # Cost
//! The linear form's and the opening's.
//!
//! # Source, deviations
//! As the [argument](crate::argument), which does this with one walk.
//!
//! [`Batch::reductions`]: crate::batching::Batch::reductions
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use tracing::instrument;

use crate::batching::{Grouped, OutputClaims, Rows, Terminal};
use crate::calls::Layout;
use crate::commit::{Commitment, Scheme};
use crate::form::{self, Equations, Owed};
use crate::permutation::{Permutation, Poseidon2};
use crate::transcript::VerifierChannel;
use crate::walk::{Point, log_outer};
use crate::{E, Reject};

/// What is to be settled against a commitment.
#[derive(Clone, Copy, Debug)]
pub struct Claims<'a, const T: usize> {
    /// The regions' calls.
    pub grouped: &'a Grouped<'a, T>,
    /// What of the table's words is committed: a layout of the same table.
    pub layout: Layout<'a>,
    /// The output claims, if they are to follow from committed digests; else they are the
    /// caller's to settle.
    pub outputs: Option<&'a OutputClaims>,
    /// What the batch has left.
    pub terminal: &'a Terminal<T>,
    /// Whatever else the committed words must fulfil.
    pub equations: &'a Equations<'a>,
}

impl<'a, const T: usize> Claims<'a, T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// The points of the output claims.
    fn points(&self) -> Vec<Point> {
        let regions = self.grouped.regions().num_calls().iter();
        let at = self.outputs.map(|outputs| &outputs.at);
        at.map(|at| regions.map(|&calls| at.prefix(log_outer(calls))).collect()).unwrap_or_default()
    }

    /// The claims, output claims first. Their order is that of the powers of the challenge.
    fn owed<'s>(&'s self, points: &'s [Point]) -> Vec<Owed<'s, T>> {
        let levels = self.grouped.levels();
        let mut owed = Vec::new();
        if let Some(OutputClaims { beta, values, .. }) = self.outputs {
            for ((level, at), &value) in levels.iter().zip(points).zip(values) {
                owed.push(Owed::Outputs { level, at, beta, value, known: None });
            }
        }
        for claim in self.terminal.claims() {
            let level = match claim.rows {
                Rows::Region(region) => levels.get(region),
                Rows::Stack => Some(self.grouped.stack()),
            };
            if let Some(level) = level {
                owed.push(Owed::Inputs { level, at: &claim.at, inputs: claim.inputs });
            }
        }
        owed
    }

    /// Whether the claims can be settled: they are what a batch over the grouped table's regions
    /// starts from and leaves, and where there are output claims there are digests.
    fn fits(&self) -> bool {
        let regions = self.grouped.regions();
        let one = |outputs: &OutputClaims| outputs.fits(regions) && self.layout.has_digests();
        self.outputs.is_none_or(one) && self.terminal.fits(regions)
    }

    /// Settles the claims by opening the committed words. `words` are the table's, as many as the
    /// layout is of.
    ///
    /// # Panics
    /// When the claims are not of the table's regions, or the output claims are to be settled
    /// without digests.
    #[cfg(feature = "prover")]
    #[instrument(name = "gkr.batch.settle", skip_all)]
    pub fn prove(
        &self,
        scheme: &Scheme,
        words: &[crate::F],
        committed: crate::commit::Committed,
        channel: &mut impl crate::transcript::Sender,
    ) {
        assert!(self.fits(), "the claims are of the table's regions");
        let points = self.points();
        // 1.
        let words = form::Words {
            committed: committed.words(),
            source: self.layout.code().map_or(&[], |_| words.split_at(self.grouped.base()).0),
        };
        let num_variables = scheme.num_variables();
        let owed = self.owed(&points);
        let point = form::prove(&owed, &self.layout, self.equations, words, num_variables, channel);
        // 2.
        let _ = scheme.open(committed, &point, channel);
    }

    /// Checks that the claims are settled against the commitment.
    ///
    /// # Errors
    /// [`Reject::Regions`] when the claims are not of the table's regions, or output claims are to
    /// be settled without digests; [`Reject::NumWords`] when the scheme is one for another number
    /// of words; [`Reject::LinearForm`] and those of the opening.
    #[instrument(name = "gkr.batch.settled", skip_all)]
    pub fn verify(
        &self,
        scheme: &Scheme,
        root: &Commitment,
        channel: &mut VerifierChannel<'_>,
    ) -> Result<(), Reject> {
        if !self.fits() {
            return Err(Reject::Regions);
        }
        if scheme.num_words() != self.layout.num_words() {
            return Err(Reject::NumWords(scheme.num_words()));
        }
        let points = self.points();
        // 1.
        let num_variables = scheme.num_variables();
        let owed = self.owed(&points);
        let claim = form::verify(&owed, &self.layout, self.equations, num_variables, channel)?;
        // 2.
        let value: E = scheme.verify(root, &claim.point, channel)?;
        if claim.weight * value != claim.sum {
            return Err(Reject::LinearForm);
        }
        Ok(())
    }
}
