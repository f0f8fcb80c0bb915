//! The hash of cells, rows, trees and the root.
//!
//! H(domain; words) is Merkle–Damgård over the compression with feed-forward
//! `f(h, m) = P(h‖m)[0..8] + h`: `h_0 = IV(domain)`, `h_{s+1} = f(h_s, block_s)`, blocks of
//! q = t − 8 words, a short last block filled with zeros. All lengths are fixed by the
//! parameters, and the IV carries them, so no padding rule is needed. Only the root's IV
//! carries n and the payload's length: a row's digests do not depend on its neighbours.
//! A tree node is one call: `f(left, right)` at width 16, `f(IV(node), left‖right)` at 24.

#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::F;
use airda_gkr::permutation::{DIGEST, Digest, Permutation, Poseidon2};
use p3_field::PrimeCharacteristicRing;

use crate::params::{HashWidth, Params};

/// Version of the hash construction; part of every IV.
pub const HASH_VERSION: u32 = 1;
/// The digest that completes a tree level with an odd count.
pub const ABSENT: Digest = [F::ZERO; DIGEST];

/// What a digest is the digest of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A cell's words.
    Cell = 1,
    /// A row's payload-half cell digests.
    Row = 2,
    /// Two tree nodes.
    Node = 3,
    /// The row tree's root and the column tree's root.
    Root = 4,
}

impl Params {
    /// The initial value of a domain's chain.
    pub fn iv(&self, domain: Domain) -> Digest {
        let mut iv = [0; DIGEST];
        iv[..5].copy_from_slice(&[
            domain as u32,
            HASH_VERSION,
            self.hash().width() as u32,
            self.log_k() as u32,
            self.log_c() as u32,
        ]);
        if domain == Domain::Root {
            // The payload's length is a + 2^30·b.
            let low = self.payload_len() & ((1 << 30) - 1);
            iv[5] = self.rows() as u32;
            iv[6] = low as u32;
            iv[7] = (self.payload_len() >> 30) as u32;
        }
        iv.map(F::from_u32)
    }

    /// H(domain; words).
    pub fn digest(&self, domain: Domain, words: &[F]) -> Digest {
        words
            .chunks(self.hash().rate())
            .fold(self.iv(domain), |h, block| compress(self.hash(), &h, block))
    }

    /// The parent of two nodes.
    pub fn node(&self, left: &Digest, right: &Digest) -> Digest {
        match self.hash() {
            HashWidth::W16 => compress(self.hash(), left, right),
            HashWidth::W24 => {
                let children = [*left, *right].concat();
                compress(self.hash(), &self.iv(Domain::Node), &children)
            }
        }
    }

    /// The root of the tree over `leaves`, [`ABSENT`] completing odd levels; a single leaf is
    /// its own root.
    pub fn merkle_root(&self, leaves: &[Digest]) -> Digest {
        let mut level = leaves.to_vec();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| self.node(&pair[0], pair.get(1).unwrap_or(&ABSENT)))
                .collect();
        }
        level.first().copied().unwrap_or(ABSENT)
    }

    /// The root of everything: H(root; root_row ‖ root_col).
    pub fn root(&self, row_digests: &[Digest], root_col: &Digest) -> Digest {
        let root_row = self.merkle_root(row_digests);
        self.digest(Domain::Root, &[root_row, *root_col].concat())
    }
}

/// `f(h, block)` at the given width.
fn compress(hash: HashWidth, h: &Digest, block: &[F]) -> Digest {
    match hash {
        HashWidth::W16 => Poseidon2::<16>::compress(h, block),
        HashWidth::W24 => Poseidon2::<24>::compress(h, block),
    }
}
