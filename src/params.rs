//! Parameters of a commitment: the shape of the encoded block and the hash.

use airda_gkr::permutation::DIGEST;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Words (limbs) in a symbol.
pub const LIMBS: usize = 5;
/// Payload bytes in a symbol: 152 bits in base-p digits, since p^5 > 2^152.
pub const SYMBOL_BYTES: usize = 19;
/// Largest supported log2 of the row length: a verifier's tables for a row, and then a column's
/// for [`MAX_LOG_COLUMN_WORDS`], keep within 64 MiB.
pub const MAX_LOG_K: usize = 18;
/// Largest supported number of rows.
pub const MAX_ROWS: usize = 4096;
/// Largest supported log2 of the words in a column, 5cn: a verifier's call table grows with them.
pub const MAX_LOG_COLUMN_WORDS: usize = 17;
/// Largest supported log2 of the committed words.
pub const MAX_LOG_WORDS: usize = 25;

/// The Poseidon2 width that cells, rows and trees are hashed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub enum HashWidth {
    /// Width 16: eight message words a call, and the width with more cryptanalytic margin.
    #[default]
    #[serde(rename = "poseidon2-16")]
    W16,
    /// Width 24: sixteen message words a call.
    #[serde(rename = "poseidon2-24")]
    W24,
}

impl HashWidth {
    /// Words in the permutation's state.
    pub const fn width(self) -> usize {
        match self {
            Self::W16 => 16,
            Self::W24 => 24,
        }
    }

    /// Message words absorbed by a call, q = t − 8.
    pub const fn rate(self) -> usize {
        self.width() - DIGEST
    }

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::W16 => "poseidon2-16",
            Self::W24 => "poseidon2-24",
        }
    }
}

/// The public parameters that a root binds: width, row length k, cell size c, rows n and the
/// payload's length. Always consistent: the constructor refuses everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    hash: HashWidth,
    log_k: usize,
    log_c: usize,
    rows: usize,
    payload_len: u64,
}

impl Params {
    /// Checks and bundles parameters: rows of `2^log_k` symbols in cells of `2^log_c`.
    ///
    /// # Errors
    /// [`Error::Params`] when cells are longer than rows, the payload is empty or does not fit
    /// into the rows, or a size exceeds what this crate supports.
    pub fn new(
        hash: HashWidth,
        log_k: usize,
        log_c: usize,
        rows: usize,
        payload_len: u64,
    ) -> Result<Self, Error> {
        let refuse = |why| Err(Error::Params(why));
        if log_k > MAX_LOG_K {
            return refuse("rows longer than 2^18 symbols are not supported");
        }
        if log_c > log_k {
            return refuse("a cell may not be longer than a row's payload");
        }
        if rows == 0 || rows > MAX_ROWS {
            return refuse("the number of rows must be between 1 and 4096");
        }
        let params = Self { hash, log_k, log_c, rows, payload_len };
        if payload_len == 0 {
            return refuse("the payload is empty");
        }
        if payload_len > params.capacity() {
            return refuse("the payload does not fit into the rows");
        }
        if params.cell_words() * rows > 1 << MAX_LOG_COLUMN_WORDS {
            return refuse("a column has more than 2^17 words");
        }
        if params.committed_words() > 1 << MAX_LOG_WORDS {
            return refuse("the encoded block and its digests are more than 2^25 words");
        }
        Ok(params)
    }

    /// The hash's width.
    pub const fn hash(&self) -> HashWidth {
        self.hash
    }
    /// log2 of the payload symbols in a row.
    pub const fn log_k(&self) -> usize {
        self.log_k
    }
    /// log2 of the symbols in a cell.
    pub const fn log_c(&self) -> usize {
        self.log_c
    }
    /// Payload symbols in a row.
    pub const fn k(&self) -> usize {
        1 << self.log_k
    }
    /// Symbols in an encoded row, m = 2k.
    pub const fn m(&self) -> usize {
        2 << self.log_k
    }
    /// Symbols in a cell.
    pub const fn c(&self) -> usize {
        1 << self.log_c
    }
    /// Rows n.
    pub const fn rows(&self) -> usize {
        self.rows
    }
    /// log2 of the columns.
    pub const fn log_columns(&self) -> usize {
        self.log_k + 1 - self.log_c
    }
    /// Columns ℓ = m/c; each row has one cell in every column.
    pub const fn columns(&self) -> usize {
        1 << self.log_columns()
    }
    /// Columns that suffice to recover, h = ℓ/2: those of the payload half, or any others.
    pub const fn half(&self) -> usize {
        self.columns() / 2
    }
    /// Words in a cell, 5c.
    pub const fn cell_words(&self) -> usize {
        LIMBS << self.log_c
    }
    /// Payload bytes in a row, 19k.
    pub const fn row_bytes(&self) -> usize {
        SYMBOL_BYTES << self.log_k
    }
    /// Bytes that all rows can carry, 19kn.
    pub const fn capacity(&self) -> u64 {
        self.row_bytes() as u64 * self.rows as u64
    }
    /// Bytes of payload.
    pub const fn payload_len(&self) -> u64 {
        self.payload_len
    }
    /// Words of the encoded matrix, 5cnℓ.
    pub const fn matrix_words(&self) -> usize {
        self.cell_words() * self.rows * self.columns()
    }

    /// Calls of the compression behind the commitment: cells, column trees, row chains, and the
    /// tree over the column roots.
    pub const fn calls(&self) -> usize {
        let rate = self.hash.rate();
        let (mut nodes, mut level) = (0, self.rows);
        while level > 1 {
            level = level.div_ceil(2);
            nodes += level;
        }
        let cells = self.rows * self.cell_words().div_ceil(rate);
        let chains = self.rows * (DIGEST * self.half()).div_ceil(rate);
        (cells + nodes) * self.columns() + chains + self.columns() - 1
    }
    /// The most words that a proof commits to, and those that a block holds: the encoded matrix
    /// and a digest for each call. Known before anything of that size is made. Membership by
    /// construction and longer chain steps commit to fewer.
    pub const fn committed_words(&self) -> usize {
        self.matrix_words() + DIGEST * self.calls()
    }

    /// Where word `word` (limb-major: limb·c + symbol) of the cells of row `row` starts in the
    /// matrix; the ℓ columns' words follow each other.
    pub const fn word_offset(&self, row: usize, word: usize) -> usize {
        (row * self.cell_words() + word) * self.columns()
    }
}
