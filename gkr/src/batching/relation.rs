//! A whole relation: one commitment, one batch, one opening.
//!
//! # Statement
//! A vector of words is committed that holds what the [`Layout`] says of a call table's words,
//! all digests among them. Every digest is the compression of its call's input words, and the
//! caller's equations hold.
//!
//! # Steps
//! 1. Bind the table, its regions, the layout, the equations and the commitment's parameters.
//! 2. Commit.
//! 3. Draw the point of the output claims; the prover sends their values.
//! 4. The [batch](Batch) brings them down to terminal claims.
//! 5. Both are settled against the [commitment](Claims).
//!
//! # Soundness
//! The sum of [`Relation::reductions`], times the list that the commitment leaves open, and the
//! opening's; [`security`](crate::security) adds them up.
//!
//! # Cost
//! The parts'.
//!
//! # Source, deviations
//! As the [argument](crate::argument), which takes all calls of a level as one table.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use tracing::instrument;

use super::discharge::Claims;
use super::{Batch, Grouped, OutputClaims, Outputs, Strategy};
use crate::Reject;
use crate::calls::Layout;
use crate::codec::put_count;
use crate::commit::Scheme;
use crate::form::Equations;
use crate::permutation::{Permutation, Poseidon2};
use crate::security::Reductions;
use crate::transcript::{Channel, VerifierChannel};

/// A call table in regions, and equations on its words.
#[derive(Clone, Copy, Debug)]
pub struct Relation<'a, const T: usize> {
    /// The table's pieces in regions.
    pub grouped: &'a Grouped<'a, T>,
    /// What of the table's words is committed, digests among them: a layout of the same table.
    pub layout: Layout<'a>,
    /// Whatever else the committed words must fulfil.
    pub equations: &'a Equations<'a>,
}

impl<'a, const T: usize> Relation<'a, T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// Its regions by a strategy.
    pub const fn batch(&self, strategy: Strategy) -> Batch<'a> {
        Batch::new(self.grouped.regions(), strategy)
    }

    /// What is drawn between commitment and opening, for [`Report`](crate::security::Report).
    pub fn reductions(&self, strategy: Strategy) -> Reductions {
        self.batch(strategy).reductions::<T>(Outputs::Drawn, self.equations.len())
    }

    /// Step 1, for a caller who takes the others one by one: absorbs the relation whole. What a
    /// code of the layout is must have been absorbed before; its shape is absorbed here.
    pub fn bind(&self, scheme: &Scheme, channel: &mut impl Channel) {
        self.grouped.bind(channel);
        let code = self.layout.code();
        let mut bytes = b"airda gkr, relation".to_vec();
        for count in [
            self.layout.base(),
            self.layout.num_words(),
            code.map_or(0, |code| code.log_column()),
            code.map_or(0, |code| code.log_columns()),
        ] {
            put_count(&mut bytes, count);
        }
        channel.bind_bytes(&bytes);
        self.equations.bind(channel);
        scheme.bind(channel);
    }

    fn claims<'s>(
        &'s self,
        outputs: &'s OutputClaims,
        terminal: &'s super::Terminal<T>,
    ) -> Claims<'s, T> {
        let Self { grouped, layout, equations } = *self;
        Claims { grouped, layout, outputs: Some(outputs), terminal, equations }
    }

    /// Proves the relation of the table's words: source words and all digests.
    ///
    /// False words give a proof that does not verify.
    ///
    /// # Panics
    /// When the words are not as many as the table's, the scheme is one for another number of
    /// words than the layout's, or the layout has no digests.
    #[cfg(feature = "prover")]
    #[instrument(name = "gkr.relation.prove", skip_all, fields(%strategy))]
    pub fn prove(
        &self,
        strategy: Strategy,
        scheme: &Scheme,
        words: &[crate::F],
        channel: &mut (impl crate::transcript::Sender + Send),
    ) {
        let inputs = self.grouped.inputs(words);
        // 1.
        self.bind(scheme, channel);
        // 2.
        let committed = scheme.commit(self.layout.gather(words), channel);
        // 3.
        let outputs = OutputClaims::send(self.grouped.regions(), &inputs, channel);
        // 4.
        let terminal = self.batch(strategy).prove(&inputs, &outputs, channel);
        // 5.
        self.claims(&outputs, &terminal).prove(scheme, words, committed, channel);
    }

    /// Checks a proof of the relation; the channel is the caller's to finish.
    ///
    /// # Errors
    /// [`Reject::NumWords`] when the scheme is one for another number of words than the layout's;
    /// [`Reject::Regions`] when the layout has no digests; else those of
    /// [`OutputClaims::receive`], [`Batch::verify`] and [`Claims::verify`].
    #[instrument(name = "gkr.relation.verify", skip_all, fields(%strategy))]
    pub fn verify(
        &self,
        strategy: Strategy,
        scheme: &Scheme,
        channel: &mut VerifierChannel<'_>,
    ) -> Result<(), Reject> {
        // 1.
        self.bind(scheme, channel);
        // 2.
        let root = scheme.receive(channel)?;
        // 3.
        let outputs = OutputClaims::receive(self.grouped.regions(), channel)?;
        // 4.
        let terminal = self.batch(strategy).verify(&outputs, channel)?;
        // 5.
        self.claims(&outputs, &terminal).verify(scheme, &root, channel)
    }
}
