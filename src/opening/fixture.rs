//! A block of random words, hashed one call at a time: the plain twin of the packed code.

use airda_gkr::F;
use airda_gkr::permutation::Digest;
use p3_field::PrimeCharacteristicRing;

use super::ColumnTree;
use crate::commitment::Commitment;
use crate::hash::Domain;
use crate::params::{HashWidth, Params};

/// A matrix and everything that is hashed of it.
pub(crate) struct Fixture {
    pub(crate) commitment: Commitment,
    pub(crate) tree: ColumnTree,
    pub(crate) matrix: Vec<F>,
}

impl Fixture {
    /// A block of `rows` rows of 2^`log_k` symbols in cells of 2^`log_c`.
    pub(crate) fn new(hash: HashWidth, log_k: usize, log_c: usize, rows: usize) -> Self {
        let len = (19 << log_k) * rows as u64 - 1;
        let params = Params::new(hash, log_k, log_c, rows, len).unwrap();
        // A multiplicative generator of our own: pinned bytes outlive any crate's.
        let matrix: Vec<F> = (1..=params.matrix_words() as u64)
            .map(|i| F::from_u64((i * len).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33))
            .collect();

        let cell = |row: usize, column: usize| -> Digest {
            let words: Vec<F> = (0..params.cell_words())
                .map(|word| matrix[params.word_offset(row, word) + column])
                .collect();
            params.digest(Domain::Cell, &words)
        };
        let row = |row| {
            let cells: Vec<Digest> = (0..params.half()).map(|column| cell(row, column)).collect();
            params.digest(Domain::Row, &cells.concat())
        };
        let column_root = |column| {
            let cells: Vec<Digest> = (0..rows).map(|row| cell(row, column)).collect();
            params.merkle_root(&cells)
        };
        let column_roots: Vec<Digest> = (0..params.columns()).map(column_root).collect();
        let root_col = params.merkle_root(&column_roots);
        let row_digests = (0..rows).map(row).collect();
        let commitment = Commitment::new(params, row_digests, root_col).unwrap();
        let tree = ColumnTree::new(&params, column_roots);
        Self { commitment, tree, matrix }
    }

    /// Shapes with short last blocks, odd rows, one row, one symbol a cell and two columns.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let shapes = [(0, 0, 1), (3, 0, 2), (4, 1, 3), (5, 2, 5), (6, 1, 1), (4, 4, 6)];
        [HashWidth::W16, HashWidth::W24].into_iter().flat_map(move |hash| {
            shapes.into_iter().map(move |(log_k, log_c, rows)| Self::new(hash, log_k, log_c, rows))
        })
    }
}
