//! Bytes and symbols: 19 payload bytes are one symbol.
//!
//! The bytes are a little-endian integer below 2^152, the symbol's limbs its five base-p digits,
//! the lowest first. Since p^5 > 2^152 every integer has its digits; the converse fails, so a
//! codeword may hold symbols that are no bytes. Such a block is *available but invalid*, and
//! [`symbol_to_bytes`] says which symbols those are.

// Digits are below p and chunks below 2^31: what is explicitly wrapping here never wraps.
#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use crate::params::{LIMBS, SYMBOL_BYTES};

const P: u64 = F::ORDER_U32 as u64;
/// Selects one chunk of the input, of 31 bits: p < 2^31 < 2p.
const CHUNK_MASK: u64 = (1 << 31) - 1;
/// ⌊2^62/p⌋.
const RECIPROCAL: u64 = (1 << 62) / P;

/// The limbs of the symbol made of `bytes`.
pub fn symbol_from_bytes(bytes: &[u8; SYMBOL_BYTES]) -> [F; LIMBS] {
    symbols_from_bytes([bytes]).map(|[limb]| limb)
}

/// The limbs of the symbols made of `bytes`, limb-major: `[d][i]` is limb d of symbol i.
///
/// With `N` a multiple of the vector width, this compiles to vector code.
#[inline]
pub fn symbols_from_bytes<const N: usize>(bytes: [&[u8; SYMBOL_BYTES]; N]) -> [[F; N]; LIMBS] {
    let (mut low, mut middle, mut high) = ([0; N], [0; N], [0; N]);
    for (i, bytes) in bytes.into_iter().enumerate() {
        (low[i], middle[i], high[i]) = (word(bytes, 0), word(bytes, 8), word(bytes, 11));
    }
    // Chunks of 31 bits, the lowest first; the last has 28.
    let mut chunks = [[0; N]; LIMBS];
    for i in 0..N {
        let (low, middle, high) = (low[i], middle[i], high[i] >> 40);
        chunks[0][i] = low & CHUNK_MASK;
        chunks[1][i] = (low >> 31) & CHUNK_MASK;
        chunks[2][i] = ((low >> 62) | (middle << 2)) & CHUNK_MASK;
        chunks[3][i] = (middle >> 29) & CHUNK_MASK;
        chunks[4][i] = (middle >> 60) | (high << 4);
    }
    // Horner's rule on digits: multiply by 2^31, add the next chunk. Before chunk 4 − t is added
    // the value is below 2^(31t − 3) < p^t, so every carry out fits one more digit. Digit d of
    // the result takes the place of chunk 4 − d.
    for next in (0..LIMBS - 1).rev() {
        let (rest, digits) = chunks.split_at_mut(next).1.split_at_mut(1);
        let next = &mut rest[0];
        for digit in digits.iter_mut().rev() {
            for (digit, carry) in digit.iter_mut().zip(next.iter_mut()) {
                (*digit, *carry) = shift_digit(*digit, *carry);
            }
        }
    }
    let mut symbols = [[F::ZERO; N]; LIMBS];
    for (limbs, digits) in symbols.iter_mut().zip(chunks.iter().rev()) {
        for (limb, &digit) in limbs.iter_mut().zip(digits) {
            *limb = F::new(digit as u32);
        }
    }
    symbols
}

/// The bytes of a symbol, or nothing when it is not below 2^152.
#[inline]
pub fn symbol_to_bytes(limbs: [F; LIMBS]) -> Option<[u8; SYMBOL_BYTES]> {
    let [d0, d1, d2, d3, d4] = limbs.map(|limb| u64::from(limb.as_canonical_u32()));
    // Horner's rule in three words of 64 bits: p² < 2^62, p³ < 2^93, p^4 < 2^124, p^5 < 2^155.
    let (low, middle) = P.carrying_mul(P.wrapping_mul(d4).wrapping_add(d3), d2);
    let (low, carry) = P.carrying_mul(low, d1);
    let middle = P.wrapping_mul(middle).wrapping_add(carry);
    let (low, carry) = P.carrying_mul(low, d0);
    let (middle, high) = P.carrying_mul(middle, carry);
    if high >> (8 * SYMBOL_BYTES - 128) != 0 {
        return None;
    }
    let mut bytes = [0; SYMBOL_BYTES];
    let words = [low, middle, high].map(u64::to_le_bytes);
    bytes.iter_mut().zip(words.as_flattened()).for_each(|(to, from)| *to = *from);
    Some(bytes)
}

