//! The one encoding of an opening proof.
//!
//! Every length follows from the configuration, so nothing is framed, with one exception: how
//! many digests a pruned Merkle multiproof holds depends on which positions the transcript
//! draws, and the count (four bytes) precedes the digests. It is bounded before anything is
//! allocated by what that many queries could need and by what the input holds, and p3 refuses
//! every count but the right one.
//!
//! What p3 would not read, or what the statement says is zero, is not encoded: the unused columns
//! of the first codeword's rows, proof-of-work witnesses where nothing is ground, the
//! closing sumcheck where there is none. So one proof has one encoding.
//!
//! In order: value; answers at the commitment's out-of-domain points; first sumcheck; for each
//! round its root, out-of-domain answers, witness, opened rows, digests, sumcheck; final
//! polynomial; witness, opened rows, digests, sumcheck.

#![deny(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used)]
#![deny(clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;
use p3_merkle_tree::{MerkleCap, PrunedMerklePaths};
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::{OpeningBatch, SumcheckData};
use p3_whir::{QueryOpenings, SharedProofOpening, WhirConfig, WhirProof, WhirRoundProof};

use super::{Columns, MerkleDigest, Proof};
use crate::blake3::DIGEST_BYTES;
use crate::codec::{DEGREE, Reader, WORD_BYTES};
use crate::transcript::Challenger;
use crate::{E, F, Reject};

/// Bytes of an element of E.
const ELEMENT_BYTES: usize = WORD_BYTES * DEGREE;
/// Bytes of a count of digests.
const COUNT_BYTES: usize = 4;

/// Every length in a proof.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    ood: usize,
    sumcheck: Sumcheck,
    rounds: Vec<Round>,
    last: Queries,
    final_evaluations: usize,
    final_sumcheck: Sumcheck,
}

#[derive(Clone, Copy, Debug)]
struct Sumcheck {
    rounds: usize,
    ground: bool,
}

#[derive(Clone, Debug)]
struct Round {
    ood: usize,
    queries: Queries,
    sumcheck: Sumcheck,
}

#[derive(Clone, Copy, Debug)]
struct Queries {
    ground: bool,
    /// Whether rows are over E: all but the first codeword.
    extension: bool,
    rows: usize,
    /// Symbols in a row, and how many of them are sent: the rest is zero.
    width: usize,
    sent: usize,
    max_digests: usize,
}

impl Queries {
    fn new(config: &p3_whir::RoundConfig, extension: bool, columns: Columns) -> Self {
        let depth = config.log_folded_domain_size;
        let width = 1 << config.folding_factor;
        // More queries than positions open every position once.
        let rows = config.num_queries.min(1 << depth);
        Self {
            ground: config.pow_bits > 0,
            extension,
            rows,
            width,
            sent: if extension { width } else { columns.used },
            // On each level a digest is sent at most once for each pair, and once for each query.
            max_digests: (0..depth).map(|level| rows.min(1 << level)).sum(),
        }
    }

    /// Without the digests, if they can be counted.
    fn bytes(&self) -> Option<usize> {
        let ground = if self.ground { WORD_BYTES } else { 0 };
        self.rows_bytes()?.checked_add(ground)?.checked_add(COUNT_BYTES)
    }

    /// Bytes of all rows, if they can be counted.
    fn rows_bytes(&self) -> Option<usize> {
        let symbol = if self.extension { ELEMENT_BYTES } else { WORD_BYTES };
        self.sent.checked_mul(symbol)?.checked_mul(self.rows)
    }
}

impl Shape {
    pub(super) fn new(config: &WhirConfig<E, F, Challenger>, columns: Columns) -> Self {
        let mut folds = config.folding_schedule().iter().copied();
        let mut fold = || folds.next().unwrap_or_default();
        let sumcheck = Sumcheck { rounds: fold(), ground: config.starting_folding_pow_bits() > 0 };
        let rounds = config
            .round_parameters()
            .iter()
            .enumerate()
            .map(|(index, round)| Round {
                ood: round.ood_samples,
                queries: Queries::new(round, index > 0, columns),
                sumcheck: Sumcheck { rounds: fold(), ground: round.folding_pow_bits > 0 },
            })
            .collect();
        Self {
            ood: config.commitment_ood_samples(),
            sumcheck,
            rounds,
            last: Queries::new(&config.final_round_config(), config.n_rounds() > 0, columns),
            final_evaluations: 1 << config.final_sumcheck_rounds(),
            final_sumcheck: Sumcheck {
                rounds: config.final_sumcheck_rounds(),
                ground: config.final_folding_pow_bits() > 0,
            },
        }
    }

