//! What can go wrong.

use crate::artifact::{Kind, Malformed};
use crate::opening::Mismatch;

/// Everything this crate refuses, with what was wrong and where.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Parameters that do not fit together or exceed what is supported.
    #[error("bad parameters: {0}")]
    Params(&'static str),
    /// A payload of another length than the parameters'.
    #[error("the payload has {got} bytes, the parameters say {expected}")]
    PayloadLength {
        /// Bytes in the parameters.
        expected: u64,
        /// Bytes given.
        got: u64,
    },
    /// A matrix of another length than the parameters'.
    #[error("the encoded matrix has {got} words, the parameters say {expected}")]
    MatrixLength {
        /// Words in the parameters.
        expected: usize,
        /// Words given.
        got: usize,
    },
    /// A column that does not exist.
    #[error("there is no column {index}, only {columns} columns")]
    NoSuchColumn {
        /// The index given.
        index: usize,
        /// Columns ℓ.
        columns: usize,
    },
    /// A column given twice.
    #[error("column {index} is given twice")]
    DuplicateColumn {
        /// Its index.
        index: usize,
    },
    /// Columns that are not in ascending order of their indices.
    #[error("column {index} stands behind column {before}: columns must be in ascending order")]
    UnsortedColumns {
        /// The first column that is out of order.
        index: usize,
        /// The one before it, whose index is larger.
        before: usize,
    },
    /// A column of another length than the parameters'.
    #[error("column {index} has {got} words, the parameters say {expected}")]
    ColumnLength {
        /// Its index.
        index: usize,
        /// Words in the parameters, 5cn.
        expected: usize,
        /// Words given.
        got: usize,
    },
    /// Too few columns to recover from.
    #[error("{got} columns are too few, recovery takes {needed}")]
    TooFewColumns {
        /// Half of the columns.
        needed: usize,
        /// Columns given.
        got: usize,
    },
    /// Available but invalid: the first wrong symbol, in order, is no 19 bytes.
    #[error("available but invalid: row {row}, position {position}: the symbol is not below 2^152")]
    SymbolRange {
        /// The row.
        row: usize,
        /// The position within the row.
        position: usize,
    },
    /// Available but invalid: the first wrong symbol, in order, is not zero after the payload.
    #[error(
        "available but invalid: row {row}, position {position}: \
         the bytes after the payload are not zero"
    )]
    Padding {
        /// The row.
        row: usize,
        /// The position within the row.
        position: usize,
    },
    /// The proof was refused.
    #[error("proof refused: {0}")]
    Proof(#[from] airda_gkr::Reject),
    /// The AIR proof was refused.
    #[error("proof refused: {0}")]
    Air(#[from] airda_air::Reject),
    /// Bytes that are not the artifact they should be.
    #[error("malformed {kind}: {why}")]
    Malformed {
        /// The artifact that was expected.
        kind: Kind,
        /// What is wrong with the bytes.
        why: Malformed,
    },
    /// A column that the commitment does not contain.
    #[error("column {index}: {why}")]
    Column {
        /// The column's index, as the column itself states it.
        index: usize,
        /// What does not match.
        why: Mismatch,
    },
    /// A profile that is not understood or does not suit the payload.
    #[error("profile {name}: {why}")]
    Profile {
        /// The profile's name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// More samples were asked for than there are columns.
    #[error("cannot draw {count} distinct columns, there are only {columns}")]
    Samples {
        /// Columns asked for.
        count: usize,
        /// Columns there are.
        columns: usize,
    },
    /// The operating system gave no randomness.
    #[error("no randomness from the operating system: {0}")]
    Randomness(String),
    /// A column of another commitment among those to recover from.
    #[error("column {index} belongs to another commitment")]
    MixedRoots {
        /// The column's index.
        index: usize,
    },
    /// What the columns determine is not what was committed to.
    #[error("the committed block is not a codeword{}", in_rows(rows))]
    NotACodeword {
        /// Exactly the rows that differ in their digests or in the given columns, in ascending
        /// order. There is none when only cells of the parity half differ whose columns were
        /// not given: then nothing that was given tells one row from another.
        rows: Vec<usize>,
    },
    /// There is no proof system for that rate.
    #[error("there is no proof system for log inverse rate {log_inv_rate}")]
    NoSystem {
        /// The rate asked for.
        log_inv_rate: usize,
    },
    /// A proof commits to chaining values in steps that are not supported, or not the expected.
    #[error("the proof commits to chaining values in unknown steps")]
    NoChainStep,
    /// A proof shows membership in a way that is not known, or not the one expected.
    #[error("the proof shows membership in an unknown way")]
    NoMembership,
}

fn in_rows(rows: &[usize]) -> String {
    match rows {
        [] => ", in columns that are not among those given".into(),
        rows => {
            let names: Vec<String> = rows.iter().map(ToString::to_string).collect();
            format!(", in row {}", names.join(", "))
        }
    }
}
