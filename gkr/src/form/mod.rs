//! The linear form: everything still owed of the committed vector, in one inner product.
//!
//! # Statement
//! The walk leaves two claims about the call table's rows, at two points: outputs
//! `y = Σ_v β_v [Σ_i w(i)(D_v[i] − h_v[i]) + tail·P(0)_v]` and inputs
//! `a_v = Σ_i w'(i)·in_v[i]`; one such pair for each of the table's levels,
//! where the parts of D and h that are not committed are known at the point. The caller adds
//! equations of its own, `Σ_j c_j·⟨vector_j, f[start_j ..]⟩ = value`. All are linear in the
//! committed vector f.
//!
//! # Steps
//! 1. The verifier draws γ; both sides combine the claims with its powers, in the order: y
//!    and the inputs, level by level, then the equations. Each becomes terms
//!    `coefficient·⟨vector, f[start ..]⟩`, a source's constants and what is known of a level go
//!    to the right-hand side: `Σ_b f(b)·Ω(b) = σ`.
//! 2. [`sumcheck`](crate::sumcheck) reduces that to `f~(z)·Ω~(z)`. Its blocks of 2^L words
//!    follow from the form (`LinearForm::order`).
//! 3. The verifier computes `Ω~(z)` itself: a term's vector of length S at `start`, aligned to
//!    S, contributes `coefficient·eq(z_high, start/S)·vector~(z_low)`.
//! 4. The opening of f at z settles the claim.
//!
//! # The prover
//! Ω is hardly ever written out. A *key* is a vector and its place in a block. Most blocks are
//! weighed by the same few keys, with other coefficients, so a block is kept as a coefficient
//! C and a product D = ⟨vector, f there⟩ for each of its keys. While two neighbours have the
//! same keys, `Σ_keys C·D` is all that a round on a block bit needs: C and D both fold
//! linearly, and f is not read. Where neighbours differ, both are written out, f as the
//! combination of its 2^j original blocks after j rounds; so is the last block, for the rounds
//! inside it. Row weights at one point are cut to one length, so that more blocks have the
//! same keys.
//!
//! A coded term weighs a message through its codeword: D is taken of the codeword itself, which
//! the prover has; only blocks that are written out need the code, transposed, once for all
//! columns.
//!
//! # Soundness
//! (number of combined claims − 1)/|E| for γ, 2/|E| a sumcheck round.
//!
//! # Cost
//! Prover: five products a word and key over it, five more a word to fold it, once; then
//! O(keys) and a few blocks of 2^L. Verifier: one product a term, the few distinct vectors
//! once each, in O(log) where they factor; one encoding for each code, and a product a word of
//! its codeword.
//!
//! # Source
//! The batching of linear claims by powers is folklore (Thaler, section 4.6.2); vectors with
//! a block structure are what makes `Ω~` cheap.
//!
//! # Deviations
//! One challenge's powers for claims of all kinds, instead of a challenge a kind. Block bits
//! are bound first, without a table of Ω.

#[cfg(feature = "prover")]
mod blocks;
mod combine;
mod owed;
#[cfg(feature = "prover")]
mod plan;
#[cfg(feature = "prover")]
mod prove;
pub(crate) mod rows;
mod verify;

pub use combine::{Equation, Equations};
pub(crate) use owed::Owed;
use std::sync::Arc;

use p3_field::PrimeCharacteristicRing;
#[cfg(feature = "prover")]
pub(crate) use prove::{Words, prove};
pub(crate) use verify::verify;

use self::rows::RowWeights;
use crate::E;
use crate::calls::SystematicCode;
use crate::eq::{EqHalves, eq_table};
use crate::sumcheck::Order;

/// log2 of the words in a block, unless the form needs longer ones: a block is written out in
/// the cache, and still short beside the words.
const LOG_BLOCK: usize = 13;

/// `coefficient·⟨vectors[vector], f[start ..]⟩`; `start` is a multiple of the vector's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The first word it weighs.
    pub start: usize,
    /// Which vector.
    pub vector: usize,
    /// What the vector is multiplied by.
    pub coefficient: E,
}

