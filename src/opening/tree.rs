//! The builder's side: the tree over the column roots, and opening columns of a matrix.

use airda_gkr::F;
use airda_gkr::permutation::Digest;
use p3_maybe_rayon::prelude::*;

use super::{Column, Mismatch, hash, pairs};
use crate::commitment::Commitment;
use crate::error::Error;
use crate::hash::ABSENT;
use crate::params::Params;

/// Neighbouring columns opened together: their words share cache lines.
const TOGETHER: usize = 16;
/// Pairs of nodes hashed by one task.
const TASK: usize = 256;

/// The tree over the ℓ column roots, every level kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnTree {
    /// The column roots first, root_col last.
    levels: Vec<Vec<Digest>>,
}

impl ColumnTree {
    /// Hashes the tree over `column_roots`.
    ///
    /// # Panics
    /// When there are not ℓ column roots.
    pub fn new(params: &Params, column_roots: Vec<Digest>) -> Self {
        assert_eq!(column_roots.len(), params.columns(), "one root a column");
        let mut levels = vec![column_roots];
        while let Some(level) = levels.last().filter(|level| level.len() > 1) {
            let pairs = pairs(level, level.len());
            let parents: Vec<Vec<Digest>> =
                pairs.par_chunks(TASK).map(|pairs| hash::nodes(params, pairs)).collect();
            levels.push(parents.concat());
        }
        Self { levels }
    }

    /// root_col.
    pub fn root(&self) -> Digest {
        self.levels.last().and_then(|top| top.first()).copied().unwrap_or(ABSENT)
    }

    /// The siblings of column `index` and of its ancestors, the lowest first.
    ///
    /// # Errors
    /// [`Error::Column`] when there is no such column.
    pub fn path(&self, index: usize) -> Result<Vec<Digest>, Error> {
        let columns = self.levels.first().map_or(0, Vec::len);
        if index >= columns {
            return Err(Error::Column { index, why: Mismatch::Index { columns } });
        }
        let below_root = self.levels.iter().take(self.levels.len().saturating_sub(1));
        let sibling = |(height, level): (usize, &Vec<Digest>)| {
            level.get(index >> height ^ 1).copied().unwrap_or(ABSENT)
        };
        Ok(below_root.enumerate().map(sibling).collect())
    }
}

/// Opens columns of the encoded `matrix` (word e of row i starts at
/// [`Params::word_offset`]`(i, e)`, the ℓ columns' words in a run), in the order of `indices`.
///
/// # Errors
/// [`Error::Column`] for an index out of range.
///
/// # Panics
/// When the matrix does not have the parameters' length or the tree is not the commitment's.
pub fn open_many(
    commitment: &Commitment,
    tree: &ColumnTree,
    matrix: &[F],
    indices: &[usize],
) -> Result<Vec<Column>, Error> {
    let params = commitment.params();
    check_block(commitment, tree, matrix);
    let opened: Vec<Result<Vec<Column>, Error>> = indices
        .par_chunks(TOGETHER)
        .map(|group| {
            let mut columns = Vec::with_capacity(group.len());
            for &index in group {
                let words = Vec::with_capacity(params.column_words());
                columns.push(Column::new(*commitment.root(), index, words, tree.path(index)?));
            }
            for run in matrix.chunks(params.columns()) {
                for column in &mut columns {
                    column.words.extend(run.get(column.index).copied());
                }
            }
            Ok(columns)
        })
        .collect();
    let mut columns = Vec::with_capacity(indices.len());
    for group in opened {
        columns.extend(group?);
    }
    Ok(columns)
}

fn check_block(commitment: &Commitment, tree: &ColumnTree, matrix: &[F]) {
    assert_eq!(matrix.len(), commitment.params().matrix_words(), "a whole matrix");
    assert_eq!(tree.root(), *commitment.root_col(), "the commitment's own tree");
}
