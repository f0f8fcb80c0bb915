//! The transforms, in the order in which the matrix is stored.
//!
//! Write the exponent of a coefficient as e = e_hi·c + e_lo and the position of a point as
//! pos = j·c + sym. The points of cell j have a common c-th power y_j, so evaluation splits:
//!
//! 1. *across cells*, for each e_lo: `g[e_lo][j] = Σ_{e_hi} f[e_lo][e_hi]·y_j^{e_hi}`, a
//!    transform of contiguous words, bit-reversed in j ([`CellFft`]);
//! 2. *within cells*, for each j: the polynomial `g[·][j]` of c coefficients on the c points of
//!    cell j, e_lo becoming sym ([`Strips`]). All cells do the same operations with twiddles of
//!    their own, so neighbouring j fill the lanes of a vector.
//!
//! With coefficients stored at e_lo·N + e_hi and points at sym·N + j, for N cells, both steps
//! are in place and nothing is ever transposed or bit-reversed. The inverse is the two inverse
//! steps in the opposite order, without the division by c·N.
#![deny(clippy::arithmetic_side_effects)]

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};

use airda_gkr::F;
use p3_field::{PackedField, PackedValue, PrimeCharacteristicRing};

use super::domain::Domain;

/// The transform across cells: p3's in-place DIF forward and DIT backward.
pub(super) struct CellFft {
    forward: Vec<Vec<F>>,
    inverse: Vec<Vec<F>>,
}

impl CellFft {
    /// For `len` words, a power of two.
    pub(super) fn new(len: usize) -> Self {
        if len < 2 {
            return Self { forward: Vec::new(), inverse: Vec::new() };
        }
        let forward = F::roots_of_unity_table(len);
        // In a table 1, g, …, g^(s−1) with g^s = −1, the inverse of g^i is −g^(s−i).
        let invert = |table: &Vec<F>| {
            let rest = table.iter().skip(1).rev().map(|&root| -root);
            std::iter::once(F::ONE).chain(rest).collect()
        };
        let inverse = forward.iter().map(invert).collect();
        Self { forward, inverse }
    }

    /// Values at the powers of the root of unity, bit-reversed, from coefficients.
    pub(super) fn forward(&self, words: &mut [F]) {
        F::forward_fft(words, &self.forward);
    }

    /// Coefficients from values in bit-reversed order, times their number.
    pub(super) fn inverse(&self, words: &mut [F]) {
        F::backward_fft(words, &self.inverse);
    }
}

/// The transform within cells, in one direction, for a range of cells. A strip is as many
/// neighbouring cells as `P` has lanes.
pub(super) struct Strips<P> {
    log_c: u32,
    lanes: PhantomData<P>,
    /// For each strip c words: the twiddle of node (level t, index s) at 2^t + s, in each lane
    /// that of its own cell. Node (t, s) is the polynomial modulo X^(c/2^t) − w², w its twiddle.
    twiddles: Aligned,
}

impl<P: PackedField<Scalar = F>> Strips<P> {
    /// From coefficients to points, for `cells`.
    pub(super) fn forward(domain: &Domain, c: usize, cells: Range<usize>) -> Self {
        Self::new(domain, c, cells, |exponent| domain.power(exponent))
    }

    /// From points to coefficients, for `cells`.
    pub(super) fn inverse(domain: &Domain, c: usize, cells: Range<usize>) -> Self {
        Self::new(domain, c, cells, |exponent| domain.inverse_power(exponent))
    }

    /// `power` is the one of ω or of its inverse.
    fn new(domain: &Domain, c: usize, cells: Range<usize>, power: impl Fn(usize) -> F) -> Self {
        // The first point of node (t, s) has an exponent that is the sum of those of position
        // j·c and of position s·c/2^t; its twiddle is that point to the c/2^(t+1).
        let log_c = c.ilog2();
        let half = |node: usize| c >> node.ilog2() >> 1;
        // Exponents count modulo m, a power of two.
        let twiddle = |exponent: usize, node| power(exponent.wrapping_mul(half(node)));
        let within: Vec<F> = (0..c)
            .map(|node| match node {
                0 => F::ZERO,
                // s·c/2^t, being (2^t + s)·c/2^t without its highest bit, c.
                _ => twiddle(domain.exponent(node << log_c >> node.ilog2() ^ c), node),
            })
            .collect();
        let mut twiddles = Aligned::zero(cells.len() << log_c);
        let strips = P::pack_slice_mut(&mut twiddles).chunks_exact_mut(c);
        for (first, twiddles) in cells.step_by(P::WIDTH).zip(strips) {
            let mut across = P::ONE;
            for (node, (word, &within)) in twiddles.iter_mut().zip(&within).enumerate().skip(1) {
                if node.is_power_of_two() {
                    // The first cell is a multiple of the lanes.
                    let exponent = |lane| domain.exponent((first | lane) << log_c);
                    across = P::from_fn(|lane| twiddle(exponent(lane), node));
                }
                *word = across * within;
            }
        }
        Self { log_c, lanes: PhantomData, twiddles }
    }

