//! The levels of a table: calls that one walk takes together.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use std::cmp::Reverse;

use super::sums::Sums;
use super::{CallTable, Piece, Sum};

/// A piece in a level.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a, const T: usize> {
    /// The piece, with its offset in the table.
    pub piece: &'a Piece<T>,
    /// Its first row's index in the level.
    pub offset: usize,
    /// Where its digests start among the table's words.
    pub digest: usize,
}

/// Some of a table's pieces, placed anew in descending size.
///
/// The pieces with a feeder come first, so that the digests of the next level's row i are the
/// chaining value of this level's row i, for every i below the next level's number of calls.
#[derive(Clone, Debug)]
pub struct Level<'a, const T: usize> {
    /// The pieces, in order.
    pub pieces: Vec<Placed<'a, T>>,
    /// Calls in the level.
    pub num_calls: usize,
    /// The table's.
    pub(super) sums: &'a Sums,
}

impl<'a, const T: usize> Level<'a, T> {
    pub(crate) fn new(table: &'a CallTable<T>, pieces: impl IntoIterator<Item = usize>) -> Self {
        let mut level = Self { pieces: Vec::new(), num_calls: 0, sums: &table.sums };
        for index in pieces {
            let Some(piece) = table.pieces().get(index) else { continue };
            let (offset, digest) = (level.num_calls, table.digest(index, 0));
            level.pieces.push(Placed { piece, offset, digest });
            // Some of the table's calls, which it has counted.
            level.num_calls = level.num_calls.wrapping_add(piece.size());
        }
        level
    }

    /// Some of a table's pieces, each at an offset of its own, which need not follow the one
    /// before. Rows between them are no calls.
    pub(crate) fn spread(
        table: &'a CallTable<T>,
        pieces: impl IntoIterator<Item = (usize, usize)>,
        num_calls: usize,
    ) -> Self {
        let place = |(index, offset)| {
            let piece = table.pieces().get(index)?;
            Some(Placed { piece, offset, digest: table.digest(index, 0) })
        };
        let pieces = pieces.into_iter().filter_map(place).collect();
        Self { pieces, num_calls, sums: &table.sums }
    }

    /// As [`CallTable::sum`].
    pub(crate) fn sum(&self, sum: usize) -> Sum<'a> {
        self.sums.get(sum)
    }
}

impl<const T: usize> CallTable<T> {
    /// The levels: first the pieces whose digests are committed, then what feeds the level
    /// before, until nothing is fed.
    ///
    /// # Panics
    /// When a transient piece has no consumer.
    pub fn levels(&self) -> Vec<Level<'_, T>> {
        assert!(self.consumed.iter().all(|&consumed| consumed), "transient pieces are consumed");
        // How many transient pieces stand behind a piece, one behind the other.
        let mut depths: Vec<usize> = Vec::with_capacity(self.pieces().len());
        for piece in self.pieces() {
            let behind = piece.feeder().and_then(|feeder| depths.get(feeder));
            // Less than there are pieces.
            depths.push(behind.map_or(0, |depth: &usize| depth.wrapping_add(1)));
        }
        let transients = self.transients();
        let mut committed: Vec<(usize, usize)> = depths
            .into_iter()
            .enumerate()
            .filter(|(index, _)| transients.binary_search(index).is_err())
            .collect();
        // Stable, and only the largest pieces have a depth: sizes stay in order. In the next
        // levels, too, deeper pieces come first.
        committed.sort_by_key(|&(_, depth)| Reverse(depth));
        let mut levels = vec![Level::new(self, committed.into_iter().map(|(index, _)| index))];
        while let Some(last) = levels.last() {
            let feeders: Vec<usize> =
                last.pieces.iter().map_while(|placed| placed.piece.feeder()).collect();
            if feeders.is_empty() {
                break;
            }
            levels.push(Level::new(self, feeders));
        }
        levels
    }
}
