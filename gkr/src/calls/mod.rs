//! The call table: which calls of the compression are made, and where their words come from.
//!
//! One row is one call of `f(h, m) = P(h‖m)[0..8] + h`. Rows come in *pieces*, each a power of
//! two of them, placed in descending size, so that every piece is aligned to its own size and
//! nothing is padded in between. Every input word of every row has a public [`Source`]: a word
//! committed before, a word of an earlier call's digest, a constant, or a short affine sum of
//! such words with public coefficients.
//!
//! # The table's words
//!
//! `base` source words, then the digests: word v of row x of the piece at offset o with S rows
//! is at `base + 8·o + v·S + x`. The base is a multiple of the largest piece, hence every
//! column of every piece is a block aligned to its own size. What of it is committed, and
//! where, says a [`Layout`].
//!
//! # Transient pieces
//!
//! A *transient* piece has digests that are never committed: all they are used for is to be the
//! chaining values h of one later piece of the same size, its *consumer*. The calls fall into
//! [levels](Level): level 0 has the pieces whose digests are committed, level j + 1 those that
//! feed a piece of level j.
//!
//! # Public values
//!
//! Both sides build the table from what is public. A value of the statement that many rows share
//! is a [`Source::Constant`], and so may be the constants and coefficients of sums: a verifier's
//! work for one does not grow with the rows. The argument absorbs the table's counts alone, so a
//! statement's values, which a prover could else choose after the challenges, have to be
//! absorbed before it: [`CallTable::bind`] absorbs all that a table means.

mod bind;
mod code;
mod evaluate;
#[cfg(feature = "prover")]
mod fill;
mod layout;
mod level;
mod sums;

pub use self::code::SystematicCode;
pub(crate) use self::code::same_code;
pub use self::layout::Layout;
pub(crate) use self::layout::Place;
pub use self::level::{Level, Placed};
use self::sums::Sums;
pub use self::sums::{MAX_TERMS, Sum};
use crate::F;
use crate::permutation::DIGEST;

/// Where the words of one input column of one piece come from; x counts the piece's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The same public value in every row.
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
    /// `constant + Σ coefficient·source`, row by row: a [`Sum`] of at most [`MAX_TERMS`] sources
    /// of the other kinds. Transient digests are no part of one. Made by [`CallTable::affine`].
    Affine {
        /// Which sum of the table.
        sum: usize,
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
    /// The transient piece whose digests are this one's chaining values.
    feeder: Option<usize>,
}

impl<const T: usize> Piece<T> {
    /// Rows.
    pub const fn size(&self) -> usize {
        1 << self.log_size
    }

    /// The transient piece whose digests are this one's chaining values, if it has one.
    pub const fn feeder(&self) -> Option<usize> {
        self.feeder
    }
}

/// A table of calls. Built by pushing pieces in descending size.
#[derive(Clone, Debug)]
pub struct CallTable<const T: usize> {
    base: usize,
    pieces: Vec<Piece<T>>,
    sums: Sums,
    num_calls: usize,
    /// Of a base and so many calls; counted by pushing, so that no offset overflows.
    num_words: usize,
    /// The transient pieces, ascending.
    transients: Vec<usize>,
    /// For each of them, whether a piece consumes it.
    consumed: Vec<bool>,
}

impl<const T: usize> CallTable<T> {
    /// An empty table over `base` source words.
    pub const fn new(base: usize) -> Self {
        Self {
            base,
            pieces: Vec::new(),
            sums: Sums::new(),
            num_calls: 0,
            num_words: base,
            transients: Vec::new(),
            consumed: Vec::new(),
        }
    }

    /// The source `constant + Σ coefficient·source`, for pieces pushed from here on.
    ///
    /// Its terms are checked when a piece reads it: one sum may be good for some pieces only.
    ///
    /// # Panics
    /// When there are more than [`MAX_TERMS`] terms, or one is a sum itself.
    pub fn affine(&mut self, constant: F, terms: &[(F, Source)]) -> Source {
        self.sums.push(constant, terms)
    }

