//! Damage to bytes that were good.

use airda::F;
use p3_field::PrimeField32;
use rand::RngExt;
use rand::rngs::StdRng;

const P: u32 = F::ORDER_U32;

/// One to three random changes; never the same bytes again.
pub(crate) fn damaged(honest: &[u8], rng: &mut StdRng) -> Vec<u8> {
    damaged_in(honest, 0, rng)
}

/// The same, of the bytes from `from` on.
pub(crate) fn damaged_in(honest: &[u8], from: usize, rng: &mut StdRng) -> Vec<u8> {
    let mut bytes = honest.to_vec();
    for _ in 0..rng.random_range(1..=3) {
        change(&mut bytes, from.min(honest.len() - 1), rng);
    }
    if bytes == honest {
        let at = rng.random_range(from.min(honest.len() - 1)..honest.len());
        bytes[at] ^= 1 << rng.random_range(0..8);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, from: usize, rng: &mut StdRng) {
    if bytes.len() <= from {
        bytes.push(rng.random());
        return;
    }
    let at = rng.random_range(from..bytes.len());
    match rng.random_range(0..14) {
        // A bit, a byte.
        0..3 => bytes[at] ^= 1 << rng.random_range(0..8),
        3 => bytes[at] = rng.random(),
        // A word: another, one that is an alias, one at an edge.
        4..8 => {
            // Words of an artifact are aligned to its end, give or take a length.
            let at = bytes.len() - (bytes.len() - at).next_multiple_of(4).min(bytes.len());
            if let Some(word) = bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                *word = other_word(u32::from_le_bytes(*word), rng).to_le_bytes();
            }
        }
        // Cut off, with or without a tail of something else.
        8 => bytes.truncate(at),
        9 => {
            bytes.truncate(at);
            bytes.extend(noise(rng.random_range(0..200), rng));
        }
        // Longer.
        10 => bytes.extend(noise(rng.random_range(1..40), rng)),
        // Something left out, put in, or there twice.
        11 => {
            let end = (at + rng.random_range(1..64)).min(bytes.len());
            bytes.drain(at..end);
        }
        12 => {
            let extra = noise(rng.random_range(1..64), rng);
            bytes.splice(at..at, extra);
        }
        _ => {
            let end = (at + rng.random_range(1..64)).min(bytes.len());
            let to = rng.random_range(from..bytes.len());
            let part = bytes[at..end].to_vec();
            let end = (to + part.len()).min(bytes.len());
            bytes.splice(to..end, part);
        }
    }
}

/// A word that differs from `word`: by one, by p, or at an edge of what fits into 32 bits.
pub(crate) fn other_word(word: u32, rng: &mut StdRng) -> u32 {
    let edges = [0, 1, P - 1, P, P + 1, u32::MAX, 1 << 31, 1 << 24];
    let other = match rng.random_range(0..4) {
        0 => word.wrapping_add(1),
        1 => word.wrapping_add(P),
        2 => edges[rng.random_range(0..edges.len())],
        _ => rng.random(),
    };
    if other == word { !word } else { other }
}

/// The front of one, the back of another; never one of the two.
pub(crate) fn spliced(front: &[u8], back: &[u8], rng: &mut StdRng) -> Vec<u8> {
    let cut = rng.random_range(0..=front.len());
    let from = match rng.random_range(0..3) {
        // Where the other has the same length left, or the same part done.
        0 => back.len().saturating_sub(front.len() - cut),
        1 => cut.min(back.len()),
        _ => rng.random_range(0..=back.len()),
    };
    let mut bytes = [&front[..cut], &back[from..]].concat();
    if bytes == front || bytes == back {
        let at = rng.random_range(0..bytes.len());
        bytes[at] ^= 1 << rng.random_range(0..8);
    }
    bytes
}

/// Random bytes.
pub(crate) fn noise(len: usize, rng: &mut StdRng) -> Vec<u8> {
    (0..len).map(|_| rng.random()).collect()
}

/// Random words, each below p, as bytes; the last may be cut off.
pub(crate) fn noise_of_words(len: usize, rng: &mut StdRng) -> Vec<u8> {
    let word = |_| rng.random_range(0..P).to_le_bytes();
    let mut bytes: Vec<u8> = (0..len.div_ceil(4)).flat_map(word).collect();
    bytes.truncate(len);
    bytes
}
