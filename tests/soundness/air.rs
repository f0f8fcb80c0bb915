//! Proofs by AIR tables: the same cheating builders as against the other proof system, and what
//! only these proofs have, tables and a bus between them. Traces that no block has, and tables
//! that are not the verifier's, stand in this crate's unit tests.

use airda::artifact::{Limits, ProofFile};
use airda::params::HashWidth;
use airda::proof::{self, air};
use airda::security::Security;
use airda::{Block, Commitment, Error, F, Params};
use airda_air::Reject;
use airda_air::fri::Parameters;
use airda_gkr::permutation::DIGEST;
use p3_field::PrimeCharacteristicRing;

use crate::common::{WIDTHS, cheap_air, instance};
use crate::provers::{digest_places, one_false_call_of_every_region};
use crate::support::{SHAPE, honest};

/// The tables of chains and of inner products.
const CHAINS: Reject = Reject::Constraints { table: 0 };
const PRODUCTS: Reject = Reject::Constraints { table: 2 };

fn refusal(commitment: &Commitment, file: &[u8]) -> Reject {
    match proof::verify_with(commitment, &cheap_air(), file) {
        Err(Error::Air(reject)) => reject,
        other => panic!("{:?}: {other:?}", commitment.params()),
    }
}

/// Proves the block, true or not; the proof must fail at what the falsehood violates, or one of
/// these.
#[track_caller]
fn refused(block: &Block, reasons: &[Reject]) {
    let file = proof::prove(block, &cheap_air()).unwrap();
    let why = refusal(block.commitment(), &file);
    assert!(reasons.contains(&why), "{why:?}, not {reasons:?}");
}

/// The same where a digest on its way is false: within a row of the table of chains it goes from
/// lane to lane, elsewhere by the bus.
#[track_caller]
fn refused_on_the_way(block: &Block) {
    refused(block, &[CHAINS, Reject::Bus]);
}

fn unchecked(block: &Block, words: Vec<F>) -> Block {
    Block::from_words_unchecked(*block.params(), words).unwrap()
}

#[test]
fn the_honest_block_is_accepted() {
    for hash in WIDTHS {
        let block = honest(hash);
        let file = proof::prove(&block, &cheap_air()).unwrap();
        let _ = proof::verify_with(block.commitment(), &cheap_air(), &file).unwrap();
    }
}

/// Words changed after hashing, in every row and both halves: rows are off the code, and no
/// digest on the bus is the one that was committed to.
#[test]
fn one_wrong_cell_word_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        for (row, word, column) in [(0, 0, 0), (1, 3, 5), (2, 9, params.columns() - 1)] {
            let mut words = block.words().to_vec();
            words[params.word_offset(row, word) + column] += F::ONE;
            refused(&unchecked(&block, words), &[PRODUCTS, CHAINS]);
        }
    }
}

/// Another codeword in a row, after hashing: nothing is wrong but the digests.
#[test]
fn another_codeword_under_the_same_digests_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let (log_k, log_c, rows) = SHAPE;
        let (params, payload) = instance(hash, log_k, log_c, rows, 2);
        let other = Block::build(params, &payload).unwrap();
        let matrix = params.matrix_words();
        let words = [&other.words()[..matrix], &block.words()[matrix..]].concat();
        refused_on_the_way(&unchecked(&block, words));
    }
}

/// One digest changed in every region: cell steps, column-tree nodes, row chains, root tree.
#[test]
fn one_wrong_digest_in_any_piece_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        for (start, size) in digest_places(block.params()) {
            for row in [0, size - 1] {
                let mut words = block.words().to_vec();
                words[start + row] += F::ONE;
                refused_on_the_way(&unchecked(&block, words));
            }
        }
    }
}

/// One false call in each region, and all that is public follows from it.
#[test]
fn one_false_call_in_any_region_is_refused_though_all_follows_from_it() {
    for hash in WIDTHS {
        let block = honest(hash);
        one_false_call_of_every_region(&block, |words| {
            refused_on_the_way(&unchecked(&block, words));
        });
    }
}

