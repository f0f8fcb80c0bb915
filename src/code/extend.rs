//! From the payload half of a row to its parity half.
//!
//! Per row and limb, each of them independent: interpolate from the payload half's cells, twist
//! the coefficients by the powers of ω, evaluate on the parity half's cells. One limb of a row
//! stays within the cache of the core that works on it.
#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::F;
use p3_field::{Field, PackedField, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::domain::Domain;
use super::transform::{Aligned, CellFft, Strips, gather, row_stride, scatter};
use crate::error::Error;
use crate::params::Params;

/// Strips that are moved together, so that whole runs of the cache's lines are: the rows of the
/// matrix are a power of two apart.
pub(super) const GROUP: usize = 4;

/// Encodes what stands in the payload half of `matrix`, symbols of any value, overwriting the
/// parity half.
///
/// # Errors
/// [`Error::MatrixLength`].
#[tracing::instrument(name = "code.extend", skip_all, fields(rows = params.rows(), k = params.k()))]
pub fn extend(params: &Params, matrix: &mut [F]) -> Result<(), Error> {
    super::check_matrix(params, matrix)?;
    type Packed = <F as Field>::Packing;
    if params.half() < Packed::WIDTH {
        // Too few cells to fill the lanes.
        Encoder::<F>::new(params).extend(matrix);
    } else {
        Encoder::<Packed>::new(params).extend(matrix);
    }
    Ok(())
}

/// What all rows and limbs share.
pub(super) struct Encoder<P> {
    pub(super) params: Params,
    /// The payload half's cells to coefficients.
    pub(super) interpolate: Strips<P>,
    cells: CellFft,
    /// Word e_hi: ω^(c·e_hi)/k. The rest of ω^e is in the twiddles of `evaluate`.
    twist: Aligned,
    /// Coefficients to the parity half's cells.
    evaluate: Strips<P>,
}

/// Buffers that a thread reuses from limb to limb.
pub(super) struct Scratch {
    pub(super) strips: Aligned,
    pub(super) rows: Aligned,
}

impl<P: PackedField<Scalar = F>> Encoder<P> {
    pub(super) fn new(params: &Params) -> Self {
        let domain = Domain::new(params);
        let (c, half) = (params.c(), params.half());
        let mut twist = Aligned::zero(half);
        let powers = domain.power(c).shifted_powers(F::ONE.div_2exp_u64(params.log_k() as u64));
        for (word, power) in twist.iter_mut().zip(powers) {
            *word = power;
        }
        Self {
            params: *params,
            interpolate: Strips::inverse(&domain, c, 0..half),
            cells: CellFft::new(half),
            twist,
            evaluate: Strips::forward(&domain, c, half..params.columns()),
        }
    }

    fn extend(&self, matrix: &mut [F]) {
        matrix
            .par_chunks_exact_mut(self.params.m())
            .for_each_init(|| self.scratch(), |scratch, limb| self.extend_limb(limb, scratch));
    }

    pub(super) fn scratch(&self) -> Scratch {
        let log_c = self.params.log_c();
        Scratch {
            strips: Aligned::zero(const { GROUP * P::WIDTH } << log_c),
            rows: Aligned::zero(row_stride(self.params.half()) << log_c),
        }
    }

    /// The first strip of each group, with the words of the group's strips.
    fn groups(&self) -> impl Iterator<Item = (usize, usize)> + use<P> {
        let (log_c, strips) = (self.params.log_c(), self.params.half() >> P::WIDTH.ilog2());
        (0..strips)
            .step_by(GROUP)
            .map(move |first| (first, strips.saturating_sub(first).min(GROUP) << log_c))
    }

    /// One limb of one row, from the payload half of its block of the matrix.
    fn extend_limb(&self, matrix: &mut [F], scratch: &mut Scratch) {
        let Scratch { strips: buffer, rows } = scratch;
        let buffer = P::pack_slice_mut(buffer);
        let (c, stride) = (self.params.c(), row_stride(self.params.half()));
        for (first, len) in self.groups() {
            let buffer = &mut buffer[..len];
            gather(buffer, c, matrix, self.params.columns(), first);
            for (strip, words) in (first..).zip(buffer.chunks_exact_mut(c)) {
                self.interpolate.interpolate(strip, words);
            }
            scatter(buffer, c, rows, stride, first);
        }
        self.parity(matrix, scratch);
    }

    /// The parity half of one limb of one row, from its strips, interpolated, in `scratch`.
    pub(super) fn parity(&self, matrix: &mut [F], scratch: &mut Scratch) {
        let Scratch { strips: buffer, rows } = scratch;
        let buffer = P::pack_slice_mut(buffer);
        let (c, half, columns) = (self.params.c(), self.params.half(), self.params.columns());
        let stride = row_stride(half);
        let twist = P::pack_slice(&self.twist);
        for row in rows.chunks_exact_mut(stride) {
            let row = &mut row[..half];
            self.cells.inverse(row);
            for (word, &twist) in P::pack_slice_mut(row).iter_mut().zip(twist) {
                *word *= twist;
            }
            self.cells.forward(row);
        }
        // The parity half's strips come after as many of the payload half.
        let strips = half >> P::WIDTH.ilog2();
        for (first, len) in self.groups() {
            let buffer = &mut buffer[..len];
            gather(buffer, c, rows, stride, first);
            for (strip, words) in (first..).zip(buffer.chunks_exact_mut(c)) {
                self.evaluate.evaluate(strip, words);
            }
            scatter(buffer, c, matrix, columns, strips | first);
        }
    }
}
