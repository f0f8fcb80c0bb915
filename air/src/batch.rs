//! Tables that share a bus, proved together.
//!
//! # Statement
//! Tables with preprocessed columns, constraints and messages; public values for each. There are
//! traces that fulfil all constraints, and the bus balances.
//!
//! # Steps
//! 1. Both sides commit to the preprocessed columns ([`Machine::new`]); the root is never read
//!    from a proof. The transcript starts with the domain, all parameters, the tables' sizes and
//!    the statement's bytes.
//! 2. p3-batch-stark: commitment to the traces; the public values and the preprocessed root are
//!    absorbed; challenges of LogUp; fraction columns and one terminal a table; constraints into
//!    quotients; openings at a random point by FRI. The terminals sum to zero.
//! 3. The proof travels in an encoding of ours ([`encoding`](self)), of lengths that follow from
//!    the statement.
//!
//! # Soundness
//! [`crate::security`].
//!
//! # Cost
//! Committing to about 1 + 1/15 times the bare permutation's columns; see the crate's root.
//!
//! # Source
//! p3-batch-stark, p3-lookup (LogUp, ePrint 2022/1530), p3-fri.
//!
//! # Deviations
//! p3's proof says how tall each table is; ours does not, the verifier knows. Of the tables the
//! transcript holds the preprocessed columns and all sizes. What else a table is made of, its
//! constraints and constants, is the verifier's own; where it follows from the statement, the
//! statement's bytes have to fix it.

#[cfg(all(test, feature = "prover"))]
mod tests;

use p3_air::symbolic::AirLayout;
use p3_air::{Air, BaseAir, DebugConstraintBuilder};
use p3_batch_stark::folder::{
    ProverConstraintFolderWithLookups, VerifierConstraintFolderWithLookups,
};
use p3_batch_stark::{BatchVerificationError, ProverData, VerificationError, symbolic};
#[cfg(feature = "prover")]
use p3_batch_stark::{StarkInstance, prove_batch};
use p3_field::TwoAdicField;
use p3_fri::verifier::FriError;
use p3_lookup::logup::LogUpGadget;
use p3_lookup::{InteractionSymbolicBuilder, Lookups, check_multiplicity_height_bound};
#[cfg(feature = "prover")]
use p3_matrix::Matrix;
#[cfg(feature = "prover")]
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::PcsError;
#[cfg(feature = "prover")]
use tracing::info_span;
use tracing::instrument;

use crate::encoding::Shape;
use crate::fri::{Config, Parameters};
use crate::security::{Report, TableShape};
use crate::{E, F, Reject, guard};

/// Begins every transcript; ends in the version of the encoding and of the parameters' meaning.
const DOMAIN: &[u8] = b"airda air, version 1";

/// A table that can be proved together with others: an AIR that puts messages on the bus.
pub trait BusAir:
    Clone
    + BaseAir<F>
    + Air<InteractionSymbolicBuilder<F, E>>
    + for<'a> Air<ProverConstraintFolderWithLookups<'a, Config>>
    + for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config>>
    + for<'a> Air<DebugConstraintBuilder<'a, F, E>>
{
}

impl<A> BusAir for A where
    A: Clone
        + BaseAir<F>
        + Air<InteractionSymbolicBuilder<F, E>>
        + for<'a> Air<ProverConstraintFolderWithLookups<'a, Config>>
        + for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config>>
        + for<'a> Air<DebugConstraintBuilder<'a, F, E>>
{
}

/// Tables of known sizes, their preprocessed columns committed to: what both sides hold before
/// there is a statement. Worth keeping for the next one.
pub struct Machine<A> {
    tables: Vec<A>,
    log_heights: Vec<usize>,
    parameters: Parameters,
    data: ProverData<Config>,
    shapes: Vec<TableShape>,
    shape: Shape,
    report: Report,
}

impl<A> std::fmt::Debug for Machine<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine")
            .field("log_heights", &self.log_heights)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