/// Two digests trade places on their way to their readers: every block is read as often as it is
/// offered, but not where it stands.
#[test]
fn item_12_blocks_are_read_at_their_addresses() {
    for hash in WIDTHS {
        let block = honest(hash);
        for (start, size) in digest_places(block.params()).into_iter().filter(|place| place.1 > 1) {
            let mut words = block.words().to_vec();
            for v in 0..DIGEST {
                words.swap(start + v * size, start + v * size + 1);
            }
            refused_on_the_way(&unchecked(&block, words));
        }
    }
}

/// A true block under public digests that are not its own: of every row, and of the columns.
#[test]
fn item_13_public_digests_that_the_calls_do_not_give_are_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let claim = |row_digests: Vec<_>, root_col| {
            let commitment = Commitment::new(*block.params(), row_digests, root_col).unwrap();
            let claimed = block.clone().claiming_unchecked(commitment);
            // The point is another, and every row is a codeword there too.
            refused(&claimed, &[Reject::Bus]);
        };
        let (rows, root_col) = (block.commitment().row_digests(), *block.commitment().root_col());
        for row in 0..rows.len() {
            for word in 0..DIGEST {
                let mut forged = rows.to_vec();
                forged[row][word] += F::ONE;
                claim(forged, root_col);
            }
        }
        let swapped: Vec<_> = rows.iter().rev().copied().collect();
        claim(swapped, root_col);
        for word in 0..DIGEST {
            let mut forged = root_col;
            forged[word] += F::ONE;
            claim(rows.to_vec(), forged);
        }
    }
}

/// A row that is hashed correctly and no codeword, in the payload half and in the parity half.
#[test]
fn one_row_off_the_code_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        for (row, column) in [(0, 1), (1, 0), (1, params.half()), (2, params.columns() - 1)] {
            for limb in 0..5 {
                let mut matrix = block.matrix().to_vec();
                matrix[params.word_offset(row, limb * params.c()) + column] += F::ONE;
                refused(&Block::commit(*params, &matrix).unwrap(), &[PRODUCTS]);
            }
        }
    }
}

/// Two columns swapped before hashing (no codewords any more), and two rows after it (codewords
/// still, under each other's digests).
#[test]
fn swapped_columns_and_rows_are_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        let mut matrix = block.matrix().to_vec();
        for run in matrix.chunks_mut(params.columns()) {
            run.swap(2, 3);
        }
        refused(&Block::commit(*params, &matrix).unwrap(), &[PRODUCTS]);

        let mut words = block.words().to_vec();
        let row = params.matrix_words() / params.rows();
        let (first, others) = words.split_at_mut(row);
        first.swap_with_slice(&mut others[..row]);
        refused_on_the_way(&unchecked(&block, words));
    }
}

/// Every field of the statement, one at a time, under a true proof.
#[test]
fn item_02_a_proof_holds_for_its_own_statement_only() {
    for hash in WIDTHS {
        let block = honest(hash);
        let file = proof::prove(&block, &cheap_air()).unwrap();
        let with = |params: Result<Params, Error>, rows: Vec<_>, root_col| {
            refusal(&Commitment::new(params.unwrap(), rows, root_col).unwrap(), &file)
        };
        let (log_k, log_c, n) = SHAPE;
        let len = block.params().payload_len();
        let rows = block.commitment().row_digests().to_vec();
        let root_col = *block.commitment().root_col();
        let other = if hash == HashWidth::W16 { HashWidth::W24 } else { HashWidth::W16 };
        with(Params::new(other, log_k, log_c, n, len), rows.clone(), root_col);
        with(Params::new(hash, log_k + 1, log_c, n, len), rows.clone(), root_col);
        with(Params::new(hash, log_k, log_c + 1, n, len), rows.clone(), root_col);
        with(Params::new(hash, log_k, log_c - 1, n, len), rows.clone(), root_col);
        let more = [rows.clone(), vec![rows[0]]].concat();
        with(Params::new(hash, log_k, log_c, n + 1, len), more, root_col);
        for len in [1, len - 1, len + 1] {
            with(Params::new(hash, log_k, log_c, n, len), rows.clone(), root_col);
        }
        let params = || Ok(*block.params());
        for row in 0..n {
            for word in 0..DIGEST {
                let mut rows = rows.clone();
                rows[row][word] += F::ONE;
                with(params(), rows, root_col);
            }
        }
        for word in 0..DIGEST {
            let mut root_col = root_col;
            root_col[word] += F::ONE;
            with(params(), rows.clone(), root_col);
        }
        // Another payload of the same shape.
        let (params, payload) = instance(hash, log_k, log_c, n, 2);
        refusal(Block::build(params, &payload).unwrap().commitment(), &file);
    }
}

