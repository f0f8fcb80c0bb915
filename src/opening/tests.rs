use airda_gkr::F;
use airda_gkr::permutation::Digest;
use p3_field::PrimeCharacteristicRing;

use super::fixture::Fixture;
use super::*;
use crate::hash::Domain;
use crate::params::HashWidth;

/// One of everything, with all its columns.
fn opened() -> (Commitment, Vec<Column>) {
    let fixture = Fixture::new(HashWidth::W16, 4, 1, 3);
    let columns = all(&fixture);
    (fixture.commitment, columns)
}

fn all(fixture: &Fixture) -> Vec<Column> {
    let indices: Vec<usize> = (0..fixture.commitment.params().columns()).collect();
    open_many(&fixture.commitment, &fixture.tree, &fixture.matrix, &indices).unwrap()
}

/// The checks by the plain hash, one call at a time.
fn plain_top(params: &Params, column: &Column) -> Digest {
    let cells: Vec<Digest> = column
        .words
        .chunks(params.cell_words())
        .map(|cell| params.digest(Domain::Cell, cell))
        .collect();
    let leaf = params.merkle_root(&cells);
    column.path.iter().enumerate().fold(leaf, |node, (level, sibling)| {
        match column.index >> level & 1 {
            0 => params.node(&node, sibling),
            _ => params.node(sibling, &node),
        }
    })
}

