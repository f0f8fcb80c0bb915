//! The rounds after the skip: what remains of a layer's columns once the positions are bound.

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::{LANES, Point};
use crate::eq::eq_table;
use crate::simd::kernels::{BLOCK, add_rows, bind, cubes_of, pair};
use crate::simd::{ExtRow, Native, Row, Rows as Buffer};
pub(super) use crate::sumcheck::dense::{factor_of, limbs_of};
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

    /// A table of its entries.
    pub(super) const fn from_entries(entries: Vec<E>) -> Self {
        Self(entries)
    }

    /// Its entries.
    pub(super) fn into_entries(self) -> Vec<E> {
        self.0
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
    rows: Buffer,
    /// Where the next, half as long, rows go.
    spare: Buffer,
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

/// What pairs of rows add up to: `Σ eq·(a²d, ad², d³)`. With weights of their own in the place
/// of eq these are for the pairs' lower ones; then come those for the higher ones, and `Σ low·a³`.
type Sums = [ExtRow; 7];

const NO_SUMS: Sums = [[Row::ZERO; 5]; 7];

/// What weighs the rows of a layer.
#[derive(Debug)]
pub(super) enum Weighing {
    /// eq, without the factors of bits that are bound, and of the bit at hand.
    Eq(EqTable),
    /// Row by row.
    Own(Vec<E>),
}

impl Weighing {
    /// Adds the pair `index` to the sums.
    fn pair(&self, rows: [&[ExtRow]; 2], index: usize, linear: bool, sums: &mut Sums) {
        let [low, high] = rows;
        let (lower, rest) = sums.split_first_chunk_mut().expect("three are fewer than seven");
        match self {
            Self::Eq(eq) => {
                pair::<Native>(low, high, linear, &factor_of(&eq.0[index]), lower);
            }
            Self::Own(weights) => {
                let (higher, cubes) = rest.split_first_chunk_mut().expect("three are left");
                let [a, b] = [2 * index, 2 * index + 1].map(|row| factor_of(&weights[row]));
                pair::<Native>(low, high, linear, &a, lower);
                pair::<Native>(low, high, linear, &b, higher);
                cubes_of::<Native>(low, &a, &mut cubes[0]);
            }
        }
    }

    /// Goes on to the next bit, the one at hand bound at `r`.
    fn bind(&mut self, r: E) {
        match self {
            Self::Eq(eq) => eq.shrink(),
            Self::Own(weights) => {
                let half = weights.len() / 2;
                for j in 0..half {
                    weights[j] = weights[2 * j] + r * (weights[2 * j + 1] - weights[2 * j]);
                }
                weights.truncate(half);
            }
        }
    }
}

/// The rounds of one part's rows after its positions are bound.
#[derive(Debug)]
pub(super) struct Rounds<'a> {
    columns: &'a mut Columns,
    weights: Weighing,
    lane_eq: EqTable,
    rest: Vec<E>,
    linear: bool,
    /// Rows that are left.
    len: usize,
    sums: Sums,
    /// The last row, column by column, once the outer bits are bound.
    lanes: Vec<Vec<E>>,
}

impl Columns {
    /// Room for `chunks` rows of `width` columns.
    pub(super) fn new(chunks: usize, width: usize) -> Self {
        let chunks = chunks.next_multiple_of(BLOCK);
        Self {
            rows: Buffer::zeros(chunks * width * 5),
            spare: Buffer::zeros((chunks / 2 + 1) * width * 5),
        }
    }

    /// Binds the positions, for the rounds of step 2b; `weights` have an entry for each setting
    /// of the part's outer bits.
    pub(super) fn begin<Fold: Fn(usize, &mut [ExtRow]) + Sync>(
        &mut self,
        mut weights: Weighing,
        at: &Point,
        folding: &Folding<'_, Fold>,
    ) -> Rounds<'_> {
        // Every round swaps the two; the first needs the longer one.
        if self.rows.len() < self.spare.len() {
            std::mem::swap(&mut self.rows, &mut self.spare);
        }
        if let Weighing::Eq(eq) = &mut weights {
            eq.shrink();
        }
        let sums = self.first(&weights, folding);
        let mut rounds = Rounds {
            columns: self,
            weights,
            lane_eq: EqTable::new(&at.lanes),
            rest: folding.rest.to_vec(),
            linear: folding.linear,
            len: folding.chunks,
            sums,
            lanes: Vec::new(),
        };
        rounds.settle();
        rounds
    }

    /// Binds the positions and sums over the first pairs.
    fn first<Fold: Fn(usize, &mut [ExtRow]) + Sync>(
        &mut self,
        weights: &Weighing,
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
                            weights.pair(rows.split_at(width).into(), j, folding.linear, &mut sums);
                        }
                    }
                }
                sums
            })
            .par_fold_reduce(|| NO_SUMS, add_sums, add_sums)
    }
}

