//! Columns, trees and what the root binds.

use airda::artifact::{Limits, Malformed};
use airda::hash::{ABSENT, Domain};
use airda::opening::Mismatch;
use airda::{Block, Column, Commitment, Error, F, Params};
use p3_field::PrimeCharacteristicRing;

use crate::common::{WIDTHS, instance};
use crate::support::honest;

fn mismatch<T: std::fmt::Debug>(result: Result<T, Error>) -> Mismatch {
    match result {
        Err(Error::Column { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

/// A true column under another index, among them the one beyond the last that would take the
/// same turns; with a path that goes on above the root or begins above the leaf; with another
/// column's words; with a cell more.
#[test]
fn item_16_a_column_has_one_place_in_the_tree() {
    for hash in WIDTHS {
        let block = honest(hash);
        let commitment = block.commitment();
        let columns = commitment.params().columns();
        let opened = block.open(&[6, 7]).unwrap();
        let (column, sibling) = (&opened[0], &opened[1]);
        let with = |index: usize, words: &[F], path: &[_]| {
            let forged = Column::new(*column.root(), index, words.to_vec(), path.to_vec());
            let together = commitment.check_all(vec![forged.clone(), sibling.clone()]).remove(0);
            let why = mismatch(commitment.check(forged));
            assert_eq!(mismatch(together), why);
            why
        };
        let (words, path) = (column.words(), column.path());
        for index in (0..columns).filter(|&index| index != 6) {
            assert_eq!(with(index, words, path), Mismatch::Path);
        }
        assert_eq!(with(columns + 6, words, path), Mismatch::Index { columns });
        assert_eq!(with(6, sibling.words(), path), Mismatch::Path);

        let expected = path.len();
        let long = [path, &[ABSENT]].concat();
        let found = expected + 1;
        assert_eq!(with(6, words, &long), Mismatch::PathLength { found, expected });
        let found = expected - 1;
        assert_eq!(with(6, words, &path[1..]), Mismatch::PathLength { found, expected });
        let cell = vec![F::ZERO; commitment.params().cell_words()];
        let more = [words, &cell].concat();
        let (found, expected) = (more.len(), words.len());
        assert_eq!(with(6, &more, path), Mismatch::Words { found, expected });
    }
}

/// What completes a level of a tree or a short block of a message is told from data of the
/// same value by what the initial values say.
#[test]
fn item_17_padding_is_not_data() {
    for hash in WIDTHS {
        let params = |log_k, log_c, rows| Params::new(hash, log_k, log_c, rows, 1).unwrap();
        // Three rows, and a fourth whose digest is the missing leaf's.
        let digest = [F::TWO; 8];
        let three = Commitment::new(params(3, 1, 3), vec![digest; 3], digest).unwrap();
        let four = [vec![digest; 3], vec![ABSENT]].concat();
        let four = Commitment::new(params(3, 1, 4), four, digest).unwrap();
        assert_ne!(three.root(), four.root());
        // A cell of one symbol, and of two of which the second is zero.
        let words: Vec<F> = (1..=5).map(F::from_u32).collect();
        let padded = [&words[..], &[F::ZERO; 5]].concat();
        assert_ne!(
            params(3, 0, 3).digest(Domain::Cell, &words),
            params(3, 1, 3).digest(Domain::Cell, &padded)
        );
        // The same words as a cell, a row and a root, and in rows of another length.
        let digests = [Domain::Cell, Domain::Row, Domain::Node, Domain::Root]
            .map(|domain| params(3, 0, 3).digest(domain, &words));
        for (i, one) in digests.iter().enumerate() {
            assert!(!digests[..i].contains(one));
        }
        let other = params(4, 0, 3).digest(Domain::Cell, &words);
        assert_ne!(digests[0], other);
    }
}

/// One root, one payload: a commitment's other lengths have other roots, and a file that
/// claims another length under the same root is refused.
#[test]
fn item_18_the_root_binds_the_payloads_length() {
    for hash in WIDTHS {
        let (params, payload) = instance(hash, 4, 1, 2, 4);
        let block = Block::build(params, &payload).unwrap();
        let commitment = block.commitment();
        let encoded = commitment.encode();
        let at = 8 + 2 + 3 + 4;
        let len = params.payload_len();
        for other in [len - 1, len + 1, 1] {
            let others = Params::new(hash, 4, 1, 2, other).unwrap();
            let rows = commitment.row_digests().to_vec();
            let renamed = Commitment::new(others, rows, *commitment.root_col()).unwrap();
            assert_ne!(renamed.root(), commitment.root());
            let mut forged = encoded.clone();
            forged[at..at + 8].copy_from_slice(&other.to_le_bytes());
            let refused = Commitment::decode(&forged, &Limits::default());
            let why = Malformed::Root;
            assert!(matches!(refused, Err(Error::Malformed { why: found, .. }) if found == why));
        }
    }
}
