//! Sumcheck for the inner product of a committed vector with public weights.
//!
//! # Statement
//! `Σ_b f(b)·Ω(b) = σ` over the hypercube of μ variables; f has words of F, Ω elements of E.
//!
//! # Steps
//! For i = μ−1 down to 0, the highest bit first:
//! 1. The prover sends the coefficients of 1 and X² of
//!    `g(X) = Σ_b f(r, X, b)·Ω(r, X, b)`, b the bits below i.
//! 2. Both sides get the coefficient of X from `g(0) + g(1) = σ`.
//! 3. The verifier draws `r_i`; the claim becomes `σ ← g(r_i)`.
//!
//! What remains is `f~(r)·Ω~(r) = σ`, owed by the caller.
//!
//! # Soundness
//! 2/|E| a round.
//!
//! # Cost
//! Prover: one pass over f and Ω for the first message, one that folds both and sums the next
//! message, then geometrically less. Verifier: four products a round. Proof: two elements a
//! round.
//!
//! # Source
//! Lund, Fortnow, Karloff, Nisan (1992); Thaler, *Proofs, Arguments, and Zero-Knowledge*,
//! section 4.1.
//!
//! # Deviations
//! The highest bit goes first: folding then works on whole vectors to the end, and rows that
//! share their low bits stay together.

#[cfg(feature = "prover")]
mod prove;
mod verify;

use p3_field::PrimeCharacteristicRing;
#[cfg(feature = "prover")]
pub(crate) use prove::PackedE;
#[cfg(feature = "prover")]
pub use prove::prove;
pub use verify::verify;

use crate::E;

/// What a sumcheck leaves: `f~(point)·Ω~(point) = sum`.
#[must_use = "the caller owes the check of the claim"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Little-endian: `point[j]` belongs to bit j.
    pub point: Vec<E>,
    /// The product's value.
    pub sum: E,
}

/// A round's polynomial without the coefficient that the claim implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The coefficient of 1.
    pub(crate) constant: E,
    /// The coefficient of X².
    pub(crate) quadratic: E,
}

impl Message {
    /// The message as it travels.
    #[cfg(feature = "prover")]
    pub(crate) const fn pack(self) -> [E; 2] {
        [self.constant, self.quadratic]
    }

    /// The message as it arrives.
    pub(crate) const fn unpack([constant, quadratic]: [E; 2]) -> Self {
        Self { constant, quadratic }
    }

    /// `g(r)`, given `g(0) + g(1) = claim`.
    pub(crate) fn at(&self, claim: E, r: E) -> E {
        let linear = claim - self.constant.double() - self.quadratic;
        self.constant + r * (linear + r * self.quadratic)
    }
}

#[cfg(all(test, feature = "prover"))]
mod tests;