fn why(result: Result<CheckedColumn, Error>) -> Mismatch {
    match result {
        Err(Error::Column { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn honest_columns_check_alone_and_together() {
    for fixture in Fixture::all() {
        let commitment = &fixture.commitment;
        let columns = all(&fixture);
        assert_eq!(fixture.tree.root(), *commitment.root_col());
        for (index, column) in columns.iter().enumerate() {
            assert_eq!(plain_top(commitment.params(), column), *commitment.root_col());
            let checked = commitment.check(column.clone()).unwrap();
            assert_eq!(checked.index(), index);
            assert_eq!(checked.root(), commitment.root());
            assert_eq!(checked.words(), column.words());
            assert_eq!(checked.column(), column);
        }
        let together: Vec<_> =
            commitment.check_all(columns.clone()).into_iter().map(Result::unwrap).collect();
        assert!(together.iter().map(CheckedColumn::column).eq(&columns));
    }
}

#[test]
fn packed_hashing_equals_the_plain_hash() {
    for fixture in Fixture::all() {
        let params = fixture.commitment.params();
        let size = params.cell_words();
        for count in [0, 1, hash::LANES - 1, hash::LANES, hash::LANES + 1] {
            let words: Vec<F> = (0..count * size).map(|i| F::from_usize(i * i + 1)).collect();
            let plain: Vec<Digest> =
                words.chunks(size).map(|cell| params.digest(Domain::Cell, cell)).collect();
            assert_eq!(hash::cells(params, words.chunks(size)), plain);
            let pairs: Vec<[Digest; 2]> =
                plain.iter().zip(plain.iter().rev()).map(|(&a, &b)| [a, b]).collect();
            let parents: Vec<Digest> = pairs.iter().map(|[a, b]| params.node(a, b)).collect();
            assert_eq!(hash::nodes(params, &pairs), parents);
            if count > 0 {
                let trees = [plain.clone(), plain.iter().rev().copied().collect()];
                let roots = trees.each_ref().map(|leaves| params.merkle_root(leaves));
                assert_eq!(merkle_roots(params, trees.concat(), count), roots);
            }
        }
    }
}

#[test]
fn columns_open_in_the_order_asked_for() {
    let fixture = Fixture::new(HashWidth::W24, 5, 0, 2);
    let indices = [5, 0, 63, 5, 17];
    let columns = open_many(&fixture.commitment, &fixture.tree, &fixture.matrix, &indices).unwrap();
    assert!(columns.iter().map(Column::index).eq(indices));
    let all = all(&fixture);
    assert!(columns.iter().all(|column| *column == all[column.index()]));
}

#[test]
fn refuses_to_open_a_column_that_there_is_not() {
    let fixture = Fixture::new(HashWidth::W16, 2, 0, 1);
    let opened = open_many(&fixture.commitment, &fixture.tree, &fixture.matrix, &[0, 8]);
    let why = Mismatch::Index { columns: 8 };
    assert!(matches!(opened, Err(Error::Column { index: 8, why: found }) if found == why));
}

#[test]
fn rejects_any_altered_word() {
    let (commitment, columns) = opened();
    for word in 0..columns[3].words.len() {
        let mut column = columns[3].clone();
        column.words[word] += F::ONE;
        assert_eq!(why(commitment.check(column)), Mismatch::Path);
    }
}

#[test]
fn rejects_any_altered_path_digest() {
    let (commitment, columns) = opened();
    for level in 0..columns[3].path.len() {
        for word in 0..8 {
            let mut column = columns[3].clone();
            column.path[level][word] += F::ONE;
            assert_eq!(why(commitment.check(column)), Mismatch::Path);
        }
    }
}

#[test]
fn rejects_a_column_under_any_other_index() {
    let (commitment, columns) = opened();
    for index in (0..columns.len()).filter(|&index| index != 3) {
        let mut column = columns[3].clone();
        column.index = index;
        assert_eq!(why(commitment.check(column)), Mismatch::Path);
    }
    let mut column = columns[3].clone();
    column.index = columns.len() + 3;
    assert_eq!(why(commitment.check(column)), Mismatch::Index { columns: columns.len() });
}

#[test]
fn rejects_two_columns_swapped() {
    let (commitment, columns) = opened();
    let (mut a, mut b) = (columns[2].clone(), columns[3].clone());
    std::mem::swap(&mut a.words, &mut b.words);
    let results = commitment.check_all(vec![a, columns[4].clone(), b]);
    let [a, c, b] = results.try_into().unwrap();
    assert_eq!(why(a), Mismatch::Path);
    assert_eq!(c.unwrap().index(), 4);
    assert_eq!(why(b), Mismatch::Path);
}

#[test]
fn rejects_rows_swapped_within_a_column() {
    let (commitment, columns) = opened();
    let mut column = columns[3].clone();
    let size = commitment.params().cell_words();
    let (first, rest) = column.words.split_at_mut(size);
    first.swap_with_slice(&mut rest[..size]);
    assert_eq!(why(commitment.check(column)), Mismatch::Path);
}

#[test]
fn rejects_a_column_of_another_commitment() {
    let (commitment, columns) = opened();
    let other = Fixture::new(HashWidth::W24, 4, 1, 3).commitment;
    assert_eq!(why(other.check(columns[0].clone())), Mismatch::OtherRoot);
    let mut column = columns[0].clone();
    column.root[7] += F::ONE;
    assert_eq!(why(commitment.check(column)), Mismatch::OtherRoot);
}

/// A path cut short at the bottom makes a leaf of a node; one that is extended, a node of a
/// leaf. Both would lead to the right root.
#[test]
fn rejects_a_node_as_a_leaf_and_a_leaf_as_a_node() {
    let (commitment, columns) = opened();
    let expected = columns[3].path.len();
    let mut short = columns[3].clone();
    short.path.drain(..1);
    let found = expected - 1;
    assert_eq!(why(commitment.check(short)), Mismatch::PathLength { found, expected });
    let mut long = columns[3].clone();
    long.path.push(ABSENT);
    let found = expected + 1;
    assert_eq!(why(commitment.check(long)), Mismatch::PathLength { found, expected });
}

#[test]
fn rejects_words_missing_or_left_over() {
    let (commitment, columns) = opened();
    let expected = columns[3].words.len();
    for found in [0, expected - 1, expected + 1, expected + commitment.params().cell_words()] {
        let mut column = columns[3].clone();
        column.words.resize(found, F::ZERO);
        assert_eq!(why(commitment.check(column)), Mismatch::Words { found, expected });
    }
}

#[test]
fn finds_every_bad_column_among_many() {
    let fixture = Fixture::new(HashWidth::W16, 6, 0, 2);
    let mut columns = all(&fixture);
    let bad = [0, 7, 31, 32, 100, 127];
    for (nth, &index) in bad.iter().enumerate() {
        match nth % 3 {
            0 => columns[index].words[0] += F::ONE,
            1 => columns[index].path[6][0] += F::ONE,
            _ => columns[index].path.clear(),
        }
    }
    let results = fixture.commitment.check_all(columns);
    let found: Vec<usize> = (0..128).filter(|&index| results[index].is_err()).collect();
    assert_eq!(found, bad);
    for (index, result) in results.into_iter().enumerate() {
        assert!(result.is_err() || result.unwrap().index() == index);
    }
    assert!(fixture.commitment.check_all(Vec::new()).is_empty());
}

#[test]
fn a_tree_gives_no_path_beyond_its_columns() {
    let fixture = Fixture::new(HashWidth::W16, 2, 0, 1);
    assert!(fixture.tree.path(7).is_ok());
    assert!(matches!(fixture.tree.path(8), Err(Error::Column { index: 8, .. })));
    assert!(matches!(fixture.tree.path(usize::MAX), Err(Error::Column { .. })));
}
