//! The terms of a form sorted by block, with as few different keys as there can be.

use std::collections::BTreeMap;
use std::sync::Arc;

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use super::rows::{LOG_CHUNK, RowWeights};
use super::{LinearForm, Term, Vector};
use crate::calls::SystematicCode;
use crate::simd::kernels::dot::{add_scaled, dot};
use crate::simd::{ExtRow, LANES, Native, Row};
use crate::sumcheck::dense::{factor_of, rows_of, total};
use crate::{E, F};

/// A vector, written out.
pub(super) enum Table {
    /// Whole rows.
    Long(Vec<ExtRow>),
    /// Less than a row.
    Short(Vec<E>),
}

impl Table {
    pub(super) fn new(entries: Vec<E>) -> Self {
        if entries.len() < LANES { Self::Short(entries) } else { Self::Long(rows_of(&entries)) }
    }

    /// Its length.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Long(rows) => rows.len() * LANES,
            Self::Short(entries) => entries.len(),
        }
    }

    /// `⟨vector, words⟩`; the words are as many.
    pub(super) fn dot(&self, words: &[F]) -> E {
        match self {
            Self::Long(rows) => {
                let mut sums = [Row::ZERO; 5];
                dot::<Native>(words, rows, &mut sums);
                total(&sums)
            }
            Self::Short(entries) => entries.iter().zip(words).map(|(&w, &f)| w * f).sum(),
        }
    }

    /// Adds `by·vector` to the entries from `at`, a multiple of the length.
    pub(super) fn add_to(&self, out: &mut [ExtRow], at: usize, by: E) {
        match self {
            Self::Long(rows) => {
                add_scaled::<Native>(&mut out[at / LANES..], rows, &factor_of(&by));
            }
            Self::Short(entries) => {
                for (j, &entry) in entries.iter().enumerate() {
                    let product = by * entry;
                    let lane = (at + j) % LANES;
                    for (row, &limb) in
                        out[at / LANES].iter_mut().zip(crate::codec::limbs(&product))
                    {
                        row.0[lane] += limb;
                    }
                }
            }
        }
    }
}

/// What a key weighs its words with.
pub(super) struct Basis<'a> {
    /// In [`Plan::tables`].
    pub(super) table: usize,
    /// For a coded vector: the table weighs this column of the codeword.
    pub(super) coded: Option<(&'a dyn SystematicCode, usize)>,
}

/// A basis at a place in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// In [`Plan::bases`]. The first to sort by: a basis stays in the cache then.
    pub(super) basis: usize,
    /// Counts the block's words; a multiple of the basis' length.
    pub(super) offset: usize,
}

/// A form as sums over blocks: `Ω = Σ coefficient·basis` over a block's keys.
pub(super) struct Plan<'a> {
    /// log2 of a block's words.
    pub(super) log_block: usize,
    pub(super) tables: Vec<Table>,
    pub(super) bases: Vec<Basis<'a>>,
    /// Each block's keys in ascending order, none twice; nothing beyond the last term.
    pub(super) blocks: Vec<Vec<(Key, E)>>,
}

/// How a vector is written by bases of one length.
struct Parts {
    basis: usize,
    log_len: usize,
    /// The basis' scalar in each part.
    heads: Vec<E>,
    /// Of shifted weights: what each part's first row has, which is owed by the word before.
    first: Option<E>,
}

impl<'a> Plan<'a> {
    /// # Panics
    /// When a term does not lie within the form's variables, or row weights must be split
    /// inside a chunk because blocks are shorter.
    pub(super) fn new(form: &LinearForm<'a>, log_block: usize) -> Self {
        let mut bases = Bases { list: Vec::new(), vectors: Vec::new() };
        let unit = bases.find(Vector::Unit);
        let lengths = common_lengths(form, log_block);
        let parts: Vec<Parts> = form
            .vectors
            .iter()
            .zip(lengths)
            .map(|(vector, log_size)| bases.split(vector, log_size, log_block))
            .collect();

        let mut blocks: Vec<Vec<(Key, E)>> = Vec::new();
        let mut push = |start: usize, basis, coefficient| {
            let block = start >> log_block;
            if blocks.len() <= block {
                blocks.resize_with(block + 1, Vec::new);
            }
            let offset = start & ((1 << log_block) - 1);
            blocks[block].push((Key { offset, basis }, coefficient));
        };
        for &Term { start, vector, coefficient } in &form.terms {
            let parts = &parts[vector];
            for (a, &head) in parts.heads.iter().enumerate() {
                let start = start + (a << parts.log_len);
                let coefficient = coefficient * head;
                push(start, parts.basis, coefficient);
                if let (Some(first), true) = (parts.first, a > 0) {
                    push(start - 1, unit, coefficient * first);
                }
            }
        }
        blocks.par_iter_mut().for_each(|block| {
            block.sort_unstable_by_key(|&(key, _)| key);
            block.dedup_by(|&mut (next, coefficient), (key, sum)| {
                let same = next == *key;
                if same {
                    *sum += coefficient;
                }
                same
            });
        });

        let tables = bases.vectors.par_iter().map(|vector| Table::new(vector.dense())).collect();
        Self { log_block, tables, bases: bases.list, blocks }
    }
}

