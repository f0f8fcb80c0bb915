//! The Fiat–Shamir channel.
//!
//! Sending is absorbing and receiving is absorbing, so nothing can go unabsorbed. A proof is
//! the tape of what was sent, in order, without any framing: both sides know every length
//! from the statement. *Hints* are the exception: bytes already bound by something absorbed
//! (Merkle paths, a dependency's proof whose verifier absorbs its parts itself) travel on the
//! tape without being absorbed by the channel.
//!
//! The hash is BLAKE3, which the commitment's trees and proofs of work use too, for speed.
//! Poseidon2 stays out of the transcript, since the statement proved computes Poseidon2: the
//! known attack on GKR transcripts needs a circuit that computes the transcript's own hash.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_challenger::{CanObserve, CanSample, HashChallenger, SerializingChallenger32};
use p3_field::PrimeCharacteristicRing;

use crate::blake3::Blake3;
#[cfg(any(feature = "prover", test))]
use crate::codec::put_elements;
use crate::codec::{DEGREE, Reader, limbs};
use crate::{E, F, Reject, count};

/// The challenger below the channel; the polynomial commitment draws from it too.
pub type Challenger = SerializingChallenger32<F, HashChallenger<u8, Blake3, 32>>;

/// What both sides do with a transcript.
pub trait Channel {
    /// The challenger that everything is absorbed into.
    fn challenger(&mut self) -> &mut Challenger;

    /// Absorbs bytes that both sides know, with their length.
    fn bind_bytes(&mut self, public: &[u8]) {
        let challenger = self.challenger();
        absorb_u64(challenger, public.len() as u64);
        for chunk in public.chunks(3) {
            // Three bytes always make a word below p.
            let mut raw = [0; 4];
            for (to, from) in raw.iter_mut().zip(chunk) {
                *to = *from;
            }
            challenger.observe(F::from_u32(u32::from_le_bytes(raw)));
        }
    }

    /// Absorbs words that both sides know, with their count.
    fn bind_words(&mut self, public: &[F]) {
        let challenger = self.challenger();
        absorb_u64(challenger, public.len() as u64);
        challenger.observe_slice(public);
    }

    /// Absorbs elements that both sides know, with their count.
    fn bind(&mut self, public: &[E]) {
        absorb(self.challenger(), public);
    }

    /// A challenge from E∖{0}.
    fn draw(&mut self) -> E {
        count::challenge();
        let challenger = self.challenger();
        first_nonzero(|| challenger.sample())
    }

    /// `len` challenges, one after the other.
    fn draw_many(&mut self, len: usize) -> Vec<E> {
        (0..len).map(|_| self.draw()).collect()
    }
}

/// The prover's end.
#[cfg(feature = "prover")]
pub trait Sender: Channel {
    /// Sends and absorbs `message`.
    fn send(&mut self, message: &[E]);
    /// Sends bytes that something absorbed binds already.
    fn hint(&mut self, bytes: &[u8]);
}

/// The verifier's end.
pub trait Receiver: Channel {
    /// Receives and absorbs `len` elements, a length that the statement fixes.
    ///
    /// # Errors
    /// [`Reject::Truncated`] or [`Reject::NonCanonicalWord`].
    fn recv_many(&mut self, len: usize) -> Result<Vec<E>, Reject>;

    /// Receives and absorbs `N` elements.
    ///
    /// # Errors
    /// As [`Receiver::recv_many`].
    fn recv<const N: usize>(&mut self) -> Result<[E; N], Reject> {
        let message = self.recv_many(N)?;
        message.try_into().map_err(|_| Reject::Truncated)
    }
}

/// A transcript that writes a proof.
#[cfg(feature = "prover")]
#[derive(Clone, Debug)]
pub struct ProverChannel {
    challenger: Challenger,
    tape: Vec<u8>,
}

#[cfg(feature = "prover")]
impl ProverChannel {
    /// A channel whose first absorbed bytes are `domain`.
    pub fn new(domain: &[u8]) -> Self {
        let mut channel = Self { challenger: challenger(), tape: Vec::new() };
        channel.bind_bytes(domain);
        channel
    }

