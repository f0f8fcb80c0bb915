//! Recovery from what strangers send: any half of the columns gives the builder's block, bytes
//! and openings alike; whatever is not that block is an error, the same for every reader.
//!
//! Blocks are put together without a builder, for this to be tested without one.

use airda::bytes::symbol_from_bytes;
use airda::opening::Mismatch;
use airda::params::{HashWidth, SYMBOL_BYTES};
use airda::{Block, CheckedColumn, Column, Commitment, Error, F, Params, Recovered, code, recover};
use p3_field::PrimeCharacteristicRing;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

const WIDTHS: [HashWidth; 2] = [HashWidth::W16, HashWidth::W24];

/// One row, two columns, odd rows, one symbol, cells of a whole half row; (log k, log c, rows).
const SHAPES: [(usize, usize, usize); 8] =
    [(0, 0, 1), (0, 0, 3), (3, 3, 1), (4, 4, 5), (3, 0, 1), (5, 1, 3), (6, 2, 7), (7, 0, 2)];

fn bytes(len: usize, seed: u64) -> Vec<u8> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..len).map(|_| rng.random()).collect()
}

/// The block of a payload, which need not be as long as the parameters say.
fn block_of(params: Params, payload: &[u8]) -> Block {
    let mut matrix = vec![F::ZERO; params.matrix_words()];
    for (symbol, bytes) in payload.chunks(SYMBOL_BYTES).enumerate() {
        let mut whole = [0; SYMBOL_BYTES];
        whole[..bytes.len()].copy_from_slice(bytes);
        let (row, position) = (symbol / params.k(), symbol % params.k());
        for (limb, value) in symbol_from_bytes(&whole).into_iter().enumerate() {
            matrix[params.word_index(row, position, limb)] = value;
        }
    }
    code::extend(&params, &mut matrix).unwrap();
    Block::commit(params, &matrix).unwrap()
}

/// A block whose payload leaves some of the last row empty.
fn build(hash: HashWidth, log_k: usize, log_c: usize, rows: usize, seed: u64) -> Block {
    let row = SYMBOL_BYTES << log_k;
    let payload = bytes(row * rows - row / 3, seed);
    let params = Params::new(hash, log_k, log_c, rows, payload.len() as u64).unwrap();
    block_of(params, &payload)
}

#[cfg(feature = "prover")]
#[test]
fn the_blocks_put_together_here_are_the_builders() {
    for hash in WIDTHS {
        for (log_k, log_c, rows) in SHAPES {
            let block = build(hash, log_k, log_c, rows, 2);
            let payload = code::payload(block.params(), block.matrix()).unwrap();
            let built = Block::build(*block.params(), &payload).unwrap();
            assert_eq!(built.words(), block.words());
            assert_eq!(built.commitment(), block.commitment());
        }
    }
}

fn check(block: &Block, indices: &[usize]) -> Vec<CheckedColumn> {
    let columns = block.commitment().check_all(block.open(indices).unwrap());
    columns.into_iter().map(Result::unwrap).collect()
}

fn recover_from(block: &Block, indices: &[usize]) -> Result<Recovered, Error> {
    recover(block.commitment(), &check(block, indices))
}

/// `count` of the columns at random, in ascending order.
fn choose(params: &Params, count: usize, rng: &mut StdRng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..params.columns()).collect();
    order.shuffle(rng);
    order.truncate(count);
    order.sort_unstable();
    order
}

/// The payload half, the parity half, every other column, halves at random, more than half, all.
fn enough(params: &Params) -> Vec<Vec<usize>> {
    let (columns, half) = (params.columns(), params.half());
    let mut rng = StdRng::seed_from_u64(columns as u64);
    let mut choices: Vec<Vec<usize>> = vec![
        (0..half).collect(),
        (half..columns).collect(),
        (0..columns).step_by(2).collect(),
        (1..columns).step_by(2).collect(),
        (0..columns).collect(),
    ];
    choices.extend((0..4).map(|_| choose(params, half, &mut rng)));
    choices.push(choose(params, (half + 1).min(columns), &mut rng));
    choices.push(choose(params, columns - 1, &mut rng));
    choices
}

