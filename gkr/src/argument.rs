//! The whole argument: one commitment, one walk, one linear form, one opening.
//!
//! # Statement
//! A vector f of words fulfils a [`CallTable`] (every digest is the compression of its call's
//! input words) and the caller's [`Equations`]. The [`Layout`] says which of the table's words
//! f holds: all of them, or of the source words only the messages of a code, the others being
//! their encoding by definition.
//!
//! # Steps
//! 1. Both sides absorb the table's shape and the counts that follow from the statement. The
//!    caller has absorbed before what the table, the equations and the code mean, so that nothing
//!    of it can be chosen after a challenge: [`CallTable::bind`] and [`Equations::bind`], or a
//!    shorter description that determines them.
//! 2. The prover commits to f ([`commit`](crate::commit)).
//! 3. The [walk] reduces the calls' outputs at one point to their inputs at
//!    another, all calls of a level (module `levels`) at once; there is one level where all
//!    digests are committed.
//! 4. The [linear form](crate::form) combines the walks' claims and the equations and reduces
//!    them to `f~(z)·Ω~(z) = sum`.
//! 5. The prover opens `f~(z)`; the verifier computes `Ω~(z)` and checks the product.
//!
//! # Soundness
//! The sum of the parts' errors, those of steps 3 and 4 times the list size that the
//! commitment leaves open; [`security`](crate::security) computes it.
//!
//! # Cost
//! The parts'. Committing and opening grow with the words, the walk with the calls.
//!
//! # Source
//! GKR: Goldwasser, Kalai, Rothblum (2008). One commitment, a walk that ends in linear claims
//! on it, and one opening: as in Libra (ePrint 2019/317), section 4.
//!
//! # Deviations
//! A call's chaining value enters its output by feed-forward, so the walk keeps the
//! permutation's own outputs and the linear form subtracts what is known.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use crate::Reject;
use crate::calls::{CallTable, Layout, Level};
use crate::codec::{DEGREE, WORD_BYTES};
use crate::commit::Scheme;
use crate::form::{self, Equations, Owed};
use crate::permutation::{Permutation, Poseidon2};
use crate::security::Reductions;
use crate::transcript::{Channel, VerifierChannel};
use crate::{levels, walk};

/// Absorbed first: the protocol and its version.
const DOMAIN: &[u8] = b"airda gkr, stacked, one form, version 2";

/// What is proved.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a, const T: usize> {
    /// The calls.
    pub table: &'a CallTable<T>,
    /// What of the table's words is committed: a layout of this table.
    pub layout: Layout<'a>,
    /// Whatever else the committed words must fulfil.
    pub equations: &'a Equations<'a>,
}

impl<const T: usize> Statement<'_, T> {
    /// What is drawn between commitment and opening, for [`Report`](crate::security::Report).
    pub fn reductions(&self) -> Reductions
    where
        Poseidon2<T>: Permutation<T>,
    {
        let num_calls = self.table.levels().into_iter().map(|level| level.num_calls);
        Reductions::new::<T>(num_calls, self.equations.len())
    }

    /// Step 1.
    fn bind(&self, levels: &[Level<'_, T>], channel: &mut impl Channel) {
        channel.bind_bytes(DOMAIN);
        let counts = [
            T,
            walk::POSITIONS,
            self.table.base(),
            self.table.num_calls(),
            self.table.pieces().len(),
            self.layout.base(),
            self.layout.code().map_or(0, |code| code.log_column()),
            self.layout.code().map_or(0, |code| code.log_columns()),
            self.equations.len(),
        ];
        let levels = levels::shape(levels);
        let bytes: Vec<u8> = counts
            .into_iter()
            .chain(levels)
            .flat_map(|count| (count as u64).to_le_bytes())
            .collect();
        channel.bind_bytes(&bytes);
    }
}

/// Proves a statement about `words`: the table's source words and all digests.
///
/// # Panics
/// When the words are not as many as the table's, or the layout's not as many as the scheme's.
#[cfg(feature = "prover")]
#[tracing::instrument(name = "gkr.prove", skip_all, fields(calls = statement.table.num_calls()))]
pub fn prove<const T: usize>(
    statement: &Statement<'_, T>,
    scheme: &Scheme,
    words: &[crate::F],
    channel: &mut (impl crate::transcript::Sender + Send),
) where
    Poseidon2<T>: Permutation<T>,
{
    let trace = |level: &Level<'_, T>| {
        walk::Trace::generate(level.num_calls, |chunk, columns| {
            level.fill_inputs(words, chunk, columns);
        })
    };
    prove_traced(statement, scheme, words, trace, channel);
}

