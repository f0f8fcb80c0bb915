//! The walk's prover by the definition: every column a table of elements, every message by
//! evaluating and interpolating, empty rows and all. No scaling, no recurrence, no lazy sums.

use std::convert::Infallible;

use p3_field::{Field, PrimeCharacteristicRing};

use super::super::algebra::{dot, lagrange};
use super::super::driver::{Form, Layer, Side, layers, walk};
use super::super::parts::{Embedding, Ends, Shape};
use super::super::point::split;
use super::super::{CHUNK, Claim, LANES, LOG_LANES, NODES, POSITIONS, Point, Positions, log_outer};
use crate::permutation::{DIGEST, Permutation, Poseidon2, external_matrix};
use crate::transcript::{Channel, Sender};
use crate::{E, F};

/// States of all rows of a part: before each S-box layer, the round's constant not added.
struct States<const T: usize> {
    full: Vec<Vec<[F; T]>>,
    partial: Vec<Vec<[F; T]>>,
}

struct Reference<'a, C, const T: usize> {
    channel: &'a mut C,
    parts: Vec<States<T>>,
}

pub(super) fn prove<const T: usize>(inputs: &[[F; T]], channel: &mut impl Sender) -> Claim<T>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut side = Reference { channel, parts: vec![states(inputs)] };
    match walk(inputs.len(), &mut side) {
        Ok(claim) => claim,
    }
}

pub(super) fn prove_parts<const T: usize>(
    shape: &Shape<'_>,
    inputs: &[Vec<[F; T]>],
    at: Point,
    beta: &[E; DIGEST],
    values: &[E],
    channel: &mut impl Sender,
) -> Ends<T>
where
    Poseidon2<T>: Permutation<T>,
{
    let parts = inputs.iter().map(|inputs| states(inputs)).collect();
    match layers(shape, at, beta, values, &mut Reference { channel, parts }) {
        Ok(ends) => ends,
    }
}

fn states<const T: usize>(inputs: &[[F; T]]) -> States<T>
where
    Poseidon2<T>: Permutation<T>,
{
    let constants = Poseidon2::<T>::constants();
    let mut states = inputs.to_vec();
    states.resize(CHUNK << log_outer(inputs.len()), [F::ZERO; T]);
    let (mut full, mut partial) = (Vec::new(), Vec::new());
    let full_round = |states: &mut Vec<[F; T]>, round: &[F; T]| {
        for state in states {
            for (word, &c) in state.iter_mut().zip(round) {
                *word = (*word + c).cube();
            }
            external_matrix(state);
        }
    };
    states.iter_mut().for_each(external_matrix);
    for round in &constants.initial {
        full.push(states.clone());
        full_round(&mut states, round);
    }
    for &c in &constants.partial {
        partial.push(states.clone());
        for state in &mut states {
            state[0] = (state[0] + c).cube();
            let sum: F = state.iter().copied().sum();
            for (word, &v) in state.iter_mut().zip(&constants.diagonal) {
                *word = sum + *word * v;
            }
        }
    }
    for round in &constants.terminal {
        full.push(states.clone());
        full_round(&mut states, round);
    }
    States { full, partial }
}

/// The outer bits, then the lane bits, of one point or table; what is bound is gone.
type Column = Vec<E>;

/// eq(r, ·).
pub(super) fn eq_table(r: &[E]) -> Vec<E> {
    let weight = |i: usize, (j, &r): (usize, &E)| if i >> j & 1 == 1 { r } else { E::ONE - r };
    (0..1 << r.len()).map(|i| r.iter().enumerate().map(|f| weight(i, f)).product()).collect()
}

