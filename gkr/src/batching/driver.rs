//! The order of a batch, written once for both sides: a strategy says which walks there are,
//! over which rows, and from which claims.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use super::claims::{InputClaim, OutputClaims, Rows, Terminal};
use super::{Batch, Strategy};
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::transcript::Channel;
use crate::walk::{CHUNK, ChunkWeights, Embedding, Ends, Point, Shape, log_outer};
use crate::{E, F};

/// One walk of a batch.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) tables: Tables,
    /// The outer bits of each table.
    pub(super) outer: Vec<usize>,
    embedding: Embedding<'static>,
}

/// The tables of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tables {
    /// One region.
    Region(usize),
    /// Every region.
    Regions,
    /// Every region, filled up to the size of the largest.
    Padded,
    /// The stack.
    Stack,
}

impl Batch<'_> {
    /// The walks of the strategy, in order.
    pub(super) fn walks(&self) -> Vec<Walk> {
        let outer = self.regions.log_outer();
        let (tables, outer, embedding) = match self.strategy {
            Strategy::Independent => {
                let walk = |(region, outer)| Walk {
                    tables: Tables::Region(region),
                    outer: vec![outer],
                    embedding: Embedding::Constant,
                };
                return outer.into_iter().enumerate().map(walk).collect();
            }
            Strategy::Padded => {
                let outer = vec![self.regions.max_log_outer(); self.regions.len()];
                (Tables::Padded, outer, Embedding::Constant)
            }
            Strategy::Ragged => (Tables::Regions, outer, Embedding::Selected),
            Strategy::Replicated => (Tables::Regions, outer, Embedding::Constant),
            Strategy::Stacked => {
                let outer = vec![log_outer(self.regions.stack().rows())];
                (Tables::Stack, outer, Embedding::Constant)
            }
        };
        vec![Walk { tables, outer, embedding }]
    }

    /// The shape of one of them, with the weights of its chunks if it has any.
    pub(super) fn shape<'s>(&self, walk: &'s Walk, weights: Option<&'s ChunkWeights>) -> Shape<'s> {
        let Walk { outer, embedding, .. } = walk;
        Shape { outer, embedding: *embedding, weights, partial: self.partial }
    }

    /// Whether chunks have weights of their own: one region is its own stack.
    pub(super) fn is_weighted(&self) -> bool {
        self.strategy == Strategy::Stacked && self.regions.len() > 1
    }
}

/// What the two sides do differently.
pub(super) trait Side<const T: usize> {
    type Error;

    fn channel(&mut self) -> &mut impl Channel;

    /// One walk's layers.
    fn walk(
        &mut self,
        tables: Tables,
        shape: &Shape<'_>,
        at: Point,
        beta: &[E; DIGEST],
        values: &[E],
    ) -> Result<Ends<T>, Self::Error>;
}

/// Steps 1 to 3.
pub(super) fn run<const T: usize, S: Side<T>>(
    batch: &Batch<'_>,
    outputs: &OutputClaims,
    side: &mut S,
) -> Result<Terminal<T>, S::Error>
where
    Poseidon2<T>: Permutation<T>,
{
    // 1.
    batch.bind::<T>(outputs, side.channel());
    let mut claims = Vec::new();
    for walk in batch.walks() {
        let tables = walk.tables;
        // 2.
        let Start { at, values, weights } = start::<T>(batch, outputs, &walk, side.channel());
        // 3.
        let shape = batch.shape(&walk, weights.as_ref());
        let ends = side.walk(tables, &shape, at, &outputs.beta, &values)?;
        for (index, (&inputs, &outer)) in ends.inputs.iter().zip(&walk.outer).enumerate() {
            let rows = match tables {
                Tables::Region(region) => Rows::Region(region),
                Tables::Regions | Tables::Padded => Rows::Region(index),
                Tables::Stack => Rows::Stack,
            };
            claims.push(InputClaim { rows, at: ends.at.prefix(outer), inputs });
        }
    }
    Ok(Terminal { claims })
}

/// What a walk starts from.
struct Start {
    at: Point,
    /// One a table.
    values: Vec<E>,
    weights: Option<ChunkWeights>,
}

/// Step 2.
fn start<const T: usize>(
    batch: &Batch<'_>,
    outputs: &OutputClaims,
    walk: &Walk,
    channel: &mut impl Channel,
) -> Start
where
    Poseidon2<T>: Permutation<T>,
{
    let OutputClaims { at, beta, values } = outputs;
    let regions = batch.regions;
    let of_zeros = of_zeros::<T>(beta);
    let plain = |at, values| Start { at, values, weights: None };
    match walk.tables {
        Tables::Region(region) => {
            let outer = walk.outer.first().copied().unwrap_or_default();
            let values = values.get(region).copied();
            plain(at.prefix(outer), values.into_iter().collect())
        }
        Tables::Regions => plain(at.clone(), values.clone()),
        Tables::Padded => {
            // The rows added hold zeros.
            let padded = regions.log_outer().into_iter().zip(values).map(|(outer, &value)| {
                let share: E = at.outer.iter().skip(outer).map(|&r| E::ONE - r).product();
                share * (value - of_zeros) + of_zeros
            });
            plain(at.clone(), padded.collect())
        }
        Tables::Stack if !batch.is_weighted() => plain(at.clone(), values.clone()),
        Tables::Stack => {
            let coefficients: Vec<E> = channel.draw().powers().take(regions.len()).collect();
            let held = regions.num_calls().iter().zip(values).map(|(&calls, &value)| {
                // Calls were counted by chunks: no overflow.
                let rows = calls.div_ceil(CHUNK).wrapping_mul(CHUNK);
                value - at.prefix(log_outer(calls)).tail(rows) * of_zeros
            });
            let value = coefficients.iter().zip(held).map(|(&mu, held)| mu * held).sum();
            let weights = regions.stack().weights(regions, at, &coefficients);
            // The chunks' weights take the place of the outer bits.
            let outer = vec![E::ZERO; walk.outer.iter().copied().sum()];
            let at = Point { outer, ..at.clone() };
            Start { at, values: vec![value], weights: Some(weights) }
        }
    }
}

/// `Σ_v β_v·P(0)_v`.
pub(super) fn of_zeros<const T: usize>(beta: &[E; DIGEST]) -> E
where
    Poseidon2<T>: Permutation<T>,
{
    let mut zeros = [F::ZERO; T];
    Poseidon2::<T>::permute(&mut zeros);
    beta.iter().zip(zeros).map(|(&beta, word)| beta * word).sum()
}
