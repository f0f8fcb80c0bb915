//! Recovery from half of the columns.
//!
//! Let f be one limb of a row, deg f < k, and Z the polynomial that vanishes on the h missing
//! cells: Z(x) = G(x^c) with G of degree h, so deg Z = k and deg fZ < m. All m values of fZ are
//! known: f·Z where f is known, 0 where it is missing. At a missing point
//! (fZ)'(x) = f(x)·Z'(x), and x·Z'(x) = c·y·G'(y), y = x^c, depends on the cell alone. Hence:
//!
//! 1. multiply the known cells by their G(y), fill the others with zeros;
//! 2. interpolate: the coefficients a_i of fZ;
//! 3. multiply a_i by i and evaluate: x·(fZ)'(x);
//! 4. divide by c·y·G'(y) at the missing cells.
//!
//! G is shared by all rows and limbs; steps 2 and 3 are one transform of size m each, twice the
//! work of encoding.
#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::F;
use p3_field::{
    Field, PackedField, PackedValue, PrimeCharacteristicRing, batch_multiplicative_inverse,
};
use p3_maybe_rayon::prelude::*;

use super::domain::Domain;
use super::transform::{Aligned, CellFft, Strips, gather, row_stride, scatter};
use super::vanishing::{evaluate_with_derivative, monic};
use crate::error::Error;
use crate::params::Params;

/// Recovers the whole matrix from `columns`, pairs of an index and the column's 5cn words, by
/// row, limb and symbol, in ascending order of the indices. Of more than half of all columns,
/// the first are used and the others are not looked at.
///
/// The result is a codeword that agrees with the columns used. Whether it is the one that was
/// committed to is for the caller to check.
///
/// # Errors
/// [`Error::NoSuchColumn`], [`Error::ColumnLength`], [`Error::DuplicateColumn`] for any of
/// `columns`, then [`Error::UnsortedColumns`]; [`Error::TooFewColumns`] for fewer than half.
#[tracing::instrument(name = "code.recover", skip_all, fields(rows = params.rows(), k = params.k()))]
pub fn recover(params: &Params, columns: &[(usize, &[F])]) -> Result<Vec<F>, Error> {
    let known = known_columns(params, columns)?;
    type Packed = <F as Field>::Packing;
    Ok(if params.columns() < Packed::WIDTH {
        // Too few cells to fill the lanes.
        Recovery::<F>::new(params, &known).recover()
    } else {
        Recovery::<Packed>::new(params, &known).recover()
    })
}

/// The words of the h columns to be used, in their places among all columns.
fn known_columns<'a>(
    params: &Params,
    columns: &[(usize, &'a [F])],
) -> Result<Vec<Option<&'a [F]>>, Error> {
    let mut known = vec![None; params.columns()];
    let expected = params.column_words();
    for &(index, words) in columns {
        let columns = params.columns();
        let place = known.get_mut(index).ok_or(Error::NoSuchColumn { index, columns })?;
        if words.len() != expected {
            return Err(Error::ColumnLength { index, expected, got: words.len() });
        }
        if place.replace(words).is_some() {
            return Err(Error::DuplicateColumn { index });
        }
    }
    if let Some(&[(before, _), (index, _)]) =
        columns.array_windows().find(|[(before, _), (index, _)]| before > index)
    {
        return Err(Error::UnsortedColumns { index, before });
    }
    let (needed, got) = (params.half(), columns.len());
    if got < needed {
        return Err(Error::TooFewColumns { needed, got });
    }
    for surplus in known.iter_mut().filter(|place| place.is_some()).skip(needed) {
        *surplus = None;
    }
    Ok(known)
}

/// What all rows and limbs share.
struct Recovery<'a, P> {
    params: Params,
    known: &'a [Option<&'a [F]>],
    interpolate: Strips<P>,
    cells: CellFft,
    evaluate: Strips<P>,
    /// c·e_hi, to which e_lo is added: the exponents.
    exponents: Vec<F>,
    /// For each cell G(y) if it is known, else 0.
    before: Vec<F>,
    /// For each cell 1/(m·c·y·G'(y)) if it is missing, else 0.
    after: Vec<F>,
}

