//! What is measured side by side, and in which order.

use airda_gkr::batching::{Batch, Partial, Regions, Strategy};
use airda_gkr::walk::{CHUNK, PartialWords};
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// A strategy, and what its partial rounds leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    strategy: Strategy,
    partial: Partial,
}

impl Variant {
    /// All of them; the first is what the others are compared with.
    const ALL: [Self; 6] = [
        Self::usual(Strategy::Independent),
        Self::usual(Strategy::Padded),
        Self::usual(Strategy::Ragged),
        Self::RAGGED_WORDS,
        Self::usual(Strategy::Replicated),
        Self::usual(Strategy::Stacked),
    ];

    /// Ragged as published: partial rounds leave all words.
    pub(super) const RAGGED_WORDS: Self =
        Self { name: "ragged-words", strategy: Strategy::Ragged, partial: Partial::Columns };

    const fn usual(strategy: Strategy) -> Self {
        Self { name: strategy.name(), strategy, partial: Partial::Recurrence }
    }

    /// Those of these names, in the usual order; without names, all.
    pub(super) fn chosen(names: &[String]) -> Vec<Self> {
        let chosen = |variant: &Self| names.is_empty() || names.iter().any(|n| n == variant.name);
        Self::ALL.into_iter().filter(chosen).collect()
    }

    /// The variant of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.name == name)
    }

    /// Whether it is what the others are compared with.
    pub(super) fn is_reference(&self) -> bool {
        self.strategy == Strategy::Independent
    }

    /// What its traces hold of the partial rounds.
    pub(super) const fn partial_words(&self) -> PartialWords {
        match self.partial {
            Partial::Recurrence => PartialWords::First,
            Partial::Columns => PartialWords::All,
        }
    }

    /// Rows that it holds at a time.
    pub(super) fn rows_at_once(&self, regions: &Regions) -> usize {
        let largest = regions.num_calls().iter().copied().max().unwrap_or(0);
        match self.strategy {
            Strategy::Independent => largest.next_multiple_of(CHUNK),
            _ => self.batch(regions).physical_rows(),
        }
    }

    /// The regions walked so.
    pub(super) const fn batch<'a>(&self, regions: &'a Regions) -> Batch<'a> {
        Batch { regions, strategy: self.strategy, partial: self.partial }
    }
}

/// Parses names of variants.
pub(super) fn name() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(Variant::ALL.map(|variant| variant.name))
}

/// Round `round`'s order of `n` variants: each round begins with the one after.
pub(super) fn order(round: usize, n: usize) -> impl Iterator<Item = usize> {
    (0..n).map(move |position| (round + position) % n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_at_every_position() {
        let orders: Vec<Vec<usize>> = (0..4).map(|round| order(round, 3).collect()).collect();
        assert_eq!(orders, [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]);
    }

    #[test]
    fn names_choose_without_changing_the_order() {
        let names = |names: &[&str]| -> Vec<&str> {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            Variant::chosen(&names).iter().map(|variant| variant.name).collect()
        };
        assert_eq!(names(&["stacked", "independent", "stacked"]), ["independent", "stacked"]);
        assert_eq!(names(&[]), Variant::ALL.map(|variant| variant.name));
        for variant in Variant::ALL {
            assert_eq!(Variant::named(variant.name), Some(variant));
        }
    }
}
