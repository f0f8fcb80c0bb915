//! The tables proved with p3-multi-stark: one zerocheck and one LogUp-GKR over WHIR.
//!
//! The tables are those of [`batch`](crate::batch), column for column. One thing differs: p3
//! commits to tables padded to the first fold, and sums over tables of two rows at least, so
//! [`PublicBlocks`](crate::public_blocks::PublicBlocks) has `2^first.variables` rows here, of
//! which the first one counts, where FRI takes one row.
//!
//! What p3-multi-stark 0.8.0 asks of tables:
//! - No table below the first fold's rows (`MultiStarkConfig::min_num_variables`): shorter ones
//!   are padded with zeros (p3-sumcheck `layout/witness.rs`, `pad_zeros`), and the opening of
//!   one at its own point panics (`svo/point.rs:84`, in the prover).
//! - No table of one row at all: `security.rs:523` refuses it, and the verifier asserts against
//!   it (`zerocheck/mod.rs:1155`, `:1348`, `:1553`).
//! - An expression of positive degree in every table's interactions (`zerocheck/mod.rs:302`):
//!   public values and constants alone have degree 0, the first row's selector has 1.
//! - Next-row columns declared, without repetition (`zerocheck/mod.rs:360` on).
//! - Multiplicities bounded: the sum of bounds times heights stays below the field's order, as
//!   with p3-batch-stark.
//!
//! Both commitments, the traces' and the preprocessed columns', are stacked: the columns of all
//! tables stand one after the other, padded to one power of two. The verifier computes the
//! second one itself: [`System::new`] does, from the tables.
//!
//! p3's transcript binds the heights, the widths, the numbers of public values, both commitments
//! and the public values, in this order, before the first challenge. It does not bind the
//! constraints, nor what the statement means: the caller's challenger does.
//!
//! Nothing is ground before the LogUp challenges (p3-batch-stark can), so the field bounds what
//! [`System::security_bits`] reaches, less the lists of both commitments with list decoding. For
//! 309 247 calls of width 16 at 19 a row, 1.2 million fractions in all, the LogUp term stands at
//! 121.7 bits in Johnson's regime and at 130.3 with unique decoding: only the latter reaches 128.
//! Rate 1/2, folds of 7 and then 4 variables, two threads, medians beside p3-batch-stark with
//! 170 queries at rate 1/2 and 16 bits of grinding:
//!
//! | | bits | prove | verify | proof |
//! |---|---|---|---|---|
//! | p3-multi-stark, unique decoding | 128.1 | 3.3 s | 39 ms | 1.09 MB |
//! | p3-multi-stark, Johnson | 120.3 | 4.7 s | 33 ms | 0.75 MB |
//! | p3-batch-stark, the same tables | – | 0.98 s | 35 ms | 3.32 MB |
//!
//! [`System::new`] takes 1.8 s there, most of it for the report of each level tried: p3 walks the
//! tables' expressions anew each time.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_air::BaseAir;
use p3_dft::Radix2DFTSmallBatch;
use p3_keccak::{Keccak256Hash, KeccakF};
#[cfg(feature = "prover")]
use p3_matrix::{Matrix, dense::RowMajorMatrix};
use p3_multi_stark::config::MultiStarkConfig;
use p3_multi_stark::{
    MultiStarkProof, MultiStarkSecurityReport, ProvingError, SecurityError, VerificationError,
    VerifierInstance, VerifierInstances, VerifyingKey,
};
#[cfg(feature = "prover")]
use p3_multi_stark::{ProverInstance, ProverInstances, ProvingKey};
use p3_security::ErrorBits;
use p3_sumcheck::layout::{Layout as _, PrefixProver, Table as Columns, Witness};
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher};
pub use p3_whir::SecurityAssumption;
use p3_whir::{
    FoldingFactor, ProtocolParameters, VerifierError, WhirConfig, WhirConfigError, WhirProver,
    WhirProverData,
};
use thiserror::Error;

use crate::calls::{Poseidon2, Width};
use crate::fri::{Challenger, Tree};
use crate::{E, F, Table};

type Layout = PrefixProver<F, E>;
type Pcs = WhirProver<E, F, Radix2DFTSmallBatch<F>, Tree, Challenger, Layout>;

