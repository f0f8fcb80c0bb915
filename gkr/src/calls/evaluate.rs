//! Computing a table's digests: the native hash, packed and parallel.
//!
//! Pieces that do not read each other's digests form a *batch* and are computed side by side.
//! Sources always lie before a batch's digests, so the committed vector splits there into what
//! is read and what is written; chains, which read their own digests, carry them in registers.
#![deny(clippy::arithmetic_side_effects)]

use std::ops::Range;

use p3_field::{Algebra, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use super::sums::Sums;
use super::{CallTable, Piece, Source, Sum};
use crate::permutation::{DIGEST, Packed, Permutation, Poseidon2};
use crate::{F, count};

impl<const T: usize> CallTable<T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// Computes every digest from the source words `words[..base]`.
    ///
    /// # Panics
    /// When `words` is shorter than [`Self::num_words`].
    #[instrument(name = "gkr.calls.evaluate", skip_all, fields(calls = self.num_calls()))]
    pub fn evaluate(&self, words: &mut [F]) {
        assert!(words.len() >= self.num_words(), "room for all digests");
        let mut begin = 0;
        while begin < self.pieces().len() {
            let end = self.batch_end(begin);
            self.evaluate_batch(begin..end, words);
            begin = end;
        }
    }

    /// The end of the batch that starts with piece `begin`: the first piece that reads one of
    /// the batch's digests or differs from it in kind or size.
    fn batch_end(&self, begin: usize) -> usize {
        let pieces = self.pieces();
        let (size, chained) = (pieces[begin].log_size, self.sums.chained(&pieces[begin].inputs));
        let written = self.digest(begin, 0);
        let belongs = |piece: &Piece<T>| {
            piece.log_size == size
                && self.sums.chained(&piece.inputs) == chained
                && piece.inputs.iter().flat_map(|source| self.sums.parts(source)).all(|part| {
                    match *part {
                        Source::Block { start } | Source::Interleaved { start, .. } => {
                            start < written
                        }
                        Source::Constant(_) | Source::Shifted { .. } | Source::Affine { .. } => {
                            true
                        }
                    }
                })
        };
        let mut others = pieces.iter().enumerate().skip(begin).skip(1);
        others.find(|(_, piece)| !belongs(piece)).map_or(pieces.len(), |(end, _)| end)
    }

    fn evaluate_batch(&self, batch: Range<usize>, words: &mut [F]) {
        let (known, rest) = words.split_at_mut(self.digest(batch.start, 0));
        let pieces = &self.pieces()[batch];
        // The words begin with this batch's digests, as many as the pieces have.
        let log_size = pieces[0].log_size;
        count::compressions(pieces.len() << log_size);
        if self.sums.chained(&pieces[0].inputs) {
            rest.par_chunks_mut(LANES_DIGESTS << log_size)
                .zip(pieces.par_chunks(Packed::WIDTH))
                .for_each(|(digests, pieces)| chains(pieces, &self.sums, known, digests));
        } else {
            rest.par_chunks_mut(DIGEST << log_size)
                .zip(pieces)
                .for_each(|(digests, piece)| rows(piece, &self.sums, known, digests));
        }
    }
}

/// Words of a digest in each lane.
const LANES_DIGESTS: usize = DIGEST * Packed::WIDTH;

/// What a source is, given what those are that are no sums.
fn value<R: Algebra<F>>(sums: &Sums, source: &Source, plain: impl Fn(&Source) -> R) -> R {
    /// Out of line, for the sake of tables without sums.
    #[inline(never)]
    fn add<R: Algebra<F>>(sum: Sum<'_>, plain: impl Fn(&Source) -> R) -> R {
        let terms = sum.terms.iter();
        terms.fold(R::from(sum.constant), |sum, (by, source)| sum + plain(source) * *by)
    }
    match *source {
        Source::Affine { sum } => add(sums.get(sum), plain),
        _ => plain(source),
    }
}

