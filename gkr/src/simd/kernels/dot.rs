//! Inner products and combinations of long vectors, for the linear form's sums.

use p3_field::PrimeCharacteristicRing;

use super::{
    ExtRow, Factor, Limbs, Row, Vector, add5, dot8, load_split8, load5, mul_add5, prepare_packed,
    scale, store5, sub5,
};
use crate::F;
use crate::simd::LANES;

/// Words of a block that are combined at once.
pub(crate) const BLOCKS: usize = 8;

/// `Σ_x weights[x]·words[x]`, per limb and lane; the words are whole rows.
#[inline(never)]
pub(crate) fn dot<V: Vector>(words: &[F], weights: &[ExtRow], out: &mut ExtRow) {
    let mut sums = [V::zero(); 5];
    let (rows, _) = words.as_chunks::<LANES>();
    let (eights, rest) = rows.as_chunks::<8>();
    let (weight_eights, weight_rest) = weights.as_chunks::<8>();
    for (rows, weights) in eights.iter().zip(weight_eights) {
        let rows = split_words::<V, 8>(rows);
        for (limb, sum) in sums.iter_mut().enumerate() {
            let mut by = [V::splat_split(F::ZERO); 8];
            for (by, weights) in by.iter_mut().zip(weights) {
                *by = V::load(&weights[limb]).split();
            }
            *sum = V::settle(V::join(*sum, dot8::<V>(&rows, &by)));
        }
    }
    for (row, weights) in rest.iter().zip(weight_rest) {
        let [row] = split_words::<V, 1>(std::array::from_ref(row));
        for (sum, weights) in sums.iter_mut().zip(weights) {
            *sum = V::settle(V::mul_add(*sum, row, V::load(weights).split()));
        }
    }
    store_sums::<V>(sums, out);
}

/// Words from anywhere in memory, ready to be multiplied.
#[inline(always)]
fn split_words<V: Vector, const N: usize>(rows: &[[F; LANES]; N]) -> [V::Split; N] {
    let mut out = [V::splat_split(F::ZERO); N];
    for (out, row) in out.iter_mut().zip(rows) {
        *out = V::load(&Row(*row)).split();
    }
    out
}

#[inline(always)]
fn store_sums<V: Vector>(sums: [V::Wide; 5], out: &mut ExtRow) {
    store5::<V>(each_limb!(|K| V::reduce(sums[K])), out);
}

/// `out[x] += Σ_i weights[i]·blocks[i][x]`; the blocks are whole rows, as many as `out` has.
#[inline(never)]
pub(crate) fn combine_blocks<V: Vector>(
    blocks: &[&[F]; BLOCKS],
    weights: &[Limbs; BLOCKS],
    out: &mut [ExtRow],
) {
    let blocks = blocks.map(|block| block.as_chunks::<LANES>().0);
    for (x, out) in out.iter_mut().enumerate() {
        let rows = blocks.map(|rows| Row(rows[x]));
        let rows = load_split8::<V>(&rows);
        for (limb, out) in out.iter_mut().enumerate() {
            let mut scalars = [V::splat_split(F::ZERO); BLOCKS];
            for (scalar, weight) in scalars.iter_mut().zip(weights) {
                *scalar = V::splat_split(weight[limb]);
            }
            V::load(out).add(V::reduce(dot8::<V>(&rows, &scalars))).store(out);
        }
    }
}

/// `Σ_x f[x]·w[x]`, lane by lane.
#[inline(never)]
pub(crate) fn inner_product<V: Vector>(f: &[ExtRow], w: &[ExtRow]) -> ExtRow {
    let mut sums = [V::zero(); 5];
    for (f, w) in f.iter().zip(w) {
        mul_add5::<V>(&mut sums, &load5(f), &prepare_packed(&load5(w)));
    }
    let mut out = [Row::ZERO; 5];
    store_sums::<V>(sums, &mut out);
    out
}

/// `Σ_x (f1[x] − f0[x])·(w1[x] − w0[x])`, lane by lane.
#[inline(never)]
pub(crate) fn inner_product_of_steps<V: Vector>(
    [f0, f1]: [&[ExtRow]; 2],
    [w0, w1]: [&[ExtRow]; 2],
) -> ExtRow {
    let mut sums = [V::zero(); 5];
    for ((f0, f1), (w0, w1)) in f0.iter().zip(f1).zip(w0.iter().zip(w1)) {
        let f = sub5(load5::<V>(f1), load5(f0));
        let w = sub5(load5::<V>(w1), load5(w0));
        mul_add5::<V>(&mut sums, &f, &prepare_packed(&w));
    }
    let mut out = [Row::ZERO; 5];
    store_sums::<V>(sums, &mut out);
    out
}

/// Binds one variable in place: `low += r·(high − low)`.
#[inline(never)]
pub(crate) fn bind_rows<V: Vector>(low: &mut [ExtRow], high: &[ExtRow], r: &Factor) {
    for (low, high) in low.iter_mut().zip(high) {
        let value = load5::<V>(low);
        store5(add5(value, scale(&sub5(load5::<V>(high), value), r)), low);
    }
}

