//! The verifier's rounds.
#![deny(clippy::indexing_slicing, clippy::unwrap_used)]
#![deny(clippy::expect_used, clippy::panic_in_result_fn)]

use super::{Claim, Message};
use crate::transcript::Receiver;
use crate::{E, Reject};

/// Reduces `Σ_b f(b)·Ω(b) = sum` over `num_variables` variables to a claim at one point.
///
/// # Errors
/// [`Reject::Truncated`] or [`Reject::NonCanonicalWord`]; a false sum shows in the claim only.
pub fn verify(
    num_variables: usize,
    mut sum: E,
    channel: &mut impl Receiver,
) -> Result<Claim, Reject> {
    let mut point = Vec::with_capacity(num_variables);
    for _ in 0..num_variables {
        // 1. and 2.
        let message = Message::unpack(channel.recv()?);
        // 3.
        let r = channel.draw();
        sum = message.at(sum, r);
        point.push(r);
    }
    point.reverse();
    Ok(Claim { point, sum })
}
