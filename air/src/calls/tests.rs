use std::borrow::Borrow;

use p3_air::BaseAir;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::constraints::digest;
use super::*;
use crate::buses::{BLOCK, Block, Ledger};
use crate::fixture::{CALLS, Fixture, LANES, VECTORS};
use crate::{E, Table};

/// Symbols in a run: with these a row's blocks are not full.
const RUN: usize = 3;

fn symbols<const T: usize, const P: usize>(fixture: &Fixture<T, P>) -> [Vec<E>; VECTORS]
where
    Poseidon2<T, P>: Width<T, P>,
{
    fixture.symbols(2, [E::ZERO; VECTORS])
}

/// Constraints of one call's permutation.
const fn constraints<const T: usize, const P: usize>() -> usize {
    2 * HALF_FULL_ROUNDS * T + P
}

/// Runs a generic test at both widths.
macro_rules! both_widths {
    ($($name:ident)*) => {
        mod width_16 {
            $(#[test] fn $name() { super::$name::<16, 20>(); })*
        }
        mod width_24 {
            $(#[test] fn $name() { super::$name::<24, 23>(); })*
        }
    };
}

both_widths! {
    honest_traces_are_good
    a_trace_is_p3s_permutation_call_by_call
    each_cell_is_fixed_by_its_constraint
    each_word_of_a_chained_h_is_fixed_by_its_constraint
    false_rounds_cannot_be_proved
    a_false_word_of_a_message_leaves_the_bus_off_balance
    a_false_start_of_a_chain_leaves_the_bus_off_balance
    exchanged_messages_leave_the_bus_off_balance
    idle_lanes_hash_zeros_and_nothing_else
    every_read_has_a_weight
    any_number_of_lanes_makes_the_same_calls
}

fn honest_traces_are_good<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    Fixture::<T, P>::new(RUN).honest().assert_good();
    Fixture::<T, P>::new(8).honest().assert_good();
}

/// The trace that the prover fills in, the one computed round by round with the published
/// constants, and p3's permutation are the same.
fn a_trace_is_p3s_permutation_call_by_call<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(RUN);
    let (calls, schedule) = (&fixture.calls, fixture.calls.schedule());
    let mut blocks = fixture.blocks(&symbols(&fixture));
    let mut same = blocks.clone();
    let inputs = calls.evaluate(&mut blocks);
    assert_eq!(inputs.len(), schedule.num_calls());
    let trace = calls.trace(inputs.clone());
    assert_eq!(trace, calls.faulty_trace(&mut same, None));
    assert_eq!(blocks, same);
    for (slot, columns) in trace.values.chunks(Poseidon2Calls::<T, P>::CALL_COLUMNS).enumerate() {
        let call: &Columns<F, T, P> = columns.borrow();
        if let Some(input) = inputs.get(slot) {
            assert_eq!(&call.inputs, input);
        }
        let mut state = call.inputs;
        Poseidon2::<T, P>::permute(&mut state);
        assert_eq!(call.ending_full_rounds[HALF_FULL_ROUNDS - 1].post, state);
        let expected: Block = std::array::from_fn(|v| state[v] + call.inputs[v]);
        assert_eq!(digest::<_, F, T, P>(call), expected);
    }
}

fn each_cell_is_fixed_by_its_constraint<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(RUN);
    let symbols = symbols(&fixture);
    // In the first lane, in one that chains, in the second row.
    for slot in [0, 1, LANES] {
        // Constraints of the lanes before: their permutations', and eight where they chain.
        let lanes = (0..slot % LANES).map(|lane| {
            let chains = fixture.calls.schedule().lane(lane).chains;
            constraints::<T, P>() + if chains { BLOCK } else { 0 }
        });
        let before: usize = lanes.sum();
        for constraint in 0..constraints::<T, P>() {
            let instance = fixture.instance(&symbols, Some(Fault::Cell { slot, constraint }));
            instance.assert_violates_only(CALLS, slot / LANES, before + constraint);
        }
    }
}

/// One of each kind: first full rounds, partial rounds, last full rounds.
fn false_rounds_cannot_be_proved<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(RUN);
    let symbols = symbols(&fixture);
    let first = HALF_FULL_ROUNDS * T;
    for constraint in [0, first - 1, first, first + P - 1, first + P, constraints::<T, P>() - 1] {
        let fault = Fault::Cell { slot: LANES, constraint };
        fixture.instance(&symbols, Some(fault)).assert_violates(CALLS, 1, constraint);
    }
}

/// A slot that takes over the digest of the lane before.
fn a_chained_slot(schedule: &Schedule) -> usize {
    (0..schedule.num_calls()).find(|&slot| schedule.is_chained(slot)).expect("a chain in a row")
}

