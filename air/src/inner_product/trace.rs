//! Filling in the table of inner products.

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, batch_multiplicative_inverse};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use super::{InnerProduct, LIMBS, Weights};
use crate::{E, F};

impl InnerProduct {
    /// The trace of vectors whose word `w` (limb · B + position in the run) in a row's run
    /// `word(vector, row, w)` gives. Whether their products are zero is not checked: if one is
    /// not, no proof of the trace verifies.
    ///
    /// # Panics
    /// When z is a point of the table.
    #[instrument(name = "air.inner_product.trace", skip_all)]
    pub fn trace(
        &self,
        weights: &Weights,
        word: impl Fn(usize, usize, usize) -> F + Sync,
    ) -> RowMajorMatrix<F> {
        let (run, width) = (self.run(), self.columns());
        let mut values = F::zero_vec(self.height() * width);
        let products: Vec<Vec<E>> = values
            .par_chunks_exact_mut(width)
            .enumerate()
            .map(|(index, row)| {
                let weights = self.weights(weights, index);
                for (weight, columns) in weights.iter().zip(row.chunks_exact_mut(LIMBS)) {
                    columns.copy_from_slice(weight.as_basis_coefficients_slice());
                }
                let product = |vector| {
                    let words = &mut row[self.words(vector)];
                    for (w, place) in words.iter_mut().enumerate() {
                        *place = word(vector, index, w);
                    }
                    let symbol = |b| E::from_basis_coefficients_fn(|d| words[d * run + b]);
                    weights.iter().enumerate().map(|(b, &weight)| weight * symbol(b)).sum()
                };
                (0..self.shape.vectors).map(product).collect()
            })
            .collect();
        let mut sums = E::zero_vec(self.shape.vectors);
        for (row, products) in values.chunks_exact_mut(width).zip(products) {
            let columns = row[self.sums()].chunks_exact_mut(LIMBS);
            for ((sum, product), columns) in sums.iter_mut().zip(products).zip(columns) {
                columns.copy_from_slice(sum.as_basis_coefficients_slice());
                *sum += product;
            }
        }
        RowMajorMatrix::new(values, width)
    }

    /// The weights of a row's run.
    fn weights(&self, weights: &Weights, row: usize) -> Vec<E> {
        let (first, second, _) = self.shape.rows[row];
        let scale = weights.scales[usize::from(second)];
        let points: Vec<F> = self.shape.multipliers.iter().map(|&g| first * g).collect();
        let differences: Vec<E> = points.iter().map(|&x| weights.point - x).collect();
        batch_multiplicative_inverse(&differences)
            .into_iter()
            .zip(points)
            .map(|(inverse, x)| inverse * scale * x)
            .collect()
    }
}
