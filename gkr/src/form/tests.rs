use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::combine::combine;
use super::*;
use crate::calls::tests::sums::random_table;
use crate::calls::tests::{RandomCode, sample_table, sample_words};
use crate::calls::{CallTable, Layout};
use crate::eq::eq_table;
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::sumcheck::tests::Plain;
use crate::transcript::{Channel, ProverChannel, VerifierChannel};
use crate::walk::Positions;
use crate::{F, Reject, sumcheck, walk};

fn random(rng: &mut StdRng) -> E {
    E::from_basis_coefficients_fn(|_| rng.random::<F>())
}

fn point(num_calls: usize, rng: &mut StdRng) -> walk::Point {
    let chunks = num_calls.div_ceil(128).next_power_of_two();
    walk::Point {
        outer: (0..chunks.ilog2()).map(|_| random(rng)).collect(),
        positions: Positions::Univariate(random(rng)),
        lanes: std::array::from_fn(|_| random(rng)),
    }
}

/// The weight of row i, by the definition.
fn weight(point: &walk::Point, i: usize) -> E {
    let bit = |r: E, set: bool| if set { r } else { E::ONE - r };
    let outer: E =
        point.outer.iter().enumerate().map(|(j, &r)| bit(r, i >> (7 + j) & 1 == 1)).product();
    let lanes: E = point.lanes.iter().enumerate().map(|(j, &r)| bit(r, i >> j & 1 == 1)).product();
    let z = i >> 4 & 7;
    let Positions::Univariate(zeta) = point.positions else { panic!("the walk's own points") };
    let lambda: E = (0..8usize)
        .filter(|&other| other != z)
        .map(|other| {
            let (node, other) = (F::from_usize(z), F::from_usize(other));
            (zeta - other) * p3_field::Field::inverse(&(node - other))
        })
        .product();
    outer * lambda * lanes
}

/// A true claim of the walk about the table's rows, summed one by one.
fn true_claim<const T: usize>(table: &CallTable<T>, words: &[F], seed: u64) -> walk::Claim<T>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut rng = StdRng::seed_from_u64(seed);
    let [outputs_at, inputs_at] = [(); 2].map(|()| point(table.num_calls(), &mut rng));
    let beta: [E; DIGEST] = std::array::from_fn(|_| random(&mut rng));
    let (mut y, mut inputs) = (E::ZERO, [E::ZERO; T]);
    for chunk in 0..1usize << outputs_at.outer.len() {
        let mut columns = [[F::ZERO; 128]; T];
        table.levels()[0].fill_inputs(words, chunk, &mut columns);
        for lane in 0..128 {
            let mut state: [F; T] = std::array::from_fn(|v| columns[v][lane]);
            let i = chunk * 128 + lane;
            for v in 0..T {
                inputs[v] += weight(&inputs_at, i) * state[v];
            }
            Poseidon2::<T>::permute(&mut state);
            let output: E = beta.iter().zip(state).map(|(&b, word)| b * word).sum();
            y += weight(&outputs_at, i) * output;
        }
    }
    walk::Claim { outputs_at, beta, y, inputs_at, inputs }
}

/// Equations that hold: a word, and an inner product with a given vector.
fn equations<'a>(words: &[F], given: &'a [E]) -> Equations<'a> {
    let mut equations = Equations::new();
    let vector = equations.vector(given);
    let term = |start, vector| Term { start, vector, coefficient: E::TWO };
    equations.push(Equation {
        terms: vec![term(128, vector), term(17, Equations::UNIT)],
        value: (given.iter().zip(&words[128..]).map(|(&w, &f)| w * f).sum::<E>() + words[17])
            .double(),
    });
    equations.push(Equation { terms: vec![term(5, 0)], value: E::TWO * words[5] });
    equations
}

fn num_variables<const T: usize>(table: &CallTable<T>) -> usize {
    table.num_words().next_power_of_two().ilog2() as usize
}

/// The words of a form that weighs no code.
const fn whole(committed: &[F]) -> Words<'_> {
    Words { committed, source: &[] }
}

