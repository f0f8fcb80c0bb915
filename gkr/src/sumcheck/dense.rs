//! A block whose f and Ω are written out, entry by entry.

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::{Message, Rounds};
use crate::codec::limbs;
use crate::simd::kernels::dot::{bind_rows, inner_product, inner_product_of_steps, scale_rows};
use crate::simd::kernels::{Factor, Limbs, prepare};
use crate::simd::{ExtRow, LANES, Native, Row};
use crate::{E, F};

/// Rows that one task sums or folds: they and their partners stay in the cache.
const TASK: usize = 1 << 6;

/// An element's limbs as an array.
pub(crate) fn limbs_of(element: &E) -> Limbs {
    *limbs(element).first_chunk().expect("E has five limbs")
}

/// What multiplication by an element needs.
pub(crate) fn factor_of(element: &E) -> Factor {
    prepare(&limbs_of(element))
}

/// The element in one lane of a row.
fn lane_of(row: &ExtRow, lane: usize) -> E {
    E::from_basis_coefficients_fn(|limb| row[limb].0[lane])
}

/// Rows of zeros, at least one, for `len` entries.
pub(crate) fn zero_rows(len: usize) -> Vec<ExtRow> {
    vec![[Row::ZERO; 5]; len.div_ceil(LANES)]
}

/// Entries as rows, zeros at the end.
pub(crate) fn rows_of(entries: &[E]) -> Vec<ExtRow> {
    let row = |chunk: &[E]| {
        let word = |limb, lane| chunk.get(lane).map_or(F::ZERO, |entry: &E| limbs(entry)[limb]);
        std::array::from_fn(|limb| Row(std::array::from_fn(|lane| word(limb, lane))))
    };
    entries.chunks(LANES).map(row).collect()
}

/// The entries of rows.
pub(crate) fn elements_of(rows: &[ExtRow]) -> Vec<E> {
    rows.iter().flat_map(|row| (0..LANES).map(move |lane| lane_of(row, lane))).collect()
}

/// 2^L entries of f and of Ω, both in E, sixteen a row; lanes beyond 2^L are zero.
///
/// As [`Rounds`] it binds the bits from the highest down.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    log_len: usize,
    values: Vec<ExtRow>,
    weights: Vec<ExtRow>,
}

impl Dense {
    /// A block of 2^`log_len` entries.
    ///
    /// # Panics
    /// When there are not as many rows as that takes.
    pub(crate) fn new(log_len: usize, values: Vec<ExtRow>, weights: Vec<ExtRow>) -> Self {
        let rows = (1_usize << log_len).div_ceil(LANES);
        assert_eq!([values.len(), weights.len()], [rows; 2], "a block has 2^L entries");
        Self { log_len, values, weights }
    }

    /// `Σ f·Ω` over the block.
    pub(crate) fn sum(&self) -> E {
        self.values
            .par_chunks(TASK)
            .zip(self.weights.par_chunks(TASK))
            .map(|(f, w)| total(&inner_product::<Native>(f, w)))
            .par_fold_reduce(|| E::ZERO, |a, b| a + b, |a, b| a + b)
    }

    /// The message of the bit that tells this block from its neighbour `high`.
    pub(crate) fn message(&self, high: &Self) -> Message {
        message([&self.values, &high.values], [&self.weights, &high.weights])
    }

    /// Binds the bit that tells this block from its neighbour `high`.
    pub(crate) fn bind(&mut self, high: &Self, r: &E) {
        bind(&mut self.values, &high.values, r);
        bind(&mut self.weights, &high.weights, r);
    }

    /// Multiplies f and Ω by `by`: binds a bit whose other half is zero.
    pub(crate) fn scale(&mut self, by: &E) {
        let by = factor_of(by);
        for rows in [&mut self.values, &mut self.weights] {
            rows.par_chunks_mut(TASK).for_each(|rows| scale_rows::<Native>(rows, &by));
        }
    }
}

impl Rounds for Dense {
    /// # Panics
    /// When every bit is bound.
    fn message(&mut self) -> Message {
        if let Some(half) = self.half_rows() {
            let (f0, f1) = self.values.split_at(half);
            let (w0, w1) = self.weights.split_at(half);
            return message([f0, f1], [w0, w1]);
        }
        let half = 1 << (self.log_len - 1);
        let mut sums = Message::default();
        for lane in 0..half {
            let [f, w] = [&self.values[0], &self.weights[0]]
                .map(|row| (lane_of(row, lane), lane_of(row, half + lane)));
            sums.constant += f.0 * w.0;
            sums.quadratic += (f.1 - f.0) * (w.1 - w.0);
        }
        sums
    }

    fn fix(&mut self, r: E) {
        let half_rows = self.half_rows();
        self.log_len -= 1;
        for rows in [&mut self.values, &mut self.weights] {
            if let Some(half) = half_rows {
                let (low, high) = rows.split_at_mut(half);
                bind(low, high, &r);
                rows.truncate(half);
            } else {
                let half = 1 << self.log_len;
                let bound: Vec<E> = (0..half)
                    .map(|lane| {
                        let low = lane_of(&rows[0], lane);
                        low + r * (lane_of(&rows[0], half + lane) - low)
                    })
                    .collect();
                *rows = rows_of(&bound);
            }
        }
    }
}

impl Dense {
    /// Half the rows, while the highest bit is not a bit of the lane.
    fn half_rows(&self) -> Option<usize> {
        (self.values.len() > 1).then_some(self.values.len() / 2)
    }
}

fn message([f0, f1]: [&[ExtRow]; 2], [w0, w1]: [&[ExtRow]; 2]) -> Message {
    f0.par_chunks(TASK)
        .zip(f1.par_chunks(TASK))
        .zip(w0.par_chunks(TASK).zip(w1.par_chunks(TASK)))
        .map(|((f0, f1), (w0, w1))| Message {
            constant: total(&inner_product::<Native>(f0, w0)),
            quadratic: total(&inner_product_of_steps::<Native>([f0, f1], [w0, w1])),
        })
        .par_fold_reduce(Message::default, |a, b| a + b, |a, b| a + b)
}

fn bind(low: &mut [ExtRow], high: &[ExtRow], r: &E) {
    let r = factor_of(r);
    low.par_chunks_mut(TASK)
        .zip(high.par_chunks(TASK))
        .for_each(|(low, high)| bind_rows::<Native>(low, high, &r));
}

/// The sum of a row's lanes.
pub(crate) fn total(row: &ExtRow) -> E {
    E::from_basis_coefficients_fn(|limb| row[limb].0.iter().copied().sum::<F>())
}
