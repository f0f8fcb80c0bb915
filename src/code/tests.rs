use airda_gkr::F;
use airda_gkr::calls::SystematicCode;
use p3_field::{PrimeCharacteristicRing, PrimeField32, TwoAdicField};
use p3_util::reverse_bits_len;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::membership::{Barycentric, Membership, MembershipVector, ParityCheck};
use super::systematic::LimbCode;
use super::*;
use crate::params::{HashWidth, SYMBOL_BYTES};

fn params(log_k: usize, log_c: usize, rows: usize, len: u64) -> Params {
    Params::new(HashWidth::W16, log_k, log_c, rows, len).unwrap()
}

fn full(log_k: usize, log_c: usize, rows: usize) -> Params {
    params(log_k, log_c, rows, ((SYMBOL_BYTES * rows) << log_k) as u64)
}

fn random_bytes(len: u64, seed: u64) -> Vec<u8> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..len).map(|_| rng.random()).collect()
}

fn encoded(params: &Params, seed: u64) -> (Vec<u8>, Vec<F>) {
    let payload = random_bytes(params.payload_len(), seed);
    // Whatever was there before has no influence.
    let mut matrix = vec![F::NEG_ONE; params.matrix_words()];
    encode(params, &payload, &mut matrix).unwrap();
    (payload, matrix)
}

/// The point at a position.
fn point(log_m: usize, position: usize) -> F {
    F::two_adic_generator(log_m).exp_u64(reverse_bits_len(position, log_m) as u64)
}

/// One limb of a row by its positions.
fn limb_of(params: &Params, matrix: &[F], row: usize, limb: usize) -> Vec<F> {
    (0..params.m()).map(|position| matrix[params.word_index(row, position, limb)]).collect()
}

/// Lagrange interpolation through the payload half, evaluated at every parity point.
fn parity_slowly(log_k: usize, payload: &[F]) -> Vec<F> {
    let points: Vec<F> = (0..2 << log_k).map(|position| point(log_k + 1, position)).collect();
    let (known, wanted) = points.split_at(1 << log_k);
    let at = |x: F| {
        let term = |i: usize| {
            let others = || (0..known.len()).filter(move |&j| j != i);
            let above: F = others().map(|j| x - known[j]).product();
            let below: F = others().map(|j| known[i] - known[j]).product();
            payload[i] * above / below
        };
        (0..known.len()).map(term).sum()
    };
    wanted.iter().map(|&x| at(x)).collect()
}

#[test]
fn encoding_equals_polynomial_evaluation() {
    for log_k in 0..=6 {
        for log_c in 0..=log_k {
            let params = full(log_k, log_c, 2);
            let (bytes, matrix) = encoded(&params, (log_k * 100 + log_c) as u64);
            for row in 0..2 {
                for limb in 0..LIMBS {
                    let word = limb_of(&params, &matrix, row, limb);
                    let (half, parity) = word.split_at(params.k());
                    assert_eq!(parity, parity_slowly(log_k, half), "k=2^{log_k} c=2^{log_c}");
                    let start = row * params.row_bytes();
                    let symbols = bytes[start..].as_chunks().0.iter().take(params.k());
                    let limbs = symbols.map(|bytes| crate::bytes::symbol_from_bytes(bytes)[limb]);
                    assert!(half.iter().copied().eq(limbs));
                }
            }
        }
    }
}

#[test]
fn all_cell_sizes_encode_to_the_same_codeword() {
    // Too large for the naive evaluation; c from one symbol to the whole payload half.
    for log_k in [7, 9, 11] {
        let words = |log_c| {
            let params = full(log_k, log_c, 1);
            let (_, matrix) = encoded(&params, 5);
            row_symbols(&params, &matrix, 0).unwrap()
        };
        let expected = words(0);
        let check = ParityCheck::new(&full(log_k, 0, 1));
        assert!(check.accepts(&expected));
        for log_c in 1..=log_k {
            assert_eq!(words(log_c), expected, "k=2^{log_k} c=2^{log_c}");
        }
    }
}

/// Which columns are kept.
fn patterns(columns: usize, seed: u64) -> Vec<Vec<usize>> {
    let half = columns / 2;
    let mut rng = StdRng::seed_from_u64(seed);
    let mut random: Vec<usize> = (0..columns).collect();
    random.shuffle(&mut rng);
    let more = random[..(half + columns).div_ceil(2)].to_vec();
    random.truncate(half);
    let mut patterns = vec![
        (0..half).collect(),
        (half..columns).collect(),
        (0..columns).step_by(2).collect(),
        // A cluster missing from the middle, and one going round the end.
        (0..half / 2).chain(half / 2 + half..columns).collect(),
        (half / 2..half / 2 + half).collect(),
        random,
        more,
        (0..columns).collect(),
    ];
    patterns.iter_mut().for_each(|pattern| pattern.sort_unstable());
    patterns
}