/// The coefficients of the polynomial with these values at 0, 1, 2, ….
fn interpolate<const N: usize>(values: [E; N]) -> [E; N] {
    let mut coefficients = [E::ZERO; N];
    for (i, &value) in values.iter().enumerate() {
        // Π_{j≠i} (X − j)/(i − j)
        let mut term = vec![E::ONE];
        for j in (0..N).filter(|&j| j != i) {
            let scale = (F::from_usize(i) - F::from_usize(j)).inverse();
            let mut next = vec![E::ZERO; term.len() + 1];
            for (k, &c) in term.iter().enumerate() {
                next[k] -= c * F::from_usize(j) * scale;
                next[k + 1] += c * scale;
            }
            term = next;
        }
        for (c, t) in coefficients.iter_mut().zip(term) {
            *c += value * t;
        }
    }
    coefficients
}

/// A table with the bit `bit` of its index at `x`.
fn fix(table: &[E], bit: usize, x: E) -> Vec<E> {
    let low = |i: usize| (i >> bit << (bit + 1)) | (i & ((1 << bit) - 1));
    (0..table.len() / 2)
        .map(low)
        .map(|low| table[low] + x * (table[low | 1 << bit] - table[low]))
        .collect()
}

/// A part in a layer: its columns over (outer, lane), repeated up to the longest part's size, and
/// its weights over the outer bits, where these are no common eq.
struct Tables {
    share: E,
    columns: Vec<Column>,
    weights: Column,
}

impl Tables {
    fn fix(&mut self, bit: usize, x: E) {
        for column in &mut self.columns {
            *column = fix(column, bit, x);
        }
        if bit == LOG_LANES {
            self.weights = fix(&self.weights, 0, x);
        }
    }

    /// Σ eq·gate over all rows, the bit `bit` at `x`; with its own weights if `own`.
    fn sum(&self, eq: &[E], bit: usize, x: E, own: bool, gate: &impl Fn(&[E]) -> E) -> E {
        let columns: Vec<Column> = self.columns.iter().map(|c| fix(c, bit, x)).collect();
        let weights = fix(&self.weights, 0, x);
        let row = |i: usize| gate(&columns.iter().map(|c| c[i]).collect::<Vec<_>>());
        let weight = |i: usize| if own { weights[i / LANES] * eq[i % LANES] } else { eq[i] };
        self.share * (0..columns[0].len()).map(|i| weight(i) * row(i)).sum::<E>()
    }
}

