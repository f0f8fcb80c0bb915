//! What a batch costs, by formula: rows, elements sent, and what its draws can miss.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use super::{Batch, Strategy, merge};
use crate::codec::{DEGREE, WORD_BYTES};
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::security::{Numerator, Reductions};
use crate::walk::{self, CHUNK, ChunkWeights, POSITIONS, Sent};

/// Where a batch's output claims come from, for its soundness error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// The point and the weights were drawn, and the claims are settled with the terminal ones.
    Drawn,
    /// Claims of the caller were [merged](merge).
    Merged {
        /// How many.
        num_claims: usize,
    },
    /// They are the caller's: so is the error of how he came by them.
    Given,
}

impl Batch<'_> {
    /// Rows that the prover holds and works through, each region's last chunk counted whole.
    pub fn physical_rows(&self) -> usize {
        match self.strategy {
            Strategy::Padded => {
                let bits = u32::try_from(self.regions.max_log_outer()).unwrap_or(u32::MAX);
                let rows = CHUNK.checked_shl(bits).unwrap_or(usize::MAX);
                rows.saturating_mul(self.regions.len())
            }
            _ => self.regions.stack().rows(),
        }
    }

    /// Elements that a batch sends, by what they are for.
    pub fn sent<const T: usize>(&self) -> Sent
    where
        Poseidon2<T>: Permutation<T>,
    {
        let any = ChunkWeights::default();
        let weights = self.is_weighted().then_some(&any);
        let walks = self.walks();
        walks.iter().map(|walk| walk::layers_sent::<T>(&self.shape(walk, weights))).sum()
    }

    /// Elements that a batch sends.
    pub fn elements<const T: usize>(&self) -> usize
    where
        Poseidon2<T>: Permutation<T>,
    {
        self.sent::<T>().total()
    }

    /// Bytes that a batch sends.
    pub fn proof_bytes<const T: usize>(&self) -> usize
    where
        Poseidon2<T>: Permutation<T>,
    {
        self.elements::<T>().saturating_mul(DEGREE * WORD_BYTES)
    }

    /// What is drawn after the commitment, for [`Report`](crate::security::Report): for a batch
    /// whose terminal claims are settled with so many equations, and which starts from these
    /// output claims.
    pub fn reductions<const T: usize>(&self, outputs: Outputs, num_equations: usize) -> Reductions
    where
        Poseidon2<T>: Permutation<T>,
    {
        let mut numerators = Vec::new();
        let mut claims = num_equations;
        if let Outputs::Drawn = outputs {
            let rounds = self.regions.max_log_outer().saturating_add(walk::LOG_LANES);
            let point = [const { POSITIONS - 1 }, rounds];
            numerators.push(Numerator::new("outputs", "point", 1, point));
            numerators.push(Numerator::new("outputs", "weights", 1, [DIGEST - 1]));
            claims = claims.saturating_add(self.regions.len());
        }
        if let Outputs::Merged { num_claims } = outputs {
            numerators.extend(merge::numerators(self.regions, num_claims));
        }
        for walk in self.walks() {
            claims = claims.saturating_add(walk.outer.len().saturating_mul(T));
        }
        numerators.extend(self.numerators::<T>());
        Reductions::of(numerators, claims)
    }

    /// The numerators of the batch's soundness error, over |E| − 1: what the draws after the
    /// output claims can miss.
    pub(super) fn numerators<const T: usize>(&self) -> Vec<Numerator>
    where
        Poseidon2<T>: Permutation<T>,
    {
        let mut all = Vec::new();
        let any = ChunkWeights::default();
        let weights = self.is_weighted().then_some(&any);
        if self.is_weighted() {
            let degree = self.regions.len().saturating_sub(1);
            all.push(Numerator::new("stack", "weights of the claims", 1, [degree]));
        }
        let walks = self.walks();
        for (index, walk) in walks.iter().enumerate() {
            let part = match walks.len() {
                1 => "walk of the batch".to_owned(),
                _ => format!("walk of region {index}"),
            };
            all.extend(walk::layers_numerators::<T>(&part, &self.shape(walk, weights)));
        }
        all
    }
}