/// The columns of a matrix.
fn columns_of(params: &Params, matrix: &[F]) -> Vec<Vec<F>> {
    let words = params.cell_words() * params.rows();
    (0..params.columns())
        .map(|column| (0..words).map(|word| matrix[word * params.columns() + column]).collect())
        .collect()
}

fn kept<'a>(columns: &'a [Vec<F>], kept: &[usize]) -> Vec<(usize, &'a [F])> {
    kept.iter().map(|&index| (index, &columns[index][..])).collect()
}

#[test]
fn any_half_of_the_columns_recovers_the_matrix() {
    for log_k in 0..=8 {
        for log_c in 0..=log_k {
            let rows = 1 + (log_k + log_c) % 5;
            let params = full(log_k, log_c, rows);
            let (bytes, matrix) = encoded(&params, 7);
            let columns = columns_of(&params, &matrix);
            for pattern in patterns(params.columns(), log_k as u64) {
                let recovered = recover(&params, &kept(&columns, &pattern)).unwrap();
                assert!(recovered == matrix, "k=2^{log_k} c=2^{log_c} from {pattern:?}");
            }
            assert_eq!(payload(&params, &matrix).unwrap(), bytes);
        }
    }
}

#[test]
fn what_is_extended_is_what_is_encoded() {
    for log_k in 0..=9 {
        for log_c in 0..=log_k {
            let params = full(log_k, log_c, 1 + (log_k + log_c) % 3);
            let (_, matrix) = encoded(&params, 8);
            let mut extended = matrix.clone();
            for (at, word) in extended.iter_mut().enumerate() {
                if at % params.columns() >= params.half() {
                    *word = F::NEG_ONE;
                }
            }
            extend(&params, &mut extended).unwrap();
            assert!(extended == matrix, "k=2^{log_k} c=2^{log_c}");
        }
    }
}