/// A proof.
pub type Proof = MultiStarkProof<Config>;

/// Most bits that one proof of work may take.
const MAX_POW_BITS: usize = 24;
/// Levels tried above the target: p3's level holds for each error term, of which there are up
/// to about 2^6.
const LEVELS: usize = 16;
/// Bits that a Keccak digest of 256 bits resists collisions by.
const COLLISION_BITS: usize = 128;
/// p3's label of the term that [`COLLISION_BITS`] makes.
const COLLISION: &str = "commitment-and-transcript-collision";

/// One folding phase of WHIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Variables folded; one query opens so many evaluations, as a power of two.
    pub variables: usize,
    /// Bits by which the evaluation domain shrinks; the rate falls by the difference.
    pub shrink: usize,
}

/// How the tables are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The regime that the bound argues in.
    pub regime: SecurityAssumption,
    /// log2 of the first code's inverse rate.
    pub log_inv_rate: usize,
    /// The first phase.
    pub first: Fold,
    /// Each later phase.
    pub later: Fold,
    /// Bits that the proof must reach, collisions of the hash left out.
    pub target_bits: usize,
}

/// What keeps tables from being proved or verified.
#[derive(Debug, Error)]
pub enum Error {
    /// A table has fewer rows than the first fold, or none of the numbers match.
    #[error("tables, heights, traces or public values do not fit each other or the fold")]
    Shape,
    /// No level reaches the target; with it, the most bits that one reached.
    #[error("{reached:.1} bits reached, {target} wanted")]
    BelowTarget {
        /// Bits wanted.
        target: usize,
        /// Bits reached.
        reached: f64,
    },
    /// p3 has no bound for these tables.
    #[error(transparent)]
    Security(#[from] SecurityError),
    /// The prover failed.
    #[error(transparent)]
    Proving(#[from] ProvingError<WhirConfigError>),
    /// The verifier refused.
    #[error(transparent)]
    Rejected(#[from] VerificationError<VerifierError>),
}

/// What p3 needs to know of the commitments.
#[derive(Debug)]
pub struct Config {
    fold: usize,
    main: Pcs,
    preprocessed: Pcs,
}

impl MultiStarkConfig for Config {
    type Val = F;
    type Challenge = E;
    type Challenger = Challenger;
    type Pcs = Pcs;

    fn pcs(&self) -> &Pcs {
        &self.main
    }

    fn preprocessed_pcs(&self) -> &Pcs {
        &self.preprocessed
    }

    fn collision_resistance_bits(&self) -> Option<usize> {
        Some(COLLISION_BITS)
    }

    fn min_num_variables(&self) -> usize {
        self.fold
    }

    fn build_witness(&self, tables: Vec<Columns<F>>) -> Witness<F> {
        Layout::new_witness(tables, self.fold)
    }

    fn committed_table<'a>(
        &self,
        data: &'a WhirProverData<F, E, Tree, Layout>,
        index: usize,
    ) -> &'a Columns<F> {
        data.table(index)
    }
}

/// The size of one stacked commitment.
#[derive(Clone, Copy)]
struct Stack {
    variables: usize,
    claims: usize,
}

impl Stack {
    /// Of tables of so many columns, of which so many are read in the next row too.
    fn of(tables: impl Iterator<Item = (usize, usize, usize)>) -> Option<Self> {
        let (mut cells, mut claims) = (0usize, 0usize);
        for (log_height, columns, next) in tables {
            let height = 1usize.checked_shl(u32::try_from(log_height).ok()?)?;
            cells = cells.checked_add(height.checked_mul(columns)?)?;
            claims = claims.checked_add(columns)?.checked_add(next)?;
        }
        let variables = cells.checked_next_power_of_two()?.ilog2() as usize;
        Some(Self { variables, claims })
    }

