//! All strategies on the same regions: what they agree in, what they send, what they refuse.

use p3_field::PrimeCharacteristicRing;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::codec::{DEGREE, WORD_BYTES};
use crate::permutation::{Permutation, Poseidon2};
use crate::transcript::{ProverChannel, VerifierChannel};
use crate::walk::{CHUNK, Point, Positions, log_outer};
use crate::{E, F, Reject};

pub(super) const DOMAIN: &[u8] = b"batch test";

/// Regions' inputs, call by call.
pub(super) type Calls<const T: usize> = Vec<Vec<[F; T]>>;

pub(super) fn calls<const T: usize>(num_calls: &[usize], seed: u64) -> Calls<T> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut call = || std::array::from_fn(|_| F::from_u32(rng.random()));
    num_calls.iter().map(|&n| (0..n).map(|_| call()).collect()).collect()
}

pub(super) fn filler<const T: usize>(calls: &Calls<T>) -> impl Inputs<T> + '_ {
    move |region, chunk, columns| {
        for (i, call) in calls[region].iter().skip(chunk * CHUNK).take(CHUNK).enumerate() {
            for (column, &word) in columns.iter_mut().zip(call) {
                column[i] = word;
            }
        }
    }
}

/// A batch from claims that the prover sends first.
fn prove<const T: usize>(
    batch: &Batch<'_>,
    calls: &Calls<T>,
) -> (OutputClaims, Terminal<T>, Vec<u8>)
where
    Poseidon2<T>: Permutation<T>,
{
    let mut channel = ProverChannel::new(DOMAIN);
    let outputs = OutputClaims::send(batch.regions, &filler(calls), &mut channel);
    let terminal = batch.prove(&filler(calls), &outputs, &mut channel);
    (outputs, terminal, channel.finish())
}

pub(super) fn verify<const T: usize>(
    batch: &Batch<'_>,
    proof: &[u8],
) -> Result<(OutputClaims, Terminal<T>), Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut channel = VerifierChannel::new(DOMAIN, proof);
    let outputs = OutputClaims::receive(batch.regions, &mut channel)?;
    let terminal = batch.verify(&outputs, &mut channel)?;
    channel.finish()?;
    Ok((outputs, terminal))
}

/// Every way to walk some regions.
fn batches(regions: &Regions) -> impl Iterator<Item = Batch<'_>> {
    Strategy::ALL.into_iter().flat_map(|strategy| {
        let batch = Batch::new(regions, strategy);
        [batch, Batch { partial: Partial::Columns, ..batch }]
    })
}

fn all_agree<const T: usize>(num_calls: &[usize])
where
    Poseidon2<T>: Permutation<T>,
{
    let regions = Regions::new(num_calls.iter().copied()).unwrap();
    let calls = calls::<T>(num_calls, 1);
    let mut claimed: Option<OutputClaims> = None;
    for batch in batches(&regions) {
        let (outputs, terminal, proof) = prove(&batch, &calls);
        let first = claimed.get_or_insert_with(|| outputs.clone());
        assert!(outputs == *first, "the same output claims");
        let verified = verify::<T>(&batch, &proof).unwrap();
        assert!(verified == (outputs, terminal), "the same terminal claims on both sides");
        discharge::directly(&verified.1, &regions, &calls).unwrap();
        let claims = regions.len() * DEGREE * WORD_BYTES;
        assert_eq!(proof.len(), claims + batch.proof_bytes::<T>(), "{}", batch.strategy);
    }
}

const UNEQUAL: [usize; 5] = [300, 1, 128, 1000, 640];

#[test]
fn strategies_agree_in_all_but_the_walk() {
    all_agree::<16>(&UNEQUAL);
    all_agree::<24>(&[129, 500, 7]);
    all_agree::<16>(&[1]);
    all_agree::<16>(&[1, 1]);
    all_agree::<24>(&[600]);
    // A chunk beside many, and equal sizes: of one chunk, of a power of two, of an odd number.
    all_agree::<16>(&[2000, 1]);
    all_agree::<16>(&[128, 64, 128]);
    all_agree::<16>(&[256, 256]);
    all_agree::<24>(&[380, 384, 300]);
}

