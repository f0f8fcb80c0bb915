//! A table alone, with p3-uni-stark.
//!
//! # Statement
//! There is a trace that fulfils the table's constraints, with these public values and with the
//! preprocessed columns that both sides compute. *Nothing is said of the messages*: without the
//! other end of the bus a call's inputs are any words, and an inner product's vectors are those
//! of no commitment. What a table alone costs can be measured, and a user's own constraints can
//! bind what the bus would; a relation of several tables is [`crate::batch`]'s.
//!
//! # Steps
//! 1. Both sides commit to the preprocessed columns ([`Alone::new`]). The transcript starts with
//!    a domain of its own, the parameters, the table's sizes and the statement's bytes.
//! 2. p3-uni-stark.
//!
//! # Soundness
//! [`crate::security`], the table being one without messages.
//!
//! # Source
//! p3-uni-stark, p3-fri.
//!
//! # Deviations
//! None. The proof is p3's, in p3's types; its height is compared with the table's.

#[cfg(all(test, feature = "prover"))]
mod tests;

use p3_air::symbolic::AirLayout;
use p3_air::{Air, BaseAir, DebugConstraintBuilder};
use p3_field::TwoAdicField;
#[cfg(feature = "prover")]
use p3_matrix::Matrix;
#[cfg(feature = "prover")]
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{
    PreprocessedProverData, PreprocessedVerifierKey, Proof, QuotientAir, VerifierConstraintFolder,
    get_log_num_quotient_chunks, setup_preprocessed, verify_with_preprocessed,
};
use tracing::instrument;

use crate::batch::{seed, stark_refusal};
use crate::fri::{Config, Parameters};
use crate::{F, Reject, guard};

/// Begins every transcript.
const DOMAIN: &[u8] = b"airda air, a table alone, version 1";

/// A table that can be proved alone: any AIR over the base field.
pub trait LoneAir:
    BaseAir<F>
    + QuotientAir<Config>
    + for<'a> Air<VerifierConstraintFolder<'a, Config>>
    + for<'a> Air<DebugConstraintBuilder<'a, F>>
{
}

impl<A> LoneAir for A where
    A: BaseAir<F>
        + QuotientAir<Config>
        + for<'a> Air<VerifierConstraintFolder<'a, Config>>
        + for<'a> Air<DebugConstraintBuilder<'a, F>>
{
}

/// A table of known size, its preprocessed columns committed to.
pub struct Alone<A> {
    table: A,
    log_height: usize,
    parameters: Parameters,
    preprocessed: Option<(PreprocessedProverData<Config>, PreprocessedVerifierKey<Config>)>,
}

impl<A: std::fmt::Debug> std::fmt::Debug for Alone<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Alone")
            .field("table", &self.table)
            .field("log_height", &self.log_height)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

impl<A: LoneAir> Alone<A> {
    /// Step 1: prepares a table of `height` rows.
    ///
    /// # Errors
    /// [`Reject::Instance`] when rows are no power of two, or more than the field has room for,
    /// or the constraints' degree is beyond the rate.
    ///
    /// # Panics
    /// When the table's preprocessed columns have another height.
    pub fn new(table: A, height: usize, parameters: &Parameters) -> Result<Self, Reject> {
        if !height.is_power_of_two() {
            return Err(Reject::Instance("rows are a power of two"));
        }
        let log_height = height.ilog2() as usize;
        if log_height + parameters.log_blowup() > F::TWO_ADICITY {
            return Err(Reject::Instance("more rows than the field has room for"));
        }
        let layout = AirLayout::from_air::<F>(&table);
        if get_log_num_quotient_chunks(&table, layout, height, 0) > parameters.log_blowup() {
            return Err(Reject::Instance("constraints of a degree beyond the rate"));
        }
        let preprocessed =
            setup_preprocessed(&parameters.config(Vec::new()), &table, log_height)
                .map_err(|_| Reject::Instance("the preprocessed columns cannot be committed to"))?;
        Ok(Self { table, log_height, parameters: *parameters, preprocessed })
    }

    /// The table.
    pub const fn table(&self) -> &A {
        &self.table
    }

    /// Proves that the trace fulfils the table's constraints. `statement` is bound into the
    /// transcript.
    ///
    /// The trace is not checked: for one that does not fulfil them this returns a proof that does
    /// not verify.
    ///
    /// # Errors
    /// [`Reject::Instance`] when p3 cannot prove a table of that size.
    ///
    /// # Panics
    /// When trace or public values have other sizes than the table. In debug builds of
    /// p3-uni-stark also when a constraint does not hold.
    #[cfg(feature = "prover")]
    #[instrument(name = "air.alone.prove", skip_all)]
    pub fn prove(
        &self,
        statement: &[u8],
        trace: RowMajorMatrix<F>,
        public: &[F],
    ) -> Result<Proof<Config>, Reject> {
        assert_eq!((trace.height(), trace.width()), (1 << self.log_height, self.table.width()));
        assert_eq!(public.len(), self.table.num_public_values());
        let preprocessed = self.preprocessed.as_ref().map(|(data, _)| data);
        let config = self.config(statement);
        p3_uni_stark::prove_with_preprocessed(&config, &self.table, trace, public, preprocessed)
            .map_err(|_| Reject::Instance("p3 cannot prove tables of that size"))
    }

    /// Checks a proof for these public values.
    ///
    /// # Errors
    /// [`Reject::Constraints`], [`Reject::Opening`], [`Reject::Work`]; [`Reject::Instance`] for
    /// public values of another length.
    #[instrument(name = "air.alone.verify", skip_all)]
    pub fn verify(
        &self,
        statement: &[u8],
        public: &[F],
        proof: &Proof<Config>,
    ) -> Result<(), Reject> {
        if public.len() != self.table.num_public_values() {
            return Err(Reject::Instance("public values of another length"));
        }
        if proof.degree_bits != self.log_height {
            return Err(Reject::Opening);
        }
        let key = self.preprocessed.as_ref().map(|(_, key)| key);
        let config = self.config(statement);
        let verify = || {
            verify_with_preprocessed(&config, &self.table, proof, public, key)
                .map_err(stark_refusal)
        };
        guard::catch(verify).unwrap_or(Err(Reject::Panicked))
    }

    fn config(&self, statement: &[u8]) -> Config {
        let tables = [(&self.table, self.log_height)];
        self.parameters.config(seed(DOMAIN, &self.parameters, &tables, statement))
    }
}