impl<A: BusAir> Machine<A> {
    /// Step 1: prepares tables, each with its rows.
    ///
    /// # Errors
    /// [`Reject::Instance`] when rows are no power of two, or more than the field has room for,
    /// and when a message could have as many readers as the field has elements; when the proofs
    /// would prove fewer bits than the parameters' target.
    ///
    /// # Panics
    /// When a table's preprocessed columns have another height.
    #[instrument(name = "air.prepare", skip_all)]
    pub fn new(tables: Vec<(A, usize)>, parameters: &Parameters) -> Result<Self, Reject> {
        if tables.iter().any(|(_, height)| !height.is_power_of_two()) {
            return Err(Reject::Instance("rows are a power of two"));
        }
        let log_heights: Vec<usize> =
            tables.iter().map(|(_, height)| height.ilog2() as usize).collect();
        let tallest = log_heights.iter().max().ok_or(Reject::Instance("there are no tables"))?;
        if tallest + parameters.log_blowup() > F::TWO_ADICITY {
            return Err(Reject::Instance("more rows than the field has room for"));
        }
        let tables: Vec<A> = tables.into_iter().map(|(table, _)| table).collect();
        let config = parameters.config(Vec::new());
        let data = ProverData::from_airs_and_degrees(&config, &tables, &log_heights)
            .map_err(|_| Reject::Instance("the preprocessed columns cannot be committed to"))?;
        let shapes: Vec<TableShape> = tables
            .iter()
            .zip(&log_heights)
            .zip(&data.common.lookups)
            .map(|((table, &log_height), lookups)| table_shape(table, log_height, lookups))
            .collect();
        let shape = Shape::new(shapes.clone(), parameters)?;
        // p3's verifier asks this too, but its prover panics.
        let heights: Vec<usize> = log_heights.iter().map(|&log_height| 1 << log_height).collect();
        check_multiplicity_height_bound(&data.common.lookups, &heights)
            .map_err(|_| Reject::Instance("more readers than a count can tell"))?;
        let report = Report::new(&parameters.shape(), &shapes);
        if report.proven_composed_bits() < f64::from(parameters.target_bits()) {
            return Err(Reject::Instance("tables too short, or too tall, for the security target"));
        }
        let parameters = *parameters;
        Ok(Self { tables, log_heights, parameters, data, shapes, shape, report })
    }

    /// The tables.
    pub fn tables(&self) -> &[A] {
        &self.tables
    }

    /// log2 of each table's rows.
    pub fn log_heights(&self) -> &[usize] {
        &self.log_heights
    }

    /// The parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Fewest and most bytes of a proof; how many there are depends on the queries' positions.
    pub const fn proof_bytes(&self) -> (usize, usize) {
        self.shape.bytes()
    }

    /// How secure the proofs are.
    pub const fn security(&self) -> &Report {
        &self.report
    }

    /// Each table's columns, constraints and messages.
    pub fn table_shapes(&self) -> &[TableShape] {
        &self.shapes
    }

    /// Proves that the traces fulfil everything, with these public values for each table.
    /// `statement` is bound into the transcript.
    ///
    /// The traces are not checked: for any that do not fulfil everything this returns a proof
    /// that does not verify.
    ///
    /// # Errors
    /// [`Reject::Instance`] when p3 cannot prove tables of that size.
    ///
    /// # Panics
    /// When traces or public values have other sizes than the tables. In debug builds of
    /// p3-batch-stark also when a constraint does not hold or the bus does not balance.
    #[cfg(feature = "prover")]
    #[instrument(name = "air.prove", skip_all)]
    pub fn prove(
        &self,
        statement: &[u8],
        traces: &[RowMajorMatrix<F>],
        public: &[Vec<F>],
    ) -> Result<Vec<u8>, Reject> {
        assert_eq!((traces.len(), public.len()), (self.tables.len(), self.tables.len()));
        let sizes = self.log_heights.iter().zip(&self.tables).zip(traces);
        for ((&log_height, table), trace) in sizes {
            assert_eq!((trace.height(), trace.width()), (1 << log_height, table.width()));
        }
        let instances: Vec<StarkInstance<'_, Config, A>> = self
            .tables
            .iter()
            .zip(traces)
            .zip(public)
            .map(|((air, trace), public)| StarkInstance {
                air,
                trace,
                public_values: public.clone(),
            })
            .collect();
        let proof = prove_batch(&self.config(statement), &instances, &self.data)
            .map_err(|_| Reject::Instance("p3 cannot prove tables of that size"))?;
        Ok(info_span!("air.encode").in_scope(|| self.shape.encode(&proof)))
    }

