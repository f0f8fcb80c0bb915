//! The batch's prover: it trusts its inputs.

use std::convert::Infallible;

use p3_field::{PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use super::claims::{OutputClaims, Terminal};
use super::driver::{Side, Tables, of_zeros, run};
use super::{Batch, Partial, Regions};
use crate::eq::eq_table;
use crate::permutation::{DIGEST, Packed, Permutation, Poseidon2};
use crate::transcript::{Channel, Sender};
use crate::walk::{
    self, CHUNK, Checkpoints, Ends, PartialWords, Point, Shape, Trace, TraceOptions, log_outer,
};
use crate::{E, F};

/// The calls' inputs. `fill(a, k, columns)` writes the inputs of the calls 128k, 128k + 1, … of
/// region a into the columns `columns[word]`, which come zeroed; what it writes for calls that
/// the region does not have is dropped.
pub trait Inputs<const T: usize>: Fn(usize, usize, &mut [[F; CHUNK]; T]) + Sync + Send {}

impl<const T: usize, I: Fn(usize, usize, &mut [[F; CHUNK]; T]) + Sync + Send> Inputs<T> for I {}

impl OutputClaims {
    /// Draws a point and weights, computes the values and sends them.
    #[instrument(name = "gkr.batch.outputs", level = "debug", skip_all)]
    pub fn send<const T: usize>(
        regions: &Regions,
        inputs: &impl Inputs<T>,
        channel: &mut impl Sender,
    ) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        let (at, beta) = Self::draw(regions, channel);
        let claims = Self::of(regions, inputs, at, beta);
        channel.send(&claims.values);
        claims
    }

    /// The true claims at a point.
    pub fn of<const T: usize>(
        regions: &Regions,
        inputs: &impl Inputs<T>,
        at: Point,
        beta: [E; DIGEST],
    ) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        let calls = regions.num_calls().par_iter().enumerate();
        let values = calls.map(|(region, &calls)| {
            let at = at.prefix(log_outer(calls));
            let outer = eq_table(&at.outer);
            let rows = at.chunk_weights();
            let chunks = calls.div_ceil(CHUNK);
            let held = (0..chunks).into_par_iter().map(|chunk| {
                let outputs = chunk_outputs(regions, inputs, region, chunk);
                let columns = beta.iter().zip(&outputs);
                let sums = columns.map(|(&beta, column)| {
                    let sum: E = column.iter().zip(&rows).map(|(&word, &row)| row * word).sum();
                    beta * sum
                });
                outer[chunk] * sums.sum::<E>()
            });
            let held = held.par_fold_reduce(|| E::ZERO, |a, b| a + b, |a, b| a + b);
            held + at.tail(chunks * CHUNK) * of_zeros::<T>(&beta)
        });
        let values = values.collect();
        Self { at, beta, values }
    }
}

/// The kept outputs of a chunk of a region, a column a word; a chunk beyond the region's calls
/// has the permutation of zeros.
pub(super) fn chunk_outputs<const T: usize>(
    regions: &Regions,
    inputs: &impl Inputs<T>,
    region: usize,
    chunk: usize,
) -> [[F; CHUNK]; DIGEST]
where
    Poseidon2<T>: Permutation<T>,
{
    let mut columns = [[F::ZERO; CHUNK]; T];
    fill(regions, inputs, region, chunk, &mut columns);
    let mut outputs = [[F::ZERO; CHUNK]; DIGEST];
    for at in (0..CHUNK).step_by(Packed::WIDTH) {
        let mut state: [Packed; T] =
            std::array::from_fn(|v| *Packed::from_slice(&columns[v][at..at + Packed::WIDTH]));
        Poseidon2::permute_packed(&mut state);
        for (column, word) in outputs.iter_mut().zip(&state) {
            column[at..at + Packed::WIDTH].copy_from_slice(word.as_slice());
        }
    }
    outputs
}