/// Ω in full, term by term.
fn written_out(form: &LinearForm<'_>, num_variables: usize) -> Vec<E> {
    let mut weights = vec![E::ZERO; 1 << num_variables];
    let vectors: Vec<Vec<E>> = form.vectors.iter().map(Vector::dense).collect();
    for term in &form.terms {
        for (to, &entry) in weights[term.start..].iter_mut().zip(&vectors[term.vector]) {
            *to += term.coefficient * entry;
        }
    }
    weights
}

/// Ω~(z), as the verifier computes it.
fn extension(form: &LinearForm<'_>, z: &[E]) -> E {
    let mut shares = verify::Shares::new(&form.vectors, z);
    form.terms.iter().for_each(|term| shares.add(term));
    shares.extension(&form.vectors, z)
}

/// What the prover sends of a form equals what the definition sends, and the verifier's Ω~ is
/// that of its entries.
fn assert_proves(form: &LinearForm<'_>, order: Order, words: &[F], source: &[F]) {
    let weights = written_out(form, order.num_variables());
    let mut channel = ProverChannel::new(b"form");
    let claim = form.prove(order, Words { committed: words, source }, &mut channel);
    let mut plain = ProverChannel::new(b"form");
    let rounds = &mut Plain::new(order, words, &weights);
    assert_eq!(claim, sumcheck::prove(rounds, order, form.value, &mut plain));
    assert_eq!(channel.finish(), plain.finish());
    let expected: E = eq_table(&claim.point).iter().zip(&weights).map(|(&eq, &w)| eq * w).sum();
    assert_eq!(extension(form, &claim.point), expected);
}

fn check<const T: usize>(table: &CallTable<T>)
where
    Poseidon2<T>: Permutation<T>,
{
    let mut words = sample_words(table, 3);
    table.evaluate(&mut words);
    let claim = true_claim(table, &words, 4);
    let mut rng = StdRng::seed_from_u64(5);
    let given: Vec<E> = (0..64).map(|_| random(&mut rng)).collect();
    let equations = equations(&words, &given);
    let num_variables = num_variables(table);

    // The form has its value, and its extension is that of its entries.
    let form = combine(
        &Owed::of_levels(&table.levels(), &[claim.clone().into()]),
        &Layout::whole(table),
        &equations,
        random(&mut rng),
    );
    let weights = written_out(&form, num_variables);
    let sum: E = words.iter().zip(&weights).map(|(&f, &w)| w * f).sum();
    assert_eq!(sum, form.value);
    let z: Vec<E> = (0..num_variables).map(|_| random(&mut rng)).collect();
    let eq = eq_table(&z);
    let expected: E = eq.iter().zip(&weights).map(|(&eq, &w)| eq * w).sum();
    assert_eq!(extension(&form, &z), expected);
    for log_block in [8, 10, 11, num_variables] {
        assert_proves(&form, Order::new(num_variables, log_block), &words, &[]);
    }

    // Both sides end on one claim, which is true.
    let mut channel = ProverChannel::new(b"form");
    let point = prove(
        &Owed::of_levels(&table.levels(), &[claim.clone().into()]),
        &Layout::whole(table),
        &equations,
        whole(&words),
        num_variables,
        &mut channel,
    );
    let proof = channel.finish();
    let verified = |claim: &walk::Claim<T>, equations: &Equations<'_>| {
        let mut channel = VerifierChannel::new(b"form", &proof);
        let owed = verify(
            &Owed::of_levels(&table.levels(), &[claim.clone().into()]),
            &Layout::whole(table),
            equations,
            num_variables,
            &mut channel,
        )
        .unwrap();
        let opened: E = eq_table(&owed.point).iter().zip(&words).map(|(&eq, &f)| eq * f).sum();
        (owed.point, opened * owed.weight == owed.sum)
    };
    assert_eq!(verified(&claim, &equations), (point, true));

    // A false claim of any kind stays false.
    let mut forged = claim.clone();
    forged.y += E::ONE;
    assert!(!verified(&forged, &equations).1);
    for v in 0..T {
        let mut forged = claim.clone();
        forged.inputs[v] += E::ONE;
        assert!(!verified(&forged, &equations).1);
    }
    for v in 0..DIGEST {
        let mut forged = claim.clone();
        forged.beta[v] += E::ONE;
        assert!(!verified(&forged, &equations).1);
    }
    let mut forged = Equations::new();
    forged.push(Equation {
        terms: vec![Term { start: 5, vector: Equations::UNIT, coefficient: E::ONE }],
        value: E::ONE + words[5],
    });
    assert!(!verified(&claim, &forged).1);
}