impl Rounds<'_> {
    /// Whether an outer bit is left.
    pub(super) const fn has_outer(&self) -> bool {
        self.len > 1
    }

    /// The coefficients 1, 2, 3 of the next round's polynomial without the factor eq.
    pub(super) fn message(&mut self) -> [E; 3] {
        if self.has_outer() {
            let [first, second, third, ..] = &self.sums;
            return collapse([first, second, third], self.lane_eq.as_slice());
        }
        self.lane_eq.shrink();
        lane_message(&self.lanes, self.linear, self.lane_eq.as_slice())
    }

    /// The coefficients 1, 2, 3, 4 of the next round's polynomial with the rows' own weights,
    /// which must bind an outer bit; `claim` is the sum of its values at 0 and 1.
    pub(super) fn weighted_message(&self, claim: E) -> [E; 4] {
        // With the weight v + X·(w − v) and the cube c_0 + … + c_3·X³ the sums are Σ v·c_k,
        // Σ w·c_k and Σ v·c_0; Σ w·c_0 is what the claim leaves.
        let lane_eq = self.lane_eq.as_slice();
        let [a1, a2, a3, b1, b2, b3, cubes] = &self.sums;
        let [low, high] = [[a1, a2, a3], [b1, b2, b3]].map(|sums| collapse(sums, lane_eq));
        let constant = weigh_lanes(cubes, lane_eq);
        let high_constant = claim - constant - high.iter().copied().sum::<E>();
        [
            low[0] + high_constant - constant,
            low[1] + high[0] - low[0],
            low[2] + high[1] - low[1],
            high[2] - low[2],
        ]
    }

    /// Binds the bit at hand.
    pub(super) fn fix(&mut self, r: E) {
        if self.has_outer() {
            self.weights.bind(r);
            self.next(r);
            self.settle();
            return;
        }
        for column in &mut self.lanes {
            for j in 0..column.len() / 2 {
                column[j] = column[2 * j] + r * (column[2 * j + 1] - column[2 * j]);
            }
            column.truncate(column.len() / 2);
        }
    }

    /// Each column's value, once all is bound.
    pub(super) fn ends(&self) -> impl Iterator<Item = E> + '_ {
        self.lanes.iter().map(|column| column[0])
    }

    /// Takes up the lanes, where no outer bit is left.
    fn settle(&mut self) {
        if !self.has_outer() {
            let rows = &elements(&self.columns.rows)[..self.rest.len()];
            self.lanes = rows.iter().map(|row| lanes_of(row).to_vec()).collect();
        }
    }

    /// Binds the lowest outer bit at `r` and sums over the next pairs. An odd row out is paired
    /// with `rest`.
    fn next(&mut self, r: E) {
        let (rest, linear, weights) = (&self.rest, self.linear, &self.weights);
        let width = rest.len();
        let bound = self.len / 2;
        let padded = if bound > 1 { bound.next_multiple_of(2) } else { bound };
        let r = factor_of(&r);
        let from = &elements(&self.columns.rows)[..self.len * width];
        let to = &mut elements_mut(&mut self.columns.spare)[..padded * width];
        let task = task_len(padded.div_ceil(2)).max(SHORT);
        self.sums = to
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
                        weights.pair(to.split_at(width).into(), j, linear, &mut sums);
                    }
                }
                sums
            })
            .par_fold_reduce(|| NO_SUMS, add_sums, add_sums);
        self.len = padded;
        std::mem::swap(&mut self.columns.rows, &mut self.columns.spare);
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
fn collapse(sums: [&ExtRow; 3], lane_eq: &[E]) -> [E; 3] {
    let [first, second, third] = sums.map(|row| weigh_lanes(row, lane_eq));
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