/// A chunk's inputs, zeros where the region has no call.
fn fill<const T: usize>(
    regions: &Regions,
    inputs: &impl Inputs<T>,
    region: usize,
    chunk: usize,
    columns: &mut [[F; CHUNK]; T],
) {
    let left = regions.num_calls()[region].saturating_sub(chunk * CHUNK);
    if left == 0 {
        return;
    }
    inputs(region, chunk, columns);
    for column in columns {
        column[left.min(CHUNK)..].fill(F::ZERO);
    }
}

impl Batch<'_> {
    /// Proves that the output claims follow from terminal claims, which are the caller's to
    /// settle.
    ///
    /// Before this the channel must have absorbed whatever fixes the calls. False inputs or
    /// claims give a proof that does not verify.
    ///
    /// # Panics
    /// When the claims are not of the regions' shape.
    pub fn prove<const T: usize>(
        &self,
        inputs: &impl Inputs<T>,
        outputs: &OutputClaims,
        channel: &mut (impl Sender + Send),
    ) -> Terminal<T>
    where
        Poseidon2<T>: Permutation<T>,
    {
        self.prove_with(Checkpoints::All, inputs, outputs, channel)
    }

    /// As [`Self::prove`], with a trace that keeps only some rounds.
    ///
    /// # Panics
    /// As [`Self::prove`].
    #[instrument(name = "gkr.batch.prove", level = "debug", skip_all, fields(strategy = %self.strategy, width = T))]
    pub fn prove_with<const T: usize>(
        &self,
        checkpoints: Checkpoints,
        inputs: &impl Inputs<T>,
        outputs: &OutputClaims,
        channel: &mut (impl Sender + Send),
    ) -> Terminal<T>
    where
        Poseidon2<T>: Permutation<T>,
    {
        assert!(
            outputs.fits(self.regions),
            "one claim a region, at a point of the largest one's bits"
        );
        let partial_words = match self.partial {
            Partial::Recurrence => PartialWords::First,
            Partial::Columns => PartialWords::All,
        };
        let options = TraceOptions { checkpoints, partial_words };
        let mut prover = Prover { batch: self, options, inputs, channel };
        let Ok(terminal) = run(self, outputs, &mut prover);
        terminal
    }
}

struct Prover<'a, I, C> {
    batch: &'a Batch<'a>,
    options: TraceOptions,
    inputs: &'a I,
    channel: &'a mut C,
}

impl<I, C> Prover<'_, I, C> {
    #[instrument(name = "gkr.batch.traces", level = "debug", skip_all)]
    fn traces<const T: usize>(&self, tables: Tables) -> Vec<Trace<T>>
    where
        I: Inputs<T>,
        Poseidon2<T>: Permutation<T>,
    {
        let (options, inputs, regions) = (self.options, self.inputs, self.batch.regions);
        let rows = |region: usize, rows: usize| {
            Trace::generate_with(options, rows, |chunk, columns| {
                fill(regions, inputs, region, chunk, columns);
            })
        };
        let num_calls = regions.num_calls().par_iter().enumerate();
        match tables {
            Tables::Region(region) => vec![rows(region, regions.num_calls()[region])],
            Tables::Regions => num_calls.map(|(region, &calls)| rows(region, calls)).collect(),
            Tables::Padded => {
                let all = CHUNK << regions.max_log_outer();
                num_calls.map(|(region, _)| rows(region, all)).collect()
            }
            Tables::Stack => {
                let stack = regions.stack();
                vec![Trace::generate_with(options, stack.rows(), |index, columns| {
                    if let Some((region, chunk)) = stack.chunk(index) {
                        fill(regions, inputs, region, chunk, columns);
                    }
                })]
            }
        }
    }
}

impl<I: Inputs<T>, C: Sender + Send, const T: usize> Side<T> for Prover<'_, I, C>
where
    Poseidon2<T>: Permutation<T>,
{
    type Error = Infallible;

    fn channel(&mut self) -> &mut impl Channel {
        self.channel
    }

    fn walk(
        &mut self,
        tables: Tables,
        shape: &Shape<'_>,
        at: Point,
        beta: &[E; DIGEST],
        values: &[E],
    ) -> Result<Ends<T>, Infallible> {
        let mut traces = self.traces(tables);
        Ok(walk::prove_parts(shape, &mut traces, at, beta, values, self.channel))
    }
}