/// The block with `by` added to single words of its matrix, (row, word of the cell, column).
fn altered(block: &Block, words: &[(usize, usize, usize)], by: F) -> Block {
    let params = *block.params();
    let mut matrix = block.matrix().to_vec();
    for &(row, word, column) in words {
        matrix[params.word_offset(row, word) + column] += by;
    }
    Block::commit(params, &matrix).unwrap()
}

/// The rows that recovery from these columns names.
#[track_caller]
fn rows_named(block: &Block, indices: &[usize]) -> Vec<usize> {
    match recover_from(block, indices) {
        Err(Error::NotACodeword { rows }) => rows,
        other => panic!("{other:?}"),
    }
}

#[test]
fn whatever_half_it_is_made_of_everything_is_as_the_builder_made_it() {
    for hash in WIDTHS {
        for (log_k, log_c, rows) in SHAPES {
            let block = build(hash, log_k, log_c, rows, 3);
            let params = block.params();
            let all: Vec<usize> = (0..params.columns()).collect();
            let opened: Vec<Vec<u8>> =
                block.open(&all).unwrap().iter().map(Column::encode).collect();
            let payload = code::payload(params, block.matrix()).unwrap();
            for indices in enough(params) {
                let recovered = recover_from(&block, &indices).unwrap();
                assert_eq!(recovered.payload().unwrap(), payload);
                assert_eq!(recovered.block().commitment(), block.commitment());
                assert_eq!(recovered.block().words(), block.words());
                // Missing columns and those given, each alone and all together.
                let again = recovered.open(&all).unwrap();
                assert!(again.iter().map(Column::encode).eq(opened.iter().cloned()));
                for &index in &all {
                    let [alone] = recovered.open(&[index]).unwrap().try_into().unwrap();
                    assert_eq!(alone.encode(), opened[index]);
                    block.commitment().check(alone).unwrap();
                }
            }
        }
    }
}

#[test]
fn too_few_columns_are_refused_and_exactly_half_suffices() {
    for hash in WIDTHS {
        for (log_k, log_c, rows) in SHAPES {
            let block = build(hash, log_k, log_c, rows, 4);
            let half = block.params().half();
            for count in [0, half / 2, half - 1] {
                let columns: Vec<usize> = (0..count).collect();
                match recover_from(&block, &columns) {
                    Err(Error::TooFewColumns { needed, got }) => {
                        assert_eq!((needed, got), (half, count));
                    }
                    other => panic!("{other:?}"),
                }
            }
            recover_from(&block, &(0..half).collect::<Vec<_>>()).unwrap();
        }
    }
}

#[test]
fn a_column_given_twice_is_refused_in_any_number_and_order() {
    let block = build(HashWidth::W16, 5, 1, 2, 5);
    let half: Vec<usize> = (0..16).collect();
    let all: Vec<usize> = (0..32).collect();
    let refused = |indices: &[usize], twice| match recover_from(&block, indices) {
        Err(Error::DuplicateColumn { index }) => assert_eq!(index, twice),
        other => panic!("{other:?}"),
    };
    // Next to each other, far apart, in place of one that is missing, beyond all there are.
    refused(&[&half[..], &[15]].concat(), 15);
    refused(&[&half[..], &[0]].concat(), 0);
    refused(&[&[0], &half[..15]].concat(), 0);
    refused(&[&half[..15], &[7]].concat(), 7);
    refused(&[&all[..], &[31]].concat(), 31);
    refused(&[7; 16], 7);
    refused(&[&all[..], &all[..]].concat(), 0);
}

#[test]
fn unsorted_columns_are_refused_wherever_they_stand() {
    let block = build(HashWidth::W24, 5, 1, 2, 6);
    for indices in enough(block.params()) {
        for at in 1..indices.len() {
            let mut unsorted = indices.clone();
            unsorted.swap(at - 1, at);
            match recover_from(&block, &unsorted) {
                Err(Error::UnsortedColumns { index, before }) => {
                    assert_eq!((index, before), (indices[at - 1], indices[at]));
                }
                other => panic!("{other:?}"),
            }
        }
        let reversed: Vec<usize> = indices.iter().rev().copied().collect();
        let refused = recover_from(&block, &reversed);
        assert!(matches!(refused, Err(Error::UnsortedColumns { .. })), "{refused:?}");
    }
}