#[test]
fn the_form_equals_its_definition_at_width_16() {
    check(&sample_table::<16>());
    check(&random_table::<16>(7, false, 16));
}

#[test]
fn the_form_equals_its_definition_at_width_24() {
    check(&sample_table::<24>());
    check(&random_table::<24>(7, false, 24));
}

/// A digest word that disagrees with its call, or a source word changed after hashing, breaks
/// the form for the walk's true claim about the altered inputs.
#[test]
fn a_wrong_digest_breaks_the_form() {
    let table = sample_table::<16>();
    let mut words = sample_words(&table, 3);
    table.evaluate(&mut words);
    let mut rng = StdRng::seed_from_u64(6);
    // The first digest, one in a chain, the last one.
    for at in [table.digest(0, 0), table.digest(3, 2) + 5, table.num_words() - 1] {
        let mut words = words.clone();
        words[at] += F::ONE;
        // The walk speaks of the permutation of the inputs as they are.
        let claim = true_claim(&table, &words, 7);
        let equations = Equations::new();
        let form = combine(
            &Owed::of_levels(&table.levels(), &[claim.clone().into()]),
            &Layout::whole(&table),
            &equations,
            random(&mut rng),
        );
        let weights = written_out(&form, num_variables(&table));
        let sum: E = words.iter().zip(&weights).map(|(&f, &w)| w * f).sum();
        assert_ne!(sum, form.value, "word {at}");
    }
}

/// A form without equations, proved.
struct Proved<const T: usize> {
    table: CallTable<T>,
    words: Vec<F>,
    claim: walk::Claim<T>,
    proof: Vec<u8>,
}

fn proved<const T: usize>() -> Proved<T>
where
    Poseidon2<T>: Permutation<T>,
{
    let table = sample_table::<T>();
    let mut words = sample_words(&table, 3);
    table.evaluate(&mut words);
    let claim = true_claim(&table, &words, 4);
    let mut channel = ProverChannel::new(b"form");
    let equations = Equations::new();
    prove(
        &Owed::of_levels(&table.levels(), &[claim.clone().into()]),
        &Layout::whole(&table),
        &equations,
        whole(&words),
        num_variables(&table),
        &mut channel,
    );
    Proved { table, words, claim, proof: channel.finish() }
}

/// A change here is a change of the protocol: raise the argument's version.
#[test]
fn the_bytes_are_pinned() {
    let digest: [u8; 32] = Keccak256Hash.hash_iter(proved::<16>().proof);
    assert_eq!(digest[..8], [84, 232, 209, 39, 237, 77, 51, 48]);
}

#[test]
fn every_truncation_is_refused() {
    let Proved { table, claim, proof, .. } = proved::<24>();
    let (equations, num_variables) = (Equations::new(), num_variables(&table));
    for len in 0..proof.len() {
        let mut channel = VerifierChannel::new(b"form", &proof[..len]);
        let refused = verify(
            &Owed::of_levels(&table.levels(), &[claim.clone().into()]),
            &Layout::whole(&table),
            &equations,
            num_variables,
            &mut channel,
        );
        assert_eq!(refused, Err(Reject::Truncated));
    }
}

