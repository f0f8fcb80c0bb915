//! The one encoding of a proof.
//!
//! Every length follows from the tables and the parameters, so nothing is framed, with one
//! exception: how many digests a pruned Merkle multiproof holds depends on which positions the
//! transcript draws. That count, four bytes, precedes the digests; it is bounded before anything
//! is allocated by what that many queries could need and by what the input holds, and p3 refuses
//! every count but the right one. What p3 says twice, the tables' heights, and witnesses of work
//! that is not asked for are not encoded. So one proof has one encoding.
//!
//! In order: the roots of traces, fractions and quotients; for each table the values opened of
//! its trace, preprocessed columns, quotient and fractions, and its terminal; FRI's roots; for
//! each commitment the rows opened and their digests; for each round the siblings and digests;
//! the final polynomial; the witnesses of work.

#![deny(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used)]
#![deny(clippy::expect_used, clippy::panic_in_result_fn)]

#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
#[allow(clippy::indexing_slicing, clippy::unwrap_used)]
mod tests;

use p3_batch_stark::proof::OpenedValuesWithLookups;
use p3_batch_stark::{BatchCommitments, BatchOpenedValues, BatchProof, OpenedValues};
use p3_field::PrimeCharacteristicRing;
use p3_fri::{BatchMultiOpening, CommitPhaseMultiStep, FriProof, fold_schedule};
use p3_lookup::LookupTerminal;
use p3_merkle_tree::{MerkleCap, PrunedMerklePaths};
use p3_uni_stark::PreprocessedOpenedValues;

use crate::codec::{ELEMENT, Input, WORD};
use crate::fri::{Config, DIGEST_WORDS, Parameters};
use crate::security::TableShape;
use crate::{E, F, Reject};

/// p3's proof.
type Proof = BatchProof<Config>;
/// A Merkle digest.
type Digest = [u64; DIGEST_WORDS];
/// A commitment: the root.
type Root = MerkleCap<F, Digest>;
type Paths = PrunedMerklePaths<u64, DIGEST_WORDS>;

/// Bytes of a Merkle digest.
const DIGEST: usize = 8 * DIGEST_WORDS;
/// Bytes of a count of digests.
const COUNT: usize = 4;
/// Words of an element, columns that one takes.
const LIMBS: usize = ELEMENT / WORD;

/// Every length in a proof.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    tables: Vec<TableShape>,
    /// Whether some table has fractions.
    fractions: bool,
    /// For each commitment, traces, quotients, preprocessed columns and fractions, the widths of
    /// its matrices and the most digests that open them.
    batches: Vec<Batch>,
    rounds: Vec<Round>,
    num_queries: usize,
    /// Whether work is asked for before the opened columns are combined.
    batch_work: bool,
    bytes: (usize, usize),
}

#[derive(Clone, Debug)]
struct Batch {
    widths: Vec<usize>,
    max_digests: usize,
}

/// A round of FRI: the values opened beside each one that is known, and the most digests.
#[derive(Clone, Copy, Debug)]
struct Round {
    siblings: usize,
    max_digests: usize,
}

