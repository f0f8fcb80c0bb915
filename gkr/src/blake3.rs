//! BLAKE3, the byte hash of transcripts and of the commitment's trees.
//!
//! The official crate does the hashing. Provers hash equally long, short messages by the
//! million (rows, nodes, proof-of-work candidates), and the crate has no stable way to hash
//! several at once: `simd` does, sixteen in lockstep, and is tested against the crate. A
//! verifier never gets there, so an error there could not make it accept anything.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

#[cfg(feature = "prover")]
use crate::simd::blake3 as lockstep;
use p3_field::PrimeField32;
use p3_symmetric::CryptographicHasher;

use crate::{F, count};

/// Bytes of a digest.
pub(crate) const DIGEST_BYTES: usize = 32;

/// BLAKE3 with digests of 256 bits, of bytes or of words; a word is the four bytes of its
/// representative in p3's Montgomery form, which is unique.
#[derive(Clone, Copy, Debug)]
pub struct Blake3;

impl CryptographicHasher<u8, [u8; DIGEST_BYTES]> for Blake3 {
    const LANES: usize = 16;

    fn hash_iter<I: IntoIterator<Item = u8>>(&self, input: I) -> [u8; DIGEST_BYTES] {
        self.hash_slice(&input.into_iter().collect::<Vec<_>>())
    }

    fn hash_iter_slices<'a, I>(&self, input: I) -> [u8; DIGEST_BYTES]
    where
        I: IntoIterator<Item = &'a [u8]>,
    {
        let mut hasher = blake3::Hasher::new();
        for slice in input {
            hasher.update(slice);
        }
        count::message(hasher.count());
        hasher.finalize().into()
    }

    #[cfg(feature = "prover")]
    fn hash_many(&self, input: &[u8], out: &mut [[u8; DIGEST_BYTES]]) {
        let Some(len) = message_len(input.len(), out.len()) else { return };
        if len > lockstep::MAX_BYTES {
            for (message, digest) in input.chunks_exact(len).zip(out) {
                *digest = self.hash_slice(message);
            }
            return;
        }
        let block = |message: usize, block: usize| {
            let rest = part(input, message, len).split_at(block << 6).1;
            let words = |bytes: &[u8; 64]| {
                let (words, _) = bytes.as_chunks();
                std::array::from_fn(|i| words.get(i).map_or(0, |&word| u32::from_le_bytes(word)))
            };
            match rest.first_chunk() {
                Some(whole) => words(whole),
                None => {
                    let mut padded = [0; 64];
                    padded.iter_mut().zip(rest).for_each(|(to, &from)| *to = from);
                    words(&padded)
                }
            }
        };
        lockstep::hash_many::<lockstep::Native>(len, block, out);
    }
}

impl CryptographicHasher<F, [u8; DIGEST_BYTES]> for Blake3 {
    const LANES: usize = 16;

    fn hash_iter<I: IntoIterator<Item = F>>(&self, input: I) -> [u8; DIGEST_BYTES] {
        let bytes = |word: F| word.to_unique_u32().to_le_bytes();
        self.hash_slice(&input.into_iter().flat_map(bytes).collect::<Vec<_>>())
    }
    #[cfg(feature = "prover")]
    fn hash_many(&self, input: &[F], out: &mut [[u8; DIGEST_BYTES]]) {
        let Some(len) = message_len(input.len(), out.len()) else { return };
        if len > lockstep::MAX_BYTES / 4 {
            for (message, digest) in input.chunks_exact(len).zip(out) {
                *digest = self.hash_slice(message);
            }
            return;
        }
        let block = |message: usize, block: usize| {
            let rest = part(input, message, len).split_at(block << 4).1;
            match rest.first_chunk::<16>() {
                Some(whole) => whole.map(|word| word.to_unique_u32()),
                None => {
                    let mut padded = [0; 16];
                    padded.iter_mut().zip(rest).for_each(|(to, from)| *to = from.to_unique_u32());
                    padded
                }
            }
        };
        lockstep::hash_many::<lockstep::Native>(len << 2, block, out);
    }
}

/// Items of each of `count` messages; None when there is none.
#[cfg(feature = "prover")]
fn message_len(items: usize, count: usize) -> Option<usize> {
    assert!(count == 0 || items.is_multiple_of(count), "messages of equal length");
    items.checked_div(count)
}

/// Message `index` of messages of `len` items; its end is one of the items, so nothing overflows.
#[cfg(feature = "prover")]
fn part<T>(items: &[T], index: usize, len: usize) -> &[T] {
    items.split_at(index.wrapping_mul(len)).1.split_at(len).0
}

#[cfg(all(test, feature = "prover"))]
mod tests {
    use super::*;

    #[test]
    fn many_messages_at_once_are_many_messages() {
        for len in [0, 1, 7, 9, 16, 17, 80, 128, 256, 257] {
            for count in [0, 1, 5, 16, 40] {
                let words: Vec<F> = (0..len * count)
                    .map(|i| F::new((i as u32).wrapping_mul(0x3779_b9f1)))
                    .collect();
                let mut digests = vec![[0; DIGEST_BYTES]; count];
                Blake3.hash_many(&words, &mut digests);
                for (index, &digest) in digests.iter().enumerate() {
                    let message: &[F] = part(&words, index, len);
                    assert_eq!(digest, Blake3.hash_slice(message));
                }
                let bytes: Vec<u8> =
                    words.iter().flat_map(|word| word.to_unique_u32().to_le_bytes()).collect();
                let mut again = vec![[1; DIGEST_BYTES]; count];
                Blake3.hash_many(&bytes, &mut again);
                assert_eq!(again, digests, "{count} messages of {len} words");
            }
        }
    }
}