    /// How many bytes were sent so far.
    pub const fn len(&self) -> usize {
        self.tape.len()
    }

    /// Whether nothing was sent yet.
    pub const fn is_empty(&self) -> bool {
        self.tape.is_empty()
    }

    /// The proof: everything that was sent.
    pub fn finish(self) -> Vec<u8> {
        self.tape
    }
}

#[cfg(feature = "prover")]
impl Channel for ProverChannel {
    fn challenger(&mut self) -> &mut Challenger {
        &mut self.challenger
    }
}

#[cfg(feature = "prover")]
impl Sender for ProverChannel {
    fn send(&mut self, message: &[E]) {
        put_elements(&mut self.tape, message);
        absorb(&mut self.challenger, message);
    }

    fn hint(&mut self, bytes: &[u8]) {
        self.tape.extend_from_slice(bytes);
    }
}

/// A transcript that reads a proof.
#[derive(Clone, Debug)]
pub struct VerifierChannel<'a> {
    challenger: Challenger,
    tape: Reader<'a>,
}

impl<'a> VerifierChannel<'a> {
    /// A channel that reads `proof`, with the prover's `domain`.
    pub fn new(domain: &[u8], proof: &'a [u8]) -> Self {
        let mut channel = Self { challenger: challenger(), tape: Reader::new(proof) };
        channel.bind_bytes(domain);
        channel
    }

    /// How many bytes of the proof are unread.
    pub const fn remaining(&self) -> usize {
        self.tape.remaining()
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`Reject::Trailing`] when bytes are left over.
    pub fn finish(self) -> Result<(), Reject> {
        self.tape.finish()
    }

    /// The reader of hints, and the challenger beside it: what is read is *not* absorbed.
    pub const fn hints_and_challenger(&mut self) -> (&mut Reader<'a>, &mut Challenger) {
        (&mut self.tape, &mut self.challenger)
    }
}

impl Channel for VerifierChannel<'_> {
    fn challenger(&mut self) -> &mut Challenger {
        &mut self.challenger
    }
}

impl Receiver for VerifierChannel<'_> {
    fn recv_many(&mut self, len: usize) -> Result<Vec<E>, Reject> {
        let message = self.tape.elements(len)?;
        absorb(&mut self.challenger, &message);
        Ok(message)
    }
}

fn challenger() -> Challenger {
    Challenger::from_hasher(Vec::new(), Blake3)
}

/// The first sampled element that is not zero.
fn first_nonzero(mut sample: impl FnMut() -> E) -> E {
    loop {
        let challenge = sample();
        if challenge != E::ZERO {
            return challenge;
        }
    }
}

fn absorb_u64(challenger: &mut Challenger, value: u64) {
    for part in [value & 0xff_ffff, (value >> 24) & 0xff_ffff, value >> 48] {
        challenger.observe(F::from_u64(part));
    }
}