#[test]
fn strategies_agree_on_regions_of_any_size() {
    let mut rng = StdRng::seed_from_u64(12);
    for _ in 0..4 {
        let len = rng.random_range(2..6);
        let mut size = || 128 << rng.random_range(0..5);
        let most: Vec<usize> = (0..len).map(|_| size()).collect();
        let num_calls: Vec<usize> =
            most.into_iter().map(|most| rng.random_range(1..=most)).collect();
        all_agree::<16>(&num_calls);
    }
}

/// Where every bit of the point is zero or one, the claims are about a single call of each region.
/// Weights of zero leave columns that no gate tells.
#[test]
fn a_batch_starts_from_a_point_of_the_cube_and_weights_of_zero() {
    let regions = Regions::new(UNEQUAL).unwrap();
    let calls = calls::<16>(&UNEQUAL, 13);
    let outputs = |call: usize, beta| {
        let bits = 7 + regions.max_log_outer();
        let bits: Vec<E> = (0..bits).map(|bit| E::from_usize(call >> bit & 1)).collect();
        OutputClaims::of(&regions, &filler(&calls), Point::multilinear(&bits), beta)
    };
    let unit = std::array::from_fn(|v| E::from_bool(v == 2));
    for (call, beta) in [(0, unit), (1, [E::ONE; 8]), (999, unit), (1023, unit), (5, [E::ZERO; 8])]
    {
        let outputs = outputs(call, beta);
        for ((calls, &n), &value) in calls.iter().zip(&UNEQUAL).zip(&outputs.values) {
            let row = call % (CHUNK << log_outer(n));
            let mut state = calls.get(row).copied().unwrap_or_default();
            Poseidon2::<16>::permute(&mut state);
            let kept: E = beta.iter().zip(state).map(|(&beta, word)| beta * word).sum();
            assert_eq!(value, kept, "call {call}");
        }
        for batch in batches(&regions) {
            let mut channel = ProverChannel::new(DOMAIN);
            let terminal = batch.prove(&filler(&calls), &outputs, &mut channel);
            let proof = channel.finish();
            let mut channel = VerifierChannel::new(DOMAIN, &proof);
            let verified = batch.verify::<16>(&outputs, &mut channel);
            assert!(verified.as_ref() == Ok(&terminal), "{} {call}", batch.strategy);
            discharge::directly(&terminal, &regions, &calls).unwrap();
        }
    }
}

/// Rows that are computed again are the same rows.
#[test]
fn checkpoints_do_not_show_in_the_proof() {
    let regions = Regions::new(UNEQUAL).unwrap();
    let calls = calls::<16>(&UNEQUAL, 1);
    for batch in batches(&regions) {
        let (outputs, _, proof) = prove(&batch, &calls);
        for every in [1, 2, 5, 40] {
            let mut channel = ProverChannel::new(DOMAIN);
            let _ = OutputClaims::send(&regions, &filler(&calls), &mut channel);
            let checkpoints = Checkpoints::Every(every.try_into().unwrap());
            let _ = batch.prove_with(checkpoints, &filler(&calls), &outputs, &mut channel);
            assert!(channel.finish() == proof, "{} {every}", batch.strategy);
        }
    }
}

