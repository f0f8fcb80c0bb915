//! Cheating provers: the public prover, unmodified, on a false witness. Each proof must be
//! refused, and by the check that the falsehood violates.

mod common;

use airda::params::HashWidth;
use airda::proof::{self, System};
use airda::relation::Relation;
use airda::{Block, Error, F, Params};
use airda_gkr::Reject;
use airda_gkr::calls::Source;
use airda_gkr::permutation::{DIGEST, Permutation, Poseidon2};
use common::{CHAIN_STEPS, MEMBERSHIPS, WIDTHS, cheap, instance, prove, verify};
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

/// Every way to prove.
fn systems() -> impl Iterator<Item = System> {
    MEMBERSHIPS.into_iter().flat_map(|membership| {
        CHAIN_STEPS.map(|step| cheap().with_membership(membership).with_chain_step(step))
    })
}

#[track_caller]
fn refused(block: &Block) {
    for system in systems() {
        let file = proof::prove(block, &system).unwrap();
        match proof::verify_with(block.commitment(), &system, &file) {
            Err(Error::Proof(Reject::LinearForm)) => {}
            other => panic!("{system:?}: expected the linear form to fail, got {other:?}"),
        }
    }
}

#[test]
fn the_honest_block_is_accepted() {
    for hash in WIDTHS {
        let block = honest(hash);
        for system in systems() {
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

/// A cell's chaining value changed after hashing, and all that comes after it hashed with the
/// change: every call is right but one.
#[test]
fn one_wrong_chaining_value_is_refused_though_all_follows_from_it() {
    fn forge<const T: usize>(block: &Block) -> Vec<Vec<F>>
    where
        Poseidon2<T>: Permutation<T>,
    {
        let relation = Relation::<T>::new(block.params());
        let table = relation.table();
        let steps = block.params().cell_words().div_ceil(T - DIGEST);
        let forge = |step: usize| {
            let changed = step * block.params().rows() + 1;
            let mut words = block.words().to_vec();
            words[table.digest(changed, 3) + 2] += F::ONE;
            for (later, piece) in table.pieces().iter().enumerate().skip(changed + 1) {
                for x in 0..piece.size() {
                    let state = piece.inputs.map(|source| match source {
                        Source::Constant(value) => value,
                        Source::Block { start } => words[start + x],
                        Source::Interleaved { start, child } => words[start + 2 * x + child],
                        Source::Shifted { first, .. } if x == 0 => first,
                        Source::Shifted { start, .. } => words[start + x - 1],
                    });
                    let h = state[..DIGEST].try_into().unwrap();
                    let digest = Poseidon2::<T>::compress(&h, &state[DIGEST..]);
                    for (v, word) in digest.into_iter().enumerate() {
                        words[table.digest(later, v) + x] = word;
                    }
                }
            }
            words
        };
        [0, 1, 2, steps - 2, steps - 1].map(forge).to_vec()
    }
    for hash in WIDTHS {
        let (params, payload) = instance(hash, 5, 4, 3, 1);
        let block = Block::build(params, &payload).unwrap();
        let forged = match hash {
            HashWidth::W16 => forge::<16>(&block),
            HashWidth::W24 => forge::<24>(&block),
        };
        for words in forged {
            refused(&Block::from_words_unchecked(params, words).unwrap());
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