impl<'a, P: PackedField<Scalar = F>> Recovery<'a, P> {
    fn new(params: &Params, known: &'a [Option<&'a [F]>]) -> Self {
        let domain = Domain::new(params);
        let (c, columns) = (params.c(), params.columns());
        let missing: Vec<usize> = (0..columns).filter(|&cell| known[cell].is_none()).collect();
        let roots: Vec<F> = missing.iter().map(|&cell| domain.cell_power(cell)).collect();
        let (mut before, derivative) = evaluate_with_derivative(&monic(&roots), columns);
        let scale = F::from_usize(params.m()) * F::from_usize(c);
        let divisors: Vec<F> = missing
            .iter()
            .zip(&roots)
            .map(|(&cell, &root)| scale * root * derivative[cell])
            .collect();
        let mut after = F::zero_vec(columns);
        for (&cell, inverse) in missing.iter().zip(batch_multiplicative_inverse(&divisors)) {
            before[cell] = F::ZERO;
            after[cell] = inverse;
        }
        Self {
            params: *params,
            known,
            interpolate: Strips::inverse(&domain, c, 0..columns),
            cells: CellFft::new(columns),
            evaluate: Strips::forward(&domain, c, 0..columns),
            exponents: (0..params.m()).step_by(c).map(F::from_usize).collect(),
            before,
            after,
        }
    }

    fn recover(&self) -> Vec<F> {
        let (log_c, columns) = (self.params.log_c(), self.params.columns());
        let mut matrix = F::zero_vec(self.params.matrix_words());
        matrix.par_chunks_exact_mut(self.params.m()).enumerate().for_each_init(
            || (Aligned::zero(P::WIDTH << log_c), Aligned::zero(row_stride(columns) << log_c)),
            |(strip, rows), (index, matrix)| {
                self.recover_limb(index, matrix, P::pack_slice_mut(strip), rows);
            },
        );
        matrix
    }

    /// One limb of one row, `index` being row·5 + limb, into its block of the matrix.
    fn recover_limb(&self, index: usize, matrix: &mut [F], buffer: &mut [P], rows: &mut [F]) {
        let (c, columns) = (self.params.c(), self.params.columns());
        let stride = row_stride(columns);
        let before = P::pack_slice(&self.before);
        for (strip, cells) in self.known.chunks_exact(P::WIDTH).enumerate() {
            buffer.fill(P::ZERO);
            if cells.iter().any(Option::is_some) {
                for (lane, words) in cells.iter().enumerate() {
                    let Some(words) = words else { continue };
                    let words = &words[index << self.params.log_c()..][..c];
                    for (word, &known) in buffer.iter_mut().zip(words) {
                        word.as_slice_mut()[lane] = known;
                    }
                }
                scatter(buffer, c, matrix, columns, strip);
                for word in buffer.iter_mut() {
                    *word *= before[strip];
                }
                self.interpolate.interpolate(strip, buffer);
            }
            scatter(buffer, c, rows, stride, strip);
        }
        let exponents = P::pack_slice(&self.exponents);
        for (low, row) in rows.chunks_exact_mut(stride).enumerate() {
            let row = &mut row[..columns];
            self.cells.inverse(row);
            let low = P::from(F::from_usize(low));
            for (word, &high) in P::pack_slice_mut(row).iter_mut().zip(exponents) {
                *word *= high + low;
            }
            self.cells.forward(row);
        }
        let after = P::pack_slice(&self.after);
        for (strip, cells) in self.known.chunks_exact(P::WIDTH).enumerate() {
            if cells.iter().all(Option::is_some) {
                continue;
            }
            gather(buffer, c, rows, stride, strip);
            self.evaluate.evaluate(strip, buffer);
            for (&word, row) in buffer.iter().zip(matrix.chunks_exact_mut(columns)) {
                // Known cells have factor 0, missing ones are still 0.
                P::pack_slice_mut(row)[strip] += word * after[strip];
            }
        }
    }
}
