//! What the walk's prover computes, sixteen lanes at a time.
//!
//! A *block* is eight chunks. A base column of a block is 64 rows, `[chunk][position]`; an
//! E-column the same of [`ExtRow`]s. Loops over limbs are unrolled by macro: as closures they
//! stay out of line and cost three times as much.

use p3_field::PrimeCharacteristicRing;

use super::{ExtRow, Row, Vector, prefetch};
use crate::F;

/// Positions of a chunk, D.
pub(crate) const POSITIONS: usize = 8;
/// Chunks of a block.
pub(crate) const BLOCK: usize = 8;
/// Rows of a base column in a block.
pub(crate) const BLOCK_ROWS: usize = BLOCK * POSITIONS;
/// Nodes of a skip message: 3(D − 1) + 1.
pub(crate) const NODES: usize = 3 * (POSITIONS - 1) + 1;

/// The limbs of an element of E.
pub(crate) type Limbs = [F; 5];
/// The nine sums of limbs that multiplication by an element needs; see [`prepare`].
pub(crate) type Factor = [F; 9];

/// With X^5 = 1 − X²: `(a·b)_k = Σ_j a_j·prepared(b)[USE[k][j]]`.
const USE: [[usize; 5]; 5] =
    [[0, 4, 3, 2, 5], [1, 0, 4, 3, 2], [2, 5, 6, 7, 8], [3, 2, 5, 6, 7], [4, 3, 2, 5, 6]];

/// What multiplication by `b` needs.
pub(crate) fn prepare(b: &Limbs) -> Factor {
    let b14 = b[1] - b[4];
    [b[0], b[1], b[2], b[3], b[4], b14, b[0] - b[3], b[4] - b[2], b[3] - b14]
}

#[inline(always)]
fn prepare_packed<V: Vector>(b: &[V; 5]) -> [V; 9] {
    let b14 = b[1].sub(b[4]);
    [b[0], b[1], b[2], b[3], b[4], b14, b[0].sub(b[3]), b[4].sub(b[2]), b[3].sub(b14)]
}

#[inline(always)]
fn load5<V: Vector>(row: &ExtRow) -> [V; 5] {
    [V::load(&row[0]), V::load(&row[1]), V::load(&row[2]), V::load(&row[3]), V::load(&row[4])]
}

#[inline(always)]
fn store5<V: Vector>(value: [V; 5], row: &mut ExtRow) {
    let [a, b, c, d, e] = value;
    a.store(&mut row[0]);
    b.store(&mut row[1]);
    c.store(&mut row[2]);
    d.store(&mut row[3]);
    e.store(&mut row[4]);
}

macro_rules! each_limb {
    (|$k:ident| $body:expr) => {
        [
            {
                const $k: usize = 0;
                $body
            },
            {
                const $k: usize = 1;
                $body
            },
            {
                const $k: usize = 2;
                $body
            },
            {
                const $k: usize = 3;
                $body
            },
            {
                const $k: usize = 4;
                $body
            },
        ]
    };
}

pub(crate) mod dot;

#[inline(always)]
fn split5<V: Vector>(value: &[V; 5]) -> [V::Split; 5] {
    each_limb!(|K| value[K].split())
}

#[inline(always)]
fn add5<V: Vector>(a: [V; 5], b: [V; 5]) -> [V; 5] {
    each_limb!(|K| a[K].add(b[K]))
}

#[inline(always)]
fn sub5<V: Vector>(a: [V; 5], b: [V; 5]) -> [V; 5] {
    each_limb!(|K| a[K].sub(b[K]))
}

/// Four products; settled.
#[inline(always)]
fn dot4<V: Vector>(a: [V::Split; 4], b: [V::Split; 4]) -> V::Wide {
    let mut sum = V::product(a[0], b[0]);
    sum = V::mul_add(sum, a[1], b[1]);
    sum = V::mul_add(sum, a[2], b[2]);
    V::settle(V::mul_add(sum, a[3], b[3]))
}

