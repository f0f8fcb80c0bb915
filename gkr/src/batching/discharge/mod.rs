//! Settling terminal claims: against the input columns themselves, or against a commitment.

mod committed;
mod direct;
#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests;

pub use self::committed::Claims;
pub use self::direct::directly;
