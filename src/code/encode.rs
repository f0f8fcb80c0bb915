//! Systematic encoding.
//!
//! Per row: the payload's bytes become limbs, staged strip by strip; where its symbols stand in
//! the matrix already, they are gathered from there. Per row and limb, each of them independent:
//! interpolate from the payload half's cells, twist the coefficients by the powers of ω, evaluate
//! on the parity half's cells. One limb of a row stays within the cache of the core that works
//! on it.

use std::borrow::Cow;

use airda_gkr::F;
use p3_field::{Field, PackedField, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::domain::Domain;
use super::transform::{Aligned, CellFft, GROUP, Strips, gather, row_stride, scatter};
use crate::bytes::symbols_from_bytes;
use crate::error::Error;
use crate::params::{LIMBS, Params, SYMBOL_BYTES};

/// Encodes `payload` into `matrix`, overwriting all of it: row i carries bytes
/// `19k·i..19k·(i+1)`, zeros following the payload's end.
///
/// Costs two transforms of size k for each row and limb.
///
/// # Errors
/// [`Error::PayloadLength`] or [`Error::MatrixLength`] when a length is not the parameters'.
#[tracing::instrument(name = "code.encode", skip_all, fields(rows = params.rows(), k = params.k()))]
pub fn encode(params: &Params, payload: &[u8], matrix: &mut [F]) -> Result<(), Error> {
    super::check_matrix(params, matrix)?;
    let (expected, got) = (params.payload_len(), payload.len() as u64);
    if expected != got {
        return Err(Error::PayloadLength { expected, got });
    }
    type Packed = <F as Field>::Packing;
    if params.half() < Packed::WIDTH {
        // Too few cells to fill the lanes.
        Encoder::<F>::new(params).encode(payload, matrix);
    } else {
        Encoder::<Packed>::new(params).encode(payload, matrix);
    }
    Ok(())
}

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
struct Encoder<P> {
    c: usize,
    half: usize,
    row_bytes: usize,
    /// The payload half's cells to coefficients.
    interpolate: Strips<P>,
    cells: CellFft,
    /// Word e_hi: ω^(c·e_hi)/k. The rest of ω^e is in the twiddles of `evaluate`.
    twist: Aligned,
    /// Coefficients to the parity half's cells.
    evaluate: Strips<P>,
}

/// Buffers that a thread reuses from limb to limb.
struct Scratch {
    strips: Aligned,
    rows: Aligned,
}

impl<P: PackedField<Scalar = F>> Encoder<P> {
    fn new(params: &Params) -> Self {
        let domain = Domain::new(params);
        let (c, half) = (params.c(), params.half());
        let mut twist = Aligned::zero(half);
        let powers = domain.power(c).shifted_powers(F::ONE.div_2exp_u64(params.log_k() as u64));
        for (word, power) in twist.iter_mut().zip(powers) {
            *word = power;
        }
        Self {
            c,
            half,
            row_bytes: params.row_bytes(),
            interpolate: Strips::inverse(&domain, c, 0..half),
            cells: CellFft::new(half),
            twist,
            evaluate: Strips::forward(&domain, c, half..2 * half),
        }
    }

    fn encode(&self, payload: &[u8], matrix: &mut [F]) {
        matrix.par_chunks_exact_mut(2 * self.half * self.c * LIMBS).enumerate().for_each_init(
            || Aligned::zero(self.half * self.c * LIMBS),
            |staged, (row, matrix)| {
                let staged = P::pack_slice_mut(staged);
                let bytes = self.row_payload(payload, row);
                staged
                    .par_chunks_exact_mut(LIMBS * self.c)
                    .zip(bytes.par_chunks_exact(P::WIDTH * self.c * SYMBOL_BYTES))
                    .for_each(|(strip, bytes)| stage(bytes, self.c, strip));
                matrix.par_chunks_exact_mut(2 * self.half * self.c).enumerate().for_each_init(
                    || self.scratch(),
                    |scratch, (limb, matrix)| self.encode_limb(staged, limb, matrix, scratch),
                );
            },
        );
    }

    fn extend(&self, matrix: &mut [F]) {
        matrix
            .par_chunks_exact_mut(2 * self.half * self.c)
            .for_each_init(|| self.scratch(), |scratch, limb| self.extend_limb(limb, scratch));
    }

    fn scratch(&self) -> Scratch {
        Scratch {
            strips: Aligned::zero(GROUP * self.c * P::WIDTH),
            rows: Aligned::zero(row_stride(self.half) * self.c),
        }
    }

    /// The bytes of a row, with zeros after the payload's end.
    fn row_payload<'a>(&self, payload: &'a [u8], row: usize) -> Cow<'a, [u8]> {
        let rest = payload.get(row * self.row_bytes..).unwrap_or_default();
        match rest.get(..self.row_bytes) {
            Some(bytes) => Cow::Borrowed(bytes),
            None => {
                let mut bytes = vec![0; self.row_bytes];
                bytes[..rest.len()].copy_from_slice(rest);
                Cow::Owned(bytes)
            }
        }
    }

    /// One limb of one row, from the staged strips to its block of the matrix.
    fn encode_limb(&self, staged: &[P], limb: usize, matrix: &mut [F], scratch: &mut Scratch) {
        let Scratch { strips: buffer, rows } = scratch;
        let buffer = P::pack_slice_mut(buffer);
        let (c, columns, stride) = (self.c, 2 * self.half, row_stride(self.half));
        for (group, staged) in staged.chunks(GROUP * LIMBS * c).enumerate() {
            let staged = &staged[limb * c..];
            scatter(staged, LIMBS * c, matrix, columns, group * GROUP);
            let mut used = 0;
            let strips = buffer.chunks_exact_mut(c).zip(staged.chunks(LIMBS * c));
            for (i, (strip, staged)) in strips.enumerate() {
                strip.copy_from_slice(&staged[..c]);
                self.interpolate.interpolate(group * GROUP + i, strip);
                used += c;
            }
            scatter(&buffer[..used], c, rows, stride, group * GROUP);
        }
        self.parity(matrix, scratch);
    }

    /// One limb of one row, from the payload half of its block of the matrix.
    fn extend_limb(&self, matrix: &mut [F], scratch: &mut Scratch) {
        let Scratch { strips: buffer, rows } = scratch;
        let buffer = P::pack_slice_mut(buffer);
        let (c, strips) = (self.c, self.half / P::WIDTH);
        for first in (0..strips).step_by(GROUP) {
            let buffer = &mut buffer[..GROUP.min(strips - first) * c];
            gather(buffer, c, matrix, 2 * self.half, first);
            for (i, strip) in buffer.chunks_exact_mut(c).enumerate() {
                self.interpolate.interpolate(first + i, strip);
            }
            scatter(buffer, c, rows, row_stride(self.half), first);
        }
        self.parity(matrix, scratch);
    }

    /// The parity half of one limb of one row, from its strips, interpolated, in `scratch`.
    fn parity(&self, matrix: &mut [F], scratch: &mut Scratch) {
        let Scratch { strips: buffer, rows } = scratch;
        let buffer = P::pack_slice_mut(buffer);
        let (c, columns, stride) = (self.c, 2 * self.half, row_stride(self.half));
        let twist = P::pack_slice(&self.twist);
        for row in rows.chunks_exact_mut(stride) {
            let row = &mut row[..self.half];
            self.cells.inverse(row);
            for (word, &twist) in P::pack_slice_mut(row).iter_mut().zip(twist) {
                *word *= twist;
            }
            self.cells.forward(row);
        }
        let strips = self.half / P::WIDTH;
        for first in (0..strips).step_by(GROUP) {
            let buffer = &mut buffer[..GROUP.min(strips - first) * c];
            gather(buffer, c, rows, stride, first);
            for (i, strip) in buffer.chunks_exact_mut(c).enumerate() {
                self.evaluate.evaluate(first + i, strip);
            }
            scatter(buffer, c, matrix, columns, strips + first);
        }
    }
}

/// Turns the bytes of one strip's cells into limbs: word d·c + sym, a cell in each lane.
fn stage<P: PackedField<Scalar = F>>(bytes: &[u8], c: usize, strip: &mut [P]) {
    match P::WIDTH {
        16 => stage_lanes::<P, 16>(bytes, c, strip),
        8 => stage_lanes::<P, 8>(bytes, c, strip),
        4 => stage_lanes::<P, 4>(bytes, c, strip),
        1 => stage_lanes::<P, 1>(bytes, c, strip),
        width => unreachable!("vectors of {width} words"),
    }
}

fn stage_lanes<P: PackedField<Scalar = F>, const N: usize>(
    bytes: &[u8],
    c: usize,
    strip: &mut [P],
) {
    let (symbols, _) = bytes.as_chunks::<SYMBOL_BYTES>();
    for symbol in 0..c {
        let lanes =
            symbols_from_bytes::<N>(std::array::from_fn(|lane| &symbols[lane * c + symbol]));
        for (limb, lanes) in lanes.iter().enumerate() {
            strip[limb * c + symbol] = *P::from_slice(lanes);
        }
    }
}