    /// The scheme at a per-term `level`, with the least grinding that suffices.
    fn scheme(self, parameters: &Parameters, level: usize) -> Option<Pcs> {
        let Parameters { regime, log_inv_rate, first, later, .. } = *parameters;
        let folding_factor =
            FoldingFactor::ConstantFromSecondRound(first.variables, later.variables);
        let (rounds, _) = folding_factor.compute_number_of_rounds(self.variables).ok()?;
        let mut rate = log_inv_rate;
        let mut round_log_inv_rates = Vec::new();
        for fold in std::iter::once(first).chain(std::iter::repeat(later)).take(rounds) {
            rate = rate.checked_add(fold.variables)?.checked_sub(fold.shrink)?;
            round_log_inv_rates.push(rate);
        }
        let mut parameters = ProtocolParameters {
            starting_log_inv_rate: log_inv_rate,
            round_log_inv_rates,
            folding_factor,
            soundness_type: regime,
            security_level: level,
            pow_bits: 0,
        };
        let config = loop {
            let tried = parameters.clone();
            match WhirConfig::new_with_initial_claims(self.variables, tried, self.claims) {
                Err(WhirConfigError::PowBitsExceedBudget { required, .. })
                    if required > parameters.pow_bits && required <= MAX_POW_BITS =>
                {
                    parameters.pow_bits = required;
                }
                outcome => break outcome.ok()?,
            }
        };
        let sponge = PaddingFreeSponge::<KeccakF, 25, 17, 4>::new(KeccakF {});
        let compress = CompressionFunctionFromHasher::new(sponge);
        let mmcs = Tree::new(SerializingHasher::new(sponge), compress, 0);
        Some(Pcs::new(config, Radix2DFTSmallBatch::default(), mmcs))
    }
}

/// The bits of a report, collisions of the hash left out; none if p3 left anything out.
fn bits(report: &MultiStarkSecurityReport) -> f64 {
    if !report.unassessed_components().is_empty() {
        return 0.0;
    }
    let terms: Vec<ErrorBits> = report
        .terms()
        .iter()
        .filter(|term| term.label != COLLISION)
        .map(|term| term.bits)
        .collect();
    ErrorBits::sum(&terms).bits()
}

/// A fresh transcript, with which the caller binds the statement.
pub fn challenger() -> Challenger {
    Challenger::from_hasher(Vec::new(), Keccak256Hash {})
}

/// Tables with their heights and the commitment to their preprocessed columns.
#[allow(missing_debug_implementations)]
pub struct System<const T: usize, const P: usize>
where
    Poseidon2<T, P>: Width<T, P>,
{
    tables: Vec<Table<T, P>>,
    log_heights: Vec<usize>,
    config: Config,
    report: MultiStarkSecurityReport,
    verifying: VerifyingKey<Config>,
    #[cfg(feature = "prover")]
    proving: ProvingKey<Config>,
}

impl<const T: usize, const P: usize> System<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// Tables of `2^log_heights` rows, at the least per-term level that reaches the target.
    /// Commits to the preprocessed columns.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a height for each table, no smaller than the first fold;
    /// [`Error::BelowTarget`] when no level reaches the target with 24 bits of grinding;
    /// [`Error::Security`], [`Error::Proving`] where p3 refuses the tables.
    pub fn new(
        tables: Vec<Table<T, P>>,
        log_heights: Vec<usize>,
        parameters: &Parameters,
    ) -> Result<Self, Error> {
        let fold = parameters.first.variables;
        let fits = tables.len() == log_heights.len() && !tables.is_empty();
        if !fits || log_heights.iter().any(|&log_height| log_height < fold.max(1)) {
            return Err(Error::Shape);
        }
        let both = || tables.iter().zip(&log_heights);
        let main = Stack::of(
            both().map(|(table, &log)| (log, table.width(), table.main_next_row_columns().len())),
        );
        let preprocessed = Stack::of(both().map(|(table, &log)| {
            (log, table.preprocessed_width(), table.preprocessed_next_row_columns().len())
        }));
        let (Some(main), Some(preprocessed)) = (main, preprocessed) else {
            return Err(Error::Shape);
        };
        let target = parameters.target_bits;
        let mut reached = 0.0;
        for level in (0..=LEVELS).filter_map(|above| target.checked_add(above)) {
            // Higher levels need more grinding, never less.
            let Some(main) = main.scheme(parameters, level) else { break };
            let Some(preprocessed) = preprocessed.scheme(parameters, level) else { break };
            let config = Config { fold, main, preprocessed };
            let report = assess(&config, &tables, &log_heights)?;
            reached = bits(&report);
            if reached < target as f64 {
                continue;
            }
            let airs: Vec<_> = tables.iter().collect();
            let keys = p3_multi_stark::setup(&config, &airs, &mut challenger())?;
            #[cfg(feature = "prover")]
            let (proving, verifying) = keys;
            #[cfg(not(feature = "prover"))]
            let (_, verifying) = keys;
            return Ok(Self {
                tables,
                log_heights,
                config,
                report,
                verifying,
                #[cfg(feature = "prover")]
                proving,
            });
        }
        Err(Error::BelowTarget { target, reached })
    }

