//! Polynomials that vanish on given points.
#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::F;
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use super::transform::CellFft;

/// Below this degree two factors are multiplied by the schoolbook method.
const SCHOOLBOOK: usize = 16;

/// The coefficients of Π (Y − root), without the leading 1, the constant first.
///
/// Costs O(d log² d) for d roots. It is the one part of recovery that is not O(m log m), and it
/// is done once for all rows and limbs, on one root a cell.
///
/// # Panics
/// When the number of roots is not a power of two.
pub(super) fn monic(roots: &[F]) -> Vec<F> {
    assert!(roots.len().is_power_of_two(), "{} roots", roots.len());
    // All factors of one level follow each other: of degree d, each has d words.
    let mut factors: Vec<F> = roots.iter().map(|&root| -root).collect();
    let mut degree = 1;
    while degree < roots.len() {
        if degree < SCHOOLBOOK {
            for pair in factors.chunks_exact_mut(degree << 1) {
                multiply_schoolbook(pair);
            }
        } else {
            let fft = CellFft::new(degree << 1);
            let multiply = |pair: &mut [F]| multiply_by_fft(&fft, pair);
            factors.par_chunks_exact_mut(degree << 1).for_each(multiply);
        }
        degree <<= 1;
    }
    factors
}

/// Two monic factors of degree d, d words each, become their product.
fn multiply_schoolbook(pair: &mut [F]) {
    let degree = pair.len() / 2;
    let mut product = [F::ZERO; 2 * SCHOOLBOOK];
    let (a, b) = pair.split_at(degree);
    for (i, &a) in a.iter().enumerate() {
        for (word, &b) in product[i..].iter_mut().zip(b) {
            *word += a * b;
        }
    }
    for (word, (&a, &b)) in product[degree..].iter_mut().zip(a.iter().zip(b)) {
        *word += a + b;
    }
    pair.copy_from_slice(&product[..pair.len()]);
}

/// As [`multiply_schoolbook`], modulo Y^(2d) − 1: the leading 1 is added to the constant.
fn multiply_by_fft(fft: &CellFft, pair: &mut [F]) {
    let degree = pair.len() / 2;
    let mut a = F::zero_vec(pair.len());
    a[..degree].copy_from_slice(&pair[..degree]);
    a[degree] = F::ONE;
    pair.copy_within(degree.., 0);
    pair[degree..].fill(F::ZERO);
    pair[degree] = F::ONE;
    fft.forward(&mut a);
    fft.forward(pair);
    let scale = F::ONE.div_2exp_u64(u64::from(pair.len().ilog2()));
    for (word, &a) in pair.iter_mut().zip(&a) {
        *word *= a * scale;
    }
    fft.inverse(pair);
    pair[0] -= F::ONE;
}

/// What [`monic`] polynomials and their derivatives are on the group of order `len`, the points
/// in bit-reversed order: `(values, derivative's values)`.
///
/// # Panics
/// When the degree is not below `len`.
pub(super) fn evaluate_with_derivative(monic: &[F], len: usize) -> (Vec<F>, Vec<F>) {
    assert!(monic.len() < len, "degree {} on a group of order {len}", monic.len());
    let fft = CellFft::new(len);
    let mut values = F::zero_vec(len);
    values[..monic.len()].copy_from_slice(monic);
    values[monic.len()] = F::ONE;
    let mut derivative = F::zero_vec(len);
    let terms = (0..=monic.len()).zip(&values).skip(1);
    for (word, (exponent, &value)) in derivative.iter_mut().zip(terms) {
        *word = value * F::from_usize(exponent);
    }
    fft.forward(&mut values);
    fft.forward(&mut derivative);
    (values, derivative)
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)]
mod tests {
    use p3_field::TwoAdicField;
    use p3_util::reverse_bits_len;

    use super::*;

    #[test]
    fn products_vanish_on_their_roots_and_nowhere_else() {
        for log_degree in 0..8 {
            let (degree, log_len) = (1 << log_degree, log_degree + 1);
            let generator = F::two_adic_generator(log_len);
            let points: Vec<F> = (0..2 * degree)
                .map(|i| generator.exp_u64(reverse_bits_len(i, log_len) as u64))
                .collect();
            // Every third point, going round.
            let chosen: Vec<usize> = (0..degree).map(|i| 3 * i % (2 * degree)).collect();
            let roots: Vec<F> = chosen.iter().map(|&i| points[i]).collect();
            let (values, derivative) = evaluate_with_derivative(&monic(&roots), 2 * degree);
            for (i, &point) in points.iter().enumerate() {
                let value: F = roots.iter().map(|&root| point - root).product();
                assert_eq!(values[i], value);
                if chosen.contains(&i) {
                    let others = roots.iter().filter(|&&root| root != point);
                    assert_eq!(derivative[i], others.map(|&root| point - root).product());
                }
            }
        }
    }
}
