//! The prover's side of the rounds.

use super::{Claim, Message, Order};
use crate::E;
use crate::transcript::Sender;

/// The sums of the rounds, in the [`Order`] that both sides have agreed on.
pub trait Rounds {
    /// The polynomial of the next variable.
    fn message(&mut self) -> Message;
    /// Binds that variable.
    fn fix(&mut self, challenge: E);
}

/// Proves `Σ_b f(b)·Ω(b) = sum`, where `rounds` knows f and Ω.
pub fn prove(
    rounds: &mut impl Rounds,
    order: Order,
    mut sum: E,
    channel: &mut impl Sender,
) -> Claim {
    let mut challenges = Vec::with_capacity(order.num_variables);
    for _ in 0..order.num_variables {
        // 1.
        let message = rounds.message();
        channel.send(&message.pack());
        // 2. and 3.
        let r = channel.draw();
        sum = message.at(sum, r);
        rounds.fix(r);
        challenges.push(r);
    }
    Claim { point: order.point(challenges), sum }
}
