//! What verifying costs, counted: for tests that bound a hostile input's cost by an honest
//! one's, whatever the machine.
//!
//! With the feature `testing` every thread counts what it does itself; without it every call
//! here compiles to nothing. The provers' packed kernels are not counted, a table's digests
//! are, batch by batch.
#![allow(clippy::arithmetic_side_effects, reason = "what is counted was done")]

use crate::codec::DEGREE;

/// What one thread has done so far, or between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls of the Poseidon2 compression; a packed one counts for each of its lanes.
    pub compressions: u64,
    /// Messages hashed with BLAKE3.
    pub messages: u64,
    /// Blocks of 64 bytes in these messages.
    pub blocks: u64,
    /// Words that a [`Reader`](crate::codec::Reader) was asked for; an integer counts as one, a
    /// digest of the opening's trees as eight, a slice that is only lent as none.
    pub words: u64,
    /// Challenges drawn by the [`Channel`](crate::transcript::Channel).
    pub challenges: u64,
}

impl Counts {
    /// Nothing.
    pub const ZERO: Self =
        Self { compressions: 0, messages: 0, blocks: 0, words: 0, challenges: 0 };
}

#[cfg(feature = "testing")]
mod cells {
    use std::cell::Cell;

    use super::Counts;

    thread_local! {
        static COUNTS: Cell<Counts> = const { Cell::new(Counts::ZERO) };
    }

    impl Counts {
        /// What this thread has done so far.
        pub fn now() -> Self {
            COUNTS.get()
        }

        /// What was done since `before`.
        #[must_use]
        pub const fn since(self, before: Self) -> Self {
            Self {
                compressions: self.compressions - before.compressions,
                messages: self.messages - before.messages,
                blocks: self.blocks - before.blocks,
                words: self.words - before.words,
                challenges: self.challenges - before.challenges,
            }
        }

        /// The larger of each.
        #[must_use]
        pub fn max(self, other: Self) -> Self {
            Self {
                compressions: self.compressions.max(other.compressions),
                messages: self.messages.max(other.messages),
                blocks: self.blocks.max(other.blocks),
                words: self.words.max(other.words),
                challenges: self.challenges.max(other.challenges),
            }
        }

        /// Whether nothing was done more than `times` as often as in `other`.
        pub const fn within(self, times: u64, other: Self) -> bool {
            self.compressions <= times * other.compressions
                && self.messages <= times * other.messages
                && self.blocks <= times * other.blocks
                && self.words <= times * other.words
                && self.challenges <= times * other.challenges
        }
    }

    pub(crate) fn add(change: impl FnOnce(&mut Counts)) {
        let mut counts = COUNTS.get();
        change(&mut counts);
        COUNTS.set(counts);
    }
}

#[cfg(feature = "testing")]
use cells::add;

#[cfg(not(feature = "testing"))]
#[inline(always)]
fn add(_: impl FnOnce(&mut Counts)) {}

#[inline(always)]
pub(crate) fn compressions(calls: usize) {
    add(|counts| counts.compressions += calls as u64);
}

#[inline(always)]
pub(crate) fn message(bytes: u64) {
    add(|counts| {
        counts.messages += 1;
        counts.blocks += bytes.div_ceil(64).max(1);
    });
}

#[inline(always)]
pub(crate) fn words(len: usize) {
    add(|counts| counts.words += len as u64);
}

#[inline(always)]
pub(crate) fn challenge() {
    add(|counts| counts.challenges += 1);
}

#[inline(always)]
pub(crate) fn elements(len: usize) {
    add(|counts| counts.words += (len * DEGREE) as u64);
}
