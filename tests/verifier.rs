//! What verifiers, samplers and recoverers do with a builder's files, in every build of the
//! crate: the files under `tests/data` were built once, at full security. Where there is a
//! builder, it still has to build the same.

use std::fs;
use std::path::PathBuf;

use airda::artifact::{Limits, ProofFile};
use airda::params::HashWidth;
use airda::proof::{self, Membership};
use airda::sampling::{Purpose, Seed, SubsetSoundness, draw};
use airda::{CheckedColumn, Column, Commitment, Error, Params, recover};

/// A build that was kept: its shape and how its proof was made.
struct Kept {
    name: &'static str,
    hash: HashWidth,
    log_k: usize,
    log_c: usize,
    rows: usize,
    payload_len: usize,
    /// Whether the proof is by AIR tables.
    air: bool,
    membership: Membership,
    chain_step: u8,
}

/// Both proof systems at both widths, both ways to show membership, with and without transient
/// pieces; all leave some of the last row empty. AIR proofs are long, so their blocks are small.
const KEPT: [Kept; 4] = [
    Kept {
        name: "width-16",
        hash: HashWidth::W16,
        log_k: 7,
        log_c: 2,
        rows: 3,
        payload_len: 7001,
        air: false,
        membership: Membership::Construction,
        chain_step: 1,
    },
    Kept {
        name: "width-24",
        hash: HashWidth::W24,
        log_k: 6,
        log_c: 3,
        rows: 2,
        payload_len: 2001,
        air: false,
        membership: Membership::Vector,
        chain_step: 2,
    },
    Kept {
        name: "air-width-16",
        hash: HashWidth::W16,
        log_k: 2,
        log_c: 1,
        rows: 1,
        payload_len: 61,
        air: true,
        membership: Membership::Vector,
        chain_step: 1,
    },
    Kept {
        name: "air-width-24",
        hash: HashWidth::W24,
        log_k: 2,
        log_c: 1,
        rows: 1,
        payload_len: 62,
        air: true,
        membership: Membership::Vector,
        chain_step: 1,
    },
];

/// A build's files.
struct Files {
    commitment: Vec<u8>,
    proof: Vec<u8>,
    columns: Vec<Vec<u8>>,
}

impl Kept {
    fn path(&self, file: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(self.name).join(file)
    }

    fn payload(&self) -> Vec<u8> {
        let sample = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/sample.png");
        fs::read(sample).unwrap()[..self.payload_len].to_vec()
    }

    fn params(&self) -> Params {
        let len = self.payload_len as u64;
        Params::new(self.hash, self.log_k, self.log_c, self.rows, len).unwrap()
    }

    /// The files; the columns are in one, one after the other.
    fn files(&self) -> Files {
        let read = |file| fs::read(self.path(file)).unwrap();
        let columns = read("columns");
        let columns = columns.chunks(Column::encoded_len(&self.params()));
        Files {
            commitment: read("commitment"),
            proof: read("proof"),
            columns: columns.map(<[u8]>::to_vec).collect(),
        }
    }
}

impl Files {
    fn commitment(&self) -> Commitment {
        Commitment::decode(&self.commitment, &Limits::default()).unwrap()
    }

    fn checked(&self, commitment: &Commitment, indices: &[usize]) -> Vec<CheckedColumn> {
        let column = |&index: &usize| Column::decode(&self.columns[index], commitment).unwrap();
        let checked = commitment.check_all(indices.iter().map(column).collect());
        checked.into_iter().collect::<Result<_, _>>().unwrap()
    }
}

#[test]
fn a_verifier_accepts_the_files() {
    for kept in &KEPT {
        let files = kept.files();
        let commitment = files.commitment();
        assert_eq!(*commitment.params(), kept.params());
        assert_eq!(commitment.encode(), files.commitment);
        let file = ProofFile::decode(&files.proof, &Limits::default()).unwrap();
        assert_eq!((file.membership, file.chain_step), (kept.membership.id(), kept.chain_step));
        let verified = proof::verify(&commitment, &files.proof).unwrap();
        assert!(verified.security.proof_bits >= if kept.air { 100.0 } else { 128.0 });
        assert_eq!(verified.security.proof.air().is_some(), kept.air);
        assert_eq!(verified.calls, kept.params().calls());

        assert_eq!(files.columns.len(), kept.params().columns());
        let all: Vec<usize> = (0..files.columns.len()).collect();
        for (checked, bytes) in files.checked(&commitment, &all).iter().zip(&files.columns) {
            assert_eq!(checked.column().encode(), *bytes);
        }
    }
}

#[test]
fn a_client_samples() {
    for kept in &KEPT {
        let (files, columns) = (kept.files(), kept.params().columns());
        let commitment = files.commitment();
        let count = SubsetSoundness::default().samples(columns);
        for seed in [Seed::from(7), Seed::from_os().unwrap()] {
            let drawn = draw(&seed, Purpose::Sample, columns, count).unwrap();
            assert_eq!(files.checked(&commitment, &drawn).len(), count);
            for &index in &drawn {
                let column = Column::decode(&files.columns[index], &commitment).unwrap();
                assert_eq!(commitment.check(column).unwrap().index(), index);
            }
        }
    }
}

