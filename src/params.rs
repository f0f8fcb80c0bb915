//! Parameters of a commitment: the shape of the encoded block and the hash.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

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
pub const MAX_LOG_COLUMN_WORDS: usize = 18;
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
        match self {
            Self::W16 => 16 - DIGEST,
            Self::W24 => 24 - DIGEST,
        }
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
    sizes: Sizes,
}

/// What follows from the other parameters, counted once and without overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sizes {
    log_columns: usize,
    /// 5cn.
    column_words: usize,
    /// 19kn.
    capacity: u64,
    calls: usize,
    /// Of them those of tree nodes.
    tree_calls: usize,
    committed_words: usize,
}

impl Sizes {
    /// The sizes of a block whose cells are no longer than its rows; nothing where one of them
    /// cannot be counted.
    fn new(hash: HashWidth, log_k: usize, log_c: usize, rows: usize) -> Option<Self> {
        let log_half = log_k.checked_sub(log_c)?;
        let log_columns = log_half.checked_add(1)?;
        let columns = 1_usize.checked_shl(u32::try_from(log_columns).ok()?)?;
        let cell_words = LIMBS.checked_mul(1_usize.checked_shl(u32::try_from(log_c).ok()?)?)?;
        let column_words = cell_words.checked_mul(rows)?;
        let row_bytes = (SYMBOL_BYTES as u64).checked_mul(1_u64 << log_k)?;

        let (mut nodes, mut level) = (0_usize, rows);
        while level > 1 {
            level = level.div_ceil(2);
            nodes = nodes.checked_add(level)?;
        }
        let cells = rows.checked_mul(cell_words.div_ceil(hash.rate()))?;
        let row_words = DIGEST.checked_mul(columns / 2)?;
        let chains = rows.checked_mul(row_words.div_ceil(hash.rate()))?;
        let root_nodes = columns.checked_sub(1)?;
        let tree_calls = nodes.checked_mul(columns)?.checked_add(root_nodes)?;
        let calls = cells.checked_mul(columns)?.checked_add(chains)?.checked_add(tree_calls)?;
        let matrix_words = column_words.checked_mul(columns)?;
        let committed_words = matrix_words.checked_add(DIGEST.checked_mul(calls)?)?;
        let capacity = row_bytes.checked_mul(u64::try_from(rows).ok()?)?;
        Some(Self { log_columns, column_words, capacity, calls, tree_calls, committed_words })
    }
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
        if payload_len == 0 {
            return refuse("the payload is empty");
        }
        let Some(sizes) = Sizes::new(hash, log_k, log_c, rows) else {
            return refuse("the encoded block cannot be counted");
        };
        if payload_len > sizes.capacity {
            return refuse("the payload does not fit into the rows");
        }
        if sizes.column_words > 1 << MAX_LOG_COLUMN_WORDS {
            return refuse("a column has more than 2^18 words");
        }
        if sizes.committed_words > 1 << MAX_LOG_WORDS {
            return refuse("the encoded block and its digests are more than 2^25 words");
        }
        Ok(Self { hash, log_k, log_c, rows, payload_len, sizes })
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
    /// log2 of m.
    pub const fn log_m(&self) -> usize {
        self.m().ilog2() as usize
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
        self.sizes.log_columns
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
    /// Words in a column, 5cn.
    pub const fn column_words(&self) -> usize {
        self.sizes.column_words
    }
    /// Payload bytes in a row, 19k.
    pub const fn row_bytes(&self) -> usize {
        SYMBOL_BYTES << self.log_k
    }
    /// Bytes that all rows can carry, 19kn.
    pub const fn capacity(&self) -> u64 {
        self.sizes.capacity
    }
    /// Symbols that all rows can carry, kn.
    pub const fn capacity_symbols(&self) -> usize {
        self.rows << self.log_k
    }
    /// Bytes of payload.
    pub const fn payload_len(&self) -> u64 {
        self.payload_len
    }
    /// Words of the encoded matrix, 5cnℓ.
    pub const fn matrix_words(&self) -> usize {
        self.column_words() << self.log_columns()
    }

    /// Calls of the compression behind the commitment: cells, column trees, row chains, and the
    /// tree over the column roots.
    pub const fn calls(&self) -> usize {
        self.sizes.calls
    }
    /// Of them those of tree nodes, over columns and over their roots.
    pub const fn tree_calls(&self) -> usize {
        self.sizes.tree_calls
    }
    /// The most words that a proof commits to, and those that a block holds: the encoded matrix
    /// and a digest for each call. Known before anything of that size is made. Membership by
    /// construction and longer chain steps commit to fewer.
    pub const fn committed_words(&self) -> usize {
        self.sizes.committed_words
    }

    /// Where word `word` (limb-major: limb·c + symbol) of the cells of row `row` starts in the
    /// matrix; the ℓ columns' words follow each other. Rows and words that do not exist have no
    /// place: what is returned for them is none of the matrix's, or another word's.
    pub const fn word_offset(&self, row: usize, word: usize) -> usize {
        // At most the matrix's words, if row and word exist.
        row.wrapping_mul(self.cell_words()).wrapping_add(word) << self.log_columns()
    }
}
