//! The security of a proof of several tables, computed from shapes alone.
//!
//! The formulas of the single terms are p3-security's. A term is a kind of draw that a prover can
//! be lucky with; a proof of work in front of the draw adds its bits.
//!
//! | term | draw | error without its proof of work |
//! |------|------|---------------------------------|
//! | ALI | combines the constraints | `L · Σ constraints / E` |
//! | DEEP | the out-of-domain point | `L · Σ factor / E`, factor of each table's own height |
//! | batch | combines the opened functions | a proximity gap times their number less one |
//! | FRI folds | folds, once a round | a proximity gap times the arity less one |
//! | FRI queries | where the words are opened | `α^queries`, α the agreement that is tested |
//! | LogUp | fingerprints of messages | `L · (Σ messages · rows) · (width + 2) / E` |
//!
//! L is the list that the agreement leaves open, E the size of the challenge field,
//! counted with [`FIELD_BITS`].
//!
//! # Regimes
//! *Unique decoding*: `α = (1 + ρ)/2`, L = 1. *List decoding* up to the Johnson radius:
//! `α = (1 + 1/2m)·√ρ`, `L = (m + 1/2)/√ρ`, for an m that is chosen; a larger one saves queries
//! and costs field. Both are proven, so the better one counts. *Conjectured*: the gaps and L of
//! unique decoding, with the queries of ePrint 2025/2010 up to near capacity.
//!
//! # One number
//! p3 takes the least of the terms, which is round-by-round soundness: [`Regime::bits`]. Their sum
//! is the union bound over one run: [`Regime::composed_bits`]. In the random-oracle model a prover
//! that hashes Q times has Q such chances at most, a draw at a time. A collision of the byte hash
//! is found with 2^[`HASH_BITS`] hashes; it caps the former and is no part of the latter.
//!
//! # Several tables
//! Words of all tables are read at the same places: a place in the longest word tells that in a
//! shorter one. So all of them together are one word over the longest domain, where a shorter
//! table's polynomial `f(X)` reads `f(X^(2^j))`, at the same rate. An agreement thus leaves *one*
//! list, of tuples of all tables' columns. It is no larger than a single table's: p3-fri divides
//! by one point at a time, so that a column of k rows has degree k at most, and two of them that
//! differ agree on k places, the part ρ of its domain, whatever the table. Therefore:
//!
//! - α, L and which m there are, the queries: of the longest table, and of the most points that
//!   a table is opened at.
//! - ALI, DEEP: the sum over the tables. The challenges are the same for all.
//! - Batch: p3-fri combines each height by itself. Charged as though all functions were as long
//!   as the longest.
//! - Folds: p3-fri adds the words of the next height with one more power, which makes the degree
//!   the arity, of a word that has been folded. The gaps of the unfolded one at arity 4 at least
//!   are no less. All rounds are charged at the greatest arity, and for the sum as though every
//!   height had one.
//! - LogUp: all messages on all buses. p3 charges no list; here it is charged, for the main
//!   columns alone are committed to when the fingerprints' challenges are drawn.
//!
//! Source: ePrint 2024/1553 (round by round), 2026/2056 (gaps), 2022/1530 (LogUp).
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests;

use p3_batch_stark::num_batched_openings;
use p3_field::{BasedVectorSpace, TwoAdicField};
use p3_security::fri::{self, FriRegime};
use p3_security::grinding::boost;
use p3_security::logup::{self, LogUpAir};
use p3_security::proximity::{LDR_M_CAP, compute_upper_m, list_size_ldr_m};
use p3_security::{ErrorBits, InstanceShape, SecurityAssumption, StarkAirParams, air, deep};
use p3_uni_stark::OpeningShape;

use crate::{E, F};

/// Whole bits of |E| = 2^154.94.
pub const FIELD_BITS: usize = 154;
/// Collision resistance of the byte hash of transcript and trees, of 256 bits.
pub const HASH_BITS: usize = 128;

/// What the combination of constraints is called.
pub const ALI: &str = "constraint combination (ALI)";
/// What the out-of-domain point is called.
pub const DEEP: &str = "out-of-domain point (DEEP)";
/// What the combination of opened functions is called.
pub const BATCH: &str = "batch combination";
/// What FRI's commit phase is called.
pub const FOLDS: &str = "FRI folds";
/// What FRI's query phase is called.
pub const QUERIES: &str = "FRI queries";
/// What the fingerprints' challenges are called.
pub const LOGUP: &str = "LogUp fingerprint";

