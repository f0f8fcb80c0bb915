//! The files: commitment, column and proof.
//!
//! Every artifact starts with eight bytes of magic and a two-byte version and has exactly one
//! encoding: integers and words are little-endian, words are below p, and all lengths follow
//! from what was read and checked before them. Decoders refuse trailing bytes and allocate no
//! more than the input holds.
//!
//! | artifact | after the header |
//! |---|---|
//! | commitment | width u8, log k u8, log c u8, rows u32, payload bytes u64, root, root_col, row digests |
//! | column | root of its commitment, index u32, n·5c words (row-major, limb-major), log2 ℓ path digests |
//! | proof | proof-system entry u16, membership u8, chain step u8, length of the body u32, body |

#![deny(clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used)]
#![deny(clippy::expect_used, clippy::panic_in_result_fn)]

mod column;
mod commitment;
mod proof;

use std::fmt;

use airda_gkr::codec::Reader;
use airda_gkr::permutation::{DIGEST, Digest};
use airda_gkr::{F, Reject};
pub use column::ColumnHeader;
pub use proof::ProofFile;

use crate::error::Error;
use crate::params::{MAX_LOG_K, MAX_ROWS};

/// Version of all artifacts.
pub const VERSION: u16 = 1;
/// Bytes of magic.
pub const MAGIC_BYTES: usize = 8;
/// Bytes before an artifact's own fields: magic and version.
const HEADER_BYTES: usize = MAGIC_BYTES + 2;
/// Bytes of a digest.
const DIGEST_BYTES: usize = DIGEST * airda_gkr::codec::WORD_BYTES;

/// The kinds of artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A commitment.
    Commitment,
    /// One opened column.
    Column,
    /// A proof that a commitment is well formed.
    Proof,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Commitment, Self::Column, Self::Proof];

    /// The bytes that every file of this kind starts with.
    pub const fn magic(self) -> &'static [u8; MAGIC_BYTES] {
        match self {
            Self::Commitment => b"airda.cm",
            Self::Column => b"airda.cl",
            Self::Proof => b"airda.pf",
        }
    }

    /// The kind whose magic `bytes` start with.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| bytes.starts_with(kind.magic()))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Commitment => "commitment",
            Self::Column => "column",
            Self::Proof => "proof",
        })
    }
}

/// What is wrong with an artifact's bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The first bytes are not the artifact's magic.
    #[error("it does not start with this artifact's magic bytes")]
    Magic,
    /// A version that this crate does not know.
    #[error("version {0} is unknown, only version {VERSION} is supported")]
    Version(u16),
    /// The input ends early.
    #[error("it ends early")]
    Truncated,
    /// Bytes are left over.
    #[error("it goes on after its end, bytes read there: {0}")]
    Trailing(usize),
    /// A word is not below the field's modulus.
    #[error("it holds a word that is not below the modulus")]
    NonCanonicalWord,
    /// The permutation width is neither 16 nor 24.
    #[error("permutation width {0} is not supported")]
    Width(u8),
    /// A value exceeds the reader's [`Limits`].
    #[error("{what} is {value}, above the limit of {limit}")]
    Limit {
        /// Which limit.
        what: &'static str,
        /// The value found.
        value: u64,
        /// The limit.
        limit: u64,
    },
    /// The parameters do not fit together.
    #[error("its parameters are bad: {0}")]
    Params(&'static str),
    /// The stated root is not that of the digests and the parameters.
    #[error("its root does not match its digests and parameters")]
    Root,
}

/// What a reader is prepared to accept, checked before anything is allocated.
///
/// A column needs no limit of its own: its length is fixed by the commitment's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes in a commitment file.
    pub commitment_bytes: usize,
    /// Bytes in a proof file.
    pub proof_bytes: usize,
    /// log2 of the row length.
    pub log_k: usize,
    /// Rows.
    pub rows: usize,
}

impl Default for Limits {
    /// Everything that this crate can produce.
    fn default() -> Self {
        Self { commitment_bytes: 1 << 20, proof_bytes: 16 << 20, log_k: MAX_LOG_K, rows: MAX_ROWS }
    }
}

impl Limits {
    fn check(kind: Kind, what: &'static str, value: usize, limit: usize) -> Result<(), Error> {
        if value <= limit {
            return Ok(());
        }
        let why = Malformed::Limit { what, value: value as u64, limit: limit as u64 };
        Err(Error::Malformed { kind, why })
    }
}

/// The header of a new artifact.
fn start(kind: Kind, len: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(len);
    out.extend_from_slice(kind.magic());
    out.extend_from_slice(&VERSION.to_le_bytes());
    out
}

/// A [`Reader`] whose errors name the artifact.
struct Decoder<'a> {
    kind: Kind,
    reader: Reader<'a>,
}

impl<'a> Decoder<'a> {
    /// A decoder of `bytes` behind the header, which is checked.
    fn new(kind: Kind, bytes: &'a [u8]) -> Result<Self, Error> {
        let mut decoder = Self { kind, reader: Reader::new(bytes) };
        // A file of another kind is called that, however short it is.
        if !bytes.iter().zip(kind.magic()).all(|(a, b)| a == b) {
            return decoder.refuse(Malformed::Magic);
        }
        decoder.bytes(MAGIC_BYTES)?;
        match decoder.u16()? {
            VERSION => Ok(decoder),
            version => decoder.refuse(Malformed::Version(version)),
        }
    }

    fn refuse<T>(&self, why: Malformed) -> Result<T, Error> {
        Err(Error::Malformed { kind: self.kind, why })
    }

    fn lift<T>(&self, read: Result<T, Reject>) -> Result<T, Error> {
        read.or_else(|reject| {
            self.refuse(match reject {
                Reject::NonCanonicalWord => Malformed::NonCanonicalWord,
                Reject::Trailing(len) => Malformed::Trailing(len),
                _ => Malformed::Truncated,
            })
        })
    }

    fn bytes(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let read = self.reader.bytes(len);
        self.lift(read)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let read = self.reader.array();
        self.lift(read)
    }

    fn u8(&mut self) -> Result<u8, Error> {
        self.array().map(u8::from_le_bytes)
    }

    fn u16(&mut self) -> Result<u16, Error> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, Error> {
        self.array().map(u64::from_le_bytes)
    }

    fn digest(&mut self) -> Result<Digest, Error> {
        let mut digest = [F::default(); DIGEST];
        for word in &mut digest {
            let read = self.reader.word();
            *word = self.lift(read)?;
        }
        Ok(digest)
    }

    fn digests(&mut self, len: usize) -> Result<Vec<Digest>, Error> {
        self.require(len, DIGEST_BYTES)?;
        (0..len).map(|_| self.digest()).collect()
    }

    fn words(&mut self, len: usize) -> Result<Vec<F>, Error> {
        let read = self.reader.words(len);
        self.lift(read)
    }

    /// Refuses an input that does not hold `len` items of `size` bytes.
    fn require(&self, len: usize, size: usize) -> Result<(), Error> {
        match len.checked_mul(size) {
            Some(bytes) if bytes <= self.reader.remaining() => Ok(()),
            _ => self.refuse(Malformed::Truncated),
        }
    }

    fn finish(self) -> Result<(), Error> {
        let Self { kind, reader } = self;
        match reader.remaining() {
            0 => Ok(()),
            left => Err(Error::Malformed { kind, why: Malformed::Trailing(left) }),
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
mod tests;
