//! The points of the code, by position and by cell.
#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::F;
use p3_field::{PrimeCharacteristicRing, TwoAdicField};
use p3_util::reverse_bits_len;

use super::low_bits;
use crate::params::Params;

/// The powers of ω, looked up by exponent, position or cell.
pub(super) struct Domain {
    log_m: usize,
    log_c: usize,
    /// ω^0 … ω^(m−1).
    powers: Vec<F>,
}

impl Domain {
    pub(super) fn new(params: &Params) -> Self {
        let log_m = params.log_m();
        let powers = F::two_adic_generator(log_m).powers().collect_n(1 << log_m);
        Self { log_m, log_c: params.log_c(), powers }
    }

    /// ω^exponent; exponents count modulo m.
    pub(super) fn power(&self, exponent: usize) -> F {
        self.powers[low_bits(exponent, self.log_m)]
    }

    /// ω^−exponent.
    pub(super) fn inverse_power(&self, exponent: usize) -> F {
        self.power(exponent.wrapping_neg())
    }

    /// The exponent of the point at a position.
    pub(super) const fn exponent(&self, position: usize) -> usize {
        reverse_bits_len(position, self.log_m)
    }

    /// The point at a position.
    pub(super) fn point(&self, position: usize) -> F {
        self.power(self.exponent(position))
    }

    /// The c-th power of every point of a cell.
    pub(super) fn cell_power(&self, cell: usize) -> F {
        self.power(self.exponent(cell << self.log_c) << self.log_c)
    }
}