/// A caller's own sumcheck over the bits of a row's index ends in a point without ζ.
#[test]
fn a_batch_starts_from_a_multilinear_point() {
    let regions = Regions::new(UNEQUAL).unwrap();
    let calls = calls::<16>(&UNEQUAL, 9);
    let mut channel = ProverChannel::new(b"point");
    let bits = channel.draw_many(7 + regions.max_log_outer());
    let beta = std::array::from_fn(|_| channel.draw());
    let at = Point::multilinear(&bits);
    let outputs = OutputClaims::of(&regions, &filler(&calls), at, beta);
    // The first region, whose nine bits are the first of the point.
    let sum: E = (0..512)
        .map(|call: usize| {
            let mut state = calls[0].get(call).copied().unwrap_or_default();
            Poseidon2::<16>::permute(&mut state);
            let kept: E = beta.iter().zip(state).map(|(&beta, word)| beta * word).sum();
            crate::eq::eq_at(&bits[..9], call) * kept
        })
        .sum();
    assert_eq!(outputs.values[0], sum);
    for strategy in Strategy::ALL {
        let batch = Batch::new(&regions, strategy);
        let mut channel = ProverChannel::new(DOMAIN);
        let terminal = batch.prove(&filler(&calls), &outputs, &mut channel);
        let proof = channel.finish();
        let mut channel = VerifierChannel::new(DOMAIN, &proof);
        assert_eq!(batch.verify::<16>(&outputs, &mut channel).as_ref(), Ok(&terminal));
        discharge::directly(&terminal, &regions, &calls).unwrap();
    }
}

/// The claims are what the native permutation gives, row by row.
#[test]
fn output_claims_are_those_of_the_native_permutation() {
    const T: usize = 16;
    let num_calls = [300, 5];
    let regions = Regions::new(num_calls).unwrap();
    let calls = calls::<T>(&num_calls, 2);
    let mut channel = ProverChannel::new(DOMAIN);
    let OutputClaims { at, beta, values } =
        OutputClaims::send(&regions, &filler(&calls), &mut channel);
    for ((calls, &n), value) in calls.iter().zip(&num_calls).zip(values) {
        let at = at.prefix(log_outer(n));
        let truth: E = (0..CHUNK << log_outer(n))
            .map(|call| {
                let mut state = calls.get(call).copied().unwrap_or_default();
                Poseidon2::<T>::permute(&mut state);
                let kept: E = beta.iter().zip(state).map(|(&beta, word)| beta * word).sum();
                at.weight(call) * kept
            })
            .sum();
        assert_eq!(value, truth);
    }
}

/// Rows and elements, by formulas of their own.
#[test]
fn rows_and_bytes_are_as_the_formulas_say() {
    const T: usize = 16;
    const PARTIAL: usize = 20;
    // Chunks 3, 1, 1, 8, 5: outer bits 2, 0, 0, 3, 3; 18 chunks have 5 bits.
    let regions = Regions::new(UNEQUAL).unwrap();
    let elements = |strategy| Batch::new(&regions, strategy).elements::<T>();
    // A layer: 22 nodes, what the outer bits take, three for each lane bit, the ends.
    let layers = |outer: usize, parts: usize| {
        8 * (22 + outer + 12 + parts * T) + PARTIAL * (22 + outer + 12 + parts * 2)
    };
    let independent: usize = [2, 0, 0, 3, 3].into_iter().map(|bits| layers(3 * bits, 1)).sum();
    assert_eq!(elements(Strategy::Independent), independent);
    assert_eq!(elements(Strategy::Padded), layers(3 * 3, 5));
    assert_eq!(elements(Strategy::Replicated), layers(3 * 3, 5));
    assert_eq!(elements(Strategy::Ragged), layers(4 * 3, 5));
    // One more for each bit of the first layer, whose chunks have weights of their own.
    assert_eq!(elements(Strategy::Stacked), layers(3 * 5, 1) + 5);

    let columns = Batch { partial: Partial::Columns, ..Batch::new(&regions, Strategy::Ragged) };
    assert_eq!(columns.elements::<T>(), layers(4 * 3, 5) + PARTIAL * 5 * (T - 2));

    // By kind: a stack has 15 outer bits' coefficients in 28 layers.
    let sent = Batch::new(&regions, Strategy::Stacked).sent::<T>();
    let ends = 8 * T + PARTIAL * 2;
    assert_eq!(sent, Sent { skip: 28 * 22, outer: 28 * 15 + 5, lanes: 28 * 12, ends });

    for strategy in Strategy::ALL {
        let rows = if strategy == Strategy::Padded { 5 * 8 * CHUNK } else { 18 * CHUNK };
        assert_eq!(Batch::new(&regions, strategy).physical_rows(), rows);
    }
}

