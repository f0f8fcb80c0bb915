//! Bytes that no honest program wrote, for every decoder and every verifier of a stranger's
//! bytes: an error, and never
//! - a panic, also none that the guard around the dependency's verifier would turn into an error
//!   if it started in this workspace: with the feature `testing` those go on;
//! - more than the larger of 64 MiB and ten times the input allocated at a time;
//! - more than twice the hashes, words read and challenges of an honest artifact of the same
//!   parameters, counted, not timed.
//!
//! An AIR proof that is long enough has the verifier make the tables of the statement's shape,
//! whatever it says: memory is then bounded by the statement's calls (`air`).
//!
//! All encodings are canonical, so there is no change that may be accepted.
//!
//! Exhaustive kinds run whole, always. Of the sampled ones `AIRDA_MALFORMED_CASES` are run in all
//! (10 000 by default), each from a generator of its own that follows from
//! `AIRDA_MALFORMED_SEED` (1 by default), its kind and its number. A case that fails says how to
//! run it again: the same seed and `AIRDA_MALFORMED_INDEX`, with the test's name. The long run:
//!
//! ```text
//! AIRDA_MALFORMED_CASES=1000000 AIRDA_MALFORMED_SEED=1 cargo test --test malformed -- --nocapture
//! ```
//!
//! It prints the count, the seed and the duration of every kind. More than a third of the sampled
//! cases reach the proof's verifier. Debug assertions and overflow checks are on, as in every
//! test build of this workspace.

mod air;
mod blocks;
mod cases;
mod columns;
mod commitments;
#[path = "../common/mod.rs"]
mod common;
mod edits;
mod largest;
mod measure;
mod proofs;
mod recovery;

/// An overflow is a panic here, or a part of this suite would not bite.
#[test]
#[should_panic(expected = "overflow")]
fn overflows_panic() {
    let most = std::hint::black_box(usize::MAX);
    assert_eq!(most + 1, 0);
}