    /// Checks a proof for these public values.
    ///
    /// # Errors
    /// Any [`Reject`].
    #[instrument(name = "air.verify", skip_all)]
    pub fn verify(&self, statement: &[u8], public: &[Vec<F>], proof: &[u8]) -> Result<(), Reject> {
        let fits = |(table, public): (&A, &Vec<F>)| table.num_public_values() == public.len();
        if public.len() != self.tables.len() || !self.tables.iter().zip(public).all(fits) {
            return Err(Reject::Instance("public values of another length"));
        }
        let proof = self.shape.decode(proof)?;
        let config = self.config(statement);
        let common = &self.data.common;
        // p3 has checked shapes of its own and no panic is known; this is the second line.
        let verify = || {
            p3_batch_stark::verify_batch(&config, &self.tables, &proof, public, common)
                .map_err(refusal)
        };
        guard::catch(verify).unwrap_or(Err(Reject::Panicked))
    }

    /// p3's configuration for a statement: the transcript starts with all that is not p3's to
    /// absorb, every part of a fixed or stated length.
    fn config(&self, statement: &[u8]) -> Config {
        let tables: Vec<(&A, usize)> =
            self.tables.iter().zip(self.log_heights.iter().copied()).collect();
        self.parameters.config(seed(DOMAIN, &self.parameters, &tables, statement))
    }
}

/// What a transcript starts with: the domain, all parameters, each table's sizes, the statement.
pub(crate) fn seed<A: BaseAir<F>>(
    domain: &[u8],
    parameters: &Parameters,
    tables: &[(&A, usize)],
    statement: &[u8],
) -> Vec<u8> {
    let mut seed = domain.to_vec();
    let sizes = tables.iter().flat_map(|&(table, log_height)| {
        [table.width(), table.preprocessed_width(), table.num_public_values(), log_height]
    });
    let numbers = parameters.numbers().into_iter().chain([tables.len() as u64]);
    let numbers = numbers.chain(sizes.map(|size| size as u64));
    seed.extend(numbers.chain([statement.len() as u64]).flat_map(u64::to_le_bytes));
    seed.extend_from_slice(statement);
    seed
}

/// A table's numbers, by its own symbolic evaluation.
fn table_shape<A: BusAir>(table: &A, log_height: usize, lookups: &Lookups<F>) -> TableShape {
    let (layout, gadget) = (AirLayout::from_air(table), LogUpGadget::new());
    let (base, extension) =
        symbolic::get_symbolic_constraints::<F, E, A, _>(table, layout, lookups, &gadget);
    let log_chunks = symbolic::get_log_num_quotient_chunks::<F, E, A, _>(
        table,
        layout,
        1 << log_height,
        lookups,
        0,
        &gadget,
    );
    let messages = lookups.iter().flat_map(|lookup| &lookup.elements);
    TableShape {
        log_height,
        columns: table.width(),
        next_row: !table.main_next_row_columns().is_empty(),
        preprocessed: table.preprocessed_width(),
        preprocessed_next: table.preprocessed_width() > 0
            && !table.preprocessed_next_row_columns().is_empty(),
        fractions: lookups.len(),
        messages: messages.clone().count(),
        message_width: messages.map(Vec::len).max().unwrap_or(0),
        constraints: base.len() + extension.len(),
        // The most that so many chunks have room for.
        degree: (1 << log_chunks) + 1,
        quotient_chunks: 1 << log_chunks,
    }
}

/// What p3's error says, without its details.
fn refusal(error: BatchVerificationError<PcsError<Config>>) -> Reject {
    match error {
        BatchVerificationError::Verification(error) => stark_refusal(error),
        BatchVerificationError::Lookup(_) => Reject::Bus,
        BatchVerificationError::Transcript(_) => Reject::Work,
    }
}

/// The same of the part that p3's two STARKs share.
pub(crate) fn stark_refusal(error: VerificationError<PcsError<Config>>) -> Reject {
    match error {
        VerificationError::OodEvaluationMismatch { index } => {
            Reject::Constraints { table: index.unwrap_or(0) }
        }
        VerificationError::InvalidOpeningArgument(FriError::InvalidPowWitness(_)) => Reject::Work,
        _ => Reject::Opening,
    }
}
