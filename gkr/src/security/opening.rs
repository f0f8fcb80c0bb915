//! WHIR's errors, round by round.
//!
//! The terms and their union bound are those of p3's `prescribed_security`; p3 tells the sum
//! alone. Of its formulas, what p3-security exposes is used; the rest is here:
//!
//! - Claims: the claimed evaluation and the out-of-domain ones are combined by powers.
//! - Out-of-domain samples: two vectors of the list agree on all of them. None in unique
//!   decoding.
//! - Folds: for every variable a proximity gap, in the Johnson regime with a bit in reserve, and
//!   a sumcheck round, both behind a proof of work of their own.
//! - Queries: a word that is far is not caught; behind a proof of work.
//! - Combination of a round's samples and queries, behind the queries' proof of work.
//! - Last sumcheck: over the polynomial that is sent in the clear.
//!
//! Source: WHIR (ePrint 2024/1586), section 5; out-of-domain samples: STIR (ePrint 2024/390),
//! Lemma 4.5; gaps and lists: see p3-security's `assumption`.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_field::Field;
use p3_whir::{SecurityAssumption, WhirConfig};

use super::Line;
use crate::transcript::Challenger;
use crate::{E, F};

/// What WHIR's lines are called.
const PART: &str = "WHIR";

/// An opening's parameters, as far as its security depends on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    pub(super) regime: SecurityAssumption,
    /// Whole bits of |E|.
    pub(super) field_bits: usize,
    pub(super) num_variables: usize,
    pub(super) log_inv_rate: usize,
    /// Evaluations that are opened.
    pub(super) claims: usize,
    /// Out-of-domain samples of the committed word.
    pub(super) ood_samples: usize,
    pub(super) folds: Folds,
    pub(super) rounds: Vec<Round>,
    /// The queries to the last word, and their proof of work.
    pub(super) queries: Queries,
    /// The variables of the polynomial sent in the clear, and the proof of work of a round.
    pub(super) last: Folds,
}

/// A word that a round sends, and what is drawn for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Round {
    pub(super) num_variables: usize,
    pub(super) log_inv_rate: usize,
    pub(super) ood_samples: usize,
    /// To the word before.
    pub(super) queries: Queries,
    pub(super) folds: Folds,
}

/// How many queries, behind one proof of work of so many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Queries {
    pub(super) count: usize,
    pub(super) grinding: usize,
}

/// How many variables, each behind a proof of work of so many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folds {
    pub(super) count: usize,
    pub(super) grinding: usize,
}

impl Opening {
    /// The parameters of opening one evaluation.
    pub(crate) fn new(config: &WhirConfig<E, F, Challenger>) -> Self {
        let mut folds = config.folding_schedule().iter().copied();
        let mut folded = |grinding| Folds { count: folds.next().unwrap_or(0), grinding };
        let first = folded(config.starting_folding_pow_bits());
        let rounds = config.round_parameters().iter().map(|round| Round {
            num_variables: round.num_variables,
            log_inv_rate: round.log_inv_rate,
            ood_samples: round.ood_samples,
            queries: Queries { count: round.num_queries, grinding: round.pow_bits },
            folds: folded(round.folding_pow_bits),
        });
        let rounds = rounds.collect();
        let last = config.final_round_config();
        Self {
            regime: config.params().soundness_type,
            // p3 rounds up.
            field_bits: E::bits().saturating_sub(1),
            num_variables: config.num_variables(),
            log_inv_rate: config.params().starting_log_inv_rate,
            claims: 1,
            ood_samples: config.commitment_ood_samples(),
            folds: first,
            rounds,
            queries: Queries { count: last.num_queries, grinding: last.pow_bits },
            last: Folds {
                count: config.final_sumcheck_rounds(),
                grinding: config.final_folding_pow_bits(),
            },
        }
    }

    /// log2 of how many vectors the root may leave open.
    pub(super) fn log2_list_size(&self) -> f64 {
        self.regime.list_size_bits(self.num_variables, self.log_inv_rate)
    }

    /// A line for each kind of draw of each round.
    pub(super) fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut add = |step: String, term: Term, grinding: usize| {
            let bits = |regime| term.bits(regime, self.field_bits) + grinding as f64;
            lines.push(Line {
                unique_bits: bits(SecurityAssumption::UniqueDecoding),
                log2_list: term.log2_lists(self.regime),
                grinding,
                ..Line::plain(PART, &step, term.error(self.regime), bits(self.regime))
            });
        };
        let mut code = Code { variables: self.num_variables, log_inv_rate: self.log_inv_rate };
        let claims = self.claims.saturating_add(self.ood_samples);
        add("claims".to_owned(), Term::Claims { code, claims }, 0);
        let samples = self.ood_samples;
        add("out-of-domain samples".to_owned(), Term::OutOfDomain { code, samples }, 0);
        let count = self.folds.count;
        add("folds, gaps".to_owned(), Term::Gaps { code, count }, self.folds.grinding);
        add("folds, sumcheck".to_owned(), Term::Sumcheck { code, count }, self.folds.grinding);
        for (index, round) in self.rounds.iter().enumerate() {
            let index = index.saturating_add(1);
            let step = |what: &str| format!("round {index}, {what}");
            let Queries { count: queries, grinding } = round.queries;
            let before = code;
            code = Code { variables: round.num_variables, log_inv_rate: round.log_inv_rate };
            let samples = round.ood_samples;
            add(step("out-of-domain samples"), Term::OutOfDomain { code, samples }, 0);
            add(step("queries"), Term::Queries { code: before, queries }, grinding);
            add(step("combination"), Term::Combination { code, samples, queries }, grinding);
            let Folds { count, grinding } = round.folds;
            add(step("folds, gaps"), Term::Gaps { code, count }, grinding);
            add(step("folds, sumcheck"), Term::Sumcheck { code, count }, grinding);
        }
        let Queries { count: queries, grinding } = self.queries;
        add("last queries".to_owned(), Term::Queries { code, queries }, grinding);
        let Folds { count, grinding } = self.last;
        add("last sumcheck".to_owned(), Term::Clear { count }, grinding);
        lines
    }
}

