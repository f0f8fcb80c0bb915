//! The rounds after the skip: what remains of a layer's columns once the positions are bound.

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::{LANES, LOG_LANES, Point};
use crate::eq::eq_table;
use crate::simd::kernels::{BLOCK, add_rows, bind, pair, prepare};
use crate::simd::{ExtRow, Native, Row, Rows};
pub(super) use crate::sumcheck::dense::limbs_of;
use crate::transcript::Sender;
use crate::{E, F};

/// Pairs below which a round is not worth splitting.
const SHORT: usize = 8;

/// How many of `len` pieces of work one task gets: about four tasks a thread.
pub(super) fn task_len(len: usize) -> usize {
    len.div_ceil(4 * current_num_threads()).max(1)
}

/// A row's elements, lane by lane.
pub(super) fn lanes_of(row: &ExtRow) -> [E; LANES] {
    std::array::from_fn(|lane| E::from_basis_coefficients_fn(|limb| row[limb].0[lane]))
}

/// Rows as rows of elements.
pub(super) fn elements(rows: &[Row]) -> &[ExtRow] {
    rows.as_chunks().0
}

/// Rows as rows of elements.
pub(super) fn elements_mut(rows: &mut [Row]) -> &mut [ExtRow] {
    rows.as_chunks_mut().0
}

/// eq(r, ·) over some bits, shrunk as they are bound.
#[derive(Clone, Debug)]
pub(super) struct EqTable(Vec<E>);

impl EqTable {
    /// The table of all indices of `r.len()` bits.
    pub(super) fn new(r: &[E]) -> Self {
        Self(eq_table(r))
    }

    /// Drops the lowest bit's factor: eq'[j] = eq[2j] + eq[2j+1].
    fn shrink(&mut self) {
        let half = self.0.len() / 2;
        for j in 0..half {
            self.0[j] = self.0[2 * j] + self.0[2 * j + 1];
        }
        self.0.truncate(half);
    }

    pub(super) fn as_slice(&self) -> &[E] {
        &self.0
    }
}

/// Columns of E, row by row: the cubed columns of one row, then, in a partial round, the
/// linear one.
#[derive(Debug)]
pub(super) struct Columns {
    rows: Rows,
    /// Where the next, half as long, rows go.
    spare: Rows,
}

/// What the rounds leave: the new point's bits and the columns at it.
pub(super) struct Bound {
    pub(super) outer: Vec<E>,
    pub(super) lanes: [E; LOG_LANES],
    pub(super) ends: Vec<E>,
}

/// The rows of one layer, and how they come about.
pub(super) struct Folding<'a, Fold> {
    /// Chunks held, each one row.
    pub(super) chunks: usize,
    /// The row of the chunks that are not held: the same element in all lanes.
    pub(super) rest: &'a [E],
    /// Whether the last column is linear.
    pub(super) linear: bool,
    /// Writes a block's rows, its positions bound.
    pub(super) fold: Fold,
}

type Sums = [ExtRow; 3];

const NO_SUMS: Sums = [[Row::ZERO; 5]; 3];

impl Columns {
    /// Room for `chunks` rows of `width` columns.
    pub(super) fn new(chunks: usize, width: usize) -> Self {
        let chunks = chunks.next_multiple_of(BLOCK);
        Self {
            rows: Rows::zeros(chunks * width * 5),
            spare: Rows::zeros((chunks / 2 + 1) * width * 5),
        }
    }

    /// Step 2b: all rounds, outer bits first.
    pub(super) fn run<Fold: Fn(usize, &mut [ExtRow]) + Sync>(
        &mut self,
        mut eq: EqTable,
        at: &Point,
        folding: &Folding<'_, Fold>,
        channel: &mut impl Sender,
    ) -> Bound {
        let width = folding.rest.len();
        // Every round swaps the two; the first needs the longer one.
        if self.rows.len() < self.spare.len() {
            std::mem::swap(&mut self.rows, &mut self.spare);
        }
        let mut lane_eq = EqTable::new(&at.lanes);
        let mut outer = Vec::with_capacity(at.outer.len());
        eq.shrink();
        let mut len = folding.chunks;
        let mut sums = self.first(eq.as_slice(), folding);
        for round in 0..at.outer.len() {
            let r = exchange(collapse(&sums, lane_eq.as_slice()), channel);
            outer.push(r);
            eq.shrink();
            (len, sums) = self.next(len, r, eq.as_slice(), folding.rest, folding.linear);
            debug_assert_eq!(len == 1, round + 1 == at.outer.len());
        }
        let mut columns: Vec<Vec<E>> =
            elements(&self.rows)[..width].iter().map(|row| lanes_of(row).to_vec()).collect();
        let lanes = std::array::from_fn(|_| {
            lane_eq.shrink();
            let message = lane_message(&columns, folding.linear, lane_eq.as_slice());
            let r = exchange(message, channel);
            for column in &mut columns {
                for j in 0..column.len() / 2 {
                    column[j] = column[2 * j] + r * (column[2 * j + 1] - column[2 * j]);
                }
                column.truncate(column.len() / 2);
            }
            r
        });
        Bound { outer, lanes, ends: columns.iter().map(|column| column[0]).collect() }
    }

