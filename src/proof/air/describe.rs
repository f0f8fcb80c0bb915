//! What a shape's AIR proofs consist of, for whoever measures them.

use airda_air::calls::{Poseidon2 as Rounds, Width};
use airda_air::security::TableShape;
use airda_air::{Compiled, Table};

use super::{Prepared, System};
use crate::artifact::ProofFile;
use crate::error::Error;
use crate::params::{HashWidth, Params};

/// The tables of a shape, and how long a proof of them is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The tables, in the order they are proved in.
    pub tables: Vec<TableLine>,
    /// Fewest and most bytes of a proof's file; how many it has depends on the queries.
    pub proof_bytes: (usize, usize),
}

/// One of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLine {
    /// What it holds.
    pub name: &'static str,
    /// Its rows, columns, constraints and messages.
    pub shape: TableShape,
    /// The calls that it proves, if it is a table of calls.
    pub calls: Option<Calls>,
}

/// The calls of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Calls of the relation.
    pub real: usize,
    /// Places for calls, those that a power of two of rows leaves idle included.
    pub slots: usize,
}

/// Describes the proofs of a shape. Prepares the shape, and keeps it for the next proof of it.
///
/// # Errors
/// [`Error::Air`] when the system has no instance for that shape.
pub fn describe(params: &Params, system: &System) -> Result<Description, Error> {
    match params.hash() {
        HashWidth::W16 => describe_at::<16, 20>(params, system),
        HashWidth::W24 => describe_at::<24, 23>(params, system),
    }
}

fn describe_at<const T: usize, const P: usize>(
    params: &Params,
    system: &System,
) -> Result<Description, Error>
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
{
    let prepared = Prepared::<T, P>::new(params, system)?;
    let machine = &prepared.machine;
    let names = ["chains", "nodes", "inner products", "public blocks"];
    let tables = names.into_iter().zip(machine.tables()).zip(machine.table_shapes());
    let line = |((name, table), shape): ((&'static str, &Table<T, P>), &TableShape)| {
        let calls = match table {
            Table::Calls(calls) => {
                let schedule = calls.schedule();
                Some(Calls { real: schedule.num_calls(), slots: schedule.num_slots() })
            }
            Table::InnerProduct(_) | Table::Public(_) => None,
        };
        TableLine { name, shape: *shape, calls }
    };
    let (least, most) = machine.proof_bytes();
    let file = |body: usize| ProofFile::ENVELOPE_BYTES.saturating_add(body);
    Ok(Description { tables: tables.map(line).collect(), proof_bytes: (file(least), file(most)) })
}