/// The published study's regions, at the sizes that its findings are compared at.
#[test]
fn the_published_widths_have_these_sizes() {
    let regions = Regions::new([14, 15, 17, 16, 12, 15, 16, 12, 13].map(|log| 1 << log)).unwrap();
    let bytes = |strategy| {
        let batch = Batch::new(&regions, strategy);
        [batch.proof_bytes::<16>(), batch.proof_bytes::<24>()]
    };
    assert_eq!(bytes(Strategy::Ragged), [3584 * 20, 4436 * 20]);
    assert_eq!(bytes(Strategy::Replicated), [3304 * 20, 4126 * 20]);
    assert_eq!(bytes(Strategy::Padded), bytes(Strategy::Replicated));
    assert_eq!(bytes(Strategy::Stacked), [2140 * 20, 2420 * 20]);
    let rows = Batch::new(&regions, Strategy::Ragged).physical_rows();
    assert_eq!(rows, 360_448);
    assert_eq!(Batch::new(&regions, Strategy::Padded).physical_rows(), 9 << 17);
}

/// One region leaves nothing to batch.
#[test]
fn strategies_send_the_same_for_one_region() {
    let regions = Regions::new([1000]).unwrap();
    let calls = calls::<16>(&[1000], 3);
    let (_, first, _) = prove(&Batch::new(&regions, Strategy::Independent), &calls);
    for strategy in Strategy::ALL {
        let batch = Batch::new(&regions, strategy);
        let (_, terminal, proof) = prove(&batch, &calls);
        assert_eq!(terminal.claims().len(), first.claims().len());
        assert_eq!(proof.len(), 20 + 20 * (8 * (34 + 9 + 16) + 20 * (34 + 9 + 2)), "{strategy}");
    }
}

