//! airda proves data available without a VM.

pub mod error;
pub mod hash;
pub mod params;

pub use airda_gkr::{E, F};
pub use error::Error;
pub use params::{HashWidth, Params};
