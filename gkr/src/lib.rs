//! GKR over regions of Poseidon2 calls.
//!
//! This crate proves that many calls of one compression function were computed
//! correctly: a call table says where each call's input words come from, a walk
//! through the permutation's rounds reduces all outputs at once to the inputs at one
//! point (a walk for each level, where chaining values are not committed), one linear form
//! collects everything still owed, and one WHIR opening settles it. It knows calls, pieces
//! and sources; what the calls are for is the caller's business.

// All that a build without provers has is reached from bytes that strangers send. Modules that
// verify or decode, and hold nothing but that, say so themselves for other builds.
#![cfg_attr(not(any(feature = "prover", test)), deny(clippy::arithmetic_side_effects))]

pub mod argument;
pub mod batching;
pub mod blake3;
pub mod calls;
#[cfg(all(test, feature = "prover"))]
#[allow(clippy::indexing_slicing, reason = "a message has the element that a test alters")]
mod cheating;
pub mod codec;
pub mod commit;
#[doc(hidden)]
pub mod count;
mod eq;
mod error;
pub mod form;
mod levels;
#[cfg(feature = "prover")]
pub mod memory;
pub mod permutation;
pub mod security;
#[cfg(feature = "prover")]
mod simd;
pub mod sumcheck;
pub mod transcript;
pub mod walk;

pub use error::Reject;
use p3_field::extension::QuinticTrinomialExtensionField;
use p3_koala_bear::KoalaBear;

/// The base field, KoalaBear: p = 2^31 − 2^24 + 1. An element is a *word*.
pub type F = KoalaBear;
/// The challenge field `F[X]/(X^5 + X^2 − 1)`, |E| = 2^154.94.
pub type E = QuinticTrinomialExtensionField<F>;
