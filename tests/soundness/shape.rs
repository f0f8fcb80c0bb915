//! Lengths, names and encodings.

use airda::artifact::{Limits, Malformed, ProofFile};
use airda::params::HashWidth;
use airda::proof::{self, ChainStep, Verified};
use airda::{Block, Column, Commitment, Error, Params};
use airda_gkr::Reject;

use crate::common::{WIDTHS, cheap, instance, prove, verify};
use crate::support::{honest, systems};

const P: u32 = 0x7f00_0001;

fn file_of(body: &[u8]) -> Vec<u8> {
    ProofFile { system: 0, membership: 1, chain_step: 1, body }.encode()
}

fn body_of(file: &[u8]) -> &[u8] {
    ProofFile::decode(file, &Limits::default()).unwrap().body
}

fn smallest() -> Block {
    let (params, payload) = instance(HashWidth::W16, 1, 0, 1, 2);
    Block::build(params, &payload).unwrap()
}

/// A good proof of a weak system: the verifier takes no parameters but its own table's, and
/// refuses the name.
#[test]
fn item_05_a_proof_cannot_choose_weak_parameters() {
    for hash in WIDTHS {
        let block = honest(hash);
        let file = prove(&block);
        verify(&block, &file).unwrap();
        let refused = proof::verify(block.commitment(), &file);
        assert!(matches!(refused, Err(Error::Proof(Reject::UnknownParameters(0)))), "{refused:?}");
    }
}

/// Proofs without one of their parts, without a level, and without anything.
#[test]
fn item_06_a_proof_without_one_of_its_parts_is_refused() {
    let (params, payload) = instance(HashWidth::W16, 5, 3, 2, 6);
    let block = Block::build(params, &payload).unwrap();
    for step in [ChainStep::EVERY, ChainStep::new(2).unwrap()] {
        let system = cheap().with_chain_step(step);
        let file = proof::prove(&block, &system).unwrap();
        let Verified { sizes, .. } =
            proof::verify_with(block.commitment(), &system, &file).unwrap();
        let body = body_of(&file);
        assert_eq!(
            body.len(),
            sizes.unwrap().commitment
                + sizes.unwrap().walk
                + sizes.unwrap().form
                + sizes.unwrap().opening
        );
        let mut rest = body;
        let mut parts = Vec::new();
        for len in [
            sizes.unwrap().commitment,
            sizes.unwrap().walk,
            sizes.unwrap().form,
            sizes.unwrap().opening,
        ] {
            let (part, after) = rest.split_at(len);
            parts.push(part);
            rest = after;
        }
        // The walk of the first of two levels, and all of it.
        parts.insert(2, &parts[1][sizes.unwrap().walk / 2..]);
        parts[1] = &parts[1][..sizes.unwrap().walk / 2];
        for missing in 0..parts.len() {
            let mut kept = parts.clone();
            kept.remove(missing);
            // As short as it is, and of the right length: then it is read to where it fails.
            let short = kept.concat();
            let mut filled = short.clone();
            filled.resize(body.len(), 0);
            for body in [&short, &filled] {
                let (membership, chain_step) = (system.membership().id(), step.id());
                let file = ProofFile { system: 0, membership, chain_step, body }.encode();
                let refused = proof::verify_with(block.commitment(), &system, &file);
                assert!(matches!(refused, Err(Error::Proof(_))), "{missing}: {refused:?}");
            }
        }
        let nothing =
            ProofFile { system: 0, membership: 1, chain_step: step.id(), body: &[] }.encode();
        let refused = proof::verify_with(block.commitment(), &system, &nothing);
        assert!(matches!(refused, Err(Error::Proof(Reject::Truncated))), "{refused:?}");
    }
}

/// Every small shape, in every way to prove, with bodies of zeros, also as long as a proof may
/// be: then every check of the walk is 0 = 0. Refused, without a panic. Shapes that do not fit
/// together are no parameters at all.
#[test]
fn item_07_no_shape_panics() {
    let zeros = vec![0; 1 << 20];
    for hash in WIDTHS {
        for (log_k, log_c) in [(0, 0), (1, 0), (1, 1), (2, 1), (4, 4), (7, 0)] {
            for rows in [1, 2, 3, 5] {
                let params = Params::new(hash, log_k, log_c, rows, 1).unwrap();
                let digest = [airda::F::default(); 8];
                let commitment = Commitment::new(params, vec![digest; rows], digest).unwrap();
                for system in systems() {
                    let (membership, chain_step) =
                        (system.membership().id(), system.chain_step().id());
                    let refused = |len: usize| {
                        let body = &zeros[..len];
                        let file = ProofFile { system: 0, membership, chain_step, body }.encode();
                        match proof::verify_with(&commitment, &system, &file) {
                            Err(Error::Proof(reject)) => reject,
                            other => panic!("{params:?} {system:?}: {other:?}"),
                        }
                    };
                    let Reject::Trailing(extra) = refused(zeros.len()) else {
                        panic!("a proof of 2^20 bytes for {params:?}")
                    };
                    let longest = zeros.len() - extra;
                    for len in [0, 31, 32, 52, longest / 2, longest] {
                        refused(len);
                    }
                }
            }
        }
    }
    for (log_k, log_c, rows, len) in [
        (3, 4, 1, 1),
        (0, 1, 1, 1),
        (21, 0, 1, 1),
        (3, 1, 0, 1),
        (3, 1, 4097, 1),
        (3, 1, 1, 0),
        (3, 1, 1, 19 * 8 + 1),
        (20, 0, 4096, 1),
        (16, 16, 4, 1),
    ] {
        assert!(matches!(
            Params::new(HashWidth::W16, log_k, log_c, rows, len),
            Err(Error::Params(_))
        ));
    }
}

