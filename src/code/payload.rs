//! The payload of an encoded matrix.
#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::F;
use p3_maybe_rayon::prelude::*;

use super::low_bits;
use crate::bytes::symbol_to_bytes;
use crate::error::Error;
use crate::params::{LIMBS, Params, SYMBOL_BYTES};

/// Cells that are unpacked together: their words are neighbours in the matrix.
const CELLS: usize = 16;

/// The payload's bytes, from the payload half of the matrix.
///
/// # Errors
/// [`Error::MatrixLength`]; [`Error::SymbolRange`] or [`Error::Padding`] for the first symbol,
/// by row and position, that no payload encodes to. Which one depends on the matrix alone, so
/// every reader of an invalid block gets the same error.
#[tracing::instrument(name = "code.payload", skip_all)]
pub fn payload(params: &Params, matrix: &[F]) -> Result<Vec<u8>, Error> {
    super::check_matrix(params, matrix)?;
    // No more than the matrix's words hold, and so no more than an address.
    let mut bytes = vec![0; params.capacity() as usize];
    let log_group = CELLS.min(params.half()).ilog2();
    let group = params.c() << log_group;
    let out_of_range = bytes
        .par_chunks_exact_mut(SYMBOL_BYTES << params.log_c() << log_group)
        .zip((0..params.capacity_symbols()).into_par_iter().step_by(group))
        .filter_map(|(bytes, first)| unpack(params, matrix, first, bytes))
        .min();
    // The symbol out of range left zeros behind.
    let len = params.payload_len() as usize;
    let mut padding = bytes.iter().enumerate().skip(len);
    let padding = padding.find(|&(_, &byte)| byte != 0).map(|(at, _)| at / SYMBOL_BYTES);
    let place = |symbol| (symbol >> params.log_k(), low_bits(symbol, params.log_k()));
    match (out_of_range, padding) {
        (None, None) => {
            bytes.truncate(len);
            Ok(bytes)
        }
        (Some(symbol), None) => {
            let (row, position) = place(symbol);
            Err(Error::SymbolRange { row, position })
        }
        (Some(symbol), Some(other)) if symbol < other => {
            let (row, position) = place(symbol);
            Err(Error::SymbolRange { row, position })
        }
        (_, Some(symbol)) => {
            let (row, position) = place(symbol);
            Err(Error::Padding { row, position })
        }
    }
}

/// Unpacks a run of whole cells of one row, the first symbol being number `first` of the whole
/// payload half; returns the number of the first symbol out of range.
fn unpack(params: &Params, matrix: &[F], first: usize, bytes: &mut [u8]) -> Option<usize> {
    let (row, position) = (first >> params.log_k(), low_bits(first, params.log_k()));
    let cell = position >> params.log_c();
    let (symbols, _) = bytes.as_chunks_mut::<SYMBOL_BYTES>();
    let cells = symbols.len() >> params.log_c();
    let mut out_of_range = None;
    for symbol in 0..params.c() {
        let limbs: [&[F]; LIMBS] = std::array::from_fn(|limb| {
            let start = params.word_offset(row, limb << params.log_c() | symbol);
            &matrix[start..][cell..][..cells]
        });
        for i in 0..cells {
            let index = i << params.log_c() | symbol;
            match symbol_to_bytes(limbs.map(|limb| limb[i])) {
                Some(bytes) => symbols[index] = bytes,
                None => {
                    // Runs are powers of two, aligned to their length.
                    let found = first | index;
                    out_of_range =
                        Some(out_of_range.map_or(found, |least: usize| least.min(found)));
                }
            }
        }
    }
    out_of_range
}