impl Shape {
    /// The shape of the proofs of these tables.
    ///
    /// # Errors
    /// [`Reject::Instance`] for tables without an instance: none at all, or quotients beyond the
    /// rate.
    pub(crate) fn new(tables: Vec<TableShape>, parameters: &Parameters) -> Result<Self, Reject> {
        let log_blowup = parameters.log_blowup();
        if tables.iter().any(|table| table.quotient_chunks > 1 << log_blowup) {
            return Err(Reject::Instance("constraints of a degree beyond the rate"));
        }
        let mut heights: Vec<usize> =
            tables.iter().map(|table| table.log_height.saturating_add(log_blowup)).collect();
        heights.sort_unstable_by(|a, b| b.cmp(a));
        heights.dedup();
        let tallest = *heights.first().ok_or(Reject::Instance("there are no tables"))?;
        let num_queries = parameters.num_queries();
        let digests = |depth: usize| {
            // On each level at most one for each pair, and one for each query.
            (0..depth).map(|level| num_queries.min(1 << level)).fold(0, usize::saturating_add)
        };
        let mut depth = tallest;
        let rounds = fold_schedule(&heights, log_blowup, parameters.max_log_arity())
            .into_iter()
            .map(|log_arity| {
                depth = depth.saturating_sub(log_arity);
                let siblings = (1_usize << log_arity).saturating_sub(1);
                Round { siblings, max_digests: digests(depth) }
            })
            .collect();
        let batch = |widths: &dyn Fn(&TableShape) -> Vec<usize>| {
            let opened = tables.iter().filter(|table| !widths(table).is_empty());
            let depth = opened.map(|table| table.log_height.saturating_add(log_blowup)).max()?;
            let widths = tables.iter().flat_map(widths).collect();
            Some(Batch { widths, max_digests: digests(depth) })
        };
        let some = |width: usize| if width == 0 { vec![] } else { vec![width] };
        let batches = [
            batch(&|table| vec![table.columns]),
            batch(&|table| vec![LIMBS; table.quotient_chunks]),
            batch(&|table| some(table.preprocessed)),
            batch(&|table| some(table.fraction_columns())),
        ];
        let batches = batches.into_iter().flatten().collect();
        let fractions = tables.iter().any(|table| table.fractions > 0);
        let batch_work = parameters.batch_pow_bits() > 0;
        let bytes = (0, 0);
        let shape = Self { tables, fractions, batches, rounds, num_queries, batch_work, bytes };
        let bytes = shape.count().ok_or(Reject::Instance("the proof cannot be counted"))?;
        Ok(Self { bytes, ..shape })
    }

    /// Fewest and most bytes.
    pub(crate) const fn bytes(&self) -> (usize, usize) {
        self.bytes
    }

    fn count(&self) -> Option<(usize, usize)> {
        let mut elements = 1_usize;
        for table in &self.tables {
            elements = elements.checked_add(table.elements()?)?;
        }
        let mut digests = self.rounds.len().checked_add(3)?;
        let mut words = 1_usize.checked_add(usize::from(self.batch_work))?;
        let mut free = 0_usize;
        for batch in &self.batches {
            let width = batch.widths.iter().try_fold(0_usize, |sum, &width| sum.checked_add(width));
            words = words.checked_add(width?.checked_mul(self.num_queries)?)?;
            free = free.checked_add(batch.max_digests)?;
        }
        for round in &self.rounds {
            elements = elements.checked_add(round.siblings.checked_mul(self.num_queries)?)?;
            free = free.checked_add(round.max_digests)?;
        }
        if !self.fractions {
            digests = digests.checked_sub(1)?;
        }
        let counts = self.rounds.len().checked_add(self.batches.len())?.checked_mul(COUNT)?;
        let least = elements
            .checked_mul(ELEMENT)?
            .checked_add(words.checked_mul(WORD)?)?
            .checked_add(digests.checked_mul(DIGEST)?)?
            .checked_add(counts)?;
        Some((least, least.checked_add(free.checked_mul(DIGEST)?)?))
    }

    /// Reads a proof.
    ///
    /// # Errors
    /// [`Reject::Truncated`], [`Reject::Trailing`], [`Reject::NonCanonicalWord`],
    /// [`Reject::TooManyDigests`].
    pub(crate) fn decode(&self, bytes: &[u8]) -> Result<Proof, Reject> {
        if bytes.len() < self.bytes.0 {
            return Err(Reject::Truncated);
        }
        let mut input = Input::new(bytes);
        let input = &mut input;
        let main = root(input)?;
        let permutation = if self.fractions { Some(root(input)?) } else { None };
        let quotient_chunks = root(input)?;
        let commitments = BatchCommitments { main, permutation, quotient_chunks, random: None };
        let mut instances = Vec::with_capacity(self.tables.len());
        let mut lookup_terminals = Vec::with_capacity(self.tables.len());
        for table in &self.tables {
            let (opened, terminal) = table.decode(input)?;
            instances.push(opened);
            lookup_terminals.push(terminal);
        }
        let commit_phase_commits = input.many(self.rounds.len(), DIGEST, root)?;
        let input_openings = self
            .batches
            .iter()
            .map(|batch| {
                let row = |input: &mut Input<'_>| {
                    batch.widths.iter().map(|&width| input.words(width)).collect()
                };
                let width = batch.widths.iter().fold(0, |sum: usize, &w| sum.saturating_add(w));
                let opened_values =
                    input.many(self.num_queries, width.saturating_mul(WORD), row)?;
                let opening_proof = paths(input, batch.max_digests)?;
                Ok(BatchMultiOpening { opened_values, opening_proof })
            })
            .collect::<Result<_, Reject>>()?;
        let commit_phase_openings = self
            .rounds
            .iter()
            .map(|round| {
                let size = round.siblings.saturating_mul(ELEMENT);
                let sibling_values =
                    input.many(self.num_queries, size, |input| input.elements(round.siblings))?;
                let opening_proof = paths(input, round.max_digests)?;
                Ok(CommitPhaseMultiStep { sibling_values, opening_proof })
            })
            .collect::<Result<_, Reject>>()?;
        let final_poly = input.elements(1)?;
        let query_pow_witness = input.word()?;
        let batch_pow_witness = if self.batch_work { input.word()? } else { F::ZERO };
        let rest = std::mem::replace(input, Input::new(&[]));
        rest.finish()?;
        Ok(Proof {
            commitments,
            opened_values: BatchOpenedValues { instances },
            opening_proof: FriProof {
                batch_pow_witness,
                commit_phase_commits,
                commit_pow_witnesses: F::zero_vec(self.rounds.len()),
                input_openings,
                commit_phase_openings,
                final_poly,
                query_pow_witness,
            },
            lookup_terminals,
            degree_bits: self.tables.iter().map(|table| table.log_height).collect(),
            lookup_pow_witness: self.fractions.then_some(F::ZERO),
            ood_pow_witness: F::ZERO,
        })
    }
}

