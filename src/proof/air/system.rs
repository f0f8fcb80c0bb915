//! Which parameters an AIR proof is made with.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use airda_air::fri::Parameters;

use crate::error::Error;

/// An AIR proof system: an entry of the table of FRI's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct System {
    parameters: Parameters,
}

/// Added to an entry's number in files, to tell it from those of the GKR proof system.
const FIRST_ID: u16 = 256;

impl System {
    /// The system for FRI's log inverse rate, the T of a profile's name: 100 bits at
    /// least for the known profiles; tables of a few rows have fewer.
    ///
    /// # Errors
    /// [`Error::NoSystem`] when the table has none.
    pub fn for_rate(log_inv_rate: usize) -> Result<Self, Error> {
        let parameters = Parameters::for_rate(log_inv_rate);
        Ok(Self { parameters: parameters.ok_or(Error::NoSystem { log_inv_rate })? })
    }

    /// The same with 124 bits, as many as the commitment has.
    ///
    /// # Errors
    /// [`Error::NoSystem`] when the table has none.
    pub fn strong_for_rate(log_inv_rate: usize) -> Result<Self, Error> {
        let parameters = Parameters::strong_for_rate(log_inv_rate);
        Ok(Self { parameters: parameters.ok_or(Error::NoSystem { log_inv_rate })? })
    }

    /// The system that files name so, if it is an AIR proof system's number.
    ///
    /// # Errors
    /// [`Error::Air`] when the table has no such entry.
    pub fn by_id(id: u16) -> Option<Result<Self, Error>> {
        let entry = id.checked_sub(FIRST_ID)?;
        Some(Parameters::by_id(entry).map(|parameters| Self { parameters }).map_err(Error::Air))
    }

    /// A system far below any target. No decoder and no command reaches it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub const fn insecure_for_tests(parameters: Parameters) -> Self {
        Self { parameters }
    }

    /// The number that names it in files.
    pub const fn id(&self) -> u16 {
        FIRST_ID.saturating_add(self.parameters.id())
    }

    /// FRI's parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }
}