/// FRI's parameters, and the proofs of work of all that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FriShape {
    /// log2 of the blowup, the inverse of the rate ρ.
    pub log_blowup: usize,
    /// Places where the words are opened.
    pub num_queries: usize,
    /// log2 of the coefficients sent in the clear.
    pub log_final_poly_len: usize,
    /// log2 of the greatest arity of a fold.
    pub max_log_arity: usize,
    /// Bits of proof of work before the queries.
    pub query_pow_bits: usize,
    /// Before every fold.
    pub commit_pow_bits: usize,
    /// Before the opened functions are combined.
    pub batch_pow_bits: usize,
    /// Before the fingerprints' challenges.
    pub lookup_pow_bits: usize,
    /// Before the out-of-domain point.
    pub ood_pow_bits: usize,
}

/// One table of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableShape {
    /// log2 of its rows.
    pub log_height: usize,
    /// Main columns.
    pub columns: usize,
    /// Whether main columns are read on the next row as well.
    pub next_row: bool,
    /// Preprocessed columns.
    pub preprocessed: usize,
    /// Whether these are read on the next row as well.
    pub preprocessed_next: bool,
    /// LogUp's columns of fractions, elements of E; another is the running sum, if there are any.
    pub fractions: usize,
    /// Messages on the buses, a row.
    pub messages: usize,
    /// Words of the longest message.
    pub message_width: usize,
    /// Constraints, those of the lookups included.
    pub constraints: usize,
    /// The constraints' largest degree.
    pub degree: usize,
    /// Chunks of the quotient, a power of two.
    pub quotient_chunks: usize,
}

impl TableShape {
    /// Points that a column is opened at, at most.
    fn points(&self) -> usize {
        if self.next_row || self.preprocessed_next || self.fractions > 0 { 2 } else { 1 }
    }

    /// Functions that it gives to the batch: a column at a point each.
    fn batched(&self) -> usize {
        num_batched_openings(
            self.columns,
            self.next_row,
            self.preprocessed,
            self.preprocessed_next,
            self.quotient_chunks,
            self.fractions,
            <E as BasedVectorSpace<F>>::DIMENSION,
            OpeningShape::new(),
        )
    }

    fn air(&self) -> StarkAirParams {
        StarkAirParams {
            num_constraints: self.constraints,
            max_constraint_degree: self.degree,
            num_quotient_chunks: self.quotient_chunks,
            max_combo: self.points(),
        }
    }
}

/// One part of the error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// [`ALI`], [`DEEP`], [`BATCH`], [`FOLDS`], [`QUERIES`] or [`LOGUP`].
    pub name: &'static str,
    /// −log2 of the error of its worst draw.
    pub bits: f64,
    /// −log2 of the sum over all draws of its kind.
    pub all_bits: f64,
}

impl Term {
    fn once(name: &'static str, bits: ErrorBits) -> Self {
        Self { name, bits: bits.bits(), all_bits: bits.bits() }
    }
}

/// The terms in one regime.
#[derive(Clone, Debug, PartialEq)]
pub struct Regime {
    /// "unique decoding", "list decoding" or "conjectured".
    pub name: &'static str,
    /// List decoding's parameter.
    pub m: Option<usize>,
    /// All that apply.
    pub terms: Vec<Term>,
    /// The least of the terms and of [`HASH_BITS`]: p3's figure.
    pub bits: f64,
    /// −log2 of the terms' sum, all draws of each; 0 if that is no bound. Without the hash.
    pub composed_bits: f64,
}

/// The security of proofs of some shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Unique decoding.
    pub unique: Regime,
    /// List decoding at the m with the most [`Regime::bits`]; none for a few rows.
    pub list: Option<Regime>,
    /// List decoding at the m with the most [`Regime::composed_bits`].
    pub list_composed: Option<Regime>,
    /// What is conjectured.
    pub conjectured: Regime,
}