    /// What the source [`Source::Affine`] with that number is.
    ///
    /// # Panics
    /// When the table has no such sum; all that its pieces read it has.
    pub fn sum(&self, sum: usize) -> Sum<'_> {
        self.sums.get(sum)
    }

    /// Appends a piece and returns its place in [`Self::pieces`].
    ///
    /// # Panics
    /// When the piece is larger than the one before or the base is not a multiple of the
    /// first piece's size; when a source, or a term of one, is not aligned, reaches beyond the
    /// words known when the piece is computed, or is shifted but not the piece's own digest;
    /// when a sum is not of this table; when a source reads a transient piece's digests
    /// otherwise than as all of its chaining values, or after another piece; when the words are
    /// too many to be counted.
    pub fn push(&mut self, log_size: usize, inputs: [Source; T]) -> usize {
        let Some((num_calls, num_words)) = self.counts_with(log_size) else {
            panic!("the words can be counted")
        };
        let size = 1 << log_size;
        match self.pieces.last() {
            Some(last) => assert!(log_size <= last.log_size, "pieces come in descending size"),
            None => assert!(self.base.is_multiple_of(size), "the base is aligned to every piece"),
        }
        let column = |start: usize, len: usize| {
            let left = self.num_words.checked_sub(start);
            start.is_multiple_of(len) && left.is_some_and(|left| len <= left)
        };
        for source in &inputs {
            if let Source::Affine { sum } = *source {
                assert!(sum < self.sums.len(), "sums are the table's own");
            }
        }
        for part in inputs.iter().flat_map(|source| self.sums.parts(source)) {
            match *part {
                Source::Constant(_) => {}
                Source::Block { start } => {
                    assert!(column(start, size), "columns are aligned and known")
                }
                Source::Interleaved { start, child } => {
                    assert!(column(start, size << 1) && child < 2, "columns are aligned and known");
                }
                Source::Shifted { start, .. } => {
                    assert!(
                        (0..DIGEST).any(|v| start == self.next_digest(log_size, v)),
                        "a chain runs through its own piece"
                    );
                }
                Source::Affine { .. } => unreachable!("a sum's terms are no sums"),
            }
        }
        let feeder = self.feeder(log_size, &inputs);
        let piece = self.pieces.len();
        self.pieces.push(Piece { log_size, offset: self.num_calls, inputs, feeder });
        (self.num_calls, self.num_words) = (num_calls, num_words);
        piece
    }

    /// Calls and words of the table with `2^log_size` calls more.
    fn counts_with(&self, log_size: usize) -> Option<(usize, usize)> {
        let size = 1_usize.checked_shl(u32::try_from(log_size).ok()?)?;
        let num_words = self.num_words.checked_add(size.checked_mul(DIGEST)?)?;
        Some((self.num_calls.checked_add(size)?, num_words))
    }

    /// Appends a transient piece; exactly one later piece must consume it.
    ///
    /// # Panics
    /// As [`Self::push`]; when the piece is smaller than the first, or a chain.
    pub fn push_transient(&mut self, log_size: usize, inputs: [Source; T]) -> usize {
        let piece = self.push(log_size, inputs);
        assert!(!self.sums.chained(&inputs), "a chain reads its own digests");
        let largest = self.pieces.first().map(|first| first.log_size);
        assert_eq!(Some(log_size), largest, "transient pieces have the largest size");
        self.transients.push(piece);
        self.consumed.push(false);
        piece
    }

    /// The transient piece that a piece with these inputs consumes.
    fn feeder(&mut self, log_size: usize, inputs: &[Source; T]) -> Option<usize> {
        let size = 1 << log_size;
        let mut feeder = None;
        for (v, source) in inputs.iter().enumerate() {
            for at in self.sums.parts(source).flat_map(|part| ends(part, size)) {
                let Some(piece) = self.transient_at(at) else { continue };
                // The source itself: a sum of digests is another word.
                let whole = *source == Source::Block { start: self.digest(piece, v % DIGEST) }
                    && log_size == self.pieces[piece].log_size;
                assert!(v < DIGEST && whole, "transient digests are chaining values");
                assert!(v == 0 || feeder == Some(piece), "a chaining value is one piece's");
                feeder = Some(piece);
            }
        }
        let piece = feeder?;
        let all = (0..DIGEST).all(|v| inputs[v] == Source::Block { start: self.digest(piece, v) });
        assert!(all, "a chaining value is one piece's");
        let index = self.transients.binary_search(&piece).expect("it is transient");
        assert!(!self.consumed[index], "a transient piece has one consumer");
        self.consumed[index] = true;
        Some(piece)
    }

    /// The transient piece that has the table's word `at` in its digests.
    fn transient_at(&self, at: usize) -> Option<usize> {
        let row = at.checked_sub(self.base)? / DIGEST;
        // Transient pieces are among the first, which all have the largest size.
        let piece = row >> self.pieces.first()?.log_size;
        self.transients.binary_search(&piece).is_ok().then_some(piece)
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

    /// Words before `num_words` never overflow, others of our own make are no word's.
    const fn digest_at(&self, offset: usize, log_size: usize, v: usize) -> usize {
        self.base.wrapping_add(DIGEST.wrapping_mul(offset)).wrapping_add(v << log_size)
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece<T>] {
        &self.pieces
    }

    /// The transient pieces, ascending. All have the largest size.
    pub(crate) fn transients(&self) -> &[usize] {
        &self.transients
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
        self.num_words
    }
}

/// The first and the last word of the column that a piece of so many rows reads elsewhere.
///
/// Columns are at least as long as the piece: two of them are read at most. All that is read lies
/// among the words, so its end is no overflow.
fn ends(part: &Source, size: usize) -> impl Iterator<Item = usize> + use<> {
    let column = match *part {
        Source::Block { start } => Some((start, size)),
        Source::Interleaved { start, .. } => Some((start, size << 1)),
        Source::Constant(_) | Source::Shifted { .. } | Source::Affine { .. } => None,
    };
    let both = |(start, len): (usize, usize)| [start, start.wrapping_add(len).wrapping_sub(1)];
    column.map(both).into_iter().flatten()
}

#[cfg(all(test, feature = "prover"))]
pub(crate) mod tests;