/// Whether a proof and the claims it leaves are refused.
fn refused<const T: usize>(batch: &Batch<'_>, calls: &Calls<T>, proof: &[u8]) -> bool
where
    Poseidon2<T>: Permutation<T>,
{
    verify::<T>(batch, proof)
        .and_then(|(_, terminal)| discharge::directly(&terminal, batch.regions, calls))
        .is_err()
}

#[test]
fn a_transcript_changed_anywhere_is_refused() {
    const T: usize = 16;
    let num_calls = [130, 1, 300];
    let regions = Regions::new(num_calls).unwrap();
    let calls = calls::<T>(&num_calls, 4);
    for batch in batches(&regions) {
        let (_, _, proof) = prove(&batch, &calls);
        assert!(!refused(&batch, &calls, &proof));
        for (element, at) in (0..proof.len()).step_by(DEGREE * WORD_BYTES).enumerate() {
            let mut forged = proof.clone();
            forged[at + WORD_BYTES * (element % DEGREE)] ^= 1;
            assert!(refused(&batch, &calls, &forged), "{} {element}", batch.strategy);
        }
        assert_eq!(verify::<T>(&batch, &proof[..proof.len() - 1]), Err(Reject::Truncated));
        let longer = [&proof[..], &[0]].concat();
        assert_eq!(verify::<T>(&batch, &longer), Err(Reject::Trailing(1)));
    }
}

/// One false word in one region, and a false claim about each.
#[test]
fn false_inputs_and_false_claims_are_refused() {
    const T: usize = 16;
    let num_calls = [130, 1, 300];
    let regions = Regions::new(num_calls).unwrap();
    let honest = calls::<T>(&num_calls, 5);
    for batch in batches(&regions) {
        let (outputs, _, _) = prove(&batch, &honest);
        for region in 0..num_calls.len() {
            // Calls that are proved, but not those of the discharge.
            let mut others = honest.clone();
            others[region][0][3] += F::ONE;
            let (_, _, proof) = prove(&batch, &others);
            let (_, terminal) = verify::<T>(&batch, &proof).unwrap();
            let verdict = discharge::directly(&terminal, &regions, &honest);
            assert!(matches!(verdict, Err(Reject::Inputs { .. })), "{}", batch.strategy);

            let mut claimed = outputs.clone();
            claimed.values[region] += E::ONE;
            let mut channel = ProverChannel::new(DOMAIN);
            let _ = batch.prove(&filler(&honest), &claimed, &mut channel);
            let proof = channel.finish();
            let mut channel = VerifierChannel::new(DOMAIN, &proof);
            let verdict = batch.verify::<T>(&claimed, &mut channel);
            assert_eq!(verdict, Err(Reject::Skip { layer: 0 }), "{}", batch.strategy);
        }
    }
}

#[test]
fn everything_that_shapes_a_batch_is_absorbed() {
    const T: usize = 16;
    let num_calls = [130, 1, 300];
    let regions = Regions::new(num_calls).unwrap();
    let batch = Batch::new(&regions, Strategy::Stacked);
    let (outputs, ..) = prove(&batch, &calls::<T>(&num_calls, 6));
    let drawn = |batch: &Batch<'_>, outputs: &OutputClaims| {
        let mut channel = ProverChannel::new(DOMAIN);
        batch.bind::<T>(outputs, &mut channel);
        channel.draw()
    };
    let mut seen = vec![drawn(&batch, &outputs)];
    let mut differs = |batch: &Batch<'_>, outputs: &OutputClaims| {
        let drawn = drawn(batch, outputs);
        assert!(!seen.contains(&drawn));
        seen.push(drawn);
    };
    for other in [[1, 130, 300], [129, 1, 300], [130, 1, 301]] {
        let regions = Regions::new(other).unwrap();
        differs(&Batch::new(&regions, Strategy::Stacked), &outputs);
    }
    differs(&Batch::new(&Regions::new([130, 1, 300, 1]).unwrap(), Strategy::Stacked), &outputs);
    for strategy in &Strategy::ALL[..4] {
        differs(&Batch::new(&regions, *strategy), &outputs);
    }
    differs(&Batch { partial: Partial::Columns, ..batch }, &outputs);
    let mut altered = |alter: fn(&mut OutputClaims)| {
        let mut other = outputs.clone();
        alter(&mut other);
        differs(&batch, &other);
    };
    altered(|claims| claims.at.outer[1] += E::ONE);
    altered(|claims| claims.at.positions = Positions::Univariate(E::TWO));
    altered(|claims| claims.at.positions = Positions::Bits([E::TWO; 3]));
    altered(|claims| claims.at.lanes[3] += E::ONE);
    altered(|claims| claims.beta[7] += E::ONE);
    altered(|claims| claims.values[2] += E::ONE);
    let mut channel = ProverChannel::new(DOMAIN);
    batch.bind::<24>(&outputs, &mut channel);
    assert!(!seen.contains(&channel.draw()));
}

#[test]
fn claims_of_another_shape_are_refused() {
    let regions = Regions::new([130, 1, 300]).unwrap();
    let batch = Batch::new(&regions, Strategy::Ragged);
    let (outputs, _, proof) = prove(&batch, &calls::<16>(&[130, 1, 300], 7));
    let verdict = |outputs: &OutputClaims| {
        let mut channel = VerifierChannel::new(DOMAIN, &proof);
        batch.verify::<16>(outputs, &mut channel)
    };
    let mut fewer = outputs.clone();
    fewer.values.pop();
    assert_eq!(verdict(&fewer), Err(Reject::OutputClaims));
    let mut longer = outputs;
    longer.at.outer.push(E::ONE);
    assert_eq!(verdict(&longer), Err(Reject::OutputClaims));
}