impl<C: Sender, const T: usize> Reference<'_, C, T> {
    /// The rounds for Σ_a λ_a·Σ_x weight(x)·gate(columns(x)).
    fn layer(
        &mut self,
        layer: &Layer<'_>,
        columns: impl Fn(&States<T>) -> Vec<Vec<F>>,
        gate: impl Fn(&[E]) -> E,
    ) -> (Point, Vec<Vec<E>>) {
        let at = layer.at;
        let own = !matches!(layer.embedding, Embedding::Constant);
        // 2a.
        let row_of = |outer: usize, z: usize, lane: usize| outer * CHUNK + z * LANES + lane;
        let columns: Vec<Vec<Vec<F>>> = self.parts.iter().map(columns).collect();
        let tables = |x: E| -> Vec<Tables> {
            let basis = lagrange::<POSITIONS>(x);
            let extend = |column: &Vec<F>| -> Column {
                let rows = column.len() / POSITIONS;
                let row = |x: usize| {
                    let words = (0..POSITIONS).map(|z| column[row_of(x / LANES, z, x % LANES)]);
                    basis.iter().zip(words).map(|(&basis, word)| basis * word).sum()
                };
                (0..LANES << at.outer.len()).map(|x| row(x % rows)).collect()
            };
            let parts = columns.iter().zip(layer.outer).zip(&layer.shares.weights);
            parts
                .map(|((columns, &outer), &share)| {
                    let mut weights = match layer.embedding {
                        Embedding::Weighted(weights) => weights.table(1 << outer),
                        _ => eq_table(&at.outer[..outer]),
                    };
                    weights.resize(1 << at.outer.len(), E::ZERO);
                    Tables { share, columns: columns.iter().map(extend).collect(), weights }
                })
                .collect()
        };
        // Rows are numbered outer·16 + lane; their variables are bound outer bits first.
        let lane_eq = eq_table(&at.lanes);
        let message: [E; NODES] = std::array::from_fn(|node| {
            let mut sum = E::ZERO;
            for part in tables(E::from_usize(node)) {
                for (i, &weight) in part.weights.iter().enumerate() {
                    for (lane, &eq) in lane_eq.iter().enumerate() {
                        let row: Vec<E> =
                            part.columns.iter().map(|c| c[i * LANES + lane]).collect();
                        sum += part.share * weight * eq * gate(&row);
                    }
                }
            }
            sum
        });
        self.channel.send(&message);
        let zeta = self.channel.draw();

        // 2b.
        let mut parts = tables(zeta);
        let mut next = Point {
            outer: Vec::new(),
            positions: Positions::Univariate(zeta),
            lanes: [E::ZERO; LOG_LANES],
        };
        for j in 0..at.outer.len() {
            let rest = if own { &[] } else { &at.outer[j + 1..] };
            let eq = eq_table(&[&at.lanes, rest].concat());
            let sum = |x: usize| {
                let x = E::from_usize(x);
                parts.iter().map(|part| part.sum(&eq, LOG_LANES, x, own, &gate)).sum()
            };
            if own {
                self.channel.send(&interpolate::<5>(std::array::from_fn(sum))[1..]);
            } else {
                self.channel.send(&interpolate::<4>(std::array::from_fn(sum))[1..]);
            }
            let bound = self.channel.draw();
            parts.iter_mut().for_each(|part| part.fix(LOG_LANES, bound));
            next.outer.push(bound);
        }
        for part in parts.iter_mut().filter(|_| own) {
            part.share *= part.weights[0];
        }
        for j in 0..LOG_LANES {
            let eq = eq_table(&at.lanes[j + 1..]);
            let sum = |x: usize| {
                parts.iter().map(|part| part.sum(&eq, 0, E::from_usize(x), false, &gate)).sum()
            };
            self.channel.send(&interpolate::<4>(std::array::from_fn(sum))[1..]);
            let bound = self.channel.draw();
            parts.iter_mut().for_each(|part| part.fix(0, bound));
            next.lanes[j] = bound;
        }
        let ends = parts.iter().map(|part| part.columns.iter().map(|c| c[0]).collect());
        (next, ends.collect())
    }

    fn send_all<const N: usize>(
        &mut self,
        ends: &[Vec<E>],
        f: impl Fn(&[E]) -> [E; N],
    ) -> Vec<[E; N]> {
        let ends: Vec<[E; N]> = ends.iter().map(|ends| f(ends)).collect();
        ends.iter().for_each(|ends| self.channel.send(ends));
        ends
    }
}

fn partial_columns<const T: usize>(states: &States<T>, round: usize) -> Vec<Vec<F>>
where
    Poseidon2<T>: Permutation<T>,
{
    let constant = Poseidon2::<T>::constants().partial[round];
    let word = |row: &[F; T], i: usize| if i == 0 { row[0] + constant } else { row[i] };
    (0..T).map(|i| states.partial[round].iter().map(|row| word(row, i)).collect()).collect()
}

/// γ from the definition: the form on the outputs, less what the S-box gives.
fn pulled<const T: usize>(form: &Form<T>) -> Vec<E>
where
    Poseidon2<T>: Permutation<T>,
{
    let diagonal = &Poseidon2::<T>::constants().diagonal;
    let sum: E = form.above.iter().copied().sum();
    let gamma: Vec<E> = (0..T).map(|j| sum + form.above[j] * diagonal[j]).collect();
    assert_eq!(gamma, form.gamma);
    gamma
}

