//! The prover's witness: the input of every S-box of every call.

mod layout;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(super) use layout::Round;
pub use layout::{Checkpoints, PartialWords, TraceOptions};
use p3_field::{PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use self::layout::{Layout, Place};
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

/// Blocks that hold `num_calls` calls.
fn num_blocks(num_calls: usize) -> usize {
    num_calls.div_ceil(CHUNK * BLOCK).max(1)
}

/// The S-box inputs of `num_calls` calls: all words in the full rounds, word 0 in the partial
/// ones; 4·(8t + N_P) bytes a call, 592 at width 16, unless the [`TraceOptions`] say otherwise.
///
/// In memory a *block* of eight chunks comes after the other; within it rounds in the
/// permutation's order, then words, then chunks, positions and lanes. Where not all rounds are
/// kept, those that are come first, in this order, then those of the segment at hand.
#[derive(Clone, Debug)]
pub struct Trace<const T: usize> {
    num_calls: usize,
    rows: Rows,
    layout: Layout,
    /// The segment that the rows hold, if there are any.
    segment: Option<usize>,
    /// The states of the call with the all-zero input.
    zero: Rounds<T>,
}

/// What the S-boxes of one call read; in the partial rounds the other words, too.
#[derive(Clone, Debug)]
struct Rounds<const T: usize> {
    full: [[F; T]; FULL_ROUNDS],
    partial: Vec<[F; T]>,
}

impl<const T: usize> Trace<T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// Runs the permutation on `num_calls` inputs and keeps the S-box inputs of all rounds.
    /// `fill(k, inputs)` writes the inputs of the calls 128k, 128k + 1, … into the columns
    /// `inputs[word]`, which come zeroed; what it writes for calls from `num_calls` on is
    /// dropped.
    pub fn generate(
        num_calls: usize,
        fill: impl Fn(usize, &mut [[F; CHUNK]; T]) + Sync + Send,
    ) -> Self {
        Self::generate_with(TraceOptions::default(), num_calls, fill)
    }

    /// As [`Self::generate`], keeping what `options` say.
    #[instrument(name = "gkr.walk.trace", level = "debug", skip_all, fields(num_calls, width = T))]
    pub fn generate_with(
        options: TraceOptions,
        num_calls: usize,
        fill: impl Fn(usize, &mut [[F; CHUNK]; T]) + Sync + Send,
    ) -> Self {
        let layout = Layout::new::<T>(options);
        // The last segment is the first that the walk comes to.
        let segment = layout.segments.len().checked_sub(1);
        let len = num_blocks(num_calls) * layout.stride;
        let rows = Rows::written(len, layout.stride, |block, rows| {
            let mut inputs = [[F::ZERO; CHUNK]; T];
            for chunk in 0..BLOCK {
                let first = (block * BLOCK + chunk) * CHUNK;
                inputs.as_flattened_mut().fill(F::ZERO);
                if first < num_calls {
                    fill(block * BLOCK + chunk, &mut inputs);
                    let calls = (num_calls - first).min(CHUNK);
                    inputs.iter_mut().for_each(|column| column[calls..].fill(F::ZERO));
                }
                generate_chunk(&inputs, chunk, &layout, segment, rows);
            }
        });
        let zero = Rounds::of([F::ZERO; T]);
        Self { num_calls, rows, layout, segment, zero }
    }

    /// How many calls.
    pub const fn num_calls(&self) -> usize {
        self.num_calls
    }

    /// Bytes of all rows: [`TraceOptions::bytes`].
    pub fn bytes(&self) -> usize {
        size_of_val(&self.rows[..])
    }

    /// Makes the rows of a round readable, and what else the walk reads along with them: of a
    /// partial round those of the round after it. Recomputes the round's segment if it is neither
    /// kept nor at hand, in the place of the segment that is.
    ///
    /// When all rounds are kept there is nothing to do. Rounds may come in any order; the walk's,
    /// last first, recomputes every segment once.
    pub(super) fn hold(&mut self, round: Round) {
        // The round after it is in the same segment, or it is kept.
        match self.layout.places[round.index::<T>()].segment {
            Some(segment) if self.segment != Some(segment) => self.recompute(segment),
            _ => {}
        }
    }

    #[instrument(name = "gkr.walk.trace.recompute", level = "debug", skip(self))]
    fn recompute(&mut self, segment: usize) {
        let Layout { stride, places, segments, .. } = &self.layout;
        let from = segments[segment].from;
        let rounds = from..segments[segment].rounds.end;
        self.rows.par_chunks_mut(*stride).for_each(|rows| {
            for row in 0..BLOCK_ROWS {
                for lane in (0..LANES).step_by(Packed::WIDTH) {
                    let kept = places[from].offset + row;
                    let mut state = std::array::from_fn(|word| {
                        *Packed::from_slice(&rows[kept + word * COLUMN].0[lane..][..Packed::WIDTH])
                    });
                    subtract_constants(from, &mut state);
                    run(rounds.clone(), &mut state, |round, first, others| {
                        if places[round].segment == Some(segment) {
                            store(&places[round], first, others, rows, row, lane);
                        }
                    });
                }
            }
        });
        self.segment = Some(segment);
    }

    /// Chunks held: a multiple of [`BLOCK`], or the whole table where that is smaller.
    pub(super) fn chunks(&self) -> usize {
        let held = self.blocks() * BLOCK;
        let table = 1 << log_outer(self.num_calls);
        if held < table { held } else { table }
    }

    pub(super) fn blocks(&self) -> usize {
        self.rows.len() / self.layout.stride
    }

    /// One block of a full round, a column for each word.
    ///
    /// # Panics
    /// When the round is neither kept nor [held](Self::hold).
    pub(super) fn full(&self, round: usize, block: usize) -> &[Column; T] {
        let rows = &self.rows[self.start(Round::Full(round), block)..];
        rows.as_chunks().0.first_chunk().expect("a block is whole")
    }

    /// One block of a partial round's S-box input.
    ///
    /// # Panics
    /// When the round is neither kept nor [held](Self::hold).
    pub(super) fn partial(&self, round: usize, block: usize) -> &[Row; BLOCK_ROWS] {
        let rows = &self.rows[self.start(Round::Partial(round), block)..];
        rows.first_chunk().expect("a block is whole")
    }

    /// One block of a partial round's states, a column for each word; the first has the round
    /// constant added.
    ///
    /// # Panics
    /// When the round is neither kept nor [held](Self::hold), or the trace is not one of
    /// [`PartialWords::All`].
    pub(super) fn partial_words(&self, round: usize, block: usize) -> &[Column; T] {
        let round = Round::Partial(round);
        assert_eq!(self.layout.places[round.index::<T>()].words, T, "{round:?} has word 0 only");
        let rows = &self.rows[self.start(round, block)..];
        rows.as_chunks().0.first_chunk().expect("a block is whole")
    }

    /// The S-box inputs of a full round of the call with the all-zero input.
    pub(super) const fn zero_full(&self, round: usize) -> &[F; T] {
        &self.zero.full[round]
    }

    /// The S-box input of a partial round of the call with the all-zero input.
    pub(super) fn zero_partial(&self, round: usize) -> F {
        self.zero.partial[round][0]
    }

    /// The state in a partial round of the call with the all-zero input, as
    /// [`Self::partial_words`] has those of the others.
    pub(super) fn zero_partial_words(&self, round: usize) -> &[F; T] {
        &self.zero.partial[round]
    }

    /// The S-box input of one call in a full round.
    ///
    /// # Panics
    /// When the round is neither kept nor [held](Self::hold).
    pub(super) fn word(&self, round: usize, word: usize, call: usize) -> F {
        let (outer, z, lane) = super::point::split(call);
        self.full(round, outer / BLOCK)[word][outer % BLOCK * POSITIONS + z].0[lane]
    }

    /// The first row of a round in a block.
    fn start(&self, round: Round, block: usize) -> usize {
        let place = &self.layout.places[round.index::<T>()];
        let held = place.segment.is_none() || place.segment == self.segment;
        assert!(held, "{round:?} is not held");
        block * self.layout.stride + place.offset
    }

    /// Adds `delta` to one stored word: a false witness.
    #[cfg(test)]
    pub(crate) fn corrupt(&mut self, partial: bool, round: usize, word: usize, call: usize) {
        let (outer, z, lane) = super::point::split(call);
        let round = if partial { Round::Partial(round) } else { Round::Full(round) };
        let row = word * COLUMN + outer % BLOCK * POSITIONS + z;
        let start = self.start(round, outer / BLOCK);
        self.rows[start + row].0[lane] += F::ONE;
    }

    /// Adds one to a word of the rows without a call: a false tail.
    #[cfg(test)]
    pub(crate) fn corrupt_tail(&mut self, partial: bool, round: usize, word: usize) {
        let rounds = if partial { &mut self.zero.partial[..] } else { &mut self.zero.full[..] };
        rounds[round][word] += F::ONE;
    }

    /// Gives the rows that the trace does not hold another input than zeros.
    #[cfg(test)]
    pub(crate) fn forge_tail(&mut self, input: [F; T]) {
        self.zero = Rounds::of(input);
    }
}