#[test]
fn any_half_gives_the_payload_and_the_other_columns() {
    for kept in &KEPT {
        let (files, params) = (kept.files(), kept.params());
        let commitment = files.commitment();
        let drawn =
            |seed| draw(&Seed::from(seed), Purpose::Survivors, params.columns(), params.half());
        let mut halves: Vec<Vec<usize>> = (0..8).map(|seed| drawn(seed).unwrap()).collect();
        halves.push((0..params.half()).collect());
        halves.push((params.half()..params.columns()).collect());
        for mut half in halves {
            half.sort_unstable();
            let recovered = recover(&commitment, &files.checked(&commitment, &half)).unwrap();
            assert_eq!(recovered.payload().unwrap(), kept.payload());
            let missing = (0..params.columns()).filter(|index| !half.contains(index));
            let missing: Vec<usize> = missing.collect();
            for (column, &index) in recovered.open(&missing).unwrap().iter().zip(&missing) {
                assert_eq!(column.encode(), files.columns[index], "column {index}");
            }
        }
        let few = files.checked(&commitment, &drawn(9).unwrap()[1..]);
        assert!(matches!(recover(&commitment, &few), Err(Error::TooFewColumns { .. })));
    }
}

#[test]
fn altered_bytes_are_refused() {
    let altered = |bytes: &[u8], at: usize| {
        let mut altered = bytes.to_vec();
        altered[at] ^= 1 << (at % 8);
        altered
    };
    for kept in &KEPT {
        let files = kept.files();
        let commitment = files.commitment();
        for at in 0..files.commitment.len() {
            let bytes = altered(&files.commitment, at);
            assert!(Commitment::decode(&bytes, &Limits::default()).is_err(), "byte {at}");
        }
        // Every byte of a column, each time of another one.
        for at in 0..files.columns[0].len() {
            let bytes = altered(&files.columns[at % files.columns.len()], at);
            let column = Column::decode(&bytes, &commitment);
            let checked = column.and_then(|column| commitment.check(column));
            assert!(checked.is_err(), "byte {at}");
        }
        for at in (0..files.proof.len()).step_by(files.proof.len() / 100) {
            let bytes = altered(&files.proof, at);
            assert!(proof::verify(&commitment, &bytes).is_err(), "byte {at}");
        }
    }
    // Another commitment's proof and columns.
    for [one, other] in [[0, 1], [2, 3], [0, 2], [3, 1]] {
        let [one, other] = [&KEPT[one], &KEPT[other]].map(Kept::files);
        let commitment = one.commitment();
        assert!(proof::verify(&commitment, &other.proof).is_err());
        assert!(Column::decode(&other.columns[0], &commitment).is_err());
    }
}

#[cfg(feature = "prover")]
mod builder {
    use airda::Block;
    use airda::proof::{ChainStep, ProofSystem, System, air};

    use super::*;

    fn build(kept: &Kept) -> (Block, Vec<Column>) {
        let block = Block::build(kept.params(), &kept.payload()).unwrap();
        let all: Vec<usize> = (0..kept.params().columns()).collect();
        let columns = block.open(&all).unwrap();
        (block, columns)
    }

    /// AIR proofs at the rate of fewer queries.
    fn system(kept: &Kept) -> ProofSystem {
        if kept.air {
            return ProofSystem::Air(air::System::for_rate(2).unwrap());
        }
        let system = System::for_rate(1).unwrap().with_membership(kept.membership);
        ProofSystem::Gkr(system.with_chain_step(ChainStep::new(kept.chain_step).unwrap()))
    }

    /// Proofs apart: which proof of work is found depends on which thread is first.
    #[test]
    fn the_files_are_built_again_byte_for_byte() {
        for kept in &KEPT {
            let (block, columns) = build(kept);
            let files = kept.files();
            assert_eq!(block.commitment().encode(), files.commitment);
            let columns: Vec<Vec<u8>> = columns.iter().map(Column::encode).collect();
            assert_eq!(columns, files.columns);
        }
    }

    #[test]
    #[ignore = "writes the files: cargo test --test verifier -- --ignored"]
    fn write_the_files() {
        for kept in &KEPT {
            let (block, columns) = build(kept);
            fs::create_dir_all(kept.path("")).unwrap();
            let columns: Vec<Vec<u8>> = columns.iter().map(Column::encode).collect();
            for (file, bytes) in [
                ("commitment", block.commitment().encode()),
                ("proof", proof::prove(&block, system(kept)).unwrap()),
                ("columns", columns.concat()),
            ] {
                fs::write(kept.path(file), bytes).unwrap();
            }
        }
    }
}