fn each_word_of_a_chained_h_is_fixed_by_its_constraint<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(RUN);
    let symbols = symbols(&fixture);
    let schedule = fixture.calls.schedule();
    let slot = a_chained_slot(schedule);
    for word in 0..BLOCK {
        let lanes = (0..slot % LANES)
            .map(|lane| constraints::<T, P>() + if schedule.lane(lane).chains { BLOCK } else { 0 });
        let constraint = lanes.sum::<usize>() + constraints::<T, P>() + word;
        let fault = Fault::Start { slot, word };
        fixture.instance(&symbols, Some(fault)).assert_violates(CALLS, slot / LANES, constraint);
    }
}

fn a_false_word_of_a_message_leaves_the_bus_off_balance<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(RUN);
    let symbols = symbols(&fixture);
    let last = fixture.calls.schedule().num_calls() - 1;
    for word in 0..T - BLOCK {
        let fault = Fault::Message { slot: 1, word };
        fixture.instance(&symbols, Some(fault)).assert_off_balance();
    }
    // The last call's message is digests.
    fixture.instance(&symbols, Some(Fault::Message { slot: last, word: 0 })).assert_off_balance();
}

fn a_false_start_of_a_chain_leaves_the_bus_off_balance<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(RUN);
    let symbols = symbols(&fixture);
    let schedule = fixture.calls.schedule();
    // An initial value, and a digest that goes to the next row by the bus.
    let link = |&slot: &usize| slot % LANES == 0 && schedule.result(slot - 1).is_some();
    let linked = (LANES..schedule.num_calls()).find(link).expect("a chain over two rows");
    for slot in [0, linked] {
        for word in 0..BLOCK {
            let fault = Fault::Start { slot, word };
            fixture.instance(&symbols, Some(fault)).assert_off_balance();
        }
    }
}

fn exchanged_messages_leave_the_bus_off_balance<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(RUN);
    let symbols = symbols(&fixture);
    let per_cell = (LIMBS_IN_BLOCKS).div_ceil(Poseidon2Calls::<T, P>::MESSAGE_BLOCKS);
    // Two cells of one row; two messages of one cell, or those of two rows.
    for (a, b) in [(0, per_cell), (0, VECTORS * per_cell), (0, 1)] {
        fixture.instance(&symbols, Some(Fault::Exchange(a, b))).assert_off_balance();
    }
}

/// Blocks of a run.
const LIMBS_IN_BLOCKS: usize = (5 * RUN).div_ceil(BLOCK);

/// Whatever an idle lane reads is the block of zeros, and what it computes goes nowhere.
fn idle_lanes_hash_zeros_and_nothing_else<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(RUN);
    let symbols = symbols(&fixture);
    let schedule = fixture.calls.schedule();
    let idle = schedule.num_calls()..schedule.num_slots();
    assert!(idle.len() > LANES, "lanes of a row of calls, and a row of idle ones");
    let preprocessed = schedule.preprocessed();
    for slot in idle.clone() {
        let lane = schedule.lane(slot % LANES);
        if lane.offers {
            let row = preprocessed.row_slice(slot / LANES).unwrap();
            assert_eq!(row[lane.result() + 1], F::ZERO, "readers of slot {slot}");
        }
        for word in [0, T - BLOCK - 1] {
            let fault = Fault::Message { slot, word };
            fixture.instance(&symbols, Some(fault)).assert_off_balance();
        }
        let instance = fixture.instance(&symbols, Some(Fault::Start { slot, word: 7 }));
        if schedule.is_chained(slot) {
            assert_eq!(instance.violations().len(), 1);
        } else {
            instance.assert_off_balance();
        }
    }
    // The prover fills them in as they have to be.
    let inputs = fixture.calls.evaluate(&mut fixture.blocks(&symbols));
    let mut honest = fixture.honest();
    honest.traces[CALLS] = fixture.calls.trace(inputs);
    honest.assert_good();
}

/// A read without weight would escape the bound that keeps multiplicities from wrapping.
fn every_read_has_a_weight<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let fixture = Fixture::<T, P>::new(RUN);
    let instance = fixture.honest();
    let schedule = fixture.calls.schedule();
    let starts = (0..LANES).filter(|&lane| schedule.lane(lane).starts).count();
    let reads = starts + LANES * schedule.message_blocks();
    let lookups = crate::fixture::lookups(&instance.tables, &instance.log_heights());
    let weights: Vec<u64> = lookups.iter().map(|l| l.total_count_weight()).collect();
    assert_eq!(weights, [reads as u64, 0, 1]);
}

