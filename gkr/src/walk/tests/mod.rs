mod forgeries;
mod parts;
mod reference;

use p3_field::PrimeCharacteristicRing;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

use super::point::split;
use super::*;
use crate::Reject;
use crate::cheating::{Altering, Recording, add_one};
use crate::codec::{DEGREE, WORD_BYTES};
use crate::transcript::{ProverChannel, VerifierChannel};

const DOMAIN: &[u8] = b"walk test";

fn inputs<const T: usize>(num_calls: usize, seed: u64) -> Vec<[F; T]> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut word = || match rng.random_range(0..8) {
        0 => F::ZERO,
        1 => F::ONE,
        2 => F::NEG_ONE,
        _ => F::from_u32(rng.next_u32()),
    };
    (0..num_calls).map(|_| std::array::from_fn(|_| word())).collect()
}

fn trace<const T: usize>(inputs: &[[F; T]]) -> Trace<T>
where
    Poseidon2<T>: Permutation<T>,
{
    Trace::generate(inputs.len(), |chunk, columns| {
        for (i, call) in inputs.iter().skip(chunk * CHUNK).take(CHUNK).enumerate() {
            for (column, &word) in columns.iter_mut().zip(call) {
                column[i] = word;
            }
        }
    })
}

fn prove_trace<const T: usize>(trace: &Trace<T>) -> (Claim<T>, Vec<u8>)
where
    Poseidon2<T>: Permutation<T>,
{
    let mut channel = ProverChannel::new(DOMAIN);
    let claim = prove(&mut trace.clone(), &mut channel);
    (claim, channel.finish())
}

fn verify_bytes<const T: usize>(num_calls: usize, proof: &[u8]) -> Result<Claim<T>, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut channel = VerifierChannel::new(DOMAIN, proof);
    let claim = verify(num_calls, &mut channel)?;
    channel.finish()?;
    Ok(claim)
}

fn honest<const T: usize>(num_calls: usize)
where
    Poseidon2<T>: Permutation<T>,
{
    let inputs = inputs::<T>(num_calls, num_calls as u64);
    let (claim, proof) = prove_trace(&trace(&inputs));
    assert_eq!(verify_bytes(num_calls, &proof).as_ref(), Ok(&claim), "{num_calls} calls");
    let (y, columns) = reference::truth(&inputs, &claim);
    assert_eq!(claim.y, y, "{num_calls} calls");
    assert_eq!(claim.inputs, columns, "{num_calls} calls");
}

const SIZES: [usize; 14] = [1, 2, 16, 127, 128, 129, 256, 300, 1000, 1024, 1100, 2200, 4096, 5000];

#[test]
fn honest_walks_verify_and_claim_the_truth_at_width_16() {
    SIZES.into_iter().for_each(honest::<16>);
}

#[test]
fn honest_walks_verify_and_claim_the_truth_at_width_24() {
    SIZES.into_iter().for_each(honest::<24>);
}

#[test]
fn a_table_without_calls_is_all_tail() {
    honest::<16>(0);
}

fn fast_equals_reference<const T: usize>(num_calls: usize, seed: u64)
where
    Poseidon2<T>: Permutation<T>,
{
    let inputs = inputs::<T>(num_calls, seed);
    let mut slow = ProverChannel::new(DOMAIN);
    let slow_claim = reference::prove(&inputs, &mut slow);
    let (claim, proof) = prove_trace(&trace(&inputs));
    assert!(proof == slow.finish(), "the messages differ at {num_calls} calls");
    assert_eq!(claim, slow_claim);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn the_fast_prover_sends_what_the_reference_sends(num_calls in 1..700_usize, seed: u64) {
        fast_equals_reference::<16>(num_calls, seed);
        fast_equals_reference::<24>(num_calls, seed);
    }
}

/// Over more than one block, so that rows without a call are neither held nor few.
#[test]
fn the_fast_prover_sends_what_the_reference_sends_beyond_a_block() {
    fast_equals_reference::<16>(9 * CHUNK + 5, 1);
    fast_equals_reference::<24>(17 * CHUNK + 1, 2);
}

