//! Which regions are measured.

use airda::relation::Relation;
use airda::{HashWidth, Profile};
use airda_gkr::batching::Regions;
use airda_gkr::permutation::{Permutation, Poseidon2};
use clap::{Args, ValueEnum};

use crate::cli::bench::measure::full;
use crate::cli::failure::Failure;

/// log2 of the calls of a region, at most.
const MAX_WIDTH: i64 = 25;

/// One of three ways to state regions.
#[derive(Debug, Args)]
pub(super) struct RegionArgs {
    /// Regions of 2^M calls each. The default are those of a published study.
    #[arg(long, value_name = "M,..", value_delimiter = ',', conflicts_with_all = ["calls", "das"],
        default_value = "14,15,17,16,12,15,16,12,13",
        value_parser = clap::value_parser!(u32).range(0..=MAX_WIDTH))]
    widths: Vec<u32>,
    /// Regions of so many calls each, any number from one on.
    #[arg(long, value_name = "N,..", value_delimiter = ',', conflicts_with = "das",
        value_parser = clap::value_parser!(u64).range(1..=1 << MAX_WIDTH))]
    calls: Vec<u64>,
    /// The calls that commit to a block of this profile: bX-cY-rZ or kK-cY-rZ.
    #[arg(long, value_name = "P")]
    das: Option<Profile>,
    /// How a block's calls make regions [default: pieces].
    #[arg(long, value_name = "R", requires = "das", conflicts_with_all = ["widths", "calls"])]
    regions: Option<Of>,
}

/// A block's calls as regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Of {
    /// The pieces of its call table: powers of two with one wiring each.
    #[default]
    Pieces,
    /// Cells, column trees, row chains and the column-root tree.
    Kinds,
}

/// Regions, and what was said to have them.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) name: String,
    pub(super) regions: Regions,
}

impl RegionArgs {
    pub(super) fn choose(&self, hash: HashWidth) -> Result<Chosen, Failure> {
        let (name, num_calls) = if let Some(profile) = &self.das {
            let of = self.regions.unwrap_or_default();
            let num_calls = match hash {
                HashWidth::W16 => of.num_calls::<16>(profile, hash)?,
                HashWidth::W24 => of.num_calls::<24>(profile, hash)?,
            };
            let of = match of {
                Of::Pieces => "pieces",
                Of::Kinds => "kinds",
            };
            (format!("{profile} {of}"), num_calls)
        } else if self.calls.is_empty() {
            let num_calls = self.widths.iter().map(|&width| 1 << width).collect();
            (format!("widths {}", listed(&self.widths)), num_calls)
        } else {
            let num_calls = self.calls.iter().map(|&calls| calls as usize).collect();
            (format!("calls {}", listed(&self.calls)), num_calls)
        };
        let regions = Regions::new(num_calls)
            .map_err(|reject| Failure::unusable(format!("{name}: {reject}")))?;
        Ok(Chosen { name, regions })
    }
}

fn listed<X: ToString>(numbers: &[X]) -> String {
    numbers.iter().map(X::to_string).collect::<Vec<_>>().join(" ")
}

impl Of {
    fn num_calls<const T: usize>(
        self,
        profile: &Profile,
        hash: HashWidth,
    ) -> Result<Vec<usize>, Failure>
    where
        Poseidon2<T>: Permutation<T>,
    {
        let Some(rows) = profile.rows() else {
            return Err(Failure::unusable(format!("profile {profile}: say -rZ")));
        };
        let relation = Relation::<T>::new(&full(profile, hash, rows)?);
        Ok(match self {
            Self::Pieces => relation.table().pieces().iter().map(|piece| piece.size()).collect(),
            // A single row has no column trees, a single column no tree above them.
            Self::Kinds => {
                relation.calls_by_kind().into_iter().filter(|&calls| calls > 0).collect()
            }
        })
    }
}