/// A Reed–Solomon code: 2^variables coefficients, at rate 2^−log_inv_rate.
#[derive(Clone, Copy, Debug)]
struct Code {
    variables: usize,
    log_inv_rate: usize,
}

/// One kind of error.
#[derive(Clone, Copy, Debug)]
enum Term {
    Claims { code: Code, claims: usize },
    OutOfDomain { code: Code, samples: usize },
    Gaps { code: Code, count: usize },
    Sumcheck { code: Code, count: usize },
    Queries { code: Code, queries: usize },
    Combination { code: Code, samples: usize, queries: usize },
    Clear { count: usize },
}

impl Term {
    /// −log2 of it, without proofs of work.
    fn bits(&self, regime: SecurityAssumption, field_bits: usize) -> f64 {
        let times = |count: usize, bits: f64| bits - (count as f64).log2();
        match *self {
            Self::Claims { code: Code { variables, log_inv_rate }, claims } => {
                regime.initial_claims_error(field_bits, variables, log_inv_rate, claims)
            }
            Self::OutOfDomain { .. } if regime == SecurityAssumption::UniqueDecoding => {
                f64::INFINITY
            }
            Self::OutOfDomain { code: Code { variables, log_inv_rate }, samples } => {
                regime.ood_error(variables, log_inv_rate, field_bits, samples)
            }
            Self::Gaps { code: Code { variables, log_inv_rate }, count } => {
                let gap = regime.prox_gaps_error(variables, log_inv_rate, field_bits, 2);
                times(count, gap - reserve(regime))
            }
            Self::Sumcheck { code: Code { variables, log_inv_rate }, count } => {
                times(count, regime.fold_sumcheck_error(field_bits, variables, log_inv_rate))
            }
            Self::Queries { code, queries } => regime.queries_error(code.log_inv_rate, queries),
            Self::Combination { code: Code { variables, log_inv_rate }, samples, queries } => {
                regime.queries_combination_error(
                    field_bits,
                    variables,
                    log_inv_rate,
                    samples,
                    queries,
                )
            }
            Self::Clear { count } => times(count, field_bits as f64 - 1.0),
        }
    }

    /// log2 of the lists that it is multiplied by.
    fn log2_lists(&self, regime: SecurityAssumption) -> f64 {
        let list = |code: Code| regime.list_size_bits(code.variables, code.log_inv_rate);
        match *self {
            Self::OutOfDomain { code, .. } => 2.0 * list(code),
            Self::Claims { code, .. }
            | Self::Sumcheck { code, .. }
            | Self::Combination { code, .. } => list(code),
            Self::Gaps { .. } | Self::Queries { .. } | Self::Clear { .. } => 0.0,
        }
    }

    /// The formula.
    fn error(&self, regime: SecurityAssumption) -> String {
        let unique = regime == SecurityAssumption::UniqueDecoding;
        let list = if unique { "" } else { " L" };
        match *self {
            Self::Claims { claims, .. } => format!("{}{list}/|E|", claims.saturating_sub(1)),
            Self::OutOfDomain { .. } if unique => "0".to_owned(),
            Self::OutOfDomain { code, samples } => {
                let power = if samples == 1 { String::new() } else { format!("^{samples}") };
                format!("L^2/2 (2^{}/|E|){power}", code.variables)
            }
            Self::Gaps { code: Code { variables, log_inv_rate }, count } => {
                // What p3 states for a field of 2^0.
                let log2_count =
                    reserve(regime) - regime.prox_gaps_error(variables, log_inv_rate, 0, 2);
                format!("{count} 2^{log2_count:.2}/|E|")
            }
            Self::Sumcheck { count, .. } => format!("{count} 2{list}/|E|"),
            Self::Queries { code, queries } => {
                format!("{:.4}^{queries}", regime.log_1_delta(code.log_inv_rate).exp2())
            }
            Self::Combination { samples, queries, .. } => {
                format!("2 ({samples} + {queries}){list}/|E|")
            }
            Self::Clear { count } => format!("{count} 2/|E|"),
        }
    }
}

/// Bits that p3 keeps in reserve at a proximity gap.
fn reserve(regime: SecurityAssumption) -> f64 {
    if regime == SecurityAssumption::JohnsonBound { 1.0 } else { 0.0 }
}