/// Bytes after the end, of an artifact and of a proof's body inside its envelope; lengths that
/// say more than there is.
#[test]
fn item_08_trailing_bytes_and_long_lengths_are_refused() {
    let block = smallest();
    let commitment = block.commitment();
    let malformed = |result: Result<(), Error>| match result {
        Err(Error::Malformed { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let longer = |bytes: Vec<u8>| [bytes, vec![0]].concat();

    let encoded = longer(commitment.encode());
    let decoded = Commitment::decode(&encoded, &Limits::default());
    assert_eq!(malformed(decoded.map(drop)), Malformed::Trailing(1));
    let column = block.open(&[1]).unwrap().remove(0);
    let decoded = Column::decode(&longer(column.encode()), commitment);
    assert_eq!(malformed(decoded.map(drop)), Malformed::Trailing(1));

    let file = prove(&block);
    assert_eq!(malformed(verify(&block, &longer(file.clone()))), Malformed::Trailing(1));
    let refused = verify(&block, &file_of(&longer(body_of(&file).to_vec())));
    assert!(matches!(refused, Err(Error::Proof(Reject::Trailing(1)))), "{refused:?}");

    let mut lying = file;
    let at = ProofFile::ENVELOPE_BYTES - 4;
    lying[at..at + 4].copy_from_slice(&[0xff; 4]);
    assert_eq!(malformed(verify(&block, &lying)), Malformed::Truncated);
    let mut lying = commitment.encode();
    let rows = 8 + 2 + 3;
    lying[rows..rows + 4].copy_from_slice(&4096_u32.to_le_bytes());
    let decoded = Commitment::decode(&lying, &Limits::default());
    assert_eq!(malformed(decoded.map(drop)), Malformed::Truncated);
}

/// The word at `at` plus p, where it is a word at all.
fn twin(bytes: &[u8], at: usize) -> Option<Vec<u8>> {
    let word = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let twin = word.checked_add(P)?;
    let mut forged = bytes.to_vec();
    forged[at..at + 4].copy_from_slice(&twin.to_le_bytes());
    Some(forged)
}

/// Every word of every artifact as v + p: another encoding of the same field element, which
/// only the decoder can tell.
#[test]
fn item_09_words_that_are_not_canonical_are_refused() {
    let block = smallest();
    let commitment = block.commitment();
    let encoded = commitment.encode();
    let mut words = 0;
    for at in (8 + 2 + 15..encoded.len()).step_by(4) {
        let Some(forged) = twin(&encoded, at) else { continue };
        let refused = Commitment::decode(&forged, &Limits::default());
        let why = Malformed::NonCanonicalWord;
        assert!(matches!(refused, Err(Error::Malformed { why: found, .. }) if found == why));
        words += 1;
    }
    assert_eq!(words, 8 * (2 + block.params().rows()));

    let encoded = block.open(&[1]).unwrap().remove(0).encode();
    let index = 8 + 2 + 32;
    for at in (8 + 2..encoded.len()).step_by(4).filter(|&at| at != index) {
        let forged = twin(&encoded, at).unwrap();
        let refused = Column::decode(&forged, commitment);
        let why = Malformed::NonCanonicalWord;
        assert!(matches!(refused, Err(Error::Malformed { why: found, .. }) if found == why));
    }

    let file = prove(&block);
    let Verified { sizes, .. } = proof::verify_with(commitment, &cheap(), &file).unwrap();
    let first = ProofFile::ENVELOPE_BYTES + sizes.unwrap().commitment;
    // Walk, linear form, and the opened value are words throughout; of the opening's other
    // words some are digests, which are refused by another check.
    let opened = first + sizes.unwrap().walk + sizes.unwrap().form + 20;
    for at in (first..file.len()).step_by(4) {
        let Some(forged) = twin(&file, at) else {
            assert!(at >= opened);
            continue;
        };
        let refused = verify(&block, &forged);
        let canonical = matches!(refused, Err(Error::Proof(Reject::NonCanonicalWord)));
        assert!(canonical || at >= opened && refused.is_err(), "byte {at}: {refused:?}");
    }
}