impl Report {
    /// The report of proofs of all of `tables` at once.
    ///
    /// # Panics
    /// If there is no table, or one is too tall for the field's two-adic subgroup.
    pub fn new(fri: &FriShape, tables: &[TableShape]) -> Self {
        let system = System::new(fri, tables);
        let lists: Vec<Regime> =
            system.list_parameters().map(|m| system.regime(Decoding::List(m))).collect();
        let best = |key: fn(&Regime) -> (f64, f64)| {
            lists.iter().max_by(|a, b| {
                let (a, b) = (key(a), key(b));
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
            })
        };
        Self {
            unique: system.regime(Decoding::Unique),
            list: best(|regime| (regime.bits, regime.composed_bits)).cloned(),
            list_composed: best(|regime| (regime.composed_bits, regime.bits)).cloned(),
            conjectured: system.regime(Decoding::Conjectured),
        }
    }

    /// Proven bits round by round, the hash counted: the better regime's.
    pub fn proven_bits(&self) -> f64 {
        self.list.as_ref().map_or(0.0, |list| list.bits).max(self.unique.bits)
    }

    /// Proven bits of the terms' sum, the better regime's, and no more than the hash's.
    pub fn proven_composed_bits(&self) -> f64 {
        let list = self.list_composed.as_ref().map_or(0.0, |list| list.composed_bits);
        list.max(self.unique.composed_bits).min(HASH_BITS as f64)
    }

    /// Conjectured bits round by round, the hash counted.
    pub const fn conjectured_bits(&self) -> f64 {
        self.conjectured.bits
    }
}

/// A regime, and in it list decoding's m.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decoding {
    Unique,
    List(usize),
    Conjectured,
}

/// What p3's formulas are told.
struct System<'a> {
    fri: &'a FriShape,
    tables: &'a [TableShape],
    /// log2 of the longest table's rows.
    log_height: usize,
    /// Functions in the batch.
    batched: usize,
    /// The most points that a table is opened at.
    points: usize,
}

impl<'a> System<'a> {
    fn new(fri: &'a FriShape, tables: &'a [TableShape]) -> Self {
        assert!(!tables.is_empty(), "a proof of no table");
        let most = |of: fn(&TableShape) -> usize| tables.iter().map(of).max().unwrap_or(0);
        let log_height = most(|table| table.log_height);
        let log_domain = log_height.saturating_add(fri.log_blowup);
        assert!(log_domain <= F::TWO_ADICITY, "a table of 2^{log_height} rows is too tall");
        let batched = tables.iter().map(TableShape::batched).fold(0, usize::saturating_add);
        Self { fri, tables, log_height, batched, points: most(TableShape::points) }
    }

    /// The m's of list decoding.
    fn list_parameters(&self) -> impl Iterator<Item = usize> {
        let rows = 1usize.checked_shl(self.log_height as u32).unwrap_or(0);
        3..=compute_upper_m(rows, self.points).min(LDR_M_CAP)
    }

    /// Folds by `max_log_arity`, none if it is 0.
    fn fri(&self, max_log_arity: usize) -> FriRegime {
        FriRegime {
            log_blowup: self.fri.log_blowup,
            num_queries: self.fri.num_queries,
            // The rounds are told apart here.
            log_final_poly_len: 0,
            max_log_arity,
            commit_pow_bits: self.fri.commit_pow_bits,
            query_pow_bits: self.fri.query_pow_bits,
        }
    }

    fn instance(&self, log_height: usize) -> InstanceShape {
        InstanceShape {
            log_trace_length: log_height,
            modulus_bits: FIELD_BITS,
            collision_resistance: HASH_BITS,
            num_batched_functions: self.batched,
        }
    }

    fn list_size(&self, decoding: Decoding) -> f64 {
        match decoding {
            Decoding::List(m) => list_size_ldr_m(self.fri.log_blowup, m),
            Decoding::Unique | Decoding::Conjectured => 1.0,
        }
    }

    fn ali(&self, decoding: Decoding) -> Term {
        let constraints = self.tables.iter().map(|table| table.constraints);
        let constraints = constraints.fold(0, usize::saturating_add);
        let list = self.list_size(decoding);
        Term::once(ALI, air::composition_error(constraints, list, FIELD_BITS))
    }

    fn deep(&self, decoding: Decoding) -> Term {
        let list = self.list_size(decoding);
        let each = self.tables.iter().map(|table| {
            deep::deep_ali_error(&table.air(), &self.instance(table.log_height), list)
        });
        let each: Vec<ErrorBits> = each.collect();
        Term::once(DEEP, boost(ErrorBits::sum(&each), self.fri.ood_pow_bits))
    }

