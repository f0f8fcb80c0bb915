//! Batching: one permutation's calls in regions of unequal size, and five ways to walk them.
//!
//! # Statement
//! A regions of n_1, …, n_A calls of the permutation P at width t. Region a is a table of
//! 2^(7+m_a) rows, m_a the fewest outer bits that hold its calls; rows without a call have the
//! all-zero input, and W is the largest m_a. A point ρ with W outer bits, weights β and values
//! y_1, …, y_A make the [output claims](OutputClaims) `y_a = Σ_i w(i)·Σ_v β_v·P(in_i)_v`, w the
//! weights of the prefix of ρ that has m_a outer bits; all strategies start from the same ones.
//! What a batch ends with are [terminal claims](Terminal) about input columns, which the caller
//! owes a [discharge].
//!
//! # Steps
//! 1. Bind the strategy, the regions and the output claims.
//! 2. Bring the claims to the tables that are walked.
//! 3. [Walk](crate::walk) down: with parts a of weights λ_a, drawn anew in every layer, a layer's
//!    claim is `Σ_a λ_a·Σ_x eq(ρ, x)·Q_a(x)`, Q_a the layer's weighted cubes. Skip messages and
//!    the coefficients of the rounds are sums over the parts; every part sends its own ends.
//!
//! The [strategies](Strategy) differ in what is walked, and in how a part with fewer outer bits
//! goes through the rounds of those it lacks:
//!
//! - *Independent*: A walks one after the other, each of one part.
//! - *Padded*: one walk; every region is filled up with zero-input calls to 2^(7+W) rows, whose
//!   claim is `Π_{j≥m_a}(1 − ρ_j)·(y_a − p) + p`, p = ⟨β, P(0)⟩.
//! - *Ragged*: one walk; region a lies where the bits it lacks are zero, by the selector
//!   Π_{j≥m_a}(1 − x_j). In the rounds of those bits it is its value so far times (1 − X), and
//!   only the selector moves. The parts have no factor eq(ρ_j, X) in common, so messages that
//!   bind outer bits have degree 4. Lanes are bound last and every region has them.
//! - *Replicated*: one walk; region a is constant in the bits it lacks, and Σ_x eq(ρ, x) = 1
//!   leaves its sum as it is. The factor eq is common, so messages keep three coefficients, to
//!   which a region adds nothing once its bits are bound.
//! - *Stacked*: one walk over one table, the [`Stack`] of all regions' chunks. The claims are
//!   combined by the powers of a challenge μ, less what the stack does not hold (the chunks after
//!   a region's last, up to 2^m_a), and in the first layer the weights that this gives to the
//!   chunks take the place of eq. From then on it is the walk of a single table:
//!   ⌈log2 of all chunks⌉ rounds, and t ends a layer instead of t·A.
//!
//! # Soundness
//! If an output claim is false, so is a terminal claim but for the sum of
//! [`Batch::reductions`]: a walk's terms, A − 1 more a layer for λ (and for μ), and 4 a round
//! where messages have degree 4.
//!
//! # Cost
//! [`Batch::physical_rows`] and [`Batch::elements`]. Provers do the same work for each row held;
//! rows that all hold the same input cost nothing, so that a region may end anywhere.
//!
//! # Which one
//! Stacked, where the terminal claim may be about all regions' columns at one point, as it may
//! whenever they lie in one committed vector. Replicated, where each region needs a claim of its
//! own at a point of its own (regions that different commitments or different parties hold). The
//! others are for comparison; Independent has the smallest memory, a region at a time.
//!
//! # Use
//! [`Relation`] proves a call table of your own in one call: pieces [grouped](Grouped) into
//! regions, digests and equations settled against one commitment. `examples/membership_paths.rs`
//! is one from end to end, by all strategies.
//!
//! The parts can be had one by one: [`OutputClaims`] at a drawn point, or [merged](merge) from
//! claims that a protocol of the caller's ended in; [`Batch::prove`] and [`Batch::verify`]; the
//! [terminal claims](Terminal), which a [discharger](discharge) settles or the caller's next
//! protocol takes up. So selection that depends on data stays outside the walk.
//!
//! # Source
//! Selectors for tables of unequal size in one sumcheck are folklore; the comparison follows the
//! published study of ragged batching in a binary field. Stacking is Jagged's idea
//! (ePrint 2025/917), here for the walk instead of the commitment, with pieces that are
//! aligned powers of two, so that no sumcheck is needed to find them.
//!
//! # Deviations
//! - Positions and lanes: the walk's univariate variable is bound first and the lanes last, so a
//!   short region idles in the middle and holds sixteen values a column till then; with fewer
//!   than 128 calls it is filled to one chunk.
//! - Ragged keeps the walk's partial rounds, two ends a part instead of t; without them
//!   ([`Partial::Columns`]) it is what was published.
//! - Regions of one size need no selector, so there Ragged is Replicated.

