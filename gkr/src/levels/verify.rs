//! The levels' verifier: plain, serial, scalar.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use tracing::instrument;

use super::{Claim, Fed, Merge, NODES, dot, order};
use crate::calls::Level;
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::transcript::Receiver;
use crate::walk::{self, POSITIONS, Point, lagrange, log_outer};
use crate::{E, Reject, sumcheck};

/// Verifies the walks of all levels; the caller owes what the claims leave.
///
/// # Errors
/// As [`walk::verify`]; [`Reject::Positions`] or [`Reject::Merge`] where the claims about a
/// level's digests do not become one.
#[instrument(name = "gkr.levels.verify", level = "debug", skip_all, fields(levels = levels.len()))]
pub(crate) fn verify<const T: usize>(
    levels: &[Level<'_, T>],
    channel: &mut impl Receiver,
) -> Result<Vec<Claim<T>>, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut claims: Vec<Claim<T>> = Vec::with_capacity(levels.len());
    for (index, level) in levels.iter().enumerate() {
        let claim = match claims.last_mut() {
            // 1.
            None => walk::verify(level.num_calls, channel)?.into(),
            Some(above) => {
                // 2. and 3.
                let (fed, at, digests) = merge(index, level.num_calls, &above.walk, channel)?;
                above.fed = fed;
                // 4.
                let walk = walk::verify_from(level.num_calls, at, channel)?;
                Claim { walk, digests: Some(digests), fed: Fed::default() }
            }
        };
        claims.push(claim);
    }
    Ok(claims)
}

/// Steps 2 and 3, for the level `index`, of `num_calls` calls.
pub(super) fn merge<const T: usize>(
    index: usize,
    num_calls: usize,
    above: &walk::Claim<T>,
    channel: &mut impl Receiver,
) -> Result<(Fed, Point, [E; DIGEST]), Reject> {
    // 2.
    let [outputs] = channel.recv()?;
    let fed = Fed { outputs, inputs: channel.recv()? };
    // 3.
    let merge = Merge::new(above, channel.draw());
    // 3a.
    let message: [E; NODES] = channel.recv()?;
    if message.iter().take(POSITIONS).copied().sum::<E>() != merge.claim(&fed) {
        return Err(Reject::Positions { level: index });
    }
    let zeta = channel.draw();
    let claim = dot(&lagrange::<NODES>(zeta), &message);
    // 3b.
    let bound = sumcheck::verify(order(log_outer(num_calls)), claim, channel)?;
    let at = Point::from_bits(zeta, bound.point.into_iter());
    // 3c.
    let digests = channel.recv()?;
    // 3d.
    if merge.value(&at, &digests) != bound.sum {
        return Err(Reject::Merge { level: index });
    }
    Ok((fed, at, digests))
}
