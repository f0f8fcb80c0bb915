//! Walks over several parts at once: tables of unequal size, side by side.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use super::Point;
use crate::E;
use crate::eq::{eq_at, eq_points};
use crate::transcript::Channel;

/// What a walk goes through.
#[derive(Clone, Debug)]
pub(crate) struct Shape<'a> {
    /// The outer bits of each part.
    pub(crate) outer: &'a [usize],
    /// How shorter parts have a place among the outer bits of the longest.
    pub(crate) embedding: Embedding<'a>,
    /// For a single part: weights of the chunks that take the place of eq in the first layer.
    pub(crate) weights: Option<&'a ChunkWeights>,
    /// What a partial round leaves.
    pub(crate) partial: Partial,
}

/// How a part with fewer outer bits than the longest goes through its rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Embedding<'a> {
    /// It is constant in the bits it lacks: Σ_x eq(ρ, x) = 1 makes its sum what it was. All
    /// parts share the factor eq, so a message has the coefficients 1, 2, 3.
    Constant,
    /// It is where the bits it lacks are zero, by the selector Π(1 − x_j). No factor is common,
    /// so a message has the coefficients 1, 2, 3, 4.
    Selected,
    /// A single part whose chunks have weights of their own; messages as with a selector.
    Weighted(&'a ChunkWeights),
}

/// What a partial round leaves of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partial {
    /// The cubed word, and one linear form of the others: two values.
    #[default]
    Recurrence,
    /// All T words.
    Columns,
}

impl<'a> Shape<'a> {
    /// One part, and nothing particular about it.
    pub(crate) const fn single(outer: &'a [usize; 1]) -> Self {
        Self { outer, embedding: Embedding::Constant, weights: None, partial: Partial::Recurrence }
    }

    /// Elements of the messages that bind a layer's outer bits.
    pub(super) fn coefficients(&self, layer: usize) -> usize {
        let bits = self.outer.iter().copied().max().unwrap_or(0);
        bits.saturating_mul(self.embedding(layer).coefficients())
    }

    /// The embedding in a layer. Parts of one size lack no bits.
    pub(super) fn embedding(&self, layer: usize) -> Embedding<'a> {
        match self.weights {
            Some(weights) if layer == 0 => Embedding::Weighted(weights),
            _ if self.outer.windows(2).all(|pair| pair.first() == pair.last()) => {
                Embedding::Constant
            }
            _ => self.embedding,
        }
    }
}

impl Embedding<'_> {
    /// Elements of a message that binds an outer bit.
    const fn coefficients(&self) -> usize {
        match self {
            Self::Constant => 3,
            Self::Selected | Self::Weighted(_) => 4,
        }
    }

    /// What each part's sum over the lanes is multiplied by once the outer bits are bound at
    /// `bound`, where they were at `at`.
    pub(super) fn scales(&self, outer: &[usize], at: &[E], bound: &[E]) -> Vec<E> {
        let scale = |&bits: &usize| match self {
            Self::Constant => E::ONE,
            Self::Selected => {
                let bits = bits.min(bound.len());
                let (inside, above) = bound.split_at(bits);
                let selector: E = above.iter().map(|&r| E::ONE - r).product();
                // Zipped with what is inside: `at` may be longer.
                selector * eq_points(inside, at)
            }
            Self::Weighted(weights) => weights.at(bound),
        };
        outer.iter().map(scale).collect()
    }
}

/// Weights of the chunks of a stack: those that runs of chunks, aligned to their own length, have
/// at a point of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkWeights {
    /// The point's outer bits; a run has a prefix of it.
    pub(crate) point: Vec<E>,
    pub(crate) runs: Vec<Run>,
}

/// A run of 2^`log_len` chunks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Its first chunk, a multiple of its length.
    pub(crate) start: usize,
    pub(crate) log_len: usize,
    /// What eq at the point is multiplied by.
    pub(crate) coefficient: E,
}

impl ChunkWeights {
    /// The weights' extension.
    pub(super) fn at(&self, bound: &[E]) -> E {
        let weigh = |run: &Run| {
            let (low, high) = bound.split_at(run.log_len.min(bound.len()));
            // A run is shorter than the memory.
            let slot = run.start.checked_shr(u32::try_from(run.log_len).unwrap_or(u32::MAX));
            run.coefficient * eq_points(low, &self.point) * eq_at(high, slot.unwrap_or(0))
        };
        self.runs.iter().map(weigh).sum()
    }

    /// The weights of `len` chunks.
    #[cfg(feature = "prover")]
    #[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "the prover's")]
    pub(super) fn table(&self, len: usize) -> Vec<E> {
        let mut table = vec![E::ZERO; len];
        let longest = self.runs.iter().map(|run| run.log_len).max().unwrap_or(0);
        let tables: Vec<Vec<E>> =
            (0..=longest).map(|log_len| crate::eq::eq_table(&self.point[..log_len])).collect();
        for run in &self.runs {
            let eq = &tables[run.log_len];
            for (to, &eq) in table[run.start..][..eq.len()].iter_mut().zip(eq) {
                *to += run.coefficient * eq;
            }
        }
        table
    }
}

/// The parts' weights in a layer's claim: λ_a = μ^{3a}, and the μ^a.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    pub(super) weights: Vec<E>,
    #[cfg_attr(not(feature = "prover"), expect(dead_code))]
    pub(super) roots: Vec<E>,
}

impl Shares {
    /// Draws μ, where there is more than one part.
    pub(super) fn draw(parts: usize, channel: &mut impl Channel) -> Self {
        let mu = if parts > 1 { channel.draw() } else { E::ONE };
        let roots: Vec<E> = mu.powers().take(parts).collect();
        Self { weights: roots.iter().map(E::cube).collect(), roots }
    }

    /// Σ_a λ_a·value_a.
    pub(super) fn combine(&self, values: impl IntoIterator<Item = E>) -> E {
        self.weights.iter().zip(values).map(|(&weight, value)| weight * value).sum()
    }
}

/// A claim that rounds without a common factor go on with: g(0) + g(1) = claim, of
/// g(X) = c_0 + … + c_4·X⁴ the coefficients from 1 on are given.
pub(super) fn next_plain_claim(claim: E, [c1, c2, c3, c4]: [E; 4], x: E) -> E {
    let c0 = (claim - c1 - c2 - c3 - c4).halve();
    c0 + x * (c1 + x * (c2 + x * (c3 + x * c4)))
}

/// What a walk ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ends<const T: usize> {
    /// r; a part with fewer outer bits is at a prefix of them.
    pub(crate) at: Point,
    /// Each part's input columns.
    pub(crate) inputs: Vec<[E; T]>,
}