    /// Coefficients to points, in the c packed words of one strip.
    pub(super) fn evaluate(&self, strip: usize, words: &mut [P]) {
        let twiddles = self.twiddles(strip);
        for level in 0..self.log_c {
            // As many blocks, of as many words: the nodes of the level.
            let (blocks, len) = (1 << level, words.len() >> level);
            for (block, &twiddle) in words.chunks_exact_mut(len).zip(&twiddles[blocks..]) {
                let (low, high) = block.split_at_mut(len / 2);
                for (low, high) in low.iter_mut().zip(high) {
                    let product = *high * twiddle;
                    (*low, *high) = (*low + product, *low - product);
                }
            }
        }
    }

    /// Points to c times the coefficients, in the c packed words of one strip.
    pub(super) fn interpolate(&self, strip: usize, words: &mut [P]) {
        let twiddles = self.twiddles(strip);
        for level in (0..self.log_c).rev() {
            let (blocks, len) = (1 << level, words.len() >> level);
            for (block, &twiddle) in words.chunks_exact_mut(len).zip(&twiddles[blocks..]) {
                let (low, high) = block.split_at_mut(len / 2);
                for (low, high) in low.iter_mut().zip(high) {
                    (*low, *high) = (*low + *high, (*low - *high) * twiddle);
                }
            }
        }
    }

    /// How many points all cells have.
    pub(super) fn points(&self) -> usize {
        self.twiddles.len()
    }

    fn twiddles(&self, strip: usize) -> &[P] {
        &P::pack_slice(&self.twiddles)[strip << self.log_c..][..1 << self.log_c]
    }
}

/// Words from one scratch row of `cells` words to the next: one line of the cache more than
/// needed, since rows a power of two apart share the same few sets of the cache.
pub(super) const fn row_stride(cells: usize) -> usize {
    cells.saturating_add(16)
}

/// Reads neighbouring strips from rows `stride` words apart, the first being number `first`.
/// In `strips` they are c words each, one after the other.
pub(super) fn gather<P: PackedValue<Value = F>>(
    strips: &mut [P],
    c: usize,
    rows: &[F],
    stride: usize,
    first: usize,
) {
    for (symbol, row) in rows.chunks_exact(stride).enumerate() {
        let words = &P::pack_slice(row)[first..];
        for (strip, word) in strips.chunks_exact_mut(c).zip(words) {
            strip[symbol] = *word;
        }
    }
}

/// Writes neighbouring strips to rows `stride` words apart, the first being number `first`.
/// In `strips` they are `between` words apart, of which the first c are written.
pub(super) fn scatter<P: PackedValue<Value = F>>(
    strips: &[P],
    between: usize,
    rows: &mut [F],
    stride: usize,
    first: usize,
) {
    for (symbol, row) in rows.chunks_exact_mut(stride).enumerate() {
        let words = &mut P::pack_slice_mut(row)[first..];
        for (strip, word) in strips.chunks(between).zip(words) {
            *word = strip[symbol];
        }
    }
}

/// Words that start with a line of the cache, so that no vector of them is spread over two.
pub(super) struct Aligned {
    words: Vec<F>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// Bytes of a line.
    const LINE: usize = 64;
    /// Words of a line.
    const SPARE: usize = Self::LINE / size_of::<F>();

    /// `len` zeros.
    pub(super) fn zero(len: usize) -> Self {
        let words = F::zero_vec(len.saturating_add(Self::SPARE));
        // A start that cannot be aligned is still right, only slower.
        let start = words.as_ptr().align_offset(Self::LINE).min(Self::SPARE);
        Self { words, start, len }
    }
}

impl Deref for Aligned {
    type Target = [F];
    fn deref(&self) -> &[F] {
        &self.words[self.start..][..self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [F] {
        &mut self.words[self.start..][..self.len]
    }
}
