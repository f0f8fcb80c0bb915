//! How many columns a client samples, and which.
//!
//! **How many.** Subset soundness: of N clients, no choice of ⌈εN⌉ may all be satisfied by a
//! builder that withholds the block, except with probability 2^−λ. The adversary shows at most
//! Δ = ℓ/2 − 1 of the ℓ columns, one fewer than recovery needs. A union bound over the
//! sets of clients and of columns gives, with L = ⌈εN⌉,
//! `|Q| ≥ ⌈(λ + log2 C(ℓ,Δ) + log2 C(N,L)) / (L·log2(ℓ/Δ))⌉`. This is the count for sampling
//! with replacement. [`draw`] draws without, which only lowers the adversary's chance: there
//! the factor (Δ/ℓ)^|Q| is C(Δ,|Q|)/C(ℓ,|Q|) ≤ (Δ/ℓ)^|Q|.
//!
//! **Which.** [`draw`] reads the stream Keccak-256(`"airda indices v1"` ‖ purpose ‖ seed ‖
//! counter), counter = 0, 1, … in eight little-endian bytes, each digest giving four
//! little-endian 64-bit words. A number below b is a word below the largest multiple of b that
//! 64 bits hold, modulo b; other words are skipped, so there is no bias. The set is Floyd's:
//! for j = ℓ − count, …, ℓ − 1 take a number t below j + 1, and j itself if t is taken already.
//! Every set of `count` columns is equally likely and none has a column twice.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use rand::TryRng;
use rand::rngs::SysRng;

use crate::error::Error;

/// Domain of the generator of indices.
const DOMAIN: &[u8] = b"airda indices v1";

/// The parameters of subset soundness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubsetSoundness {
    /// Clients N that sample independently.
    pub clients: u64,
    /// Clients L = ⌈εN⌉ that a builder would have to deceive together.
    pub deceived: u64,
    /// λ: a builder succeeds with probability at most 2^−λ.
    pub bits: f64,
}

impl Default for SubsetSoundness {
    /// N = 10 000, ε = 0.01, λ = 40.
    fn default() -> Self {
        Self { clients: 10_000, deceived: 100, bits: 40.0 }
    }
}

impl SubsetSoundness {
    /// |Q|, the columns that a client samples of `columns` (ℓ): never more than there are, at
    /// least one, and all of them where the formula has no finite value.
    pub fn samples(&self, columns: usize) -> usize {
        let shown = (columns / 2).saturating_sub(1);
        let needed = self.bits
            + log2_binomial(columns as u64, shown as u64)
            + log2_binomial(self.clients, self.deceived);
        let gained = self.deceived as f64 * (columns as f64 / shown as f64).log2();
        let count = (needed / gained).ceil();
        // Not a number or infinite when a builder can show nothing or nobody is deceived.
        if shown == 0 || !count.is_finite() {
            return columns;
        }
        (count as usize).clamp(1, columns)
    }
}

/// log2 of the binomial coefficient n over k, 0 ≤ k ≤ n, as the compensated sum of
/// log2((n − k + i)/i); every term is accurate, none is negative and their errors don't add up.
/// Minus infinity for k > n.
fn log2_binomial(n: u64, k: u64) -> f64 {
    let Some(rest) = n.checked_sub(k) else { return f64::NEG_INFINITY };
    let (k, rest) = (k.min(rest), k.max(rest) as f64);
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for i in 1..=k {
        let term = ((rest + i as f64) / i as f64).log2() - lost;
        let next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    sum
}

/// What everything random follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

impl Seed {
    /// A seed from the operating system.
    ///
    /// # Errors
    /// [`Error::Randomness`] when it gives none.
    pub fn from_os() -> Result<Self, Error> {
        let mut seed = [0; 32];
        SysRng.try_fill_bytes(&mut seed).map_err(|error| Error::Randomness(error.to_string()))?;
        Ok(Self(seed))
    }
}

impl From<u64> for Seed {
    /// The number in little-endian bytes, zeros behind it.
    fn from(number: u64) -> Self {
        let mut seed = [0; 32];
        seed.iter_mut().zip(number.to_le_bytes()).for_each(|(to, from)| *to = from);
        Self(seed)
    }
}

/// What indices are drawn for. Draws for different purposes from one seed are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The columns that a client samples.
    Sample = 1,
    /// The columns that survive, in a rehearsal of recovery.
    Survivors = 2,
}

/// Draws `count` distinct columns of `columns`, in ascending order; every set is equally likely.
///
/// # Errors
/// [`Error::Samples`] when there are not so many columns.
pub fn draw(
    seed: &Seed,
    purpose: Purpose,
    columns: usize,
    count: usize,
) -> Result<Vec<usize>, Error> {
    let first = columns.checked_sub(count).ok_or(Error::Samples { count, columns })?;
    let mut stream = Stream { seed, purpose, counter: 0, words: Vec::new() };
    let mut drawn = BTreeSet::new();
    for last in first..columns {
        let index = stream.below(NonZeroU64::MIN.saturating_add(last as u64)) as usize;
        if !drawn.insert(index) {
            drawn.insert(last);
        }
    }
    Ok(drawn.into_iter().collect())
}

/// The generator.
struct Stream<'a> {
    seed: &'a Seed,
    purpose: Purpose,
    counter: u64,
    /// Words of the last digest that are still unused, the next one at the end.
    words: Vec<u64>,
}

