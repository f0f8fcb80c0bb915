//! Cheating provers: the public prover, unmodified, on a false witness. Each proof must be
//! refused, and by the check that the falsehood violates.

mod common;

use airda::params::HashWidth;
use airda::relation::Relation;
use airda::{Block, Error, F, Params, proof};
use airda_gkr::Reject;
use airda_gkr::permutation::{Permutation, Poseidon2};
use common::{MEMBERSHIPS, WIDTHS, cheap, instance, prove, verify};
use p3_field::PrimeCharacteristicRing;

const SHAPE: (usize, usize, usize) = (5, 1, 3);

fn honest(hash: HashWidth) -> Block {
    let (log_k, log_c, rows) = SHAPE;
    let (params, payload) = instance(hash, log_k, log_c, rows, 1);
    Block::build(params, &payload).unwrap()
}

/// Where every kind of call has its digests: the first word of each piece's first column, with
/// the piece's size.
fn digest_places(params: &Params) -> Vec<(usize, usize)> {
    fn at<const T: usize>(params: &Params) -> Vec<(usize, usize)>
    where
        Poseidon2<T>: Permutation<T>,
    {
        let relation = Relation::<T>::new(params);
        let table = relation.table();
        (0..table.pieces().len())
            .map(|piece| (table.digest(piece, 0), table.pieces()[piece].size()))
            .collect()
    }
    match params.hash() {
        HashWidth::W16 => at::<16>(params),
        HashWidth::W24 => at::<24>(params),
    }
}

#[track_caller]
fn refused(block: &Block) {
    for membership in MEMBERSHIPS {
        let system = cheap().with_membership(membership);
        let file = proof::prove(block, &system).unwrap();
        match proof::verify_with(block.commitment(), &system, &file) {
            Err(Error::Proof(Reject::LinearForm)) => {}
            other => panic!("{membership:?}: expected the linear form to fail, got {other:?}"),
        }
    }
}

#[test]
fn the_honest_block_is_accepted() {
    for hash in WIDTHS {
        let block = honest(hash);
        for membership in MEMBERSHIPS {
            let system = cheap().with_membership(membership);
            let file = proof::prove(&block, &system).unwrap();
            let _ = proof::verify_with(block.commitment(), &system, &file).unwrap();
        }
    }
}

/// Words changed after hashing, in every row and both halves: digests and words disagree.
#[test]
fn one_wrong_cell_word_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        for (row, word, column) in [(0, 0, 0), (1, 3, 5), (2, 9, params.columns() - 1)] {
            let mut words = block.words().to_vec();
            words[params.word_offset(row, word) + column] += F::ONE;
            refused(&Block::from_words_unchecked(*params, words).unwrap());
        }
    }
}

/// One digest changed in every region: cell steps, column-tree nodes, row chains, root tree.
/// The commitment speaks of the changed digests where they are public.
#[test]
fn one_wrong_digest_in_any_piece_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        for (start, size) in digest_places(block.params()) {
            for row in [0, size - 1] {
                let mut words = block.words().to_vec();
                words[start + row] += F::ONE;
                refused(&Block::from_words_unchecked(*block.params(), words).unwrap());
            }
        }
    }
}

/// A row that is hashed correctly and no codeword, in the payload half and in the parity half.
#[test]
fn one_row_off_the_code_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        for column in [0, params.half()] {
            for limb in 0..5 {
                let mut matrix = block.matrix().to_vec();
                matrix[params.word_offset(1, limb * params.c()) + column] += F::ONE;
                refused(&Block::commit(*params, &matrix).unwrap());
            }
        }
    }
}

/// Two columns swapped before hashing (no codewords any more), and their digests swapped after
/// it (the tree no longer fits).
#[test]
fn swapped_columns_are_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        let mut matrix = block.matrix().to_vec();
        for run in matrix.chunks_mut(params.columns()) {
            run.swap(2, 3);
        }
        refused(&Block::commit(*params, &matrix).unwrap());

        let mut words = block.words().to_vec();
        for run in words[..params.matrix_words()].chunks_mut(params.columns()) {
            run.swap(2, 3);
        }
        refused(&Block::from_words_unchecked(*params, words).unwrap());
    }
}

/// A true proof for another commitment, and every public field changed under a true proof.
#[test]
fn a_proof_holds_for_its_own_commitment_only() {
    for hash in WIDTHS {
        let (log_k, log_c, rows) = SHAPE;
        let block = honest(hash);
        let file = prove(&block);
        let (params, payload) = instance(hash, log_k, log_c, rows, 2);
        let other = Block::build(params, &payload).unwrap();
        assert!(verify(&other, &file).is_err());

        // The same words under another payload length: another root, another p.
        let params = Params::new(hash, log_k, log_c, rows, params.payload_len() + 1).unwrap();
        let renamed = Block::from_words_unchecked(params, block.words().to_vec()).unwrap();
        assert!(verify(&renamed, &file).is_err());
    }
}
