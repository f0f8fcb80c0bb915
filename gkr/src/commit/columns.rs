//! Columns of zeros, and the tree that leaves them out.
//!
//! # What is committed
//! The words stand in the first matrix column by column: with h = m − k variables left after
//! the first fold of k, column j holds words j·2^h to (j+1)·2^h. A row of the codeword is one
//! symbol of the interleaved code, 2^k words. The statement says how many words there are, so
//! both sides know that all columns from the first unused one on are zero: their codeword is
//! zero, and so is the tail of every row. [`ColumnTree`] hashes, keeps and sends the used part
//! of a row only.
//!
//! # Soundness
//! To p3's verifier the tree is one over whole rows: it asks for a row, and is given the opened
//! part completed with zeros. Let h be the map from a whole row to its digest, defined on rows
//! with a zero tail alone; it hides nothing from a row and is as collision resistant as the hash
//! it applies to the rest. So a root binds, position by position, a word over the alphabet of
//! rows with a zero tail, a subset of all rows, and WHIR's argument holds for every word over
//! all rows: its verifier folds the completed row and never learns that it was shorter. A prover
//! has fewer strategies than before, not more. A row with a nonzero tail has no digest:
//! [`ColumnTree`] refuses it, and no proof can encode one.
//!
//! The number of used columns follows from the statement and is absorbed with the parameters.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_commit::{BatchOpening, BatchOpeningRef, Mmcs};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::{Dimensions, Matrix};

use crate::F;

/// Widths of the first codeword's rows, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// Hashed, kept and sent.
    pub(super) used: usize,
    /// What WHIR folds, a power of two: the rest is zero.
    pub(super) full: usize,
}

impl Columns {
    /// `num_words` words in columns of `2^height`, of which there are `full`.
    pub(super) fn new(num_words: usize, height: usize, full: usize) -> Self {
        Self { used: num_words.div_ceil(1 << height).min(full), full }
    }

    /// The part of a row that may be nonzero, if the rest is zero.
    fn used<'a>(&self, row: &'a [F]) -> Option<&'a [F]> {
        let (used, tail) = row.split_at_checked(self.used)?;
        let zero = row.len() == self.full && tail.iter().all(|&word| word == F::ZERO);
        zero.then_some(used)
    }

    fn complete(&self, row: &mut Vec<F>) {
        row.resize(self.full, F::ZERO);
    }
}

/// A tree whose first matrix is kept without its columns of zeros. Matrices of any other width
/// pass through: those of later rounds are five words to a symbol, so never as wide as the
/// first, which is a power of two.
#[derive(Clone, Debug)]
pub(super) struct ColumnTree<M> {
    inner: M,
    columns: Columns,
}

/// What a commitment leaves for its openings.
#[derive(Debug)]
pub(super) struct Kept<D> {
    data: D,
    /// Whether rows are completed when they are opened.
    first: bool,
}

/// Why an opening is refused.
#[derive(Debug)]
pub(super) enum Refused<E> {
    /// A row of the first matrix has another length or a nonzero tail.
    Tail,
    /// By the tree itself.
    Inner(E),
}

impl<M: Mmcs<F>> ColumnTree<M> {
    pub(super) const fn new(inner: M, columns: Columns) -> Self {
        Self { inner, columns }
    }

    /// Commits to the first matrix, given by its used columns.
    #[cfg(feature = "prover")]
    pub(super) fn commit_used<Mat: Matrix<F>>(
        &self,
        matrix: Mat,
    ) -> (M::Commitment, Kept<M::ProverData<Mat>>) {
        assert_eq!(matrix.width(), self.columns.used, "the used columns");
        let (commitment, data) = self.inner.commit_matrix(matrix);
        (commitment, Kept { data, first: true })
    }

    /// The used parts of opened rows, if the rest is zero.
    fn used<'a, R: AsRef<[F]>>(&self, rows: &'a [R]) -> Option<Vec<&'a [F]>> {
        rows.iter().map(|row| self.columns.used(row.as_ref())).collect()
    }

    /// The first matrix's dimensions as the tree knows them, if these are its.
    fn first(&self, dimensions: &[Dimensions]) -> Option<[Dimensions; 1]> {
        match dimensions {
            [one] if one.width == self.columns.full => {
                Some([Dimensions { width: self.columns.used, height: one.height }])
            }
            _ => None,
        }
    }
}

