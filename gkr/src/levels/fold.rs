//! What the merge's prover computes of a level's digests: packed and parallel.

use std::array::from_fn;

use p3_field::{
    Algebra, BasedVectorSpace, PackedFieldExtension, PackedValue, PrimeCharacteristicRing,
};
use p3_maybe_rayon::prelude::*;

use crate::calls::Level;
use crate::codec::limbs;
use crate::form::rows::eq_table;
use crate::permutation::{DIGEST, Packed};
use crate::sumcheck::{Message, PackedE};
use crate::walk::{CHUNK, LANES, LOG_LANES, POSITIONS};
use crate::{E, F};

/// SIMD vectors that hold the lanes of one position.
const GROUPS: usize = LANES / Packed::WIDTH;
/// SIMD vectors that hold a column of a chunk.
const VECTORS: usize = POSITIONS * GROUPS;
/// Chunks that are added up between two reductions.
const BATCH: usize = 8;
/// Vectors of a round that one task gets.
const TASK: usize = 1 << 9;

/// The digests of one chunk, a column for each word.
type Digests = [[F; CHUNK]; DIGEST];

const NO_DIGESTS: Digests = [[F::ZERO; CHUNK]; DIGEST];

/// `S_v(z) = Σ_x eq(x)·D_v(z, x)` over the outer bits and lanes x; `outer` has a weight for each
/// setting of the outer bits.
pub(super) fn position_sums<const T: usize>(
    level: &Level<'_, T>,
    words: &[F],
    outer: &[E],
    lanes: &[E; LOG_LANES],
) -> [[E; POSITIONS]; DIGEST] {
    type Sums = Vec<[Packed; 5]>;
    let batches = level.num_calls.div_ceil(CHUNK * BATCH);
    let task = batches.div_ceil(4 * current_num_threads()).max(1);
    let add = |mut a: Sums, b: Sums| {
        if a.is_empty() {
            return b;
        }
        for (a, b) in a.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
            *a += *b;
        }
        a
    };
    let sums = (0..batches.div_ceil(task))
        .into_par_iter()
        .map(|index| {
            let mut sums = vec![[Packed::ZERO; 5]; DIGEST * VECTORS];
            for batch in (index * task..batches).take(task) {
                let mut chunks = [NO_DIGESTS; BATCH];
                let mut weights = [[F::ZERO; BATCH]; 5];
                for (j, digests) in chunks.iter_mut().enumerate() {
                    let chunk = batch * BATCH + j;
                    let Some(weight) = outer.get(chunk) else { break };
                    level.fill_digests(words, chunk, digests);
                    for (weights, &limb) in weights.iter_mut().zip(limbs(weight)) {
                        weights[j] = limb;
                    }
                }
                for (place, sums) in sums.iter_mut().enumerate() {
                    let (v, at) = (place / VECTORS, place % VECTORS * Packed::WIDTH);
                    let column: [Packed; BATCH] =
                        from_fn(|j| *Packed::from_slice(&chunks[j][v][at..at + Packed::WIDTH]));
                    for (sum, weights) in sums.iter_mut().zip(&weights) {
                        *sum += Packed::mixed_dot_product(&column, weights);
                    }
                }
            }
            sums
        })
        .par_fold_reduce(Vec::new, add, add);
    let lanes = eq_table(lanes);
    from_fn(|v| {
        from_fn(|z| {
            let first = (v * POSITIONS + z) * GROUPS;
            let sums = sums.get(first..first + GROUPS).unwrap_or(&[]);
            lanes.iter().zip(sums.iter().flat_map(unpack)).map(|(&eq, sum)| eq * sum).sum()
        })
    })
}

/// The digests at a point, of its sums over the positions and its Lagrange basis.
pub(super) fn digests_at(sums: &[[E; POSITIONS]; DIGEST], basis: &[E; POSITIONS]) -> [E; DIGEST] {
    sums.each_ref().map(|sums| super::dot(basis, sums))
}

/// For each list of weights `Σ_v weights_v·D_v` with the positions bound, over `outer` settings
/// of the outer bits and the lanes.
pub(super) fn fold_positions<const T: usize>(
    level: &Level<'_, T>,
    words: &[F],
    weights: &[[E; DIGEST]; 2],
    basis: &[E; POSITIONS],
    outer: usize,
) -> [Vec<PackedE>; 2] {
    // [which][limb][word][position].
    let weights: [[[[F; POSITIONS]; DIGEST]; 5]; 2] = from_fn(|i| {
        from_fn(|limb| from_fn(|v| from_fn(|z| limbs(&(weights[i][v] * basis[z]))[limb])))
    });
    let mut folded = [(); 2].map(|()| vec![PackedE::ZERO; outer * GROUPS]);
    let [a, b] = &mut folded;
    // Chunks without a call stay zero.
    let chunks = level.num_calls.div_ceil(CHUNK).min(outer);
    let task = chunks.div_ceil(4 * current_num_threads()).max(1);
    a[..chunks * GROUPS]
        .par_chunks_mut(task * GROUPS)
        .zip(b[..chunks * GROUPS].par_chunks_mut(task * GROUPS))
        .enumerate()
        .for_each(|(index, (a, b))| {
            let rows = a.chunks_exact_mut(GROUPS).zip(b.chunks_exact_mut(GROUPS));
            for (j, (a, b)) in rows.enumerate() {
                let mut digests = NO_DIGESTS;
                level.fill_digests(words, index * task + j, &mut digests);
                for (group, (a, b)) in a.iter_mut().zip(b).enumerate() {
                    for (to, weights) in [a, b].into_iter().zip(&weights) {
                        *to = PackedE::from_basis_coefficients_fn(|limb| {
                            weigh(&digests, group, &weights[limb])
                        });
                    }
                }
            }
        });
    folded
}

