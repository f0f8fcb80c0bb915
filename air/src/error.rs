//! Why a proof is refused.

/// Why a proof is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reject {
    /// Fewer bytes than the statement's proofs have.
    #[error("the proof ends early")]
    Truncated,
    /// More bytes than the proof has.
    #[error("{0} bytes follow the proof")]
    Trailing(usize),
    /// A word that is not below p.
    #[error("a word is not canonical")]
    NonCanonicalWord,
    /// More Merkle digests than the queries could need.
    #[error("{got} digests where there are at most {limit}")]
    TooManyDigests {
        /// Digests announced.
        got: usize,
        /// The most that there can be.
        limit: usize,
    },
    /// The constraints of a table do not hold at the random point.
    #[error("table {table}: the constraints do not hold")]
    Constraints {
        /// The table's place.
        table: usize,
    },
    /// What the tables offer on the bus is not what they take.
    #[error("the bus does not balance")]
    Bus,
    /// A proof of work is missing.
    #[error("a proof of work is missing")]
    Work,
    /// The opened values are not those that were committed to.
    #[error("the opening is wrong")]
    Opening,
    /// The tables, their sizes or the public values do not go with the proof system.
    #[error("no such instance: {0}")]
    Instance(&'static str),
    /// There is no such entry of the table of parameters.
    #[error("there are no parameters of number {0}")]
    UnknownParameters(u16),
    /// The dependency's verifier panicked.
    #[error("the verifier gave up")]
    Panicked,
}
