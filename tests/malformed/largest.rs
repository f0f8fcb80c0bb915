//! Commitments of the largest parameters: a stranger's few bytes that call for large tables.

use airda::artifact::ProofFile;
use airda::opening::Mismatch;
use airda::params::{HashWidth, MAX_LOG_COLUMN_WORDS, MAX_LOG_K, MAX_ROWS};
use airda::proof::{self, ChainStep, Membership, System};
use airda::{Block, Column, Commitment, Error, Params, recover};
use airda_gkr::Reject;
use airda_gkr::count::Counts;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::blocks::{Proof, SUBJECTS};
use crate::cases::{alone, every_with, long, sampled};
use crate::commitments::under_any_digests;
use crate::common::{CHAIN_STEPS, MEMBERSHIPS, WIDTHS, cheap};
use crate::edits::{noise, noise_of_words};
use crate::measure::{limited, measure, within_memory};

/// For rows of every length and cells of every size as many rows as there can be.
fn shapes(hash: HashWidth) -> Vec<Params> {
    let mut shapes = Vec::new();
    for log_k in [0, 1, 4, 8, 12, 15, 17, MAX_LOG_K] {
        for log_c in 0..=log_k {
            let new = |rows| Params::new(hash, log_k, log_c, rows, 1).ok();
            // Halving: what a size allows, every smaller one does.
            let (mut most, mut refused) = (0, MAX_ROWS + 1);
            while refused - most > 1 {
                let rows = (most + refused) / 2;
                if new(rows).is_some() { most = rows } else { refused = rows }
            }
            shapes.extend(new(most));
        }
    }
    shapes
}

/// One way to prove, at one width.
struct Way {
    hash: HashWidth,
    membership: Membership,
    step: ChainStep,
    /// What verifying the smallest block's proof counts.
    smallest: Counts,
}

impl Way {
    fn all() -> Vec<Self> {
        let mut ways = Vec::new();
        for hash in WIDTHS {
            let half = SUBJECTS.len() / 2 * usize::from(hash == HashWidth::W24);
            for membership in MEMBERSHIPS {
                for step in CHAIN_STEPS {
                    let system = System::for_rate(1).unwrap();
                    let system = system.with_membership(membership).with_chain_step(step);
                    let smallest = Proof::new(&SUBJECTS[half], system).honest;
                    ways.push(Self { hash, membership, step, smallest });
                }
            }
        }
        ways
    }

    fn file(&self, body: &[u8]) -> Vec<u8> {
        let system = System::for_rate(1).unwrap().parameters().id();
        let (membership, chain_step) = (self.membership.id(), self.step.id());
        ProofFile { system, membership, chain_step, body }.encode()
    }

    /// A refusal within what an honest proof of the smallest block counts, and what absorbing
    /// the commitment's rows adds to that: less than what an honest proof of these parameters
    /// would.
    fn refusal(&self, commitment: &Commitment, body: &[u8]) -> Error {
        let mut honest = self.smallest;
        honest.blocks += (commitment.row_digests().len() * 32).div_ceil(64) as u64;
        let file = self.file(body);
        let input = file.len() + Commitment::encoded_len(commitment.params());
        match limited(input, honest, || proof::verify(commitment, &file)) {
            Err(error) => error,
            Ok(verified) => panic!("accepted: {verified:?}"),
        }
    }

    /// A body as long as one can be.
    fn longest(&self, commitment: &Commitment, rng: &mut StdRng) -> Vec<u8> {
        let too_long = vec![0; 2 << 20];
        match self.refusal(commitment, &too_long) {
            Error::Proof(Reject::Trailing(extra)) => noise_of_words(too_long.len() - extra, rng),
            other => panic!("{other:?}"),
        }
    }
}

