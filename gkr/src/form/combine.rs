//! Step 1: all claims become one linear form. Both sides run this.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use std::collections::BTreeMap;
use std::sync::Arc;

use p3_field::PrimeCharacteristicRing;
use p3_symmetric::CryptographicHasher;

use super::owed::Owed;
use super::rows::{PointWeights, RowWeights};
use super::{Term, Vector};
use crate::blake3::{Blake3, DIGEST_BYTES};
use crate::calls::{Layout, Level, Place, Source};
use crate::codec::{put_count, put_elements};
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::transcript::Channel;
use crate::{E, F, walk};

/// `Σ terms = value`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Equation {
    /// What is summed.
    pub terms: Vec<Term>,
    /// What it must be.
    pub value: E,
}

/// The caller's equations on the committed vector, and the vectors that they weigh it with.
#[derive(Clone, Debug)]
pub struct Equations<'a> {
    vectors: Vec<&'a [E]>,
    list: Vec<Equation>,
}

impl<'a> Equations<'a> {
    /// The vector that weighs a single word by one.
    pub const UNIT: usize = 0;

    /// No equations.
    pub const fn new() -> Self {
        Self { vectors: Vec::new(), list: Vec::new() }
    }

    /// Adds a vector for [`Term::vector`] to name.
    ///
    /// # Panics
    /// When its length is no power of two.
    pub fn vector(&mut self, entries: &'a [E]) -> usize {
        assert!(entries.len().is_power_of_two());
        self.vectors.push(entries);
        self.vectors.len()
    }

    /// Adds an equation.
    ///
    /// # Panics
    /// When a term names no vector or is not aligned to its vector's length.
    pub fn push(&mut self, equation: Equation) {
        for term in &equation.terms {
            let given = |index: usize| self.vectors.get(index).map_or(0, |entries| entries.len());
            let len = term.vector.checked_sub(1).map_or(1, given);
            assert!(len > 0, "terms name vectors that were added");
            assert!(term.start.is_multiple_of(len), "terms are aligned to their vectors");
        }
        self.list.push(equation);
    }

    /// Adds the equation that the word at `start` is `value`.
    pub fn fix(&mut self, start: usize, value: F) {
        let term = Term { start, vector: Self::UNIT, coefficient: E::ONE };
        self.push(Equation { terms: vec![term], value: value.into() });
    }

    /// Absorbs a digest of all vectors and equations, their terms, coefficients and values.
    ///
    /// [`argument`](crate::argument) absorbs their number alone. Both sides of a proof call this
    /// before it, unless they absorb a shorter description that determines the equations.
    pub fn bind(&self, channel: &mut impl Channel) {
        let mut bytes = b"airda gkr, equations".to_vec();
        put_count(&mut bytes, self.vectors.len());
        for entries in &self.vectors {
            put_count(&mut bytes, entries.len());
            put_elements(&mut bytes, entries);
        }
        put_count(&mut bytes, self.list.len());
        for Equation { terms, value } in &self.list {
            put_elements(&mut bytes, &[*value]);
            put_count(&mut bytes, terms.len());
            for term in terms {
                put_count(&mut bytes, term.start);
                put_count(&mut bytes, term.vector);
                put_elements(&mut bytes, &[term.coefficient]);
            }
        }
        let digest: [u8; DIGEST_BYTES] = Blake3.hash_slice(&bytes);
        channel.bind_bytes(&digest);
    }

    /// How many equations there are.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Default for Equations<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// How the columns of a piece weigh the committed words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Rows,
    Interleaved(usize),
    Shifted,
    Coded(usize),
}

/// Combines all that is owed and the equations by the powers of γ.
#[cfg(feature = "prover")]
pub(crate) fn combine<'a, const T: usize>(
    owed: &[Owed<'_, T>],
    layout: &Layout<'a>,
    equations: &Equations<'a>,
    gamma: E,
) -> super::LinearForm<'a>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut terms = Vec::new();
    let Frame { vectors, value } = visit(owed, layout, equations, gamma, |term| terms.push(term));
    super::LinearForm { vectors, terms, value }
}

/// A linear form without its terms.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) vectors: Vec<Vector<'a>>,
    pub(crate) value: E,
}

