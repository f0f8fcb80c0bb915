//! The merge's prover: it trusts its inputs.

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use super::{NODES, RowClaim, Weights, bind, combined, fit, merged, point};
use crate::E;
use crate::batching::prove::chunk_outputs;
use crate::batching::{Inputs, OutputClaims, Regions};
use crate::eq::eq_table;
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::sumcheck::Message;
use crate::transcript::Sender;
use crate::walk::{CHUNK, LANES, POSITIONS, Point, lagrange, log_outer};

/// Proves the merge of claims about outputs.
///
/// Before this the channel must have absorbed whatever fixes the calls. False claims give a proof
/// that does not verify.
///
/// # Panics
/// When there is no claim, or one that is not of its region's shape.
#[instrument(name = "gkr.batch.merge", level = "debug", skip_all, fields(claims = claims.len()))]
pub fn prove<const T: usize>(
    regions: &Regions,
    inputs: &impl Inputs<T>,
    claims: &[RowClaim<'_>],
    channel: &mut impl Sender,
) -> OutputClaims
where
    Poseidon2<T>: Permutation<T>,
{
    assert!(fit(regions, claims), "claims have their regions' shape");
    // 1.
    let kappa = bind(regions, claims, channel);
    // 2.
    let products = claims.iter().zip(kappa.powers());
    let positions: Vec<Positions> =
        products.map(|(claim, kappa)| Positions::new(regions, inputs, claim, kappa)).collect();
    let mut message = [E::ZERO; NODES];
    for product in &positions {
        for (sum, value) in message.iter_mut().zip(product.message()) {
            *sum += value;
        }
    }
    channel.send(&message);
    let zeta = channel.draw();
    let basis: [E; NODES] = lagrange(zeta);
    let claim = basis.iter().zip(message).map(|(&b, m)| b * m).sum();
    debug_assert_eq!(message[..POSITIONS].iter().copied().sum::<E>(), combined(claims, kappa));
    let mut products: Vec<Product> = positions.into_iter().map(|p| p.fold(zeta)).collect();
    // 3.
    let mut claim: E = claim;
    let mut round = |products: &mut [Product], lane: bool| {
        let messages = products.iter().map(|product| product.message(lane));
        let message = messages.fold(Message::default(), |a, b| a + b);
        channel.send(&message.pack());
        let r = channel.draw();
        claim = message.at(claim, r);
        products.iter_mut().for_each(|product| product.bind(lane, r));
        r
    };
    let outer = (0..regions.max_log_outer()).map(|_| round(&mut products, false)).collect();
    let lanes = std::array::from_fn(|_| round(&mut products, true));
    let at = point(zeta, outer, lanes);
    // 4.
    let outputs: Vec<[E; DIGEST]> =
        (0..regions.len()).map(|region| outputs_at(regions, inputs, region, &at)).collect();
    outputs.iter().for_each(|outputs| channel.send(outputs));
    // 6.
    merged(at, &outputs, channel)
}

/// One claim's product over all rows of its region: κ^j·w and A, position by position for each
/// (outer, lane).
struct Positions {
    weights: Vec<[E; POSITIONS]>,
    values: Vec<[E; POSITIONS]>,
}

impl Positions {
    fn new<const T: usize>(
        regions: &Regions,
        inputs: &impl Inputs<T>,
        claim: &RowClaim<'_>,
        kappa: E,
    ) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        let RowClaim { region, weights, beta, .. } = claim;
        let chunks = 1 << log_outer(regions.num_calls()[*region]);
        let mut values = vec![[E::ZERO; POSITIONS]; chunks * LANES];
        values.par_chunks_mut(LANES).enumerate().for_each(|(chunk, values)| {
            let outputs = chunk_outputs(regions, inputs, *region, chunk);
            for (lane, value) in values.iter_mut().enumerate() {
                *value = std::array::from_fn(|z| {
                    let words = outputs.iter().map(|column| column[z * LANES + lane]);
                    beta.iter().zip(words).map(|(&beta, word)| beta * word).sum()
                });
            }
        });
        let mut by_position = vec![[E::ZERO; POSITIONS]; chunks * LANES];
        match weights {
            Weights::Point(point) => {
                let (outer, rows) = (eq_table(&point.outer), point.chunk_weights());
                by_position.par_chunks_mut(LANES).zip(outer).for_each(|(weights, outer)| {
                    let outer = kappa * outer;
                    for (lane, weight) in weights.iter_mut().enumerate() {
                        *weight = std::array::from_fn(|z| outer * rows[z * LANES + lane]);
                    }
                });
            }
            Weights::Given(given) => {
                let chunks = by_position.par_chunks_mut(LANES).zip(given.par_chunks(CHUNK));
                chunks.for_each(|(weights, given)| {
                    for (row, &weight) in given.iter().enumerate() {
                        weights[row % LANES][row / LANES] = kappa * weight;
                    }
                });
            }
        }
        Self { weights: by_position, values }
    }

    /// q(0), …, q(14).
    fn message(&self) -> [E; NODES] {
        let rows = self.weights.par_iter().zip(&self.values);
        rows.map(|(weights, values)| {
            let (weights, values) = (extend(weights), extend(values));
            std::array::from_fn(|node| weights[node] * values[node])
        })
        .par_fold_reduce(|| [E::ZERO; NODES], add, add)
    }

    fn fold(self, zeta: E) -> Product {
        let basis: [E; POSITIONS] = lagrange(zeta);
        let fold = |columns: &[[E; POSITIONS]]| -> Vec<E> {
            let at =
                |column: &[E; POSITIONS]| column.iter().zip(&basis).map(|(&c, &b)| c * b).sum();
            columns.par_iter().map(at).collect()
        };
        Product { weights: fold(&self.weights), values: fold(&self.values), scale: E::ONE }
    }
}

