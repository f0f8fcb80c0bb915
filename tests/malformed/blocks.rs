//! The honest blocks, and the proofs of them, that all damage is done to.

use std::sync::LazyLock;

use airda::artifact::{Limits, ProofFile};
use airda::params::HashWidth;
use airda::proof::{self, System, Verified};
use airda::{Block, Commitment, Error};
use airda_gkr::commit::{Fold, Parameters, SecurityAssumption};
use airda_gkr::count::Counts;

use crate::cases::gave_up;
use crate::common::{CHAIN_STEPS, MEMBERSHIPS, WIDTHS, cheap, instance};
use crate::measure::{limited, measure, within_memory};

/// A block and its artifacts.
pub(crate) struct Subject {
    pub(crate) block: Block,
    pub(crate) payload: Vec<u8>,
    /// The commitment's file, and what decoding it counts.
    pub(crate) commitment: Vec<u8>,
    pub(crate) decoding: Counts,
    /// Every column's file, and what decoding and checking one counts.
    pub(crate) columns: Vec<Vec<u8>>,
    pub(crate) checking: Counts,
}

impl Subject {
    pub(crate) fn new(
        hash: HashWidth,
        (log_k, log_c, rows): (usize, usize, usize),
        seed: u64,
    ) -> Self {
        let (params, payload) = instance(hash, log_k, log_c, rows, seed);
        let block = Block::build(params, &payload).unwrap();
        let commitment = block.commitment().encode();
        let (decoded, decoding) =
            measure(|| Commitment::decode(&commitment, &Limits::default()).unwrap());
        let all: Vec<usize> = (0..params.columns()).collect();
        let columns: Vec<Vec<u8>> =
            block.open(&all).unwrap().iter().map(airda::Column::encode).collect();
        let (_, checking) = measure(|| {
            decoded.check(airda::Column::decode(&columns[0], &decoded).unwrap()).unwrap()
        });
        let (decoding, checking) = (decoding.counts, checking.counts);
        Self { block, payload, commitment, decoding, columns, checking }
    }

    pub(crate) fn commitment(&self) -> &Commitment {
        self.block.commitment()
    }
}

/// The smallest there is, and one whose cells take several calls at both widths; two payloads.
const SHAPES: [((usize, usize, usize), u64); 4] =
    [((0, 0, 1), 1), ((4, 3, 2), 1), ((4, 3, 2), 2), ((5, 1, 3), 1)];

/// Both widths of every shape; the same index is the same shape at the same width.
pub(crate) static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    WIDTHS
        .into_iter()
        .flat_map(|hash| SHAPES.map(|(shape, seed)| Subject::new(hash, shape, seed)))
        .collect()
});

/// A proof with what verifying it counts.
pub(crate) struct Proof {
    /// Of which subject.
    pub(crate) subject: &'static Subject,
    pub(crate) system: System,
    pub(crate) file: Vec<u8>,
    pub(crate) verified: Verified,
    pub(crate) honest: Counts,
}

impl Proof {
    pub(crate) fn new(subject: &'static Subject, system: System) -> Self {
        let file = proof::prove(&subject.block, &system).unwrap();
        // What is made once for all proofs is not to be counted.
        let _ = proof::verify_with(subject.commitment(), &system, &file).unwrap();
        let (verified, cost) =
            measure(|| proof::verify_with(subject.commitment(), &system, &file).unwrap());
        within_memory(file.len(), cost);
        Self { subject, system, file, verified, honest: cost.counts }
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.file[ProofFile::ENVELOPE_BYTES..]
    }

    /// The same file around another body.
    pub(crate) fn with_body(&self, body: &[u8]) -> Vec<u8> {
        ProofFile {
            system: self.system.parameters().id(),
            membership: self.system.membership().id(),
            chain_step: self.system.chain_step().id(),
            body,
        }
        .encode()
    }

    /// Where in the file the opening begins.
    pub(crate) fn opening(&self) -> usize {
        self.file.len() - self.verified.sizes.unwrap().opening
    }

    /// Verifies a file in place of this proof's, within the limits.
    #[track_caller]
    pub(crate) fn verify(&self, file: &[u8]) -> Result<Verified, Error> {
        limited(file.len(), self.honest, || {
            proof::verify_with(self.subject.commitment(), &self.system, file)
        })
    }

    #[track_caller]
    pub(crate) fn refuses(&self, file: &[u8]) {
        match self.verify(file) {
            Ok(verified) => panic!("{:?} accepted: {verified:?}", self.system),
            Err(error) if error.to_string().contains("gave up") => gave_up(),
            Err(_) => {}
        }
    }
}

/// As few queries as possible: for the proof whose every word is changed.
pub(crate) fn weakest() -> System {
    System::insecure_for_tests(Parameters::insecure_for_tests(
        SecurityAssumption::JohnsonBound,
        1,
        20,
        Fold { variables: 4, shrink: 3 },
        Fold { variables: 3, shrink: 1 },
    ))
}

/// Every way to prove two payloads of one shape, and one way for the other shapes, at both
/// widths; last the same with another schedule.
pub(crate) static PROOFS: LazyLock<Vec<Proof>> = LazyLock::new(|| {
    let mut proofs = Vec::new();
    for half in SUBJECTS.chunks(SHAPES.len()) {
        for subject in &half[1..3] {
            for membership in MEMBERSHIPS {
                for step in CHAIN_STEPS {
                    let system = cheap().with_membership(membership).with_chain_step(step);
                    proofs.push(Proof::new(subject, system));
                }
            }
        }
        proofs.push(Proof::new(&half[0], cheap()));
        proofs.push(Proof::new(&half[3], cheap()));
        proofs.push(Proof::new(&half[1], weakest()));
    }
    proofs
});

/// The smallest proof at each width.
pub(crate) static SMALLEST: LazyLock<Vec<Proof>> = LazyLock::new(|| {
    SUBJECTS.chunks(SHAPES.len()).map(|half| Proof::new(&half[0], weakest())).collect()
});

/// A proof of full strength, which files can name.
pub(crate) static STRONG: LazyLock<Proof> =
    LazyLock::new(|| Proof::new(&SUBJECTS[1], System::for_rate(1).unwrap()));
