//! From the payload half to the whole codeword: the work of encoding, for each row and limb.
//!
//! Interpolate from the payload half's cells, twist the coefficients by the powers of ω, evaluate
//! on the parity half's cells. One limb of a row stays within the cache of the core that works
//! on it.
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
/// Costs two transforms of size k for each row and limb.
///
/// # Errors
/// [`Error::MatrixLength`].
#[tracing::instrument(name = "code.extend", skip_all, fields(rows = params.rows(), k = params.k()))]
pub fn extend(params: &Params, matrix: &mut [F]) -> Result<(), Error> {
    super::check_matrix(params, matrix)?;
    type Packed = <F as Field>::Packing;
    if params.half() < Packed::WIDTH {
        // Too few cells to fill the lanes.
        Extension::<F>::new(params).extend(matrix);
    } else {
        Extension::<Packed>::new(params).extend(matrix);
    }
    Ok(())
}

/// What all rows and limbs share.
pub(super) struct Extension<P> {
    log_c: usize,
    half: usize,
    /// The payload half's cells to coefficients.
    interpolate: Strips<P>,
    cells: CellFft,
    /// Word e_hi: ω^(c·e_hi)/k. The rest of ω^e is in the twiddles of `evaluate`.
    twist: Aligned,
    /// Coefficients to the parity half's cells.
    evaluate: Strips<P>,
}

/// Buffers that a thread reuses from limb to limb.
pub(super) struct Scratch {
    strips: Aligned,
    rows: Aligned,
}

impl<P: PackedField<Scalar = F>> Extension<P> {
    pub(super) fn new(params: &Params) -> Self {
        let domain = Domain::new(params);
        let (c, half) = (params.c(), params.half());
        let mut twist = Aligned::zero(half);
        let powers = domain.power(c).shifted_powers(F::ONE.div_2exp_u64(params.log_k() as u64));
        for (word, power) in twist.iter_mut().zip(powers) {
            *word = power;
        }
        Self {
            log_c: params.log_c(),
            half,
            interpolate: Strips::inverse(&domain, c, 0..half),
            cells: CellFft::new(half),
            twist,
            evaluate: Strips::forward(&domain, c, half..half << 1),
        }
    }

    pub(super) fn scratch(&self) -> Scratch {
        const LOG_GROUP: u32 = GROUP.ilog2();
        Scratch {
            strips: Aligned::zero(P::WIDTH << LOG_GROUP << self.log_c),
            rows: Aligned::zero(row_stride(self.half) << self.log_c),
        }
    }

    fn extend(&self, matrix: &mut [F]) {
        matrix
            .par_chunks_exact_mut(self.half << 1 << self.log_c)
            .for_each_init(|| self.scratch(), |scratch, limb| self.limb(None, limb, scratch));
    }

    /// One limb of one row, in its block of the matrix. Its payload half is that of `staged`,
    /// strip by strip so many packed words apart, or stands in the matrix already.
    pub(super) fn limb(
        &self,
        staged: Option<(&[P], usize)>,
        matrix: &mut [F],
        scratch: &mut Scratch,
    ) {
        let Scratch { strips: buffer, rows } = scratch;
        let buffer = P::pack_slice_mut(buffer);
        let (c, columns, stride) = (1 << self.log_c, self.half << 1, row_stride(self.half));
        let strips = P::pack_slice(&self.twist).len();
        for first in (0..strips).step_by(GROUP) {
            let group = strips.saturating_sub(first).min(GROUP);
            let buffer = &mut buffer[..group << self.log_c];
            match staged {
                None => gather(buffer, c, matrix, columns, first),
                Some((words, between)) => {
                    let words = words.chunks(between).skip(first).take(group);
                    for (strip, words) in buffer.chunks_exact_mut(c).zip(words) {
                        strip.copy_from_slice(&words[..c]);
                    }
                    scatter(buffer, c, matrix, columns, first);
                }
            }
            for (strip, words) in (first..).zip(buffer.chunks_exact_mut(c)) {
                self.interpolate.interpolate(strip, words);
            }
            scatter(buffer, c, rows, stride, first);
        }
        let twist = P::pack_slice(&self.twist);
        for row in rows.chunks_exact_mut(stride) {
            let row = &mut row[..self.half];
            self.cells.inverse(row);
            for (word, &twist) in P::pack_slice_mut(row).iter_mut().zip(twist) {
                *word *= twist;
            }
            self.cells.forward(row);
        }
        for first in (0..strips).step_by(GROUP) {
            let buffer = &mut buffer[..strips.saturating_sub(first).min(GROUP) << self.log_c];
            gather(buffer, c, rows, stride, first);
            for (strip, words) in (first..).zip(buffer.chunks_exact_mut(c)) {
                self.evaluate.evaluate(strip, words);
            }
            // Behind the payload half, whose strips are a power of two.
            scatter(buffer, c, matrix, columns, strips | first);
        }
    }
}
