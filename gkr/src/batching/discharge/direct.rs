//! Against the input columns themselves.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;
use tracing::instrument;

use crate::batching::{InputClaim, Regions, Rows, Terminal};
use crate::eq::eq_table;
use crate::walk::{CHUNK, Point};
use crate::{E, F, Reject};

/// Checks the claims against the inputs of all calls, by evaluating their columns: for a verifier
/// who has them. `inputs[a]` are those of region a, call by call. Takes a product a word.
///
/// # Errors
/// [`Reject::Inputs`] where a claim is false; [`Reject::Regions`] when the claims are not of the
/// regions, or a region has not as many calls as it should.
#[instrument(name = "gkr.batch.discharge", level = "debug", skip_all)]
pub fn directly<const T: usize>(
    terminal: &Terminal<T>,
    regions: &Regions,
    inputs: &[impl AsRef<[[F; T]]>],
) -> Result<(), Reject> {
    let sizes = inputs.iter().map(|calls| calls.as_ref().len());
    if !terminal.fits(regions) || !sizes.eq(regions.num_calls().iter().copied()) {
        return Err(Reject::Regions);
    }
    let chunk = |region: usize, chunk: usize| -> &[[F; T]] {
        let calls = inputs.get(region).map_or(&[][..], AsRef::as_ref);
        calls.chunks(CHUNK).nth(chunk).unwrap_or(&[])
    };
    for (index, InputClaim { rows, at, inputs }) in terminal.claims.iter().enumerate() {
        let mut columns = Columns::new(at);
        match *rows {
            Rows::Region(region) => {
                let calls = regions.num_calls().get(region).copied().unwrap_or_default();
                (0..calls.div_ceil(CHUNK)).for_each(|k| columns.add(k, chunk(region, k)));
            }
            Rows::Stack => {
                let stack = regions.stack();
                for (k, (region, from)) in (0..).map_while(|k| Some((k, stack.chunk(k)?))) {
                    columns.add(k, chunk(region, from));
                }
            }
        }
        if columns.sums != *inputs {
            return Err(Reject::Inputs { claim: index });
        }
    }
    Ok(())
}

/// Input columns at a point, chunk by chunk.
struct Columns<const T: usize> {
    outer: Vec<E>,
    /// The weights of a chunk's rows.
    rows: Vec<E>,
    sums: [E; T],
}

impl<const T: usize> Columns<T> {
    fn new(at: &Point) -> Self {
        Self { outer: eq_table(&at.outer), rows: at.chunk_weights(), sums: [E::ZERO; T] }
    }

    /// Adds the calls of chunk `index`.
    fn add(&mut self, index: usize, calls: &[[F; T]]) {
        let weight = self.outer.get(index).copied().unwrap_or_default();
        let mut chunk = [E::ZERO; T];
        for (call, &row) in calls.iter().zip(&self.rows) {
            for (sum, &word) in chunk.iter_mut().zip(call) {
                *sum += row * word;
            }
        }
        for (sum, chunk) in self.sums.iter_mut().zip(chunk) {
            *sum += weight * chunk;
        }
    }
}
