//! The whole system: blocks of many shapes are built, proved, verified and recovered; whatever
//! is altered on the way is refused.

mod common;

use airda::artifact::ProofFile;
use airda::params::HashWidth;
use airda::proof::{self, ChainStep, Membership, System, air};
use airda::{Block, Commitment, Error, F, Params, recover};
use airda_gkr::Reject;
use airda_gkr::commit::Parameters;
use common::{CHAIN_STEPS, MEMBERSHIPS, WIDTHS, bytes, cheap, instance, prove, verify};
use p3_field::PrimeCharacteristicRing;
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;

/// From one symbol in one row to a few thousand calls; (log k, log c, rows).
const SHAPES: [(usize, usize, usize); 9] = [
    (0, 0, 1),
    (0, 0, 2),
    (1, 1, 1),
    (3, 1, 3),
    (4, 4, 2),
    (5, 0, 5),
    (6, 2, 6),
    (8, 2, 1),
    (9, 4, 7),
];

#[test]
fn blocks_of_every_shape_are_accepted_and_recovered() {
    for hash in WIDTHS {
        for (log_k, log_c, rows) in SHAPES {
            let (params, payload) = instance(hash, log_k, log_c, rows, 3);
            let block = Block::build(params, &payload).unwrap();
            verify(&block, &prove(&block)).unwrap();

            let commitment = Commitment::decode(
                &block.commitment().encode(),
                &airda::artifact::Limits::default(),
            )
            .unwrap();
            let half: Vec<usize> = (0..params.half()).map(|j| 2 * j + 1).collect();
            let columns: Result<Vec<_>, Error> =
                commitment.check_all(block.open(&half).unwrap()).into_iter().collect();
            let recovered = recover(&commitment, &columns.unwrap()).unwrap();
            assert_eq!(recovered.payload().unwrap(), payload);
            let all: Vec<usize> = (0..params.columns()).collect();
            assert_eq!(recovered.open(&all).unwrap(), block.open(&all).unwrap());
        }
    }
}

/// At full security, and by the id in the file alone.
#[test]
fn a_file_names_its_proof_system() {
    let (params, payload) = instance(HashWidth::W16, 7, 2, 2, 4);
    let block = Block::build(params, &payload).unwrap();
    for log_inv_rate in [1, 2] {
        let system = System::for_rate(log_inv_rate).unwrap();
        let file = proof::prove(&block, &system).unwrap();
        let verified = proof::verify(block.commitment(), &file).unwrap();
        assert!(verified.security.proof_bits >= 128.0);
        assert!(verified.security.overall_bits > 123.9);

        // The same proof under every other name.
        let decoded = ProofFile::decode(&file, &airda::artifact::Limits::default()).unwrap();
        for id in 0..=u16::MAX {
            if id == system.parameters().id() {
                continue;
            }
            let renamed = ProofFile { system: id, ..decoded }.encode();
            let refused = proof::verify(block.commitment(), &renamed);
            match (Parameters::by_id(id), air::System::by_id(id)) {
                (Ok(_), _) => assert!(matches!(refused, Err(Error::Proof(_)))),
                // Of the AIR systems none shows membership by construction.
                (_, Some(Ok(_))) => assert!(matches!(refused, Err(Error::NoMembership))),
                (_, Some(Err(_))) => assert!(matches!(refused, Err(Error::Air(_)))),
                (Err(_), None) => assert!(
                    matches!(refused, Err(Error::Proof(Reject::UnknownParameters(other))) if other == id)
                ),
            }
        }
    }
    assert!(matches!(System::for_rate(9), Err(Error::NoSystem { log_inv_rate: 9 })));
}

/// A proof below the target is refused by name, however good it is.
#[test]
fn a_proof_of_a_cheap_system_is_refused() {
    let (params, payload) = instance(HashWidth::W16, 5, 1, 2, 5);
    let block = Block::build(params, &payload).unwrap();
    let file = prove(&block);
    verify(&block, &file).unwrap();
    let refused = proof::verify(block.commitment(), &file);
    assert!(matches!(refused, Err(Error::Proof(Reject::UnknownParameters(0)))));
}

fn small(hash: HashWidth) -> Block {
    let (params, payload) = instance(hash, 4, 1, 2, 6);
    Block::build(params, &payload).unwrap()
}

/// Bytes all over the body, one at a time: no bit of a proof is without meaning.
#[test]
fn every_altered_byte_is_refused() {
    let block = small(HashWidth::W16);
    let file = prove(&block);
    let first = ProofFile::ENVELOPE_BYTES;
    for at in (first..file.len()).step_by(19) {
        let mut forged = file.clone();
        forged[at] ^= 1 << (at % 8);
        assert!(matches!(verify(&block, &forged), Err(Error::Proof(_))), "byte {at}");
    }
    for at in 0..first {
        let mut forged = file.clone();
        forged[at] ^= 1;
        assert!(verify(&block, &forged).is_err(), "byte {at}");
    }
}

