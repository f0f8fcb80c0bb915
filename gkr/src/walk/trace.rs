//! The prover's witness: the input of every S-box of every call.

use p3_field::{PackedValue, PrimeCharacteristicRing};
use tracing::instrument;

use super::{CHUNK, LANES, POSITIONS, log_outer};
use crate::F;
use crate::permutation::{HALF_FULL_ROUNDS, Packed, Permutation, Poseidon2, external_matrix};
use crate::simd::kernels::{BLOCK, BLOCK_ROWS};
use crate::simd::{Row, Rows};

const FULL_ROUNDS: usize = 2 * HALF_FULL_ROUNDS;
/// Rows from one column of a block to the next: one more than a column has, or all columns
/// would share the same few sets of the cache.
const COLUMN: usize = BLOCK_ROWS + 1;

/// A column of a block, and what separates it from the next.
pub(super) type Column = [Row; COLUMN];

/// The rows of a column.
pub(super) fn column_rows(column: &Column) -> &[Row; BLOCK_ROWS] {
    column.first_chunk().expect("a column is shorter than its place")
}

/// The S-box inputs of `num_calls` calls: all words in the full rounds, word 0 in the partial
/// ones; 4·(8t + N_P) bytes a call, 592 at width 16.
///
/// In memory a *block* of eight chunks comes after the other; within it rounds in the
/// permutation's order, then words, then chunks, positions and lanes.
#[derive(Clone, Debug)]
pub struct Trace<const T: usize> {
    num_calls: usize,
    rows: Rows,
    /// The S-box inputs of the call with the all-zero input.
    zero: Rounds<T>,
}

/// S-box inputs of one call.
#[derive(Clone, Debug)]
struct Rounds<const T: usize> {
    full: [[F; T]; FULL_ROUNDS],
    partial: Vec<F>,
}

impl<const T: usize> Trace<T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// Rows of one block.
    const STRIDE: usize = (FULL_ROUNDS * T + Poseidon2::<T>::PARTIAL_ROUNDS) * COLUMN;

    /// Runs the permutation on `num_calls` inputs. `fill(k, inputs)` writes the inputs of the
    /// calls 128k, 128k + 1, … into the columns `inputs[word]`, which come zeroed; what it
    /// writes for calls from `num_calls` on is dropped.
    #[instrument(name = "gkr.walk.trace", level = "debug", skip_all, fields(num_calls, width = T))]
    pub fn generate(
        num_calls: usize,
        fill: impl Fn(usize, &mut [[F; CHUNK]; T]) + Sync + Send,
    ) -> Self {
        let blocks = num_calls.div_ceil(CHUNK * BLOCK).max(1);
        let rows = Rows::written(blocks * Self::STRIDE, Self::STRIDE, |block, rows| {
            let mut inputs = [[F::ZERO; CHUNK]; T];
            for chunk in 0..BLOCK {
                let first = (block * BLOCK + chunk) * CHUNK;
                inputs.as_flattened_mut().fill(F::ZERO);
                if first < num_calls {
                    fill(block * BLOCK + chunk, &mut inputs);
                    let calls = (num_calls - first).min(CHUNK);
                    inputs.iter_mut().for_each(|column| column[calls..].fill(F::ZERO));
                }
                generate_chunk(&inputs, chunk, rows);
            }
        });
        let zero = Rounds::of([F::ZERO; T]);
        Self { num_calls, rows, zero }
    }

    /// How many calls.
    pub const fn num_calls(&self) -> usize {
        self.num_calls
    }

    /// Chunks held: a multiple of [`BLOCK`], or the whole table where that is smaller.
    pub(super) fn chunks(&self) -> usize {
        let held = self.rows.len() / Self::STRIDE * BLOCK;
        let table = 1 << log_outer(self.num_calls);
        if held < table { held } else { table }
    }

    pub(super) fn blocks(&self) -> usize {
        self.rows.len() / Self::STRIDE
    }

    /// One block of a full round, a column for each word.
    pub(super) fn full(&self, round: usize, block: usize) -> &[Column; T] {
        let rows = &self.rows[block * Self::STRIDE + Self::full_offset(round)..];
        rows.as_chunks().0.first_chunk().expect("a block is whole")
    }

    /// One block of a partial round.
    pub(super) fn partial(&self, round: usize, block: usize) -> &[Row; BLOCK_ROWS] {
        let rows = &self.rows[block * Self::STRIDE + Self::partial_offset(round)..];
        rows.first_chunk().expect("a block is whole")
    }

    /// The S-box inputs of a full round of the call with the all-zero input.
    pub(super) const fn zero_full(&self, round: usize) -> &[F; T] {
        &self.zero.full[round]
    }

    /// The S-box input of a partial round of the call with the all-zero input.
    pub(super) fn zero_partial(&self, round: usize) -> F {
        self.zero.partial[round]
    }

    /// The S-box input of one call in a full round.
    pub(super) fn word(&self, round: usize, word: usize, call: usize) -> F {
        let (outer, z, lane) = super::point::split(call);
        self.full(round, outer / BLOCK)[word][outer % BLOCK * POSITIONS + z].0[lane]
    }

    const fn full_offset(round: usize) -> usize {
        let before = if round < HALF_FULL_ROUNDS { 0 } else { Poseidon2::<T>::PARTIAL_ROUNDS };
        (round * T + before) * COLUMN
    }

    const fn partial_offset(round: usize) -> usize {
        (HALF_FULL_ROUNDS * T + round) * COLUMN
    }

    /// Adds `delta` to one stored word: a false witness.
    #[cfg(test)]
    pub(crate) fn corrupt(&mut self, partial: bool, round: usize, word: usize, call: usize) {
        let (outer, z, lane) = super::point::split(call);
        let offset = if partial { Self::partial_offset(round) } else { Self::full_offset(round) };
        let row = word * COLUMN + outer % BLOCK * POSITIONS + z;
        self.rows[outer / BLOCK * Self::STRIDE + offset + row].0[lane] += F::ONE;
    }

    /// Adds one to a word of the rows without a call: a false tail.
    #[cfg(test)]
    pub(crate) fn corrupt_tail(&mut self, partial: bool, round: usize, word: usize) {
        if partial {
            self.zero.partial[round] += F::ONE;
        } else {
            self.zero.full[round][word] += F::ONE;
        }
    }

    /// Gives the rows that the trace does not hold another input than zeros.
    #[cfg(test)]
    pub(crate) fn forge_tail(&mut self, input: [F; T]) {
        self.zero = Rounds::of(input);
    }
}

