//! The table of Reed–Solomon inner products.
//!
//! # What the table shows
//! For n vectors of elements of E, `Σ_r L_r · w_i[r] = 0` for each i, with the public weights
//!
//! ```text
//! L_r = κ_r · x_r / (z − x_r),   κ_r one of two scales,
//! ```
//!
//! of a barycentric evaluation at z over a multiplicative group or its cosets; and the words of
//! the vectors are those that the [bus](crate::buses) carries. With the scales (z^k − 1)/k and
//! (z^k + 1)/k on the two halves of a group of order 2k it shows that vectors are codewords of
//! rate 1/2, up to the error of a random z.
//!
//! # Rows
//! One for each *run* of symbols: B positions whose points are `s · g_b`, s the row's first point
//! and g_b fixed multipliers. A power of two of rows.
//!
//! # Columns
//! Main: the weights of the run, B elements; the running sums before the row, n elements; the
//! vectors' words of the run, for each vector 5 limbs of B words each. An element takes 5 columns.
//! `5B + 5n + 5Bn` in all.
//!
//! Preprocessed: s; which of the scales applies, 0 or 1; what is added to the addresses of the
//! row's blocks.
//!
//! Public values: z and the two scales, 15 words.
//!
//! # Constraints
//! Elements are multiplied in their base columns, X^5 = 1 − X^2.
//! - each weight: `L · (z − x) = κ x`, 5 of degree 2; z is no point, so this fixes L;
//! - each sum: 0 in the first row; `sum' = sum + Σ_b L_b w_b` in the next, degree 2;
//!   `sum + Σ_b L_b w_b = 0` in the last, degree 3.
//!
//! # Bus
//! A row writes each vector's words in blocks of 8, limb by limb, the last one filled with zeros,
//! for one reader each.

mod constraints;
#[cfg(all(test, feature = "prover"))]
mod tests;
#[cfg(feature = "prover")]
mod trace;

use std::ops::Range;
use std::sync::Arc;

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_matrix::dense::RowMajorMatrix;

use crate::buses::{Address, BLOCK};
use crate::{E, F};

/// Columns of an element of E.
pub const LIMBS: usize = 5;

/// Preprocessed columns: the run's first point, which scale applies, the base of the addresses.
const POINT: usize = 0;
const SCALE: usize = 1;
const ADDRESS: usize = 2;
const PREPROCESSED: usize = 3;

/// Which products a table shows.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Vectors, n.
    pub vectors: usize,
    /// g_b: the points of a run are its first point times these.
    pub multipliers: Vec<F>,
    /// Row by row: the first point s, which scale applies (the second, if true), and what is
    /// added to the addresses in `blocks`.
    pub rows: Vec<(F, bool, Address)>,
    /// For each vector the addresses of its blocks in a row, ⌈5B/8⌉ of them.
    pub blocks: Vec<Vec<Address>>,
}

/// z and the scales: what the weights are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// z, no point of the table.
    pub point: E,
    /// The first scale and the second.
    pub scales: [E; 2],
}

impl Weights {
    /// The table's public values.
    pub fn public_values(&self) -> Vec<F> {
        let [first, second] = self.scales;
        [self.point, first, second]
            .iter()
            .flat_map(|element| element.as_basis_coefficients_slice().to_vec())
            .collect()
    }
}

/// The table of Reed–Solomon inner products.
#[derive(Clone, Debug)]
pub struct InnerProduct {
    shape: Arc<Shape>,
}

impl InnerProduct {
    /// The table of that shape.
    ///
    /// # Panics
    /// When the rows are no power of two, a run is empty, or there is another number of vectors
    /// or blocks in `blocks`.
    pub fn new(shape: Shape) -> Self {
        assert!(shape.rows.len().is_power_of_two() && !shape.multipliers.is_empty());
        assert_eq!(shape.blocks.len(), shape.vectors, "blocks of each vector");
        let blocks = (LIMBS * shape.multipliers.len()).div_ceil(BLOCK);
        assert!(shape.blocks.iter().all(|addresses| addresses.len() == blocks));
        Self { shape: Arc::new(shape) }
    }

    /// Which products it shows.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.shape.rows.len()
    }

    /// Symbols in a run, B.
    pub fn run(&self) -> usize {
        self.shape.multipliers.len()
    }

    fn preprocessed(&self) -> RowMajorMatrix<F> {
        let row = |&(point, second, address): &(F, bool, Address)| {
            [point, F::from_bool(second), F::from_u32(address)]
        };
        RowMajorMatrix::new(self.shape.rows.iter().flat_map(row).collect(), PREPROCESSED)
    }

    /// The columns of the running sums.
    fn sums(&self) -> Range<usize> {
        let start = LIMBS * self.run();
        start..start + LIMBS * self.shape.vectors
    }

    /// The columns of a vector's words.
    fn words(&self, vector: usize) -> Range<usize> {
        let len = LIMBS * self.run();
        let start = self.sums().end + vector * len;
        start..start + len
    }

    /// All columns.
    fn columns(&self) -> usize {
        self.words(self.shape.vectors).start
    }
}