#[test]
fn points_weigh_calls_and_tails() {
    let mut channel = ProverChannel::new(DOMAIN);
    let point = Point::draw(2, &mut channel);
    let weights: Vec<E> = (0..4 * CHUNK).map(|call| point.weight(call)).collect();
    assert_eq!(weights.iter().copied().sum::<E>(), E::ONE);
    for num_calls in [0, 1, 15, 16, 17, 127, 128, 129, 300, 384, 511, 512] {
        let tail: E = weights[num_calls..].iter().copied().sum();
        assert_eq!(point.tail(num_calls), tail, "{num_calls}");
    }
    assert_eq!(point.tail(513), E::ZERO);
    assert_eq!(point.weight(512), E::ZERO);
    let single = Point { outer: vec![], ..point };
    assert_eq!(single.weight(128), E::ZERO);
    assert_eq!((0..128).map(|call| single.weight(call)).sum::<E>(), E::ONE);
}

#[test]
fn outer_bits_hold_all_chunks() {
    let sizes = [(0, 0), (1, 0), (128, 0), (129, 1), (256, 1), (257, 2), (1 << 17, 10)];
    for (num_calls, bits) in sizes {
        assert_eq!(log_outer(num_calls), bits);
    }
}

/// A weight of zero hides its column from the rounds; the prover must still send its end.
#[test]
fn a_column_of_weight_zero_is_still_evaluated() {
    use super::parts::{Embedding, Shares};
    use driver::{Layer, Side};
    use rounds::EqTable;
    let inputs = inputs::<16>(1500, 3);
    let trace = trace(&inputs);
    let mut walked = trace.clone();
    let mut channel = ProverChannel::new(DOMAIN);
    let mut prover = prove::Prover::new([&mut walked], &mut channel);
    let at = Point::draw(4, prover.channel);
    let shares = Shares::draw(1, prover.channel);
    let embedding = Embedding::Constant;
    let layer =
        |index, round| Layer { index, round, at: &at, outer: &[4], shares: &shares, embedding };
    let mut weights = [E::TWO; 16];
    weights[5] = E::ZERO;
    let (next, states) = prover.full(layer(0, 2), E::ZERO, &weights).unwrap();
    let (outer, lanes) = (EqTable::new(&next.outer), EqTable::new(&next.lanes));
    let basis = next.positions.weights();
    for word in [4, 5] {
        let mut sum = E::ZERO;
        for call in 0..16 * CHUNK {
            let (o, z, l) = split(call);
            let held = call < trace.chunks() * CHUNK;
            let t = if held { trace.word(2, word, call) } else { trace.zero_full(2)[word] };
            sum += outer.as_slice()[o] * basis[z] * lanes.as_slice()[l] * t;
        }
        assert_eq!(states[0][word], sum);
    }
    let mut form = driver::Form { above: [E::ONE; 16], gamma: [E::ONE; 16] };
    form.gamma[0] = E::ZERO;
    let (next, ends) = prover.partial(layer(4, 19), E::ZERO, &form).unwrap();
    let (outer, lanes) = (EqTable::new(&next.outer), EqTable::new(&next.lanes));
    let basis = next.positions.weights();
    let mut sum = E::ZERO;
    for chunk in 0..16 {
        for call in 0..CHUNK {
            let (_, z, l) = split(call);
            let row = trace.partial(19, chunk / 8)[chunk % 8 * POSITIONS + z];
            sum += outer.as_slice()[chunk] * basis[z] * lanes.as_slice()[l] * row.0[l];
        }
    }
    assert_eq!(ends[0][0], sum);
}

// Forgeries.

/// What kind of message it is, and of which layer.
#[derive(Clone, Copy)]
enum Step {
    Value,
    Skip(usize),
    Round(usize),
    Ends(usize),
}

/// The messages of a walk in order, with their numbers of elements.
fn messages<const T: usize>(num_calls: usize) -> Vec<(usize, Step)>
where
    Poseidon2<T>: Permutation<T>,
{
    let partial = Poseidon2::<T>::PARTIAL_ROUNDS;
    let mut messages = vec![(1, Step::Value)];
    for layer in 0..8 + partial {
        messages.push((NODES, Step::Skip(layer)));
        let rounds = log_outer(num_calls) + LOG_LANES;
        messages.extend((0..rounds).map(|_| (3, Step::Round(layer))));
        let ends = if (4..4 + partial).contains(&layer) { 2 } else { T };
        messages.push((ends, Step::Ends(layer)));
    }
    messages
}

/// What altering one element of a message gives.
fn expected(step: Step, element: usize) -> Reject {
    match step {
        Step::Value => Reject::Skip { layer: 0 },
        // The claim fixes G on the base nodes alone; beyond them only the gate sees it.
        Step::Skip(layer) if element < POSITIONS => Reject::Skip { layer },
        Step::Skip(layer) | Step::Round(layer) | Step::Ends(layer) => Reject::Gate { layer },
    }
}

