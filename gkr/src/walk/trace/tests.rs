use std::num::NonZeroUsize;

use super::*;

const SIZES: [usize; 4] = [1, 127, 129, 3000];

/// A word of a call's input.
fn input(call: usize, word: usize) -> F {
    F::from_u64((call as u64 * 64 + word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 34)
}

fn trace<const T: usize>(options: TraceOptions, num_calls: usize) -> Trace<T>
where
    Poseidon2<T>: Permutation<T>,
{
    Trace::generate_with(options, num_calls, |chunk, inputs| {
        for (word, column) in inputs.iter_mut().enumerate() {
            for (i, value) in column.iter_mut().enumerate() {
                *value = input(chunk * CHUNK + i, word);
            }
        }
    })
}

fn every(step: usize) -> Checkpoints {
    Checkpoints::Every(NonZeroUsize::new(step).unwrap())
}

const WORDS: [PartialWords; 2] = [PartialWords::First, PartialWords::All];

/// Every setting of the checkpoints that differs, and some beyond.
fn settings<const T: usize>(partial_words: PartialWords) -> impl Iterator<Item = TraceOptions>
where
    Poseidon2<T>: Permutation<T>,
{
    let steps = (1..Round::count::<T>() + 3).chain([usize::MAX]).map(every);
    [Checkpoints::All]
        .into_iter()
        .chain(steps)
        .map(move |checkpoints| TraceOptions { checkpoints, partial_words })
}

/// All words that a trace has of a round.
fn words<const T: usize>(trace: &Trace<T>, round: Round) -> Vec<F>
where
    Poseidon2<T>: Permutation<T>,
{
    let has_all = trace.layout.places[round.index::<T>()].words == T;
    let mut words = Vec::new();
    for block in 0..trace.blocks() {
        let columns = match round {
            Round::Full(round) => Some(trace.full(round, block)),
            Round::Partial(round) if has_all => Some(trace.partial_words(round, block)),
            Round::Partial(_) => None,
        };
        words.extend(columns.into_iter().flatten().flat_map(column_rows).flat_map(|row| row.0));
        if let Round::Partial(round) = round {
            words.extend(trace.partial(round, block).iter().flat_map(|row| row.0));
        }
    }
    words
}

/// Goes over the rounds as the walk does, and reads in each what the walk may read.
fn walk_down<const T: usize>(held: &mut Trace<T>, expected: &[Vec<F>])
where
    Poseidon2<T>: Permutation<T>,
{
    for index in (0..Round::count::<T>()).rev() {
        let round = Round::at::<T>(index);
        held.hold(round);
        assert!(words(held, round) == expected[index], "{round:?}");
        if matches!(round, Round::Partial(_)) {
            let after = Round::at::<T>(index + 1);
            assert!(words(held, after) == expected[index + 1], "{after:?} with {round:?}");
        }
    }
}

fn checkpoints_serve_the_full_trace<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    for num_calls in SIZES {
        for partial_words in WORDS {
            let all = TraceOptions { partial_words, ..TraceOptions::default() };
            let full = trace::<T>(all, num_calls);
            let expected: Vec<_> =
                (0..Round::count::<T>()).map(|index| words(&full, Round::at::<T>(index))).collect();
            for options in settings::<T>(partial_words) {
                let mut held = trace::<T>(options, num_calls);
                assert_eq!((held.blocks(), held.chunks()), (full.blocks(), full.chunks()));
                walk_down(&mut held, &expected);
                // Up again: from the lowest segment to the top.
                walk_down(&mut held, &expected);
            }
        }
    }
}

#[test]
fn a_walk_down_reads_the_full_trace_at_width_16() {
    checkpoints_serve_the_full_trace::<16>();
}

#[test]
fn a_walk_down_reads_the_full_trace_at_width_24() {
    checkpoints_serve_the_full_trace::<24>();
}

fn takes_the_bytes_of_the_formula<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    for num_calls in SIZES {
        for options in WORDS.into_iter().flat_map(settings::<T>) {
            let mut trace = trace::<T>(options, num_calls);
            let bytes = options.bytes::<T>(num_calls);
            assert_eq!(trace.bytes(), bytes, "{options:?}");
            assert_eq!(trace.rows.len() * size_of::<Row>(), bytes, "{options:?}");
            trace.hold(Round::Full(1));
            assert_eq!(trace.rows.len() * size_of::<Row>(), bytes, "{options:?}");
        }
    }
}

#[test]
fn traces_take_the_bytes_of_the_formula() {
    takes_the_bytes_of_the_formula::<16>();
    takes_the_bytes_of_the_formula::<24>();
}

/// Words a call by checkpoints, as documented.
fn words_held<const T: usize>(checkpoints: Checkpoints, partial_words: PartialWords) -> usize
where
    Poseidon2<T>: Permutation<T>,
{
    let bytes = TraceOptions { checkpoints, partial_words }.bytes::<T>(CHUNK * BLOCK);
    assert_eq!(bytes % (COLUMN * size_of::<Row>()), 0);
    bytes / (COLUMN * size_of::<Row>())
}

