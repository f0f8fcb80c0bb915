//! Steps 1 and 2 on the prover's side.

use tracing::{debug_span, instrument};

use super::blocks::Blocks;
use super::combine::combine;
use super::owed::Owed;
use super::plan::Plan;
use super::{Equations, LinearForm, order};
use crate::calls::Layout;
use crate::permutation::{Permutation, Poseidon2};
use crate::sumcheck::{self, Order};
use crate::transcript::Sender;
use crate::{E, F};

/// The prover's words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    /// The committed ones, zero beyond their end.
    pub(crate) committed: &'a [F],
    /// The codewords that coded terms weigh, each of 2k words, in the order of their messages,
    /// which come first among the committed words.
    pub(crate) source: &'a [F],
}

/// Reduces all that is owed to one claim about the committed words, at the returned point.
#[instrument(name = "gkr.form.prove", skip_all, fields(num_variables))]
pub(crate) fn prove<const T: usize>(
    owed: &[Owed<'_, T>],
    layout: &Layout<'_>,
    equations: &Equations<'_>,
    words: Words<'_>,
    num_variables: usize,
    channel: &mut impl Sender,
) -> Vec<E>
where
    Poseidon2<T>: Permutation<T>,
{
    // 1.
    let gamma = channel.draw();
    let form = debug_span!("gkr.form.combine").in_scope(|| combine(owed, layout, equations, gamma));
    // 2. What is left of the claim is settled by the opening.
    let order = order(&form.vectors, num_variables);
    form.prove(order, words, channel).point
}

impl LinearForm<'_> {
    /// Step 2 in a given order.
    ///
    /// # Panics
    /// When words or terms lie beyond the order's variables, a vector is longer than a block,
    /// or a codeword lies beyond the source words.
    pub(super) fn prove(
        &self,
        order: Order,
        words: Words<'_>,
        channel: &mut impl Sender,
    ) -> sumcheck::Claim {
        let Words { committed, source } = words;
        let log_block = order.log_block();
        let plan = debug_span!("gkr.form.plan").in_scope(|| Plan::new(self, log_block));
        let mut blocks = Blocks::new(plan, order.num_variables() - log_block, committed, source);
        let _rounds = debug_span!("gkr.form.rounds").entered();
        sumcheck::prove(&mut blocks, order, self.value, channel)
    }
}
