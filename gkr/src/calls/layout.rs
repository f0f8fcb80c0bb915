//! Where the words of a call table lie in the committed vector.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use super::{CallTable, Source, SystematicCode};
use crate::permutation::DIGEST;

/// log2 of the words in a digest.
const LOG_DIGEST: usize = DIGEST.ilog2() as usize;

/// The committed vector of a table: all of its words, or of its source words only the messages
/// of a code that they follow. Then no word of the rest exists for a prover to choose: every
/// use of one weighs the message instead, by the transpose of the encoding.
///
/// With a code, the source words are codewords, one *group* after the other; the committed
/// vector begins with their messages, is filled with zeros up to a multiple of the table's
/// largest piece, and goes on with the digests in the table's order. The digests of transient
/// pieces are left out.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    code: Option<&'a dyn SystematicCode>,
    /// Source words in the table.
    source: usize,
    /// Committed words before the digests.
    base: usize,
    /// Digest words in the table.
    digests: usize,
    /// The pieces whose digests are left out, ascending; all have the largest size.
    transients: &'a [usize],
    /// log2 of the digest words of a piece of the largest size.
    log_block: usize,
}

/// A column of source words, as the committed vector has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The words themselves, from here on.
    Words(usize),
    /// A column of the codeword whose message begins here.
    Coded { start: usize, column: usize },
}

impl<'a> Layout<'a> {
    /// All words are committed but transient digests: in a table without these, where the table
    /// has them.
    pub fn whole<const T: usize>(table: &'a CallTable<T>) -> Self {
        Self::new(table, None, table.base())
    }

    /// The source words alone are committed: for a table whose digests nobody reads, as their
    /// outputs are claimed by other means.
    ///
    /// # Panics
    /// When a call reads a digest.
    pub fn sources<const T: usize>(table: &'a CallTable<T>) -> Self {
        let mut inputs = table.pieces().iter().flat_map(|piece| &piece.inputs);
        let reads = |part: &Source| match *part {
            Source::Constant(_) | Source::Affine { .. } => false,
            Source::Block { start } | Source::Interleaved { start, .. } => start >= table.base(),
            Source::Shifted { .. } => true,
        };
        assert!(!inputs.any(|input| table.sums.parts(input).any(reads)), "no call reads a digest");
        Self { digests: 0, transients: &[], ..Self::new(table, None, table.base()) }
    }

    fn new<const T: usize>(
        table: &'a CallTable<T>,
        code: Option<&'a dyn SystematicCode>,
        base: usize,
    ) -> Self {
        let log_largest = table.pieces().first().map_or(0, |largest| largest.log_size);
        Self {
            code,
            source: table.base(),
            base: base.next_multiple_of(1 << log_largest),
            // The table counts its base in.
            digests: table.num_words().wrapping_sub(table.base()),
            transients: table.transients(),
            log_block: log_largest.wrapping_add(LOG_DIGEST),
        }
    }

    /// Of the source words, which must all be codewords, the messages are committed.
    ///
    /// # Panics
    /// When the source words are not whole codewords, or a call reads anything but a whole
    /// column of one.
    pub fn messages<const T: usize>(table: &'a CallTable<T>, code: &'a dyn SystematicCode) -> Self {
        let source = table.base();
        assert!(code.log_column() > 0, "a column has two halves");
        assert!(source.is_multiple_of(2 << code.log_message()), "source words are codewords");
        for piece in table.pieces() {
            let mut parts = piece.inputs.iter().flat_map(|input| table.sums.parts(input));
            let whole_columns = parts.all(|part| match *part {
                Source::Block { start } if start < source => piece.log_size == code.log_column(),
                Source::Interleaved { start, .. } | Source::Shifted { start, .. } => {
                    start >= source
                }
                Source::Block { .. } | Source::Constant(_) | Source::Affine { .. } => true,
            });
            assert!(whole_columns, "calls read whole columns of codewords");
        }
        Self::new(table, Some(code), source / 2)
    }

    /// The code that the source words follow, if that is how they are committed.
    pub const fn code(&self) -> Option<&'a dyn SystematicCode> {
        self.code
    }

    /// Whether digests are committed.
    pub(crate) const fn has_digests(&self) -> bool {
        self.digests > 0
    }

    /// Committed words before the digests.
    pub const fn base(&self) -> usize {
        self.base
    }

    /// Words of the committed vector.
    pub const fn num_words(&self) -> usize {
        // No more than the table's words, which it has counted: no overflow, here and below.
        let left_out = self.transients.len() << self.log_block;
        self.base.wrapping_add(self.digests).wrapping_sub(left_out)
    }

    /// Where the digest word at `start` in the table is committed.
    ///
    /// # Panics
    /// When it is a transient piece's. Which are read is the table's to say, never a proof's, and
    /// tables refuse every reading but as a chaining value.
    pub fn digest(&self, start: usize) -> usize {
        let place = start.saturating_sub(self.source);
        // Transient pieces are among the first, which all have the largest size.
        match self.transients.binary_search(&(place >> self.log_block)) {
            Ok(_) => panic!("transient digests are not committed"),
            Err(before) => self.base.wrapping_add(place).wrapping_sub(before << self.log_block),
        }
    }

    /// The place of the table's words from `start` on, a column of source words or digests.
    pub(crate) fn place(&self, start: usize) -> Place {
        match self.code {
            Some(code) if start < self.source => Place::Coded {
                // A codeword is twice as long as its message.
                start: start >> code.log_message() >> 1 << code.log_message(),
                column: start >> code.log_column() & !(usize::MAX << code.log_columns()),
            },
            None if start < self.source => Place::Words(start),
            _ => Place::Words(self.digest(start)),
        }
    }

    /// The committed vector, of all words of the table: what
    /// [`Scheme::commit`](crate::commit::Scheme::commit) takes.
    ///
    /// # Panics
    /// When the words are not as many as the table's.
    #[cfg(feature = "prover")]
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "the prover's, on lengths of its own"
    )]
    pub fn gather(&self, words: &[crate::F]) -> Vec<crate::F> {
        use p3_field::PrimeCharacteristicRing;
        use p3_maybe_rayon::prelude::*;

        /// Words that a thread copies at a time.
        const COPY: usize = 1 << 16;
        assert_eq!(words.len(), self.source + self.digests, "one word a place in the table");
        let (source, digests) = words.split_at(self.source);
        // Room for the zeros that a commitment adds, or it would copy all words once more.
        let mut committed = crate::F::zero_vec(self.num_words().next_power_of_two());
        committed.truncate(self.num_words());
        let (base, rest) = committed.split_at_mut(self.base);
        let copy = |(to, from): (&mut [crate::F], &[crate::F])| {
            to.copy_from_slice(&from[..to.len()]);
        };
        match self.code {
            None => base.par_chunks_mut(COPY).zip(source.par_chunks(COPY)).for_each(copy),
            Some(code) => {
                let column = 1 << code.log_column();
                base.par_chunks_mut(column / 2).zip(source.par_chunks(column)).for_each(copy);
            }
        }
        if self.transients.is_empty() {
            rest.par_chunks_mut(COPY).zip(digests.par_chunks(COPY)).for_each(copy);
        } else {
            let kept: Vec<&[crate::F]> = digests
                .chunks(1 << self.log_block)
                .enumerate()
                .filter(|(piece, _)| self.transients.binary_search(piece).is_err())
                .map(|(_, digests)| digests)
                .collect();
            rest.par_chunks_mut(1 << self.log_block).zip(kept).for_each(copy);
        }
        committed
    }
}
