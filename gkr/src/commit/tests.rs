use p3_field::PrimeCharacteristicRing;
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use p3_whir::SecurityAssumption::{self, JohnsonBound, UniqueDecoding};
use p3_whir::WhirConfigError;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::codec::WORD_BYTES;
use crate::security::Report;
use crate::transcript::{ProverChannel, Sender, VerifierChannel};

const DOMAIN: &[u8] = b"opening tests";

/// A schedule with a round of each kind at small sizes.
fn cheap(regime: SecurityAssumption) -> Parameters {
    let first = Fold { variables: 3, shrink: 2 };
    Parameters::insecure_for_tests(regime, 1, 20, first, Fold { variables: 2, shrink: 1 })
}

fn words(len: usize, seed: u64) -> Vec<F> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..len).map(|_| F::from_u32(rng.random_range(0..0x7f00_0001))).collect()
}

/// f~ at a little-endian point, term by term.
fn naive(words: &[F], point: &[E]) -> E {
    words
        .iter()
        .enumerate()
        .map(|(index, &word)| {
            let weight: E = point
                .iter()
                .enumerate()
                .map(|(j, &r)| if index >> j & 1 == 1 { r } else { E::ONE - r })
                .product();
            weight * word
        })
        .sum()
}

/// A whole run: commitment, a point from the transcript, an opening.
fn prove(scheme: &Scheme, words: &[F]) -> (Vec<u8>, E) {
    let mut channel = ProverChannel::new(DOMAIN);
    let committed = scheme.commit(words.to_vec(), &mut channel);
    assert_eq!(&committed.words()[..words.len()], words);
    let point = channel.draw_many(scheme.num_variables());
    let expected = naive(words, &point);
    let value = scheme.open(committed, &point, &mut channel);
    assert_eq!(value, expected, "the value is the multilinear extension's");
    (channel.finish(), value)
}

fn verify(scheme: &Scheme, proof: &[u8]) -> Result<E, Reject> {
    verify_with(scheme, proof, |_, _| ())
}

/// Verifies with the commitment and the point altered after they were received and drawn.
fn verify_with(
    scheme: &Scheme,
    proof: &[u8],
    alter: impl FnOnce(&mut Commitment, &mut Vec<E>),
) -> Result<E, Reject> {
    let mut channel = VerifierChannel::new(DOMAIN, proof);
    let mut commitment = scheme.receive(&mut channel)?;
    let mut point = channel.draw_many(scheme.num_variables());
    alter(&mut commitment, &mut point);
    let value = scheme.verify(&commitment, &point, &mut channel)?;
    channel.finish()?;
    Ok(value)
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Reject>) -> bool {
    matches!(outcome, Err(Reject::Opening(_)))
}

#[test]
fn honest_openings_verify_at_every_size() {
    for regime in [JohnsonBound, UniqueDecoding] {
        for len in [1, 2, 31, 32, 33, 1 << 9, 1000, 1 << 12] {
            let scheme = Scheme::new(&cheap(regime), len).unwrap();
            let (proof, value) = prove(&scheme, &words(len, len as u64));
            assert_eq!(verify(&scheme, &proof), Ok(value), "{regime} {len}");
        }
    }
}

#[test]
fn openings_verify_on_both_sides_of_a_column() {
    // Ten variables, eight columns of 128 words; the length decides how many are sent.
    for (len, used) in [(513, 5), (640, 5), (641, 6), (896, 7), (897, 8), (1024, 8)] {
        let scheme = Scheme::new(&cheap(JohnsonBound), len).unwrap();
        assert_eq!(scheme.columns, Columns { used, full: 8 });
        let (proof, value) = prove(&scheme, &words(len, len as u64));
        assert_eq!(verify(&scheme, &proof), Ok(value), "{len}");
    }
    // One column of 32.
    let scheme = Scheme::new(&cheap(JohnsonBound), 3).unwrap();
    assert_eq!(scheme.columns, Columns { used: 1, full: 8 });
}