fn any_number_of_lanes_makes_the_same_calls<const T: usize, const P: usize>()
where
    Poseidon2<T, P>: Width<T, P>,
{
    let blocks = Poseidon2Calls::<T, P>::MESSAGE_BLOCKS;
    let mut rng = StdRng::seed_from_u64(5);
    let words: Vec<Block> = (0..1 + 7 * blocks).map(|_| rng.random()).collect();
    let mut digests = Vec::new();
    for lanes in 1..=32 {
        let mut ledger = Ledger::new(1 + words.len());
        let messages: Vec<Vec<u32>> = (0..7)
            .map(|call| (0..blocks).map(|b| (2 + call * blocks + b) as u32).collect())
            .collect();
        let mut schedule = ScheduleBuilder::new(lanes, blocks);
        let result = ledger.allocate();
        schedule.chain(&mut ledger, 1, messages.iter().map(Vec::as_slice), result);
        let calls = Poseidon2Calls::<T, P>::new(schedule.finish(&mut ledger));
        let mut values = vec![[F::ZERO; BLOCK]; ledger.len()];
        values[1..=words.len()].copy_from_slice(&words);
        let mut same = values.clone();
        let trace = calls.trace(calls.evaluate(&mut values));
        assert_eq!(trace, calls.faulty_trace(&mut same, None), "{lanes} lanes");
        assert_eq!((trace.height(), trace.width()), (calls.schedule().height(), calls.width()));
        let table = Table::Calls(calls);
        let report = p3_air::check_all_constraints(&table, &trace, &[], None);
        assert!(report.is_ok(), "{lanes} lanes");
        digests.push(values[result as usize]);
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]));
}

/// The first call on p3's published test vectors: constants, matrices and rounds are theirs.
#[test]
fn the_permutation_is_the_published_one() {
    fn check<const T: usize, const P: usize>(input: [u32; T], output: [u32; T])
    where
        Poseidon2<T, P>: Width<T, P>,
    {
        let [input, output] = [F::new_array(input), F::new_array(output)];
        let blocks = Poseidon2Calls::<T, P>::MESSAGE_BLOCKS;
        let mut ledger = Ledger::new(blocks + 3);
        let message: Vec<u32> = (2..2 + blocks as u32).collect();
        let mut schedule = ScheduleBuilder::new(1, blocks);
        let result = ledger.len() as u32 - 1;
        schedule.chain(&mut ledger, 1, [message.as_slice()], result);
        let calls = Poseidon2Calls::<T, P>::new(schedule.finish(&mut ledger));
        let trace = calls.trace(vec![input]);
        let call: &Columns<F, T, P> = trace.values.as_slice().borrow();
        assert_eq!(call.ending_full_rounds[HALF_FULL_ROUNDS - 1].post, output);
        assert!(p3_air::check_all_constraints(&calls, &trace, &[], None).is_ok());
    }
    check::<16, 20>(
        [
            894848333, 1437655012, 1200606629, 1690012884, 71131202, 1749206695, 1717947831,
            120589055, 19776022, 42382981, 1831865506, 724844064, 171220207, 1299207443, 227047920,
            1783754913,
        ],
        [
            1934285469, 604889435, 133449501, 1026180808, 1830659359, 176667110, 1391183747,
            351743874, 1238264085, 1292768839, 2023573270, 1201586780, 1360691759, 1230682461,
            748270449, 651545025,
        ],
    );
    check::<24, 23>(
        [
            886409618, 1327899896, 1902407911, 591953491, 648428576, 1844789031, 1198336108,
            355597330, 1799586834, 59617783, 790334801, 1968791836, 559272107, 31054313,
            1042221543, 474748436, 135686258, 263665994, 1962340735, 1741539604, 2026927696,
            449439011, 1131357108, 50869465,
        ],
        [
            382801106, 82839311, 1503190615, 1987418517, 854076995, 1862291425, 262755189,
            1050814217, 722724562, 741265943, 1026879332, 754316749, 1966025564, 1518878196,
            502200188, 1368172258, 845459257, 1711434837, 724453836, 171032289, 655223446,
            1098636135, 407832555, 1707498914,
        ],
    );
}

#[test]
fn lanes_are_chosen_to_leave_few_idle() {
    let idle =
        |calls: usize, lanes: usize| lanes * calls.div_ceil(lanes).next_power_of_two() - calls;
    for calls in [1, 2, 3, 5, 24, 37, 1000, 4097] {
        for max in [1, 7, 32] {
            let lanes = ScheduleBuilder::lanes_for(calls, max);
            assert!((1..=max).contains(&lanes));
            for other in 1..=max {
                let worse = idle(calls, other) > idle(calls, lanes);
                assert!(worse || (idle(calls, other) == idle(calls, lanes) && other <= lanes));
            }
        }
    }
    assert_eq!(ScheduleBuilder::lanes_for(4, 0), 1);
}

#[test]
#[should_panic(expected = "a chain has calls")]
fn refuses_an_empty_chain() {
    let mut ledger = Ledger::new(2);
    ScheduleBuilder::new(1, 1).chain(&mut ledger, 0, [], 1);
}

#[test]
#[should_panic(expected = "a block has one writer")]
fn refuses_two_chains_to_one_block() {
    let (mut ledger, mut schedule) = (Ledger::new(2), ScheduleBuilder::new(1, 1));
    for _ in 0..2 {
        schedule.chain(&mut ledger, 0, [[0].as_slice()], 1);
    }
}

#[test]
#[should_panic(expected = "blocks in a message")]
fn refuses_messages_of_another_width() {
    let mut ledger = Ledger::new(2);
    let mut schedule = ScheduleBuilder::new(1, 1);
    schedule.chain(&mut ledger, 0, [[0].as_slice()], 1);
    let _ = Poseidon2Calls24::new(schedule.finish(&mut ledger));
}