fn rejects_every_altered_message<const T: usize>(num_calls: usize)
where
    Poseidon2<T>: Permutation<T>,
{
    let mut trace = trace(&inputs::<T>(num_calls, 5));
    let (_, proof) = prove_trace(&trace);
    let messages = messages::<T>(num_calls);
    let size = |len: usize| len * DEGREE * WORD_BYTES;
    let bytes: usize = messages.iter().map(|&(len, _)| size(len)).sum();
    assert_eq!(bytes, proof.len(), "the list of messages is complete");
    let mut offset = 0;
    for (number, (len, step)) in messages.into_iter().enumerate() {
        for element in [0, number % len, len - 1] {
            let expected = Err(expected(step, element));
            // On the tape, and by a prover that goes on from there.
            let mut forged = proof.clone();
            let place = &mut forged[offset + size(element)..][..WORD_BYTES];
            let old = u32::from_le_bytes((&*place).try_into().unwrap());
            let new = if old == 0 { 1 } else { old - 1 };
            place.copy_from_slice(&new.to_le_bytes());
            let verdict = verify_bytes::<T>(num_calls, &forged).map(drop);
            assert_eq!(verdict, expected, "message {number}, element {element}");

            let mut channel = Altering::new(DOMAIN, add_one(number, element));
            let _ = prove(&mut trace, &mut channel);
            let verdict = verify_bytes::<T>(num_calls, &channel.finish()).map(drop);
            assert_eq!(verdict, expected, "message {number}, element {element}");
        }
        offset += size(len);
    }
}

#[test]
fn rejects_every_altered_message_at_width_16() {
    rejects_every_altered_message::<16>(300);
}

#[test]
fn rejects_every_altered_message_at_width_24() {
    rejects_every_altered_message::<24>(129);
}

/// The last ends can be altered so that their gate still holds. The claim is then false, and
/// only the caller's check of it catches that.
#[test]
fn last_ends_that_only_pass_their_gate_make_a_false_claim() {
    const T: usize = 16;
    let inputs = inputs::<T>(300, 6);
    let (_, mut proof) = prove_trace(&trace(&inputs));
    let mut channel = Recording::new(DOMAIN, &proof);
    let honest: Claim<T> = verify(300, &mut channel).unwrap();
    // The weights are κ^{3i}: κ^i·t_i and κ^j·t_j may trade places. κ comes before ζ' and the
    // rounds' draws.
    let kappa = channel.drawn[channel.drawn.len() - 2 - log_outer(300) - LOG_LANES];
    let place = proof.len() - T * DEGREE * WORD_BYTES;
    let ends: [E; T] =
        crate::codec::Reader::new(&proof[place..]).elements(T).unwrap().try_into().unwrap();
    let mut forged = ends;
    forged[0] = ends[1] * kappa;
    forged[1] = ends[0] * p3_field::Field::inverse(&kappa);
    proof.truncate(place);
    crate::codec::put_elements(&mut proof, &forged);
    let claim: Claim<T> = verify_bytes(300, &proof).unwrap();
    assert_eq!(claim.inputs_at, honest.inputs_at);
    let (_, truth) = reference::truth(&inputs, &claim);
    assert_eq!(honest.inputs, truth);
    assert_ne!(claim.inputs, truth);
}

#[test]
fn rejects_another_number_of_calls() {
    let (_, proof) = prove_trace(&trace(&inputs::<16>(300, 7)));
    for num_calls in [0, 1, 128, 299, 301, 512, 513, usize::MAX] {
        assert!(verify_bytes::<16>(num_calls, &proof).is_err(), "{num_calls}");
    }
}

#[test]
fn rejects_another_width_and_another_domain() {
    let (_, proof) = prove_trace(&trace(&inputs::<16>(300, 8)));
    assert!(verify_bytes::<24>(300, &proof).is_err());
    let mut channel = VerifierChannel::new(b"walk tests", &proof);
    assert_eq!(verify::<16>(300, &mut channel), Err(Reject::Skip { layer: 0 }));
}