impl TableShape {
    /// Columns of the accumulator and the fractions.
    const fn fraction_columns(&self) -> usize {
        match self.fractions {
            0 => 0,
            fractions => fractions.saturating_add(1).saturating_mul(LIMBS),
        }
    }

    /// Elements opened of the table, its terminal among them.
    fn elements(&self) -> Option<usize> {
        let rows = |width: usize, next: bool| width.checked_mul(if next { 2 } else { 1 });
        rows(self.columns, self.next_row)?
            .checked_add(rows(self.preprocessed, self.preprocessed_next)?)?
            .checked_add(self.quotient_chunks.checked_mul(LIMBS)?)?
            .checked_add(rows(self.fraction_columns(), true)?)?
            .checked_add(usize::from(self.fractions > 0))
    }

    fn decode(&self, input: &mut Input<'_>) -> Result<(Opened, Terminal), Reject> {
        let trace_local = input.elements(self.columns)?;
        let trace_next = if self.next_row { Some(input.elements(self.columns)?) } else { None };
        let preprocessed = if self.preprocessed == 0 {
            None
        } else {
            let local = input.elements(self.preprocessed)?;
            let next = self.preprocessed_next.then(|| input.elements(self.preprocessed));
            Some(PreprocessedOpenedValues { local, next: next.transpose()? })
        };
        let quotient_chunks =
            input.many(self.quotient_chunks, LIMBS * ELEMENT, |input| input.elements(LIMBS))?;
        let permutation_local = input.elements(self.fraction_columns())?;
        let permutation_next = input.elements(self.fraction_columns())?;
        let terminal = (self.fractions > 0).then(|| input.element().map(LookupTerminal));
        let base_opened_values =
            OpenedValues { trace_local, trace_next, preprocessed, quotient_chunks, random: None };
        let opened =
            OpenedValuesWithLookups { base_opened_values, permutation_local, permutation_next };
        Ok((opened, terminal.transpose()?))
    }
}

type Opened = OpenedValuesWithLookups<E>;
type Terminal = Option<LookupTerminal<E>>;

fn digest(input: &mut Input<'_>) -> Result<Digest, Reject> {
    let mut words = [0; DIGEST_WORDS];
    for word in &mut words {
        *word = u64::from_le_bytes(input.bytes()?);
    }
    Ok(words)
}

fn root(input: &mut Input<'_>) -> Result<Root, Reject> {
    Ok(MerkleCap::new(vec![digest(input)?]))
}

fn paths(input: &mut Input<'_>, limit: usize) -> Result<Paths, Reject> {
    let got = u32::from_le_bytes(input.bytes()?) as usize;
    if got > limit {
        return Err(Reject::TooManyDigests { got, limit });
    }
    Ok(PrunedMerklePaths { sibling_hashes: input.many(got, DIGEST, digest)? })
}