mod claims;
pub mod discharge;
mod driver;
#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod forgeries;
mod grouped;
pub mod merge;
#[cfg(feature = "prover")]
mod prove;
mod regions;
mod relation;
mod size;
#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests;
mod verify;

use std::fmt;
use std::str::FromStr;

pub use self::claims::{InputClaim, OutputClaims, Rows, Terminal};
pub use self::grouped::Grouped;
#[cfg(feature = "prover")]
pub use self::prove::Inputs;
pub use self::regions::{Piece, Regions, Stack};
pub use self::relation::Relation;
pub use self::size::Outputs;
use crate::permutation::DIGEST;
use crate::transcript::Channel;
#[cfg(feature = "prover")]
pub use crate::walk::Checkpoints;
use crate::walk::{LANES, POSITIONS};
pub use crate::walk::{Partial, Sent};

/// Absorbed first: the protocol and its version.
const DOMAIN: &[u8] = b"airda-gkr batch 1";

/// How regions of unequal size are walked; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// A walk for each region.
    Independent,
    /// One walk over regions that are filled up to one size.
    Padded,
    /// One walk; a selector says where a smaller region lies.
    Ragged,
    /// One walk; a smaller region is constant in the variables it lacks.
    Replicated,
    /// One walk over all regions in one table.
    Stacked,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Independent, Self::Padded, Self::Ragged, Self::Replicated, Self::Stacked];

    /// Its name, in small letters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Padded => "padded",
            Self::Ragged => "ragged",
            Self::Replicated => "replicated",
            Self::Stacked => "stacked",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name of no strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no batching strategy is called {0:?}: there are independent, padded, ragged, replicated and stacked"
)]
pub struct UnknownStrategy(String);

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let known = Self::ALL.into_iter().find(|strategy| strategy.name() == name);
        known.ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}

/// Regions and how they are walked: what both sides must agree on.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The regions.
    pub regions: &'a Regions,
    /// The strategy.
    pub strategy: Strategy,
    /// What partial rounds leave.
    pub partial: Partial,
}

impl<'a> Batch<'a> {
    /// The regions by a strategy, with the partial rounds' recurrence.
    pub const fn new(regions: &'a Regions, strategy: Strategy) -> Self {
        Self { regions, strategy, partial: Partial::Recurrence }
    }

    /// Step 1.
    fn bind<const T: usize>(&self, outputs: &OutputClaims, channel: &mut impl Channel) {
        channel.bind_bytes(DOMAIN);
        let partial = match self.partial {
            Partial::Recurrence => 0,
            Partial::Columns => 1,
        };
        let shape = [T, POSITIONS, LANES, self.strategy as usize, partial, self.regions.len()];
        let numbers = shape.iter().chain(self.regions.num_calls());
        let bytes: Vec<u8> = numbers.flat_map(|&n| (n as u64).to_le_bytes()).collect();
        channel.bind_bytes(&bytes);
        let OutputClaims { at, beta, values } = outputs;
        at.bind(channel);
        channel.bind(beta as &[_; DIGEST]);
        channel.bind(values);
    }
}
