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
    pub(crate) fn extension(self, z: &[E]) -> E {
        let sums = self.sums(z);
        // The terms are by far the longest list: it goes before the vectors are written out.
        let Self { vectors, terms, .. } = self;
        drop(terms);
        let mut total = E::ZERO;
        for log_len in 0..=z.len() {
            let (low, _) = z.split_at(log_len);
            let mut coded = Vec::new();
            let weighed = vectors.iter().zip(&sums);
            for (vector, &sum) in weighed.filter(|(vector, _)| vector.log_len() == log_len) {
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

    /// For each vector Σ coefficient·eq(z_high, start/S) over its terms.
    fn sums(&self, z: &[E]) -> Vec<E> {
        let mut sums = vec![E::ZERO; self.vectors.len()];
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
            let (_, high) = z.split_at(log_len);
            // A table over the lowest of these bits, not much longer than there are terms to
            // look things up: a form that few bytes call for must not cost more memory than it
            // has terms.
            let tabled =
                terms().count().checked_ilog2().map_or(0, |log| (log as usize).saturating_add(1));
            let (near, far) = high.split_at(tabled.min(high.len()));
            let table = eq_table(near);
            for term in terms() {
                let block = term.start >> log_len;
                let (inside, above) = (block & !(usize::MAX << near.len()), block >> near.len());
                let mut eq = table.get(inside).copied().unwrap_or(E::ZERO);
                if !far.is_empty() {
                    eq *= eq_at(far, above);
                }
                if let Some(sum) = sums.get_mut(term.vector) {
                    *sum += term.coefficient * eq;
                }
            }
        }
        sums
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