/// The same parameters, so that nothing but the root tells whose column it is; and others.
#[test]
fn columns_of_other_commitments_are_refused_in_any_place() {
    let block = build(HashWidth::W16, 4, 1, 2, 7);
    for other in [build(HashWidth::W16, 4, 1, 2, 8), build(HashWidth::W24, 6, 1, 3, 7)] {
        for at in 0..8 {
            let mut columns = check(&block, &[0, 1, 2, 3, 4, 5, 6, 7]);
            columns[at] = check(&other, &[at]).remove(0);
            let refused = recover(block.commitment(), &columns);
            assert!(matches!(refused, Err(Error::MixedRoots { index }) if index == at));
        }
        // All of one, and one of this beside the half that would do.
        let foreign = check(&other, &(0..other.params().half()).collect::<Vec<_>>());
        let refused = recover(block.commitment(), &foreign);
        assert!(matches!(refused, Err(Error::MixedRoots { index: 0 })));
        let mut more = check(&block, &[0, 1, 2, 3, 4, 5, 6, 7]);
        more.extend(check(&other, &[9]));
        let refused = recover(block.commitment(), &more);
        assert!(matches!(refused, Err(Error::MixedRoots { index: 9 })));
    }
}

#[test]
fn there_is_no_way_to_a_column_out_of_range() {
    let block = build(HashWidth::W16, 4, 1, 2, 9);
    let commitment = block.commitment();
    let honest = block.open(&[0]).unwrap().remove(0);
    let recovered = recover_from(&block, &(0..8).collect::<Vec<_>>()).unwrap();
    for index in [16, 17, 32, 1 << 31, usize::MAX] {
        let out_of_range = |error: Error| match error {
            Error::Column { index: found, why: Mismatch::Index { columns: 16 } } => {
                assert_eq!(found, index);
            }
            other => panic!("{other:?}"),
        };
        let path = honest.path().to_vec();
        let column = Column::new(*commitment.root(), index, honest.words().to_vec(), path);
        out_of_range(commitment.check(column.clone()).unwrap_err());
        out_of_range(commitment.check_all(vec![column.clone()]).remove(0).unwrap_err());
        out_of_range(block.open(&[3, index]).unwrap_err());
        out_of_range(recovered.open(&[3, index]).unwrap_err());
        if u32::try_from(index).is_ok() {
            out_of_range(Column::decode(&column.encode(), commitment).unwrap_err());
        }
        let words = honest.words();
        match code::recover(block.params(), &[(index, words)]) {
            Err(Error::NoSuchColumn { index: found, columns: 16 }) => assert_eq!(found, index),
            other => panic!("{other:?}"),
        }
    }
}

/// One word off the code, in the payload half or the parity half, in a column that is given or
/// in one that is not: the row is named whenever its digest and the given cells disagree.
#[test]
fn the_row_off_the_code_is_named() {
    for hash in WIDTHS {
        for (log_k, log_c, rows) in [(4, 1, 2), (3, 3, 3), (5, 2, 1), (4, 0, 5)] {
            let honest = build(hash, log_k, log_c, rows, 10);
            let params = honest.params();
            let half = params.half();
            for column in 0..params.columns() {
                let row = column % rows;
                let block = altered(&honest, &[(row, column % 5, column)], F::ONE);
                for indices in enough(params) {
                    // The payload half by itself is of some codeword; a cell more tells.
                    let beyond = indices.iter().any(|&index| index >= half);
                    let told = beyond && (column < half || indices.contains(&column));
                    let expected = if told { vec![row] } else { vec![] };
                    assert_eq!(rows_named(&block, &indices), expected, "{column} of {indices:?}");
                }
            }
        }
    }
}