/// Terminal claims that no batch over the regions leaves settle nothing.
#[test]
fn terminal_claims_of_other_regions_are_refused() {
    const T: usize = 16;
    let num_calls = [130, 1, 300];
    let regions = Regions::new(num_calls).unwrap();
    let calls = calls::<T>(&num_calls, 14);
    let claims = |strategy| prove(&Batch::new(&regions, strategy), &calls).1.claims;
    let verdict = |claims: &[InputClaim<T>]| {
        discharge::directly(&Terminal { claims: claims.to_vec() }, &regions, &calls)
    };
    let refused = Err(Reject::Regions);
    let (one, stack) = (claims(Strategy::Replicated), claims(Strategy::Stacked));
    assert_eq!([verdict(&one), verdict(&stack)], [Ok(()), Ok(())]);
    assert_eq!(verdict(&[]), refused);
    assert_eq!(verdict(&one[1..]), refused);
    assert_eq!(verdict(&one[..2]), refused);
    assert_eq!(verdict(&[&one[..], &one[2..]].concat()), refused);
    assert_eq!(verdict(&[&one[..2], &stack[..]].concat()), refused);
    assert_eq!(verdict(&[&stack[..], &stack[..]].concat()), refused);
    let mut swapped = one.clone();
    swapped.swap(0, 1);
    assert_eq!(verdict(&swapped), refused);
    for mut claims in [one, stack] {
        let last = claims.len() - 1;
        claims[last].at.outer.push(E::ZERO);
        assert_eq!(verdict(&claims), refused);
        claims[last].at.outer.truncate(1);
        assert_eq!(verdict(&claims), refused);
    }
}

#[test]
fn names_are_read_back() {
    for strategy in Strategy::ALL {
        assert_eq!(strategy.to_string().parse(), Ok(strategy));
    }
    assert!("stack".parse::<Strategy>().is_err());
}

#[test]
fn soundness_error_counts_every_draw() {
    let total = |batch: &Batch<'_>| -> u64 {
        batch.numerators::<16>().iter().map(crate::security::Numerator::total).sum()
    };
    let regions = Regions::new(UNEQUAL).unwrap();
    let sum = |outer: u64, parts: u64| {
        8 * (15 + parts - 1 + 21 + outer + 12) + 20 * (1 + parts - 1 + 21 + outer + 12)
    };
    let independent = [2, 0, 0, 3, 3].into_iter().map(|bits| sum(3 * bits, 1)).sum();
    assert_eq!(total(&Batch::new(&regions, Strategy::Independent)), independent);
    assert_eq!(total(&Batch::new(&regions, Strategy::Padded)), sum(9, 5));
    assert_eq!(total(&Batch::new(&regions, Strategy::Replicated)), sum(9, 5));
    assert_eq!(total(&Batch::new(&regions, Strategy::Ragged)), sum(12, 5));
    assert_eq!(total(&Batch::new(&regions, Strategy::Stacked)), 4 + 5 + sum(15, 1));
    let columns = Batch { partial: Partial::Columns, ..Batch::new(&regions, Strategy::Ragged) };
    assert_eq!(total(&columns), sum(12, 5) + 20 * 14);
}

/// Changing one of these changes the protocol: a version bump.
#[test]
fn proof_bytes_are_pinned() {
    use p3_keccak::Keccak256Hash;
    use p3_symmetric::CryptographicHasher;
    let regions = Regions::new([300, 1, 128]).unwrap();
    let calls = calls::<16>(&[300, 1, 128], 8);
    let digests = Strategy::ALL.map(|strategy| {
        let digest: [u8; 32] =
            Keccak256Hash.hash_iter(prove(&Batch::new(&regions, strategy), &calls).2);
        digest[..4].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    });
    assert_eq!(
        digests.each_ref().map(String::as_str),
        ["1b8f53e3", "42e3ed8a", "c7ef3071", "d789de09", "6f17c279"]
    );
}