/// A good proof of a weak system: no file names one.
#[test]
fn item_05_a_proof_cannot_choose_weak_parameters() {
    for hash in WIDTHS {
        let block = honest(hash);
        let file = proof::prove(&block, &cheap_air()).unwrap();
        let refused = proof::verify(block.commitment(), &file);
        assert!(matches!(refused, Err(Error::Air(Reject::UnknownParameters(255)))), "{refused:?}");
        // Fewer queries, under the name of the same entry.
        let fewer = Parameters::insecure_for_tests(cheap_air().parameters().num_queries() - 1, 1);
        let fewer = air::System::insecure_for_tests(fewer);
        let file = proof::prove(&block, &fewer).unwrap();
        let _ = proof::verify_with(block.commitment(), &fewer, &file).unwrap();
        refusal(block.commitment(), &file);
    }
}

/// A proof under every name but its own: of other proof systems, other entries, other ways to
/// show membership, other chaining values.
#[test]
fn item_05_a_proof_has_one_name() {
    let block = honest(HashWidth::W16);
    let commitment = block.commitment();
    let gkr = proof::System::for_rate(1).unwrap();
    let gkr = proof::prove(&block, &gkr.with_membership(proof::Membership::Vector)).unwrap();
    let mut entries = 0;
    for entry in 0..=u16::MAX {
        let Some(Ok(system)) = air::System::by_id(entry) else { continue };
        entries += 1;
        let file = proof::prove(&block, &system).unwrap();
        let verified = proof::verify(commitment, &file).unwrap();
        let expected = Security::new(block.params(), &system).unwrap();
        assert_eq!(verified.security, expected);
        let decoded = ProofFile::decode(&file, &Limits::default()).unwrap();
        assert_eq!((decoded.system, decoded.membership, decoded.chain_step), (entry, 0, 1));
        for id in (0..=u16::MAX).filter(|&id| id != entry) {
            let other_air = matches!(air::System::by_id(id), Some(Ok(_)));
            let known = other_air || proof::System::by_id(id).is_ok();
            for membership in [0, 1] {
                // A name that is none is refused before the body is looked at.
                let body = if known { decoded.body } else { &[] };
                let renamed = ProofFile { system: id, membership, body, ..decoded }.encode();
                let refused = proof::verify(commitment, &renamed).unwrap_err();
                let unknown = matches!(
                    refused,
                    Error::Air(Reject::UnknownParameters(_))
                        | Error::Proof(airda_gkr::Reject::UnknownParameters(_))
                );
                assert_eq!(unknown, !known, "{id}: {refused:?}");
            }
        }
        let of_gkr = ProofFile::decode(&gkr, &Limits::default()).unwrap();
        let renamed = ProofFile { system: entry, ..of_gkr }.encode();
        assert!(matches!(proof::verify(commitment, &renamed), Err(Error::Air(_))));
        for membership in 1..=u8::MAX {
            let renamed = ProofFile { membership, ..decoded }.encode();
            let refused = proof::verify(commitment, &renamed);
            assert!(matches!(refused, Err(Error::NoMembership)), "{refused:?}");
        }
        for chain_step in (0..=u8::MAX).filter(|&step| step != 1) {
            let renamed = ProofFile { chain_step, ..decoded }.encode();
            let refused = proof::verify(commitment, &renamed);
            assert!(matches!(refused, Err(Error::NoChainStep)), "{refused:?}");
        }
    }
    assert_eq!(entries, 4);
}

