//! BLAKE3 of sixteen equally long messages in lockstep, each a single chunk: at most 1024
//! bytes. One message is a lane.
//!
//! Source: O'Connor, Aumasson, Neves, Wilcox-O'Hearn, *BLAKE3* (2020), sections 2.1 to 2.4.

use core::array;

/// Messages hashed at once.
pub(crate) const MESSAGES: usize = 16;
/// Bytes of the longest message.
pub(crate) const MAX_BYTES: usize = 1024;
const BLOCK_BYTES: usize = 64;
/// Flags of a chunk's first and last block, and of the block whose output is the digest.
const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const ROOT: u32 = 8;

const IV: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Which message word each round takes in which place.
const SCHEDULE: [[usize; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut schedule = [[0; 16]; 7];
    let mut place = 0;
    while place < 16 {
        schedule[0][place] = place;
        place += 1;
    }
    let mut round = 1;
    while round < 7 {
        place = 0;
        while place < 16 {
            schedule[round][place] = schedule[round - 1][PERMUTATION[place]];
            place += 1;
        }
        round += 1;
    }
    schedule
};

/// One 32-bit number of each message.
pub(crate) trait Words: Copy {
    fn load(words: &[u32; MESSAGES]) -> Self;
    fn store(self, words: &mut [u32; MESSAGES]);
    fn splat(word: u32) -> Self;
    fn add(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Rotation to the right by `R` bits.
    fn rotate<const R: i32>(self) -> Self;
    /// Lanes of `a` and `b` in turn: those of the lower halves, those of the upper halves.
    fn zip(a: Self, b: Self) -> [Self; 2];
}

/// The digests of `out.len()` messages of `bytes` bytes. `block(i, b)` is the b-th block of
/// message i, the last one filled up with zeros.
///
/// # Panics
/// When messages are longer than [`MAX_BYTES`].
#[inline]
pub(crate) fn hash_many<V: Words>(
    bytes: usize,
    block: impl Fn(usize, usize) -> [u32; 16],
    out: &mut [[u8; 32]],
) {
    assert!(bytes <= MAX_BYTES, "one chunk");
    let last = bytes.div_ceil(BLOCK_BYTES).max(1) - 1;
    for (group, digests) in out.chunks_mut(MESSAGES).enumerate() {
        // Spare lanes hash the group's last message.
        let message = |lane: usize| group * MESSAGES + lane.min(digests.len() - 1);
        let mut chaining: [V; 8] = array::from_fn(|i| V::splat(IV[i]));
        for index in 0..=last {
            let rows = array::from_fn(|lane| V::load(&block(message(lane), index)));
            let start = if index == 0 { CHUNK_START } else { 0 };
            let end = if index == last { CHUNK_END | ROOT } else { 0 };
            let len = BLOCK_BYTES.min(bytes - index * BLOCK_BYTES);
            compress(&mut chaining, &transpose(rows), len as u32, start | end);
        }
        let rows = transpose(array::from_fn(|i| chaining[i % 8]));
        for (digest, row) in digests.iter_mut().zip(rows) {
            let mut words = [0; 16];
            row.store(&mut words);
            for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(words) {
                *bytes = word.to_le_bytes();
            }
        }
    }
}

/// The compression function; the chunk's counter is 0.
#[inline]
fn compress<V: Words>(chaining: &mut [V; 8], message: &[V; 16], len: u32, flags: u32) {
    let mut v: [V; 16] = array::from_fn(|i| match i {
        0..8 => chaining[i],
        8..12 => V::splat(IV[i - 8]),
        14 => V::splat(len),
        15 => V::splat(flags),
        _ => V::splat(0),
    });
    // Written out, so that the state stays in registers.
    macro_rules! round {
        ($($round:literal)*) => { $(
            mix(&mut v, [0, 4, 8, 12], message, SCHEDULE[$round][0], SCHEDULE[$round][1]);
            mix(&mut v, [1, 5, 9, 13], message, SCHEDULE[$round][2], SCHEDULE[$round][3]);
            mix(&mut v, [2, 6, 10, 14], message, SCHEDULE[$round][4], SCHEDULE[$round][5]);
            mix(&mut v, [3, 7, 11, 15], message, SCHEDULE[$round][6], SCHEDULE[$round][7]);
            mix(&mut v, [0, 5, 10, 15], message, SCHEDULE[$round][8], SCHEDULE[$round][9]);
            mix(&mut v, [1, 6, 11, 12], message, SCHEDULE[$round][10], SCHEDULE[$round][11]);
            mix(&mut v, [2, 7, 8, 13], message, SCHEDULE[$round][12], SCHEDULE[$round][13]);
            mix(&mut v, [3, 4, 9, 14], message, SCHEDULE[$round][14], SCHEDULE[$round][15]);
        )* };
    }
    round!(0 1 2 3 4 5 6);
    *chaining = array::from_fn(|i| v[i].xor(v[i + 8]));
}

/// The quarter round G.
#[inline(always)]
fn mix<V: Words>(v: &mut [V; 16], [a, b, c, d]: [usize; 4], m: &[V; 16], x: usize, y: usize) {
    v[a] = v[a].add(v[b]).add(m[x]);
    v[d] = v[d].xor(v[a]).rotate::<16>();
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotate::<12>();
    v[a] = v[a].add(v[b]).add(m[y]);
    v[d] = v[d].xor(v[a]).rotate::<8>();
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotate::<7>();
}

/// Each of the four steps moves one bit of the row's number into the lane's.
#[inline(always)]
fn transpose<V: Words>(mut rows: [V; 16]) -> [V; 16] {
    for _ in 0..4 {
        let zipped: [[V; 2]; 8] = array::from_fn(|i| V::zip(rows[i], rows[i + 8]));
        rows = array::from_fn(|i| zipped[i / 2][i % 2]);
    }
    rows
}

/// In memory, where there are no registers for it.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
impl Words for [u32; MESSAGES] {
    fn load(words: &[u32; MESSAGES]) -> Self {
        *words
    }
    fn store(self, words: &mut [u32; MESSAGES]) {
        *words = self;
    }
    fn splat(word: u32) -> Self {
        [word; MESSAGES]
    }
    fn add(self, other: Self) -> Self {
        array::from_fn(|lane| self[lane].wrapping_add(other[lane]))
    }
    fn xor(self, other: Self) -> Self {
        array::from_fn(|lane| self[lane] ^ other[lane])
    }
    fn rotate<const R: i32>(self) -> Self {
        self.map(|word| word.rotate_right(R as u32))
    }
    fn zip(a: Self, b: Self) -> [Self; 2] {
        let half = |from: usize| array::from_fn(|lane| [a, b][lane % 2][from + lane / 2]);
        [half(0), half(MESSAGES / 2)]
    }
}

/// The sixteen lanes of the machine.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
pub(crate) type Native = core::arch::x86_64::__m512i;
/// The sixteen lanes of the machine.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", not(target_feature = "avx512f")))]
pub(crate) type Native = [core::arch::x86_64::__m256i; 2];
/// The sixteen lanes of the machine.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(crate) type Native = [u32; MESSAGES];

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[allow(unsafe_code)]
mod x86 {
    use core::arch::x86_64::*;

    use super::{MESSAGES, Words};

    // SAFETY of every block below: the intrinsics need nothing but the target feature, which
    // the module is compiled for, and unaligned loads and stores of 64 bytes that a reference
    // covers.

    #[cfg(target_feature = "avx512f")]
    impl Words for __m512i {
        #[inline(always)]
        fn load(words: &[u32; MESSAGES]) -> Self {
            // SAFETY: above.
            unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
        }
        #[inline(always)]
        fn store(self, words: &mut [u32; MESSAGES]) {
            // SAFETY: above.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self) }
        }
        #[inline(always)]
        fn splat(word: u32) -> Self {
            // SAFETY: above.
            unsafe { _mm512_set1_epi32(word.cast_signed()) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: above.
            unsafe { _mm512_add_epi32(self, other) }
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: above.
            unsafe { _mm512_xor_si512(self, other) }
        }
        #[inline(always)]
        fn rotate<const R: i32>(self) -> Self {
            // SAFETY: above.
            unsafe { _mm512_ror_epi32::<R>(self) }
        }
        #[inline(always)]
        fn zip(a: Self, b: Self) -> [Self; 2] {
            // SAFETY: above.
            unsafe {
                let lower =
                    _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
                let upper = _mm512_add_epi32(lower, _mm512_set1_epi32(8));
                [_mm512_permutex2var_epi32(a, lower, b), _mm512_permutex2var_epi32(a, upper, b)]
            }
        }
    }

    #[cfg(any(test, not(target_feature = "avx512f")))]
    impl Words for [__m256i; 2] {
        #[inline(always)]
        fn load(words: &[u32; MESSAGES]) -> Self {
            let from = words.as_ptr().cast::<__m256i>();
            // SAFETY: above.
            unsafe { [_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))] }
        }
        #[inline(always)]
        fn store(self, words: &mut [u32; MESSAGES]) {
            let to = words.as_mut_ptr().cast::<__m256i>();
            // SAFETY: above.
            unsafe {
                _mm256_storeu_si256(to, self[0]);
                _mm256_storeu_si256(to.add(1), self[1]);
            }
        }
        #[inline(always)]
        fn splat(word: u32) -> Self {
            // SAFETY: above.
            [unsafe { _mm256_set1_epi32(word.cast_signed()) }; 2]
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: above.
            core::array::from_fn(|i| unsafe { _mm256_add_epi32(self[i], other[i]) })
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: above.
            core::array::from_fn(|i| unsafe { _mm256_xor_si256(self[i], other[i]) })
        }
        #[inline(always)]
        fn rotate<const R: i32>(self) -> Self {
            // SAFETY: above.
            self.map(|half| unsafe {
                let right = _mm256_srl_epi32(half, _mm_cvtsi32_si128(R));
                _mm256_or_si256(right, _mm256_sll_epi32(half, _mm_cvtsi32_si128(32 - R)))
            })
        }
        #[inline(always)]
        fn zip(a: Self, b: Self) -> [Self; 2] {
            // SAFETY: above.
            core::array::from_fn(|i| unsafe {
                let (low, high) =
                    (_mm256_unpacklo_epi32(a[i], b[i]), _mm256_unpackhi_epi32(a[i], b[i]));
                [
                    _mm256_permute2x128_si256::<0x20>(low, high),
                    _mm256_permute2x128_si256::<0x31>(low, high),
                ]
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees_with_the_crate<V: Words>() {
        for bytes in [0, 1, 3, 4, 35, 36, 63, 64, 65, 128, 320, 512, 1020, 1023, 1024] {
            for count in [1, 2, 15, 16, 17, 33] {
                let byte = |i: usize| (i.wrapping_mul(0x9e37_79b9) >> 11) as u8;
                let messages: Vec<Vec<u8>> =
                    (0..count).map(|i| (0..bytes).map(|j| byte(i * 2048 + j)).collect()).collect();
                let block = |i: usize, b: usize| {
                    let mut padded = [0; 64];
                    let rest = &messages[i][64 * b..];
                    let len = rest.len().min(64);
                    padded[..len].copy_from_slice(&rest[..len]);
                    array::from_fn(|w| u32::from_le_bytes(padded.as_chunks().0[w]))
                };
                let mut out = vec![[0; 32]; count];
                hash_many::<V>(bytes, block, &mut out);
                for (digest, message) in out.iter().zip(&messages) {
                    assert_eq!(digest, ::blake3::hash(message).as_bytes(), "{bytes} {count}");
                }
            }
        }
    }

    #[test]
    fn digests_are_those_of_the_crate() {
        agrees_with_the_crate::<Native>();
        agrees_with_the_crate::<[u32; MESSAGES]>();
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        agrees_with_the_crate::<[core::arch::x86_64::__m256i; 2]>();
    }

    #[test]
    #[should_panic(expected = "one chunk")]
    fn longer_messages_are_not_ours() {
        hash_many::<Native>(MAX_BYTES + 1, |_, _| [0; 16], &mut [[0; 32]]);
    }
}
