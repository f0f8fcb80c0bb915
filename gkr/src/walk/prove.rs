//! The walk's prover: it trusts its trace.

use std::convert::Infallible;

use p3_maybe_rayon::prelude::*;
use tracing::{debug_span, instrument};

use super::algebra::{cube_root, dot, lagrange};
use super::driver::{Form, Layer, Side, layers, walk, walk_from};
use super::embed::run;
use super::part::{ChunkTable, Part, Share};
use super::parts::{Embedding, Ends, Partial, Shape};
use super::rounds::Rounds;
use super::trace::{Round, Trace};
use super::{Claim, NODES, Point};
use crate::E;
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::transcript::{Channel, Sender};

/// Proves a walk over all calls of `trace`; the caller owes both ends of the claim.
///
/// Before this the channel must have absorbed whatever fixes the calls. A false trace gives a
/// proof that does not verify.
#[instrument(name = "gkr.walk.prove", level = "debug", skip_all, fields(num_calls = trace.num_calls(), width = T))]
pub fn prove<const T: usize>(trace: &mut Trace<T>, channel: &mut (impl Sender + Send)) -> Claim<T>
where
    Poseidon2<T>: Permutation<T>,
{
    let num_calls = trace.num_calls();
    inside_the_pool(|| walk(num_calls, &mut Prover::new([trace], channel)))
}

/// As [`prove`], from a point that was fixed before; the channel must have absorbed whatever it
/// follows from.
///
/// # Panics
/// When the point is not of the trace's shape.
#[instrument(name = "gkr.walk.prove", level = "debug", skip_all, fields(num_calls = trace.num_calls(), width = T))]
pub(crate) fn prove_from<const T: usize>(
    trace: &mut Trace<T>,
    outputs_at: Point,
    channel: &mut (impl Sender + Send),
) -> Claim<T>
where
    Poseidon2<T>: Permutation<T>,
{
    let num_calls = trace.num_calls();
    inside_the_pool(|| walk_from(num_calls, outputs_at, &mut Prover::new([trace], channel)))
}

/// Proves the layers of several parts, one trace each, from a claim about their outputs that
/// the channel must have absorbed; see [`layers`].
///
/// # Panics
/// When a trace is not of its part's shape.
#[instrument(name = "gkr.walk.prove", level = "debug", skip_all, fields(parts = traces.len(), width = T))]
pub(crate) fn prove_parts<const T: usize>(
    shape: &Shape<'_>,
    traces: &mut [Trace<T>],
    at: Point,
    beta: &[E; DIGEST],
    values: &[E],
    channel: &mut (impl Sender + Send),
) -> Ends<T>
where
    Poseidon2<T>: Permutation<T>,
{
    inside_the_pool(|| layers(shape, at, beta, values, &mut Prover::new(traces, channel)))
}

/// Runs a walk inside the pool from the start, so that the many short parallel steps do not
/// each wait for a worker to wake and to hand its result back.
fn inside_the_pool<R: Send>(walk: impl FnOnce() -> Result<R, Infallible> + Send) -> R {
    let (Ok(claim), ()) = join(walk, || ());
    claim
}

/// The prover's side of the walk; what a part does in a layer is in `full` and `partial`.
pub(super) struct Prover<'a, C, const T: usize> {
    pub(super) parts: Vec<Part<'a, T>>,
    pub(super) channel: &'a mut C,
}