impl Stream<'_> {
    fn word(&mut self) -> u64 {
        loop {
            if let Some(word) = self.words.pop() {
                return word;
            }
            let counter = self.counter.to_le_bytes();
            let purpose = [self.purpose as u8];
            let digest = Keccak256Hash.hash_iter_slices([
                DOMAIN,
                purpose.as_slice(),
                &self.seed.0,
                counter.as_slice(),
            ]);
            // Nobody draws 2^64 digests.
            self.counter = self.counter.wrapping_add(1);
            let (words, _) = digest.as_chunks();
            self.words = words.iter().rev().map(|&word| u64::from_le_bytes(word)).collect();
        }
    }

    /// A number below `bound`.
    fn below(&mut self, bound: NonZeroU64) -> u64 {
        // 2^64 mod bound words at the top would favour small numbers.
        let surplus = bound.get().wrapping_neg() % bound;
        loop {
            let word = self.word();
            if word.checked_add(surplus).is_some() {
                return word % bound;
            }
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used
)]
mod tests {
    use super::*;

    #[test]
    fn sample_counts_are_the_published_ones() {
        let counts = [256, 512, 1024, 2048, 4096].map(|l| SubsetSoundness::default().samples(l));
        assert_eq!(counts, [11, 14, 19, 29, 50]);
    }

    /// Counting without replacement gives 49 at 4096: the published counts are those with it.
    #[test]
    fn counting_without_replacement_is_not_what_was_published() {
        let (l, shown) = (4096, 2047);
        let needed = 40.0 + log2_binomial(l, shown) + log2_binomial(10_000, 100);
        let enough = |q| 100.0 * (log2_binomial(l, q) - log2_binomial(shown, q)) >= needed;
        assert!(enough(49) && !enough(48));
    }

    #[test]
    fn never_samples_more_than_there_are() {
        for log in 0..=21 {
            let columns = 1 << log;
            let count = SubsetSoundness::default().samples(columns);
            assert!((1..=columns).contains(&count), "{count} of {columns}");
        }
        assert_eq!(SubsetSoundness::default().samples(2), 2);
        assert_eq!(SubsetSoundness::default().samples(4), 4);
        // Nobody to deceive, more to deceive than there are, nothing to show.
        let nobody = SubsetSoundness { deceived: 0, ..Default::default() };
        assert_eq!(nobody.samples(1024), 1024);
        let all = SubsetSoundness { clients: 10, deceived: 11, bits: 40.0 };
        assert_eq!(all.samples(1024), 1024);
    }

    #[test]
    fn binomials_are_accurate() {
        assert_eq!(log2_binomial(5, 0), 0.0);
        assert_eq!(log2_binomial(3, 4), f64::NEG_INFINITY);
        assert!((log2_binomial(10, 5) - 252f64.log2()).abs() < 1e-12);
        assert!((log2_binomial(60, 30) - 118_264_581_564_861_424f64.log2()).abs() < 1e-12);
        // Stirling with two correction terms: relative error far below this for so large an n.
        let n = (1u64 << 21) as f64;
        let central = n - 0.5 * (std::f64::consts::PI * n / 2.0).log2() - 0.25 / n / 2f64.ln();
        assert!((log2_binomial(1 << 21, 1 << 20) - central).abs() < 1e-7);
    }

    #[test]
    fn draws_are_distinct_in_range_and_reproducible() {
        for columns in [1, 2, 3, 10, 1024] {
            for count in [0, 1, columns / 2, columns] {
                let seed = Seed::from(columns as u64);
                let drawn = draw(&seed, Purpose::Sample, columns, count).unwrap();
                assert_eq!(drawn.len(), count);
                assert!(drawn.is_sorted_by(|a, b| a < b));
                assert!(drawn.iter().all(|&index| index < columns));
                assert_eq!(drawn, draw(&seed, Purpose::Sample, columns, count).unwrap());
            }
        }
        let error = draw(&Seed::from(0), Purpose::Sample, 4, 5);
        assert!(matches!(error, Err(Error::Samples { count: 5, columns: 4 })));
    }

    /// Computed apart from this code, from the module's description.
    #[test]
    fn draws_are_pinned() {
        let drawn = |purpose| draw(&Seed::from(7), purpose, 1024, 8).unwrap();
        assert_eq!(drawn(Purpose::Sample), [154, 223, 310, 336, 588, 601, 753, 953]);
        assert_eq!(drawn(Purpose::Survivors), [61, 87, 175, 214, 359, 420, 531, 785]);
    }

    #[test]
    fn seeds_from_the_system_differ() {
        assert_ne!(Seed::from_os().unwrap(), Seed::from_os().unwrap());
    }

    /// Chi-squared over all C(6,3) = 20 sets; 43.8 is the 0.1 % point of 19 degrees.
    #[test]
    fn every_set_is_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        let rounds = 20_000;
        for seed in 0..rounds {
            let set = draw(&Seed::from(seed), Purpose::Sample, 6, 3).unwrap();
            *counts.entry(set).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 20);
        let expected = rounds as f64 / 20.0;
        let chi: f64 =
            counts.values().map(|&seen| (f64::from(seen) - expected).powi(2) / expected).sum();
        assert!(chi < 43.8, "{chi}");
    }

    #[test]
    fn skips_words_that_would_bias() {
        let seed = Seed::from(0);
        let words = vec![5, u64::MAX];
        let mut stream = Stream { seed: &seed, purpose: Purpose::Sample, counter: 0, words };
        // 2^64 = 1 mod 3: the largest word alone is surplus.
        assert_eq!(stream.below(NonZeroU64::new(3).unwrap()), 2);
        assert!(stream.words.is_empty());
    }
}
