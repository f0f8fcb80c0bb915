//! What the rows of the table of inner products must fulfil, and what they put on the bus.

use std::array;

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::{Dup, PrimeCharacteristicRing};
use p3_lookup::InteractionBuilder;
use p3_matrix::dense::RowMajorMatrix;

use super::{ADDRESS, InnerProduct, LIMBS, POINT, PREPROCESSED, SCALE};
use crate::F;
use crate::buses::{self, BLOCK};

impl BaseAir<F> for InnerProduct {
    fn width(&self) -> usize {
        self.columns()
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        Some(self.preprocessed())
    }

    fn preprocessed_width(&self) -> usize {
        PREPROCESSED
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        self.sums().collect()
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn num_public_values(&self) -> usize {
        3 * LIMBS
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(3)
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for InnerProduct {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (row, next) = (main.current_slice(), main.next_slice());
        let preprocessed = builder.preprocessed().clone();
        let given = preprocessed.current_slice();
        let public = builder.public_values();
        let [z, first, second]: [[AB::PublicVar; LIMBS]; 3] =
            array::from_fn(|i| array::from_fn(|d| public[i * LIMBS + d]));

        let chosen: AB::Expr = given[SCALE].into();
        let scale: [AB::Expr; LIMBS] = array::from_fn(|d| {
            first[d].into() + chosen.dup() * (second[d].into() - first[d].into())
        });
        let weights: Vec<[AB::Var; LIMBS]> =
            (0..self.run()).map(|b| array::from_fn(|d| row[b * LIMBS + d])).collect();
        for (weight, &multiplier) in weights.iter().zip(&self.shape.multipliers) {
            let x: AB::Expr = given[POINT] * multiplier;
            let mut product = Product::<AB::Expr>::zero();
            product.add(weight, &z);
            for ((product, &weight), scale) in product.reduce().into_iter().zip(weight).zip(&scale)
            {
                builder.assert_zero(product - x.dup() * (weight.into() + scale.dup()));
            }
        }

        let sums = self.sums().step_by(LIMBS);
        for (vector, sum) in sums.enumerate() {
            let words = &row[self.words(vector)];
            let mut product = Product::<AB::Expr>::zero();
            for (b, weight) in weights.iter().enumerate() {
                product.add(weight, &array::from_fn(|d| words[d * self.run() + b]));
            }
            for (addend, column) in product.reduce().into_iter().zip(sum..) {
                let before: AB::Expr = row[column].into();
                builder.when_first_row().assert_zero(before.dup());
                let after = before + addend;
                builder.when_transition().assert_zero(after.dup() - next[column].into());
                builder.when_last_row().assert_zero(after);
            }
        }
    }
}

impl InnerProduct {
    /// Puts the vectors' words on the bus.
    pub fn interact<AB: InteractionBuilder<F = F>>(&self, builder: &mut AB) {
        let main = builder.main();
        let row = main.current_slice();
        let base = builder.preprocessed().current_slice()[ADDRESS];
        for (vector, addresses) in self.shape.blocks.iter().enumerate() {
            let words = row[self.words(vector)].chunks(BLOCK);
            for (words, &address) in words.zip(addresses) {
                let word = |v| words.get(v).map_or(AB::Expr::ZERO, |&word: &AB::Var| word.into());
                let address = base + F::from_u32(address);
                buses::write(builder, address, array::from_fn(word), AB::Expr::ONE);
            }
        }
    }
}

/// A sum of products of elements, by powers of X before the reduction.
struct Product<X>([X; 2 * LIMBS - 1]);

impl<X: PrimeCharacteristicRing> Product<X> {
    fn zero() -> Self {
        Self(array::from_fn(|_| X::ZERO))
    }

    fn add<A, B>(&mut self, a: &[A; LIMBS], b: &[B; LIMBS])
    where
        A: Copy + Into<X>,
        B: Copy + Into<X>,
    {
        for (i, &a) in a.iter().enumerate() {
            for (j, &b) in b.iter().enumerate() {
                self.0[i + j] += a.into() * b.into();
            }
        }
    }

    /// The element's limbs, by X^5 = 1 − X^2.
    fn reduce(mut self) -> [X; LIMBS] {
        for power in (LIMBS..2 * LIMBS - 1).rev() {
            let high = self.0[power].dup();
            self.0[power - LIMBS] += high.dup();
            self.0[power - LIMBS + 2] -= high;
        }
        let [a, b, c, d, e, ..] = self.0;
        [a, b, c, d, e]
    }
}
