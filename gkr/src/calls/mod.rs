//! The call table: which calls of the compression are made, and where their words come from.
//!
//! One row is one call of `f(h, m) = P(h‖m)[0..8] + h`. Rows come in *pieces*, each a power of
//! two of them, placed in descending size, so that every piece is aligned to its own size and
//! nothing is padded in between. Every input word of every row has a public [`Source`]: a word
//! committed before, a word of an earlier call's digest, or a constant.
//!
//! # The table's words
//!
//! `base` source words, then the digests: word v of row x of the piece at offset o with S rows
//! is at `base + 8·o + v·S + x`. The base is a multiple of the largest piece, hence every
//! column of every piece is a block aligned to its own size. What of it is committed, and
//! where, says a [`Layout`].

mod code;
mod evaluate;
#[cfg(feature = "prover")]
mod fill;
mod layout;

pub use self::code::SystematicCode;
pub(crate) use self::code::same_code;
pub use self::layout::Layout;
pub(crate) use self::layout::Place;
use crate::F;
use crate::permutation::DIGEST;

/// Where the words of one input column of one piece come from; x counts the piece's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The same constant in every row.
    Constant(F),
    /// Word `start + x` of the table.
    Block {
        /// Aligned to the piece's size.
        start: usize,
    },
    /// Word `start + 2x + child` of the table: one of two interleaved columns.
    Interleaved {
        /// Aligned to twice the piece's size.
        start: usize,
        /// 0 or 1.
        child: usize,
    },
    /// `first` in row 0, then word `start + x − 1`: a chain through the piece's own digests.
    Shifted {
        /// The chain's initial value.
        first: F,
        /// Aligned to the piece's size.
        start: usize,
    },
}

/// A power of two of calls whose input columns each have one source.
#[derive(Clone, Debug)]
pub struct Piece<const T: usize> {
    /// log2 of the rows.
    pub log_size: usize,
    /// The first row's index in the table.
    pub offset: usize,
    /// The sources of the T input columns: 8 words of h, then the message.
    pub inputs: [Source; T],
}

impl<const T: usize> Piece<T> {
    /// Rows.
    pub const fn size(&self) -> usize {
        1 << self.log_size
    }
}

/// A table of calls. Built by pushing pieces in descending size.
#[derive(Clone, Debug)]
pub struct CallTable<const T: usize> {
    base: usize,
    pieces: Vec<Piece<T>>,
    num_calls: usize,
}

impl<const T: usize> CallTable<T> {
    /// An empty table over `base` source words.
    pub const fn new(base: usize) -> Self {
        Self { base, pieces: Vec::new(), num_calls: 0 }
    }

    /// Appends a piece and returns its place in [`Self::pieces`].
    ///
    /// # Panics
    /// When the piece is larger than the one before or the base is not a multiple of the
    /// first piece's size; when a source is not aligned, reaches beyond the words known when
    /// the piece is computed, or is shifted but not the piece's own digest.
    pub fn push(&mut self, log_size: usize, inputs: [Source; T]) -> usize {
        let size = 1 << log_size;
        match self.pieces.last() {
            Some(last) => assert!(log_size <= last.log_size, "pieces come in descending size"),
            None => assert!(self.base.is_multiple_of(size), "the base is aligned to every piece"),
        }
        let known = self.num_words();
        for source in &inputs {
            match *source {
                Source::Constant(_) => {}
                Source::Block { start } => {
                    assert!(start.is_multiple_of(size) && start + size <= known);
                }
                Source::Interleaved { start, child } => {
                    assert!(start.is_multiple_of(2 * size) && start + 2 * size <= known);
                    assert!(child < 2);
                }
                Source::Shifted { start, .. } => {
                    assert!(
                        (0..DIGEST).any(|v| start == self.next_digest(log_size, v)),
                        "a chain runs through its own piece"
                    );
                }
            }
        }
        self.pieces.push(Piece { log_size, offset: self.num_calls, inputs });
        self.num_calls += size;
        self.pieces.len() - 1
    }

    /// Where digest word `v` of a piece starts among the table's words.
    pub fn digest(&self, piece: usize, v: usize) -> usize {
        let piece = &self.pieces[piece];
        self.digest_at(piece.offset, piece.log_size, v)
    }

    /// Where digest word `v` of the next piece will start, should it have `2^log_size` rows.
    pub const fn next_digest(&self, log_size: usize, v: usize) -> usize {
        self.digest_at(self.num_calls, log_size, v)
    }

    const fn digest_at(&self, offset: usize, log_size: usize, v: usize) -> usize {
        self.base + DIGEST * offset + (v << log_size)
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece<T>] {
        &self.pieces
    }

    /// Words before the digests.
    pub const fn base(&self) -> usize {
        self.base
    }

    /// Calls in the table, T in the protocol's formulas; no power of two in general.
    pub const fn num_calls(&self) -> usize {
        self.num_calls
    }

    /// The table's words: sources and digests.
    pub const fn num_words(&self) -> usize {
        self.base + DIGEST * self.num_calls
    }
}

#[cfg(all(test, feature = "prover"))]
pub(crate) mod tests;