#[test]
fn exactly_the_rows_off_the_code_are_named() {
    for hash in WIDTHS {
        let honest = build(hash, 4, 1, 6, 11);
        let params = honest.params();
        let (columns, half) = (params.columns(), params.half());
        // Rows 1 and 4 in the payload half, 0 in a parity column, 5 in both; 2 and 3 are right.
        let words = [(1, 0, 0), (4, 9, 7), (0, 3, 8), (5, 2, 5), (5, 2, 15)];
        let block = altered(&honest, &words, F::TWO);
        assert_eq!(rows_named(&block, &(0..columns).collect::<Vec<_>>()), [0, 1, 4, 5]);
        assert_eq!(rows_named(&block, &(half..columns).collect::<Vec<_>>()), [0, 1, 4, 5]);
        // Column 8 is not given: of row 0 nothing is known that differs.
        assert_eq!(rows_named(&block, &(0..half).collect::<Vec<_>>()), [0; 0]);
        assert_eq!(rows_named(&block, &[0, 1, 2, 3, 4, 5, 6, 7, 9]), [1, 4, 5]);
    }
}

/// A row that is another codeword, or zero throughout, is on the code.
#[test]
fn rows_on_the_code_are_not_named() {
    let honest = build(HashWidth::W16, 4, 1, 3, 12);
    let params = *honest.params();
    let row = params.word_offset(1, 0)..params.word_offset(2, 0);
    let mut matrix = honest.matrix().to_vec();
    matrix[row].iter_mut().for_each(|word| *word = word.double());
    let other = Block::commit(params, &matrix).unwrap();
    for indices in enough(&params) {
        recover_from(&other, &indices).unwrap();
        let column = *indices.last().unwrap();
        let block = altered(&other, &[(2, 0, column)], F::ONE);
        let beyond = column >= params.half();
        assert_eq!(rows_named(&block, &indices), if beyond { vec![2] } else { vec![] });
    }
}

/// All that is committed of a parity cell that nobody gives is its column's root, which holds
/// every row: no row can be named, and the error says where the fault lies.
#[test]
fn a_fault_that_no_given_column_shows_is_told_as_such() {
    for hash in WIDTHS {
        let block = altered(&build(hash, 4, 1, 3, 13), &[(2, 4, 12)], F::ONE);
        let error = recover_from(&block, &(0..8).collect::<Vec<_>>()).unwrap_err();
        let told = "the committed block is not a codeword, in columns that are not among those";
        assert!(error.to_string().starts_with(told), "{error}");
        // One column more, and its row has a name.
        let more: Vec<usize> = (0..8).chain([12]).collect();
        assert_eq!(rows_named(&block, &more), [2]);
        let error = recover_from(&block, &more).unwrap_err();
        assert_eq!(error.to_string(), "the committed block is not a codeword, in row 2");
    }
}

/// A commitment whose digests are those of the block, and others: a row digest of nothing.
#[test]
fn a_row_digest_that_is_not_its_rows_is_named() {
    let block = build(HashWidth::W16, 4, 1, 3, 14);
    let mut digests = block.commitment().row_digests().to_vec();
    digests[1][0] += F::ONE;
    let root_col = *block.commitment().root_col();
    let forged = Commitment::new(*block.params(), digests, root_col).unwrap();
    for indices in enough(block.params()) {
        let columns = block.open(&indices).unwrap().into_iter().map(|column| {
            let (words, path) = (column.words().to_vec(), column.path().to_vec());
            forged.check(Column::new(*forged.root(), column.index(), words, path)).unwrap()
        });
        match recover(&forged, &columns.collect::<Vec<_>>()) {
            Err(Error::NotACodeword { rows }) => assert_eq!(rows, [1]),
            other => panic!("{other:?}"),
        }
    }
}

