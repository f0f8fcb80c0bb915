use std::panic::catch_unwind;

use airda_gkr::F;
use airda_gkr::codec::WORD_BYTES;
use p3_field::PrimeField32;

use super::*;
use crate::commitment::Commitment;
use crate::opening::fixture::Fixture;
use crate::opening::{Column, Mismatch, open_many};
use crate::params::HashWidth;

fn fixture() -> Fixture {
    Fixture::new(HashWidth::W16, 4, 1, 3)
}

fn column(fixture: &Fixture) -> Column {
    let index = fixture.commitment.params().columns() - 1;
    open_many(&fixture.commitment, &fixture.tree, &fixture.matrix, &[index]).unwrap().remove(0)
}

fn read_commitment(bytes: &[u8]) -> Result<Commitment, Error> {
    Commitment::decode(bytes, &Limits::default())
}

fn why<T: fmt::Debug>(result: Result<T, Error>) -> Malformed {
    match result {
        Err(Error::Malformed { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

/// Every encoding with a reader that says whether the bytes still mean the same artifact: it
/// decodes, belongs to the right commitment and encodes to the same bytes again.
type Read = Box<dyn Fn(&[u8]) -> Result<(), Error> + std::panic::RefUnwindSafe>;

fn artifacts() -> Vec<(Vec<u8>, Read)> {
    let fixture = fixture();
    let commitment = fixture.commitment.clone();
    let column = column(&fixture).encode();
    let proof = ProofFile { system: 1, membership: 1, chain_step: 1, body: &[7; 23] }.encode();
    let again = |encoded: Vec<u8>, bytes: &[u8]| assert_eq!(encoded, bytes, "not canonical");
    vec![
        (
            commitment.encode(),
            Box::new(move |bytes: &[u8]| {
                read_commitment(bytes).map(|decoded| again(decoded.encode(), bytes))
            }),
        ),
        (
            column,
            Box::new(move |bytes: &[u8]| {
                let column = Column::decode(bytes, &commitment)?;
                again(column.encode(), bytes);
                commitment.check(column).map(drop)
            }),
        ),
        (
            proof,
            Box::new(move |bytes: &[u8]| {
                let decoded = ProofFile::decode(bytes, &Limits::default())?;
                again(decoded.encode(), bytes);
                Ok(())
            }),
        ),
    ]
}

#[test]
fn artifacts_come_back() {
    for fixture in Fixture::all() {
        let commitment = &fixture.commitment;
        let bytes = commitment.encode();
        assert_eq!(bytes.len(), Commitment::encoded_len(commitment.params()));
        assert_eq!(read_commitment(&bytes).unwrap(), *commitment);
        assert_eq!(Kind::of(&bytes), Some(Kind::Commitment));

        let column = column(&fixture);
        let bytes = column.encode();
        assert_eq!(bytes.len(), Column::encoded_len(commitment.params()));
        assert_eq!(Column::decode(&bytes, commitment).unwrap(), column);
        assert_eq!(Kind::of(&bytes), Some(Kind::Column));
        let header = ColumnHeader::decode(&bytes).unwrap();
        assert_eq!((header.root, header.index), (*commitment.root(), column.index()));
        assert_eq!(header.body_bytes, (column.words().len() + 8 * column.path().len()) * 4);
    }
    for body in [&[] as &[u8], &[1], &[9; 1000]] {
        let file = ProofFile { system: 0x1234, membership: 7, chain_step: 9, body };
        let bytes = file.encode();
        assert_eq!(bytes.len(), ProofFile::ENVELOPE_BYTES + body.len());
        assert_eq!(ProofFile::decode(&bytes, &Limits::default()).unwrap(), file);
        assert_eq!(Kind::of(&bytes), Some(Kind::Proof));
    }
    assert_eq!(Kind::of(b"airda.xx and more"), None);
}

#[test]
fn refuses_every_truncation_and_extension() {
    for (bytes, read) in artifacts() {
        read(&bytes).unwrap();
        for len in 0..bytes.len() {
            assert_eq!(why(read(&bytes[..len])), Malformed::Truncated, "cut at {len}");
        }
        for extra in 1..40 {
            let long = [bytes.clone(), vec![0; extra]].concat();
            assert_eq!(why(read(&long)), Malformed::Trailing(extra));
        }
    }
}

/// A proof's body is opaque, and so are the numbers of its system, membership and chain
/// step; all other bits matter.
#[test]
fn refuses_every_flipped_bit() {
    for (bytes, read) in artifacts() {
        let opaque = Kind::of(&bytes) == Some(Kind::Proof);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let result = catch_unwind(|| read(&flipped)).expect("no panic");
            let free = opaque
                && (bit / 8 >= ProofFile::ENVELOPE_BYTES
                    || (HEADER_BYTES..HEADER_BYTES + 4).contains(&(bit / 8)));
            assert_eq!(result.is_ok(), free, "bit {bit}");
        }
    }
}

/// v and v + p are the same word in 32 bits for small v: only one of them is read.
#[test]
fn refuses_every_word_of_the_modulus_or_more() {
    let commitment_words = HEADER_BYTES + 15;
    for (bytes, first, read) in artifacts()
        .into_iter()
        .zip([Some(commitment_words), Some(HEADER_BYTES), None])
        .filter_map(|((bytes, read), first)| first.map(|first| (bytes, first, read)))
    {
        let index = HEADER_BYTES + DIGEST_BYTES;
        let is_column = Kind::of(&bytes) == Some(Kind::Column);
        let mut at = first;
        while at < bytes.len() {
            if is_column && at == index {
                at += 4;
            }
            let mut altered = bytes.clone();
            let word = u32::from_le_bytes(altered[at..][..4].try_into().unwrap());
            let Some(twin) = word.checked_add(F::ORDER_U32) else { panic!("cannot overflow") };
            altered[at..][..4].copy_from_slice(&twin.to_le_bytes());
            assert_eq!(why(read(&altered)), Malformed::NonCanonicalWord, "at {at}");
            at += WORD_BYTES;
        }
    }
}

#[test]
fn refuses_other_kinds_and_versions() {
    let all = artifacts();
    for (i, (bytes, _)) in all.iter().enumerate() {
        for (j, (_, read)) in all.iter().enumerate() {
            if i != j {
                assert_eq!(why(read(bytes)), Malformed::Magic);
            }
        }
        let mut newer = bytes.clone();
        newer[MAGIC_BYTES] = 2;
        assert_eq!(why(all[i].1(&newer)), Malformed::Version(2));
    }
}

#[test]
fn refuses_huge_counts_before_reading_on() {
    let commitment = fixture().commitment.encode();
    let set = |at: usize, value: &[u8]| {
        let mut bytes = commitment.clone();
        bytes[at..][..value.len()].copy_from_slice(value);
        why(read_commitment(&bytes))
    };
    let at = HEADER_BYTES;
    assert_eq!(set(at, &[17]), Malformed::Width(17));
    let limit = |what, value, limit| Malformed::Limit { what, value, limit };
    assert_eq!(set(at + 1, &[255]), limit("log2 of the row length", 255, 18));
    assert!(matches!(set(at + 2, &[255]), Malformed::Params(_)));
    let rows = u64::from(u32::MAX);
    assert_eq!(set(at + 3, &[255; 4]), limit("the number of rows", rows, 4096));
    // Within the limits, but more than the file holds.
    assert_eq!(set(at + 3, &[0, 1, 0, 0]), Malformed::Truncated);
    assert_eq!(
        set(at + 3, &[0; 4]),
        Malformed::Params("the number of rows must be between 1 and 4096")
    );
    assert!(matches!(set(at + 7, &[255; 8]), Malformed::Params(_)));
    assert!(matches!(set(at + 7, &[0; 8]), Malformed::Params(_)));

    let mut proof = ProofFile { system: 1, membership: 1, chain_step: 1, body: &[7; 23] }.encode();
    proof[HEADER_BYTES + 4..][..4].copy_from_slice(&[255; 4]);
    assert_eq!(why(ProofFile::decode(&proof, &Limits::default())), Malformed::Truncated);
}

/// One root, one payload length: a length that would fit as well is not the root's.
#[test]
fn refuses_parameters_that_the_root_does_not_bind() {
    let fixture = fixture();
    let bytes = fixture.commitment.encode();
    let len = fixture.commitment.params().payload_len();
    let at = HEADER_BYTES + 7;
    for other in [len - 1, len + 1, 1] {
        let mut altered = bytes.clone();
        altered[at..][..8].copy_from_slice(&other.to_le_bytes());
        assert_eq!(why(read_commitment(&altered)), Malformed::Root);
    }
    let mut altered = bytes;
    altered[HEADER_BYTES] = 24;
    assert_eq!(why(read_commitment(&altered)), Malformed::Root);
}

#[test]
fn honours_the_readers_limits() {
    let bytes = fixture().commitment.encode();
    let exact = Limits { commitment_bytes: bytes.len(), proof_bytes: 43, log_k: 4, rows: 3 };
    Commitment::decode(&bytes, &exact).unwrap();
    for tight in [
        Limits { commitment_bytes: bytes.len() - 1, ..exact },
        Limits { log_k: 3, ..exact },
        Limits { rows: 2, ..exact },
    ] {
        let refused = why(Commitment::decode(&bytes, &tight));
        assert!(matches!(refused, Malformed::Limit { .. }), "{refused}");
    }
    let proof = ProofFile { system: 1, membership: 1, chain_step: 1, body: &[7; 25] }.encode();
    ProofFile::decode(&proof, &exact).unwrap();
    let refused = ProofFile::decode(&proof, &Limits { proof_bytes: 42, ..exact });
    assert!(matches!(why(refused), Malformed::Limit { .. }));
}

#[test]
fn refuses_a_column_of_another_commitment_or_out_of_range() {
    let fixture = fixture();
    let column = column(&fixture);
    let other = Fixture::new(HashWidth::W24, 4, 1, 3).commitment;
    let refused = Column::decode(&column.encode(), &other);
    assert!(matches!(refused, Err(Error::Column { index: 15, why: Mismatch::OtherRoot })));

    let beyond = Column::new(*column.root(), 16, column.words().to_vec(), column.path().to_vec());
    let refused = Column::decode(&beyond.encode(), &fixture.commitment);
    let why = Mismatch::Index { columns: 16 };
    assert!(matches!(refused, Err(Error::Column { index: 16, why: found }) if found == why));
}

#[test]
fn messages_say_what_was_wrong() {
    let error = read_commitment(b"PNG").unwrap_err();
    assert_eq!(
        error.to_string(),
        "malformed commitment: it does not start with this artifact's magic bytes"
    );
    let error = read_commitment(&[]).unwrap_err();
    assert_eq!(error.to_string(), "malformed commitment: it ends early");
}

/// A change of these bytes is a change of the format: raise [`VERSION`].
#[test]
fn encodings_are_pinned() {
    use p3_keccak::Keccak256Hash;
    use p3_symmetric::CryptographicHasher;
    let digests: Vec<String> = artifacts()
        .into_iter()
        .map(|(bytes, _)| Keccak256Hash.hash_iter(bytes))
        .map(|digest| digest[..8].iter().map(|byte| format!("{byte:02x}")).collect())
        .collect();
    assert_eq!(digests, ["f257e357547e0782", "2e61f8de8eb05e78", "eceff68bae139a77"]);
}