/// Runs the 128 calls of one chunk and stores the rounds that are kept and those of a segment in
/// the chunk's place of a block.
fn generate_chunk<const T: usize>(
    inputs: &[[F; CHUNK]; T],
    chunk: usize,
    layout: &Layout,
    segment: Option<usize>,
    rows: &mut [Row],
) where
    Poseidon2<T>: Permutation<T>,
{
    if layout.is_plain {
        return generate_plain(inputs, chunk, rows);
    }
    for z in 0..POSITIONS {
        for lane in (0..LANES).step_by(Packed::WIDTH) {
            let first = z * LANES + lane;
            let mut state: [Packed; T] = std::array::from_fn(|word| {
                *Packed::from_slice(&inputs[word][first..][..Packed::WIDTH])
            });
            external_matrix(&mut state);
            run(0..Round::count::<T>(), &mut state, |round, first, others| {
                let place = &layout.places[round];
                if place.segment.is_none() || place.segment == segment {
                    store(place, first, others, rows, chunk * POSITIONS + z, lane);
                }
            });
        }
    }
}

/// The same where every round's S-box inputs are kept, and no other word: one column after the
/// other, without a look at the layout, which takes a sixth of the time.
fn generate_plain<const T: usize>(inputs: &[[F; CHUNK]; T], chunk: usize, rows: &mut [Row])
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