#[test]
#[should_panic(expected = "a column of zeros")]
fn a_row_with_a_nonzero_tail_has_no_encoding() {
    let scheme = Scheme::new(&cheap(JohnsonBound), 641).unwrap();
    let (proof, _) = prove(&scheme, &words(641, 4));
    let mut reader = crate::codec::Reader::new(&proof[DIGEST_BYTES..]);
    let mut decoded = scheme.shape.decode(&mut reader).unwrap();
    let p3_whir::QueryOpenings::Base(opening) = &mut decoded.whir.rounds[0].openings else {
        panic!("the first codeword is over F")
    };
    *opening.rows[1].last_mut().unwrap() = F::ONE;
    scheme.shape.encode(&decoded, &mut Vec::new());
}

#[test]
fn every_entry_proves_at_full_security() {
    for parameters in Parameters::table() {
        for len in [1, 1 << 10, 3000, 1 << 14] {
            let scheme = Scheme::new(parameters, len).unwrap();
            let (proof, value) = prove(&scheme, &words(len, 5));
            assert_eq!(verify(&scheme, &proof), Ok(value), "entry {} {len}", parameters.id());
        }
    }
}

#[test]
fn every_entry_reaches_the_target_at_every_size() {
    for parameters in Parameters::table() {
        for log in 0..=MAX_VARIABLES {
            let scheme = Scheme::new(parameters, 1 << log).unwrap();
            assert_eq!(scheme.num_variables(), log.max(parameters.min_variables()));
            let report = Report::new(&scheme, &Reductions::largest());
            assert!(report.proof_system_bits >= TARGET_BITS as f64);
            assert!(scheme.opening_bits() >= report.proof_system_bits);
            // What follows costs little: it is not what decides.
            assert!(report.proof_system_bits > scheme.opening_bits() - 0.1);
        }
        let just_above = (1 << (MAX_VARIABLES - 1)) + 1;
        assert_eq!(Scheme::new(parameters, just_above).unwrap().num_variables(), MAX_VARIABLES);
    }
}

#[test]
fn the_table_is_closed() {
    for parameters in Parameters::table() {
        assert_eq!(Parameters::by_id(parameters.id()).as_ref(), Ok(parameters));
        assert_eq!(parameters.target_bits(), TARGET_BITS);
        assert_ne!(parameters.regime(), SecurityAssumption::CapacityBound);
    }
    assert_eq!(Parameters::for_rate(1).map(|p| p.log_inv_rate()), Some(1));
    assert_eq!(Parameters::for_rate(2).map(|p| p.log_inv_rate()), Some(2));
    assert_eq!(Parameters::for_rate(9), None);
    let known: Vec<u16> = Parameters::table().iter().map(Parameters::id).collect();
    for id in (0..=u16::MAX).filter(|id| !known.contains(id)) {
        assert_eq!(Parameters::by_id(id), Err(Reject::UnknownParameters(id)));
    }
    assert_eq!(
        Parameters::by_id(cheap(JohnsonBound).id()),
        Err(Reject::UnknownParameters(0)),
        "no decoder reaches the parameters of tests"
    );
}

#[test]
fn refuses_parameters_below_their_target() {
    let first = Fold { variables: 4, shrink: 3 };
    let later = Fold { variables: 3, shrink: 1 };
    let greedy = Parameters::insecure_for_tests(JohnsonBound, 1, 150, first, later);
    assert_eq!(
        Scheme::new(&greedy, 1 << 20).err(),
        Some(Reject::BelowTarget { id: 0, target: 150 }),
        "the field has no 150 bits to give"
    );
    let refuted =
        Parameters::insecure_for_tests(SecurityAssumption::CapacityBound, 1, 20, first, later);
    assert!(matches!(Scheme::new(&refuted, 1 << 10), Err(Reject::BelowTarget { .. })));
    // Domains that do not shrink make rates, and grinding, explode.
    let stretched = Parameters::insecure_for_tests(
        JohnsonBound,
        1,
        128,
        first,
        Fold { variables: 5, shrink: 0 },
    );
    assert!(matches!(Scheme::new(&stretched, 1 << 24), Err(Reject::BelowTarget { .. })));
}