/// Words of the walk that a verifier could mistake for others: each message names its layer.
#[test]
fn altered_messages_are_refused_where_they_stand() {
    let block = small(HashWidth::W16);
    let file = prove(&block);
    // The commitment's root, then y, then the first layer's skip message.
    let y = ProofFile::ENVELOPE_BYTES + 32;
    for word in 0..5 {
        let mut forged = file.clone();
        forged[y + 4 * word] ^= 1;
        let refused = verify(&block, &forged);
        assert!(matches!(refused, Err(Error::Proof(Reject::Skip { layer: 0 }))), "{refused:?}");
    }
}

#[test]
fn truncated_and_extended_files_are_refused() {
    let block = small(HashWidth::W24);
    let file = prove(&block);
    for len in (0..file.len()).step_by(7).chain(file.len() - 8..file.len()) {
        assert!(verify(&block, &file[..len]).is_err());
        // With an envelope that says so, the end comes where a message is missing.
        if let Some(len) = len.checked_sub(ProofFile::ENVELOPE_BYTES) {
            let body = &file[ProofFile::ENVELOPE_BYTES..][..len];
            let file = ProofFile { system: 0, membership: 1, chain_step: 1, body }.encode();
            let refused = verify(&block, &file);
            assert!(matches!(refused, Err(Error::Proof(_))), "{refused:?}");
        }
    }
    let mut body = file[ProofFile::ENVELOPE_BYTES..].to_vec();
    body.push(0);
    let file = ProofFile { system: 0, membership: 1, chain_step: 1, body: &body }.encode();
    let refused = verify(&block, &file);
    assert!(matches!(refused, Err(Error::Proof(Reject::Trailing(1)))), "{refused:?}");
}

/// Every field of the statement, one at a time.
#[test]
fn every_altered_statement_is_refused() {
    for hash in WIDTHS {
        let block = small(hash);
        let file = prove(&block);
        let params = *block.params();
        let refused = |commitment: &Commitment| {
            let verified = proof::verify_with(commitment, &cheap(), &file);
            assert!(matches!(verified, Err(Error::Proof(_))), "{verified:?}");
        };
        let with = |params: Params, rows: Vec<_>, root_col| {
            refused(&Commitment::new(params, rows, root_col).unwrap());
        };
        let rows = block.commitment().row_digests().to_vec();
        let root_col = *block.commitment().root_col();
        let (log_k, log_c, n) = (params.log_k(), params.log_c(), params.rows());
        let len = params.payload_len();
        let other = if hash == HashWidth::W16 { HashWidth::W24 } else { HashWidth::W16 };
        with(Params::new(other, log_k, log_c, n, len).unwrap(), rows.clone(), root_col);
        with(Params::new(hash, log_k + 1, log_c, n, len).unwrap(), rows.clone(), root_col);
        with(Params::new(hash, log_k, log_c + 1, n, len).unwrap(), rows.clone(), root_col);
        with(Params::new(hash, log_k, log_c, n, len - 1).unwrap(), rows.clone(), root_col);
        let more = [rows.clone(), vec![rows[0]]].concat();
        with(Params::new(hash, log_k, log_c, n + 1, len).unwrap(), more, root_col);
        for row in 0..n {
            let mut rows = rows.clone();
            rows[row][7] += F::ONE;
            with(params, rows, root_col);
        }
        let swapped: Vec<_> = rows.iter().rev().copied().collect();
        with(params, swapped, root_col);
        let mut root_col = root_col;
        root_col[0] += F::ONE;
        with(params, rows, root_col);
    }
}

/// A proof under the name of the other way to show membership, and of one that does not exist.
#[test]
fn a_file_names_how_membership_is_shown() {
    let block = small(HashWidth::W16);
    for membership in MEMBERSHIPS {
        let system = System::for_rate(1).unwrap().with_membership(membership);
        let file = proof::prove(&block, &system).unwrap();
        let _ = proof::verify(block.commitment(), &file).unwrap();
        let decoded = ProofFile::decode(&file, &airda::artifact::Limits::default()).unwrap();
        for id in 0..=u8::MAX {
            let renamed = ProofFile { membership: id, ..decoded }.encode();
            let verified = proof::verify(block.commitment(), &renamed);
            match Membership::by_id(id) {
                Some(mode) if mode == membership => assert!(verified.is_ok()),
                Some(_) => assert!(matches!(verified, Err(Error::Proof(_)))),
                None => assert!(matches!(verified, Err(Error::NoMembership))),
            }
        }
    }
}