#[test]
fn mangled_bytes_are_refused_without_panic() {
    let (_, proof) = prove_trace(&trace(&inputs::<16>(129, 9)));
    for len in (0..proof.len()).step_by(97) {
        let verdict = verify_bytes::<16>(129, &proof[..len]);
        assert_eq!(verdict.map(drop), Err(Reject::Truncated), "{len}");
    }
    let mut longer = proof.clone();
    longer.push(0);
    assert_eq!(verify_bytes::<16>(129, &longer).map(drop), Err(Reject::Trailing(1)));
    for (i, bit) in (0..proof.len()).step_by(41).zip((0..8).cycle()) {
        let mut flipped = proof.clone();
        flipped[i] ^= 1 << bit;
        assert!(verify_bytes::<16>(129, &flipped).is_err(), "byte {i}");
    }
    let mut over = proof;
    over[..4].copy_from_slice(&[0xff; 4]);
    assert_eq!(verify_bytes::<16>(129, &over).map(drop), Err(Reject::NonCanonicalWord));
}

/// A prover, unmodified, with one false word in its trace, or a false word in the rows that
/// have no call.
fn rejects_false_traces<const T: usize>()
where
    Poseidon2<T>: Permutation<T>,
{
    // Two blocks are held, sixteen of the table's chunks too few.
    let num_calls = 17 * CHUNK + 3;
    let honest = trace(&inputs::<T>(num_calls, 10));
    let partial = Poseidon2::<T>::PARTIAL_ROUNDS;
    let verdict = |trace: &Trace<T>| verify_bytes::<T>(num_calls, &prove_trace(trace).1).map(drop);
    assert_eq!(verdict(&honest), Ok(()));
    for (partial_round, rounds) in [(false, 8), (true, partial)] {
        for round in 0..rounds {
            let layer = match (partial_round, round) {
                // A round's outputs are compared with what the layer above claimed of them; y
                // itself is taken from the trace.
                (false, 7) => 1,
                (false, 4..7) => 7 - round,
                (false, _) => 7 + partial - round,
                // L is made from the same false column: it shows at the partial rounds' end.
                (true, _) => 4 + partial,
            };
            let word = if partial_round { 0 } else { round * 2 + 1 };
            let mut held = honest.clone();
            held.corrupt(partial_round, round, word, (round * 301) % num_calls);
            assert_eq!(verdict(&held), Err(Reject::Skip { layer }), "{partial_round} {round}");
            let mut tail = honest.clone();
            tail.corrupt_tail(partial_round, round, word);
            assert_eq!(verdict(&tail), Err(Reject::Skip { layer }), "{partial_round} {round}");
        }
    }
}

#[test]
fn rejects_false_traces_at_width_16() {
    rejects_false_traces::<16>();
}

#[test]
fn rejects_false_traces_at_width_24() {
    rejects_false_traces::<24>();
}

/// Changing one of these changes the protocol: a version bump.
#[test]
fn proof_bytes_are_pinned() {
    use p3_keccak::Keccak256Hash;
    use p3_symmetric::CryptographicHasher;
    let digest = |proof: Vec<u8>| -> String {
        let digest: [u8; 32] = Keccak256Hash.hash_iter(proof);
        digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let [narrow, wide] = [
        digest(prove_trace(&trace(&inputs::<16>(1200, 11))).1),
        digest(prove_trace(&trace(&inputs::<24>(1200, 12))).1),
    ];
    assert_eq!([&narrow[..], &wide[..]], ["0238dd87d6881b65", "bed4c4f39e6401cb"]);
}

#[test]
fn soundness_error_counts_every_draw() {
    // m = 10: (7 + 14 + 7) + 8·(15 + 21 + 42) + 20·(1 + 21 + 42), and the same at width 24.
    let total = |numerators: Vec<Numerator>| numerators.iter().map(Numerator::total).sum::<u64>();
    assert_eq!(total(numerators::<16>(0, 1 << 17)), 28 + 8 * 78 + 20 * 64);
    assert_eq!(total(numerators::<16>(0, (1 << 16) + 1)), 28 + 8 * 78 + 20 * 64);
    assert_eq!(total(numerators::<24>(0, 1 << 17)), 28 + 8 * 86 + 23 * 64);
    // No call, or one chunk of them: m = 0. Further down the point is given.
    assert_eq!(numerators::<16>(0, 0), numerators::<16>(0, 128));
    assert_eq!(total(numerators::<16>(0, 128)), 18 + 8 * 48 + 20 * 34);
    assert_eq!(total(numerators::<16>(1, 128)), 7 + 8 * 48 + 20 * 34);
}
