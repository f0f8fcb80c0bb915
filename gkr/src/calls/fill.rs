//! Input columns and digests, chunk by chunk, as the walk's trace and the levels want them.

use super::{CallTable, Level, Piece, Placed, Source};
use crate::F;
use crate::permutation::DIGEST;

impl<const T: usize> CallTable<T> {
    /// Writes the input words of rows `chunk·N ..` of the table into `out`, a column each;
    /// rows beyond the table are left alone.
    ///
    /// # Panics
    /// When `words` is shorter than [`Self::num_words`].
    pub fn fill_inputs<const N: usize>(&self, words: &[F], chunk: usize, out: &mut [[F; N]; T]) {
        let pieces = self.pieces();
        let first = pieces.partition_point(|p| p.offset + p.size() <= chunk * N);
        let pieces = pieces[first..].iter().map(|piece| (piece.offset, piece));
        for (piece, x, to, len) in runs(pieces, chunk * N, N) {
            fill_run(piece, words, x, len, to, out);
        }
    }
}

impl<const T: usize> Level<'_, T> {
    /// Writes the input words of rows `chunk·N ..` of the level into `out`, a column each;
    /// rows beyond the level are left alone. `words` are the table's.
    ///
    /// # Panics
    /// When there are fewer words than the table has.
    pub fn fill_inputs<const N: usize>(&self, words: &[F], chunk: usize, out: &mut [[F; N]; T]) {
        let pieces = self.pieces_at(chunk * N).map(|placed| (placed.offset, placed.piece));
        for (piece, x, to, len) in runs(pieces, chunk * N, N) {
            fill_run(piece, words, x, len, to, out);
        }
    }

    /// The same for the digests.
    pub(crate) fn fill_digests<const N: usize>(
        &self,
        words: &[F],
        chunk: usize,
        out: &mut [[F; N]; DIGEST],
    ) {
        let mut starts = self.pieces_at(chunk * N).map(|placed| placed.digest);
        let pieces = self.pieces_at(chunk * N).map(|placed| (placed.offset, placed.piece));
        for (piece, x, to, len) in runs(pieces, chunk * N, N) {
            let Some(start) = starts.next() else { return };
            for (v, column) in out.iter_mut().enumerate() {
                let from = start + (v << piece.log_size) + x;
                column[to..to + len].copy_from_slice(&words[from..from + len]);
            }
        }
    }

    /// The pieces from the one that holds `row` on.
    fn pieces_at(&self, row: usize) -> impl Iterator<Item = &Placed<'_, T>> {
        let first = self.pieces.partition_point(|p| p.offset + p.piece.size() <= row);
        self.pieces[first..].iter()
    }
}

/// What of each piece lies in the rows `first .. first + rows`: the piece, its first row, its
/// place among the rows and its length.
fn runs<'a, const T: usize>(
    pieces: impl Iterator<Item = (usize, &'a Piece<T>)>,
    first: usize,
    rows: usize,
) -> impl Iterator<Item = (&'a Piece<T>, usize, usize, usize)> {
    pieces.take_while(move |&(offset, _)| offset < first + rows).map(move |(offset, piece)| {
        let from = first.max(offset);
        let end = (first + rows).min(offset + piece.size());
        (piece, from - offset, from - first, end - from)
    })
}

/// Writes `len` rows of a piece, from its row `x` on, to the places `to ..`.
fn fill_run<const T: usize, const N: usize>(
    piece: &Piece<T>,
    words: &[F],
    x: usize,
    len: usize,
    to: usize,
    out: &mut [[F; N]; T],
) {
    for (column, source) in out.iter_mut().zip(&piece.inputs) {
        let column = &mut column[to..to + len];
        match *source {
            Source::Constant(value) => column.fill(value),
            Source::Block { start } => {
                column.copy_from_slice(&words[start + x..][..len]);
            }
            Source::Interleaved { start, child } => {
                let from = words[start + 2 * x..][..2 * len].chunks_exact(2);
                for (to, pair) in column.iter_mut().zip(from) {
                    *to = pair[child];
                }
            }
            Source::Shifted { first, start } if x == 0 => {
                column[0] = first;
                column[1..].copy_from_slice(&words[start..][..len - 1]);
            }
            Source::Shifted { start, .. } => {
                column.copy_from_slice(&words[start + x - 1..][..len]);
            }
        }
    }
}