/// Eight products; settled.
#[inline(always)]
fn dot8<V: Vector>(a: &[V::Split; 8], b: &[V::Split; 8]) -> V::Wide {
    let low = dot4::<V>([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]);
    let high = dot4::<V>([a[4], a[5], a[6], a[7]], [b[4], b[5], b[6], b[7]]);
    V::settle(V::join(low, high))
}

/// Five products; settled.
#[inline(always)]
fn dot5<V: Vector>(a: &[V::Split; 5], b: [V::Split; 5]) -> V::Wide {
    let sum = dot4::<V>([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]);
    V::settle(V::mul_add(sum, a[4], b[4]))
}

/// `a` times a scalar of E.
#[inline(always)]
fn scale<V: Vector>(a: &[V; 5], b: &Factor) -> [V; 5] {
    let a = split5(a);
    each_limb!(|K| V::reduce(dot5::<V>(
        &a,
        [
            V::splat_split(b[USE[K][0]]),
            V::splat_split(b[USE[K][1]]),
            V::splat_split(b[USE[K][2]]),
            V::splat_split(b[USE[K][3]]),
            V::splat_split(b[USE[K][4]]),
        ]
    )))
}

/// `a²`, sixteen products.
#[inline(always)]
fn square<V: Vector>(a: &[V; 5]) -> [V; 5] {
    let [a0, a1, a2, a3, a4] = *a;
    let twice = |x: V| x.add(x);
    let (b0, b2, b3) = (twice(a0).split(), twice(a2).split(), twice(a3).split());
    let b1 = twice(a1);
    let b1_4 = b1.sub(a4).split();
    let a1_b4 = a1.sub(twice(a4)).split();
    let d14 = a1.sub(a4).split();
    let d42 = a4.sub(a2).split();
    let (sum, difference) = (a4.add(a3).split(), a4.sub(a3).split());
    let [a0, a1, a2, a3, a4] = split5(a);
    let product = V::product;
    let (and, settle) = (V::mul_add, V::settle);
    // From c_n = Σ_{i+j=n} a_i a_j: c0+c5−c8, c1+c6, c2−c5+c7+c8, c3−c6+c8, c4−c7.
    let out0 = and(and(product(a0, a0), b2, a3), a4, b1_4);
    let out1 = and(and(product(b0, a1), b2, a4), a3, a3);
    let out2 = and(and(and(product(b0, a2), a1, a1_b4), b3, d42), a4, a4);
    let out3 = and(and(product(b0, a3), b2, d14), sum, difference);
    let out4 = and(and(product(b0, a4), a2, a2), b3, d14);
    [out0, out1, out2, out3, out4].map(|sum| V::reduce(settle(sum)))
}

/// Adds `a·b` to five settled sums, `b` prepared; they stay settled.
#[inline(always)]
fn mul_add5<V: Vector>(sums: &mut [V::Wide; 5], a: &[V; 5], b: &[V; 9]) {
    let a = split5(a);
    macro_rules! with {
        ($factor:literal: $(($k:literal, $j:literal)),*; settle $($settled:literal),*) => {
            let factor = b[$factor].split();
            $(
                debug_assert!(USE[$k][$j] == $factor);
                sums[$k] = V::mul_add(sums[$k], a[$j], factor);
            )*
            $( sums[$settled] = V::settle(sums[$settled]); )*
        };
    }
    // Each sum is settled after its second, fourth and fifth product.
    with!(2: (0, 3), (1, 4), (2, 0), (3, 1), (4, 2); settle);
    with!(5: (0, 4), (2, 1), (3, 2), (4, 3); settle 0, 2, 3, 4);
    with!(3: (0, 2), (1, 3), (3, 0), (4, 1); settle 1);
    with!(4: (0, 1), (1, 2), (4, 0); settle 0, 4);
    with!(6: (2, 2), (3, 3), (4, 4); settle 3, 4);
    with!(0: (0, 0), (1, 1); settle 0, 1);
    with!(7: (2, 3), (3, 4); settle 2, 3);
    with!(1: (1, 0); settle 1);
    with!(8: (2, 4); settle 2);
}

