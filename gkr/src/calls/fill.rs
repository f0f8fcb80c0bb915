//! A level's input columns and digests, chunk by chunk, as its walk and its merge want them.

use p3_field::PrimeCharacteristicRing;

use super::{Level, Placed, Source, Sum};
use crate::F;
use crate::permutation::DIGEST;

/// The part of a piece that lies among some rows.
struct Run<'a, const T: usize> {
    placed: &'a Placed<'a, T>,
    /// Its first row in the piece.
    x: usize,
    /// Its place among the rows.
    to: usize,
    len: usize,
}

/// What a source that is no sum has in the piece's rows from `x` on.
fn fill(source: &Source, words: &[F], x: usize, column: &mut [F]) {
    let len = column.len();
    match *source {
        Source::Constant(value) => column.fill(value),
        Source::Block { start } => column.copy_from_slice(&words[start + x..][..len]),
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
        Source::Shifted { start, .. } => column.copy_from_slice(&words[start + x - 1..][..len]),
        Source::Affine { .. } => unreachable!("a sum's terms are no sums"),
    }
}

impl<const T: usize> Level<'_, T> {
    /// Writes the input words of rows `chunk·N ..` of the level into `out`, a column each;
    /// rows beyond the level are left alone. `words` are the table's.
    ///
    /// # Panics
    /// When there are fewer words than the table has.
    pub fn fill_inputs<const N: usize>(&self, words: &[F], chunk: usize, out: &mut [[F; N]; T]) {
        for Run { placed, x, to, len } in self.runs(chunk * N, N) {
            for (column, source) in out.iter_mut().zip(&placed.piece.inputs) {
                let column = &mut column[to..to + len];
                let Source::Affine { sum } = *source else {
                    fill(source, words, x, column);
                    continue;
                };
                let Sum { constant, terms } = self.sum(sum);
                column.fill(constant);
                let mut part = [F::ZERO; N];
                for (coefficient, source) in terms {
                    fill(source, words, x, &mut part[..len]);
                    for (to, &word) in column.iter_mut().zip(&part) {
                        *to += *coefficient * word;
                    }
                }
            }
        }
    }

    /// The same for the digests.
    pub(crate) fn fill_digests<const N: usize>(
        &self,
        words: &[F],
        chunk: usize,
        out: &mut [[F; N]; DIGEST],
    ) {
        for Run { placed, x, to, len } in self.runs(chunk * N, N) {
            for (v, column) in out.iter_mut().enumerate() {
                let from = placed.digest + (v << placed.piece.log_size) + x;
                column[to..to + len].copy_from_slice(&words[from..from + len]);
            }
        }
    }

    /// What lies in the rows `first .. first + rows`, piece by piece.
    fn runs(&self, first: usize, rows: usize) -> impl Iterator<Item = Run<'_, T>> {
        let start = self.pieces.partition_point(|p| p.offset + p.piece.size() <= first);
        let within = self.pieces[start..].iter().take_while(move |p| p.offset < first + rows);
        within.map(move |placed| {
            let from = first.max(placed.offset);
            let end = (first + rows).min(placed.offset + placed.piece.size());
            Run { placed, x: from - placed.offset, to: from - first, len: end - from }
        })
    }
}