    /// p3's bounds, each error by its label.
    pub const fn report(&self) -> &MultiStarkSecurityReport {
        &self.report
    }

    /// The bits they sum up to, collisions of the hash left out.
    pub fn security_bits(&self) -> f64 {
        bits(&self.report)
    }

    /// Whether there are as many public values as the tables read.
    fn takes(&self, public: &[Vec<F>]) -> bool {
        let given = public.iter().map(Vec::len);
        given.eq(self.tables.iter().map(|table| table.num_public_values()))
    }

    /// Proves that these traces fulfil the tables with these public values, and that the bus
    /// balances.
    ///
    /// # Errors
    /// [`Error::Shape`] for traces or public values of other sizes; [`Error::Proving`].
    ///
    /// # Panics
    /// If the bus does not balance: p3's prover asserts that it does. Broken constraints give
    /// proofs that nobody accepts.
    #[cfg(feature = "prover")]
    #[tracing::instrument(name = "air.multi.prove", skip_all)]
    pub fn prove(
        &self,
        traces: &[RowMajorMatrix<F>],
        public: &[Vec<F>],
        challenger: &mut Challenger,
    ) -> Result<Proof, Error> {
        let shapes = self.tables.iter().zip(&self.log_heights);
        let sizes = shapes.map(|(table, &log_height)| (table.width(), 1usize << log_height));
        if !self.takes(public) || !sizes.eq(traces.iter().map(|t| (t.width(), t.height()))) {
            return Err(Error::Shape);
        }
        let instances = self.tables.iter().zip(traces).zip(public);
        let instances = instances.map(|((table, trace), public)| {
            ProverInstance::new(table, Columns::new(trace.transpose()), &self.proving, public)
        });
        let instances = ProverInstances::new(instances.collect());
        Ok(p3_multi_stark::prove(&self.config, instances, 0, challenger)?)
    }

    /// Verifies such a proof. p3 takes every length from the tables; the proof's decoder is the
    /// caller's.
    ///
    /// # Errors
    /// [`Error::Shape`] for public values of other sizes; [`Error::Rejected`].
    pub fn verify(
        &self,
        proof: &Proof,
        public: &[Vec<F>],
        challenger: &mut Challenger,
    ) -> Result<(), Error> {
        if !self.takes(public) {
            return Err(Error::Shape);
        }
        let instances = self.tables.iter().zip(&self.log_heights).zip(public);
        let instances = instances.map(|((table, &log_height), public)| {
            VerifierInstance::new(table, &self.verifying, log_height, public)
        });
        let instances = VerifierInstances::new(instances.collect());
        Ok(p3_multi_stark::verify(&self.config, instances, proof, 0, challenger)?)
    }
}

/// p3's bounds for tables that nothing is committed to.
fn assess<const T: usize, const P: usize>(
    config: &Config,
    tables: &[Table<T, P>],
    log_heights: &[usize],
) -> Result<MultiStarkSecurityReport, Error>
where
    Poseidon2<T, P>: Width<T, P>,
{
    // The report looks at no key.
    let (_, key) = p3_multi_stark::setup(config, &[] as &[&Table<T, P>], &mut challenger())?;
    let public: Vec<_> =
        tables.iter().map(|table| vec![F::new(0); table.num_public_values()]).collect();
    let instances = tables.iter().zip(log_heights).zip(&public);
    let instances = instances.map(|((table, &log_height), public)| {
        VerifierInstance::new(table, &key, log_height, public)
    });
    Ok(p3_multi_stark::security_report(config, &VerifierInstances::new(instances.collect()))?)
}

#[cfg(all(test, feature = "prover"))]
mod tests;
