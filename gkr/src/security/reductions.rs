//! The errors of what is drawn between commitment and opening.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use std::fmt;

use p3_field::{BasedVectorSpace, PrimeField32};

use super::Line;
use crate::commit::MAX_VARIABLES;
use crate::permutation::{Permutation, Poseidon2};
use crate::{E, F, levels};

/// What some draws can miss, over |E| − 1: `times · (terms added up)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numerator {
    /// The part of the protocol.
    pub(crate) part: String,
    /// Its step.
    pub(crate) step: &'static str,
    /// How often the step is taken.
    pub(crate) times: u64,
    /// The degrees of what it draws for.
    pub(crate) terms: Vec<u64>,
}

impl Numerator {
    pub(crate) fn new<const N: usize>(
        part: &str,
        step: &'static str,
        times: usize,
        terms: [usize; N],
    ) -> Self {
        let terms = terms.map(|term| term as u64).to_vec();
        Self { part: part.to_owned(), step, times: times as u64, terms }
    }

    /// The number.
    pub(crate) fn total(&self) -> u64 {
        let once = self.terms.iter().fold(0, |sum: u64, &term| sum.saturating_add(term));
        self.times.saturating_mul(once)
    }

    /// The line it makes, with a list of `log2_list` and over a field of `log2_field`.
    fn line(&self, log2_list: f64, log2_field: f64) -> Line {
        let list = if log2_list > 0.0 { "L " } else { "" };
        // Nothing that can be missed is no error: log2 0 is −∞.
        let unique_bits = log2_field - (self.total() as f64).log2();
        let bits = unique_bits - log2_list;
        let error = format!("{list}{self}/|E|");
        Line { log2_list, unique_bits, ..Line::plain(&self.part, self.step, error, bits) }
    }
}

impl fmt::Display for Numerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<String> = self.terms.iter().map(u64::to_string).collect();
        let terms = terms.join(" + ");
        match (self.times, self.terms.len()) {
            (1, 1) => f.write_str(&terms),
            (1, _) => write!(f, "({terms})"),
            (times, _) => write!(f, "{times} ({terms})"),
        }
    }
}

/// What is drawn between commitment and opening.
#[derive(Clone, Debug, PartialEq)]
pub struct Reductions {
    pub(crate) numerators: Vec<Numerator>,
    /// log2 of the challenges that are drawn from, from below.
    pub(super) log2_field: f64,
}

impl Reductions {
    /// The reductions for levels of so many calls at width `T`, and for a linear form that
    /// combines what they leave with so many equations.
    pub fn new<const T: usize>(
        num_calls: impl IntoIterator<Item = usize>,
        num_equations: usize,
    ) -> Self
    where
        Poseidon2<T>: Permutation<T>,
    {
        let num_calls: Vec<usize> = num_calls.into_iter().collect();
        // Powers of the form's challenge: an output and T inputs a level, and the equations.
        let claims = num_calls.len().saturating_mul(T.saturating_add(1));
        Self::of(levels::numerators::<T>(num_calls), claims.saturating_add(num_equations))
    }

    /// The reductions of walks, and of a linear form that combines so many claims.
    pub(crate) fn of(mut numerators: Vec<Numerator>, num_claims: usize) -> Self {
        let degree = num_claims.saturating_sub(1);
        numerators.push(Numerator::new(FORM, "weights of the claims", 1, [degree]));
        Self { numerators, log2_field: log2_field() }
    }

    /// The largest that a scheme leaves room for: four levels of 2^25 calls at width 24, and as
    /// many equations as digest words in a table of them.
    pub(crate) fn largest() -> Self {
        Self::new::<24>([1 << MAX_VARIABLES; 4], 1 << 16)
    }

    /// A line for each, and one for the linear form's rounds over the committed vector.
    pub(super) fn lines(&self, log2_list: f64, num_variables: usize) -> Vec<Line> {
        let rounds = rounds(num_variables);
        let all = self.numerators.iter().chain([&rounds]);
        all.map(|numerator| numerator.line(log2_list, self.log2_field)).collect()
    }

    /// What those lines add up to.
    pub(crate) fn bits(&self, log2_list: f64, num_variables: usize) -> f64 {
        let rounds = rounds(num_variables);
        let all = self.numerators.iter().chain([&rounds]).map(Numerator::total);
        let total = all.fold(0, u64::saturating_add);
        self.log2_field - log2_list - (total as f64).log2()
    }
}

/// What the linear form's lines are called.
const FORM: &str = "linear form";

/// The linear form's rounds.
fn rounds(num_variables: usize) -> Numerator {
    Numerator::new(FORM, "sumcheck", num_variables, [2])
}

/// log2(|E| − 1), from below.
pub(super) fn log2_field() -> f64 {
    let degree = <E as BasedVectorSpace<F>>::DIMENSION as f64;
    degree * f64::from(F::ORDER_U32).log2() - 1e-9
}