/// A proof under the name of other chaining values, and of steps that are not supported.
#[test]
fn a_file_names_which_chaining_values_are_committed() {
    // Five steps at width 16: every choice makes another table.
    let (params, payload) = instance(HashWidth::W16, 4, 3, 2, 6);
    let block = Block::build(params, &payload).unwrap();
    for chain_step in CHAIN_STEPS {
        let system = System::for_rate(1).unwrap().with_chain_step(chain_step);
        let file = proof::prove(&block, &system).unwrap();
        let verified = proof::verify(block.commitment(), &file).unwrap();
        assert!(verified.security.proof_bits >= 128.0);
        let decoded = ProofFile::decode(&file, &airda::artifact::Limits::default()).unwrap();
        assert_eq!(decoded.chain_step, chain_step.id());
        for id in 0..=u8::MAX {
            let renamed = ProofFile { chain_step: id, ..decoded }.encode();
            let verified = proof::verify(block.commitment(), &renamed);
            match ChainStep::new(id) {
                Some(step) if step == chain_step => assert!(verified.is_ok()),
                Some(_) => assert!(matches!(verified, Err(Error::Proof(_)))),
                None => assert!(matches!(verified, Err(Error::NoChainStep))),
            }
        }
    }
}

/// Whatever is committed, for chains shorter than the step, of its length and longer.
#[test]
fn blocks_are_accepted_with_every_chain_step() {
    for hash in WIDTHS {
        for (log_k, log_c, rows) in [(0, 0, 1), (3, 1, 3), (5, 2, 4), (4, 4, 2), (6, 5, 3)] {
            let (params, payload) = instance(hash, log_k, log_c, rows, 3);
            let block = Block::build(params, &payload).unwrap();
            for membership in MEMBERSHIPS {
                for chain_step in CHAIN_STEPS {
                    let system = cheap().with_membership(membership).with_chain_step(chain_step);
                    let file = proof::prove(&block, &system).unwrap();
                    let _ = proof::verify_with(block.commitment(), &system, &file).unwrap();
                }
            }
        }
    }
}

/// Bytes all over a proof of several levels, one at a time.
#[test]
fn every_altered_byte_of_levels_is_refused() {
    let (params, payload) = instance(HashWidth::W16, 4, 3, 2, 6);
    let block = Block::build(params, &payload).unwrap();
    let system = cheap().with_chain_step(ChainStep::new(3).unwrap());
    let file = proof::prove(&block, &system).unwrap();
    for at in (ProofFile::ENVELOPE_BYTES..file.len()).step_by(61) {
        let mut forged = file.clone();
        forged[at] ^= 1 << (at % 8);
        let verified = proof::verify_with(block.commitment(), &system, &forged);
        assert!(matches!(verified, Err(Error::Proof(_))), "byte {at}");
        let verified = proof::verify_with(block.commitment(), &system, &file[..at]);
        assert!(verified.is_err());
    }
}

/// Columns that check against a commitment to no codeword: recovery names the row, unless the
/// columns given are those of a codeword and only others differ from it.
#[test]
fn recovery_from_a_block_off_the_code_names_the_rows() {
    for hash in WIDTHS {
        let honest = small(hash);
        let params = *honest.params();
        let mut matrix = honest.matrix().to_vec();
        matrix[params.word_offset(1, 3) + 2] += F::ONE;
        let block = Block::commit(params, &matrix).unwrap();
        let rows_of = |indices: Vec<usize>| {
            let columns = block.commitment().check_all(block.open(&indices).unwrap());
            let columns: Vec<_> = columns.into_iter().map(Result::unwrap).collect();
            match recover(block.commitment(), &columns) {
                Err(Error::NotACodeword { rows }) => rows,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(rows_of((0..params.half()).collect()), [0; 0]);
        assert_eq!(rows_of((params.half()..params.columns()).collect()), [1]);
        assert_eq!(rows_of((0..params.columns()).collect()), [1]);
    }
}

#[test]
fn recovery_refuses_columns_of_two_commitments() {
    let block = small(HashWidth::W16);
    let (params, payload) = instance(HashWidth::W16, 4, 1, 2, 8);
    let other = Block::build(params, &payload).unwrap();
    let check = |block: &Block, indices: &[usize]| -> Vec<_> {
        let columns = block.commitment().check_all(block.open(indices).unwrap());
        columns.into_iter().map(Result::unwrap).collect()
    };
    let half: Vec<usize> = (1..params.half()).collect();
    let mixed = [check(&block, &half), check(&other, &[0])].concat();
    let refused = recover(block.commitment(), &mixed);
    assert!(matches!(refused, Err(Error::MixedRoots { index: 0 })));
}

/// A change here is a change of the protocol or of a file: raise the version it belongs to.
#[test]
fn commitments_and_proofs_are_pinned() {
    let digest = |bytes: &[u8]| {
        let digest: [u8; 32] = Keccak256Hash.hash_slice(bytes);
        digest[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let pinned = WIDTHS.map(|hash| {
        let payload = bytes(19 * 32 * 3 - 5, 9);
        let params = Params::new(hash, 5, 1, 3, payload.len() as u64).unwrap();
        let block = Block::build(params, &payload).unwrap();
        (digest(&block.commitment().encode()), digest(&prove(&block)))
    });
    assert_eq!(
        pinned,
        [
            ("f78d267e8251ad6a".to_owned(), "bed979d2a273e13e".to_owned()),
            ("f15b147b82fc3795".to_owned(), "9ac7fed590d75ee8".to_owned()),
        ]
    );
}
