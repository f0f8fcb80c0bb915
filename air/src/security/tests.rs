use p3_security::grinding::GrindingSites;
use p3_security::stark::{conjectured_security_report, proven_security_report};
use p3_uni_stark::{ConjecturedSecurity, ProvenSecurity, StarkSecurityParams};

use super::*;

/// 84 queries and 16 bits at rate 1/2: what such proofs are often measured with.
const COMMON: FriShape = FriShape {
    log_blowup: 1,
    num_queries: 84,
    log_final_poly_len: 0,
    max_log_arity: 3,
    query_pow_bits: 16,
    commit_pow_bits: 0,
    batch_pow_bits: 0,
    lookup_pow_bits: 0,
    ood_pow_bits: 0,
};

/// Poseidon2 calls of width 16, eight a row, without buses.
const BARE_CALLS: TableShape = TableShape {
    log_height: 16,
    columns: 8 * 164,
    next_row: false,
    preprocessed: 0,
    preprocessed_next: false,
    fractions: 0,
    messages: 0,
    message_width: 0,
    constraints: 8 * 148,
    degree: 3,
    quotient_chunks: 2,
};

/// Calls of two kinds, an inner product, and public blocks.
fn four_tables() -> [TableShape; 4] {
    let calls = TableShape {
        log_height: 14,
        columns: 2952,
        preprocessed: 70,
        fractions: 18,
        messages: 36,
        message_width: 9,
        constraints: 160 * 18,
        ..BARE_CALLS
    };
    [
        calls,
        TableShape {
            log_height: 10,
            columns: 2460,
            preprocessed: 75,
            fractions: 23,
            messages: 45,
            constraints: 160 * 15,
            ..calls
        },
        TableShape {
            log_height: 12,
            columns: 670,
            next_row: true,
            preprocessed: 3,
            fractions: 35,
            messages: 70,
            constraints: 800,
            ..calls
        },
        TableShape {
            log_height: 0,
            columns: 1,
            preprocessed: 0,
            fractions: 1,
            messages: 19,
            constraints: 4,
            ..calls
        },
    ]
}

