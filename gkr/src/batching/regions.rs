//! Regions of calls, and the stack that holds all of them.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use crate::eq::eq_at;
use crate::walk::{CHUNK, ChunkWeights, Point, Run, log_outer};
use crate::{E, Reject};

/// Regions of calls of one permutation, each of any number of calls from one on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    num_calls: Vec<usize>,
    stack: Stack,
}

impl Regions {
    /// The most calls that the regions may have together: what a call costs is counted in words,
    /// and the products must not overflow.
    pub const MAX_CALLS: usize = 1 << 40;

    /// Regions of so many calls.
    ///
    /// # Errors
    /// [`Reject::Regions`] when there is no region, one without calls, or more than
    /// [`Self::MAX_CALLS`] calls, each region's last chunk counted whole.
    pub fn new(num_calls: impl IntoIterator<Item = usize>) -> Result<Self, Reject> {
        let num_calls: Vec<usize> = num_calls.into_iter().collect();
        let mut total = 0_usize;
        for &calls in &num_calls {
            let held = calls.checked_next_multiple_of(CHUNK).filter(|&held| held > 0);
            let sum = held.and_then(|held| held.checked_add(total));
            total = sum.filter(|&sum| sum <= Self::MAX_CALLS).ok_or(Reject::Regions)?;
        }
        if num_calls.is_empty() {
            return Err(Reject::Regions);
        }
        let stack = Stack::new(&num_calls);
        Ok(Self { num_calls, stack })
    }

    /// Calls of each region.
    pub fn num_calls(&self) -> &[usize] {
        &self.num_calls
    }

    /// How many regions there are; at least one.
    pub const fn len(&self) -> usize {
        self.num_calls.len()
    }

    /// Never: there is at least one region.
    pub const fn is_empty(&self) -> bool {
        self.num_calls.is_empty()
    }

    /// m of each region, its outer bits.
    pub fn log_outer(&self) -> Vec<usize> {
        self.num_calls.iter().map(|&calls| log_outer(calls)).collect()
    }

    /// The outer bits of the largest region.
    pub fn max_log_outer(&self) -> usize {
        self.num_calls.iter().map(|&calls| log_outer(calls)).max().unwrap_or(0)
    }

    /// The regions in one table.
    pub const fn stack(&self) -> &Stack {
        &self.stack
    }
}

/// All regions in one table of chunks of 128 rows: each region is cut into powers of two of
/// chunks, as few as there can be, and these pieces come in descending size, those of one size
/// in the regions' order. So every piece is aligned to its size, in its region and here, and
/// nothing is padded but each region's last chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    pieces: Vec<Piece>,
    chunks: usize,
}

/// 2^`log_len` chunks of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whose they are.
    pub region: usize,
    /// The first of them in the region.
    pub chunk: usize,
    /// The first of them in the stack.
    pub start: usize,
    /// log2 of how many.
    pub log_len: usize,
}

impl Piece {
    /// How many chunks.
    pub(crate) const fn len(&self) -> usize {
        1 << self.log_len
    }
}

impl Stack {
    /// `num_calls` have been counted: no sum of them overflows.
    fn new(num_calls: &[usize]) -> Self {
        let mut pieces = Vec::new();
        for (region, &calls) in num_calls.iter().enumerate() {
            let mut left = calls.div_ceil(CHUNK);
            let mut chunk = 0_usize;
            while let Some(log_len) = left.checked_ilog2() {
                let log_len = log_len as usize;
                pieces.push(Piece { region, chunk, start: 0, log_len });
                chunk = chunk.wrapping_add(1 << log_len);
                left ^= 1 << log_len;
            }
        }
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.log_len));
        let mut chunks = 0_usize;
        for piece in &mut pieces {
            piece.start = chunks;
            chunks = chunks.wrapping_add(piece.len());
        }
        Self { pieces, chunks }
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Chunks in the stack.
    pub const fn chunks(&self) -> usize {
        self.chunks
    }

    /// Rows in the stack.
    pub const fn rows(&self) -> usize {
        // As counted when the regions were made.
        self.chunks.wrapping_mul(CHUNK)
    }

    /// Which region's chunk the stack's chunk `index` is: (region, chunk).
    pub fn chunk(&self, index: usize) -> Option<(usize, usize)> {
        let after = self.pieces.partition_point(|piece| piece.start <= index);
        let piece = self.pieces.get(after.checked_sub(1)?)?;
        let within = index.wrapping_sub(piece.start);
        (within < piece.len()).then(|| (piece.region, piece.chunk.wrapping_add(within)))
    }

    /// The weights that `Σ_a coefficient_a·Σ_i w_a(i)` gives to the stack's chunks, w_a(i) the
    /// weight of the region's row i at its prefix of `at`; rows beyond a region's chunks are
    /// left out.
    pub(super) fn weights(
        &self,
        regions: &Regions,
        at: &Point,
        coefficients: &[E],
    ) -> ChunkWeights {
        let runs = self.pieces.iter().map(|piece| {
            let bits = regions.num_calls.get(piece.region).map_or(0, |&calls| log_outer(calls));
            let above = at.outer.get(piece.log_len..bits).unwrap_or(&[]);
            let coefficient = coefficients.get(piece.region).copied().unwrap_or_default();
            let coefficient = coefficient * eq_at(above, piece.chunk >> piece.log_len);
            Run { start: piece.start, log_len: piece.log_len, coefficient }
        });
        ChunkWeights { point: at.outer.clone(), runs: runs.collect() }
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_holds_every_chunk_once_and_aligned() {
        let calls = [1, 127, 128, 129, 640, 1000, 3 * CHUNK, 1 << 12];
        let regions = Regions::new(calls).unwrap();
        let stack = regions.stack();
        let held: Vec<usize> = calls.iter().map(|calls| calls.div_ceil(CHUNK)).collect();
        assert_eq!(stack.chunks(), held.iter().sum::<usize>());
        let mut seen: Vec<Vec<bool>> = held.iter().map(|&chunks| vec![false; chunks]).collect();
        for index in 0..stack.chunks() {
            let (region, chunk) = stack.chunk(index).unwrap();
            assert!(!std::mem::replace(&mut seen[region][chunk], true));
        }
        assert_eq!(stack.chunk(stack.chunks()), None);
        for piece in stack.pieces() {
            assert_eq!([piece.chunk % piece.len(), piece.start % piece.len()], [0, 0]);
        }
        assert!(stack.pieces().is_sorted_by_key(|piece| std::cmp::Reverse(piece.log_len)));
    }

    #[test]
    fn regions_have_calls_and_not_too_many() {
        assert_eq!(Regions::new([]), Err(Reject::Regions));
        assert_eq!(Regions::new([5, 0]), Err(Reject::Regions));
        assert_eq!(Regions::new([usize::MAX]), Err(Reject::Regions));
        assert_eq!(Regions::new([Regions::MAX_CALLS, 1]), Err(Reject::Regions));
        assert!(Regions::new([Regions::MAX_CALLS]).is_ok());
    }
}