#[test]
fn one_column_fewer_than_half_is_an_error() {
    for (log_k, log_c) in [(0, 0), (4, 1), (6, 6)] {
        let params = full(log_k, log_c, 2);
        let columns = columns_of(&params, &encoded(&params, 1).1);
        let half = params.half();
        let few = kept(&columns, &(1..half).collect::<Vec<_>>());
        match recover(&params, &few) {
            Err(Error::TooFewColumns { needed, got }) => {
                assert_eq!((needed, got), (half, half - 1));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn refuses_columns_that_are_double_unsorted_no_columns_or_of_another_length() {
    let params = full(4, 1, 2);
    let columns = columns_of(&params, &encoded(&params, 1).1);
    let all = kept(&columns, &(0..16).collect::<Vec<_>>());

    let mut twice = all.clone();
    twice[3].0 = 7;
    assert!(matches!(recover(&params, &twice), Err(Error::DuplicateColumn { index: 7 })));
    for index in [16, usize::MAX] {
        let mut beyond = all.clone();
        beyond[3].0 = index;
        match recover(&params, &beyond) {
            Err(Error::NoSuchColumn { index: found, columns: 16 }) => assert_eq!(found, index),
            other => panic!("{other:?}"),
        }
    }
    for len in [0, 19, 21] {
        let words = vec![F::ZERO; len];
        let mut other = all.clone();
        other[15].1 = &words;
        match recover(&params, &other) {
            Err(Error::ColumnLength { index: 15, expected: 20, got }) => assert_eq!(got, len),
            other => panic!("{other:?}"),
        }
    }
    for (at, index) in [(0, 0), (3, 3), (14, 14)] {
        let mut unsorted = all.clone();
        unsorted.swap(at, at + 1);
        match recover(&params, &unsorted) {
            Err(Error::UnsortedColumns { index: found, before }) => {
                assert_eq!((found, before), (index, index + 1));
            }
            other => panic!("{other:?}"),
        }
        // Twice is twice, in any order.
        unsorted[at + 1] = unsorted[at];
        match recover(&params, &unsorted) {
            Err(Error::DuplicateColumn { index: found }) => assert_eq!(found, index + 1),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(recover(&params, &[]), Err(Error::TooFewColumns { needed: 8, got: 0 })));
}

#[test]
fn surplus_columns_are_not_used() {
    let params = full(6, 2, 3);
    let (_, matrix) = encoded(&params, 3);
    let mut columns = columns_of(&params, &matrix);
    // The last column is wrong, but sixteen others come first.
    columns[31][0] += F::ONE;
    let order: Vec<usize> = [5].into_iter().chain(10..25).chain([31]).collect();
    assert_eq!(recover(&params, &kept(&columns, &order)).unwrap(), matrix);
    // When it is used, the result is another codeword that agrees with it.
    let order: Vec<usize> = (16..32).collect();
    let recovered = recover(&params, &kept(&columns, &order)).unwrap();
    assert_ne!(recovered, matrix);
    assert_eq!(columns_of(&params, &recovered)[16..], columns[16..]);
    let check = ParityCheck::new(&params);
    for row in 0..3 {
        assert!(check.accepts(&row_symbols(&params, &recovered, row).unwrap()));
    }
}

#[test]
fn payloads_of_every_edge_length_come_back() {
    for (log_k, log_c, rows) in [(0, 0, 1), (0, 0, 3), (2, 1, 3), (5, 3, 2), (6, 0, 2)] {
        let row = (SYMBOL_BYTES << log_k) as u64;
        let capacity = row * rows as u64;
        let edges = [1, 18, 19, 20, row - 1, row, row + 1, capacity - 1, capacity];
        for len in edges.into_iter().filter(|&len| len <= capacity) {
            let params = params(log_k, log_c, rows, len);
            let (bytes, matrix) = encoded(&params, len);
            assert_eq!(payload(&params, &matrix).unwrap(), bytes, "{len} bytes");
        }
    }
}

#[test]
fn names_the_first_symbol_that_is_no_payload() {
    let params = params(4, 1, 3, 19 * 40 + 3);
    let (_, matrix) = encoded(&params, 9);
    let error = |symbols: &[(usize, usize, usize, u32)]| {
        let mut matrix = matrix.clone();
        for &(row, position, limb, value) in symbols {
            matrix[params.word_index(row, position, limb)] = F::new(value);
        }
        payload(&params, &matrix).unwrap_err().to_string()
    };
    let too_large = F::NEG_ONE.as_canonical_u32();
    let range = |row, position| Error::SymbolRange { row, position }.to_string();
    let padding = |row, position| Error::Padding { row, position }.to_string();
    assert_eq!(error(&[(1, 7, 4, too_large)]), range(1, 7));
    assert_eq!(error(&[(2, 1, 4, too_large), (1, 15, 4, too_large)]), range(1, 15));
    assert_eq!(error(&[(1, 4, 4, too_large), (1, 3, 4, too_large)]), range(1, 3));
    // The padding starts within symbol 40, which is position 8 of row 2.
    assert_eq!(error(&[(2, 9, 0, 1)]), padding(2, 9));
    assert_eq!(error(&[(2, 8, 3, 1 << 20)]), padding(2, 8));
    assert_eq!(error(&[(2, 9, 0, 1), (2, 10, 4, too_large)]), padding(2, 9));
    assert_eq!(error(&[(2, 11, 0, 1), (2, 10, 4, too_large)]), range(2, 10));
    assert_eq!(error(&[(2, 10, 4, too_large), (2, 10, 0, 1)]), range(2, 10));
    // The parity half is not looked at.
    let mut matrix = matrix;
    matrix[params.word_index(0, 16, 4)] = F::NEG_ONE;
    payload(&params, &matrix).unwrap();
}

#[test]
fn refuses_payloads_and_matrices_of_another_length() {
    let params = params(3, 1, 2, 100);
    let mut matrix = vec![F::ZERO; params.matrix_words()];
    for len in [0, 99, 101] {
        let error = encode(&params, &vec![1; len], &mut matrix).unwrap_err();
        assert!(matches!(error, Error::PayloadLength { expected: 100, got } if got == len as u64));
    }
    matrix.push(F::ZERO);
    let refused = |result: Result<(), Error>| {
        assert!(matches!(result, Err(Error::MatrixLength { expected: 160, got: 161 })));
    };
    refused(encode(&params, &[0; 100], &mut matrix));
    refused(payload(&params, &matrix).map(drop));
    refused(extend(&params, &mut matrix));
    refused(row_symbols(&params, &matrix, 0).map(drop));
}

#[test]
fn all_membership_tests_agree_on_codewords_and_on_corrupted_words() {
    let p = E::from_basis_coefficients_fn(|i| F::from_usize(77 + i));
    let mut rng = StdRng::seed_from_u64(11);
    for (log_k, log_c) in [(0, 0), (1, 1), (3, 1), (5, 5), (6, 2), (7, 3)] {
        let params = full(log_k, log_c, 1);
        let mut positions: Vec<usize> = (0..params.m()).collect();
        let halves = Barycentric::new(&params, p, &positions[..params.k()]);
        positions.shuffle(&mut rng);
        let tests: [Box<dyn Membership>; 4] = [
            Box::new(MembershipVector::new(&params, p)),
            Box::new(ParityCheck::new(&params)),
            Box::new(Barycentric::new(&params, p, &positions[..params.k()])),
            Box::new(halves),
        ];
        let (_, matrix) = encoded(&params, 13);
        let word = row_symbols(&params, &matrix, 0).unwrap();
        assert!(tests.iter().all(|test| test.accepts(&word)), "k=2^{log_k} c=2^{log_c}");
        for position in 0..params.m() {
            let limb = rng.random_range(0..LIMBS);
            let error = E::from_basis_coefficients_fn(|i| F::from_bool(i == limb));
            let mut corrupted = word.clone();
            corrupted[position] += error;
            assert!(!tests.iter().any(|test| test.accepts(&corrupted)), "position {position}");
            // Whatever is added, all say the same; a multiple of a codeword is one.
            corrupted[position] = word[position];
            corrupted.iter_mut().for_each(|symbol| *symbol *= error);
            assert!(tests.iter().all(|test| test.accepts(&corrupted)));
        }
        // Two rows' cells swapped within one row.
        let mut swapped = word.clone();
        swapped.swap(0, params.m() - 1);
        let same = swapped == word;
        assert!(tests.iter().all(|test| test.accepts(&swapped) == same));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_encoded_is_recovered(
        log_k in 0usize..10, cut in 0usize..10, rows in 1usize..=5, part in 1u64..=1000, seed: u64,
    ) {
        let log_c = cut.min(log_k);
        let capacity = ((SYMBOL_BYTES * rows) << log_k) as u64;
        let params = params(log_k, log_c, rows, (capacity * part).div_ceil(1000));
        let (bytes, matrix) = encoded(&params, seed);
        let columns = columns_of(&params, &matrix);
        let mut order: Vec<usize> = (0..params.columns()).collect();
        order.shuffle(&mut StdRng::seed_from_u64(seed));
        order.truncate(params.half());
        order.sort_unstable();
        let recovered = recover(&params, &kept(&columns, &order)).unwrap();
        prop_assert!(recovered == matrix);
        prop_assert_eq!(payload(&params, &recovered).unwrap(), bytes);
    }
}

#[test]
fn rows_of_real_sizes_are_codewords_and_are_recovered() {
    let p = E::from_basis_coefficients_fn(|i| F::from_usize(77 + i));
    for (log_k, log_c) in [(13, 0), (14, 5), (15, 12)] {
        let params = full(log_k, log_c, 1);
        let (_, matrix) = encoded(&params, 17);
        let word = row_symbols(&params, &matrix, 0).unwrap();
        assert!(MembershipVector::new(&params, p).accepts(&word));
        assert!(ParityCheck::new(&params).accepts(&word));
        let columns = columns_of(&params, &matrix);
        for pattern in patterns(params.columns(), 19) {
            assert!(recover(&params, &kept(&columns, &pattern)).unwrap() == matrix);
        }
    }
}

/// Over E, limb by limb, the code is the one that rows are encoded with, and the transpose is one.
#[test]
fn the_code_over_the_extension_is_the_rows_code_and_has_its_transpose() {
    let mut rng = StdRng::seed_from_u64(23);
    let random = |rng: &mut StdRng| E::from_basis_coefficients_fn(|_| rng.random::<F>());
    for (log_k, log_c) in [(0, 0), (1, 0), (1, 1), (3, 1), (5, 5), (6, 2), (7, 3), (10, 4)] {
        let params = full(log_k, log_c, 1);
        let code = LimbCode::new(&params);
        let (_, matrix) = encoded(&params, 29);
        let half = params.half();
        // The five limbs of the row, side by side in E.
        let codeword: Vec<E> = (0..params.m())
            .map(|at| E::from_basis_coefficients_fn(|limb| matrix[limb * params.m() + at]))
            .collect();
        let message: Vec<E> =
            codeword.chunks(2 * half).flat_map(|column| &column[..half]).copied().collect();
        assert_eq!(code.encode(&message), codeword, "k=2^{log_k} c=2^{log_c}");

        let message: Vec<E> = message.iter().map(|_| random(&mut rng)).collect();
        let weights: Vec<E> = codeword.iter().map(|_| random(&mut rng)).collect();
        let dot = |a: &[E], b: &[E]| a.iter().zip(b).map(|(&a, &b)| a * b).sum::<E>();
        let transposed = code.transpose(&weights);
        assert_eq!(transposed.len(), params.k());
        assert_eq!(dot(&code.encode(&message), &weights), dot(&message, &transposed));
    }
}