impl<C: Sender, const T: usize> Side<T> for Reference<'_, C, T>
where
    Poseidon2<T>: Permutation<T>,
{
    type Error = Infallible;

    fn channel(&mut self) -> &mut impl Channel {
        self.channel
    }

    fn value(&mut self, at: &Point, weights: &[E; T]) -> Result<E, Infallible> {
        // Σ_v β_v·out_v = Σ_i W_i·t_i³, so β follows from W and the outputs: weigh the cubes.
        let constants = &Poseidon2::<T>::constants().terminal[3];
        let cubes = |row: &[F; T]| -> E {
            let t = row.iter().zip(constants).map(|(&s, &c)| E::from((s + c).cube()));
            dot(weights, &t.collect::<Vec<_>>())
        };
        let rows = self.parts[0].full[7].iter().enumerate();
        let y = rows.map(|(call, row)| at.weight(call) * cubes(row)).sum();
        self.channel.send(&[y]);
        Ok(y)
    }

    fn full(
        &mut self,
        layer: Layer<'_>,
        _claim: E,
        weights: &[E; T],
    ) -> Result<(Point, Vec<[E; T]>), Infallible> {
        let constants = Poseidon2::<T>::constants();
        let rounds: Vec<_> = constants.initial.iter().chain(&constants.terminal).collect();
        let columns = |states: &States<T>| -> Vec<Vec<F>> {
            let rows = &states.full[layer.round];
            let column = |i| rows.iter().map(|row| row[i] + rounds[layer.round][i]).collect();
            (0..T).map(column).collect()
        };
        let gate = |t: &[E]| dot(weights, &t.iter().map(|t| t.cube()).collect::<Vec<_>>());
        let (next, ends) = self.layer(&layer, columns, gate);
        Ok((next, self.send_all(&ends, |ends| ends.try_into().unwrap())))
    }

    fn partial(
        &mut self,
        layer: Layer<'_>,
        _claim: E,
        form: &Form<T>,
    ) -> Result<(Point, Vec<[E; 2]>), Infallible> {
        let gamma = pulled(form);
        let columns = |states: &States<T>| partial_columns(states, layer.round);
        let gate = |s: &[E]| gamma[0] * s[0].cube() + dot(&gamma[1..], &s[1..]);
        let (next, ends) = self.layer(&layer, columns, gate);
        Ok((next, self.send_all(&ends, |s| [s[0], dot(&gamma[1..], &s[1..])])))
    }

    fn partial_columns(
        &mut self,
        layer: Layer<'_>,
        _claim: E,
        form: &Form<T>,
    ) -> Result<(Point, Vec<[E; T]>), Infallible> {
        let gamma = pulled(form);
        let columns = |states: &States<T>| partial_columns(states, layer.round);
        let gate = |s: &[E]| gamma[0] * s[0].cube() + dot(&gamma[1..], &s[1..]);
        let (next, ends) = self.layer(&layer, columns, gate);
        Ok((next, self.send_all(&ends, |ends| ends.try_into().unwrap())))
    }
}

/// What a claim says, computed from the calls alone: (y, inputs).
pub(super) fn truth<const T: usize>(inputs: &[[F; T]], claim: &Claim<T>) -> (E, [E; T])
where
    Poseidon2<T>: Permutation<T>,
{
    let rows = CHUNK << log_outer(inputs.len());
    let outer = eq_table(&claim.outputs_at.outer);
    let lanes = eq_table(&claim.outputs_at.lanes);
    let basis = claim.outputs_at.positions.weights();
    let outer_in = eq_table(&claim.inputs_at.outer);
    let lanes_in = eq_table(&claim.inputs_at.lanes);
    let basis_in = claim.inputs_at.positions.weights();
    let (mut y, mut columns) = (E::ZERO, [E::ZERO; T]);
    for call in 0..rows {
        let (o, z, l) = split(call);
        let input = inputs.get(call).copied().unwrap_or([F::ZERO; T]);
        let mut out = input;
        Poseidon2::<T>::permute(&mut out);
        let kept: E = claim.beta.iter().zip(&out).map(|(&b, &d)| b * d).sum();
        y += outer[o] * basis[z] * lanes[l] * kept;
        let weight = outer_in[o] * basis_in[z] * lanes_in[l];
        for (column, &word) in columns.iter_mut().zip(&input) {
            *column += weight * word;
        }
    }
    (y, columns)
}
