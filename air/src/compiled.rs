//! The machines of this crate's own tables, compiled here once.
//!
//! [`Machine`] is generic, and p3's provers and verifiers with it, so every crate that proves
//! tables compiles them anew, in minutes. These are instances of it for [`Table`], and nothing
//! but that.

#[cfg(feature = "prover")]
use p3_matrix::dense::RowMajorMatrix;

use crate::fri::Parameters;
use crate::{F, Machine, Reject, Table};

/// A table whose machine is compiled in this crate: [`Table`] at either width.
pub trait Compiled: Sized {
    /// [`Machine::new`].
    ///
    /// # Errors
    /// As there.
    fn prepare(
        tables: Vec<(Self, usize)>,
        parameters: &Parameters,
    ) -> Result<Machine<Self>, Reject>;

    /// [`Machine::prove`].
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "prover")]
    fn prove(
        machine: &Machine<Self>,
        statement: &[u8],
        traces: &[RowMajorMatrix<F>],
        public: &[Vec<F>],
    ) -> Result<Vec<u8>, Reject>;

    /// [`Machine::verify`].
    ///
    /// # Errors
    /// As there.
    fn verify(
        machine: &Machine<Self>,
        statement: &[u8],
        public: &[Vec<F>],
        proof: &[u8],
    ) -> Result<(), Reject>;
}

macro_rules! compiled {
    ($t:literal, $p:literal) => {
        impl Compiled for Table<$t, $p> {
            fn prepare(
                tables: Vec<(Self, usize)>,
                parameters: &Parameters,
            ) -> Result<Machine<Self>, Reject> {
                Machine::new(tables, parameters)
            }

            #[cfg(feature = "prover")]
            fn prove(
                machine: &Machine<Self>,
                statement: &[u8],
                traces: &[RowMajorMatrix<F>],
                public: &[Vec<F>],
            ) -> Result<Vec<u8>, Reject> {
                machine.prove(statement, traces, public)
            }

            fn verify(
                machine: &Machine<Self>,
                statement: &[u8],
                public: &[Vec<F>],
                proof: &[u8],
            ) -> Result<(), Reject> {
                machine.verify(statement, public, proof)
            }
        }
    };
}

compiled!(16, 20);
compiled!(24, 23);
