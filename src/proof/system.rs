//! Which proof system makes or checks a proof.
#![deny(clippy::indexing_slicing, clippy::unwrap_used)]
#![deny(clippy::expect_used, clippy::panic_in_result_fn)]

use airda_gkr::commit::Parameters;

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
