//! The pieces of a call table as regions.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_symmetric::CryptographicHasher;

use super::{Regions, Stack};
use crate::Reject;
use crate::blake3::{Blake3, DIGEST_BYTES};
use crate::calls::{CallTable, Level};
use crate::codec::put_count;
use crate::transcript::Channel;
use crate::walk::CHUNK;

/// A call table whose pieces fall into regions, every piece into one.
#[derive(Clone, Debug)]
pub struct Grouped<'a, const T: usize> {
    table: &'a CallTable<T>,
    /// Each region's pieces, in the table's order and without gaps.
    levels: Vec<Level<'a, T>>,
    /// All pieces, where the stack has them.
    stack: Level<'a, T>,
    regions: Regions,
}

impl<'a, const T: usize> Grouped<'a, T> {
    /// The table with region a made of the pieces `groups[a]`.
    ///
    /// # Errors
    /// [`Reject::Regions`] when there is no region, or one without pieces.
    ///
    /// # Panics
    /// When a piece is in no region or in two, or there is no such piece, or a transient one.
    #[allow(clippy::panic_in_result_fn, reason = "tables and groups are the caller's, no proof's")]
    pub fn new<G: IntoIterator<Item = usize>>(
        table: &'a CallTable<T>,
        groups: impl IntoIterator<Item = G>,
    ) -> Result<Self, Reject> {
        let mut groups: Vec<Vec<usize>> =
            groups.into_iter().map(|group| group.into_iter().collect()).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        let mut all = groups.concat();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..table.pieces().len()), "every piece is in one region");
        assert!(table.transients().is_empty(), "every digest is committed, or none");
        let levels: Vec<Level<'a, T>> =
            groups.iter().map(|group| Level::new(table, group.iter().copied())).collect();
        let regions = Regions::new(levels.iter().map(|level| level.num_calls))?;
        let spread = stacked(regions.stack(), &groups, &levels);
        let stack = Level::spread(table, spread, regions.stack().rows());
        Ok(Self { table, levels, stack, regions })
    }

    /// Each piece a region.
    ///
    /// # Errors
    /// [`Reject::Regions`] when there is no piece.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn by_piece(table: &'a CallTable<T>) -> Result<Self, Reject> {
        Self::new(table, (0..table.pieces().len()).map(|piece| [piece]))
    }

    /// Absorbs a digest of the table, as [`CallTable::bind`] does, and which pieces each region is
    /// made of.
    ///
    /// A [batch](super::Batch) absorbs no more of this than the regions' sizes. Both sides of a
    /// proof call it before they draw the output claims' point, unless they absorb a shorter
    /// description that determines the table and its regions.
    pub fn bind(&self, channel: &mut impl Channel) {
        self.table.bind(channel);
        let mut bytes = b"airda gkr, regions".to_vec();
        put_count(&mut bytes, self.levels.len());
        for Level { pieces, .. } in &self.levels {
            put_count(&mut bytes, pieces.len());
            // A piece is named by its first row.
            pieces.iter().for_each(|placed| put_count(&mut bytes, placed.piece.offset));
        }
        let digest: [u8; DIGEST_BYTES] = Blake3.hash_slice(&bytes);
        channel.bind_bytes(&digest);
    }

    /// The regions.
    pub const fn regions(&self) -> &Regions {
        &self.regions
    }

    /// Each region's rows.
    pub(super) fn levels(&self) -> &[Level<'a, T>] {
        &self.levels
    }

    /// The stack's rows.
    pub(super) const fn stack(&self) -> &Level<'a, T> {
        &self.stack
    }

    /// The table's source words.
    #[cfg(feature = "prover")]
    pub(super) const fn base(&self) -> usize {
        self.table.base()
    }

    /// The calls' inputs, of the table's words: digests that a call reads among them.
    ///
    /// # Panics
    /// When it is called, and there are fewer words than are read.
    #[cfg(feature = "prover")]
    #[allow(clippy::indexing_slicing, reason = "the prover's, of the regions that there are")]
    pub fn inputs<'s>(&'s self, words: &'s [crate::F]) -> impl super::Inputs<T> + 's {
        |region: usize, chunk: usize, columns: &mut [[crate::F; CHUNK]; T]| {
            self.levels[region].fill_inputs(words, chunk, columns);
        }
    }
}

/// For each piece of the table its first row in the stack. A piece lies within one of the stack's:
/// both are powers of two and aligned in the region, and what the stack cuts a region into is
/// as long as it can be.
fn stacked<const T: usize>(
    stack: &Stack,
    groups: &[Vec<usize>],
    levels: &[Level<'_, T>],
) -> Vec<(usize, usize)> {
    let mut spread = Vec::new();
    for piece in stack.pieces() {
        // Chunks of calls that the table has counted: no overflow, here and below.
        let [first, start, rows] =
            [piece.chunk, piece.start, piece.len()].map(|chunks| chunks.wrapping_mul(CHUNK));
        let indices = groups.get(piece.region).into_iter().flatten();
        let placed = levels.get(piece.region).into_iter().flat_map(|level| &level.pieces);
        for (&index, placed) in indices.zip(placed) {
            let within = placed.offset.checked_sub(first).filter(|&within| within < rows);
            if let Some(within) = within {
                debug_assert!(within.wrapping_add(placed.piece.size()) <= rows);
                spread.push((index, start.wrapping_add(within)));
            }
        }
    }
    spread
}