/// The gaps of 2^25 words at 142 bits could be ground away, but with more than is allowed.
#[test]
fn refuses_more_grinding_than_is_allowed() {
    let fold = |variables, shrink| Fold { variables, shrink };
    let entry =
        |target| Parameters::insecure_for_tests(JohnsonBound, 1, target, fold(7, 5), fold(4, 2));
    let error = entry(142).config(25, 142).unwrap_err();
    assert!(
        matches!(error, WhirConfigError::PowBitsExceedBudget { required: 25.., .. }),
        "{error}"
    );
    assert!(matches!(Scheme::new(&entry(142), 1 << 25), Err(Reject::BelowTarget { .. })));
    assert!(Scheme::new(&entry(128), 1 << 25).is_ok());
}

/// Schedules that no code, or no proof of the target's security, follows from.
#[test]
fn refuses_entries_that_cannot_reach_their_target() {
    let fold = |variables, shrink| Fold { variables, shrink };
    let (first, later) = (fold(7, 5), fold(4, 2));
    for (why, regime, rate, target, first, later, len) in [
        ("codes without redundancy", JohnsonBound, 0, 128, first, later, 1 << 20),
        ("a round without redundancy", JohnsonBound, 1, 128, fold(7, 8), later, 1 << 20),
        ("a later round without it", UniqueDecoding, 1, 128, first, fold(4, 9), 1 << 22),
        ("nothing folded at first", JohnsonBound, 1, 128, fold(0, 0), later, 1 << 20),
        ("nothing folded later", UniqueDecoding, 1, 128, first, fold(0, 0), 1 << 20),
        ("a domain beyond the field's", UniqueDecoding, 8, 128, fold(3, 3), later, 1 << 24),
        ("no bits left by the linear form", UniqueDecoding, 1, 140, first, later, 1 << 12),
        ("a field that is too small", UniqueDecoding, 1, 155, first, later, 1 << 12),
    ] {
        let entry = Parameters::insecure_for_tests(regime, rate, target, first, later);
        let refused = Some(Reject::BelowTarget { id: 0, target });
        assert_eq!(Scheme::new(&entry, len).err(), refused, "{why}");
    }
}

#[test]
fn refuses_lengths_it_does_not_support() {
    for parameters in Parameters::table() {
        for len in [0, (1 << MAX_VARIABLES) + 1, usize::MAX] {
            assert_eq!(Scheme::new(parameters, len).err(), Some(Reject::NumWords(len)));
        }
    }
}

#[test]
fn rejects_an_altered_value_point_or_root() {
    let scheme = Scheme::new(&cheap(JohnsonBound), 700).unwrap();
    let (proof, _) = prove(&scheme, &words(700, 1));
    let mut forged = proof.clone();
    forged[DIGEST_BYTES] ^= 1;
    assert!(refused(verify(&scheme, &forged)), "value");
    for j in 0..scheme.num_variables() {
        assert!(refused(verify_with(&scheme, &proof, |_, point| point[j] += E::ONE)), "point {j}");
    }
    assert!(refused(verify_with(&scheme, &proof, |_, point| point.reverse())), "order");
    assert!(refused(verify_with(&scheme, &proof, |commitment, _| commitment.root[3] ^= 1)), "root");
    assert_eq!(
        verify_with(&scheme, &proof, |_, point| {
            point.pop();
        }),
        Err(Reject::PointLength { expected: 10, got: 9 })
    );
}

#[test]
fn rejects_an_opening_of_other_words() {
    let scheme = Scheme::new(&cheap(JohnsonBound), 700).unwrap();
    let honest = words(700, 1);
    let mut other = honest.clone();
    other[321] += F::ONE;
    let mut channel = ProverChannel::new(DOMAIN);
    // The root of `honest` goes out, and `other` is opened under it.
    scheme.commit(honest, &mut channel);
    let mut aside = ProverChannel::new(b"aside");
    let committed = scheme.commit(other, &mut aside);
    let point = channel.draw_many(scheme.num_variables());
    let _value = scheme.open(committed, &point, &mut channel);
    assert!(refused(verify(&scheme, &channel.finish())));
}

#[test]
fn rejects_an_opening_bound_to_another_transcript() {
    let scheme = Scheme::new(&cheap(JohnsonBound), 700).unwrap();
    let (proof, _) = prove(&scheme, &words(700, 1));
    let mut channel = VerifierChannel::new(b"another domain", &proof);
    let commitment = scheme.receive(&mut channel).unwrap();
    let point = channel.draw_many(scheme.num_variables());
    assert!(refused(scheme.verify(&commitment, &point, &mut channel)));
}

