//! How something is hashed and proved, in the arguments of every command that proves.

use airda::proof::{ChainStep, Membership, ProofSystem, System, air};
use airda::security::Proved;
use airda::{Error, HashWidth, Profile};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::failure::Failure;

/// The hash and the proof system, but for the profile's rate.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Choice {
    /// The hash of cells, rows and trees.
    #[arg(long, value_name = "H", default_value = HashWidth::W16.name(), value_parser = hash())]
    pub(super) hash: HashWidth,
    /// GKR over WHIR, or AIR tables over FRI. The commitment is the same.
    #[arg(long, value_name = "S", value_enum, default_value_t)]
    pub(super) proof_system: Kind,
    /// How a gkr proof shows that rows are codewords: by committing to the payload half alone,
    /// or to everything with a vector that every row is orthogonal to [default: construction].
    #[arg(long, value_name = "M", value_parser = membership())]
    membership: Option<Membership>,
    /// Have a gkr proof commit to every G-th chaining value of a cell's hash: fewer words to
    /// commit to, more walks to verify [default: 1].
    #[arg(long, value_name = "G", value_parser = chain_step)]
    chain_step: Option<ChainStep>,
    #[command(flatten)]
    air: AirChoice,
}

/// What there is to choose of an AIR proof system.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct AirChoice {
    /// Bits that an air proof of a known profile is proven to have at least; tiny blocks have
    /// fewer [default: 100].
    #[arg(long, value_name = "BITS", value_enum)]
    air_security: Option<AirSecurity>,
}

/// The proof systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// GKR over WHIR.
    #[default]
    Gkr,
    /// AIR tables over FRI.
    Air,
}

/// The entries of FRI's table for a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum AirSecurity {
    /// Fewer queries.
    #[default]
    #[value(name = "100")]
    Usual,
    /// As many bits as the commitment has.
    #[value(name = "124")]
    Strong,
}

impl Kind {
    /// What a proof turned out to be.
    pub(super) const fn of(proved: &Proved) -> Self {
        match proved {
            Proved::Gkr(_) => Self::Gkr,
            Proved::Air(_) => Self::Air,
        }
    }

    /// Its name on the command line and in output.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Gkr => "gkr",
            Self::Air => "air",
        }
    }

    /// What it is.
    pub(super) const fn described(self) -> &'static str {
        match self {
            Self::Gkr => "over WHIR",
            Self::Air => "tables over FRI",
        }
    }

    /// What the time of the first verification in a process includes.
    pub(super) const fn verifying(self) -> &'static str {
        match self {
            Self::Gkr => "",
            Self::Air => "tables of the shape prepared, once a process",
        }
    }
}

impl Choice {
    /// Refuses what does not go together.
    pub(super) fn admit(&self) -> Result<(), Failure> {
        let given = [
            ("--membership", Kind::Gkr, self.membership.is_some()),
            ("--chain-step", Kind::Gkr, self.chain_step.is_some()),
            ("--air-security", Kind::Air, self.air.air_security.is_some()),
        ];
        let foreign = given.iter().find(|(_, of, given)| *given && *of != self.proof_system);
        let Some((argument, of, _)) = foreign else { return Ok(()) };
        Err(Failure::unusable(format!(
            "{argument} belongs to --proof-system {} only, not to {} (see airda --help)",
            of.name(),
            self.proof_system.name()
        )))
    }

    /// The proof system for a profile.
    ///
    /// # Errors
    /// What [`Self::admit`] refuses, and rates that there is no proof system for.
    pub(super) fn system(&self, profile: &Profile) -> Result<ProofSystem, Failure> {
        self.admit()?;
        Ok(match self.proof_system {
            Kind::Gkr => ProofSystem::Gkr(self.gkr(profile)?),
            Kind::Air => ProofSystem::Air(self.air.system(profile)?),
        })
    }

    /// The GKR proof system for a profile.
    pub(super) fn gkr(&self, profile: &Profile) -> Result<System, Failure> {
        self.admit()?;
        let system =
            System::for_rate(profile.log_inv_rate()).map_err(|error| no(profile, error))?;
        let system = system.with_membership(self.membership.unwrap_or_default());
        Ok(system.with_chain_step(self.chain_step.unwrap_or(ChainStep::EVERY)))
    }

    /// What is chosen of an AIR proof system.
    pub(super) fn air(&self) -> Result<&AirChoice, Failure> {
        self.admit()?;
        Ok(&self.air)
    }
}

impl AirChoice {
    /// The AIR proof system for a profile.
    pub(super) fn system(&self, profile: &Profile) -> Result<air::System, Failure> {
        let rate = profile.log_inv_rate();
        let system = match self.air_security.unwrap_or_default() {
            AirSecurity::Usual => air::System::for_rate(rate),
            AirSecurity::Strong => air::System::strong_for_rate(rate),
        };
        system.map_err(|error| no(profile, error))
    }
}

fn no(profile: &Profile, error: Error) -> Failure {
    Failure::unusable(format!("profile {profile}: {error}"))
}

/// Parses a hash's name.
pub(super) fn hash() -> impl TypedValueParser<Value = HashWidth> {
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
