//! How something is hashed and proved, in the arguments of every command that proves.

use airda::proof::{ChainStep, Membership, System};
use airda::{Error, HashWidth, Profile};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The hash and the proof system, but for the profile's rate.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Choice {
    /// The hash of cells, rows and trees.
    #[arg(long, value_name = "H", default_value = HashWidth::W16.name(), value_parser = hash())]
    pub(super) hash: HashWidth,
    /// How the proof shows that rows are codewords: by committing to the payload half alone, or
    /// to everything with a vector that every row is orthogonal to.
    #[arg(long, value_name = "M", default_value = Membership::default().name(), value_parser = membership())]
    membership: Membership,
    /// Commit to every G-th chaining value of a cell's hash: fewer words to commit to, more
    /// walks to verify.
    #[arg(long, value_name = "G", default_value = "1", value_parser = chain_step)]
    chain_step: ChainStep,
}

impl Choice {
    /// The proof system for a profile.
    ///
    /// # Errors
    /// [`Error::NoSystem`].
    pub(super) fn system(&self, profile: &Profile) -> Result<System, Error> {
        let system = System::for_rate(profile.log_inv_rate())?;
        Ok(system.with_membership(self.membership).with_chain_step(self.chain_step))
    }
}

fn hash() -> impl TypedValueParser<Value = HashWidth> {
    let all = [HashWidth::W16, HashWidth::W24];
    PossibleValuesParser::new(all.map(HashWidth::name))
        .map(move |name| all.into_iter().find(|hash| hash.name() == name).unwrap_or_default())
}

fn membership() -> impl TypedValueParser<Value = Membership> {
    let all = [Membership::Construction, Membership::Vector];
    PossibleValuesParser::new(all.map(Membership::name))
        .map(move |name| all.into_iter().find(|mode| mode.name() == name).unwrap_or_default())
}

fn chain_step(text: &str) -> Result<ChainStep, String> {
    let step = text.parse().ok().and_then(ChainStep::new);
    step.ok_or_else(|| format!("it must be between 1 and {}", ChainStep::MAX))
}