/// A vector of weights, a power of two long. Row weights are shared by the vectors that are made
/// of them: there is one vector for each column of a code.
#[derive(Clone, Debug)]
pub(crate) enum Vector<'a> {
    /// A single one: weighs one word.
    Unit,
    /// The caller's, entry by entry.
    Given(&'a [E]),
    /// Row weights.
    Rows { log_size: usize, weights: Arc<RowWeights> },
    /// Row weights on every other word, beginning with `child`.
    Interleaved { log_size: usize, weights: Arc<RowWeights>, child: usize },
    /// Row weights moved down by one; the first is dropped, the last entry is zero.
    Shifted { log_size: usize, weights: Arc<RowWeights> },
    /// Row weights on one column of a codeword, as weights on its message: as long as that.
    Coded { code: &'a dyn SystematicCode, column: usize, weights: Arc<RowWeights> },
}

impl Vector<'_> {
    /// log2 of the length.
    pub(crate) fn log_len(&self) -> usize {
        match self {
            Self::Unit => 0,
            Self::Given(entries) => entries.len().checked_ilog2().unwrap_or(0) as usize,
            Self::Rows { log_size, .. } | Self::Shifted { log_size, .. } => *log_size,
            // A logarithm of a length: no overflow.
            Self::Interleaved { log_size, .. } => log_size.wrapping_add(1),
            Self::Coded { code, .. } => code.log_message(),
        }
    }

    /// Entry by entry.
    pub(crate) fn dense(&self) -> Vec<E> {
        match self {
            Self::Unit => vec![E::ONE],
            Self::Given(entries) => entries.to_vec(),
            Self::Rows { weights, .. } => weights.dense(),
            Self::Interleaved { weights, child, .. } => {
                let pair = |weight| if *child == 0 { [weight, E::ZERO] } else { [E::ZERO, weight] };
                weights.dense().into_iter().flat_map(pair).collect()
            }
            Self::Shifted { weights, .. } => {
                weights.dense().into_iter().skip(1).chain([E::ZERO]).collect()
            }
            Self::Coded { code, column, weights } => {
                let column_len = 1_usize << code.log_column();
                let mut codeword = vec![E::ZERO; column_len << code.log_columns()];
                let places = codeword.chunks_mut(column_len).nth(*column).unwrap_or_default();
                for (to, weight) in places.iter_mut().zip(weights.dense()) {
                    *to = weight;
                }
                code.transpose(&codeword)
            }
        }
    }

    /// The multilinear extension at `z`, which has [`Self::log_len`] coordinates.
    pub(crate) fn extension(&self, z: &[E]) -> E {
        let dense = |entries: &[E]| EqHalves::new(z).dot(entries);
        match self {
            Self::Unit => E::ONE,
            Self::Given(entries) => dense(entries),
            Self::Rows { weights, .. } => weights.extension(z),
            Self::Interleaved { weights, child, .. } => match z.split_first() {
                Some((&lowest, rest)) => {
                    let select = if *child == 0 { E::ONE - lowest } else { lowest };
                    select * weights.extension(rest)
                }
                None => E::ZERO,
            },
            Self::Shifted { .. } => dense(&self.dense()),
            Self::Coded { code, column, weights } => {
                verify::column_product(&code.encode(&eq_table(z)), *column, &weights.dense())
            }
        }
    }
}

/// A linear form and the value it must have.
#[cfg(feature = "prover")]
#[derive(Clone, Debug)]
pub(crate) struct LinearForm<'a> {
    pub(crate) vectors: Vec<Vector<'a>>,
    pub(crate) terms: Vec<Term>,
    pub(crate) value: E,
}

/// The order of the sumcheck over 2^`num_variables` words. A message lies within one block; so do
/// all given vectors side by side, the period at which they tend to return. They are in memory:
/// their lengths' sum does not overflow.
fn order(vectors: &[Vector<'_>], num_variables: usize) -> Order {
    let mut log_block = LOG_BLOCK;
    let mut given = 0_usize;
    for vector in vectors {
        match vector {
            Vector::Coded { code, .. } => log_block = log_block.max(code.log_message()),
            Vector::Given(entries) => given = given.wrapping_add(entries.len()),
            _ => {}
        }
    }
    Order::new(num_variables, log_block.max(given.next_power_of_two().ilog2() as usize))
}

#[cfg(all(test, feature = "prover"))]
mod tests;