/// Eight bytes from `start` on.
#[inline(always)]
fn word(bytes: &[u8; SYMBOL_BYTES], start: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[start..][..8]);
    u64::from_le_bytes(word)
}

/// Remainder and quotient of `digit·2^31 + carry` by p, for a digit below p and a carry below
/// 2^31; the quotient is below 2^31 too.
#[inline(always)]
const fn shift_digit(digit: u64, carry: u64) -> (u64, u64) {
    // digit·2^31 = digit·p + digit·(2^24 − 1): what is left to divide is below 2^55 + 2^31.
    let rest = (digit << 24).wrapping_sub(digit).wrapping_add(carry);
    // Cutting 24 bits of `rest` loses less than 2^24/p, cutting the reciprocal less than 2^-6:
    // the estimate is the quotient or one less.
    let estimate = (rest >> 24).wrapping_mul(RECIPROCAL) >> 38;
    let remainder = rest.wrapping_sub(estimate.wrapping_mul(P));
    let over = (remainder >= P) as u64;
    let quotient = digit.wrapping_add(estimate).wrapping_add(over);
    (remainder.wrapping_sub(over.wrapping_mul(P)), quotient)
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Schoolbook long division, byte by byte.
    fn digits_slowly(bytes: &[u8; SYMBOL_BYTES]) -> [F; LIMBS] {
        let mut value = bytes.to_vec();
        std::array::from_fn(|_| {
            let mut remainder = 0;
            for byte in value.iter_mut().rev() {
                let current = remainder << 8 | u64::from(*byte);
                *byte = (current / P) as u8;
                remainder = current % P;
            }
            F::new(remainder as u32)
        })
    }

    #[test]
    fn shifting_a_digit_is_exact_at_its_extremes() {
        let edges = [0, 1, 2, (1 << 24) - 1, 1 << 24, P / 2, P - 2, P - 1, P, (1 << 31) - 1];
        for digit in edges.into_iter().filter(|&digit| digit < P) {
            for carry in edges {
                let value = (digit << 31) + carry;
                assert_eq!(shift_digit(digit, carry), (value % P, value / P));
                // Just below and at every multiple near by.
                let carry = (value / P * P).saturating_sub(digit << 31);
                for carry in [carry, carry.saturating_sub(1), carry + 1] {
                    if carry < 1 << 31 {
                        let value = (digit << 31) + carry;
                        assert_eq!(shift_digit(digit, carry), (value % P, value / P));
                    }
                }
            }
        }
    }

    #[test]
    fn extreme_bytes_come_back() {
        for bytes in [[0; SYMBOL_BYTES], [0xff; SYMBOL_BYTES]] {
            assert_eq!(symbol_from_bytes(&bytes), digits_slowly(&bytes));
            assert_eq!(symbol_to_bytes(symbol_from_bytes(&bytes)), Some(bytes));
        }
    }

    #[test]
    fn refuses_symbols_of_two_to_the_152_or_more() {
        assert_eq!(symbol_to_bytes([F::new(F::ORDER_U32 - 1); LIMBS]), None);
        // The digits of 2^152 exactly: those of 2^152 − 1, plus one.
        let mut limbs =
            symbol_from_bytes(&[0xff; SYMBOL_BYTES]).map(|limb| limb.as_canonical_u32());
        limbs[0] += 1;
        assert!(u64::from(limbs[0]) < P);
        assert_eq!(symbol_to_bytes(limbs.map(F::new)), None);
    }

    proptest! {
        #[test]
        fn digits_equal_long_division(bytes: [[u8; SYMBOL_BYTES]; 3], high in 0..SYMBOL_BYTES) {
            let mut bytes = bytes;
            bytes[1][high..].fill(0);
            bytes[2][..high].fill(0xff);
            let limbs = symbols_from_bytes(bytes.each_ref());
            for (i, bytes) in bytes.iter().enumerate() {
                let symbol = limbs.map(|limb| limb[i]);
                prop_assert_eq!(symbol, digits_slowly(bytes));
                prop_assert_eq!(symbol_to_bytes(symbol), Some(*bytes));
            }
        }

        #[test]
        fn a_symbol_in_range_comes_back(limbs: [u32; LIMBS]) {
            let symbol = limbs.map(|limb| F::new(limb % F::ORDER_U32));
            if let Some(bytes) = symbol_to_bytes(symbol) {
                prop_assert_eq!(symbol_from_bytes(&bytes), symbol);
            }
        }
    }
}
