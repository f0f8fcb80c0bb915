//! The merge's verifier.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;
use tracing::instrument;

use super::{NODES, RowClaim, bind, combined, fit, merged, point};
use crate::batching::{OutputClaims, Regions};
use crate::permutation::DIGEST;
use crate::sumcheck::Message;
use crate::transcript::Receiver;
use crate::walk::{LOG_LANES, POSITIONS, lagrange, log_outer};
use crate::{E, Reject};

/// Reduces claims about outputs to claims at one point, which a [`Batch`](super::super::Batch)
/// starts from.
///
/// # Errors
/// [`Reject::OutputClaims`] when there is no claim, or one that is not of its region's shape;
/// [`Reject::MergedOutputs`] where the messages do not follow from the claims;
/// [`Reject::Truncated`] or [`Reject::NonCanonicalWord`] where one cannot be read.
#[instrument(name = "gkr.batch.merged", level = "debug", skip_all, fields(claims = claims.len()))]
pub fn verify(
    regions: &Regions,
    claims: &[RowClaim<'_>],
    channel: &mut impl Receiver,
) -> Result<OutputClaims, Reject> {
    if !fit(regions, claims) {
        return Err(Reject::OutputClaims);
    }
    // 1.
    let kappa = bind(regions, claims, channel);
    // 2.
    let message: [E; NODES] = channel.recv()?;
    if message.iter().take(POSITIONS).copied().sum::<E>() != combined(claims, kappa) {
        return Err(Reject::MergedOutputs);
    }
    let zeta = channel.draw();
    let basis: [E; NODES] = lagrange(zeta);
    let mut claim: E = basis.iter().zip(message).map(|(&b, m)| b * m).sum();
    // 3.
    let mut round = || -> Result<E, Reject> {
        let message = Message::unpack(channel.recv()?);
        let r = channel.draw();
        claim = message.at(claim, r);
        Ok(r)
    };
    let outer = (0..regions.max_log_outer()).map(|_| round()).collect::<Result<Vec<E>, _>>()?;
    let mut lanes = [E::ZERO; LOG_LANES];
    for lane in &mut lanes {
        *lane = round()?;
    }
    let at = point(zeta, outer, lanes);
    // 4.
    let outputs: Vec<[E; DIGEST]> =
        (0..regions.len()).map(|_| channel.recv()).collect::<Result<_, _>>()?;
    // 5.
    let mut sum = E::ZERO;
    for (RowClaim { region, weights, beta, .. }, kappa) in claims.iter().zip(kappa.powers()) {
        let outer = regions.num_calls().get(*region).map_or(0, |&calls| log_outer(calls));
        let selector: E = at.outer.iter().skip(outer).map(|&r| E::ONE - r).product();
        let outputs = outputs.get(*region).into_iter().flatten();
        let value: E = beta.iter().zip(outputs).map(|(&b, &d)| b * d).sum();
        sum += kappa * selector * weights.extension(&at.prefix(outer)) * value;
    }
    if sum != claim {
        return Err(Reject::MergedOutputs);
    }
    // 6.
    Ok(merged(at, &outputs, channel))
}
