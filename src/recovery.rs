//! Recovering a block from half its columns, so that recovery cannot lie.
//!
//! The recovered rows are encoded and hashed anew, and every digest is compared with the
//! commitment: whoever gets bytes back gets those of the commitment, and every half of the
//! columns gives the same. Columns that verify but disagree with the code (possible only where
//! no proof was checked) lead to an error that names the rows, whenever what was given tells
//! them: a row's digest speaks of its payload half, its cells in the given columns for
//! themselves. Of parity cells in other columns there is only what root_col says of whole
//! columns; if those alone are off the code, the error says so and names no row.
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

/// Recovers the block of `commitment` from at least half its columns, in ascending order.
///
/// All of the columns are compared with what the first of them determine.
///
/// # Errors
/// [`Error::MixedRoots`] for a column of another commitment, the [code's](code::recover) errors
/// for columns that are given twice, unsorted or too few, [`Error::NotACodeword`] when what the
/// columns determine is not what was committed to. There is no column out of range:
/// [`Commitment::check`] makes none.
#[instrument(name = "das.recover", skip_all, fields(columns = columns.len()))]
pub fn recover(commitment: &Commitment, columns: &[CheckedColumn]) -> Result<Recovered, Error> {
    let params = commitment.params();
    if let Some(foreign) = columns.iter().find(|column| column.root() != commitment.root()) {
        return Err(Error::MixedRoots { index: foreign.index() });
    }
    let columns: Vec<(usize, &[F])> =
        columns.iter().map(|column| (column.index(), column.words())).collect();
    let matrix = code::recover(params, &columns)?;
    confirm(commitment, &columns, matrix)
}

/// The block of `matrix`, of whose parity half nothing is believed, if it is the one committed to.
fn confirm(
    commitment: &Commitment,
    columns: &[(usize, &[F])],
    mut matrix: Vec<F>,
) -> Result<Recovered, Error> {
    let params = commitment.params();
    code::extend(params, &mut matrix)?;
    let block = Block::commit(*params, &matrix)?;
    if block.commitment() == commitment {
        return Ok(Recovered(block));
    }
    Err(Error::NotACodeword { rows: rows_that_differ(commitment, &block, columns) })
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

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::*;
    use crate::params::HashWidth;

    fn all_of(matrix: &[F], params: &Params) -> Vec<(usize, Vec<F>)> {
        let words = |index| matrix.chunks(params.columns()).map(|run| run[index]).collect();
        (0..params.columns()).map(|index| (index, words(index))).collect()
    }

    /// Should decoding ever be wrong, what it returns is not believed: the committed matrix
    /// itself is refused if it is off the code, and a wrong parity half is made anew.
    #[test]
    fn what_was_decoded_is_encoded_anew() {
        for hash in [HashWidth::W16, HashWidth::W24] {
            let params = Params::new(hash, 4, 1, 3, 900).unwrap();
            let mut matrix: Vec<F> = (0..params.matrix_words()).map(F::from_usize).collect();
            code::extend(&params, &mut matrix).unwrap();
            let honest = Block::commit(params, &matrix).unwrap();
            for (row, column) in [(0, 9), (2, 15)] {
                matrix[params.word_offset(row, 3) + column] += F::ONE;
            }
            let block = Block::commit(params, &matrix).unwrap();
            let words = all_of(&matrix, &params);
            let columns: Vec<(usize, &[F])> =
                words.iter().map(|(index, words)| (*index, &words[..])).collect();
            for (columns, expected) in [(&columns[..], vec![0, 2]), (&columns[..15], vec![0])] {
                match confirm(block.commitment(), columns, matrix.clone()) {
                    Err(Error::NotACodeword { rows }) => assert_eq!(rows, expected),
                    other => panic!("{other:?}"),
                }
            }
            let recovered = confirm(honest.commitment(), &columns, matrix).unwrap();
            assert_eq!(recovered.block().matrix(), honest.matrix());
        }
    }
}
