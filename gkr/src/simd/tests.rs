use std::array::from_fn;

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::kernels::*;
use super::portable::Portable;
use super::*;
use crate::E;

fn word() -> impl Strategy<Value = F> {
    prop_oneof![
        Just(F::ZERO),
        Just(F::ONE),
        Just(F::NEG_ONE),
        // What is held: the words whose representation is 1 and p − 1.
        Just(F::TWO.exp_u64(32).try_inverse().unwrap()),
        Just(-F::TWO.exp_u64(32).try_inverse().unwrap()),
        (0..F::ORDER_U32).prop_map(F::from_u32),
    ]
}

use p3_field::Field;

fn rows(len: usize) -> impl Strategy<Value = Vec<Row>> {
    prop_oneof![
        4 => prop::collection::vec(word(), len * LANES),
        // The largest sums there are.
        1 => word().prop_map(move |word| vec![word; len * LANES]),
    ]
    .prop_map(|words| words.as_chunks::<LANES>().0.iter().map(|&lanes| Row(lanes)).collect())
}

fn ext(rows: &[Row]) -> &[ExtRow] {
    rows.as_chunks::<5>().0
}

fn stored<V: Vector>(value: V) -> Row {
    let mut row = Row::ZERO;
    value.store(&mut row);
    row
}

/// Every operation of a vector, as words; sums as long as they may get.
fn operations<V: Vector>(rows: &[Row]) -> Vec<Row> {
    let v: Vec<V> = rows.iter().map(V::load).collect();
    let s: Vec<V::Split> = v.iter().map(|v| v.split()).collect();
    let splat = V::splat_split(rows[0].0[3]);
    let four = (1..4).fold(V::product(s[0], s[1]), |sum, i| V::mul_add(sum, s[i], s[i + 1]));
    let settled = V::settle(four);
    let more = V::mul_add(V::mul_add(settled, s[2], s[0]), s[5], s[3]);
    let mut tally = V::NO_TALLY;
    let cubes: [V::Split; 4] = from_fn(|i| v[i].cube_split());
    let balanced: [V::Split; 4] = from_fn(|i| v[i + 2].balance());
    (0..9).for_each(|_| V::count(&mut tally, cubes, balanced.each_ref()));
    let other = tally;
    V::merge(&mut tally, &other);
    V::count(&mut tally, from_fn(|_| cubes[1]), [&balanced[0]; 4]);
    let joined = V::settle(V::join(V::settle(more), settled));
    vec![
        stored(v[0]),
        stored(V::splat(rows[1].0[0])),
        stored(v[0].add(v[1])),
        stored(v[0].sub(v[1])),
        stored(v[0].cube()),
        stored(V::reduce(V::zero())),
        stored(V::reduce(V::product(s[2], s[3]))),
        stored(V::reduce(V::product(splat, s[3]))),
        stored(V::reduce(settled)),
        stored(V::reduce(V::settle(more))),
        stored(V::reduce(joined)),
        Row([V::total(&tally); LANES]),
    ]
}