    fn batch(&self, decoding: Decoding) -> Option<Term> {
        // One function is not combined with anything.
        if self.batched < 2 {
            return None;
        }
        let (k, b) = (self.log_height, self.fri.log_blowup);
        let bits = match decoding {
            Decoding::List(m) => {
                SecurityAssumption::prox_gaps_error_jb_at_m(k, b, FIELD_BITS, self.batched, m)
            }
            Decoding::Unique | Decoding::Conjectured => {
                SecurityAssumption::UniqueDecoding.prox_gaps_error(k, b, FIELD_BITS, self.batched)
            }
        };
        let error = ErrorBits::from_log2(bits.max(0.0));
        Some(Term::once(BATCH, boost(error, self.fri.batch_pow_bits)))
    }

    fn folds(&self, decoding: Decoding) -> Option<Term> {
        let same = self.tables.iter().all(|table| table.log_height == self.log_height);
        let least = if same { 0 } else { 2 };
        let heights = self.fri.log_final_poly_len.saturating_add(1)..=self.log_height;
        let rounds = heights.filter_map(|log_height| {
            // No word is folded to less than one element.
            let longest = log_height.saturating_add(self.fri.log_blowup);
            let fri = self.fri(self.fri.max_log_arity.max(least).min(longest));
            let instance = self.instance(log_height);
            match decoding {
                Decoding::List(m) => fri::commit_phase_error_ldr_m(&fri, &instance, m),
                Decoding::Unique => fri::commit_phase_error_udr(&fri, &instance),
                Decoding::Conjectured => fri::conjectured_commit_phase_error(&fri, &instance),
            }
        });
        let rounds: Vec<ErrorBits> = rounds.collect();
        if rounds.is_empty() {
            return None;
        }
        let bits = ErrorBits::min(&rounds).bits();
        Some(Term { name: FOLDS, bits, all_bits: ErrorBits::sum(&rounds).bits() })
    }

    fn queries(&self, decoding: Decoding) -> Term {
        let (fri, instance) = (self.fri(0), self.instance(self.log_height));
        // p3 asks this for the number of points alone.
        let air = StarkAirParams {
            num_constraints: 1,
            max_constraint_degree: 1,
            num_quotient_chunks: 1,
            max_combo: self.points,
        };
        let bits = match decoding {
            Decoding::Unique => fri::proven_error_udr(&fri, &air, &instance),
            Decoding::List(m) => fri::proven_error_ldr_m(&fri, &air, &instance, m),
            Decoding::Conjectured => fri::conjectured_error(&fri, &instance),
        };
        Term::once(QUERIES, bits)
    }

    fn logup(&self, decoding: Decoding) -> Option<Term> {
        let messages = self.tables.iter().map(|table| {
            let rows = 1usize.checked_shl(table.log_height as u32).unwrap_or(usize::MAX);
            table.messages.saturating_mul(rows)
        });
        let num_interactions = messages.fold(0, usize::saturating_add);
        if num_interactions == 0 {
            return None;
        }
        let widths = self.tables.iter().map(|table| table.message_width);
        let air = LogUpAir { num_interactions, max_message_width: widths.max().unwrap_or(0) };
        // The rows are in the number of messages.
        let bits = logup::fingerprint_error(&air, &self.instance(0)).bits();
        let bits = (bits - self.list_size(decoding).log2()).max(0.0);
        Some(Term::once(LOGUP, boost(ErrorBits::from_log2(bits), self.fri.lookup_pow_bits)))
    }

    fn regime(&self, decoding: Decoding) -> Regime {
        let mut terms = vec![self.ali(decoding), self.deep(decoding)];
        terms.extend(self.batch(decoding));
        terms.extend(self.folds(decoding));
        terms.push(self.queries(decoding));
        terms.extend(self.logup(decoding));
        let least = terms.iter().map(|term| term.bits).fold(HASH_BITS as f64, f64::min);
        let all: Vec<ErrorBits> =
            terms.iter().map(|term| ErrorBits::from_log2(term.all_bits)).collect();
        let (name, m) = match decoding {
            Decoding::Unique => ("unique decoding", None),
            Decoding::List(m) => ("list decoding", Some(m)),
            Decoding::Conjectured => ("conjectured", None),
        };
        let composed_bits = ErrorBits::sum(&all).bits().max(0.0);
        Regime { name, m, terms, bits: least, composed_bits }
    }
}