    /// Binds the positions and sums over the first pairs.
    fn first<Fold: Fn(usize, &mut [ExtRow]) + Sync>(
        &mut self,
        eq: &[E],
        folding: &Folding<'_, Fold>,
    ) -> Sums {
        let width = folding.rest.len();
        let blocks = folding.chunks.div_ceil(BLOCK);
        let pairs = folding.chunks / 2;
        let task = task_len(blocks);
        let rows = &mut elements_mut(&mut self.rows)[..blocks * BLOCK * width];
        rows.par_chunks_mut(task * BLOCK * width)
            .enumerate()
            .map(|(index, rows)| {
                let mut sums = NO_SUMS;
                for (block, rows) in rows.chunks_mut(BLOCK * width).enumerate() {
                    let block = index * task + block;
                    (folding.fold)(block, rows);
                    for (j, rows) in rows.chunks(2 * width).enumerate() {
                        let j = block * (BLOCK / 2) + j;
                        if j < pairs {
                            let (low, high) = rows.split_at(width);
                            let eq = prepare(&limbs_of(&eq[j]));
                            pair::<Native>(low, high, folding.linear, &eq, &mut sums);
                        }
                    }
                }
                sums
            })
            .par_fold_reduce(|| NO_SUMS, add_sums, add_sums)
    }

    /// Binds the lowest outer bit of `len` rows at `r` and sums over the next pairs. An odd
    /// row out is paired with `rest`. Returns how many rows there are now.
    fn next(&mut self, len: usize, r: E, eq: &[E], rest: &[E], linear: bool) -> (usize, Sums) {
        let width = rest.len();
        let bound = len / 2;
        let padded = if bound > 1 { bound.next_multiple_of(2) } else { bound };
        let r = prepare(&limbs_of(&r));
        let from = &elements(&self.rows)[..len * width];
        let to = &mut elements_mut(&mut self.spare)[..padded * width];
        let task = task_len(padded.div_ceil(2)).max(SHORT);
        let sums = to
            .par_chunks_mut(task * 2 * width)
            .enumerate()
            .map(|(index, to)| {
                let mut sums = NO_SUMS;
                for (j, to) in to.chunks_mut(2 * width).enumerate() {
                    let j = index * task + j;
                    for (half, to) in to.chunks_mut(width).enumerate() {
                        let row = 2 * j + half;
                        if row < bound {
                            let (low, high) = from[2 * row * width..][..2 * width].split_at(width);
                            for ((low, high), to) in low.iter().zip(high).zip(to) {
                                bind::<Native>(low, high, &r, to);
                            }
                        } else {
                            for (to, rest) in to.iter_mut().zip(rest) {
                                *to = limbs_of(rest).map(|limb| Row([limb; LANES]));
                            }
                        }
                    }
                    if to.len() == 2 * width {
                        let (low, high) = to.split_at(width);
                        pair::<Native>(low, high, linear, &prepare(&limbs_of(&eq[j])), &mut sums);
                    }
                }
                sums
            })
            .par_fold_reduce(|| NO_SUMS, add_sums, add_sums);
        std::mem::swap(&mut self.rows, &mut self.spare);
        (padded, sums)
    }
}

fn add_sums(mut a: Sums, b: Sums) -> Sums {
    add_rows::<Native>(a.as_flattened_mut(), b.as_flattened());
    a
}

/// Σ_lane eq·row.
pub(super) fn weigh_lanes(row: &ExtRow, lane_eq: &[E]) -> E {
    lanes_of(row).iter().zip(lane_eq).map(|(&value, &eq)| value * eq).sum()
}

/// (3Σa²d, 3Σad², Σd³) over the lanes.
fn collapse(sums: &Sums, lane_eq: &[E]) -> [E; 3] {
    let [first, second, third] = sums;
    let [first, second, third] = [first, second, third].map(|row| weigh_lanes(row, lane_eq));
    [first * F::from_u8(3), second * F::from_u8(3), third]
}

/// The same of a round that binds a lane bit. The linear column comes divided by 3.
fn lane_message(columns: &[Vec<E>], linear: bool, eq: &[E]) -> [E; 3] {
    let mut message = [E::ZERO; 3];
    for (i, column) in columns.iter().enumerate() {
        for (pair, &eq) in column.chunks_exact(2).zip(eq) {
            let (a, d) = (pair[0], pair[1] - pair[0]);
            if linear && i + 1 == columns.len() {
                message[0] += eq * d;
            } else {
                let (ed, d2) = (eq * d, d.square());
                message[0] += ed * a.square();
                message[1] += eq * d2 * a;
                message[2] += ed * d2;
            }
        }
    }
    let [first, second, third] = message;
    [first * F::from_u8(3), second * F::from_u8(3), third]
}

fn exchange(message: [E; 3], channel: &mut impl Sender) -> E {
    channel.send(&message);
    channel.draw()
}
