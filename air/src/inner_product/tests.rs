use p3_field::Field;
use p3_matrix::Matrix;

use super::*;
use crate::Table;
use crate::calls::Fault;
use crate::fixture::{Fixture, Instance, PRODUCTS, ROWS, Symbols, VECTORS, unit};

type Small = Fixture<16, 20>;
type Tables = Instance<Table<16, 20>>;

/// Symbols in a run: with these a row's blocks are not full.
const RUN: usize = 3;
const ZERO: [E; VECTORS] = [E::ZERO; VECTORS];

/// Adds to a vector's running sums from a row on.
fn jump(instance: &mut Tables, fixture: &Small, vector: usize, from: usize, by: E) {
    let columns = fixture.products.sums().skip(vector * LIMBS).take(LIMBS);
    let limbs: &[F] = by.as_basis_coefficients_slice();
    for row in from..ROWS {
        for (column, &limb) in columns.clone().zip(limbs) {
            *instance.cell(PRODUCTS, row, column) += limb;
        }
    }
}

/// The place of a sum's first constraint: the first row's, then the transition's and the last
/// row's.
const fn of_sum(vector: usize, limb: usize) -> usize {
    LIMBS * RUN + 3 * (vector * LIMBS + limb)
}

/// Products that are zero but for one limb of one vector.
fn off_by(vector: usize, by: E) -> [E; VECTORS] {
    std::array::from_fn(|other| if other == vector { by } else { E::ZERO })
}

#[test]
fn the_trace_has_the_weights_the_words_and_the_sums() {
    let fixture = Small::new(RUN);
    let symbols = fixture.symbols(3, ZERO);
    let trace = fixture.products_trace(&symbols);
    let products = &fixture.products;
    assert_eq!((trace.height(), trace.width()), (ROWS, 5 * RUN + 5 * VECTORS + 5 * RUN * VECTORS));
    let element = |words: &[F]| E::from_basis_coefficients_slice(words).unwrap();
    let mut sums = ZERO;
    for row in 0..ROWS {
        let cells = trace.row_slice(row).unwrap();
        for vector in 0..VECTORS {
            let start = products.sums().start + LIMBS * vector;
            assert_eq!(element(&cells[start..start + LIMBS]), sums[vector]);
            for b in 0..RUN {
                let symbol = symbols[vector][row * RUN + b];
                let words = &cells[products.words(vector)];
                assert_eq!(E::from_basis_coefficients_fn(|d| words[d * RUN + b]), symbol);
                let weight = element(&cells[b * LIMBS..(b + 1) * LIMBS]);
                assert_eq!(weight, fixture.weight(row * RUN + b));
                sums[vector] += weight * symbol;
            }
        }
    }
    assert_eq!(sums, ZERO);
}

#[test]
fn each_limb_of_a_weight_is_fixed_by_its_constraint() {
    let fixture = Small::new(RUN);
    // Rows of both scales.
    for row in [1, 2] {
        for b in 0..RUN {
            for limb in 0..LIMBS {
                let symbol = row * RUN + b;
                let z_less_x = fixture.weights.point - fixture.point(symbol);
                let error = z_less_x.inverse() * unit(limb);
                let symbols = fixture.symbols(4, ZERO);
                let errors: [E; VECTORS] = std::array::from_fn(|v| error * symbols[v][symbol]);
                // The last symbol makes up for what the false weight adds.
                let symbols = fixture.symbols(4, errors.map(|error| -error));
                let mut instance = fixture.instance(&symbols, None);
                let limbs: &[F] = error.as_basis_coefficients_slice();
                for (d, &limb) in limbs.iter().enumerate() {
                    *instance.cell(PRODUCTS, row, b * LIMBS + d) += limb;
                }
                for (vector, &error) in errors.iter().enumerate() {
                    jump(&mut instance, &fixture, vector, row + 1, error);
                }
                instance.assert_violates(PRODUCTS, row, b * LIMBS + limb);
            }
        }
    }
}

#[test]
fn each_limb_of_a_sum_starts_at_zero_adds_up_and_ends_at_zero() {
    let fixture = Small::new(RUN);
    for vector in 0..VECTORS {
        for limb in 0..LIMBS {
            let constraint = of_sum(vector, limb);
            let by = unit(limb);
            let false_sum = |product: E, from: usize| {
                let symbols: Symbols = fixture.symbols(5, off_by(vector, product));
                let mut instance = fixture.instance(&symbols, None);
                jump(&mut instance, &fixture, vector, from, by);
                instance
            };
            false_sum(-by, 0).assert_violates(PRODUCTS, 0, constraint);
            for row in 0..ROWS - 1 {
                false_sum(-by, row + 1).assert_violates(PRODUCTS, row, constraint + 1);
            }
            false_sum(by, ROWS).assert_violates(PRODUCTS, ROWS - 1, constraint + 2);
        }
    }
}

/// Two vectors whose products cancel do not make up for one another.
#[test]
fn vectors_do_not_share_a_sum() {
    let fixture = Small::new(RUN);
    let instance = fixture.instance(&fixture.symbols(6, [E::ONE, -E::ONE]), None);
    let at = |vector| (PRODUCTS, ROWS - 1, of_sum(vector, 0) + 2);
    assert_eq!(instance.violations(), [at(0), at(1)]);
}

#[test]
fn another_codeword_than_the_one_hashed_leaves_the_bus_off_balance() {
    let fixture = Small::new(RUN);
    let mut instance = fixture.honest();
    instance.traces[PRODUCTS] = fixture.products_trace(&fixture.symbols(7, ZERO));
    instance.assert_off_balance();
}

/// As if rows of the vectors stood in each other's place: both are codewords.
#[test]
fn exchanged_vectors_leave_the_bus_off_balance() {
    let fixture = Small::new(RUN);
    let symbols = fixture.symbols(2, ZERO);
    let [first, second] = symbols.clone();
    let mut instance = fixture.instance(&symbols, None);
    instance.traces[PRODUCTS] = fixture.products_trace(&[second, first]);
    instance.assert_off_balance();
}

/// Every word is on the bus: a call that hashed another one does not pass.
#[test]
fn each_word_of_a_run_is_sent() {
    let fixture = Small::new(RUN);
    let symbols = fixture.symbols(2, ZERO);
    for word in 0..LIMBS * RUN {
        let fault = Fault::Message { slot: word / BLOCK, word: word % BLOCK };
        fixture.instance(&symbols, Some(fault)).assert_off_balance();
    }
}

#[test]
fn another_point_or_scale_is_refused() {
    let fixture = Small::new(RUN);
    for value in 0..3 * LIMBS {
        let mut instance = fixture.honest();
        instance.public[PRODUCTS][value] += F::ONE;
        let wrong = instance.violations();
        assert!(!wrong.is_empty() && wrong.iter().all(|&(table, ..)| table == PRODUCTS));
        let table = PRODUCTS;
        assert_eq!(instance.verdict(), Err(crate::Reject::Constraints { table }), "{value}");
    }
}

#[test]
#[should_panic(expected = "blocks of each vector")]
fn refuses_vectors_without_addresses() {
    let shape = Small::new(RUN).products.shape().clone();
    let _ = InnerProduct::new(Shape { vectors: 3, ..shape });
}
