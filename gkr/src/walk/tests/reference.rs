//! The walk's prover by the definition: every column a table of elements, every message by
//! evaluating and interpolating, empty rows and all. No scaling, no recurrence, no lazy sums.

use std::convert::Infallible;

use p3_field::{Field, PrimeCharacteristicRing};

use super::super::algebra::{dot, lagrange};
use super::super::driver::{Form, Layer, Side, walk};
use super::super::point::split;
use super::super::{CHUNK, Claim, LANES, LOG_LANES, NODES, POSITIONS, Point, log_outer};
use crate::permutation::{Permutation, Poseidon2, external_matrix};
use crate::transcript::{Channel, Sender};
use crate::{E, F};

/// States of all rows: before each S-box layer, the round's constant not added.
struct Reference<'a, C, const T: usize> {
    channel: &'a mut C,
    full: Vec<Vec<[F; T]>>,
    partial: Vec<Vec<[F; T]>>,
    outputs: Vec<[F; T]>,
}

pub(super) fn prove<const T: usize>(inputs: &[[F; T]], channel: &mut impl Sender) -> Claim<T>
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
    let mut side = Reference { channel, full, partial, outputs: states };
    match walk(inputs.len(), &mut side) {
        Ok(claim) => claim,
    }
}

/// The outer bits, then the lane bits, of one point or table; what is bound is gone.
type Column = Vec<E>;

/// eq(r, ·).
fn eq_table(r: &[E]) -> Vec<E> {
    let weight = |i: usize, (j, &r): (usize, &E)| if i >> j & 1 == 1 { r } else { E::ONE - r };
    (0..1 << r.len()).map(|i| r.iter().enumerate().map(|f| weight(i, f)).product()).collect()
}

/// The coefficients of the cubic with these values at 0, 1, 2, 3.
fn cubic(values: [E; 4]) -> [E; 4] {
    let mut coefficients = [E::ZERO; 4];
    for (i, &value) in values.iter().enumerate() {
        // Π_{j≠i} (X − j)/(i − j)
        let mut term = vec![E::ONE];
        for j in (0..4).filter(|&j| j != i) {
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

impl<C: Sender, const T: usize> Reference<'_, C, T> {
    /// The rounds for Σ_x eq(at, x)·gate(columns(x)).
    fn layer(
        &mut self,
        at: &Point,
        columns: &[Vec<F>],
        gate: impl Fn(&[E]) -> E,
    ) -> (Point, Vec<E>) {
        // 2a. Columns as tables over (outer, lane) for each position.
        let rows = columns[0].len() / POSITIONS;
        let row_of = |outer: usize, z: usize, lane: usize| outer * CHUNK + z * LANES + lane;
        let extended = |x: E| -> Vec<Column> {
            let basis = lagrange::<POSITIONS>(x);
            let extend = |column: &Vec<F>| -> Column {
                (0..rows)
                    .map(|x| {
                        (0..POSITIONS)
                            .map(|z| basis[z] * column[row_of(x / LANES, z, x % LANES)])
                            .sum()
                    })
                    .collect()
            };
            columns.iter().map(extend).collect()
        };
        // Rows are numbered outer·16 + lane; their variables are bound outer bits first.
        let r: Vec<E> = at.lanes.iter().chain(&at.outer).copied().collect();
        let eq = eq_table(&r);
        let sum = |columns: &[Column], eq: &[E]| -> E {
            (0..eq.len())
                .map(|x| eq[x] * gate(&columns.iter().map(|c| c[x]).collect::<Vec<_>>()))
                .sum()
        };
        let message: [E; NODES] =
            std::array::from_fn(|node| sum(&extended(E::from_usize(node)), &eq));
        self.channel.send(&message);
        let zeta = self.channel.draw();

        // 2b.
        let mut tables = extended(zeta);
        let mut next = Point { outer: Vec::new(), zeta, lanes: [E::ZERO; LOG_LANES] };
        let mut round = |bit: usize, tables: &mut Vec<Column>, rest: &[E]| -> E {
            let eq = eq_table(rest);
            let fix = |x: E| -> Vec<Column> {
                let fix_column = |column: &Column| -> Column {
                    (0..column.len() / 2)
                        .map(|i| {
                            let low = (i >> bit << (bit + 1)) | (i & ((1 << bit) - 1));
                            column[low] + x * (column[low | 1 << bit] - column[low])
                        })
                        .collect()
                };
                tables.iter().map(fix_column).collect()
            };
            let [_, c1, c2, c3] = cubic(std::array::from_fn(|x| sum(&fix(E::from_usize(x)), &eq)));
            self.channel.send(&[c1, c2, c3]);
            let bound = self.channel.draw();
            *tables = fix(bound);
            bound
        };
        for j in 0..at.outer.len() {
            let rest: Vec<E> = at.lanes.iter().chain(&at.outer[j + 1..]).copied().collect();
            next.outer.push(round(LOG_LANES, &mut tables, &rest));
        }
        for j in 0..LOG_LANES {
            next.lanes[j] = round(0, &mut tables, &at.lanes[j + 1..]);
        }
        (next, tables.iter().map(|table| table[0]).collect())
    }
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
        let rows = self.full[7].iter().enumerate();
        let y = rows.map(|(call, row)| at.weight(call) * cubes(row)).sum();
        assert_eq!(self.outputs.len(), self.full[7].len());
        self.channel.send(&[y]);
        Ok(y)
    }

    fn full(
        &mut self,
        layer: Layer,
        _claim: E,
        at: &Point,
        weights: &[E; T],
    ) -> Result<(Point, [E; T]), Infallible> {
        let constants = Poseidon2::<T>::constants();
        let round: Vec<_> = constants.initial.iter().chain(&constants.terminal).collect();
        let columns: Vec<Vec<F>> = (0..T)
            .map(|i| {
                self.full[layer.round].iter().map(|row| row[i] + round[layer.round][i]).collect()
            })
            .collect();
        let gate = |t: &[E]| dot(weights, &t.iter().map(|t| t.cube()).collect::<Vec<_>>());
        let (next, state) = self.layer(at, &columns, gate);
        let state: [E; T] = state.try_into().unwrap();
        self.channel.send(&state);
        Ok((next, state))
    }

    fn partial(
        &mut self,
        layer: Layer,
        _claim: E,
        at: &Point,
        form: &Form<T>,
    ) -> Result<(Point, [E; 2]), Infallible> {
        let constants = Poseidon2::<T>::constants();
        // γ_j from the definition: the form on the outputs, less what the S-box gives.
        let sum: E = form.above.iter().copied().sum();
        let gamma: Vec<E> = (0..T).map(|j| sum + form.above[j] * constants.diagonal[j]).collect();
        assert_eq!(gamma[0], form.gamma);
        let columns: Vec<Vec<F>> =
            (0..T).map(|i| self.partial[layer.round].iter().map(|row| row[i]).collect()).collect();
        let constant = constants.partial[layer.round];
        let gate = |s: &[E]| gamma[0] * (s[0] + constant).cube() + dot(&gamma[1..], &s[1..]);
        let (next, state) = self.layer(at, &columns, gate);
        let ends = [state[0] + constant, dot(&gamma[1..], &state[1..])];
        self.channel.send(&ends);
        Ok((next, ends))
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
    let basis = lagrange::<POSITIONS>(claim.outputs_at.zeta);
    let outer_in = eq_table(&claim.inputs_at.outer);
    let lanes_in = eq_table(&claim.inputs_at.lanes);
    let basis_in = lagrange::<POSITIONS>(claim.inputs_at.zeta);
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