/// Runs the 128 calls of one chunk and stores their S-box inputs in its place of a block.
fn generate_chunk<const T: usize>(inputs: &[[F; CHUNK]; T], chunk: usize, rows: &mut [Row])
where
    Poseidon2<T>: Permutation<T>,
{
    let constants = Poseidon2::<T>::constants();
    for z in 0..POSITIONS {
        for lane in (0..LANES).step_by(Packed::WIDTH) {
            let mut place = chunk * POSITIONS + z;
            let mut store = |word: Packed| {
                rows[place].0[lane..lane + Packed::WIDTH].copy_from_slice(word.as_slice());
                place += COLUMN;
            };
            let first = z * LANES + lane;
            let mut state: [Packed; T] = std::array::from_fn(|word| {
                *Packed::from_slice(&inputs[word][first..][..Packed::WIDTH])
            });
            external_matrix(&mut state);
            for constants in &constants.initial {
                for (word, &constant) in state.iter_mut().zip(constants) {
                    *word += constant;
                    store(*word);
                    *word = word.cube();
                }
                external_matrix(&mut state);
            }
            for (round, &constant) in constants.partial.iter().enumerate() {
                store(state[0] + constant);
                Poseidon2::<T>::partial_round_packed(round, &mut state);
            }
            for constants in &constants.terminal {
                for (word, &constant) in state.iter_mut().zip(constants) {
                    *word += constant;
                    store(*word);
                    *word = word.cube();
                }
                external_matrix(&mut state);
            }
        }
    }
}

impl<const T: usize> Rounds<T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// The S-box inputs of one call.
    fn of(mut state: [F; T]) -> Self {
        let constants = Poseidon2::<T>::constants();
        let mut full = [[F::ZERO; T]; FULL_ROUNDS];
        let (first, last) = full.split_at_mut(HALF_FULL_ROUNDS);
        let step = |state: &mut [F; T], constants: &[F; T], kept: &mut [F; T]| {
            for ((word, &constant), kept) in state.iter_mut().zip(constants).zip(kept) {
                *kept = *word + constant;
                *word = kept.cube();
            }
            external_matrix(state);
        };
        external_matrix(&mut state);
        for (constants, kept) in constants.initial.iter().zip(first) {
            step(&mut state, constants, kept);
        }
        let mut partial = Vec::with_capacity(constants.partial.len());
        for &constant in &constants.partial {
            let inner = state[0] + constant;
            partial.push(inner);
            state[0] = inner.cube();
            let sum: F = state.iter().copied().sum();
            for (word, &v) in state.iter_mut().zip(&constants.diagonal) {
                *word = sum + *word * v;
            }
        }
        for (constants, kept) in constants.terminal.iter().zip(last) {
            step(&mut state, constants, kept);
        }
        Self { full, partial }
    }
}
