//! Recovering a block from half its columns, so that recovery cannot lie.
//!
//! The recovered matrix is encoded and hashed anew, and every digest is compared with the
//! commitment: whoever gets bytes back gets those of the commitment. Columns that verify but
//! disagree with the code (possible only where no proof was checked) lead to an error that
//! names the rows.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use airda_gkr::F;
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use crate::block::Block;
use crate::code;
use crate::commitment::Commitment;
use crate::error::Error;
use crate::opening::{CheckedColumn, Column};
use crate::params::Params;

/// A block that was recovered and agrees with its commitment in every digest.
#[derive(Clone, Debug)]
pub struct Recovered(Block);

impl Recovered {
    /// The payload.
    ///
    /// # Errors
    /// [`Error::SymbolRange`] or [`Error::Padding`]: the block is available but invalid, for every
    /// reader alike.
    pub fn payload(&self) -> Result<Vec<u8>, Error> {
        code::payload(self.0.params(), self.0.matrix())
    }

    /// Opens the columns `indices`, missing ones too, as the builder would.
    ///
    /// # Errors
    /// [`Error::Column`] for an index out of range.
    pub fn open(&self, indices: &[usize]) -> Result<Vec<Column>, Error> {
        self.0.open(indices)
    }

    /// The block.
    pub const fn block(&self) -> &Block {
        &self.0
    }
}

/// Recovers the block of `commitment` from at least half its columns, in any order.
///
/// # Errors
/// [`Error::MixedRoots`] for a column of another commitment, the [code's](code::recover) errors
/// for duplicates and too few columns, [`Error::NotACodeword`] when what the columns determine
/// is not what was committed to.
#[instrument(name = "das.recover", skip_all, fields(columns = columns.len()))]
pub fn recover(commitment: &Commitment, columns: &[CheckedColumn]) -> Result<Recovered, Error> {
    let params = commitment.params();
    if let Some(foreign) = columns.iter().find(|column| column.root() != commitment.root()) {
        return Err(Error::MixedRoots { index: foreign.index() });
    }
    let mut sorted: Vec<(usize, &[F])> =
        columns.iter().map(|column| (column.index(), column.words())).collect();
    sorted.sort_unstable_by_key(|&(index, _)| index);
    let matrix = code::recover(params, &sorted)?;
    let block = Block::commit(*params, &matrix)?;
    if block.commitment() == commitment {
        return Ok(Recovered(block));
    }
    Err(Error::NotACodeword { rows: rows_that_differ(commitment, &block, &sorted) })
}

/// Rows in which the recovered block differs from the committed one, as far as the row digests
/// and the given columns tell.
fn rows_that_differ(
    commitment: &Commitment,
    block: &Block,
    columns: &[(usize, &[F])],
) -> Vec<usize> {
    let digests = commitment.row_digests().iter().zip(block.commitment().row_digests());
    let params = commitment.params();
    digests
        .collect::<Vec<_>>()
        .into_par_iter()
        .enumerate()
        .filter(|(row, (theirs, ours))| {
            theirs != ours || cells_differ(params, block.matrix(), *row, columns)
        })
        .map(|(row, _)| row)
        .collect()
}

/// Whether some given cell of the row is not the recovered one.
fn cells_differ(params: &Params, matrix: &[F], row: usize, columns: &[(usize, &[F])]) -> bool {
    let len = params.cell_words();
    columns.iter().any(|&(index, words)| {
        let cell = words.chunks(len).nth(row).unwrap_or(&[]);
        cell.iter().enumerate().any(|(word, value)| {
            let run = matrix.get(params.word_offset(row, word)..).unwrap_or_default();
            run.get(index) != Some(value)
        })
    })
}
