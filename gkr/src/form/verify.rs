//! Steps 1 to 3 on the verifier's side.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::PrimeCharacteristicRing;

use super::combine::{Frame, visit};
use super::owed::Owed;
use super::rows::RowWeights;
use super::{Equations, Term, Vector, order};
use crate::calls::{Layout, SystematicCode, same_code};
use crate::eq::{EqHalves, eq_table};
use crate::permutation::{Permutation, Poseidon2};
use crate::transcript::Receiver;
use crate::{E, Reject, sumcheck};

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
/// [`Reject::Truncated`] or [`Reject::NonCanonicalWord`]; [`Reject::NumWords`] when a vector is
/// longer than what is committed.
#[tracing::instrument(name = "gkr.form.verify", skip_all, fields(num_variables))]
pub(crate) fn verify<const T: usize>(
    owed: &[Owed<'_, T>],
    layout: &Layout<'_>,
    equations: &Equations<'_>,
    num_variables: usize,
    channel: &mut impl Receiver,
) -> Result<Claim, Reject>
where
    Poseidon2<T>: Permutation<T>,
{
    // 1.
    let gamma = channel.draw();
    let Frame { vectors, value } = visit(owed, layout, equations, gamma, |_| {});
    if vectors.iter().any(|vector| vector.log_len() > num_variables) {
        return Err(Reject::NumWords(layout.num_words()));
    }
    // 2.
    let sumcheck::Claim { point, sum } =
        sumcheck::verify(order(&vectors, num_variables), value, channel)?;
    // 3. The terms are made once more: there may be millions of them, and the prover says where.
    let mut shares = Shares::new(&vectors, &point);
    let _ = visit(owed, layout, equations, gamma, |term| shares.add(&term));
    let weight = shares.extension(&vectors, &point);
    Ok(Claim { point, weight, sum })
}

/// For each vector Σ coefficient·eq(z_high, start/S) over its terms, S the vector's length: its
/// share in Ω~(z) is that times its own extension.
pub(super) struct Shares {
    log_lens: Vec<usize>,
    sums: Vec<E>,
    /// By log S.
    blocks: Vec<Option<EqHalves>>,
}

impl Shares {
    pub(super) fn new(vectors: &[Vector<'_>], z: &[E]) -> Self {
        let log_lens: Vec<usize> = vectors.iter().map(Vector::log_len).collect();
        let blocks = (0..=z.len()).map(|log_len| {
            let high = z.get(log_len..).unwrap_or(&[]);
            log_lens.contains(&log_len).then(|| EqHalves::new(high))
        });
        Self { blocks: blocks.collect(), sums: vec![E::ZERO; vectors.len()], log_lens }
    }

    pub(super) fn add(&mut self, term: &Term) {
        let Some(&log_len) = self.log_lens.get(term.vector) else { return };
        let blocks = self.blocks.get(log_len).and_then(Option::as_ref);
        let (Some(blocks), Some(sum)) = (blocks, self.sums.get_mut(term.vector)) else { return };
        *sum += term.coefficient * blocks.at(term.start >> log_len);
    }

    /// Ω~(z).
    pub(super) fn extension(&self, vectors: &[Vector<'_>], z: &[E]) -> E {
        let mut total = E::ZERO;
        for log_len in 0..=z.len() {
            let (low, _) = z.split_at(log_len);
            let mut coded = Vec::new();
            let shares = vectors.iter().zip(&self.sums);
            for (vector, &sum) in shares.filter(|(vector, _)| vector.log_len() == log_len) {
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