/// Proofs without a part: as short as that makes them, and filled up behind it to the length
/// that they should have.
#[test]
fn item_06_a_proof_without_one_of_its_parts_is_refused() {
    let (params, payload) = instance(HashWidth::W16, 2, 1, 1, 2);
    let block = Block::build(params, &payload).unwrap();
    let file = proof::prove(&block, &cheap_air()).unwrap();
    let decoded = ProofFile::decode(&file, &Limits::default()).unwrap();
    let body = decoded.body;
    let refused =
        |body: &[u8]| refusal(block.commitment(), &ProofFile { body, ..decoded }.encode());
    // A root, an element, a row of each table's words, and every part of the proof that is as
    // long as a hundredth of it.
    let parts = (0..100).map(|part| part * body.len() / 100..(part + 1) * body.len() / 100);
    for missing in parts.chain([0..32, 32..64, 64..96, 96..116, body.len() - 4..body.len()]) {
        let short = [&body[..missing.start], &body[missing.end..]].concat();
        refused(&short);
        for fill in [0, 1] {
            let mut filled = short.clone();
            filled.resize(body.len(), fill);
            if filled != body {
                refused(&filled);
            }
        }
    }
    assert_eq!(refused(&[]), Reject::Truncated);
    assert_eq!(refused(&body[..body.len() - 1]), Reject::Truncated);
    assert_eq!(refused(&[body, &[0]].concat()), Reject::Trailing(1));
}

/// Bodies of zeros and ones, of every small shape: refused, without a panic.
#[test]
fn item_07_no_shape_panics() {
    let zeros = vec![0; 1 << 20];
    for hash in WIDTHS {
        for (log_k, log_c) in [(0, 0), (1, 0), (1, 1), (2, 1), (4, 4), (7, 0)] {
            for rows in [1, 2, 3, 5] {
                let params = Params::new(hash, log_k, log_c, rows, 1).unwrap();
                let digest = [F::ZERO; DIGEST];
                let commitment = Commitment::new(params, vec![digest; rows], digest).unwrap();
                let refused = |len: usize| {
                    let (system, body) = (cheap_air().id(), &zeros[..len]);
                    let file = ProofFile { system, membership: 0, chain_step: 1, body };
                    refusal(&commitment, &file.encode())
                };
                // With no digest where their number stands, all is read and there is a rest.
                let Reject::Trailing(extra) = refused(zeros.len()) else {
                    panic!("a proof of 2^20 bytes for {params:?}")
                };
                let read = zeros.len() - extra;
                for len in [0, 31, 32, 52, read / 2, read - 1] {
                    assert_eq!(refused(len), Reject::Truncated);
                }
                // Every constraint and every terminal is 0 = 0, but for public values.
                refused(read);
            }
        }
    }
}

/// Every word that must be one as v + p; among digests, which are no words, any change.
#[test]
fn item_09_words_that_are_not_canonical_are_refused() {
    const P: u32 = 0x7f00_0001;
    let (params, payload) = instance(HashWidth::W24, 1, 0, 1, 2);
    let block = Block::build(params, &payload).unwrap();
    let file = proof::prove(&block, &cheap_air()).unwrap();
    let mut aliases = 0;
    for at in (ProofFile::ENVELOPE_BYTES..file.len()).step_by(4) {
        let mut forged = file.clone();
        let word: &mut [u8; 4] = forged[at..].first_chunk_mut().unwrap();
        *word = u32::from_le_bytes(*word).wrapping_add(P).to_le_bytes();
        let refused = refusal(block.commitment(), &forged);
        aliases += usize::from(refused == Reject::NonCanonicalWord);
    }
    // The rows that the queries open are most of a proof.
    assert!(aliases > file.len() / 4 / 2, "{aliases}");
}