/// Stores a round's words, or the first of them, in one row of each column.
fn store(
    place: &Place,
    first: Packed,
    others: &[Packed],
    rows: &mut [Row],
    row: usize,
    lane: usize,
) {
    let mut at = place.offset + row;
    rows[at].0[lane..][..Packed::WIDTH].copy_from_slice(first.as_slice());
    for word in &others[..place.words - 1] {
        at += COLUMN;
        rows[at].0[lane..][..Packed::WIDTH].copy_from_slice(word.as_slice());
    }
}

/// Runs rounds, counted over both kinds, on one state per lane, and shows of each what its
/// S-boxes read: word 0 and, apart, the others, which in a partial round no S-box reads. The last
/// round is shown, but not run.
fn run<const T: usize>(
    rounds: Range<usize>,
    state: &mut [Packed; T],
    mut show: impl FnMut(usize, Packed, &[Packed]),
) where
    Poseidon2<T>: Permutation<T>,
{
    for index in rounds.clone() {
        let is_last = index + 1 == rounds.end;
        match Round::at::<T>(index) {
            Round::Full(round) => {
                for (word, &constant) in state.iter_mut().zip(full_constants::<T>(round)) {
                    *word += constant;
                }
                show(index, state[0], &state[1..]);
                if !is_last {
                    state.iter_mut().for_each(|word| *word = word.cube());
                    external_matrix(state);
                }
            }
            Round::Partial(round) => {
                let constant = Poseidon2::<T>::constants().partial[round];
                show(index, state[0] + constant, &state[1..]);
                if !is_last {
                    Poseidon2::<T>::partial_round_packed(round, state);
                }
            }
        }
    }
}

/// The state that a round begins with, from what [`run`] shows of it.
fn subtract_constants<const T: usize>(index: usize, state: &mut [Packed; T])
where
    Poseidon2<T>: Permutation<T>,
{
    match Round::at::<T>(index) {
        Round::Full(round) => {
            for (word, &constant) in state.iter_mut().zip(full_constants::<T>(round)) {
                *word -= constant;
            }
        }
        Round::Partial(round) => state[0] -= Poseidon2::<T>::constants().partial[round],
    }
}

fn full_constants<const T: usize>(round: usize) -> &'static [F; T]
where
    Poseidon2<T>: Permutation<T>,
{
    let constants = Poseidon2::<T>::constants();
    match round.checked_sub(HALF_FULL_ROUNDS) {
        None => &constants.initial[round],
        Some(round) => &constants.terminal[round],
    }
}

impl<const T: usize> Rounds<T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// Those of the call with this input.
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
            state[0] += constant;
            partial.push(state);
            state[0] = state[0].cube();
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
