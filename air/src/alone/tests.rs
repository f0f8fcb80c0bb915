use p3_field::PrimeCharacteristicRing;

use super::*;
use crate::E;
use crate::calls::{Fault, Poseidon2, Width};
use crate::fixture::{CALLS, Fixture, LANES, ROWS, VECTORS, parameters};
use crate::inner_product::InnerProduct;
use crate::public_blocks::PublicBlocks;

const ZERO: [E; VECTORS] = [E::ZERO; VECTORS];
const STATEMENT: &[u8] = b"a statement";

fn verdict<A: LoneAir>(
    alone: &Alone<A>,
    trace: RowMajorMatrix<F>,
    public: &[F],
) -> Result<(), Reject> {
    let proof = alone.prove(STATEMENT, trace, public).unwrap();
    alone.verify(STATEMENT, public, &proof)
}

fn calls_alone<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(3);
    let symbols = fixture.symbols(2, ZERO);
    let height = fixture.calls.schedule().height();
    let trace = |fault| fixture.instance(&symbols, fault).traces.swap_remove(CALLS);
    let alone = Alone::new(fixture.calls.clone(), height, &parameters()).unwrap();
    let wrong = Err(Reject::Constraints { table: 0 });
    assert_eq!(verdict(&alone, trace(None), &[]), Ok(()));
    for constraint in [0, 4 * T, 4 * T + P, 8 * T + P - 1] {
        let trace = trace(Some(Fault::Cell { slot: 1, constraint }));
        assert_eq!(verdict(&alone, trace, &[]), wrong);
    }
    // The chain is a constraint of the table, what it hashes is the bus's to say.
    let chained = fixture.calls.schedule().num_calls() - 1;
    assert!(!chained.is_multiple_of(LANES));
    let unchained = trace(Some(Fault::Start { slot: chained, word: 3 }));
    assert_eq!(verdict(&alone, unchained, &[]), wrong);
    let unread = trace(Some(Fault::Message { slot: 1, word: 3 }));
    assert_eq!(verdict(&alone, unread, &[]), Ok(()));
}

#[test]
fn calls_of_width_16_are_proved_alone() {
    calls_alone::<16, 20>();
}

#[test]
fn calls_of_width_24_are_proved_alone() {
    calls_alone::<24, 23>();
}

#[test]
fn inner_products_are_proved_alone() {
    let fixture = Fixture::<16, 20>::new(3);
    let alone = Alone::new(fixture.products.clone(), ROWS, &parameters()).unwrap();
    let public = fixture.weights.public_values();
    let trace = |products| fixture.products_trace(&fixture.symbols(3, products));
    assert_eq!(verdict(&alone, trace(ZERO), &public), Ok(()));
    let wrong = Err(Reject::Constraints { table: 0 });
    assert_eq!(verdict(&alone, trace([E::ZERO, E::ONE]), &public), wrong);
    for column in 0..trace(ZERO).width() {
        let mut trace = trace(ZERO);
        trace.values[column] += F::ONE;
        assert_eq!(verdict(&alone, trace, &public), wrong, "column {column}");
    }
}

#[test]
fn a_proof_is_of_one_statement_one_table_and_its_public_values() {
    let fixture = Fixture::<16, 20>::new(3);
    let alone = Alone::new(fixture.products.clone(), ROWS, &parameters()).unwrap();
    let mut public = fixture.weights.public_values();
    let trace = fixture.products_trace(&fixture.symbols(3, ZERO));
    let proof = alone.prove(STATEMENT, trace, &public).unwrap();
    assert_eq!(alone.verify(STATEMENT, &public, &proof), Ok(()));
    assert!(alone.verify(b"another", &public, &proof).is_err());

    let mut shape = fixture.products.shape().clone();
    shape.rows[3].0 += F::ONE;
    let other = InnerProduct::new(shape);
    let other = Alone::new(other, ROWS, &parameters()).unwrap();
    assert!(other.verify(STATEMENT, &public, &proof).is_err());

    public[0] += F::ONE;
    assert!(alone.verify(STATEMENT, &public, &proof).is_err());
    public.pop();
    let refused = Err(Reject::Instance("public values of another length"));
    assert_eq!(alone.verify(STATEMENT, &public, &proof), refused);
}

/// Without preprocessed columns p3 takes the height from the proof.
#[test]
fn refuses_a_proof_of_another_height() {
    let table = PublicBlocks::new([]);
    let of_height = |height| Alone::new(table.clone(), height, &parameters()).unwrap();
    let proof = |height| {
        let trace = RowMajorMatrix::new(F::zero_vec(height), 1);
        of_height(height).prove(STATEMENT, trace, &[]).unwrap()
    };
    assert_eq!(of_height(8).verify(STATEMENT, &[], &proof(8)), Ok(()));
    assert_eq!(of_height(8).verify(STATEMENT, &[], &proof(4)), Err(Reject::Opening));
    // The transcript tells the heights apart, too.
    let mut other = proof(4);
    other.degree_bits = 3;
    assert!(of_height(8).verify(STATEMENT, &[], &other).is_err());
}

#[test]
fn refuses_what_is_no_instance() {
    let of_height = |height| Alone::new(PublicBlocks::new([]), height, &parameters()).unwrap_err();
    assert_eq!(of_height(3), Reject::Instance("rows are a power of two"));
    assert_eq!(of_height(1 << 24), Reject::Instance("more rows than the field has room for"));
}
