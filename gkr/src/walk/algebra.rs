//! Small algebra that both sides share; scalar, and total: nothing here panics.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use std::array::from_fn;

use p3_field::PrimeCharacteristicRing;
#[cfg(feature = "prover")]
use p3_field::extension::HasFrobenius;

use crate::permutation::Constants;
use crate::{E, F};

/// The Lagrange basis of the nodes 0..N at `x`.
pub(crate) fn lagrange<const N: usize>(x: E) -> [E; N] {
    // λ_i = Π_{j≠i} (x − j)/(i − j); the denominator is (−1)^(N−1−i)·i!·(N−1−i)!.
    let mut inverse_factorials = [F::ONE; N];
    let mut factorial = F::ONE;
    for i in 1..N {
        factorial *= F::from_usize(i);
    }
    let mut inverse = p3_field::Field::try_inverse(&factorial).unwrap_or_default();
    for (i, out) in inverse_factorials.iter_mut().enumerate().rev() {
        *out = inverse;
        inverse *= F::from_usize(i);
    }
    let mut basis = [E::ONE; N];
    let mut product = E::ONE;
    for (i, out) in basis.iter_mut().enumerate() {
        *out = product;
        product *= x - F::from_usize(i);
    }
    product = E::ONE;
    for (i, out) in basis.iter_mut().enumerate().rev() {
        *out *= product;
        product *= x - F::from_usize(i);
    }
    let denominators = inverse_factorials.iter().zip(inverse_factorials.iter().rev());
    for (i, (out, (&low, &high))) in basis.iter_mut().zip(denominators).enumerate() {
        // N − 1 − i is odd exactly where N and i have one parity.
        let sign = if (N ^ i) & 1 == 0 { F::NEG_ONE } else { F::ONE };
        *out *= sign * low * high;
    }
    basis
}

/// (Σ_{i < bound} eq(r, i), eq(r, bound)), over the indices of `r.len()` bits: (1, 0) for a
/// bound beyond them.
pub(super) fn eq_below(r: &[E], bound: usize) -> (E, E) {
    if has_bits_above(bound, r.len()) {
        return (E::ONE, E::ZERO);
    }
    // From the lowest bit up: `below` and `at` compare the low bits alone.
    let (mut below, mut at) = (E::ZERO, E::ONE);
    for (j, &r) in r.iter().enumerate() {
        if bound >> j & 1 == 1 {
            below = E::ONE - r + r * below;
            at *= r;
        } else {
            below *= E::ONE - r;
            at *= E::ONE - r;
        }
    }
    (below, at)
}

/// Whether the number has bits from bit `bits` on.
pub(super) fn has_bits_above(number: usize, bits: usize) -> bool {
    u32::try_from(bits).ok().and_then(|bits| number.checked_shr(bits)).is_some_and(|high| high != 0)
}

/// Σ_i a_i·b_i.
pub(crate) fn dot(a: &[E], b: &[E]) -> E {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

/// 1, x, x², …
pub(super) fn powers<const N: usize>(x: E) -> [E; N] {
    let mut power = E::ONE;
    from_fn(|_| {
        let current = power;
        power *= x;
        current
    })
}

/// c_0 + c_1·x + c_2·x² + c_3·x³ where c_0 makes (1 − r)·g(0) + r·g(1) the claim.
pub(super) fn next_claim(claim: E, r: E, [c1, c2, c3]: [E; 3], x: E) -> E {
    let c0 = claim - r * (c1 + c2 + c3);
    c0 + x * (c1 + x * (c2 + x * c3))
}

/// A matrix (J + I or its inverse) ⊗ circ(row), J all ones over the blocks of four words: the
/// external matrix M_E, its transpose, and their inverses are of this kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct External {
    row: [F; 4],
    /// What of the blocks' sum each block gets.
    share: F,
}

impl External {
    /// M_E^T.
    pub(super) fn transpose() -> Self {
        Self { row: [2, 1, 1, 3].map(F::from_u32), share: F::ONE }
    }

