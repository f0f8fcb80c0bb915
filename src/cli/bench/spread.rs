//! Several measurements of one quantity.

use serde::Serialize;

use crate::cli::output::seconds;

/// The median, with the smallest and the largest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Spread {
    /// Of at least one measurement; without any, of zero.
    pub(super) fn of(measured: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = measured.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
        let last = sorted.len().saturating_sub(1);
        let median = f64::midpoint(at(last / 2), at(sorted.len() / 2));
        Self { median, min: at(0), max: at(last) }
    }

    /// Median and range of times, for a table.
    pub(super) fn times(&self) -> [String; 2] {
        [seconds(self.median), format!("[{}, {}]", seconds(self.min), seconds(self.max))]
    }

    /// Median of ratios, for a table.
    pub(super) fn ratio(&self) -> String {
        format!("{:.2} x", self.median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_lies_between() {
        let of = |values: &[f64]| Spread::of(values.iter().copied());
        assert_eq!(of(&[3.0, 1.0, 2.0]), Spread { median: 2.0, min: 1.0, max: 3.0 });
        assert_eq!(of(&[4.0, 1.0, 2.0, 3.0]), Spread { median: 2.5, min: 1.0, max: 4.0 });
        assert_eq!(of(&[5.0]), Spread { median: 5.0, min: 5.0, max: 5.0 });
    }
}
