//! What can go wrong.

/// Everything this crate refuses, with what was wrong and where.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Parameters that do not fit together or exceed what is supported.
    #[error("bad parameters: {0}")]
    Params(&'static str),
    /// The proof was refused.
    #[error("proof refused: {0}")]
    Proof(#[from] airda_gkr::Reject),
}
