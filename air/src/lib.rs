//! AIR tables for Poseidon2 calls and Reed–Solomon inner products, and a proof of several of them
//! over FRI.
//!
//! The crate knows tables, blocks and addresses; what they are the tables of is its user's.
//!
//! | table | a row | columns, width 16 (24) | degree |
//! |---|---|---|---|
//! | [`Poseidon2Calls`](calls::Poseidon2Calls) | some calls of the compression with feed-forward, side by side | 164 (239) a call | 3 |
//! | [`InnerProduct`](inner_product::InnerProduct) | B symbols of n vectors, their weights and running sums | 5B + 5n + 5Bn | 3 |
//! | [`PublicBlocks`](public_blocks::PublicBlocks) | the only one: blocks that the verifier knows | 1 | 1 |
//!
//! Tables talk over one LogUp [bus](buses) of addressed blocks of eight words; which call reads
//! which block is laid out with a [`Ledger`](buses::Ledger) and a
//! [`ScheduleBuilder`](calls::ScheduleBuilder) and stands in preprocessed columns.
//!
//! Each table is an AIR of p3-air for any builder over KoalaBear, hence for any p3 configuration,
//! alone or with others; `interact` puts its messages on the bus of a builder that has one.
//! [`Machine`] proves tables together with p3-batch-stark and p3-fri over byte-hash trees, in a
//! fixed encoding, and [`security`] says how secure that is. [`multi`] proves the same tables with
//! p3-multi-stark over WHIR, in memory.
//!
//! # What a call costs
//! The digest's feed-forward and chains from lane to lane cost no column. Beyond the bare
//! permutation a call has a message for each block that it reads, one more where a chain starts
//! and one where it ends; two messages share a fraction column of E.

pub mod alone;
pub mod batch;
pub mod buses;
pub mod calls;
mod codec;
mod compiled;
mod encoding;
mod error;
#[cfg(all(test, feature = "prover"))]
mod fixture;
pub mod fri;
mod guard;
pub mod inner_product;
pub mod multi;
pub mod public_blocks;
pub mod security;
pub mod table;

use p3_field::extension::QuinticTrinomialExtensionField;
use p3_koala_bear::KoalaBear;

pub use batch::Machine;
pub use compiled::Compiled;
pub use error::Reject;
pub use table::Table;

/// The base field.
pub type F = KoalaBear;
/// The field of challenges, `E = F[X]/(X^5 + X^2 − 1)`.
pub type E = QuinticTrinomialExtensionField<KoalaBear>;