/// Per limb the weights of sixteen lanes, balanced.
pub(crate) type Weights<V> = [<V as Vector>::Split; 5];

/// What the cubes of a column at one node add up to, per limb of the weights.
pub(crate) type NodeTally<V> = [<V as Vector>::Tally; 5];

/// A column at the further nodes, chunk by chunk.
pub(crate) type Further = [[Row; BLOCK]; NODES - POSITIONS];

/// The weights of one chunk: its own times those of the lanes.
pub(crate) fn chunk_weights<V: Vector>(lanes: &ExtRow, chunk: &Factor) -> Weights<V> {
    let product = scale(&load5::<V>(lanes), chunk);
    each_limb!(|K| product[K].balance())
}

/// Per node the weighted sum of a column's cubes, for one block:
/// `tallies[node] += Σ_{chunk, lane} weight·t³`, on the base nodes, and on the further ones by
/// finite differences. `next` is the column that comes after.
#[inline(never)]
pub(crate) fn cube_sums<V: Vector>(
    column: &[Row; BLOCK_ROWS],
    next: &[Row],
    weights: &[Weights<V>; BLOCK],
    further: &mut Further,
    tallies: &mut [NodeTally<V>; NODES],
) {
    // A few rows at each node: all at once they would wait for each other.
    let mut next = next.chunks(BLOCK_ROWS.div_ceil(NODES));
    extend::<V>(column, further);
    let (base, rest) = tallies.split_at_mut(POSITIONS);
    for (z, tally) in base.iter_mut().enumerate() {
        next.next().into_iter().for_each(prefetch);
        let rows = std::array::from_fn(|chunk| &column[chunk * POSITIONS + z]);
        tally_cubes::<V>(rows, weights, tally);
    }
    for (rows, tally) in further.iter().zip(rest) {
        next.next().into_iter().for_each(prefetch);
        tally_cubes::<V>(rows.each_ref(), weights, tally);
    }
}

/// A column at the further nodes. Two chunks at a time: in one alone every addition waits for
/// the one before.
#[inline(always)]
fn extend<V: Vector>(column: &[Row; BLOCK_ROWS], further: &mut Further) {
    for (pair, rows) in column.as_chunks::<{ 2 * POSITIONS }>().0.iter().enumerate() {
        let mut table = [[V::splat(F::ZERO); 2]; POSITIONS];
        for (z, entry) in table.iter_mut().enumerate() {
            *entry = [V::load(&rows[z]), V::load(&rows[POSITIONS + z])];
        }
        // Backward differences at the last node: table[D − 1 − k] becomes the k-th.
        for order in 1..POSITIONS {
            for z in 0..POSITIONS - order {
                let ([a, b], [c, d]) = (table[z], table[z + 1]);
                table[z] = [c.sub(a), d.sub(b)];
            }
        }
        for node in further.iter_mut() {
            for k in 1..POSITIONS {
                let ([a, b], [c, d]) = (table[k - 1], table[k]);
                table[k] = [a.add(c), b.add(d)];
            }
            let [a, b] = table[POSITIONS - 1];
            a.store(&mut node[2 * pair]);
            b.store(&mut node[2 * pair + 1]);
        }
    }
}

/// Adds the weighted cubes of eight chunks at one node. Inlined into the loop over the nodes it
/// would get its own copy of the weights on the stack.
#[inline(never)]
fn tally_cubes<V: Vector>(
    rows: [&Row; BLOCK],
    weights: &[Weights<V>; BLOCK],
    tally: &mut NodeTally<V>,
) {
    let mut sums = *tally;
    // Four at a time, all in registers.
    macro_rules! count {
        ($a:literal $b:literal $c:literal $d:literal; $($limb:literal)*) => {
            let cubes = [
                V::load(rows[$a]).cube_split(),
                V::load(rows[$b]).cube_split(),
                V::load(rows[$c]).cube_split(),
                V::load(rows[$d]).cube_split(),
            ];
            $(
                V::count(&mut sums[$limb], cubes, [
                    &weights[$a][$limb],
                    &weights[$b][$limb],
                    &weights[$c][$limb],
                    &weights[$d][$limb],
                ]);
            )*
        };
    }
    count!(0 1 2 3; 0 1 2 3 4);
    count!(4 5 6 7; 0 1 2 3 4);
    *tally = sums;
}