#[test]
fn rejects_every_other_entry_and_length() {
    let entry = cheap(JohnsonBound);
    let scheme = Scheme::new(&entry, 700).unwrap();
    let (proof, _) = prove(&scheme, &words(700, 1));
    let (first, later) = entry.folds();
    let others = [
        // The same lengths on the wire, another number of words.
        Scheme::new(&entry, 701),
        Scheme::new(&entry, 3000),
        Scheme::new(&cheap(UniqueDecoding), 700),
        Scheme::new(&Parameters::insecure_for_tests(JohnsonBound, 2, 20, first, later), 700),
        Scheme::new(&Parameters::insecure_for_tests(JohnsonBound, 1, 21, first, later), 700),
        Scheme::new(&Parameters::table()[0], 700),
    ];
    for other in others {
        let other = other.unwrap();
        assert_ne!(other.describe(), scheme.describe());
        assert!(verify(&other, &proof).is_err());
    }
}

#[test]
fn parameters_are_bound_before_anything_is_drawn() {
    let draw = |scheme: &Scheme| {
        let mut channel = ProverChannel::new(DOMAIN);
        scheme.bind(&mut channel);
        channel.draw()
    };
    let mut drawn: Vec<E> = [1, 2, 31, 33, 700]
        .iter()
        .flat_map(|&len| Parameters::table().iter().map(move |p| Scheme::new(p, len).unwrap()))
        .map(|scheme| draw(&scheme))
        .collect();
    let all = drawn.len();
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn.len(), all);
}

#[test]
fn truncated_proofs_end_early_and_longer_ones_have_bytes_left() {
    let scheme = Scheme::new(&cheap(JohnsonBound), 1 << 8).unwrap();
    let (proof, _) = prove(&scheme, &words(1 << 8, 2));
    for len in (0..proof.len()).rev().step_by(7) {
        assert_eq!(verify(&scheme, &proof[..len]), Err(Reject::Truncated), "{len}");
    }
    for extra in [1, 4, 32] {
        let mut longer = proof.clone();
        longer.resize(proof.len() + extra, 0);
        assert_eq!(verify(&scheme, &longer), Err(Reject::Trailing(extra)));
    }
}

