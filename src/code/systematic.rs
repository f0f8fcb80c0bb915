//! The code over the extension, and its transpose: what a proof does with the parity half when
//! only the payload half is committed.
//!
//! One limb of a row is a codeword over the base field: the payload half its message, the
//! parity half E·payload with E = B·F·T·F^−1·B. Here F_{re} = ω_k^(re) is the transform of
//! order k, T = diag(ω^e) the twist to the coset, and B the order of the positions. F is
//! symmetric, and so is J = F²/k, the reversal of the exponents; hence
//! E^T = B·F^−1·T·F·B = B·F·(J·T·J)·F^−1·B: the same with the twist reversed,
//! ω^((k−e) mod k) for ω^e.
#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::calls::SystematicCode;
use airda_gkr::{E, F};
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::{Field, PrimeCharacteristicRing, TwoAdicField};
use p3_util::reverse_slice_index_bits;

use super::low_bits;
use crate::params::Params;

/// The code of one limb of a row, c columns of ℓ words: word `sym·ℓ + j` of a codeword is
/// symbol `sym` of cell j.
#[derive(Clone, Debug)]
pub struct LimbCode {
    log_k: usize,
    log_m: usize,
    log_c: usize,
    /// log2 of the cells in a half row, and in a row.
    log_half: usize,
    log_column: usize,
    dft: Radix2DFTSmallBatch<F>,
}

impl LimbCode {
    /// The code of rows with these parameters.
    pub fn new(params: &Params) -> Self {
        // Its twiddles are made at the first transform, not before.
        let dft = Radix2DFTSmallBatch::default();
        Self {
            log_k: params.log_k(),
            log_m: params.log_m(),
            log_c: params.log_c(),
            log_half: params.half().ilog2() as usize,
            log_column: params.log_columns(),
            dft,
        }
    }

    /// Half columns, one after the other, to the order of the positions' exponents.
    fn to_exponents(&self, columns: impl Iterator<Item = E>) -> Vec<E> {
        let mut values = E::zero_vec(1 << self.log_k);
        for (index, value) in columns.enumerate().take(values.len()) {
            let (symbol, cell) = (index >> self.log_half, low_bits(index, self.log_half));
            values[cell << self.log_c | symbol] = value;
        }
        reverse_slice_index_bits(&mut values);
        values
    }

    /// The way back.
    fn to_columns(&self, mut values: Vec<E>) -> impl Iterator<Item = E> {
        reverse_slice_index_bits(&mut values);
        let (log_c, log_half) = (self.log_c, self.log_half);
        (0..values.len()).map(move |index| {
            let (symbol, cell) = (index >> log_half, low_bits(index, log_half));
            values[cell << log_c | symbol]
        })
    }

    /// F·diag(twist)·F^−1.
    fn transform(&self, values: Vec<E>, twist: impl Iterator<Item = F>) -> Vec<E> {
        let mut coefficients = self.dft.idft_algebra(values);
        for (coefficient, twist) in coefficients.iter_mut().zip(twist) {
            *coefficient *= twist;
        }
        self.dft.dft_algebra(coefficients)
    }

    fn omega(&self) -> F {
        F::two_adic_generator(self.log_m)
    }
}

impl SystematicCode for LimbCode {
    fn log_column(&self) -> usize {
        self.log_column
    }

    fn log_columns(&self) -> usize {
        self.log_c
    }

    fn encode(&self, message: &[E]) -> Vec<E> {
        let values = self.to_exponents(message.iter().copied());
        let mut parity = self.to_columns(self.transform(values, self.omega().powers()));
        let half = 1 << self.log_half;
        let mut codeword = Vec::with_capacity(message.len() << 1);
        for payload in message.chunks(half) {
            codeword.extend_from_slice(payload);
            codeword.extend(parity.by_ref().take(half));
        }
        codeword
    }

    fn transpose(&self, weights: &[E]) -> Vec<E> {
        let half = 1 << self.log_half;
        let columns = weights.chunks(1 << self.log_column).map(|column| column.split_at(half));
        let (payload, parity): (Vec<&[E]>, Vec<&[E]>) = columns.unzip();
        let values = self.to_exponents(parity.into_iter().flatten().copied());
        // ω^k = −1: the exponents k − e, e > 0.
        let inverse = self.omega().inverse();
        let twist = [F::ONE].into_iter().chain(inverse.shifted_powers(-inverse));
        let parity = self.to_columns(self.transform(values, twist));
        payload
            .into_iter()
            .flatten()
            .zip(parity)
            .map(|(&payload, parity)| payload + parity)
            .collect()
    }
}
