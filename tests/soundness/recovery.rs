//! Recovery, and what the recovered block says.

use airda::sampling::{Purpose, Seed, draw};
use airda::{Block, CheckedColumn, Error, F, code, recover};
use p3_field::PrimeCharacteristicRing;

use crate::common::{WIDTHS, instance, prove, verify};
use crate::support::honest;

fn checked(block: &Block, indices: &[usize]) -> Vec<CheckedColumn> {
    let columns = block.commitment().check_all(block.open(indices).unwrap());
    columns.into_iter().map(Result::unwrap).collect()
}

/// Columns twice, out of order, of another block, one too few, more than there are.
#[test]
fn item_19_only_enough_different_columns_of_one_block_recover_it() {
    for hash in WIDTHS {
        let block = honest(hash);
        let (params, commitment) = (block.params(), block.commitment());
        let half = params.half();
        let every_other: Vec<usize> = (0..half).map(|j| 2 * j + 1).collect();
        let columns = checked(&block, &every_other);
        let _ = recover(commitment, &columns).unwrap().payload().unwrap();
        let mut swapped = columns.clone();
        swapped.swap(4, 5);
        let refused = recover(commitment, &swapped);
        assert!(
            matches!(refused, Err(Error::UnsortedColumns { index: 9, before: 11 })),
            "{refused:?}"
        );

        let refused = recover(commitment, &columns[1..]);
        assert!(
            matches!(refused, Err(Error::TooFewColumns { needed, got }) if needed == half && got == half - 1),
            "{refused:?}"
        );
        // One short, made up for by another's double.
        let double = [&columns[1..], &columns[3..4]].concat();
        let refused = recover(commitment, &double);
        assert!(matches!(refused, Err(Error::DuplicateColumn { index: 7 })), "{refused:?}");
        let all: Vec<usize> = (0..params.columns()).collect();
        let more = [checked(&block, &all), checked(&block, &[9])].concat();
        let refused = recover(commitment, &more);
        assert!(matches!(refused, Err(Error::DuplicateColumn { index: 9 })), "{refused:?}");

        let (other_params, payload) = instance(hash, 5, 1, 3, 8);
        let other = Block::build(other_params, &payload).unwrap();
        let mixed = [&columns[1..], &checked(&other, &[0])].concat();
        let refused = recover(commitment, &mixed);
        assert!(matches!(refused, Err(Error::MixedRoots { index: 0 })), "{refused:?}");
    }
}

/// Columns that all check, of a block that is no codeword: never bytes, whichever half is at
/// hand, and the row by name where the columns or a row's digest tell it.
#[test]
fn item_20_columns_off_the_code_never_give_bytes() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        let half = params.half();
        let halves: [Vec<usize>; 3] =
            [(0..half).collect(), (half..2 * half).collect(), (0..half).map(|j| 2 * j).collect()];
        for (row, word, column, named) in
            [(0, 0, 0, [false, true, true]), (2, 3, half + 1, [false, true, false])]
        {
            let mut matrix = block.matrix().to_vec();
            matrix[params.word_offset(row, word) + column] += F::ONE;
            let forged = Block::commit(*params, &matrix).unwrap();
            for (indices, named) in halves.iter().zip(named) {
                match recover(forged.commitment(), &checked(&forged, indices)) {
                    Err(Error::NotACodeword { rows }) if named => assert_eq!(rows, [row]),
                    Err(Error::NotACodeword { rows }) => assert_eq!(rows, [0; 0]),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

/// A true codeword with a symbol that is no nineteen bytes: its proof holds, it is recovered,
/// and every reader gets the same error.
#[test]
fn item_21_a_symbol_out_of_range_is_the_same_error_for_every_reader() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        let (half, len) = (params.half(), params.cell_words() * params.rows());
        let mut given: Vec<Vec<F>> = checked(&block, &(0..half).collect::<Vec<_>>())
            .iter()
            .map(|column| column.words().to_vec())
            .collect();
        // Every limb of symbol 0 of cell 4 in row 1 at its largest.
        for limb in 0..5 {
            given[4][params.cell_words() + limb * params.c()] = F::NEG_ONE;
        }
        assert!(given.iter().all(|words| words.len() == len));
        let columns: Vec<(usize, &[F])> =
            given.iter().enumerate().map(|(index, words)| (index, &words[..])).collect();
        let matrix = code::recover(params, &columns).unwrap();
        let invalid = Block::commit(*params, &matrix).unwrap();
        verify(&invalid, &prove(&invalid)).unwrap();
        let position = 4 * params.c();
        for first in (0..=half).step_by(8) {
            let indices: Vec<usize> = (first..first + half).collect();
            let recovered = recover(invalid.commitment(), &checked(&invalid, &indices)).unwrap();
            match recovered.payload() {
                Err(Error::SymbolRange { row: 1, position: found }) => assert_eq!(found, position),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// As many columns as were asked for, none twice and none beyond the last; each turns up, and
/// as often as any other: χ² of seven degrees, 24.3 its 0.1 % point.
#[test]
fn item_22_samples_are_distinct_and_unbiased() {
    let mut seen = [0_u32; 8];
    for seed in 0..4000 {
        let drawn = draw(&Seed::from(seed), Purpose::Sample, 8, 3).unwrap();
        assert_eq!(drawn.len(), 3);
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]));
        drawn.into_iter().for_each(|index| seen[index] += 1);
    }
    let expected = 4000.0 * 3.0 / 8.0;
    let chi: f64 = seen.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    assert!(chi < 24.3, "{seen:?}");
}