    /// Reads a proof.
    ///
    /// # Errors
    /// [`Reject::Truncated`], [`Reject::NonCanonicalWord`], [`Reject::TooManyDigests`].
    pub(super) fn decode(&self, reader: &mut Reader<'_>) -> Result<Proof, Reject> {
        let value = reader.element()?;
        let initial_ood_answers = reader.elements(self.ood)?;
        let initial_sumcheck = self.sumcheck.decode(reader)?;
        let rounds = self
            .rounds
            .iter()
            .map(|round| {
                let commitment = Some(MerkleCap::new(vec![digest(reader)?]));
                let ood_answers = reader.elements(round.ood)?;
                let (pow_witness, openings) = round.queries.decode(reader)?;
                let sumcheck = round.sumcheck.decode(reader)?;
                Ok(WhirRoundProof { commitment, ood_answers, pow_witness, openings, sumcheck })
            })
            .collect::<Result<_, Reject>>()?;
        let final_poly = Some(Poly::new(reader.elements(self.final_evaluations)?));
        let (final_pow_witness, final_openings) = self.last.decode(reader)?;
        let final_sumcheck = match self.final_sumcheck.rounds {
            0 => None,
            _ => Some(self.final_sumcheck.decode(reader)?),
        };
        Ok(Proof {
            whir: WhirProof {
                initial_ood_answers,
                initial_sumcheck,
                rounds,
                final_poly,
                final_pow_witness,
                final_openings,
                final_sumcheck,
            },
            evals: vec![OpeningBatch::new(vec![value], vec![])],
        })
    }
}

impl Shape {
    /// Bytes of a proof without the digests of its multiproofs, and the most that these take;
    /// none if they cannot be counted.
    pub(super) fn bytes(&self) -> Option<(usize, usize)> {
        let elements = self.final_evaluations.checked_add(self.ood)?.checked_add(1)?;
        let mut fixed = elements.checked_mul(ELEMENT_BYTES)?;
        let mut digests = 0_usize;
        let mut add = |bytes: Option<usize>| {
            fixed = fixed.checked_add(bytes?)?;
            Some(())
        };
        add(self.sumcheck.bytes())?;
        for round in &self.rounds {
            add(round.ood.checked_mul(ELEMENT_BYTES)?.checked_add(DIGEST_BYTES))?;
            add(round.queries.bytes())?;
            add(round.sumcheck.bytes())?;
            digests = digests.checked_add(round.queries.max_digests)?;
        }
        add(self.last.bytes())?;
        add(self.final_sumcheck.bytes())?;
        digests = digests.checked_add(self.last.max_digests)?;
        Some((fixed, digests.checked_mul(DIGEST_BYTES)?))
    }
}

#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::unwrap_used)]
impl Shape {
    /// Where the first count of digests stands.
    pub(super) fn first_count(&self) -> usize {
        let mut at = ELEMENT_BYTES * (1 + self.ood) + self.sumcheck.bytes().unwrap();
        let queries = match self.rounds.first() {
            Some(round) => {
                at += DIGEST_BYTES + ELEMENT_BYTES * round.ood;
                &round.queries
            }
            None => {
                at += ELEMENT_BYTES * self.final_evaluations;
                &self.last
            }
        };
        at + queries.bytes().unwrap() - COUNT_BYTES
    }
}

impl Sumcheck {
    fn bytes(&self) -> Option<usize> {
        let ground = if self.ground { WORD_BYTES } else { 0 };
        self.rounds.checked_mul((2 * ELEMENT_BYTES).checked_add(ground)?)
    }

    fn decode(&self, reader: &mut Reader<'_>) -> Result<SumcheckData<F, E>, Reject> {
        let values = reader.elements(self.rounds << 1)?;
        let polynomial_evaluations = values.as_chunks().0.to_vec();
        let pow_witnesses = reader.words(if self.ground { self.rounds } else { 0 })?;
        Ok(SumcheckData { polynomial_evaluations, pow_witnesses })
    }
}

type Openings = QueryOpenings<F, E, PrunedMerklePaths<u8, DIGEST_BYTES>>;

impl Queries {
    fn decode(&self, reader: &mut Reader<'_>) -> Result<(F, Openings), Reject> {
        let witness = if self.ground { reader.word()? } else { F::ZERO };
        if self.rows_bytes().is_none_or(|bytes| bytes > reader.remaining()) {
            return Err(Reject::Truncated);
        }
        let openings = if self.extension {
            let rows =
                (0..self.rows).map(|_| reader.elements(self.width)).collect::<Result<_, _>>()?;
            QueryOpenings::Extension(SharedProofOpening { rows, proof: self.digests(reader)? })
        } else {
            let rows = (0..self.rows).map(|_| self.base_row(reader)).collect::<Result<_, _>>()?;
            QueryOpenings::Base(SharedProofOpening { rows, proof: self.digests(reader)? })
        };
        Ok((witness, openings))
    }

    fn base_row(&self, reader: &mut Reader<'_>) -> Result<Vec<F>, Reject> {
        let mut row = reader.words(self.sent)?;
        row.resize(self.width, F::ZERO);
        Ok(row)
    }

