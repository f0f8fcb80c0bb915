//! Why a proof is refused.

/// Reasons for which this crate's decoders and verifiers refuse their input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reject {
    /// The input ends before everything that the statement calls for was read.
    #[error("the proof ends early")]
    Truncated,
    /// Bytes are left over.
    #[error("the proof has {0} bytes too many")]
    Trailing(usize),
    /// A word is not below the field's modulus.
    #[error("a word is not below the modulus")]
    NonCanonicalWord,
}
