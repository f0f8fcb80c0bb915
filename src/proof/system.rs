//! Which proof system makes or checks a proof.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use airda_gkr::commit::Parameters;

use super::air;
use crate::error::Error;
pub use crate::relation::ChainStep;

/// How a proof shows that every row is a codeword.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Membership {
    /// By construction: only the payload half is committed, and the parity half is its encoding
    /// wherever a call reads it. Nothing is drawn for it, so nothing is lost.
    #[default]
    Construction,
    /// By vector: the whole matrix is committed, and every row is orthogonal to the vector of a
    /// point hashed from the commitment
    /// ([`code::membership`](crate::code::membership)).
    Vector,
}

impl Membership {
    /// The number that names it in files and transcripts.
    pub const fn id(self) -> u8 {
        match self {
            Self::Vector => 0,
            Self::Construction => 1,
        }
    }

    /// The mode of that number, if there is one.
    pub const fn by_id(id: u8) -> Option<Self> {
        match id {
            0 => Some(Self::Vector),
            1 => Some(Self::Construction),
            _ => None,
        }
    }

    /// Its name in output and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vector => "vector",
            Self::Construction => "construction",
        }
    }
}

/// A proof system: an entry of the opening's closed table, how membership is shown, and which
/// chaining values are committed.
///
/// # Choice of the defaults
/// T_prove in ms, median of five, and the proof's KiB, by `airda bench prove` on two threads of
/// an AVX-512 EPYC; differences of a tenth are within the spread:
///
/// | membership, chain step | b2-c32-r14, 16 | b2-c32-r14, 24 | b4-c64-r14, 16 | b4-c64-r14, 24 |
/// |---|---|---|---|---|
/// | vector, 1 | 274, 279 | 231, 311 | 598, 293 | 366, 323 |
/// | construction, 1 | 250, 309 | 188, 273 | 486, 319 | 369, 285 |
/// | construction, 2 | 252, 308 | 177, 335 | 454, 322 | 314, 356 |
/// | construction, 3 | 319, 335 | 248, 367 | 570, 404 | 440, 386 |
/// | construction, 4 | 214, 403 | 249, 397 | 424, 430 | 383, 424 |
///
/// Construction commits to the fewest words for a given step, is not slower, spares the
/// verifier a random point and a table, and loses no soundness: the default everywhere. Its
/// proofs are smaller than the vector's unless they fill their power of two better, since
/// columns of zeros are not sent. A chain step of 2 saves time at b4-c64 alone, at width 24 for
/// bytes beyond 330 KiB; one of 4 saves more for 90 KiB and more; 3 does not divide a block's
/// columns evenly, so the linear form costs more than the commitment saves. So 1 is the default,
/// for all profiles, and 2 is for whoever lacks memory: two thirds of it suffice. Width 24
/// proves in three quarters of the time; 16 is the default for its cryptanalytic margin.
#[derive(Clone, Copy, Debug)]
pub struct System {
    parameters: Parameters,
    membership: Membership,
    chain_step: ChainStep,
}

impl System {
    /// The system for WHIR's log inverse rate, the T of a profile's name; membership by
    /// construction, all chaining values committed.
    ///
    /// # Errors
    /// [`Error::NoSystem`] when the table has none.
    pub fn for_rate(log_inv_rate: usize) -> Result<Self, Error> {
        let parameters = Parameters::for_rate(log_inv_rate);
        let parameters = parameters.ok_or(Error::NoSystem { log_inv_rate })?;
        Ok(Self::new(parameters))
    }

    /// The system with that entry of the table, otherwise as [`Self::for_rate`].
    ///
    /// # Errors
    /// [`Error::Proof`] when the table has none.
    pub fn by_id(id: u16) -> Result<Self, Error> {
        Ok(Self::new(Parameters::by_id(id)?))
    }

    const fn new(parameters: Parameters) -> Self {
        Self { parameters, membership: Membership::Construction, chain_step: ChainStep::EVERY }
    }

    /// The same with membership shown otherwise.
    #[must_use]
    pub const fn with_membership(self, membership: Membership) -> Self {
        Self { membership, ..self }
    }

    /// The same with other chaining values committed.
    #[must_use]
    pub const fn with_chain_step(self, chain_step: ChainStep) -> Self {
        Self { chain_step, ..self }
    }

    /// A system below the target. No decoder and no command reaches it: proofs that name it
    /// are refused but by [`verify_with`](super::verify_with).
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub const fn insecure_for_tests(parameters: Parameters) -> Self {
        Self::new(parameters)
    }

    /// The opening's parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// How membership is shown.
    pub const fn membership(&self) -> Membership {
        self.membership
    }

    /// Which chaining values are committed.
    pub const fn chain_step(&self) -> ChainStep {
        self.chain_step
    }
}

/// Either of the proof systems that a commitment can be proved with.
#[derive(Clone, Copy, Debug)]
pub enum ProofSystem {
    /// GKR over WHIR.
    Gkr(System),
    /// AIR tables over FRI.
    Air(air::System),
}

impl ProofSystem {
    /// Its name in output and on the command line.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Gkr(_) => "gkr",
            Self::Air(_) => "air",
        }
    }

    /// How it shows that rows are codewords.
    pub const fn membership(&self) -> Membership {
        match self {
            Self::Gkr(system) => system.membership(),
            Self::Air(_) => Membership::Vector,
        }
    }
}

impl From<&Self> for ProofSystem {
    fn from(system: &Self) -> Self {
        *system
    }
}

impl From<&System> for ProofSystem {
    fn from(system: &System) -> Self {
        Self::Gkr(*system)
    }
}

impl From<&air::System> for ProofSystem {
    fn from(system: &air::System) -> Self {
        Self::Air(*system)
    }
}
