//! What the merge's prover computes of a level's digests: packed and parallel.

use std::array::from_fn;

use p3_field::{Algebra, BasedVectorSpace, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use crate::calls::Level;
use crate::codec::limbs;
use crate::eq::eq_table;
use crate::permutation::{DIGEST, Packed};
use crate::simd::kernels::dot::scale_rows;
use crate::simd::{ExtRow, Native, Row};
use crate::sumcheck::dense::{Dense, factor_of, rows_of};
use crate::sumcheck::{Message, Rounds};
use crate::walk::{CHUNK, LANES, LOG_LANES, POSITIONS};
use crate::{E, F};

/// SIMD vectors that hold the lanes of one position.
const GROUPS: usize = LANES / Packed::WIDTH;
/// SIMD vectors that hold a column of a chunk.
const VECTORS: usize = POSITIONS * GROUPS;
/// Chunks that are added up between two reductions.
const BATCH: usize = 8;

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

/// For each list of weights `Σ_v weights_v·D_v` with the positions bound: a row of lanes for
/// each of `outer` settings of the outer bits.
pub(super) fn fold_positions<const T: usize>(
    level: &Level<'_, T>,
    words: &[F],
    weights: &[[E; DIGEST]; 2],
    basis: &[E; POSITIONS],
    outer: usize,
) -> [Vec<ExtRow>; 2] {
    // [which][limb][word][position].
    let weights: [[[[F; POSITIONS]; DIGEST]; 5]; 2] = from_fn(|i| {
        from_fn(|limb| from_fn(|v| from_fn(|z| limbs(&(weights[i][v] * basis[z]))[limb])))
    });
    let mut folded = [(); 2].map(|()| vec![[Row::ZERO; 5]; outer]);
    let [a, b] = &mut folded;
    // Chunks without a call stay zero.
    let chunks = level.num_calls.div_ceil(CHUNK).min(outer);
    let task = chunks.div_ceil(4 * current_num_threads()).max(1);
    a[..chunks].par_chunks_mut(task).zip(b[..chunks].par_chunks_mut(task)).enumerate().for_each(
        |(index, (a, b))| {
            for (j, (a, b)) in a.iter_mut().zip(b).enumerate() {
                let mut digests = NO_DIGESTS;
                level.fill_digests(words, index * task + j, &mut digests);
                for (row, weights) in [a, b].into_iter().zip(&weights) {
                    for (to, weights) in row.iter_mut().zip(weights) {
                        let groups = to.0.chunks_exact_mut(Packed::WIDTH).enumerate();
                        for (group, to) in groups {
                            let sum = weigh(&digests, group, weights);
                            to.copy_from_slice(sum.as_slice());
                        }
                    }
                }
            }
        },
    );
    folded
}

/// The weights `scale·outer·eq(lanes)`, a row of lanes for each setting of the outer bits.
pub(super) fn weight_rows(outer: &[E], lanes: &[E; LOG_LANES], scale: E) -> Vec<ExtRow> {
    let lanes: Vec<E> = eq_table(lanes).into_iter().map(|eq| scale * eq).collect();
    let lanes = rows_of(&lanes);
    let row = |weight: &E| {
        let mut row = [lanes[0]];
        scale_rows::<Native>(&mut row, &factor_of(weight));
        let [row] = row;
        row
    };
    outer.par_iter().map(row).collect()
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

/// Two columns, each with its weights, summed up.
pub(super) struct Pair(pub(super) [Dense; 2]);

impl Rounds for Pair {
    fn message(&mut self) -> Message {
        let Self([a, b]) = self;
        a.message() + b.message()
    }

    fn fix(&mut self, challenge: E) {
        self.0.iter_mut().for_each(|product| product.fix(challenge));
    }
}

/// The elements of five limbs, lane by lane.
fn unpack(limbs: &[Packed; 5]) -> impl Iterator<Item = E> + '_ {
    (0..Packed::WIDTH)
        .map(|lane| E::from_basis_coefficients_fn(|limb| limbs[limb].as_slice()[lane]))
}