#[cfg(feature = "prover")]
mod encode {
    use super::{Opened, Paths, Proof, Root, Shape, TableShape, Terminal};
    use crate::E;
    use crate::codec::{put_elements, put_words};

    impl Shape {
        /// A proof's bytes.
        ///
        /// # Panics
        /// When the proof has another shape: then the shape is wrong.
        pub(crate) fn encode(&self, proof: &Proof) -> Vec<u8> {
            let out = &mut Vec::with_capacity(self.bytes.1);
            let commitments = &proof.commitments;
            put_root(&commitments.main, out);
            assert_eq!(commitments.permutation.is_some(), self.fractions);
            commitments.permutation.iter().for_each(|root| put_root(root, out));
            put_root(&commitments.quotient_chunks, out);
            let (instances, terminals) = (&proof.opened_values.instances, &proof.lookup_terminals);
            assert_eq!((instances.len(), terminals.len()), (self.tables.len(), self.tables.len()));
            for ((table, opened), terminal) in self.tables.iter().zip(instances).zip(terminals) {
                table.encode(opened, terminal, out);
            }
            let fri = &proof.opening_proof;
            assert_eq!(fri.commit_phase_commits.len(), self.rounds.len());
            fri.commit_phase_commits.iter().for_each(|root| put_root(root, out));
            assert_eq!(fri.input_openings.len(), self.batches.len());
            for (batch, opening) in self.batches.iter().zip(&fri.input_openings) {
                assert_eq!(opening.opened_values.len(), self.num_queries);
                for rows in &opening.opened_values {
                    assert!(rows.iter().map(Vec::len).eq(batch.widths.iter().copied()));
                    rows.iter().for_each(|row| put_words(out, row));
                }
                put_paths(&opening.opening_proof, batch.max_digests, out);
            }
            assert_eq!(fri.commit_phase_openings.len(), self.rounds.len());
            for (round, opening) in self.rounds.iter().zip(&fri.commit_phase_openings) {
                assert_eq!(opening.sibling_values.len(), self.num_queries);
                for siblings in &opening.sibling_values {
                    elements(siblings, round.siblings, out);
                }
                put_paths(&opening.opening_proof, round.max_digests, out);
            }
            elements(&fri.final_poly, 1, out);
            put_words(out, &[fri.query_pow_witness]);
            if self.batch_work {
                put_words(out, &[fri.batch_pow_witness]);
            }
            std::mem::take(out)
        }
    }

    impl TableShape {
        fn encode(&self, opened: &Opened, terminal: &Terminal, out: &mut Vec<u8>) {
            let base = &opened.base_opened_values;
            elements(&base.trace_local, self.columns, out);
            let next = base.trace_next.as_deref().unwrap_or_default();
            elements(next, if self.next_row { self.columns } else { 0 }, out);
            elements(base.preprocessed_local().unwrap_or_default(), self.preprocessed, out);
            let next = base.preprocessed_next().unwrap_or_default();
            elements(next, if self.preprocessed_next { self.preprocessed } else { 0 }, out);
            assert_eq!(base.quotient_chunks.len(), self.quotient_chunks);
            base.quotient_chunks.iter().for_each(|chunk| elements(chunk, super::LIMBS, out));
            elements(&opened.permutation_local, self.fraction_columns(), out);
            elements(&opened.permutation_next, self.fraction_columns(), out);
            let terminal: Vec<E> = terminal.iter().map(|terminal| terminal.0).collect();
            elements(&terminal, usize::from(self.fractions > 0), out);
        }
    }

    fn elements(elements: &[E], len: usize, out: &mut Vec<u8>) {
        assert_eq!(elements.len(), len);
        put_elements(out, elements);
    }

    fn put_root(root: &Root, out: &mut Vec<u8>) {
        let [root] = root.roots() else { panic!("trees have one root") };
        out.extend(root.iter().flat_map(|word| word.to_le_bytes()));
    }

    fn put_paths(paths: &Paths, limit: usize, out: &mut Vec<u8>) {
        let count = paths.sibling_hashes.len();
        assert!(count <= limit);
        let Ok(count) = u32::try_from(count) else { panic!("a count of four bytes") };
        out.extend(count.to_le_bytes());
        let words = paths.sibling_hashes.iter().flatten();
        out.extend(words.flat_map(|word| word.to_le_bytes()));
    }
}