#[test]
fn traces_hold_the_documented_words() {
    let words_16 = |checkpoints| words_held::<16>(checkpoints, PartialWords::First);
    let words_24 = |checkpoints| words_held::<24>(checkpoints, PartialWords::First);
    assert_eq!([words_16(Checkpoints::All), words_24(Checkpoints::All)], [148, 215]);
    let documented = [(1, 148, 215), (2, 84, 120), (3, 96, 144), (4, 80, 120), (40, 100, 143)];
    for (step, at_16, at_24) in documented {
        assert_eq!([words_16(every(step)), words_24(every(step))], [at_16, at_24], "{step}");
    }
    assert!((4..=24).all(|step| words_16(every(step)) == 80));
    assert!((4..=27).all(|step| words_24(every(step)) == 120));
    for step in 1..=28 {
        let words = words_held::<16>(every(step), PartialWords::All);
        assert_eq!(words, 16 * (28_usize.div_ceil(step) + step - 1), "{step}");
    }
    assert_eq!(words_held::<16>(Checkpoints::All, PartialWords::All), 16 * 28);
    assert_eq!(words_held::<24>(every(5), PartialWords::All), 24 * (7 + 4));
}

/// All states that S-boxes read of one call, and the outputs, by the definition.
fn states<const T: usize>(mut state: [F; T]) -> (Vec<[F; T]>, [F; T])
where
    Poseidon2<T>: Permutation<T>,
{
    let constants = Poseidon2::<T>::constants();
    let mut states = Vec::new();
    external_matrix(&mut state);
    for index in 0..Round::count::<T>() {
        match index.checked_sub(4) {
            Some(round) if round < constants.partial.len() => {
                state[0] += constants.partial[round];
                states.push(state);
                state[0] = state[0].cube();
                let sum: F = state.into_iter().sum();
                state = std::array::from_fn(|word| sum + constants.diagonal[word] * state[word]);
            }
            terminal => {
                let round = match terminal {
                    None => &constants.initial[index],
                    Some(round) => &constants.terminal[round - constants.partial.len()],
                };
                state = std::array::from_fn(|word| state[word] + round[word]);
                states.push(state);
                state = state.map(|word| word.cube());
                external_matrix(&mut state);
            }
        }
    }
    (states, state)
}

fn holds_the_permutations_states<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    for num_calls in SIZES {
        let all = TraceOptions { partial_words: PartialWords::All, ..TraceOptions::default() };
        let trace = trace::<T>(all, num_calls);
        let (zero, _) = states([F::ZERO; T]);
        for call in (0..trace.chunks() * CHUNK).step_by(19).chain([num_calls - 1]) {
            let is_call = call < num_calls;
            let mut words =
                std::array::from_fn(|word| if is_call { input(call, word) } else { F::ZERO });
            let (states, outputs) = states::<T>(words);
            Poseidon2::<T>::permute(&mut words);
            assert_eq!(outputs, words);
            let (outer, z, lane) = crate::walk::point::split(call);
            let row = outer % BLOCK * POSITIONS + z;
            for (index, expected) in states.iter().enumerate() {
                let columns = match Round::at::<T>(index) {
                    Round::Full(round) => trace.full(round, outer / BLOCK),
                    Round::Partial(round) => trace.partial_words(round, outer / BLOCK),
                };
                assert_eq!(columns.each_ref().map(|column| column[row].0[lane]), *expected);
            }
        }
        for (index, expected) in zero.iter().enumerate() {
            match Round::at::<T>(index) {
                Round::Full(round) => assert_eq!(trace.zero_full(round), expected),
                Round::Partial(round) => {
                    assert_eq!(trace.zero_partial_words(round), expected);
                    assert_eq!(trace.zero_partial(round), expected[0]);
                }
            }
        }
    }
}

#[test]
fn traces_hold_the_permutations_states_at_width_16() {
    holds_the_permutations_states::<16>();
}

#[test]
fn traces_hold_the_permutations_states_at_width_24() {
    holds_the_permutations_states::<24>();
}

/// What is recomputed follows from the round that is kept below, and from that alone.
#[test]
fn segments_follow_from_their_checkpoint() {
    let options = TraceOptions { checkpoints: every(2), ..TraceOptions::default() };
    let (mut honest, mut forged) = (trace::<16>(options, 200), trace::<16>(options, 200));
    forged.corrupt(false, 2, 5, 100);
    for (round, differs) in [
        (Round::Full(7), false),
        (Round::Full(5), false),
        (Round::Full(4), false),
        (Round::Partial(19), true),
        (Round::Partial(0), true),
        (Round::Full(3), true),
        (Round::Full(2), true),
        (Round::Full(1), false),
        (Round::Full(0), false),
    ] {
        honest.hold(round);
        forged.hold(round);
        assert_eq!(words(&honest, round) != words(&forged, round), differs, "{round:?}");
    }
}

#[test]
#[should_panic(expected = "Full(3) is not held")]
fn reading_a_round_that_is_not_held_panics() {
    let options = TraceOptions { checkpoints: every(4), ..TraceOptions::default() };
    let _ = trace::<16>(options, 1).full(3, 0);
}

#[test]
#[should_panic(expected = "Partial(3) has word 0 only")]
fn reading_words_that_a_trace_does_not_have_panics() {
    let _ = trace::<16>(TraceOptions::default(), 1).partial_words(3, 0);
}