    /// M_E^{−1} at width `t`. The inverse of circ(2, 3, 1, 1) is circ(−4, 3, −11, 17)/35, that
    /// of J + I over b blocks I − J/(b + 1).
    pub(super) fn inverse(t: usize) -> Self {
        let over = |x: usize| p3_field::Field::try_inverse(&F::from_usize(x)).unwrap_or_default();
        let row = [-4, 3, -11, 17].map(|x| F::from_i32(x) * over(35));
        // Blocks, and one more.
        Self { row, share: -over((t / 4).wrapping_add(1)) }
    }

    /// M_E^{−T} at width `t`.
    pub(super) fn inverse_transpose(t: usize) -> Self {
        let Self { row: [a, b, c, d], share } = Self::inverse(t);
        Self { row: [a, d, c, b], share }
    }

    /// The matrix times `x`.
    pub(super) fn apply<const T: usize>(&self, x: &[E; T]) -> [E; T] {
        let mut out = *x;
        let mut sums = [E::ZERO; 4];
        for block in out.as_chunks_mut::<4>().0 {
            let [x0, x1, x2, x3] = *block;
            let [a, b, c, d] = self.row;
            *block = [
                x0 * a + x1 * b + x2 * c + x3 * d,
                x0 * d + x1 * a + x2 * b + x3 * c,
                x0 * c + x1 * d + x2 * a + x3 * b,
                x0 * b + x1 * c + x2 * d + x3 * a,
            ];
            for (sum, &value) in sums.iter_mut().zip(&*block) {
                *sum += value;
            }
        }
        for block in out.as_chunks_mut::<4>().0 {
            for (value, &sum) in block.iter_mut().zip(&sums) {
                *value += sum * self.share;
            }
        }
        out
    }
}

/// Pulls the form θ on a partial round's outputs back to its inputs: γ_0, the weight of the
/// S-box's output, and γ_1, γ_2, …, those of the other words.
pub(super) fn pull_back<const T: usize>(constants: &Constants<T>, form: &[E; T]) -> [E; T] {
    let sum: E = form.iter().copied().sum();
    let mut pulled = *form;
    for (weight, &v) in pulled.iter_mut().zip(&constants.diagonal) {
        *weight = sum + *weight * v;
    }
    pulled
}