/// For each vector the size that its row weights are cut to, if they may be cut.
///
/// Akin vectors get one size: the smallest that weighs a whole block's worth of words. A
/// smaller one would multiply the keys of all others for the sake of a few words.
fn common_lengths(form: &LinearForm<'_>, log_block: usize) -> Vec<Option<usize>> {
    let mut terms = vec![0_usize; form.vectors.len()];
    for term in &form.terms {
        terms[term.vector] += 1;
    }
    // Per family: one of its vectors, and the words that each size weighs.
    let mut families: Vec<(&Vector<'_>, BTreeMap<usize, usize>)> = Vec::new();
    let mut family_of = Vec::with_capacity(terms.len());
    for (vector, count) in form.vectors.iter().zip(terms) {
        let log_size = match row_weights(vector) {
            Some(RowWeights::Factored { outer, .. }) => LOG_CHUNK + outer.len(),
            _ => {
                family_of.push(None);
                continue;
            }
        };
        let known = families.iter().position(|(other, _)| are_akin(vector, other));
        let family = known.unwrap_or_else(|| {
            families.push((vector, BTreeMap::new()));
            families.len() - 1
        });
        *families[family].1.entry(log_size).or_default() += count << vector.log_len();
        family_of.push(Some(family));
    }
    let sizes: Vec<usize> = families
        .iter()
        .map(|(vector, words)| {
            let pays = |&(_, &words): &(&usize, &usize)| words >> log_block > 0;
            let size = words.iter().find(pays).or_else(|| words.iter().next_back());
            let most = log_block - usize::from(matches!(vector, Vector::Interleaved { .. }));
            size.map_or(most, |(&log_size, _)| log_size.min(most))
        })
        .collect();
    family_of.into_iter().map(|family| family.map(|family| sizes[family])).collect()
}

fn row_weights<'v>(vector: &'v Vector<'_>) -> Option<&'v RowWeights> {
    match vector {
        Vector::Rows { weights, .. }
        | Vector::Interleaved { weights, .. }
        | Vector::Shifted { weights, .. } => Some(weights),
        Vector::Unit | Vector::Given(_) | Vector::Coded { .. } => None,
    }
}

/// The weights of two vectors of one shape.
fn same_shape<'v>(
    a: &'v Vector<'_>,
    b: &'v Vector<'_>,
) -> Option<(&'v RowWeights, &'v RowWeights)> {
    let same = match (a, b) {
        (Vector::Interleaved { child, .. }, Vector::Interleaved { child: other, .. }) => {
            child == other
        }
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    row_weights(a).zip(row_weights(b)).filter(|_| same)
}

fn are_akin(a: &Vector<'_>, b: &Vector<'_>) -> bool {
    same_shape(a, b).is_some_and(|(a, b)| a.is_akin(b))
}

/// The bases found, and what their tables hold.
struct Bases<'a> {
    list: Vec<Basis<'a>>,
    vectors: Vec<Vector<'a>>,
}

impl<'a> Bases<'a> {
    /// How `vector` is written, its rows cut to 2^`log_size` if it is longer.
    fn split(&mut self, vector: &Vector<'a>, log_size: Option<usize>, log_block: usize) -> Parts {
        let cut = log_size.zip(row_weights(vector));
        let cut = cut.and_then(|(log_size, weights)| Some((log_size, weights.split(log_size)?)));
        let (heads, vector) = match cut {
            None => (vec![E::ONE], vector.clone()),
            Some((log_size, (heads, weights))) => {
                let weights = Arc::new(weights);
                let part = match *vector {
                    Vector::Interleaved { child, .. } => {
                        Vector::Interleaved { log_size, weights, child }
                    }
                    Vector::Shifted { .. } => Vector::Shifted { log_size, weights },
                    _ => Vector::Rows { log_size, weights },
                };
                (heads, part)
            }
        };
        let first = match &vector {
            Vector::Shifted { weights, .. } => Some(weights.first()),
            _ => None,
        };
        let log_len = vector.log_len();
        assert!(log_len <= log_block, "a vector lies within a block");
        Parts { basis: self.find(vector), log_len, heads, first }
    }

    /// The basis of a vector: one for equal row weights, else its own.
    fn find(&mut self, vector: Vector<'a>) -> usize {
        let (vector, coded) = match vector {
            Vector::Coded { code, column, weights } => {
                let log_size = code.log_column();
                (Vector::Rows { log_size, weights }, Some((code, column)))
            }
            other => (other, None),
        };
        let equal = |other: &Vector<'_>| same_shape(&vector, other).is_some_and(|(a, b)| a == b);
        // Given vectors equal none, and there may be very many.
        let known = row_weights(&vector).is_some();
        let table = if known { self.vectors.iter().position(equal) } else { None };
        if let (Some(table), None) = (table, coded) {
            let plain = |basis: &Basis<'_>| basis.table == table && basis.coded.is_none();
            if let Some(basis) = self.list.iter().position(plain) {
                return basis;
            }
        }
        let table = table.unwrap_or_else(|| {
            self.vectors.push(vector);
            self.vectors.len() - 1
        });
        self.list.push(Basis { table, coded });
        self.list.len() - 1
    }
}
