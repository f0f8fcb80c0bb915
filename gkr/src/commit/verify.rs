//! The checking side; the numbers are the steps of the [module](super). Serial, unless the
//! feature `parallel` turns on Rayon inside p3.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_sumcheck::PrescribedPointPcs;

use super::{Commitment, Scheme, encoding, guard};
use crate::transcript::VerifierChannel;
use crate::{E, Reject};

impl Scheme {
    /// Receives a root: binds the parameters, reads the root and absorbs it.
    ///
    /// # Errors
    /// [`Reject::Truncated`].
    pub fn receive(&self, channel: &mut VerifierChannel<'_>) -> Result<Commitment, Reject> {
        // 1.
        self.bind(channel);
        let (reader, challenger) = channel.hints_and_challenger();
        let commitment = Commitment { root: encoding::digest(reader)? };
        self.observe(&commitment, challenger);
        Ok(commitment)
    }

    /// Checks an opening at `point`, little-endian, and returns the value it proves. The
    /// channel is of no further use after an error.
    ///
    /// The point must depend on challenges drawn after [`Scheme::receive`].
    ///
    /// # Errors
    /// [`Reject::PointLength`] for a point of another dimension; the decoder's
    /// [`Reject::Truncated`], [`Reject::NonCanonicalWord`] and [`Reject::TooManyDigests`];
    /// [`Reject::Opening`] when WHIR's verifier refuses the proof or panics.
    #[tracing::instrument(name = "whir.verify", skip_all, fields(num_vars = self.num_variables()))]
    pub fn verify(
        &self,
        commitment: &Commitment,
        point: &[E],
        channel: &mut VerifierChannel<'_>,
    ) -> Result<E, Reject> {
        let expected = self.num_variables();
        if point.len() != expected {
            return Err(Reject::PointLength { expected, got: point.len() });
        }
        // 3.
        let (reader, challenger) = channel.hints_and_challenger();
        let proof = self.shape.decode(reader)?;
        let points = [Self::point(point)];
        let cap = commitment.cap();
        let outcome =
            guard::catch(|| self.pcs.verify_at(&cap, &proof, &self.protocol, &points, challenger));
        let evals = match outcome {
            Some(Ok(evals)) => evals,
            Some(Err(error)) => return Err(Reject::Opening(error.to_string())),
            None => return Err(Reject::Opening("the verifier gave up".into())),
        };
        match evals.as_slice() {
            [batch] => batch.current().first().copied(),
            _ => None,
        }
        .ok_or_else(|| Reject::Opening("no value".into()))
    }
}