/// The cube root in E: 3 does not divide p^5 − 1, so there is exactly one.
///
/// The exponent is 1/3 mod p^5 − 1 = (2p^5 − 1)/3. With l = (p − 2)/3 and h = 2l + 1 its
/// digits to base p are h, l, h, l, h, and raising to p is the Frobenius map φ.
#[cfg(feature = "prover")]
pub(crate) fn cube_root(x: E) -> E {
    const L: u64 = (<F as p3_field::PrimeField32>::ORDER_U32 as u64 - 2) / 3;
    let low = x.exp_u64(L);
    let high = low.square() * x;
    // h + p·(l + p·(h + p·(l + p·h))).
    let inner = high.frobenius() * low;
    let middle = (inner.frobenius() * high).frobenius() * low;
    middle.frobenius() * high
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests {
    use p3_field::{BasedVectorSpace, Field, PrimeField32};
    use proptest::prelude::*;

    use super::*;
    use crate::permutation::{Permutation, Poseidon2, external_matrix};

    fn element() -> impl Strategy<Value = E> {
        let word = prop_oneof![Just(0), Just(1), Just(F::ORDER_U32 - 1), 0..F::ORDER_U32,];
        prop::array::uniform5(word)
            .prop_map(|w| E::from_basis_coefficients_fn(|i| F::from_u32(w[i])))
    }

    fn naive_external<const T: usize>(x: &[E; T], transposed: bool) -> [E; T] {
        let column = |j: usize| {
            let mut unit = [F::ZERO; T];
            unit[j] = F::ONE;
            external_matrix(&mut unit);
            unit
        };
        let columns: Vec<[F; T]> = (0..T).map(column).collect();
        from_fn(|i| {
            (0..T).map(|j| x[j] * if transposed { columns[i][j] } else { columns[j][i] }).sum()
        })
    }

    fn external_agrees<const T: usize>(x: &[E]) {
        let x: [E; T] = x[..T].try_into().unwrap();
        let transposed = naive_external(&x, true);
        assert_eq!(External::transpose().apply(&x), transposed);
        assert_eq!(External::inverse_transpose(T).apply(&transposed), x);
        assert_eq!(External::inverse(T).apply(&naive_external(&x, false)), x);
    }

    fn pull_back_agrees<const T: usize>(form: &[E], state: &[u32])
    where
        Poseidon2<T>: Permutation<T>,
    {
        let constants = Poseidon2::<T>::constants();
        let form: [E; T] = form[..T].try_into().unwrap();
        let state: [F; T] = from_fn(|i| F::from_u32(state[i]));
        let sum: F = state.iter().copied().sum();
        let out: [F; T] = from_fn(|i| sum + constants.diagonal[i] * state[i]);
        let below = pull_back(constants, &form);
        let weigh = |form: &[E; T], words: &[F; T]| -> E {
            form.iter().zip(words).map(|(&a, &b)| a * b).sum()
        };
        assert_eq!(weigh(&form, &out), weigh(&below, &state));
    }

    proptest! {
        #[cfg(feature = "prover")]
        #[test]
        fn cube_roots_cube_back(x in element()) {
            prop_assert_eq!(cube_root(x).cube(), x);
            prop_assert_eq!(cube_root(x.cube()), x);
        }

        #[test]
        fn matrices_are_those_of_the_permutation(x in prop::collection::vec(element(), 24)) {
            external_agrees::<16>(&x);
            external_agrees::<24>(&x);
        }

        #[test]
        fn forms_pull_back_through_the_partial_matrix(
            form in prop::collection::vec(element(), 24),
            state in prop::collection::vec(0..F::ORDER_U32, 24),
        ) {
            pull_back_agrees::<16>(&form, &state);
            pull_back_agrees::<24>(&form, &state);
        }

        #[test]
        fn the_basis_interpolates(
            coefficients in prop::collection::vec(element(), 8),
            x in element(),
        ) {
            let at = |x: E| coefficients.iter().rev().fold(E::ZERO, |sum, &c| sum * x + c);
            let values: [E; 8] = from_fn(|i| at(E::from_usize(i)));
            prop_assert_eq!(dot(&lagrange::<8>(x), &values), at(x));
            let values: [E; 22] = from_fn(|i| at(E::from_usize(i)));
            prop_assert_eq!(dot(&lagrange::<22>(x), &values), at(x));
        }

        #[test]
        fn prefix_sums_of_eq(r in prop::collection::vec(element(), 0..6), bound in 0..70_usize) {
            let eq = |i: usize| -> E {
                r.iter().enumerate().map(|(j, &r)| {
                    if i >> j & 1 == 1 { r } else { E::ONE - r }
                }).product()
            };
            let size = 1 << r.len();
            let below: E = (0..bound.min(size)).map(eq).sum();
            let at = if bound < size { eq(bound) } else { E::ZERO };
            prop_assert_eq!(eq_below(&r, bound), (below, at));
        }
    }

    #[test]
    fn the_basis_at_a_node_is_a_unit_vector() {
        let basis = lagrange::<22>(E::from_usize(5));
        assert_eq!(basis, from_fn(|i| if i == 5 { E::ONE } else { E::ZERO }));
    }

    #[test]
    fn the_claim_fixes_the_missing_coefficient() {
        let [r, x, c0, c1, c2, c3] = from_fn(|i| E::from_usize(i + 3).inverse());
        let g = |x: E| c0 + x * (c1 + x * (c2 + x * c3));
        let claim = (E::ONE - r) * g(E::ZERO) + r * g(E::ONE);
        assert_eq!(next_claim(claim, r, [c1, c2, c3], x), g(x));
    }
}