impl<M: Mmcs<F>> Mmcs<F> for ColumnTree<M> {
    type ProverData<Mat> = Kept<M::ProverData<Mat>>;
    type Commitment = M::Commitment;
    type Proof = M::Proof;
    type MultiProof = M::MultiProof;
    type Error = Refused<M::Error>;

    fn commit<Mat: Matrix<F>>(
        &self,
        inputs: Vec<Mat>,
    ) -> (Self::Commitment, Self::ProverData<Mat>) {
        assert!(inputs.iter().all(|matrix| matrix.width() != self.columns.full), "a later matrix");
        let (commitment, data) = self.inner.commit(inputs);
        (commitment, Kept { data, first: false })
    }

    fn open_batch<Mat: Matrix<F>>(
        &self,
        index: usize,
        kept: &Self::ProverData<Mat>,
    ) -> BatchOpening<F, Self> {
        let (mut rows, proof) = self.inner.open_batch(index, &kept.data).unpack();
        if kept.first {
            rows.iter_mut().for_each(|row| self.columns.complete(row));
        }
        BatchOpening::new(rows, proof)
    }

    fn get_matrices<'a, Mat: Matrix<F>>(&self, kept: &'a Self::ProverData<Mat>) -> Vec<&'a Mat> {
        self.inner.get_matrices(&kept.data)
    }

    fn verify_batch(
        &self,
        commitment: &Self::Commitment,
        dimensions: &[Dimensions],
        index: usize,
        opening: BatchOpeningRef<'_, F, Self>,
    ) -> Result<(), Self::Error> {
        let (rows, proof) = opening.unpack();
        match self.first(dimensions) {
            Some(dimensions) => {
                let rows = self.used(rows).ok_or(Refused::Tail)?;
                let rows: Vec<Vec<F>> = rows.into_iter().map(<[F]>::to_vec).collect();
                let opening = BatchOpeningRef::new(&rows, proof);
                self.inner.verify_batch(commitment, &dimensions, index, opening)
            }
            None => {
                let opening = BatchOpeningRef::new(rows, proof);
                self.inner.verify_batch(commitment, dimensions, index, opening)
            }
        }
        .map_err(Refused::Inner)
    }

    fn open_multi_batch<Mat: Matrix<F>>(
        &self,
        indices: &[usize],
        kept: &Self::ProverData<Mat>,
    ) -> (Vec<Vec<Vec<F>>>, Self::MultiProof) {
        let (mut rows, proof) = self.inner.open_multi_batch(indices, &kept.data);
        if kept.first {
            rows.iter_mut().flatten().for_each(|row| self.columns.complete(row));
        }
        (rows, proof)
    }

    fn verify_multi_batch<R: AsRef<[F]> + PartialEq>(
        &self,
        commitment: &Self::Commitment,
        dimensions: &[Dimensions],
        indices: &[usize],
        opened: &[Vec<R>],
        proof: &Self::MultiProof,
    ) -> Result<(), Self::Error> {
        match self.first(dimensions) {
            Some(dimensions) => {
                let rows = opened.iter().map(|rows| self.used(rows));
                let rows: Vec<Vec<&[F]>> = rows.collect::<Option<_>>().ok_or(Refused::Tail)?;
                self.inner.verify_multi_batch(commitment, &dimensions, indices, &rows, proof)
            }
            None => self.inner.verify_multi_batch(commitment, dimensions, indices, opened, proof),
        }
        .map_err(Refused::Inner)
    }
}

