//! airda proves data available without a VM.
//!
//! A builder erasure-codes a payload, commits to every cell and proves that the commitment is
//! well formed; light verifiers check that proof once and then sample columns; anyone with half
//! of the columns gets the payload back, and every missing column.
//!
//! ```
//! # #[cfg(feature = "prover")]
//! use airda::{Block, HashWidth, Params, proof, recover};
//!
//! # #[cfg(not(feature = "prover"))]
//! # fn main() {}
//! # #[cfg(feature = "prover")]
//! # fn main() -> Result<(), airda::Error> {
//! let payload = b"what everybody shall be able to read";
//! // Rows of 2^6 symbols in cells of 2^2; one row carries 19·64 bytes.
//! let params = Params::new(HashWidth::W16, 6, 2, 1, payload.len() as u64)?;
//! let block = Block::build(params, payload)?;
//! let commitment = block.commitment();
//!
//! let file = proof::prove(&block, &proof::System::for_rate(1)?)?;
//! let verified = proof::verify(commitment, &file)?;
//! assert!(verified.security.proof_bits >= 128.0);
//!
//! // Half of the columns, any half, give everything back.
//! let half: Vec<usize> = (0..params.half()).map(|j| 2 * j + 1).collect();
//! let columns = commitment.check_all(block.open(&half)?);
//! let columns = columns.into_iter().collect::<Result<Vec<_>, _>>()?;
//! let recovered = recover(commitment, &columns)?;
//! assert_eq!(recovered.payload()?, payload);
//! # Ok(())
//! # }
//! ```

// All that a build without provers has is reached from bytes that strangers send. Modules that
// verify or decode, and hold nothing but that, say so themselves for other builds.
#![cfg_attr(not(any(feature = "prover", test)), deny(clippy::arithmetic_side_effects))]

pub mod artifact;
pub mod block;
pub mod bytes;
pub mod code;
pub mod commitment;
pub mod error;
pub mod hash;
pub mod opening;
pub mod params;
pub mod profile;
pub mod proof;
pub mod recovery;
pub mod relation;
pub mod sampling;
pub mod security;

pub use airda_gkr::{E, F};
pub use block::Block;
pub use commitment::Commitment;
pub use error::Error;
pub use opening::{CheckedColumn, Column};
pub use params::{HashWidth, Params};
pub use profile::Profile;
pub use recovery::{Recovered, recover};