    fn digests(
        &self,
        reader: &mut Reader<'_>,
    ) -> Result<PrunedMerklePaths<u8, DIGEST_BYTES>, Reject> {
        let len = u32::from_le_bytes(reader.array()?) as usize;
        if len > self.max_digests {
            return Err(Reject::TooManyDigests { got: len, limit: self.max_digests });
        }
        if len.checked_mul(DIGEST_BYTES).is_none_or(|bytes| bytes > reader.remaining()) {
            return Err(Reject::Truncated);
        }
        let sibling_hashes = (0..len).map(|_| digest(reader)).collect::<Result<_, _>>()?;
        Ok(PrunedMerklePaths { sibling_hashes })
    }
}

/// The next Merkle digest; all 2^256 are possible.
pub(super) fn digest(reader: &mut Reader<'_>) -> Result<MerkleDigest, Reject> {
    reader.array()
}

#[cfg(feature = "prover")]
mod encode {
    use super::{MerkleDigest, Openings, Proof, Queries, Shape, Sumcheck};
    use crate::codec::{put_elements, put_words};
    use crate::{E, F};
    use p3_field::PrimeCharacteristicRing;
    use p3_merkle_tree::MerkleCap;
    use p3_sumcheck::SumcheckData;

    impl Shape {
        /// Appends a proof of this shape to `out`.
        ///
        /// # Panics
        /// When the proof has another shape: then the shape is wrong.
        pub(in crate::commit) fn encode(&self, proof: &Proof, out: &mut Vec<u8>) {
            let whir = &proof.whir;
            let [evals] = proof.evals.as_slice() else { panic!("one point was opened") };
            assert!(evals.next().is_empty());
            elements(evals.current(), 1, out);
            elements(&whir.initial_ood_answers, self.ood, out);
            self.sumcheck.encode(&whir.initial_sumcheck, out);
            assert_eq!(whir.rounds.len(), self.rounds.len());
            for (shape, round) in self.rounds.iter().zip(&whir.rounds) {
                match round.commitment.as_ref().map(MerkleCap::roots) {
                    Some([root]) => put_digest(root, out),
                    _ => panic!("every round commits to one root"),
                }
                elements(&round.ood_answers, shape.ood, out);
                shape.queries.encode(round.pow_witness, &round.openings, out);
                shape.sumcheck.encode(&round.sumcheck, out);
            }
            let final_poly = whir.final_poly.as_ref().map_or(&[][..], |poly| poly.as_slice());
            elements(final_poly, self.final_evaluations, out);
            self.last.encode(whir.final_pow_witness, &whir.final_openings, out);
            match &whir.final_sumcheck {
                None => assert_eq!(self.final_sumcheck.rounds, 0),
                Some(data) => self.final_sumcheck.encode(data, out),
            }
        }
    }

    impl Sumcheck {
        fn encode(&self, data: &SumcheckData<F, E>, out: &mut Vec<u8>) {
            elements(data.polynomial_evaluations.as_flattened(), self.rounds << 1, out);
            assert_eq!(data.pow_witnesses.len(), if self.ground { self.rounds } else { 0 });
            put_words(out, &data.pow_witnesses);
        }
    }

    impl Queries {
        fn encode(&self, witness: F, openings: &Openings, out: &mut Vec<u8>) {
            if self.ground {
                put_words(out, &[witness]);
            } else {
                assert_eq!(witness, F::ZERO);
            }
            let proof = match openings {
                Openings::Base(opening) => {
                    assert!(!self.extension && opening.rows.len() == self.rows);
                    for row in &opening.rows {
                        assert_eq!(row.len(), self.width);
                        let (sent, tail) = row.split_at(self.sent);
                        assert!(tail.iter().all(|&word| word == F::ZERO), "a column of zeros");
                        put_words(out, sent);
                    }
                    &opening.proof
                }
                Openings::Extension(opening) => {
                    assert!(self.extension && opening.rows.len() == self.rows);
                    for row in &opening.rows {
                        elements(row, self.width, out);
                    }
                    &opening.proof
                }
            };
            let len = proof.sibling_hashes.len();
            assert!(len <= self.max_digests);
            let Ok(len) = u32::try_from(len) else { panic!("a count of four bytes") };
            out.extend_from_slice(&len.to_le_bytes());
            for digest in &proof.sibling_hashes {
                put_digest(digest, out);
            }
        }
    }

    fn elements(elements: &[E], len: usize, out: &mut Vec<u8>) {
        assert_eq!(elements.len(), len);
        put_elements(out, elements);
    }

    pub(in crate::commit) fn put_digest(digest: &MerkleDigest, out: &mut Vec<u8>) {
        out.extend_from_slice(digest);
    }
}
#[cfg(feature = "prover")]
pub(super) use encode::put_digest;