/// Combines all that is owed and the equations by the powers of γ, and shows every term
/// once. Terms are the longest list by far: who need not keep them, does not.
pub(crate) fn visit<'a, const T: usize>(
    owed: &[Owed<'_, T>],
    layout: &Layout<'a>,
    equations: &Equations<'a>,
    gamma: E,
    mut show: impl FnMut(Term),
) -> Frame<'a>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut powers = gamma.powers();
    let mut power = move || powers.next().unwrap_or(E::ZERO);
    let mut form = Frame { vectors: vec![Vector::Unit], value: E::ZERO };
    form.vectors.extend(equations.vectors.iter().map(|&entries| Vector::Given(entries)));

    let mut zeros = [F::ZERO; T];
    Poseidon2::<T>::permute(&mut zeros);
    for owed in owed {
        match *owed {
            Owed::Outputs { level, at, beta, value, known } => {
                // The outputs are D − h; rows beyond the level hold the permutation of zeros.
                let scale = power();
                let digest = beta.map(|beta| scale * beta);
                let mut inputs = [E::ZERO; T];
                for (to, &beta) in inputs.iter_mut().zip(&digest) {
                    *to = -beta;
                }
                let of_zeros: E = digest.iter().zip(zeros).map(|(&beta, word)| beta * word).sum();
                form.value += scale * value - at.tail(level.num_calls) * of_zeros;
                // Digests are committed, or known at the point.
                let committed = match known {
                    None => Some(&digest),
                    Some(known) => {
                        let known = digest.iter().zip(known).map(|(&beta, &d)| beta * d);
                        form.value -= known.sum::<E>();
                        None
                    }
                };
                table_terms(level, layout, at, committed, &inputs, &mut form, &mut show);
            }
            Owed::Inputs { level, at, inputs } => {
                // Rows beyond the level add nothing.
                let scales: [E; T] = std::array::from_fn(|_| power());
                form.value += scales.iter().zip(&inputs).map(|(&g, &a)| g * a).sum::<E>();
                table_terms(level, layout, at, None, &scales, &mut form, &mut show);
            }
        }
    }

    for equation in &equations.list {
        let scale = power();
        form.value += scale * equation.value;
        for term in &equation.terms {
            show(Term { coefficient: scale * term.coefficient, ..*term });
        }
    }
    form
}

/// Adds `Σ_i w(i)·[Σ_v digest_v·D_v[i] + Σ_v inputs_v·in_v[i]]` to the form, over the level's
/// rows and without the chaining values of pieces that are fed. A sum is owed term by term.
fn table_terms<'a, const T: usize>(
    level: &Level<'_, T>,
    layout: &Layout<'a>,
    point: &walk::Point,
    digest: Option<&[E; DIGEST]>,
    inputs: &[E; T],
    form: &mut Frame<'a>,
    show: &mut impl FnMut(Term),
) {
    let mut weights = PointWeights::new(point);
    // ψ of each size and place once, with Σψ and ψ(0), which a piece's constants need.
    let mut rows = BTreeMap::new();
    let mut known = BTreeMap::new();
    let mut last = None;
    let mut vector = |form: &mut Frame<'a>, rows: &Arc<RowWeights>, (log_size, place), shape| {
        let key = (log_size, place, shape);
        // Mostly the column before had the same.
        if let Some((before, index)) = last
            && before == key
        {
            return index;
        }
        let index = *known.entry(key).or_insert_with(|| {
            let (index, weights) = (form.vectors.len(), Arc::clone(rows));
            form.vectors.push(match (shape, layout.code()) {
                (Shape::Interleaved(child), _) => Vector::Interleaved { log_size, weights, child },
                (Shape::Shifted, _) => Vector::Shifted { log_size, weights },
                (Shape::Coded(column), Some(code)) => Vector::Coded { code, column, weights },
                // Without a code there is no coded place.
                (Shape::Rows | Shape::Coded(_), _) => Vector::Rows { log_size, weights },
            });
            index
        });
        last = Some((key, index));
        index
    };
    for placed in &level.pieces {
        let piece = placed.piece;
        let head = weights.head(piece.log_size, placed.offset);
        let at = (piece.log_size, PointWeights::place(piece.log_size, placed.offset));
        let (rows, sum, first_row) = rows.entry(at).or_insert_with(|| {
            let rows = weights.rows(at.0, at.1);
            let (sum, first) = (rows.sum(), rows.first());
            (Arc::new(rows), sum, first)
        });
        if let Some(digest) = digest {
            let vector = vector(form, rows, at, Shape::Rows);
            for (v, &beta) in digest.iter().enumerate() {
                // One of the table's words, which it has counted.
                let word = placed.digest.wrapping_add(v << piece.log_size);
                let start = layout.digest(word);
                show(Term { start, vector, coefficient: head * beta });
            }
        }
        // A source that is no sum.
        let mut owe = |form: &mut Frame<'a>, source: &Source, coefficient: E| {
            let (start, shape) = match *source {
                Source::Constant(value) => {
                    form.value -= coefficient * *sum * value;
                    return;
                }
                Source::Block { start } => (start, Shape::Rows),
                Source::Interleaved { start, child } => (start, Shape::Interleaved(child)),
                Source::Shifted { first, start } => {
                    form.value -= coefficient * *first_row * first;
                    (start, Shape::Shifted)
                }
                Source::Affine { .. } => unreachable!("a sum's terms are no sums"),
            };
            let (start, shape) = match layout.place(start) {
                Place::Words(start) => (start, shape),
                Place::Coded { start, column } => (start, Shape::Coded(column)),
            };
            let vector = vector(form, rows, at, shape);
            show(Term { start, vector, coefficient });
        };
        for (v, (source, &scale)) in piece.inputs.iter().zip(inputs).enumerate() {
            if scale == E::ZERO || (v < DIGEST && piece.feeder().is_some()) {
                continue;
            }
            let coefficient = head * scale;
            let Source::Affine { sum: index } = *source else {
                owe(form, source, coefficient);
                continue;
            };
            let affine = level.sum(index);
            owe(form, &Source::Constant(affine.constant), coefficient);
            for (by, part) in affine.terms {
                owe(form, part, coefficient * *by);
            }
        }
    }
}