impl<'a, C: Sender, const T: usize> Prover<'a, C, T>
where
    Poseidon2<T>: Permutation<T>,
{
    pub(super) fn new(
        traces: impl IntoIterator<Item = &'a mut Trace<T>>,
        channel: &'a mut C,
    ) -> Self {
        Self { parts: traces.into_iter().map(Part::new).collect(), channel }
    }

    /// Makes the rows that a layer reads ready.
    #[instrument(name = "gkr.walk.hold", level = "debug", skip_all)]
    fn hold(&mut self, round: Round) {
        self.parts.par_iter_mut().for_each(|part| part.trace.hold(round));
    }

    /// Each part's share of a layer and its chunks' weights.
    fn shares(layer: &Layer<'_>) -> Vec<(Share, ChunkTable)> {
        let weights = layer.shares.weights.iter().zip(&layer.shares.roots);
        layer
            .outer
            .par_iter()
            .zip(weights.collect::<Vec<_>>())
            .map(|(&outer, (&weight, &root))| {
                let at = layer.at.prefix(outer);
                let table = match layer.embedding {
                    Embedding::Weighted(weights) => ChunkTable::own(weights, outer),
                    Embedding::Constant | Embedding::Selected => ChunkTable::eq(&at.outer),
                };
                (Share { at, weight, root }, table)
            })
            .collect()
    }

    /// Steps 2a to 2c: `skip` gives a part's G(0), …, G(21), `fold` binds its positions, and
    /// `ends` makes the values sent of those that the rounds end with.
    fn layer<const N: usize>(
        &mut self,
        layer: &Layer<'_>,
        skip: impl Fn(&mut Part<'a, T>, &Share, &ChunkTable) -> [E; NODES] + Sync,
        fold: impl for<'p> Fn(&'p mut Part<'a, T>, &Share, ChunkTable, E) -> Rounds<'p> + Sync,
        ends: impl Fn(&Part<'a, T>, &Share, &[E], &Point) -> [E; N] + Sync,
    ) -> (Point, Vec<[E; N]>) {
        // 2a.
        let shares = Self::shares(layer);
        let messages: Vec<[E; NODES]> = debug_span!("gkr.walk.skip").in_scope(|| {
            let parts = self.parts.par_iter_mut().zip(&shares);
            parts.map(|(part, (share, table))| skip(part, share, table)).collect()
        });
        let message: [E; NODES] = std::array::from_fn(|node| {
            messages.iter().zip(&shares).map(|(part, (share, _))| share.weight * part[node]).sum()
        });
        self.channel.send(&message);
        let zeta = self.channel.draw();

        // 2b.
        let basis = lagrange::<NODES>(zeta);
        let claims = messages.iter().zip(&shares);
        let claims = claims.map(|(message, (share, _))| share.weight * dot(&basis, message));
        let claims: Vec<E> = claims.collect();
        let (shares, tables): (Vec<Share>, Vec<ChunkTable>) = shares.into_iter().unzip();
        let rounds: Vec<Rounds<'_>> = debug_span!("gkr.walk.fold").in_scope(|| {
            let parts = self.parts.par_iter_mut().zip(shares.par_iter().zip(tables));
            parts.map(|(part, (share, table))| fold(part, share, table, zeta)).collect()
        });
        let (next, bound) = run(layer, rounds, claims, zeta, self.channel);

        // 2c.
        let sent: Vec<[E; N]> = self
            .parts
            .par_iter()
            .zip(shares.par_iter().zip(&bound))
            .map(|(part, (share, bound))| {
                ends(part, share, bound, &next.prefix(share.at.outer.len()))
            })
            .collect();
        for ends in &sent {
            self.channel.send(ends);
        }
        (next, sent)
    }
}

impl<C: Sender, const T: usize> Side<T> for Prover<'_, C, T>
where
    Poseidon2<T>: Permutation<T>,
{
    type Error = Infallible;

    fn channel(&mut self) -> &mut impl Channel {
        self.channel
    }

    fn value(&mut self, at: &Point, weights: &[E; T]) -> Result<E, Infallible> {
        let [part] = &mut self.parts[..] else { unreachable!("a walk of its own has one part") };
        part.trace.hold(Round::Full(LAST_ROUND));
        let message = part.full_skip(LAST_ROUND, &ChunkTable::eq(&at.outer), at, weights);
        let y = dot(&at.positions.weights(), &message);
        part.first_skip = Some(message);
        self.channel.send(&[y]);
        Ok(y)
    }

    #[instrument(name = "gkr.walk.full", level = "debug", skip_all, fields(layer = layer.index))]
    fn full(
        &mut self,
        layer: Layer<'_>,
        _claim: E,
        weights: &[E; T],
    ) -> Result<(Point, Vec<[E; T]>), Infallible> {
        let round = layer.round;
        self.hold(Round::Full(round));
        let roots = weights.map(cube_root);
        Ok(self.layer(
            &layer,
            |part, share, table| part.skip(round, table, &share.at, weights),
            |part, share, table, zeta| {
                part.full_fold(round, table, &share.at, zeta, &roots.map(|root| share.root * root))
            },
            |part, share, bound, next| {
                let roots = roots.map(|root| share.root * root);
                part.full_ends(round, next, &roots, bound)
            },
        ))
    }

    #[instrument(name = "gkr.walk.partial", level = "debug", skip_all, fields(layer = layer.index))]
    fn partial(
        &mut self,
        layer: Layer<'_>,
        _claim: E,
        form: &Form<T>,
    ) -> Result<(Point, Vec<[E; 2]>), Infallible> {
        let round = layer.round;
        self.hold(Round::Partial(round));
        let root = cube_root(form.gamma[0]);
        Ok(self.layer(
            &layer,
            |part, share, table| {
                part.partial_skip(round, table, &share.at, form, Partial::Recurrence)
            },
            |part, share, table, zeta| part.partial_fold(round, table, share, zeta, root),
            |part, share, bound, next| part.partial_ends(round, next, share, root, bound),
        ))
    }

    #[instrument(name = "gkr.walk.partial", level = "debug", skip_all, fields(layer = layer.index))]
    fn partial_columns(
        &mut self,
        layer: Layer<'_>,
        _claim: E,
        form: &Form<T>,
    ) -> Result<(Point, Vec<[E; T]>), Infallible> {
        let round = layer.round;
        self.hold(Round::Partial(round));
        let root = cube_root(form.gamma[0]);
        Ok(self.layer(
            &layer,
            |part, share, table| part.partial_skip(round, table, &share.at, form, Partial::Columns),
            |part, share, table, zeta| part.partial_fold(round, table, share, zeta, root),
            |part, share, bound, next| {
                let [inner, _] = part.partial_ends(round, next, share, root, bound);
                part.partial_words(round, next, inner)
            },
        ))
    }
}

/// The round whose outputs the walk starts from.
const LAST_ROUND: usize = 2 * crate::permutation::HALF_FULL_ROUNDS - 1;
