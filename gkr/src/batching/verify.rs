//! The batch's verifier.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use tracing::instrument;

use super::Batch;
use super::claims::{OutputClaims, Terminal};
use super::driver::{Side, Tables, run};
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::transcript::{Channel, Receiver};
use crate::walk::{self, Ends, Point, Shape};
use crate::{E, Reject};

impl Batch<'_> {
    /// Reduces the output claims to terminal claims, which the caller owes a discharge.
    ///
    /// Before this the channel must have absorbed whatever fixes the calls.
    ///
    /// # Errors
    /// [`Reject::OutputClaims`] when there are not as many claims as regions, or not at a point of
    /// the largest one's bits; [`Reject::Skip`] or [`Reject::Gate`] where a layer does not follow
    /// from the one before, [`Reject::Truncated`] or [`Reject::NonCanonicalWord`] where a message
    /// cannot be read.
    #[instrument(name = "gkr.batch.verify", level = "debug", skip_all, fields(strategy = %self.strategy, width = T))]
    pub fn verify<const T: usize>(
        &self,
        outputs: &OutputClaims,
        channel: &mut impl Receiver,
    ) -> Result<Terminal<T>, Reject>
    where
        Poseidon2<T>: Permutation<T>,
    {
        if !outputs.fits(self.regions) {
            return Err(Reject::OutputClaims);
        }
        run(self, outputs, &mut Verifier { channel })
    }
}

struct Verifier<'a, C> {
    channel: &'a mut C,
}

impl<C: Receiver, const T: usize> Side<T> for Verifier<'_, C>
where
    Poseidon2<T>: Permutation<T>,
{
    type Error = Reject;

    fn channel(&mut self) -> &mut impl Channel {
        self.channel
    }

    fn walk(
        &mut self,
        _tables: Tables,
        shape: &Shape<'_>,
        at: Point,
        beta: &[E; DIGEST],
        values: &[E],
    ) -> Result<Ends<T>, Reject> {
        walk::verify_parts(shape, at, beta, values, self.channel)
    }
}
