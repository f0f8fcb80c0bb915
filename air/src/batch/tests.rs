use p3_air::{AirBuilder, BoundaryEnd, BoundaryPublic, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::dense::RowMajorMatrix;

use super::*;
use crate::Table;
use crate::fixture::{CALLS, Fixture, Instance, PRODUCTS, PUBLIC, parameters};

type Small = Fixture<16, 20>;

#[test]
fn a_proof_is_of_one_statement_and_of_its_public_values() {
    let instance = Small::new(3).honest();
    let machine = instance.machine(&parameters());
    let proof = machine.prove(b"one", &instance.traces, &instance.public).unwrap();
    assert_eq!(machine.verify(b"one", &instance.public, &proof), Ok(()));
    for other in [b"".as_slice(), b"ona", b"one\0", b"on"] {
        assert!(machine.verify(other, &instance.public, &proof).is_err());
    }
    for table in [PRODUCTS, PUBLIC] {
        for value in 0..instance.public[table].len() {
            let mut public = instance.public.clone();
            public[table][value] += F::ONE;
            assert!(machine.verify(b"one", &public, &proof).is_err(), "{table} {value}");
        }
    }
}

#[test]
fn refuses_public_values_of_another_length() {
    let instance = Small::new(3).honest();
    let machine = instance.machine(&parameters());
    let proof = machine.prove(b"", &instance.traces, &instance.public).unwrap();
    let refused = Err(Reject::Instance("public values of another length"));
    for table in [CALLS, PRODUCTS, PUBLIC] {
        let mut public = instance.public.clone();
        public[table].push(F::ZERO);
        assert_eq!(machine.verify(b"", &public, &proof), refused);
    }
    let mut public = instance.public.clone();
    public[PUBLIC].pop();
    assert_eq!(machine.verify(b"", &public, &proof), refused);
    assert_eq!(machine.verify(b"", &instance.public[..PUBLIC], &proof), refused);
    assert_eq!(machine.verify(b"", &[], &proof), refused);
}

/// The same lengths throughout: only the transcript's beginning or the preprocessed root differ.
#[test]
fn a_proof_is_of_one_machine() {
    let fixture = Small::new(3);
    let instance = fixture.honest();
    let machine = instance.machine(&parameters());
    let proof = machine.prove(b"", &instance.traces, &instance.public).unwrap();

    let mut others = Vec::new();
    let with = |table: Table<16, 20>, place: usize| {
        let mut other = instance.clone();
        other.tables[place] = table;
        other.machine(&parameters())
    };
    // Preprocessed columns: one run's words at another's addresses.
    let mut shape = fixture.products.shape().clone();
    let (first, second) = (shape.rows[0].2, shape.rows[1].2);
    (shape.rows[0].2, shape.rows[1].2) = (second, first);
    others
        .push(with(Table::InnerProduct(crate::inner_product::InnerProduct::new(shape)), PRODUCTS));
    // Constants of the constraints.
    let mut shape = fixture.products.shape().clone();
    shape.multipliers[1] += F::ONE;
    others
        .push(with(Table::InnerProduct(crate::inner_product::InnerProduct::new(shape)), PRODUCTS));
    // FRI's parameters.
    others.push(instance.machine(&Parameters::insecure_for_tests(8, 2)));
    others.push(instance.machine(&Parameters::insecure_for_tests(7, 1)));
    for (index, other) in others.iter().enumerate() {
        assert!(other.verify(b"", &instance.public, &proof).is_err(), "{index}");
    }
}

#[test]
fn the_closed_parameters_prove_and_verify() {
    let instance = Small::new(3).honest();
    for id in 1..=4 {
        let machine = instance.machine(&Parameters::by_id(id).unwrap().without_target());
        let proof = machine.prove(b"", &instance.traces, &instance.public).unwrap();
        assert_eq!(machine.verify(b"", &instance.public, &proof), Ok(()));
        let (least, most) = machine.proof_bytes();
        assert!((least..=most).contains(&proof.len()), "{least} {} {most}", proof.len());
    }
}

/// Of a few rows FRI proves less than the closed parameters promise.
#[test]
fn refuses_tables_too_short_for_the_target() {
    let instance = Small::new(3).honest();
    let heights = instance.traces.iter().map(Matrix::height);
    let tables: Vec<_> = instance.tables.iter().cloned().zip(heights).collect();
    // The fourth entry has queries enough for unique decoding, which takes no rows.
    for id in 1..=3 {
        let parameters = Parameters::by_id(id).unwrap();
        let refused = Machine::new(tables.clone(), &parameters).unwrap_err();
        assert!(matches!(refused, Reject::Instance(_)), "entry {id}");
        let machine = Machine::new(tables.clone(), &parameters.without_target()).unwrap();
        let target = f64::from(parameters.target_bits());
        assert!(machine.security().proven_composed_bits() < target, "entry {id}");
    }
}

#[test]
fn rounds_that_fold_more_prove_and_verify() {
    let instance = Small::new(8).honest();
    for max_log_arity in 1..=3 {
        let machine = instance.machine(&Parameters::insecure_for_tests(5, max_log_arity));
        let proof = machine.prove(b"", &instance.traces, &instance.public).unwrap();
        assert_eq!(machine.verify(b"", &instance.public, &proof), Ok(()));
    }
}

#[test]
fn refuses_rows_that_are_no_power_of_two_and_no_tables() {
    let table = || Table::<16, 20>::Public(crate::public_blocks::PublicBlocks::new([]));
    let refused = |tables| Machine::new(tables, &parameters()).unwrap_err();
    assert_eq!(refused(vec![(table(), 3)]), Reject::Instance("rows are a power of two"));
    assert_eq!(refused(vec![(table(), 0)]), Reject::Instance("rows are a power of two"));
    assert_eq!(refused(vec![]), Reject::Instance("there are no tables"));
    let tall = 1 << 24;
    assert_eq!(
        refused(vec![(table(), tall)]),
        Reject::Instance("more rows than the field has room for")
    );
}

/// Reads one word as often as its first column says, which it bounds by a constant, and offers
/// it as often as the second one says.
#[derive(Clone, Debug)]
struct Reader {
    bound: u32,
}

impl BaseAir<F> for Reader {
    fn width(&self) -> usize {
        2
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Reader {
    fn eval(&self, builder: &mut AB) {
        let row = builder.main();
        let [read, offered] = [0, 1].map(|column| row.current_slice()[column]);
        let difference = read.into() - offered.into();
        builder.assert_zero(difference.clone());
        let word = || std::iter::once(AB::Expr::ONE);
        builder.push_interaction("words", word(), Count::bounded(read.into(), self.bound));
        builder.push_interaction("words", word(), Count::provided(-offered.into()));
    }
}

#[test]
fn refuses_as_many_readers_as_would_wrap_a_count() {
    // Two rows: twice the bound has to stay below p = 2^31 − 2^24 + 1.
    let half = (1 << 30) - (1 << 23);
    let trace = || RowMajorMatrix::new([1, 1, 2, 2].map(F::from_u8).to_vec(), 2);
    Instance::of_one(Reader { bound: half }, trace(), vec![]).assert_good();
    let refused = Machine::new(vec![(Reader { bound: half + 1 }, 2)], &parameters());
    assert_eq!(refused.unwrap_err(), Reject::Instance("more readers than a count can tell"));
}

/// A constraint of a degree that codewords of rate 1/2 have no room for.
#[derive(Clone, Debug)]
struct Steep;

impl BaseAir<F> for Steep {
    fn width(&self) -> usize {
        1
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for Steep {
    fn eval(&self, builder: &mut AB) {
        let cell = builder.main().current_slice()[0];
        builder.assert_zero(cell.into().exp_const_u64::<5>());
    }
}

#[test]
fn refuses_constraints_of_a_degree_beyond_the_rate() {
    let refused = Machine::new(vec![(Steep, 4)], &parameters()).unwrap_err();
    assert_eq!(refused, Reject::Instance("constraints of a degree beyond the rate"));
}

/// p3 refuses to bind public values at the trace's ends, by a panic.
#[derive(Clone, Debug)]
struct Boundary(Vec<BoundaryPublic>);

impl BaseAir<F> for Boundary {
    fn width(&self) -> usize {
        1
    }

    fn num_public_values(&self) -> usize {
        1
    }

    fn public_boundary_io(&self) -> &[BoundaryPublic] {
        &self.0
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for Boundary {
    fn eval(&self, builder: &mut AB) {
        let cell = builder.main().current_slice()[0];
        builder.assert_bool(cell);
    }
}

#[test]
fn a_panic_in_the_verifier_is_a_refusal() {
    let machine = |cells| Machine::new(vec![(Boundary(cells), 2)], &parameters()).unwrap();
    let trace = RowMajorMatrix::new(F::zero_vec(2), 1);
    let public = [vec![F::ZERO]];
    let proof = machine(vec![]).prove(b"", &[trace], &public).unwrap();
    assert_eq!(machine(vec![]).verify(b"", &public, &proof), Ok(()));
    let cells = vec![BoundaryPublic::new(0, BoundaryEnd::First, 0)];
    assert_eq!(machine(cells).verify(b"", &public, &proof), Err(Reject::Panicked));
}