/// One piece whose rows are independent: a vector holds neighbouring rows.
fn rows<const T: usize>(piece: &Piece<T>, sums: &Sums, known: &[F], digests: &mut [F])
where
    Poseidon2<T>: Permutation<T>,
{
    let size = piece.size();
    let load = |source: &Source, x: usize| match *source {
        Source::Constant(value) => value,
        Source::Block { start } => known[start..][x],
        Source::Interleaved { start, child } => known[start..][x << 1 | child],
        Source::Shifted { .. } => unreachable!("chains are computed apart"),
        Source::Affine { .. } => unreachable!("a sum's terms are no sums"),
    };
    // Rows x and on, x a multiple of the lanes.
    let load_packed = |source: &Source, x: usize| match *source {
        Source::Constant(value) => Packed::from(value),
        Source::Block { start } => *Packed::from_slice(&known[start..][x..][..Packed::WIDTH]),
        _ => Packed::from_fn(|lane| load(source, x | lane)),
    };
    if size < Packed::WIDTH {
        for x in 0..size {
            let state: [F; T] =
                std::array::from_fn(|v| value(sums, &piece.inputs[v], |source| load(source, x)));
            store(digests, size, x, &feed_forward::<F, T>(state, Poseidon2::permute));
        }
        return;
    }
    for x in (0..size).step_by(Packed::WIDTH) {
        let state: [Packed; T] =
            std::array::from_fn(|v| value(sums, &piece.inputs[v], |source| load_packed(source, x)));
        let digest = feed_forward::<Packed, T>(state, Poseidon2::permute_packed);
        for (column, word) in digests.chunks_exact_mut(size).zip(&digest) {
            column[x..][..Packed::WIDTH].copy_from_slice(word.as_slice());
        }
    }
}

/// As many chains as a vector has lanes, step by step: a lane holds a piece.
fn chains<const T: usize>(pieces: &[Piece<T>], sums: &Sums, known: &[F], digests: &mut [F])
where
    Poseidon2<T>: Permutation<T>,
{
    let log_size = pieces[0].log_size;
    let size = pieces[0].size();
    let mut previous = [Packed::ZERO; DIGEST];
    for x in 0..size {
        let state: [Packed; T] = std::array::from_fn(|v| {
            Packed::from_fn(|lane| {
                let Some(piece) = pieces.get(lane) else { return F::ZERO };
                value(sums, &piece.inputs[v], |source| match *source {
                    Source::Constant(value) => value,
                    Source::Block { start } => known[start..][x],
                    Source::Interleaved { start, child } => known[start..][x << 1 | child],
                    Source::Shifted { first, .. } if x == 0 => first,
                    Source::Shifted { start, .. } => {
                        // Its own digests come after all that is known.
                        let own = start.wrapping_sub(known.len()) >> log_size;
                        previous[own % DIGEST].as_slice()[lane]
                    }
                    Source::Affine { .. } => unreachable!("a sum's terms are no sums"),
                })
            })
        });
        previous = feed_forward::<Packed, T>(state, Poseidon2::permute_packed);
        // Where lanes are idle, what follows is not theirs.
        let digests = digests.chunks_exact_mut(DIGEST << log_size);
        for (lane, (digests, _)) in digests.zip(pieces).enumerate() {
            let digest = previous.map(|word| word.as_slice()[lane]);
            store(digests, size, x, &digest);
        }
    }
}

/// `P(state)[0..8] + state[0..8]`.
fn feed_forward<R: PrimeCharacteristicRing + Copy, const T: usize>(
    mut state: [R; T],
    permute: impl Fn(&mut [R; T]),
) -> [R; DIGEST] {
    let input = state;
    permute(&mut state);
    std::array::from_fn(|v| state[v] + input[v])
}

fn store(digests: &mut [F], size: usize, x: usize, digest: &[F; DIGEST]) {
    for (column, &word) in digests.chunks_exact_mut(size).zip(digest) {
        column[x] = word;
    }
}