/// Altered words, all over the messages: a false claim, or no word at all.
#[test]
fn altered_messages_leave_a_false_claim() {
    let Proved { table, words, claim, proof } = proved::<16>();
    let (equations, num_variables) = (Equations::new(), num_variables(&table));
    for at in 0..proof.len() {
        let mut forged = proof.clone();
        forged[at] ^= 1 << (at % 8);
        let mut channel = VerifierChannel::new(b"form", &forged);
        match verify(
            &Owed::of_levels(&table.levels(), &[claim.clone().into()]),
            &Layout::whole(&table),
            &equations,
            num_variables,
            &mut channel,
        ) {
            Ok(owed) => {
                let eq = eq_table(&owed.point);
                let opened: E = eq.iter().zip(&words).map(|(&eq, &f)| eq * f).sum();
                assert_ne!(opened * owed.weight, owed.sum, "byte {at}");
            }
            Err(refused) => assert_eq!(refused, Reject::NonCanonicalWord, "byte {at}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Terms of all lengths, one over the other, over fewer words than there may be.
    #[test]
    fn sparse_forms_equal_the_definition(
        terms in prop::collection::vec((0..4_usize, any::<u16>(), any::<u32>()), 0..40),
        (log_block, len) in (6..10_usize, 0..=512_usize),
        seed: u64,
    ) {
        const NUM_VARIABLES: usize = 9;
        let mut rng = StdRng::seed_from_u64(seed);
        let given: Vec<Vec<E>> =
            [2, 16, 64].map(|len| (0..len).map(|_| random(&mut rng)).collect()).to_vec();
        let mut vectors = vec![Vector::Unit];
        vectors.extend(given.iter().map(|entries| Vector::Given(entries)));
        let terms: Vec<Term> = terms
            .into_iter()
            .map(|(vector, start, coefficient)| {
                let len = 1 << vectors[vector].log_len();
                let start = usize::from(start) % (1 << NUM_VARIABLES) / len * len;
                Term { start, vector, coefficient: E::from_u32(coefficient) }
            })
            .collect();
        let form = LinearForm { vectors, terms, value: E::ZERO };
        let words: Vec<F> = (0..len).map(|_| rng.random()).collect();
        assert_proves(&form, Order::new(NUM_VARIABLES, log_block), &words, &[]);
    }
}

/// `groups` random messages of a code, then `more` words; and the codewords.
fn coded_words(
    code: &RandomCode,
    groups: usize,
    more: usize,
    rng: &mut StdRng,
) -> (Vec<F>, Vec<F>) {
    let len = groups << code.log_message();
    let words: Vec<F> = (0..len + more).map(|_| rng.random()).collect();
    let source = words[..len]
        .chunks(1 << code.log_message())
        .flat_map(|message| code.encode(&message.iter().map(|&f| f.into()).collect::<Vec<E>>()))
        .map(|word| word.as_basis_coefficients_slice()[0])
        .collect();
    (words, source)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Row weights of all shapes, sizes and points, coded or not, as regular as the walk's and
    /// with irregular ones between them.
    #[test]
    fn forms_over_many_blocks_equal_the_definition(
        (log_column, log_columns) in (7..9_usize, 0..3_usize),
        (groups, more, extra) in (0..6_usize, 0..3000_usize, 0..12_usize),
        longer in 0..3_usize,
        seed: u64,
    ) {
        let rng = &mut StdRng::seed_from_u64(seed);
        let code = RandomCode::new(log_column, log_columns, rng.random());
        let (words, source) = coded_words(&code, groups, more, rng);
        let num_variables = words.len().max(1).next_power_of_two().ilog2().max(10) as usize;
        let log_block = (code.log_message() + longer).max(8);
        let outer: Vec<E> = (0..3).map(|_| random(rng)).collect();
        let point = walk::Point { outer, ..point(1, rng) };
        let weights = rows::PointWeights::new(&point);
        let given: Vec<E> = (0..32).map(|_| random(rng)).collect();
        let mut vectors = vec![Vector::Unit, Vector::Given(&given)];
        for log_size in [3, 7, 8, 9] {
            let weights = Arc::new(weights.rows(log_size, 0));
            vectors.extend([
                Vector::Rows { log_size, weights: weights.clone() },
                Vector::Shifted { log_size, weights },
            ]);
        }
        for (log_size, child) in [(7, 0), (7, 1), (8, 1), (9, 0)] {
            let weights = Arc::new(weights.rows(log_size, 0));
            vectors.push(Vector::Interleaved { log_size, weights, child });
        }
        let plain = vectors.len();
        for column in 0..1 << log_columns {
            let weights = Arc::new(weights.rows(log_column, 0));
            vectors.push(Vector::Coded { code: &code, column, weights });
        }
        let mut terms = Vec::new();
        // Regular: every column of every message, and the rest in rows of one size.
        for group in 0..groups {
            for vector in plain..vectors.len() {
                let start = group << code.log_message();
                terms.push(Term { start, vector, coefficient: random(rng) });
            }
        }
        let rest = (groups << code.log_message()).next_multiple_of(256);
        let of_size = |log_size| vectors.iter().position(
            |v| matches!(v, Vector::Rows { log_size: other, .. } if *other == log_size)
        );
        for start in (rest..(words.len() / 512) * 512).step_by(256) {
            let vector = of_size(8).unwrap();
            terms.push(Term { start, vector, coefficient: random(rng) });
            if start % 512 == 0 {
                let vector = of_size(9).unwrap();
                terms.push(Term { start, vector, coefficient: random(rng) });
            }
        }
        for _ in 0..extra {
            let vector = rng.random_range(0..plain);
            let len = 1 << vectors[vector].log_len();
            if len <= 1 << num_variables {
                let start = rng.random_range(0..(1 << num_variables) / len) * len;
                terms.push(Term { start, vector, coefficient: random(rng) });
            }
        }
        let form = LinearForm { vectors, terms, value: random(rng) };
        assert_proves(&form, Order::new(num_variables, log_block), &words, &source);
        assert_proves(&form, order(&form.vectors, num_variables), &words, &source);
    }
}

/// Two codes of one size, their messages by turns: each is told from the other.
#[test]
fn codes_are_told_apart() {
    let rng = &mut StdRng::seed_from_u64(8);
    let codes = [RandomCode::new(7, 1, rng.random()), RandomCode::new(7, 1, rng.random())];
    let (mut words, mut source) = (Vec::new(), Vec::new());
    let (mut vectors, mut terms) = (vec![Vector::Unit], Vec::new());
    let weights = Arc::new(RowWeights::Dense((0..128).map(|_| random(rng)).collect()));
    for (group, code) in [&codes[0], &codes[1], &codes[1], &codes[0]].into_iter().enumerate() {
        let (message, codeword) = coded_words(code, 1, 0, rng);
        words.extend(message);
        source.extend(codeword);
        for column in 0..2 {
            let term = Term { start: group * 128, vector: vectors.len(), coefficient: random(rng) };
            terms.push(term);
            vectors.push(Vector::Coded { code, column, weights: weights.clone() });
        }
    }
    let form = LinearForm { vectors, terms, value: random(rng) };
    for log_block in [7, 8, 9] {
        assert_proves(&form, Order::new(9, log_block), &words, &source);
    }
    let vectors: Vec<E> = form.vectors[1..].iter().map(|v| v.extension(&[E::TWO; 7])).collect();
    let dense =
        |v: &Vector<'_>| v.dense().iter().zip(eq_table(&[E::TWO; 7])).map(|(&a, b)| a * b).sum();
    assert_eq!(vectors, form.vectors[1..].iter().map(dense).collect::<Vec<E>>());
}

/// Forms without terms, without words, smaller than a row.
#[test]
fn the_smallest_forms_are_proved() {
    for num_variables in [0, 1, 3, 4, 9] {
        for len in [0, 1, 1 << num_variables] {
            let words = vec![F::TWO; len];
            let mut form =
                LinearForm { vectors: vec![Vector::Unit], terms: Vec::new(), value: E::ZERO };
            let order = order(&form.vectors, num_variables);
            assert_proves(&form, order, &words, &[]);
            assert_proves(&form, Order::new(num_variables, 8), &words, &[]);
            form.terms.push(Term { start: 0, vector: 0, coefficient: E::TWO });
            form.value = E::from_usize(if len == 0 { 0 } else { 4 });
            assert_proves(&form, order, &words, &[]);
            assert_proves(&form, Order::new(num_variables, 8), &words, &[]);
        }
    }
}

/// Blocks hold a message, or all given vectors side by side.
#[test]
fn blocks_are_as_long_as_the_form_needs() {
    let code = RandomCode::new(7, 2, 9);
    let log_block =
        |vectors: Vec<Vector<'_>>, num_variables| order(&vectors, num_variables).log_block();
    assert_eq!(log_block(vec![Vector::Unit], 20), LOG_BLOCK);
    assert_eq!(log_block(vec![Vector::Unit], 5), 5);
    let given = vec![E::ZERO; 1 << LOG_BLOCK];
    assert_eq!(log_block(vec![Vector::Given(&given); 4], 20), LOG_BLOCK + 2);
    let weights = Arc::new(RowWeights::Dense(vec![E::ZERO; 128]));
    let coded = Vector::Coded { code: &code, column: 0, weights };
    assert_eq!(log_block(vec![coded.clone()], 20), LOG_BLOCK.max(8));
    assert_eq!(log_block(vec![coded], 7), 7);
}

/// A term whose vector is longer than all that is committed to would weigh nothing: it is no
/// equation that holds.
#[test]
fn a_vector_longer_than_the_words_is_refused() {
    let table = sample_table::<16>();
    let mut words = sample_words(&table, 3);
    table.evaluate(&mut words);
    let claim = true_claim(&table, &words, 4);
    let num_variables = num_variables(&table);
    let verified = |log_len: usize| {
        let given = vec![E::ONE; 1 << log_len];
        let mut equations = Equations::new();
        let vector = equations.vector(&given);
        let terms = vec![Term { start: 0, vector, coefficient: E::ONE }];
        equations.push(Equation { terms, value: E::ZERO });
        let levels = table.levels();
        let (layout, claims) = (Layout::whole(&table), [claim.clone().into()]);
        let mut nothing = VerifierChannel::new(b"form", &[]);
        verify(&Owed::of_levels(&levels, &claims), &layout, &equations, num_variables, &mut nothing)
    };
    assert_eq!(verified(num_variables), Err(Reject::Truncated));
    assert!(matches!(verified(num_variables + 1), Err(Reject::NumWords(_))));
}

/// Whatever makes another statement of the equations makes other challenges.
#[test]
fn equations_that_differ_draw_other_challenges() {
    let drawn = |vectors: &[&[E]], list: &[(&[Term], E)]| {
        let mut equations = Equations::new();
        for entries in vectors {
            equations.vector(entries);
        }
        for &(terms, value) in list {
            equations.push(Equation { terms: terms.to_vec(), value });
        }
        let mut channel = ProverChannel::new(b"form");
        equations.bind(&mut channel);
        channel.draw()
    };
    let term = |start, vector, coefficient| Term { start, vector, coefficient };
    let (a, b) = ([E::ONE, E::TWO], [E::TWO, E::TWO]);
    let vectors: [&[E]; 2] = [&a, &b];
    let terms = [term(4, 1, E::ONE), term(3, 0, E::TWO)];
    let with = |term, value| drawn(&vectors, &[(&[terms[0], term], value)]);
    let first = with(terms[1], E::ONE);
    assert_eq!(first, with(terms[1], E::ONE));
    let all = [
        first,
        with(terms[1], E::TWO),
        with(term(2, 0, E::TWO), E::ONE),
        with(term(3, 0, E::ONE), E::ONE),
        with(term(4, 2, E::TWO), E::ONE),
        with(term(4, 1, E::TWO), E::ONE),
        drawn(&[&a, &a], &[(&terms, E::ONE)]),
        drawn(&[&a], &[(&terms, E::ONE)]),
        drawn(&[&a, &b[..1]], &[(&terms, E::ONE)]),
        drawn(&vectors, &[(&terms[..1], E::ONE)]),
        drawn(&vectors, &[(&terms[..1], E::ONE), (&terms[1..], E::ONE)]),
        drawn(&vectors, &[(&terms[..], E::ONE), (&[], E::ZERO)]),
        drawn(&vectors, &[]),
        drawn(&[], &[]),
    ];
    for (i, challenge) in all.iter().enumerate() {
        assert!(!all[..i].contains(challenge), "equations {i}");
    }
}
