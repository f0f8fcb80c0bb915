//! Systematic encoding.
//!
//! Per row, the payload's bytes become limbs, staged strip by strip; each limb is then
//! [extended](super::extend()) by itself.

use std::borrow::Cow;

use airda_gkr::F;
use p3_field::{Field, PackedField, PackedValue};
use p3_maybe_rayon::prelude::*;

use super::extend::Extension;
use super::transform::Aligned;
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

/// What all rows and limbs share.
struct Encoder<P> {
    params: Params,
    extension: Extension<P>,
}

impl<P: PackedField<Scalar = F>> Encoder<P> {
    fn new(params: &Params) -> Self {
        Self { params: *params, extension: Extension::new(params) }
    }

    fn encode(&self, payload: &[u8], matrix: &mut [F]) {
        let (c, m) = (self.params.c(), self.params.m());
        matrix.par_chunks_exact_mut(m * LIMBS).enumerate().for_each_init(
            || Aligned::zero(self.params.k() * LIMBS),
            |staged, (row, matrix)| {
                let staged = P::pack_slice_mut(staged);
                let bytes = self.row_payload(payload, row);
                staged
                    .par_chunks_exact_mut(LIMBS * c)
                    .zip(bytes.par_chunks_exact(P::WIDTH * c * SYMBOL_BYTES))
                    .for_each(|(strip, bytes)| stage(bytes, c, strip));
                matrix.par_chunks_exact_mut(m).enumerate().for_each_init(
                    || self.extension.scratch(),
                    |scratch, (limb, matrix)| {
                        let staged = Some((&staged[limb * c..], LIMBS * c));
                        self.extension.limb(staged, matrix, scratch);
                    },
                );
            },
        );
    }

    /// The bytes of a row, with zeros after the payload's end.
    fn row_payload<'a>(&self, payload: &'a [u8], row: usize) -> Cow<'a, [u8]> {
        let row_bytes = self.params.row_bytes();
        let rest = payload.get(row * row_bytes..).unwrap_or_default();
        match rest.get(..row_bytes) {
            Some(bytes) => Cow::Borrowed(bytes),
            None => {
                let mut bytes = vec![0; row_bytes];
                bytes[..rest.len()].copy_from_slice(rest);
                Cow::Owned(bytes)
            }
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