/// Columns for a commitment that speaks of many and large ones: none, one of noise, and too few
/// to recover from.
fn columns(commitment: &Commitment, rng: &mut StdRng) {
    let params = commitment.params();
    let words = params.rows() * params.cell_words();
    let honest = Column::new(*commitment.root(), params.columns() - 1, vec![], vec![]).encode();
    let body = noise_of_words(Column::encoded_len(params) - honest.len(), rng);
    let file = [honest, body].concat();
    // Whatever the words are, they are hashed once.
    let column = Column::decode(&file, commitment).unwrap();
    assert_eq!(column.words().len(), words);
    let (_, hashed) = measure(|| commitment.check(column));
    let (outcome, cost) = measure(|| commitment.check(Column::decode(&file, commitment)?));
    assert!(matches!(outcome, Err(Error::Column { why: Mismatch::Path, .. })), "{outcome:?}");
    within_memory(file.len() + Commitment::encoded_len(params), cost);
    assert_eq!(cost.counts.compressions, hashed.counts.compressions);
    assert!(cost.counts.words <= (file.len() / 4) as u64);

    for cut in [1, file.len() / 2] {
        let (outcome, cost) = measure(|| Column::decode(&file[..file.len() - cut], commitment));
        assert!(outcome.is_err() && cost.counts.words < 16, "{cost:?}");
    }
    let (outcome, cost) = measure(|| recover(commitment, &[]));
    assert!(matches!(outcome, Err(Error::TooFewColumns { got: 0, .. })));
    within_memory(Commitment::encoded_len(params), cost);
    assert_eq!(cost.counts, Counts::ZERO);
}

fn bodies(way: &Way, params: Params, rng: &mut StdRng) {
    let commitment = under_any_digests(params, rng);
    columns(&commitment, rng);
    for body in [vec![], vec![0], noise(1000, rng), noise_of_words(20_000, rng)] {
        let refusal = way.refusal(&commitment, &body);
        assert!(matches!(refusal, Error::Proof(Reject::Truncated)), "{refusal:?}");
    }
    let body = way.longest(&commitment, rng);
    let refusal = way.refusal(&commitment, &body);
    assert!(matches!(refusal, Error::Proof(Reject::Skip { layer: 0 })), "{params:?} {refusal:?}");
    let refusal = way.refusal(&commitment, &noise(body.len(), rng));
    assert!(matches!(refusal, Error::Proof(Reject::NonCanonicalWord)), "{refusal:?}");
}

#[test]
fn every_largest_shape() {
    alone(|| {
        let ways = Way::all();
        let mut cases: Vec<(&Way, Params)> = Vec::new();
        for (nth, way) in ways.iter().enumerate() {
            // A short run takes every fourth shape, beginning with another for each way.
            let step = if long() { 1 } else { 4 };
            let shapes = shapes(way.hash).into_iter().skip(nth % step).step_by(step);
            cases.extend(shapes.map(|params| (way, params)));
        }
        every_with("largest", cases.len(), |case, rng| {
            let (way, params) = cases[case];
            bodies(way, params, rng);
        });
    });
}

#[test]
fn strangers_commitments() {
    alone(|| {
        let ways = Way::all();
        sampled("largest, a stranger's", 3, |rng| {
            let commitment = crate::commitments::stranger(rng);
            let hash = commitment.params().hash();
            let of_width: Vec<&Way> = ways.iter().filter(|way| way.hash == hash).collect();
            let way = of_width[rng.random_range(0..of_width.len())];
            bodies(way, *commitment.params(), rng);
        });
    });
}

/// Honest proofs of the statements that take the most memory: what is not refused before the
/// end is bounded too.
#[test]
fn honest_proofs_of_large_statements() {
    let verify = |hash, log_k, log_c, rows| {
        let params = Params::new(hash, log_k, log_c, rows, 1).unwrap();
        let block = Block::build(params, &[1]).unwrap();
        for membership in MEMBERSHIPS {
            let system = cheap().with_membership(membership);
            let file = proof::prove(&block, &system).unwrap();
            let commitment = block.commitment();
            let (verified, cost) = measure(|| proof::verify_with(commitment, &system, &file));
            let _ = verified.unwrap();
            println!(
                "malformed: {params:?}, {membership:?}: {} MiB for a good proof",
                cost.peak >> 20
            );
            within_memory(file.len() + Commitment::encoded_len(&params), cost);
        }
    };
    alone(|| {
        // As many words in a column as there may be, in two columns, and nearly as many in rows
        // of the largest length.
        verify(HashWidth::W16, 4, 4, (1 << MAX_LOG_COLUMN_WORDS) / (5 << 4));
        verify(HashWidth::W16, MAX_LOG_K, 13, 3);
        if long() {
            for (log_k, log_c, rows) in [(4, 4, 1638), (18, 14, 1), (18, 13, 3), (18, 6, 1)] {
                verify(HashWidth::W24, log_k, log_c, rows);
            }
            for (log_k, log_c, rows) in [(18, 14, 1), (18, 12, 6), (18, 0, 1), (18, 3, 2)] {
                verify(HashWidth::W16, log_k, log_c, rows);
            }
        }
    });
}
