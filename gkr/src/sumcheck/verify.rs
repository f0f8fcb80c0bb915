//! The verifier's rounds.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use super::{Claim, Message, Order};
use crate::transcript::Receiver;
use crate::{E, Reject};

/// Reduces `Σ_b f(b)·Ω(b) = sum` to a claim at one point.
///
/// # Errors
/// [`Reject::Truncated`] or [`Reject::NonCanonicalWord`]; a false sum shows in the claim only.
pub fn verify(order: Order, mut sum: E, channel: &mut impl Receiver) -> Result<Claim, Reject> {
    let mut challenges = Vec::with_capacity(order.num_variables);
    for _ in 0..order.num_variables {
        // 1. and 2.
        let message = Message::unpack(channel.recv()?);
        // 3.
        let r = channel.draw();
        sum = message.at(sum, r);
        challenges.push(r);
    }
    Ok(Claim { point: order.point(challenges), sum })
}