/// Every kernel, on the same rows.
fn kernels<V: Vector>(rows: &[Row], linear: bool) -> Vec<Row> {
    let mut out = Vec::new();
    let limbs: Vec<Limbs> = rows[..64].iter().map(|row| from_fn(|i| row.0[i])).collect();
    let factors: Vec<Factor> = limbs.iter().map(prepare).collect();
    let column: &[Row; BLOCK_ROWS] = rows.first_chunk().unwrap();
    let form: &[ExtRow; BLOCK_ROWS] = ext(rows).first_chunk().unwrap();

    let mut further = [[Row::ZERO; BLOCK]; NODES - POSITIONS];
    let mut tallies = [[V::NO_TALLY; 5]; NODES];
    let weights: [Weights<V>; BLOCK] = from_fn(|i| chunk_weights::<V>(&form[i], &factors[i]));
    for column in [column, rows[64..].first_chunk().unwrap()] {
        cube_sums::<V>(column, rows, &weights, &mut further, &mut tallies);
    }
    out.extend(tallies.as_flattened().iter().map(|tally| Row([V::total(tally); LANES])));

    let mut folded = [Row::ZERO; 5];
    fold_positions::<V>(
        column.first_chunk().unwrap(),
        rows,
        limbs.first_chunk().unwrap(),
        &mut folded,
    );
    out.extend(folded);
    fold_form::<V>(form.first_chunk().unwrap(), factors.first_chunk().unwrap(), &mut folded);
    out.extend(folded);
    bind::<V>(&form[0], &form[1], &factors[2], &mut folded);
    out.extend(folded);
    let mut sum = *form;
    add_rows::<V>(sum.as_flattened_mut(), rows);
    out.extend(sum.as_flattened());

    for width in [2, 7] {
        let mut sums: [ExtRow; 3] = *form.first_chunk().unwrap();
        pair::<V>(&form[..width], &form[width..2 * width], linear, &factors[5], &mut sums);
        out.extend(sums.as_flattened());
    }

    let mut moved = *form;
    combine::<V>(column, &limbs[3], &mut moved);
    recur::<V>(&mut moved, column, &rows[64..128], limbs.first_chunk().unwrap());
    out.extend(moved.as_flattened());
    let mut sums: [ExtRow; POSITIONS] = *form.first_chunk().unwrap();
    form_sums::<V>(form, factors.first_chunk().unwrap(), &mut sums);
    out.extend(sums.as_flattened());
    out
}

proptest! {
    #[test]
    fn operations_equal_their_twins(rows in rows(6)) {
        let expected = operations::<Portable>(&rows);
        prop_assert_eq!(&operations::<Native>(&rows), &expected);
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        prop_assert_eq!(&operations::<x86::Avx2>(&rows), &expected);
    }

    #[test]
    fn kernels_equal_their_twins(rows in rows(5 * BLOCK_ROWS), linear: bool) {
        let expected = kernels::<Portable>(&rows, linear);
        prop_assert!(kernels::<Native>(&rows, linear) == expected);
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        prop_assert!(kernels::<x86::Avx2>(&rows, linear) == expected);
    }

    #[test]
    fn elements_multiply_as_in_the_field(rows in rows(10)) {
        let elements = |row: &ExtRow| -> [E; LANES] {
            from_fn(|lane| E::from_basis_coefficients_fn(|limb| row[limb].0[lane]))
        };
        let scalar: Limbs = from_fn(|i| rows[0].0[i]);
        let by = E::from_basis_coefficients_fn(|i| scalar[i]);
        let (low, high) = (&ext(&rows)[0], &ext(&rows)[1]);
        let mut moved = [Row::ZERO; 5];
        bind::<Native>(low, high, &prepare(&scalar), &mut moved);
        let (a, b) = (elements(low), elements(high));
        let expected: [E; LANES] = from_fn(|i| a[i] + by * (b[i] - a[i]));
        prop_assert_eq!(elements(&moved), expected);

        let mut sums = [[Row::ZERO; 5]; 3];
        let (a, b) = ([*low], [*high]);
        pair::<Native>(&a, &b, false, &prepare(&scalar), &mut sums);
        let (a, b) = (elements(low), elements(high));
        let d: [E; LANES] = from_fn(|i| b[i] - a[i]);
        let expected: [[E; LANES]; 3] = [
            from_fn(|i| by * a[i].square() * d[i]),
            from_fn(|i| by * a[i] * d[i].square()),
            from_fn(|i| by * d[i].cube()),
        ];
        prop_assert_eq!(sums.map(|sum| elements(&sum)), expected);
    }
}

#[test]
fn zeroed_rows_are_zero_and_aligned() {
    for len in [0, 1, 33, 1 << 16] {
        let mut rows = Rows::zeros(len);
        assert!(rows.iter().all(|row| *row == Row::ZERO));
        assert_eq!((rows.len(), rows.as_ptr().align_offset(64)), (len, 0));
        rows.fill(Row([F::ONE; LANES]));
        assert!(*rows.clone() == *rows);
    }
}