/// `Σ_v Σ_z weights[v][z]·D_v(z, ·)` for a SIMD vector of lanes.
fn weigh(digests: &Digests, group: usize, weights: &[[F; POSITIONS]; DIGEST]) -> Packed {
    let mut sum = Packed::ZERO;
    for (column, weights) in digests.iter().zip(weights) {
        let positions: [Packed; POSITIONS] = from_fn(|z| {
            let at = z * LANES + group * Packed::WIDTH;
            *Packed::from_slice(&column[at..at + Packed::WIDTH])
        });
        sum += Packed::mixed_dot_product(&positions, weights);
    }
    sum
}

/// A column and its weights, over bits that are bound one by one, the highest first.
pub(super) struct Product {
    values: Vec<PackedE>,
    weights: Vec<PackedE>,
    /// The same, once one SIMD vector holds all of it; lane by lane.
    last: Option<[Vec<E>; 2]>,
}

impl Product {
    /// The column `values` with the weights `scale·outer·eq(lanes)`.
    pub(super) fn new(values: Vec<PackedE>, outer: &[E], lanes: &[E; LOG_LANES], scale: E) -> Self {
        let lanes: Vec<E> = eq_table(lanes).into_iter().map(|eq| scale * eq).collect();
        let lanes: Vec<PackedE> =
            lanes.chunks_exact(Packed::WIDTH).map(PackedE::from_ext_slice).collect();
        let mut weights = vec![PackedE::ZERO; values.len()];
        weights.par_chunks_mut(GROUPS).zip(outer.par_iter()).for_each(|(to, &outer)| {
            let outer = PackedE::from(outer);
            for (to, &lanes) in to.iter_mut().zip(&lanes) {
                *to = outer * lanes;
            }
        });
        let mut product = Self { values, weights, last: None };
        product.unpack_last();
        product
    }

    /// The coefficients of 1 and X² of the sum over the bits below the highest.
    pub(super) fn message(&self) -> Message {
        let mut message = Message { constant: E::ZERO, quadratic: E::ZERO };
        if let Some([values, weights]) = &self.last {
            let half = values.len() / 2;
            for i in 0..half {
                message.constant += values[i] * weights[i];
                message.quadratic +=
                    (values[half + i] - values[i]) * (weights[half + i] - weights[i]);
            }
            return message;
        }
        let half = self.values.len() / 2;
        let (v0, v1) = self.values.split_at(half);
        let (w0, w1) = self.weights.split_at(half);
        let sums = |v0: &[PackedE], v1: &[PackedE], w0: &[PackedE], w1: &[PackedE]| {
            let mut sums = [PackedE::ZERO; 2];
            for (((&v0, &v1), &w0), &w1) in v0.iter().zip(v1).zip(w0).zip(w1) {
                sums[0] += v0 * w0;
                sums[1] += (v1 - v0) * (w1 - w0);
            }
            sums
        };
        let add = |a: [PackedE; 2], b: [PackedE; 2]| [a[0] + b[0], a[1] + b[1]];
        let [constant, quadratic] = v0
            .par_chunks(TASK)
            .zip(v1.par_chunks(TASK))
            .zip(w0.par_chunks(TASK).zip(w1.par_chunks(TASK)))
            .map(|((v0, v1), (w0, w1))| sums(v0, v1, w0, w1))
            .par_fold_reduce(|| [PackedE::ZERO; 2], add, add)
            .map(|packed| lanes_of(packed).into_iter().sum());
        Message { constant, quadratic }
    }

    /// Binds the highest bit.
    pub(super) fn fix(&mut self, r: E) {
        if let Some(columns) = &mut self.last {
            for column in columns {
                let half = column.len() / 2;
                for i in 0..half {
                    column[i] = column[i] + r * (column[half + i] - column[i]);
                }
                column.truncate(half);
            }
            return;
        }
        let r = PackedE::from(r);
        for column in [&mut self.values, &mut self.weights] {
            let half = column.len() / 2;
            let (low, high) = column.split_at_mut(half);
            low.par_chunks_mut(TASK).zip(high.par_chunks(TASK)).for_each(|(low, high)| {
                for (low, &high) in low.iter_mut().zip(high) {
                    *low += r * (high - *low);
                }
            });
            column.truncate(half);
        }
        self.unpack_last();
    }

    fn unpack_last(&mut self) {
        if let ([values], [weights]) = (self.values.as_slice(), self.weights.as_slice()) {
            self.last = Some([lanes_of(*values), lanes_of(*weights)]);
        }
    }
}

fn lanes_of(packed: PackedE) -> Vec<E> {
    (0..Packed::WIDTH).map(|lane| packed.extract(lane)).collect()
}

/// The elements of five limbs, lane by lane.
fn unpack(limbs: &[Packed; 5]) -> impl Iterator<Item = E> + '_ {
    (0..Packed::WIDTH)
        .map(|lane| E::from_basis_coefficients_fn(|limb| limbs[limb].as_slice()[lane]))
}