fn bits(regime: &Regime, name: &str) -> f64 {
    regime.terms.iter().find(|term| term.name == name).unwrap().bits
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

/// All shapes that the tests vary: rates, arities, grinds.
fn fri_shapes() -> Vec<FriShape> {
    let grinding = FriShape {
        query_pow_bits: 20,
        commit_pow_bits: 3,
        batch_pow_bits: 11,
        lookup_pow_bits: 5,
        ood_pow_bits: 7,
        ..COMMON
    };
    let mut shapes = Vec::new();
    for log_blowup in [1, 2, 3] {
        for max_log_arity in [1, 2, 4] {
            for num_queries in [1, 40, 161, 300] {
                for shape in [COMMON, grinding] {
                    shapes.push(FriShape { log_blowup, max_log_arity, num_queries, ..shape });
                }
            }
        }
    }
    shapes
}

#[test]
fn the_field_has_the_whole_bits_that_are_counted() {
    use p3_field::PrimeField32;
    let log2_field = <E as BasedVectorSpace<F>>::DIMENSION as f64 * f64::from(F::ORDER_U32).log2();
    assert!((log2_field - 154.94).abs() < 0.01);
    assert_eq!(log2_field.floor(), FIELD_BITS as f64);
}

/// p3-uni-stark's figures are whole bits; p3-security's report tells all of them.
#[test]
fn one_table_without_lookups_has_p3s_bits() {
    for fri in fri_shapes() {
        for log_height in [5, 16, 20] {
            for next_row in [false, true] {
                let table = TableShape { log_height, next_row, ..BARE_CALLS };
                let report = Report::new(&fri, &[table]);
                let grinding = GrindingSites {
                    out_of_domain: fri.ood_pow_bits,
                    batch_combination: fri.batch_pow_bits,
                    lookup_challenge: 0,
                };
                let regime = FriRegime {
                    log_blowup: fri.log_blowup,
                    num_queries: fri.num_queries,
                    log_final_poly_len: fri.log_final_poly_len,
                    max_log_arity: fri.max_log_arity,
                    commit_pow_bits: fri.commit_pow_bits,
                    query_pow_bits: fri.query_pow_bits,
                };
                let points = if next_row { 2 } else { 1 };
                let batched = points * 8 * 164 + 2 * 5;
                let p3 = StarkSecurityParams::new(regime, 154, 128, 8 * 148, 3, points, batched, 2)
                    .with_grinding(grinding);
                let proven = ProvenSecurity::compute_from_proof(log_height, &p3);
                let list = report.list.as_ref().unwrap();
                assert_eq!(report.unique.bits as usize, proven.unique_decoding_bits, "{fri:?}");
                assert_eq!(list.bits as usize, proven.list_decoding_bits, "{fri:?}");
                assert_eq!(report.proven_bits() as usize, proven.security_bits());
                let conjectured = ConjecturedSecurity::compute_from_params(&p3, log_height);
                assert_eq!(report.conjectured_bits() as usize, conjectured.security_bits);

                let air = StarkAirParams {
                    num_constraints: 8 * 148,
                    max_constraint_degree: 3,
                    num_quotient_chunks: 2,
                    max_combo: points,
                };
                let instance = InstanceShape {
                    log_trace_length: log_height,
                    modulus_bits: 154,
                    collision_resistance: 128,
                    num_batched_functions: batched,
                };
                let proven = proven_security_report(&regime, &air, &instance, &[], &grinding);
                assert!(near(report.unique.bits, proven.udr.security_bits()));
                assert!(near(list.bits, proven.ldr.unwrap().security_bits()));
                let p3 = conjectured_security_report(&regime, &air, &instance, &[], &grinding);
                assert!(near(report.conjectured_bits(), p3.security_bits()));
            }
        }
    }
}

#[test]
fn the_common_parameters_prove_57_bits_and_conjecture_98() {
    let report = Report::new(&COMMON, &[BARE_CALLS]);
    assert!((report.proven_bits() - 57.94).abs() < 0.01, "{}", report.proven_bits());
    assert!((report.unique.bits - 50.86).abs() < 0.01, "{}", report.unique.bits);
    assert!((report.conjectured_bits() - 98.09).abs() < 0.01, "{}", report.conjectured_bits());
    let list = report.list.unwrap();
    assert!(near(list.bits, bits(&list, QUERIES)), "the queries bind");
    assert!(near(report.conjectured.bits, bits(&report.conjectured, QUERIES)));
    assert!(list.terms.iter().all(|term| term.name != LOGUP), "there are no lookups");
}

/// Every term of unique decoding, written out.
#[test]
fn several_tables_add_up() {
    let fri = FriShape { lookup_pow_bits: 2, batch_pow_bits: 3, ..COMMON };
    let unique = Report::new(&fri, &four_tables()).unique;
    let field = |error: f64| 154.0 - error.log2();
    assert!(near(bits(&unique, ALI), field((160 * 18 + 160 * 15 + 800 + 4) as f64)));
    // Degree 3, two points: 3 (k + 1) + k − 1.
    let factors = [1 << 14, 1 << 10, 1 << 12, 1].map(|k| 4 * k + 2);
    assert!(near(bits(&unique, DEEP), field(factors.iter().sum::<i32>() as f64)));
    // Columns, 2 chunks of 5, and sum and fractions of 5 at two points.
    let batched =
        (2952 + 70 + 10 + 190) + (2460 + 75 + 10 + 240) + (2 * 670 + 3 + 10 + 360) + (1 + 10 + 20);
    assert!(near(bits(&unique, BATCH), field(f64::from((batched - 1) << 15)) + 3.0));
    let messages = (36 << 14) + (45 << 10) + (70 << 12) + 19;
    assert!(near(bits(&unique, LOGUP), field(f64::from(messages * 11)) + 2.0));
    // At arity 8, of words of 2^15, …, 2^2 and, the last, at arity 4.
    let folds = unique.terms.iter().find(|term| term.name == FOLDS).unwrap();
    assert!(near(folds.bits, field(f64::from(7 * ((1 << 15) + 1)))));
    let rounds: i32 = (3..=15).map(|height| 7 * ((1 << height) + 1)).sum();
    assert!(near(folds.all_bits, field(f64::from(rounds + 3 * 5))));
    let alpha = 0.5 + (f64::from(1 << 14) + 2.0) / f64::from(1 << 16);
    assert!(near(bits(&unique, QUERIES), 16.0 - 84.0 * alpha.log2()));
    assert_eq!(unique.terms.len(), 6);
}

/// A list multiplies what is drawn before the quotient is opened, the fingerprints included.
#[test]
fn the_list_is_charged_to_ali_deep_and_logup() {
    let report = Report::new(&COMMON, &four_tables());
    for list in [report.list.unwrap(), report.list_composed.unwrap()] {
        let log2_list = ((list.m.unwrap() as f64 + 0.5) * 2f64.sqrt()).log2();
        for name in [ALI, DEEP, LOGUP] {
            let unique = bits(&report.unique, name);
            assert!(near(bits(&list, name), unique - log2_list), "{name}");
            assert!(near(bits(&report.conjectured, name), unique), "{name}");
        }
        assert!(bits(&list, BATCH) < bits(&report.unique, BATCH));
        assert!(bits(&list, FOLDS) < bits(&report.unique, FOLDS));
        assert!(bits(&list, QUERIES) > bits(&report.unique, QUERIES));
    }
}

/// Words of another height join a fold, whose degree rises: binary folds count as of arity 4.
#[test]
fn tables_of_several_heights_are_charged_for_joining() {
    let fri = FriShape { max_log_arity: 1, ..COMMON };
    let one = Report::new(&fri, &[BARE_CALLS; 2]).unique;
    let shorter = TableShape { log_height: 9, ..BARE_CALLS };
    let two = Report::new(&fri, &[BARE_CALLS, shorter]).unique;
    assert!(near(bits(&one, FOLDS), bits(&two, FOLDS) + 3f64.log2()));
}

#[test]
fn regimes_tell_the_least_and_the_sum_of_their_terms() {
    for fri in fri_shapes() {
        let report = Report::new(&fri, &four_tables());
        let all = [Some(&report.unique), report.list.as_ref(), report.list_composed.as_ref()];
        for regime in all.into_iter().flatten().chain([&report.conjectured]) {
            let least = regime.terms.iter().map(|term| term.bits).fold(128.0, f64::min);
            assert_eq!(regime.bits, least);
            let sum: f64 = regime.terms.iter().map(|term| (-term.all_bits).exp2()).sum();
            assert!(near(regime.composed_bits, (-sum.log2()).max(0.0)));
        }
        let proven = report.list.as_ref().unwrap().bits.max(report.unique.bits);
        assert_eq!(report.proven_bits(), proven);
        assert!(report.proven_composed_bits() <= proven);
    }
}

#[test]
fn the_ms_are_the_best_there_are() {
    let tables = four_tables();
    for fri in fri_shapes().into_iter().step_by(5) {
        let report = Report::new(&fri, &tables);
        let system = System::new(&fri, &tables);
        let all = (3..=1000).map(|m| system.regime(Decoding::List(m)));
        let (least, sum) = all.fold((0.0, 0.0), |(least, sum): (f64, f64), regime| {
            (least.max(regime.bits), sum.max(regime.composed_bits))
        });
        assert_eq!(report.list.unwrap().bits, least);
        assert_eq!(report.list_composed.unwrap().composed_bits, sum);
    }
}

/// What is changed, and how.
type Change<T> = (&'static str, fn(&mut T));

/// The three figures, and all terms but lists', which depend on m.
fn figures(fri: &FriShape, tables: &[TableShape]) -> Vec<f64> {
    let report = Report::new(fri, tables);
    let mut figures =
        vec![report.proven_bits(), report.proven_composed_bits(), report.conjectured_bits()];
    for regime in [&report.unique, &report.conjectured] {
        figures.extend(regime.terms.iter().map(|term| term.all_bits));
    }
    figures
}

/// Asserts that no figure of `more` is less than that of `less`, and some figure is more.
fn assert_rises(less: &[f64], more: &[f64], what: &str) {
    assert_eq!(less.len(), more.len());
    assert!(less.iter().zip(more).all(|(less, more)| less <= more), "{what}: {less:?} {more:?}");
    assert_ne!(less, more, "{what} does not matter");
}

#[test]
fn queries_and_work_never_cost_security_and_a_greater_arity_never_gains() {
    let tables = four_tables();
    for fri in fri_shapes() {
        let start = figures(&fri, &tables);
        let changes: [Change<FriShape>; 6] = [
            ("queries", |fri| fri.num_queries += 1),
            ("query grinding", |fri| fri.query_pow_bits += 1),
            ("fold grinding", |fri| fri.commit_pow_bits += 1),
            ("batch grinding", |fri| fri.batch_pow_bits += 1),
            ("lookup grinding", |fri| fri.lookup_pow_bits += 1),
            ("out-of-domain grinding", |fri| fri.ood_pow_bits += 1),
        ];
        for (what, change) in changes {
            let mut more = fri;
            change(&mut more);
            assert_rises(&start, &figures(&more, &tables), what);
        }
        let wider = FriShape { max_log_arity: fri.max_log_arity.max(2) + 1, ..fri };
        assert_rises(&figures(&wider, &tables), &start, "arity");
        let earlier = FriShape { log_final_poly_len: 4, ..fri };
        assert_rises(&start, &figures(&earlier, &tables), "final polynomial");
    }
}

#[test]
fn a_lower_rate_helps_the_queries_and_costs_field() {
    let tables = four_tables();
    let [half, quarter] =
        [1, 2].map(|log_blowup| Report::new(&FriShape { log_blowup, ..COMMON }, &tables));
    for (half, quarter) in
        [(&half.unique, &quarter.unique), (&half.conjectured, &quarter.conjectured)]
    {
        assert!(bits(half, QUERIES) < bits(quarter, QUERIES));
        assert!(bits(half, BATCH) > bits(quarter, BATCH));
        assert!(bits(half, FOLDS) > bits(quarter, FOLDS));
    }
    assert!(half.proven_bits() < quarter.proven_bits());
}

#[test]
fn whatever_is_proved_more_of_never_gains_security() {
    let changes: [Change<TableShape>; 9] = [
        ("columns", |table| table.columns += 100),
        ("next row", |table| table.next_row = true),
        ("preprocessed", |table| table.preprocessed += 100),
        ("preprocessed next row", |table| table.preprocessed_next = true),
        ("fractions", |table| table.fractions += 10),
        ("messages", |table| table.messages += 10),
        ("message width", |table| table.message_width += 1),
        ("constraints", |table| table.constraints += 100),
        ("degree", |table| table.degree += 1),
    ];
    for num_queries in [84, 161, 300] {
        let fri = FriShape { num_queries, ..COMMON };
        let tables = four_tables();
        let start = figures(&fri, &tables);
        for (what, change) in changes {
            let mut more = tables;
            change(&mut more[0]);
            assert_rises(&figures(&fri, &more), &start, what);
        }
        let mut chunks = tables;
        chunks[0].quotient_chunks = 4;
        assert_rises(&figures(&fri, &chunks), &start, "chunks");
        // Tables after the first, which is the longest.
        for index in 0..4 {
            let more = [&tables[..], &tables[index..=index]].concat();
            assert_rises(&figures(&fri, &more), &start, "another table");
        }
        for index in 1..4 {
            let mut taller = tables;
            taller[index].log_height += 1;
            assert_rises(&figures(&fri, &taller), &start, "rows");
        }
    }
}

/// Out-of-domain points weigh less on a longer word, so that its queries in unique decoding tell
/// a little more; all else is less.
#[test]
fn longer_tables_cost_field() {
    let taller =
        four_tables().map(|table| TableShape { log_height: table.log_height + 1, ..table });
    let (start, taller) = (Report::new(&COMMON, &four_tables()), Report::new(&COMMON, &taller));
    for (start, taller) in
        [(&start.unique, &taller.unique), (&start.conjectured, &taller.conjectured)]
    {
        for name in [DEEP, BATCH, FOLDS, LOGUP] {
            assert!(bits(start, name) > bits(taller, name), "{name}");
        }
        assert_eq!(bits(start, ALI), bits(taller, ALI));
    }
}

#[test]
fn a_few_rows_have_no_list_decoding_and_one_row_proves_nothing() {
    let table = TableShape { log_height: 1, next_row: true, ..BARE_CALLS };
    assert!(Report::new(&COMMON, &[table]).list.is_none());
    let report = Report::new(&COMMON, &[TableShape { log_height: 0, ..BARE_CALLS }]);
    assert_eq!((report.proven_bits(), report.proven_composed_bits()), (0.0, 0.0));
}

#[test]
#[should_panic(expected = "a proof of no table")]
fn refuses_no_table() {
    let _ = Report::new(&COMMON, &[]);
}

#[test]
#[should_panic(expected = "too tall")]
fn refuses_a_table_beyond_the_two_adic_subgroup() {
    let _ = Report::new(&COMMON, &[TableShape { log_height: 24, ..BARE_CALLS }]);
}

/// The fewest queries for so many bits of the sum, at arity 8: (log_blowup, target, bits of proof
/// of work before queries, batch, folds and fingerprints, queries).
const FEWEST: [(usize, f64, [usize; 4], usize); 12] = [
    (1, 100.0, [16, 0, 0, 0], 171),
    (1, 100.0, [20, 0, 0, 0], 163),
    (1, 100.0, [20, 8, 0, 0], 161),
    (2, 100.0, [16, 0, 0, 0], 86),
    (2, 100.0, [20, 0, 0, 0], 81),
    (1, 124.0, [16, 0, 0, 0], 262),
    (1, 124.0, [20, 4, 0, 0], 251),
    (1, 124.0, [20, 16, 8, 4], 223),
    (1, 124.0, [20, 20, 12, 8], 215),
    (2, 124.0, [20, 4, 0, 0], 154),
    (2, 124.0, [20, 16, 8, 4], 110),
    (2, 124.0, [20, 20, 12, 8], 107),
];

#[test]
fn so_many_queries_prove_100_and_124_bits_of_four_tables() {
    for (log_blowup, target, [query, batch, commit, lookup], queries) in FEWEST {
        let fri = |num_queries| FriShape {
            log_blowup,
            num_queries,
            query_pow_bits: query,
            batch_pow_bits: batch,
            commit_pow_bits: commit,
            lookup_pow_bits: lookup,
            ..COMMON
        };
        let bits = |queries| Report::new(&fri(queries), &four_tables()).proven_composed_bits();
        assert!(bits(queries) >= target, "{:?}: {}", fri(queries), bits(queries));
        assert!(bits(queries - 1) < target, "{:?}", fri(queries - 1));
    }
}

/// Four times the rows at rate 1/4: without work before it, the batch alone is below 124 bits.
#[test]
fn the_batch_binds_when_queries_do_not() {
    let tables = four_tables().map(|table| {
        let log_height = if table.log_height == 0 { 0 } else { table.log_height + 2 };
        TableShape { log_height, ..table }
    });
    let fri = FriShape { log_blowup: 2, num_queries: 1000, query_pow_bits: 20, ..COMMON };
    let report = Report::new(&fri, &tables);
    assert!((report.proven_bits() - 123.08).abs() < 0.01);
    assert_eq!(report.proven_bits(), bits(&report.unique, BATCH));
    let ground = Report::new(&FriShape { batch_pow_bits: 4, num_queries: 154, ..fri }, &tables);
    assert!(ground.proven_composed_bits() >= 124.0);
}
