//! What a trace holds, and where in a block it lies.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::{COLUMN, num_blocks};
use crate::permutation::{HALF_FULL_ROUNDS, Permutation, Poseidon2};
use crate::simd::Row;

/// Which rounds a trace keeps, counted over both kinds in the permutation's order.
///
/// Words held a call, of 4 bytes each and 1/64 more to keep columns apart, with
/// [`PartialWords::First`]:
///
/// | rounds kept       | t = 16 | t = 24 |
/// |-------------------|-------:|-------:|
/// | all, or every 1st |    148 |    215 |
/// | every 2nd         |     84 |    120 |
/// | every 3rd         |     96 |    144 |
/// | every 4th         |     80 |    120 |
/// | the first only    |    100 |    143 |
///
/// Of R rounds, every j-th for a j from 4 to R − 4 is the first of either half's full rounds, as
/// for 4. With [`PartialWords::All`] the words are t·R, and t·(⌈R/j⌉ + j − 1) for a j up to R.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checkpoints {
    /// All rounds.
    #[default]
    All,
    /// The first round, and after a round that is kept the j-th from it, or the first beyond that
    /// one whose S-box inputs are the whole state. Those between are recomputed when the walk
    /// comes to them, from the one kept below, a *segment* at a time.
    ///
    /// With [`PartialWords::First`] no partial round has the whole state, and a checkpoint among
    /// them would hold as much as t of them: it is the first full round after them instead. The
    /// partial rounds and the full rounds before them are two segments then, or the largest
    /// segment, which there must be room for, would have both.
    Every(NonZeroUsize),
}

/// Which words of the partial rounds' states a trace has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PartialWords {
    /// The S-box input, word 0, for a walk that carries a linear form of the other words.
    #[default]
    First,
    /// All of them, for a walk that binds every column in every round.
    All,
}

/// What a trace holds; by default the S-box inputs of all rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TraceOptions {
    /// The rounds that are kept.
    pub checkpoints: Checkpoints,
    /// The words of the partial rounds.
    pub partial_words: PartialWords,
}

impl TraceOptions {
    /// Bytes that a trace of `num_calls` calls takes: as many from its generation to the end of
    /// the walk, since one segment takes the place of the other. See [`Checkpoints`] for the
    /// words a call; calls count in blocks of 1024.
    pub fn bytes<const T: usize>(self, num_calls: usize) -> usize
    where
        Poseidon2<T>: Permutation<T>,
    {
        num_blocks(num_calls) * Layout::new::<T>(self).stride * size_of::<Row>()
    }
}

/// A round, counted among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::walk) enum Round {
    Full(usize),
    Partial(usize),
}

impl Round {
    /// Rounds of both kinds.
    pub(super) const fn count<const T: usize>() -> usize
    where
        Poseidon2<T>: Permutation<T>,
    {
        2 * HALF_FULL_ROUNDS + Poseidon2::<T>::PARTIAL_ROUNDS
    }

    /// The round of this index over both kinds.
    pub(super) const fn at<const T: usize>(index: usize) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        let partial = Poseidon2::<T>::PARTIAL_ROUNDS;
        if index < HALF_FULL_ROUNDS {
            Self::Full(index)
        } else if index < HALF_FULL_ROUNDS + partial {
            Self::Partial(index - HALF_FULL_ROUNDS)
        } else {
            Self::Full(index - partial)
        }
    }

    /// The index over both kinds.
    pub(super) const fn index<const T: usize>(self) -> usize
    where
        Poseidon2<T>: Permutation<T>,
    {
        match self {
            Self::Full(round) if round < HALF_FULL_ROUNDS => round,
            Self::Full(round) => round + Poseidon2::<T>::PARTIAL_ROUNDS,
            Self::Partial(round) => round + HALF_FULL_ROUNDS,
        }
    }
}

/// Where a round lies in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The first row of its first column.
    pub(super) offset: usize,
    /// Columns.
    pub(super) words: usize,
    /// The segment it is recomputed in; none when it is kept.
    pub(super) segment: Option<usize>,
}

/// Rounds that are recomputed together.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The round that is kept below.
    pub(super) from: usize,
    pub(super) rounds: Range<usize>,
}

/// The order of a block: the rounds that are kept, then room for any one segment.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Rows of a block.
    pub(super) stride: usize,
    /// Whether all rounds' S-box inputs are kept, and nothing else.
    pub(super) is_plain: bool,
    /// By round.
    pub(super) places: Vec<Place>,
    /// In the rounds' order.
    pub(super) segments: Vec<Segment>,
}

impl Layout {
    pub(super) fn new<const T: usize>(options: TraceOptions) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        let rounds = Round::count::<T>();
        let words = |round| match (Round::at::<T>(round), options.partial_words) {
            (Round::Partial(_), PartialWords::First) => 1,
            _ => T,
        };
        let kept = match options.checkpoints {
            Checkpoints::All => vec![true; rounds],
            Checkpoints::Every(step) => {
                let mut kept = vec![false; rounds];
                let mut next = Some(0);
                while let Some(round) = next {
                    kept[round] = true;
                    next = (round.saturating_add(step.get())..rounds).find(|&at| words(at) == T);
                }
                kept
            }
        };

        let mut segments: Vec<Segment> = Vec::new();
        let mut from = 0;
        for round in 0..rounds {
            let parts = round == HALF_FULL_ROUNDS && words(round) < T;
            match segments.last_mut() {
                _ if kept[round] => from = round,
                Some(last) if last.rounds.end == round && !parts => last.rounds.end += 1,
                _ => segments.push(Segment { from, rounds: round..round + 1 }),
            }
        }

        let mut places = vec![Place { offset: 0, words: 0, segment: None }; rounds];
        let mut place = |round: usize, segment, end: &mut usize| {
            places[round] = Place { offset: *end, words: words(round), segment };
            *end += words(round) * COLUMN;
        };
        let mut kept_end = 0;
        for round in (0..rounds).filter(|&round| kept[round]) {
            place(round, None, &mut kept_end);
        }
        let mut stride = kept_end;
        for (index, segment) in segments.iter().enumerate() {
            let mut end = kept_end;
            for round in segment.rounds.clone() {
                place(round, Some(index), &mut end);
            }
            stride = stride.max(end);
        }
        let is_plain = options == TraceOptions::default();
        Self { stride, is_plain, places, segments }
    }
}