/// Absorbs the count before the elements: `[a]` and `[a, 0]` differ.
fn absorb(challenger: &mut Challenger, elements: &[E]) {
    // The words are in memory: their number does not overflow.
    absorb_u64(challenger, elements.len().wrapping_mul(DEGREE) as u64);
    for element in elements {
        challenger.observe_slice(limbs(element));
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests {
    #[cfg(feature = "prover")]
    use p3_field::BasedVectorSpace;

    use super::*;

    #[cfg(feature = "prover")]
    fn drawn(f: impl FnOnce(&mut ProverChannel)) -> E {
        let mut channel = ProverChannel::new(b"test");
        f(&mut channel);
        channel.draw()
    }

    #[cfg(feature = "prover")]
    #[test]
    fn both_sides_draw_the_same_challenges() {
        let mut prover = ProverChannel::new(b"test");
        prover.bind_words(&[F::ONE]);
        prover.send(&[E::TWO, E::ONE]);
        let drawn = prover.draw_many(3);
        prover.hint(&[1, 2, 3]);
        let proof = prover.finish();

        let mut verifier = VerifierChannel::new(b"test", &proof);
        verifier.bind_words(&[F::ONE]);
        assert_eq!(verifier.recv::<2>().unwrap(), [E::TWO, E::ONE]);
        assert_eq!(verifier.draw_many(3), drawn);
        assert_eq!(verifier.clone().finish(), Err(Reject::Trailing(3)));
        assert_eq!(verifier.hints_and_challenger().0.bytes(3).unwrap(), [1, 2, 3]);
        verifier.finish().unwrap();
    }

    /// A verifier absorbs what it receives, so a word altered alters what it draws.
    #[test]
    fn what_is_received_is_absorbed_and_hints_are_not() {
        let elements = [E::TWO, E::ONE];
        let mut tape = Vec::new();
        put_elements(&mut tape, &elements);
        tape.extend_from_slice(&[1, 2, 3]);
        let drawn = |tape: &[u8]| {
            let mut channel = VerifierChannel::new(b"test", tape);
            let received = channel.recv::<2>().unwrap();
            assert_eq!(channel.remaining(), 3);
            channel.hints_and_challenger().0.bytes(3).unwrap();
            let challenge = channel.draw();
            channel.finish().unwrap();
            (received, challenge)
        };
        let (received, challenge) = drawn(&tape);
        assert_eq!(received, elements);
        for at in 0..tape.len() {
            let mut altered = tape.clone();
            altered[at] ^= 1;
            assert_eq!(drawn(&altered).1 == challenge, at >= tape.len() - 3, "byte {at}");
        }
        assert_eq!(VerifierChannel::new(b"test", &tape).recv::<3>(), Err(Reject::Truncated));
    }

    #[cfg(feature = "prover")]
    #[test]
    fn a_message_and_the_same_message_with_a_zero_differ() {
        let one = drawn(|c| c.send(&[E::ONE]));
        let padded = drawn(|c| c.send(&[E::ONE, E::ZERO]));
        let split = drawn(|c| {
            c.send(&[E::ONE]);
            c.send(&[E::ZERO]);
        });
        assert_ne!(one, padded);
        assert_ne!(padded, split);
        assert_ne!(drawn(|c| c.bind_bytes(&[1])), drawn(|c| c.bind_bytes(&[1, 0])));
        assert_ne!(drawn(|c| c.bind(&[E::ONE])), drawn(|c| c.bind(&[E::ONE, E::ZERO])));
        // Two lists end where they end.
        let two_lists = |first: &[F], second: &[F]| {
            drawn(|c| {
                c.bind_words(first);
                c.bind_words(second);
            })
        };
        assert_ne!(two_lists(&[F::ONE, F::TWO], &[]), two_lists(&[F::ONE], &[F::TWO]));
    }

    /// Every word bound moves what is drawn next, and what is sent counts as what is received.
    #[cfg(feature = "prover")]
    #[test]
    fn every_word_bound_is_absorbed() {
        let message = [E::from_basis_coefficients_fn(|i| F::from_usize(i + 1)), E::TWO];
        let mut tape = ProverChannel::new(b"test");
        tape.send(&message);
        let tape = tape.finish();
        let mut receiver = VerifierChannel::new(b"test", &tape);
        let _ = receiver.recv::<2>().unwrap();
        assert_eq!(drawn(|c| c.send(&message)), receiver.draw());
        for word in 0..2 * DEGREE {
            let mut limbs: Vec<F> = message.iter().flat_map(limbs).copied().collect();
            let bound = drawn(|c| c.bind_words(&limbs));
            limbs[word] += F::ONE;
            assert_ne!(drawn(|c| c.bind_words(&limbs)), bound, "word {word}");
        }
        for byte in 0..7 {
            let mut bytes = [9; 7];
            let bound = drawn(|c| c.bind_bytes(&bytes));
            bytes[byte] ^= 0x80;
            assert_ne!(drawn(|c| c.bind_bytes(&bytes)), bound, "byte {byte}");
        }
        assert_eq!(drawn(|c| c.hint(&[1])), drawn(|_| ()));
        let other = ProverChannel::new(b"tests").draw();
        assert_ne!(other, drawn(|_| ()), "the domain");
    }

    #[test]
    fn a_challenge_of_zero_is_drawn_again() {
        let mut samples = [E::ZERO, E::ZERO, E::TWO, E::ONE].into_iter();
        assert_eq!(first_nonzero(|| samples.next().unwrap()), E::TWO);
    }
}
