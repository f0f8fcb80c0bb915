//! Steps 1 to 3 on the verifier's side.
#![deny(clippy::indexing_slicing, clippy::unwrap_used)]
#![deny(clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use super::rows::{eq_at, eq_table};
use super::{Equations, LinearForm, combine};
use crate::calls::{CallTable, Layout};
use crate::permutation::{Permutation, Poseidon2};
use crate::transcript::Receiver;
use crate::{E, Reject, levels, sumcheck};

/// What the linear form leaves: `f~(point)·weight = sum`.
#[must_use = "the caller owes the check of the claim"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Little-endian.
    pub(crate) point: Vec<E>,
    /// Ω~(point).
    pub(crate) weight: E,
    /// The product's value.
    pub(crate) sum: E,
}

/// Reduces all that is owed to one claim about f.
///
/// # Errors
/// [`Reject::Truncated`] or [`Reject::NonCanonicalWord`].
pub(crate) fn verify<const T: usize>(
    table: &CallTable<T>,
    layout: &Layout<'_>,
    claims: &[levels::Claim<T>],
    equations: &Equations<'_>,
    num_variables: usize,
    channel: &mut impl Receiver,
) -> Result<Claim, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    // 1.
    let gamma = channel.draw();
    let form = combine(table, layout, claims, equations, gamma);
    // 2.
    let sumcheck::Claim { point, sum } = sumcheck::verify(num_variables, form.value, channel)?;
    // 3.
    let weight = form.extension(&point);
    Ok(Claim { point, weight, sum })
}

impl LinearForm<'_> {
    /// Ω~(z), z little-endian.
    pub(crate) fn extension(&self, z: &[E]) -> E {
        let mut total = E::ZERO;
        // Terms with vectors of one length share the table of eq over the bits above.
        for log_len in 0..=z.len() {
            let of_length: Vec<bool> =
                self.vectors.iter().map(|vector| vector.log_len() == log_len).collect();
            // There may be very many terms, and hardly any lengths.
            if !of_length.contains(&true) {
                continue;
            }
            let is_of_length = |vector: usize| of_length.get(vector).copied().unwrap_or(false);
            let terms = || self.terms.iter().filter(|term| is_of_length(term.vector));
            let count = terms().count();
            let (low, high) = z.split_at(log_len);
            // A table pays when it is shorter than the products it saves.
            let table =
                (count.saturating_mul(high.len()) >= 1 << high.len()).then(|| eq_table(high));
            let mut sums = vec![E::ZERO; self.vectors.len()];
            for term in terms() {
                let block = term.start >> log_len;
                let eq = match &table {
                    Some(table) => table.get(block).copied().unwrap_or(E::ZERO),
                    None => eq_at(high, block),
                };
                if let Some(sum) = sums.get_mut(term.vector) {
                    *sum += term.coefficient * eq;
                }
            }
            for (vector, &sum) in self.vectors.iter().zip(&sums) {
                if sum != E::ZERO {
                    total += sum * vector.extension(low);
                }
            }
        }
        total
    }
}
