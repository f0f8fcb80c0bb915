//! Where the words of a call table lie in the committed vector.
#![deny(clippy::indexing_slicing, clippy::unwrap_used)]
#![deny(clippy::expect_used, clippy::panic_in_result_fn)]

use super::{CallTable, Source, SystematicCode};
use crate::permutation::DIGEST;

/// The committed vector of a table: all of its words, or of its source words only the messages
/// of a code that they follow. Then no word of the rest exists for a prover to choose: every
/// use of one weighs the message instead, by the transpose of the encoding.
///
/// With a code, the source words are codewords, one *group* after the other; the committed
/// vector begins with their messages, is filled with zeros up to a multiple of the table's
/// largest piece, and goes on with the digests in the table's order.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    code: Option<&'a dyn SystematicCode>,
    /// Source words in the table.
    source: usize,
    /// Committed words before the digests.
    base: usize,
    num_digests: usize,
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
    /// All words are committed.
    pub const fn whole<const T: usize>(table: &CallTable<T>) -> Self {
        let (source, num_digests) = (table.base(), DIGEST * table.num_calls());
        Self { code: None, source, base: source, num_digests }
    }

    /// Of the source words, which must all be codewords, the messages are committed.
    ///
    /// # Panics
    /// When the source words are not whole codewords, or a call reads anything but a whole
    /// column of one.
    pub fn messages<const T: usize>(table: &CallTable<T>, code: &'a dyn SystematicCode) -> Self {
        let source = table.base();
        assert!(code.log_column() > 0, "a column has two halves");
        assert!(source.is_multiple_of(2 << code.log_message()), "source words are codewords");
        for piece in table.pieces() {
            let whole_columns = piece.inputs.iter().all(|input| match *input {
                Source::Block { start } if start < source => piece.log_size == code.log_column(),
                Source::Interleaved { start, .. } | Source::Shifted { start, .. } => {
                    start >= source
                }
                Source::Block { .. } | Source::Constant(_) => true,
            });
            assert!(whole_columns, "calls read whole columns of codewords");
        }
        let largest = table.pieces().first().map_or(1, |piece| 1 << piece.log_size);
        let base = (source / 2).next_multiple_of(largest);
        Self { code: Some(code), source, base, num_digests: DIGEST * table.num_calls() }
    }

    /// The code that the source words follow, if that is how they are committed.
    pub const fn code(&self) -> Option<&'a dyn SystematicCode> {
        self.code
    }

    /// Committed words before the digests.
    pub const fn base(&self) -> usize {
        self.base
    }

    /// Words of the committed vector.
    pub const fn num_words(&self) -> usize {
        self.base + self.num_digests
    }

    /// Where the digest word at `start` in the table is committed.
    pub const fn digest(&self, start: usize) -> usize {
        self.base + start.saturating_sub(self.source)
    }

    /// The place of the table's words from `start` on, a column of source words or digests.
    pub(crate) fn place(&self, start: usize) -> Place {
        match self.code {
            Some(code) if start < self.source => Place::Coded {
                start: start >> (code.log_message() + 1) << code.log_message(),
                column: start >> code.log_column() & ((1 << code.log_columns()) - 1),
            },
            None if start < self.source => Place::Words(start),
            _ => Place::Words(self.digest(start)),
        }
    }

    /// The committed vector, of all words of the table.
    ///
    /// # Panics
    /// When the words are not as many as the table's.
    #[cfg(feature = "prover")]
    #[allow(clippy::indexing_slicing, reason = "the prover's, on lengths of its own")]
    pub(crate) fn gather(&self, words: &[crate::F]) -> Vec<crate::F> {
        use p3_field::PrimeCharacteristicRing;
        use p3_maybe_rayon::prelude::*;

        /// Words that a thread copies at a time.
        const COPY: usize = 1 << 16;
        assert_eq!(words.len(), self.source + self.num_digests, "one word a place in the table");
        let (source, digests) = words.split_at(self.source);
        let mut committed = crate::F::zero_vec(self.num_words());
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
        rest.par_chunks_mut(COPY).zip(digests.par_chunks(COPY)).for_each(copy);
        committed
    }
}