#[inline(always)]
fn load_split8<V: Vector>(rows: &[Row; 8]) -> [V::Split; 8] {
    let mut out = [V::splat_split(F::ZERO); 8];
    for (out, row) in out.iter_mut().zip(rows) {
        *out = V::load(row).split();
    }
    out
}

/// Binds the positions of one chunk of a base column: `Σ_z weights[z]·rows[z]`. `next` are rows
/// that are needed soon.
#[inline(never)]
pub(crate) fn fold_positions<V: Vector>(
    rows: &[Row; POSITIONS],
    next: &[Row],
    weights: &[Limbs; POSITIONS],
    out: &mut ExtRow,
) {
    prefetch(next);
    let rows = load_split8::<V>(rows);
    for (limb, out) in out.iter_mut().enumerate() {
        let mut scalars = [V::splat_split(F::ZERO); POSITIONS];
        for (scalar, weight) in scalars.iter_mut().zip(weights) {
            *scalar = V::splat_split(weight[limb]);
        }
        V::reduce(dot8::<V>(&rows, &scalars)).store(out);
    }
}

/// Adds `b` to `a`, row by row.
pub(crate) fn add_rows<V: Vector>(a: &mut [Row], b: &[Row]) {
    for (a, b) in a.iter_mut().zip(b) {
        V::load(a).add(V::load(b)).store(a);
    }
}

/// The same for an E-column.
#[inline(never)]
pub(crate) fn fold_form<V: Vector>(
    rows: &[ExtRow; POSITIONS],
    weights: &[Factor; POSITIONS],
    out: &mut ExtRow,
) {
    let mut sums = [V::zero(); 5];
    for (row, weight) in rows.iter().zip(weights) {
        scale_add::<V>(&mut sums, row, weight);
    }
    store5::<V>(each_limb!(|K| V::reduce(sums[K])), out);
}

/// Adds a row times a scalar of E to five settled sums; they stay settled.
#[inline(always)]
fn scale_add<V: Vector>(sums: &mut [V::Wide; 5], row: &ExtRow, b: &Factor) {
    let a = split5(&load5::<V>(row));
    macro_rules! sum {
        ($k:literal) => {
            let mut sum = sums[$k];
            sum = V::mul_add(sum, a[0], V::splat_split(b[USE[$k][0]]));
            sum = V::settle(V::mul_add(sum, a[1], V::splat_split(b[USE[$k][1]])));
            sum = V::mul_add(sum, a[2], V::splat_split(b[USE[$k][2]]));
            sum = V::settle(V::mul_add(sum, a[3], V::splat_split(b[USE[$k][3]])));
            sums[$k] = V::settle(V::mul_add(sum, a[4], V::splat_split(b[USE[$k][4]])));
        };
    }
    sum!(0);
    sum!(1);
    sum!(2);
    sum!(3);
    sum!(4);
}

/// Binds one variable: `low + r·(high − low)`.
#[inline(never)]
pub(crate) fn bind<V: Vector>(low: &ExtRow, high: &ExtRow, r: &Factor, out: &mut ExtRow) {
    let (low, high) = (load5::<V>(low), load5::<V>(high));
    store5(add5(low, scale(&sub5(high, low), r)), out);
}

