//! Sumcheck for the inner product of a committed vector with public weights.
//!
//! # Statement
//! `Σ_b f(b)·Ω(b) = σ` over the hypercube of μ variables; f has words of F, Ω elements of E.
//! The words come in *blocks* of 2^L: bits L.. of b say which block, the lower bits where in it.
//!
//! # Steps
//! For every bit i in the [`Order`], first the block bits from the lowest up, then the bits
//! inside a block from the highest down:
//! 1. The prover sends the coefficients of 1 and X² of `g(X) = Σ f·Ω`, bit i set to X, the
//!    sum over the bits that are not bound yet.
//! 2. Both sides get the coefficient of X from `g(0) + g(1) = σ`.
//! 3. The verifier draws `r_i`; the claim becomes `σ ← g(r_i)`.
//!
//! What remains is `f~(r)·Ω~(r) = σ`, owed by the caller.
//!
//! # Soundness
//! 2/|E| a round, in any order of the variables.
//!
//! # Cost
//! Prover: that of its [`Rounds`]. Written out, entry by entry, two products an entry for
//! the message and two for folding, and half as much a round later; weights of low rank over
//! the blocks need far less, see [`form`](crate::form). Verifier: four products a round.
//! Proof: two elements a round.
//!
//! # Source
//! Lund, Fortnow, Karloff, Nisan (1992); Thaler, *Proofs, Arguments, and Zero-Knowledge*,
//! section 4.1.
//!
//! # Deviations
//! Neighbouring blocks tend to be weighed alike, so block bits go first, the lowest first: what
//! is common to two neighbours need not be written out. Inside a block the highest bit goes
//! first: folding then works on whole SIMD vectors.

#[cfg(feature = "prover")]
pub(crate) mod dense;
#[cfg(feature = "prover")]
mod prove;
mod verify;

use p3_field::PrimeCharacteristicRing;
#[cfg(feature = "prover")]
pub use prove::{Rounds, prove};
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

/// The order in which the variables are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    num_variables: usize,
    log_block: usize,
}

impl Order {
    /// `num_variables` variables, of which the lowest `log_block`, or all if they are fewer,
    /// are inside a block.
    pub const fn new(num_variables: usize, log_block: usize) -> Self {
        let log_block = if log_block < num_variables { log_block } else { num_variables };
        Self { num_variables, log_block }
    }

    /// μ, the rounds.
    pub const fn num_variables(&self) -> usize {
        self.num_variables
    }

    /// L, log2 of the entries in a block.
    pub const fn log_block(&self) -> usize {
        self.log_block
    }

    /// The challenges of the rounds as a point, little-endian.
    fn point(&self, mut challenges: Vec<E>) -> Vec<E> {
        // Block bits are drawn lowest first and belong last; the others come highest first.
        // One challenge a variable.
        challenges.rotate_left(self.num_variables.saturating_sub(self.log_block));
        if let Some(inside) = challenges.get_mut(..self.log_block) {
            inside.reverse();
        }
        challenges
    }
}

/// A round's polynomial without the coefficient that the claim implies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The coefficient of 1.
    pub constant: E,
    /// The coefficient of X².
    pub quadratic: E,
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

#[cfg(feature = "prover")]
impl std::ops::Add for Message {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            constant: self.constant + other.constant,
            quadratic: self.quadratic + other.quadratic,
        }
    }
}

#[cfg(all(test, feature = "prover"))]
pub(crate) mod tests;