/// `rows *= by`.
#[inline(never)]
pub(crate) fn scale_rows<V: Vector>(rows: &mut [ExtRow], by: &Factor) {
    for row in rows {
        store5(scale(&load5::<V>(row), by), row);
    }
}

/// `out[x] += by·weights[x]`.
#[inline(never)]
pub(crate) fn add_scaled<V: Vector>(out: &mut [ExtRow], weights: &[ExtRow], by: &Factor) {
    for (out, weights) in out.iter_mut().zip(weights) {
        store5(add5(load5::<V>(out), scale(&load5(weights), by)), out);
    }
}

#[cfg(test)]
mod tests {
    use p3_field::{BasedVectorSpace, Field};
    use proptest::prelude::*;

    use super::*;
    use crate::E;
    use crate::simd::Native;
    use crate::simd::kernels::prepare;
    use crate::simd::portable::Portable;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    use crate::simd::x86::Avx2;

    /// Rows of a vector: two times eight and some more.
    const LEN: usize = 19;

    fn words() -> impl Strategy<Value = Vec<F>> {
        let word = || {
            let held_one = F::TWO.exp_u64(32).inverse();
            prop_oneof![
                Just(F::ZERO),
                Just(F::ONE),
                Just(F::NEG_ONE),
                // What is held is 1 and p − 1.
                Just(held_one),
                Just(-held_one),
                any::<u32>().prop_map(F::from_u32),
            ]
        };
        let len = 20 * LEN * LANES;
        prop_oneof![
            4 => prop::collection::vec(word(), len),
            // The largest sums there are.
            1 => word().prop_map(move |word| vec![word; len]),
        ]
    }

    fn rows(words: &[F]) -> Vec<ExtRow> {
        let rows: Vec<Row> = words.as_chunks().0.iter().map(|&row| Row(row)).collect();
        rows.as_chunks::<5>().0.to_vec()
    }

    fn elements(rows: &[ExtRow]) -> Vec<E> {
        let lane = |row: &ExtRow, lane| E::from_basis_coefficients_fn(|k| row[k].0[lane]);
        rows.iter().flat_map(|row| (0..LANES).map(move |i| lane(row, i))).collect()
    }

    /// Every kernel on four vectors of E, and words to go with them.
    fn kernels<V: Vector>(words: &[F]) -> [Vec<ExtRow>; 7] {
        let vectors = rows(words);
        let [a, b, c, d] = std::array::from_fn(|i| &vectors[i * LEN..][..LEN]);
        let by: Limbs = std::array::from_fn(|i| words[i]);
        let mut dotted = [Row::ZERO; 5];
        dot::<V>(&words[1..][..LEN * LANES], a, &mut dotted);
        let mut combined = b.to_vec();
        let blocks = std::array::from_fn(|i| &words[i * 7..][..LEN * LANES]);
        let scalars: [Limbs; BLOCKS] =
            std::array::from_fn(|i| std::array::from_fn(|k| words[5 * i + k]));
        combine_blocks::<V>(&blocks, &scalars, &mut combined);
        let (mut bound, mut scaled, mut added) = (a.to_vec(), a.to_vec(), b.to_vec());
        bind_rows::<V>(&mut bound, b, &prepare(&by));
        scale_rows::<V>(&mut scaled, &prepare(&by));
        add_scaled::<V>(&mut added, a, &prepare(&by));
        let product = inner_product::<V>(a, b);
        let steps = inner_product_of_steps::<V>([a, b], [c, d]);
        [vec![dotted], combined, vec![product], vec![steps], bound, scaled, added]
    }

    /// What the kernels compute, element by element; sums over lanes too.
    fn by_definition(words: &[F]) -> [Vec<E>; 7] {
        let all = elements(&rows(words));
        let len = LEN * LANES;
        let [a, b, c, d]: [&[E]; 4] = std::array::from_fn(|i| &all[i * len..][..len]);
        let by = E::from_basis_coefficients_fn(|i| words[i]);
        let over = |f: &dyn Fn(usize) -> E| (0..len).map(f).collect::<Vec<E>>();
        let scalar = |i: usize| E::from_basis_coefficients_fn(|k| words[5 * i + k]);
        let sum = |f: &dyn Fn(usize) -> E| vec![(0..len).map(f).sum()];
        [
            sum(&|x| a[x] * words[1 + x]),
            over(&|x| b[x] + (0..BLOCKS).map(|i| scalar(i) * words[i * 7 + x]).sum::<E>()),
            sum(&|x| a[x] * b[x]),
            sum(&|x| (b[x] - a[x]) * (d[x] - c[x])),
            over(&|x| a[x] + by * (b[x] - a[x])),
            over(&|x| by * a[x]),
            over(&|x| b[x] + by * a[x]),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn kernels_equal_their_twins_and_the_definition(words in words()) {
            let expected = kernels::<Portable>(&words);
            prop_assert!(kernels::<Native>(&words) == expected);
            #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
            prop_assert!(kernels::<Avx2>(&words) == expected);
            for (rows, values) in expected.iter().zip(by_definition(&words)) {
                let mut computed = elements(rows);
                if values.len() == 1 {
                    computed = vec![computed.into_iter().sum()];
                }
                prop_assert!(computed == values);
            }
        }
    }
}
