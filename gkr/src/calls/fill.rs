//! The input columns, chunk by chunk, as the walk's trace wants them.

use super::{CallTable, Source};
use crate::F;

impl<const T: usize> CallTable<T> {
    /// Writes the input words of rows `chunk·N ..` of the table into `out`, a column each;
    /// rows beyond the table are left alone.
    ///
    /// # Panics
    /// When `words` is shorter than [`Self::num_words`].
    pub fn fill_inputs<const N: usize>(&self, words: &[F], chunk: usize, out: &mut [[F; N]; T]) {
        let first = chunk * N;
        let end = (first + N).min(self.num_calls());
        let mut index = self.pieces().partition_point(|p| p.offset + p.size() <= first);
        let mut row = first;
        while row < end {
            let piece = &self.pieces()[index];
            let x = row - piece.offset;
            let len = (end - row).min(piece.size() - x);
            let to = row - first..row - first + len;
            for (column, source) in out.iter_mut().zip(&piece.inputs) {
                let column = &mut column[to.clone()];
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
            row += len;
            index += 1;
        }
    }
}