#[test]
fn every_flipped_bit_is_rejected() {
    // Full security too: only there are proof-of-work witnesses on the tape.
    for (scheme, step) in [
        (Scheme::new(&cheap(JohnsonBound), 1 << 8).unwrap(), 3),
        (Scheme::new(&cheap(UniqueDecoding), 1 << 9).unwrap(), 41),
        (Scheme::new(&Parameters::table()[0], 1 << 12).unwrap(), 977),
    ] {
        let (mut proof, _) = prove(&scheme, &words(scheme.num_words(), 3));
        for bit in (0..8 * proof.len()).step_by(step) {
            proof[bit / 8] ^= 1 << (bit % 8);
            assert!(verify(&scheme, &proof).is_err(), "bit {bit}");
            proof[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn a_decoded_proof_encodes_to_the_same_bytes() {
    for scheme in [
        Scheme::new(&cheap(JohnsonBound), 1 << 9).unwrap(),
        Scheme::new(&cheap(UniqueDecoding), 5).unwrap(),
        Scheme::new(&Parameters::table()[0], 1 << 12).unwrap(),
    ] {
        let (proof, _) = prove(&scheme, &words(scheme.num_words(), 4));
        let opening = &proof[DIGEST_BYTES..];
        let mut reader = crate::codec::Reader::new(opening);
        let decoded = scheme.shape.decode(&mut reader).unwrap();
        reader.finish().unwrap();
        let mut again = Vec::new();
        scheme.shape.encode(&decoded, &mut again);
        assert_eq!(again, opening);
    }
}

#[test]
fn refuses_words_of_the_modulus_or_more() {
    let scheme = Scheme::new(&cheap(JohnsonBound), 1 << 8).unwrap();
    let (proof, _) = prove(&scheme, &words(1 << 8, 2));
    // Value, answers and first sumcheck come before the first digest.
    let mut forged = proof.clone();
    let word = &mut forged[DIGEST_BYTES..][..WORD_BYTES];
    let raw = u32::from_le_bytes(word.try_into().unwrap());
    word.copy_from_slice(&(raw.wrapping_add(0x7f00_0001)).to_le_bytes());
    assert_eq!(verify(&scheme, &forged), Err(Reject::NonCanonicalWord));
}

#[test]
fn refuses_digest_counts_that_no_query_needs_before_allocating() {
    let scheme = Scheme::new(&cheap(JohnsonBound), 1 << 8).unwrap();
    let (proof, _) = prove(&scheme, &words(1 << 8, 2));
    let at = scheme.shape.first_count();
    let honest = u32::from_le_bytes(proof[DIGEST_BYTES + at..][..4].try_into().unwrap());
    for count in [honest + 1, honest - 1, 0, 1 << 10, 1 << 20, u32::MAX] {
        let mut forged = proof.clone();
        forged[DIGEST_BYTES + at..][..4].copy_from_slice(&count.to_le_bytes());
        let outcome = verify(&scheme, &forged);
        if count >= 1 << 10 {
            assert!(
                matches!(outcome, Err(Reject::TooManyDigests { got, .. }) if got == count as usize)
            );
        } else {
            assert!(outcome.is_err());
        }
    }
}

/// A commitment to words that are chosen once the point is known: a channel that does not
/// absorb the root would accept it.
#[test]
fn words_chosen_after_the_point_are_refused() {
    let scheme = Scheme::new(&cheap(JohnsonBound), 700).unwrap();
    let mut channel = ProverChannel::new(DOMAIN);
    scheme.bind(&mut channel);
    let point = channel.draw_many(scheme.num_variables());
    // Any words will do: their value at the point is known before they are fixed.
    let mut aside = ProverChannel::new(b"aside");
    let committed = scheme.commit(words(700, 9), &mut aside);
    channel.hint(&aside.finish());
    let _value = scheme.open(committed, &point, &mut channel);
    assert!(refused(verify(&scheme, &channel.finish())));
}

/// The opening's proof, altered after decoding.
fn altered(scheme: &Scheme, proof: &[u8], alter: impl FnOnce(&mut Proof)) -> Result<E, Reject> {
    let (root, opening) = proof.split_at(DIGEST_BYTES);
    let mut decoded = scheme.shape.decode(&mut crate::codec::Reader::new(opening)).unwrap();
    alter(&mut decoded);
    let mut forged = root.to_vec();
    scheme.shape.encode(&decoded, &mut forged);
    verify(scheme, &forged)
}

/// Witnesses that nobody ground, and honest ones ground for other values than are sent: both
/// are refused for the lack of work.
#[test]
fn proofs_of_work_are_checked_and_come_after_what_they_protect() {
    let scheme = Scheme::new(&Parameters::table()[0], 1 << 14).unwrap();
    let (proof, value) = prove(&scheme, &words(1 << 14, 3));
    assert_eq!(altered(&scheme, &proof, |_| ()), Ok(value));
    let config: &WhirConfig<E, F, Challenger> = &scheme.pcs;
    let mut sites = 0;
    // Another witness passes once in 2^bits: sixteen of them do not, where two bits are asked.
    let mut lacks_work = |bits: usize, alter: &dyn Fn(&mut Proof, F)| {
        if bits < 2 {
            return;
        }
        sites += 1;
        let refusals = (1..=16).map(|by| {
            match altered(&scheme, &proof, |proof| alter(proof, F::from_u32(by))) {
                Err(Reject::Opening(why)) => why.to_lowercase(),
                other => panic!("{other:?}"),
            }
        });
        assert!(refusals.into_iter().any(|why| why.contains("witness")), "site {sites}");
    };
    let bits = config.starting_folding_pow_bits();
    lacks_work(bits, &|proof, by| proof.whir.initial_sumcheck.pow_witnesses[0] += by);
    lacks_work(bits, &|proof, by| {
        proof.whir.initial_sumcheck.polynomial_evaluations[0][0] += by;
    });
    for (index, round) in config.round_parameters().iter().enumerate() {
        lacks_work(round.pow_bits, &|proof, by| proof.whir.rounds[index].pow_witness += by);
        lacks_work(round.pow_bits, &|proof, by| proof.whir.rounds[index].ood_answers[0] += by);
        lacks_work(round.folding_pow_bits, &|proof, by| {
            proof.whir.rounds[index].sumcheck.pow_witnesses[0] += by;
        });
    }
    let bits = config.final_round_config().pow_bits;
    lacks_work(bits, &|proof, by| proof.whir.final_pow_witness += by);
    lacks_work(bits, &|proof, by| {
        let mut values = proof.whir.final_poly.as_ref().unwrap().as_slice().to_vec();
        values[0] += by;
        proof.whir.final_poly = Some(p3_multilinear_util::poly::Poly::new(values));
    });
    assert!(sites >= 4, "{sites}");
}

/// The configuration, not the proof, says how long the final polynomial is.
#[test]
fn a_final_polynomial_of_another_length_is_refused() {
    let scheme = Scheme::new(&cheap(JohnsonBound), 1 << 9).unwrap();
    let (proof, value) = prove(&scheme, &words(1 << 9, 5));
    let mut poly = Vec::new();
    let found = altered(&scheme, &proof, |decoded| {
        let values = decoded.whir.final_poly.as_ref().unwrap();
        crate::codec::put_elements(&mut poly, values.as_slice());
    });
    assert_eq!(found, Ok(value));
    let at = proof.windows(poly.len()).position(|window| window == poly).unwrap();
    let end = at + poly.len();
    let element = WORD_BYTES * crate::codec::DEGREE;
    let longer = [&proof[..end], &vec![0; element][..], &proof[end..]].concat();
    let shorter = [&proof[..end - element], &proof[end..]].concat();
    let none = [&proof[..at], &proof[end..]].concat();
    for forged in [longer, shorter, none] {
        assert!(verify(&scheme, &forged).is_err());
    }
}

#[test]
fn the_bytes_are_pinned() {
    // A change here is a change of the protocol: raise VERSION.
    let pinned = |regime, len| {
        let scheme = Scheme::new(&cheap(regime), len).unwrap();
        let (proof, _) = prove(&scheme, &words(len, 7));
        let digest: [u8; 32] = Keccak256Hash.hash_slice(&proof);
        (proof.len(), digest[..8].iter().map(|b| format!("{b:02x}")).collect::<String>())
    };
    assert_eq!(pinned(JohnsonBound, 1000), (8708, "dc0f06384f600689".into()));
    assert_eq!(pinned(UniqueDecoding, 77), (1296, "8bfd958f98f6f37b".into()));
}

#[test]
fn the_description_of_every_entry_is_pinned() {
    // Proofs name an entry by its id, so an entry never changes: it gets another id.
    let mut bytes = Vec::new();
    for parameters in Parameters::table() {
        for log in [0, 12, 18, 22, 23, 24, 25] {
            let numbers = Scheme::new(parameters, 1 << log).unwrap().describe();
            bytes.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
        }
    }
    let digest: [u8; 32] = Keccak256Hash.hash_slice(&bytes);
    assert_eq!(
        digest[..8].iter().map(|b| format!("{b:02x}")).collect::<String>(),
        "1ee7ec8a61fe47e1"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_never_panic_and_never_verify(
        mut bytes in prop::collection::vec(any::<u8>(), 0..20_000),
        canonical in any::<bool>(),
    ) {
        if canonical {
            // Below p wherever a word may start, so that decoding reaches the digests.
            bytes.chunks_mut(4).for_each(|word| if let Some(last) = word.get_mut(3) { *last &= 0x3f });
        }
        let scheme = Scheme::new(&cheap(JohnsonBound), 1 << 8).unwrap();
        prop_assert!(verify(&scheme, &bytes).is_err());
    }

    #[test]
    fn the_value_is_the_naive_evaluation(len in 1_usize..600, seed in any::<u64>()) {
        let scheme = Scheme::new(&cheap(JohnsonBound), len).unwrap();
        let (proof, value) = prove(&scheme, &words(len, seed));
        prop_assert_eq!(verify(&scheme, &proof), Ok(value));
    }
}