/// One pair of rows in a round: adds `eq·Σ_i (a_i²d_i, a_i d_i², d_i³)` to `sums`, where
/// a = low, d = high − low. With `linear` the last column is not cubed: its d is added to the
/// first sum instead.
#[inline(never)]
pub(crate) fn pair<V: Vector>(
    low: &[ExtRow],
    high: &[ExtRow],
    linear: bool,
    eq: &Factor,
    sums: &mut [ExtRow; 3],
) {
    let cubes = low.len() - usize::from(linear);
    let mut totals = [[V::zero(); 5]; 3];
    for (low, high) in low[..cubes].iter().zip(&high[..cubes]) {
        let a = load5::<V>(low);
        let d = sub5(load5::<V>(high), a);
        let (a2, d2) = (square(&a), square(&d));
        let (a, d) = (prepare_packed(&a), prepare_packed(&d));
        mul_add5::<V>(&mut totals[0], &a2, &d);
        mul_add5::<V>(&mut totals[1], &d2, &a);
        mul_add5::<V>(&mut totals[2], &d2, &d);
    }
    for (which, (total, sum)) in totals.into_iter().zip(sums).enumerate() {
        let mut value: [V; 5] = each_limb!(|K| V::reduce(total[K]));
        if linear && which == 0 {
            let step = sub5(load5::<V>(&high[cubes]), load5::<V>(&low[cubes]));
            value = add5(value, step);
        }
        store5(add5(load5::<V>(sum), scale(&value, eq)), sum);
    }
}

/// Adds `eq·Σ_i a_i³` to `sum`, where a = low.
#[inline(never)]
pub(crate) fn cubes_of<V: Vector>(low: &[ExtRow], eq: &Factor, sum: &mut ExtRow) {
    let mut total = [V::zero(); 5];
    for low in low {
        let a = load5::<V>(low);
        mul_add5::<V>(&mut total, &square(&a), &prepare_packed(&a));
    }
    let value: [V; 5] = each_limb!(|K| V::reduce(total[K]));
    store5(add5(load5::<V>(sum), scale(&value, eq)), sum);
}

/// One step of the partial rounds' recurrence on one chunk:
/// `form += η·above + δ·cube(inner) + shift`.
#[inline(never)]
pub(crate) fn recur<V: Vector>(
    form: &mut [ExtRow],
    above: &[Row],
    inner: &[Row],
    [eta, delta, shift]: &[Limbs; 3],
) {
    for ((form, above), inner) in form.iter_mut().zip(above).zip(inner) {
        let above = V::load(above).split();
        let inner = V::load(inner).cube().split();
        for (limb, form) in form.iter_mut().enumerate() {
            let sum = V::product(above, V::splat_split(eta[limb]));
            let sum = V::mul_add(sum, inner, V::splat_split(delta[limb]));
            V::load(form).add(V::reduce(sum)).add(V::splat(shift[limb])).store(form);
        }
    }
}

/// Per base node the weighted sum of an E-column, `sums[z] += Σ_chunk eq[chunk]·form`.
#[inline(never)]
pub(crate) fn form_sums<V: Vector>(
    form: &[ExtRow; BLOCK_ROWS],
    eq: &[Factor; BLOCK],
    sums: &mut [ExtRow; POSITIONS],
) {
    for (z, sum) in sums.iter_mut().enumerate() {
        let mut wide = [V::zero(); 5];
        for (chunk, eq) in eq.iter().enumerate() {
            scale_add::<V>(&mut wide, &form[chunk * POSITIONS + z], eq);
        }
        let value: [V; 5] = each_limb!(|K| V::reduce(wide[K]));
        store5(add5(load5::<V>(sum), value), sum);
    }
}

/// Adds `weight·column` to an E-column.
#[inline(never)]
pub(crate) fn combine<V: Vector>(column: &[Row], weight: &Limbs, form: &mut [ExtRow]) {
    for (row, form) in column.iter().zip(form) {
        let row = V::load(row).split();
        for (limb, form) in form.iter_mut().enumerate() {
            let product = V::reduce(V::product(row, V::splat_split(weight[limb])));
            V::load(form).add(product).store(form);
        }
    }
}