/// Readers of a block with a symbol that is no 19 bytes, or with something behind the payload's
/// end: they recover the block, whatever half they have, and all get the same error.
#[test]
fn a_block_that_is_available_but_invalid_is_so_for_every_reader() {
    for hash in WIDTHS {
        for (log_k, log_c, rows) in [(4, 1, 3), (3, 3, 2), (6, 0, 1)] {
            let honest = build(hash, log_k, log_c, rows, 15);
            let params = *honest.params();
            let invalid = |matrix: &[F], params: Params, wanted: fn(&Error) -> bool| {
                let block = Block::commit(params, matrix).unwrap();
                let direct = code::payload(&params, matrix).unwrap_err();
                assert!(wanted(&direct), "{direct}");
                for indices in enough(&params) {
                    let recovered = recover_from(&block, &indices).unwrap();
                    let error = recovered.payload().unwrap_err();
                    assert_eq!(error.to_string(), direct.to_string());
                    // Invalid or not, it is repaired as it was committed to.
                    let all: Vec<usize> = (0..params.columns()).collect();
                    assert_eq!(recovered.open(&all).unwrap(), block.open(&all).unwrap());
                }
            };
            // Multiples of codewords are codewords; most of their symbols are no bytes.
            let matrix: Vec<F> = honest.matrix().iter().map(|&word| -word).collect();
            invalid(&matrix, params, |error| matches!(error, Error::SymbolRange { .. }));
            // One symbol alone, the last: its top limb cannot be so large.
            let mut matrix = honest.matrix().to_vec();
            matrix[params.word_index(rows - 1, 0, 4)] = F::NEG_ONE;
            code::extend(&params, &mut matrix).unwrap();
            invalid(&matrix, params, |error| {
                matches!(error, Error::SymbolRange { position: 0, .. })
            });
            // The same payload, said to be a byte shorter than what stands there.
            let mut full = code::payload(&params, honest.matrix()).unwrap();
            *full.last_mut().unwrap() = 1;
            let (log_k, log_c) = (params.log_k(), params.log_c());
            let with = |len| Params::new(hash, log_k, log_c, rows, len).unwrap();
            let block = block_of(with(full.len() as u64), &full);
            invalid(block.matrix(), with(full.len() as u64 - 1), |error| {
                matches!(error, Error::Padding { .. })
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_columns_give_the_block_or_an_error(
        wide: bool, log_k in 0usize..7, cut in 0usize..7, rows in 1usize..=5, seed: u64,
        faults in 0usize..4,
    ) {
        let hash = if wide { HashWidth::W24 } else { HashWidth::W16 };
        let mut rng = StdRng::seed_from_u64(seed);
        let log_c = cut.min(log_k);
        let payload = bytes(rng.random_range(1..=(SYMBOL_BYTES << log_k) * rows), seed);
        let params = Params::new(hash, log_k, log_c, rows, payload.len() as u64).unwrap();
        let honest = block_of(params, &payload);
        let words: Vec<(usize, usize, usize)> = (0..faults)
            .map(|_| {
                let word = rng.random_range(0..params.cell_words());
                (rng.random_range(0..rows), word, rng.random_range(0..params.columns()))
            })
            .collect();
        let by = F::from_u32(rng.random_range(1..1000));
        let block = altered(&honest, &words, by);
        let count = rng.random_range(params.half()..=params.columns());
        let indices = choose(&params, count, &mut rng);
        match recover_from(&block, &indices) {
            Ok(recovered) => {
                // Even with faults it may be a codeword: of two symbols a row, say.
                prop_assert_eq!(recovered.block().matrix(), block.matrix());
                prop_assert_eq!(recovered.block().commitment(), block.commitment());
                let mut matrix = block.matrix().to_vec();
                code::extend(&params, &mut matrix).unwrap();
                prop_assert_eq!(&matrix[..], block.matrix());
                if faults == 0 {
                    prop_assert_eq!(recovered.payload().unwrap(), payload);
                }
            }
            Err(Error::NotACodeword { rows }) => {
                prop_assert!(faults > 0);
                prop_assert!(rows.is_sorted_by(|a, b| a < b));
                let altered = |row: &usize| words.iter().any(|&(at, ..)| at == *row);
                prop_assert!(rows.iter().all(altered), "{:?} of {:?}", rows, words);
                if count == params.columns() {
                    // Nothing is hidden from whoever has all columns.
                    let mut matrix = block.matrix().to_vec();
                    code::extend(&params, &mut matrix).unwrap();
                    let row_words = params.word_offset(1, 0);
                    let off: Vec<usize> = (0..params.rows())
                        .filter(|row| {
                            let words = row * row_words..(row + 1) * row_words;
                            matrix[words.clone()] != block.matrix()[words]
                        })
                        .collect();
                    prop_assert_eq!(rows, off);
                }
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
