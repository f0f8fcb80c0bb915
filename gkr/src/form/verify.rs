//! Steps 1 to 3 on the verifier's side.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use super::rows::RowWeights;
use super::{Equations, LinearForm, Vector, combine};
use crate::calls::{Layout, Level, SystematicCode, same_code};
use crate::eq::{eq_at, eq_table};
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
#[tracing::instrument(name = "gkr.form.verify", skip_all, fields(num_variables))]
pub(crate) fn verify<const T: usize>(
    levels: &[Level<'_, T>],
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
    let form = combine(levels, layout, claims, equations, gamma);
    // 2.
    let order = form.order(num_variables);
    let sumcheck::Claim { point, sum } = sumcheck::verify(order, form.value, channel)?;
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
            let mut coded = Vec::new();
            for (vector, &sum) in self.vectors.iter().zip(&sums) {
                match vector {
                    _ if sum == E::ZERO => {}
                    Vector::Coded { code, column, weights } => {
                        coded.push(Coded { code: *code, column: *column, weights, sum });
                    }
                    _ => total += sum * vector.extension(low),
                }
            }
            total += coded_extension(coded, low);
        }
        total
    }
}

/// A coded vector and what its terms multiply it with.
#[derive(Clone, Copy)]
struct Coded<'a> {
    code: &'a dyn SystematicCode,
    column: usize,
    weights: &'a RowWeights,
    sum: E,
}

/// `Σ sum·vector~(z)`: eq(z, ·) is encoded once for each code.
fn coded_extension(mut vectors: Vec<Coded<'_>>, z: &[E]) -> E {
    let mut total = E::ZERO;
    while let Some(&Coded { code, .. }) = vectors.first() {
        let codeword = code.encode(&eq_table(z));
        let mut of_code: Vec<_>;
        (of_code, vectors) = vectors.into_iter().partition(|other| same_code(other.code, code));
        while let Some(&Coded { weights, .. }) = of_code.first() {
            let dense = weights.dense();
            let alike: Vec<_>;
            (alike, of_code) = of_code.into_iter().partition(|other| other.weights == weights);
            for vector in alike {
                total += vector.sum * column_product(&codeword, vector.column, &dense);
            }
        }
    }
    total
}

/// `⟨codeword, δ_column ⊗ weights⟩`, where a column is as long as the weights.
pub(super) fn column_product(codeword: &[E], column: usize, weights: &[E]) -> E {
    let column = codeword.chunks(weights.len().max(1)).nth(column).unwrap_or(&[]);
    column.iter().zip(weights).map(|(&word, &weight)| word * weight).sum()
}