/// The values at 0, …, 14 of the polynomial with these values at 0, …, 7, by differences.
fn extend(values: &[E; POSITIONS]) -> [E; NODES] {
    let mut out = [E::ZERO; NODES];
    out[..POSITIONS].copy_from_slice(values);
    let mut table = *values;
    // Backward differences at the last node: table[D − 1 − k] becomes the k-th.
    for order in 1..POSITIONS {
        for z in 0..POSITIONS - order {
            table[z] = table[z + 1] - table[z];
        }
    }
    for value in &mut out[POSITIONS..] {
        for k in 1..POSITIONS {
            let difference = table[k - 1];
            table[k] += difference;
        }
        *value = table[POSITIONS - 1];
    }
    out
}

fn add(mut a: [E; NODES], b: [E; NODES]) -> [E; NODES] {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
    a
}

/// One claim's product with the positions bound, numbered outer·16 + lane.
struct Product {
    weights: Vec<E>,
    values: Vec<E>,
    /// What the selector of the bits that the region lacks has become.
    scale: E,
}

impl Product {
    /// Entries from one of a pair to the other, the next bit told apart.
    const fn step(&self, lane: bool) -> Option<usize> {
        match lane {
            true => Some(1),
            false if self.weights.len() > LANES => Some(LANES),
            false => None,
        }
    }

    /// The pairs' sums: of the entries at 0, and of the products of differences.
    fn message(&self, lane: bool) -> Message {
        let Some(step) = self.step(lane) else {
            let sum: E = self.weights.iter().zip(&self.values).map(|(&w, &v)| w * v).sum();
            return Message { constant: self.scale * sum, quadratic: E::ZERO };
        };
        let pairs = self.weights.par_chunks(2 * step).zip(self.values.par_chunks(2 * step));
        let message = pairs
            .map(|(weights, values)| {
                let ((w0, w1), (v0, v1)) = (weights.split_at(step), values.split_at(step));
                let mut message = Message::default();
                for i in 0..step {
                    message.constant += w0[i] * v0[i];
                    message.quadratic += (w1[i] - w0[i]) * (v1[i] - v0[i]);
                }
                message
            })
            .par_fold_reduce(Message::default, |a, b| a + b, |a, b| a + b);
        let Message { constant, quadratic } = message;
        Message { constant: self.scale * constant, quadratic: self.scale * quadratic }
    }

    fn bind(&mut self, lane: bool, r: E) {
        let Some(step) = self.step(lane) else {
            self.scale *= E::ONE - r;
            return;
        };
        for column in [&mut self.weights, &mut self.values] {
            *column = column
                .par_chunks(2 * step)
                .flat_map_iter(|pair| {
                    let (low, high) = pair.split_at(step);
                    low.iter().zip(high).map(move |(&low, &high)| low + r * (high - low))
                })
                .collect();
        }
    }
}

/// The outputs of a region at its prefix of a point.
fn outputs_at<const T: usize>(
    regions: &Regions,
    inputs: &impl Inputs<T>,
    region: usize,
    at: &Point,
) -> [E; DIGEST]
where
    Poseidon2<T>: Permutation<T>,
{
    let at = at.prefix(log_outer(regions.num_calls()[region]));
    let (outer, rows) = (eq_table(&at.outer), at.chunk_weights());
    let weigh = |(chunk, outer): (usize, E)| -> [E; DIGEST] {
        let outputs = chunk_outputs(regions, inputs, region, chunk);
        outputs.map(|column| {
            let sum: E = column.iter().zip(&rows).map(|(&word, &row)| row * word).sum();
            outer * sum
        })
    };
    let add = |mut a: [E; DIGEST], b: [E; DIGEST]| {
        for (a, b) in a.iter_mut().zip(b) {
            *a += b;
        }
        a
    };
    outer.into_par_iter().enumerate().map(weigh).par_fold_reduce(|| [E::ZERO; DIGEST], add, add)
}
