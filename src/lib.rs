//! airda proves data available without a VM.
//!
//! A builder erasure-codes a payload, commits to every cell and proves that the commitment is
//! well formed; light verifiers check that proof once and then sample columns; anyone with half
//! of the columns gets the payload back, and every missing column.

pub mod artifact;
pub mod bytes;
pub mod code;
pub mod commitment;
pub mod error;
pub mod hash;
pub mod opening;
pub mod params;
pub mod profile;
pub mod sampling;

pub use airda_gkr::{E, F};
pub use commitment::Commitment;
pub use error::Error;
pub use opening::{CheckedColumn, Column};
pub use params::{HashWidth, Params};
pub use profile::Profile;