/// The same with whatever traces the prover believes in.
#[cfg(feature = "prover")]
fn prove_traced<const T: usize>(
    statement: &Statement<'_, T>,
    scheme: &Scheme,
    words: &[crate::F],
    trace: impl Fn(&Level<'_, T>) -> walk::Trace<T>,
    channel: &mut (impl crate::transcript::Sender + Send),
) where
    Poseidon2<T>: Permutation<T>,
{
    let Statement { table, layout, equations } = *statement;
    assert_eq!(words.len(), table.num_words(), "one word for every place in the table");
    let levels = table.levels();
    // 1.
    statement.bind(&levels, channel);
    // 2.
    let committed = scheme.commit(layout.gather(words), channel);
    // 3.
    let claims = levels::prove(&levels, words, trace, channel);
    // 4.
    let words = form::Words {
        committed: committed.words(),
        source: layout.code().map_or(&[], |_| words.split_at(table.base()).0),
    };
    let num_variables = scheme.num_variables();
    let owed = Owed::of_levels(&levels, &claims);
    let point = form::prove(&owed, &layout, equations, words, num_variables, channel);
    // 5.
    let _ = scheme.open(committed, &point, channel);
}

/// Whether a proof of `len` bytes can be one of a table's words: what is known of its length
/// before anything is made of the statement, so that a few bytes cause little work.
///
/// # Errors
/// [`Reject::Truncated`] or [`Reject::Trailing`] for a shorter or longer one than there is;
/// [`Reject::NumWords`] when the scheme is one for another number of words.
pub fn admit<const T: usize>(
    table: &CallTable<T>,
    layout: &Layout<'_>,
    scheme: &Scheme,
    len: usize,
) -> Result<(), Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    if scheme.num_words() != layout.num_words() {
        return Err(Reject::NumWords(scheme.num_words()));
    }
    let walk = levels::num_sent::<T>(table.levels().iter().map(|level| level.num_calls));
    // A round of the form sends two elements.
    let sent = scheme.num_variables().saturating_mul(2).saturating_add(walk);
    let sent = sent.saturating_mul(DEGREE * WORD_BYTES);
    let opening = scheme.proof_bytes();
    let rest = len.checked_sub(sent).ok_or(Reject::Truncated)?;
    if rest < *opening.start() {
        return Err(Reject::Truncated);
    }
    match rest.checked_sub(*opening.end()) {
        None | Some(0) => Ok(()),
        Some(extra) => Err(Reject::Trailing(extra)),
    }
}

/// Bytes of a proof, part by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Step 2.
    pub commitment: usize,
    /// Step 3.
    pub walk: usize,
    /// Step 4.
    pub form: usize,
    /// Step 5.
    pub opening: usize,
}

/// Checks a proof of the statement, and tells what its parts took of the channel.
///
/// # Errors
/// [`Reject`] says which part does not hold.
pub fn verify<const T: usize>(
    statement: &Statement<'_, T>,
    scheme: &Scheme,
    channel: &mut VerifierChannel<'_>,
) -> Result<Sizes, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    let Statement { table, layout, equations } = *statement;
    if scheme.num_words() != layout.num_words() {
        return Err(Reject::NumWords(scheme.num_words()));
    }
    let levels = table.levels();
    // 1.
    statement.bind(&levels, channel);
    let mut left = channel.remaining();
    let mut taken = |channel: &VerifierChannel<'_>| {
        let before = std::mem::replace(&mut left, channel.remaining());
        before.saturating_sub(left)
    };
    // 2.
    let root = scheme.receive(channel)?;
    let commitment = taken(channel);
    // 3.
    let claims = levels::verify(&levels, channel)?;
    let walk = taken(channel);
    // 4.
    let num_variables = scheme.num_variables();
    let owed = Owed::of_levels(&levels, &claims);
    let owed = form::verify(&owed, &layout, equations, num_variables, channel)?;
    let form = taken(channel);
    // 5.
    let value = scheme.verify(&root, &owed.point, channel)?;
    if owed.weight * value != owed.sum {
        return Err(Reject::LinearForm);
    }
    Ok(Sizes { commitment, walk, form, opening: taken(channel) })
}

#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod forgery_tests;
#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod level_tests;
#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod sum_tests;
#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests;