#[cfg(all(test, feature = "prover", feature = "testing"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests {
    use p3_matrix::dense::RowMajorMatrix;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::commit::{PlainTree, plain_tree};

    const HEIGHT: usize = 32;
    const FULL: usize = 16;

    fn tree(used: usize) -> ColumnTree<PlainTree> {
        ColumnTree::new(plain_tree(), Columns { used, full: FULL })
    }

    fn matrix(width: usize) -> RowMajorMatrix<F> {
        let mut rng = StdRng::seed_from_u64(width as u64);
        let word = |_| F::new(rng.random_range(1..0x7f00_0001));
        RowMajorMatrix::new((0..width * HEIGHT).map(word).collect(), width)
    }

    fn dimensions(width: usize) -> [Dimensions; 1] {
        [Dimensions { width, height: HEIGHT }]
    }

    #[test]
    fn counts_the_columns_that_hold_words() {
        let used = |num_words| Columns::new(num_words, 3, FULL).used;
        assert_eq!([1, 7, 8, 9, 16, 120, 121, 128].map(used), [1, 1, 1, 2, 2, 15, 16, 16]);
    }

    #[test]
    fn full_width_is_the_plain_tree() {
        let (plain, kept) = plain_tree().commit_matrix(matrix(FULL));
        let (root, ours) = tree(FULL).commit_used(matrix(FULL));
        assert_eq!(root, plain);
        let indices = [3, 0, 31, 3];
        let (rows, proof) = plain_tree().open_multi_batch(&indices, &kept);
        let (our_rows, our_proof) = tree(FULL).open_multi_batch(&indices, &ours);
        assert_eq!((&rows, &proof.sibling_hashes), (&our_rows, &our_proof.sibling_hashes));
        let verified =
            tree(FULL).verify_multi_batch(&root, &dimensions(FULL), &indices, &rows, &proof);
        verified.unwrap();
    }

    #[test]
    fn other_widths_pass_through() {
        let (plain, _) = plain_tree().commit_matrix(matrix(5));
        let (root, kept) = tree(5).commit_matrix(matrix(5));
        assert_eq!(root, plain);
        let (rows, proof) = tree(5).open_multi_batch(&[9], &kept);
        assert_eq!(rows[0][0].len(), 5);
        tree(5).verify_multi_batch(&root, &dimensions(5), &[9], &rows, &proof).unwrap();
    }

    #[test]
    fn rows_are_completed_and_a_tail_is_refused() {
        let indices = [7, 30];
        for used in [1, 5, 15, 16] {
            let tree = tree(used);
            let (root, kept) = tree.commit_used(matrix(used));
            let (rows, proof) = tree.open_multi_batch(&indices, &kept);
            let verify = |rows: &[Vec<Vec<F>>]| {
                tree.verify_multi_batch(&root, &dimensions(FULL), &indices, rows, &proof)
            };
            verify(&rows).unwrap();
            for (row, &index) in rows.iter().zip(&indices) {
                assert_eq!(row[0].len(), FULL);
                let (row, path) = tree.open_batch(index, &kept).unpack();
                let opening = BatchOpeningRef::new(&row, &path);
                tree.verify_batch(&root, &dimensions(FULL), index, opening).unwrap();
                let mut forged = row.clone();
                forged[0][FULL - 1] += F::ONE;
                let opening = BatchOpeningRef::new(&forged, &path);
                assert!(tree.verify_batch(&root, &dimensions(FULL), index, opening).is_err());
            }
            for column in 0..FULL {
                let mut forged = rows.clone();
                forged[1][0][column] += F::ONE;
                let refused = verify(&forged).unwrap_err();
                assert_eq!(matches!(refused, Refused::Tail), column >= used, "{column} of {used}");
            }
            for width in [used - 1, FULL - 1, FULL + 1] {
                let mut forged = rows.clone();
                forged[0][0].resize(width, F::ZERO);
                assert!(verify(&forged).is_err(), "{width} words");
            }
        }
    }

    /// One position, asked for twice, has one answer.
    #[test]
    fn a_position_asked_for_twice_has_one_answer() {
        let tree = tree(5);
        let (root, kept) = tree.commit_used(matrix(5));
        let indices = [7, 7];
        let (rows, proof) = tree.open_multi_batch(&indices, &kept);
        let verify = |rows: &[Vec<Vec<F>>]| {
            tree.verify_multi_batch(&root, &dimensions(FULL), &indices, rows, &proof)
        };
        verify(&rows).unwrap();
        for answer in 0..2 {
            let mut forged = rows.clone();
            forged[answer][0][2] += F::ONE;
            assert!(verify(&forged).is_err(), "answer {answer}");
        }
    }
}
