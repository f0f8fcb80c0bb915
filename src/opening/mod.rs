//! Opening columns and checking them.
//!
//! A column is opened with its n cells and its path in the tree over the column roots. To
//! check it is to recompute the cells' digests, the column root C_j = Merkle(e_1j, …, e_nj)
//! and the path up to the commitment's root_col. Nothing else makes a [`CheckedColumn`].
//! Word and path counts come from the commitment's parameters, and the path's turns from the
//! column's index, so neither a node nor another column can take a column's place.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

mod hash;
mod tree;

use airda_gkr::F;
use airda_gkr::permutation::Digest;
use p3_maybe_rayon::prelude::*;
pub use tree::{ColumnTree, open_many};

use crate::commitment::Commitment;
use crate::error::Error;
use crate::hash::ABSENT;
use crate::params::Params;

/// Why a column is not the commitment's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// It states another commitment's root.
    #[error("it belongs to another commitment")]
    OtherRoot,
    /// There is no such column.
    #[error("there are only {columns} columns")]
    Index {
        /// Columns of the block.
        columns: usize,
    },
    /// It has too few or too many words.
    #[error("it has {found} words instead of {expected}")]
    Words {
        /// Words it has.
        found: usize,
        /// n·5c.
        expected: usize,
    },
    /// Its path is too short or too long.
    #[error("its path has {found} digests instead of {expected}")]
    PathLength {
        /// Digests it has.
        found: usize,
        /// log2 ℓ.
        expected: usize,
    },
    /// Its words and path lead to another root than the commitment's.
    #[error("its words and path do not lead to the commitment's column root")]
    Path,
}

/// An opened column, not checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    root: Digest,
    index: usize,
    words: Vec<F>,
    path: Vec<Digest>,
}

impl Column {
    /// Column `index` of the block committed to by `root`: n·5c words, row-major and within a
    /// cell limb-major, and log2 ℓ sibling digests, the column root's own sibling first.
    pub const fn new(root: Digest, index: usize, words: Vec<F>, path: Vec<Digest>) -> Self {
        Self { root, index, words, path }
    }

    /// Root of the commitment that the column claims to belong to.
    pub const fn root(&self) -> &Digest {
        &self.root
    }

    /// The column's index.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// The cells' words: word e = limb·c + symbol of row i is at i·5c + e.
    pub fn words(&self) -> &[F] {
        &self.words
    }

    /// The siblings on the way to root_col, the lowest first.
    pub fn path(&self) -> &[Digest] {
        &self.path
    }

    /// Whether the column has the shape that the commitment's parameters call for.
    fn shape(&self, commitment: &Commitment) -> Result<(), Error> {
        let params = commitment.params();
        let refuse = |why| Err(Error::Column { index: self.index, why });
        if self.root != *commitment.root() {
            return refuse(Mismatch::OtherRoot);
        }
        if self.index >= params.columns() {
            return refuse(Mismatch::Index { columns: params.columns() });
        }
        let (found, expected) = (self.words.len(), params.column_words());
        if found != expected {
            return refuse(Mismatch::Words { found, expected });
        }
        let (found, expected) = (self.path.len(), params.log_columns());
        if found != expected {
            return refuse(Mismatch::PathLength { found, expected });
        }
        Ok(())
    }
}

/// A column that the commitment with root [`CheckedColumn::root`] contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedColumn(Column);

impl CheckedColumn {
    /// Root of the commitment that the column belongs to.
    pub const fn root(&self) -> &Digest {
        self.0.root()
    }

    /// The column's index.
    pub const fn index(&self) -> usize {
        self.0.index()
    }

    /// The cells' words: word e = limb·c + symbol of row i is at i·5c + e.
    pub fn words(&self) -> &[F] {
        self.0.words()
    }

    /// The column with its path, to be written or served again.
    pub const fn column(&self) -> &Column {
        &self.0
    }
}

impl Commitment {
    /// Checks that the block contains `column`.
    ///
    /// # Errors
    /// [`Error::Column`] when it does not.
    pub fn check(&self, column: Column) -> Result<CheckedColumn, Error> {
        column.shape(self)?;
        let index = column.index;
        match top_of_paths(self.params(), std::slice::from_ref(&&column)).as_slice() {
            [top] if top == self.root_col() => Ok(CheckedColumn(column)),
            _ => Err(Error::Column { index, why: Mismatch::Path }),
        }
    }

    /// [`Commitment::check`] of many columns, packed across columns and in parallel. The
    /// results are in the columns' order.
    pub fn check_all(&self, columns: Vec<Column>) -> Vec<Result<CheckedColumn, Error>> {
        let shapes: Vec<_> = columns.iter().map(|column| column.shape(self)).collect();
        let shapely: Vec<_> =
            columns.iter().zip(&shapes).filter(|(_, ok)| ok.is_ok()).map(|(c, _)| c).collect();
        let group = shapely.len().div_ceil(current_num_threads()).clamp(1, hash::LANES);
        let tops: Vec<Vec<Digest>> =
            shapely.par_chunks(group).map(|group| top_of_paths(self.params(), group)).collect();
        let mut tops = tops.into_iter().flatten();
        let check = |(column, shape): (Column, Result<(), Error>)| {
            shape?;
            if tops.next() == Some(*self.root_col()) {
                Ok(CheckedColumn(column))
            } else {
                Err(Error::Column { index: column.index, why: Mismatch::Path })
            }
        };
        columns.into_iter().zip(shapes).map(check).collect()
    }
}

/// Where the columns' words and paths lead: root_col for columns of the block. The columns
/// must have the right shape.
fn top_of_paths(params: &Params, columns: &[&Column]) -> Vec<Digest> {
    let cells = columns.iter().flat_map(|column| column.words.chunks(params.cell_words()));
    let digests = hash::cells(params, cells);
    let mut tops = merkle_roots(params, digests, params.rows());
    for level in 0..params.log_columns() {
        let pairs: Vec<_> = tops
            .iter()
            .zip(columns)
            .map(|(&top, column)| {
                let sibling = column.path.get(level).copied().unwrap_or(ABSENT);
                if column.index >> level & 1 == 0 { [top, sibling] } else { [sibling, top] }
            })
            .collect();
        tops = hash::nodes(params, &pairs);
    }
    tops
}

/// The roots of many trees with `count` leaves each, all leaves in one list.
fn merkle_roots(params: &Params, mut level: Vec<Digest>, mut count: usize) -> Vec<Digest> {
    while count > 1 {
        level = hash::nodes(params, &pairs(&level, count));
        count = count.div_ceil(2);
    }
    level
}

/// The sibling pairs of levels of `count` nodes each, [`ABSENT`] completing odd levels.
fn pairs(level: &[Digest], count: usize) -> Vec<[Digest; 2]> {
    let pair = |nodes: &[Digest]| {
        let mut nodes = nodes.iter().copied();
        std::array::from_fn(|_| nodes.next().unwrap_or(ABSENT))
    };
    level.chunks(count).flat_map(|tree| tree.chunks(2)).map(pair).collect()
}

#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used
)]
pub(crate) mod fixture;
#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used
)]
mod tests;
