//! Proving that a commitment is well formed, and checking it.
//!
//! # Statement
//! The [relation](crate::relation) at the commitment's public parameters, row digests and
//! column root.
//!
//! # Steps
//! 1. Both sides absorb the domain, the public parameters, how membership is shown, which
//!    chaining values are committed, the row digests, root_col and the root.
//! 2. Membership by construction: what is committed of the matrix is its payload half, the
//!    messages of the [row code](crate::code::systematic). Membership by vector: the whole
//!    matrix is committed; p and L follow from the public parameters and the root alone
//!    ([`code::membership`](crate::code::membership)), so one commitment has one p.
//! 3. The [argument] for the relation's calls and equations.
//!
//! # Soundness
//! [`security`](crate::security).
//!
//! # Cost
//! The argument's; the verifier adds O(m log m) for one encoding over E, or for L.
//!
//! # Source
//! LeanDA's relation, without the VM; there membership is shown by the vector.
//!
//! # Deviations
//! Membership by construction.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

pub mod air;
mod system;

use airda_gkr::Reject;
use airda_gkr::argument::{self, Sizes, Statement};
use airda_gkr::calls::{CallTable, Layout};
use airda_gkr::commit::Scheme;
use airda_gkr::permutation::{Permutation, Poseidon2};
#[cfg(feature = "prover")]
use airda_gkr::transcript::ProverChannel;
use airda_gkr::transcript::{Channel, VerifierChannel};
use tracing::{info_span, instrument};

pub use self::system::{ChainStep, Membership, ProofSystem, System};
use crate::artifact::{Limits, ProofFile};
#[cfg(feature = "prover")]
use crate::block::Block;
use crate::code::membership::{self, MembershipVector};
use crate::code::systematic::LimbCode;
use crate::commitment::Commitment;
use crate::error::Error;
use crate::params::{HashWidth, Params};
use crate::relation::Relation;
use crate::security::Security;

/// Absorbed first.
const DOMAIN: &[u8] = b"airda proof, version 1";

/// What a good proof tells.
#[must_use]
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// How secure the proof is.
    pub security: Security,
    /// Bytes of a GKR argument's parts, the rest of the file being its envelope; none for an AIR
    /// proof.
    pub sizes: Option<Sizes>,
    /// Calls of the compression that it covers.
    pub calls: usize,
}

/// Proves that the block's commitment is well formed; returns the proof's file.
///
/// The witness is not checked: for a block that is not well formed this returns a proof that
/// does not verify.
///
/// # Errors
/// [`Error::Proof`] when the system has no instance for the block's size.
#[cfg(feature = "prover")]
#[instrument(name = "das.prove", skip_all)]
pub fn prove(block: &Block, system: impl Into<ProofSystem>) -> Result<Vec<u8>, Error> {
    prove_by(block, system.into())
}

/// Apart from [`prove`] so that the provers are compiled in this crate, not in each caller's.
#[cfg(feature = "prover")]
fn prove_by(block: &Block, system: ProofSystem) -> Result<Vec<u8>, Error> {
    match system {
        ProofSystem::Air(system) => air::prove(block, &system),
        ProofSystem::Gkr(system) => match block.params().hash() {
            HashWidth::W16 => prove_at::<16>(block, &system),
            HashWidth::W24 => prove_at::<24>(block, &system),
        },
    }
}

#[cfg(feature = "prover")]
fn prove_at<const T: usize>(block: &Block, system: &System) -> Result<Vec<u8>, Error>
where
    Poseidon2<T>: Permutation<T>,
{
    let commitment = block.commitment();
    let any_length = |_: &CallTable<T>, _: &Layout<'_>, _: &Scheme| Ok(());
    stated::<T, _>(commitment, system, any_length, |statement, scheme| {
        let mut channel = ProverChannel::new(DOMAIN);
        // 1.
        bind(commitment, system, &mut channel);
        // 3.
        argument::prove(statement, scheme, block.words(), &mut channel);
        let body = &channel.finish();
        let membership = system.membership().id();
        let chain_step = system.chain_step().id();
        Ok(ProofFile { system: system.parameters().id(), membership, chain_step, body }.encode())
    })
}

/// Checks a proof's file against a commitment.
///
/// # Errors
/// [`Error::Malformed`] when the file is no proof, [`Error::Proof`] when the proof is refused.
#[instrument(name = "das.verify", skip_all)]
pub fn verify(commitment: &Commitment, file: &[u8]) -> Result<Verified, Error> {
    let file = ProofFile::decode(file, &Limits::default())?;
    let membership = Membership::by_id(file.membership).ok_or(Error::NoMembership)?;
    let chain_step = ChainStep::new(file.chain_step).ok_or(Error::NoChainStep)?;
    if let Some(system) = air::System::by_id(file.system) {
        return air::verify_file(commitment, &system?, &file);
    }
    let system = System::by_id(file.system)?;
    let system = system.with_membership(membership).with_chain_step(chain_step);
    verify_body(commitment, &system, file.body)
}

/// Checks a proof made by a system that files cannot name.
///
/// # Errors
/// As [`verify`].
#[cfg(feature = "testing")]
#[doc(hidden)]
pub fn verify_with(
    commitment: &Commitment,
    system: impl Into<ProofSystem>,
    file: &[u8],
) -> Result<Verified, Error> {
    verify_by(commitment, system.into(), file)
}

#[cfg(feature = "testing")]
fn verify_by(commitment: &Commitment, system: ProofSystem, file: &[u8]) -> Result<Verified, Error> {
    let file = ProofFile::decode(file, &Limits::default())?;
    let system = match system {
        ProofSystem::Air(system) if file.system == system.id() => {
            return air::verify_file(commitment, &system, &file);
        }
        ProofSystem::Air(_) => return Err(Reject::UnknownParameters(file.system).into()),
        ProofSystem::Gkr(system) => system,
    };
    if file.system != system.parameters().id() {
        return Err(Reject::UnknownParameters(file.system).into());
    }
    if file.membership != system.membership().id() {
        return Err(Error::NoMembership);
    }
    if file.chain_step != system.chain_step().id() {
        return Err(Error::NoChainStep);
    }
    verify_body(commitment, &system, file.body)
}

fn verify_body(commitment: &Commitment, system: &System, body: &[u8]) -> Result<Verified, Error> {
    match commitment.params().hash() {
        HashWidth::W16 => verify_at::<16>(commitment, system, body),
        HashWidth::W24 => verify_at::<24>(commitment, system, body),
    }
}

fn verify_at<const T: usize>(
    commitment: &Commitment,
    system: &System,
    body: &[u8],
) -> Result<Verified, Error>
where
    Poseidon2<T>: Permutation<T>,
{
    let admit = |table: &CallTable<T>, layout: &Layout<'_>, scheme: &Scheme| {
        argument::admit(table, layout, scheme, body.len())
    };
    stated::<T, _>(commitment, system, admit, |statement, scheme| {
        let mut channel = VerifierChannel::new(DOMAIN, body);
        // 1.
        bind(commitment, system, &mut channel);
        // 3.
        let sizes = argument::verify(statement, scheme, &mut channel)?;
        channel.finish()?;
        Ok(Verified {
            security: Security::of(commitment.params(), scheme, statement),
            sizes: Some(sizes),
            calls: statement.table.num_calls(),
        })
    })
}

/// Step 2, the same for both sides: what is proved of the commitment, and how it is opened.
/// Nothing as large as a row is made before `admit` has agreed.
fn stated<const T: usize, R>(
    commitment: &Commitment,
    system: &System,
    admit: impl FnOnce(&CallTable<T>, &Layout<'_>, &Scheme) -> Result<(), Reject>,
    run: impl FnOnce(&Statement<'_, T>, &Scheme) -> Result<R, Error>,
) -> Result<R, Error>
where
    Poseidon2<T>: Permutation<T>,
{
    let (params, root) = (commitment.params(), commitment.root());
    laid_out::<T, _>(params, system, |relation, layout, scheme| {
        let table = relation.table();
        admit(table, &layout, scheme)?;
        let vector = match system.membership() {
            Membership::Construction => None,
            Membership::Vector => Some(
                info_span!("das.membership")
                    .in_scope(|| MembershipVector::new(params, membership::point(params, root))),
            ),
        };
        let equations = relation.equations(
            &layout,
            commitment.row_digests(),
            commitment.root_col(),
            vector.as_ref(),
        );
        run(&Statement { table, layout, equations: &equations }, scheme)
    })
}

/// What follows from the parameters alone: the relation, what is committed of it, and how that
/// is opened.
pub(crate) fn laid_out<const T: usize, R>(
    params: &Params,
    system: &System,
    run: impl FnOnce(&Relation<T>, Layout<'_>, &Scheme) -> Result<R, Error>,
) -> Result<R, Error>
where
    Poseidon2<T>: Permutation<T>,
{
    let relation = Relation::<T>::with_chain_step(params, system.chain_step());
    let code = LimbCode::new(params);
    let layout = match system.membership() {
        Membership::Construction => Layout::messages(relation.table(), &code),
        Membership::Vector => Layout::whole(relation.table()),
    };
    let scheme = Scheme::new(system.parameters(), layout.num_words())?;
    run(&relation, layout, &scheme)
}

/// Step 1.
fn bind(commitment: &Commitment, system: &System, channel: &mut impl Channel) {
    let params = commitment.params();
    let numbers = [
        params.hash().width() as u64,
        params.log_k() as u64,
        params.log_c() as u64,
        params.rows() as u64,
        params.payload_len(),
        u64::from(crate::hash::HASH_VERSION),
        u64::from(system.membership().id()),
        u64::from(system.chain_step().id()),
    ];
    let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
    channel.bind_bytes(&bytes);
    channel.bind_words(&commitment.row_digests().concat());
    channel.bind_words(commitment.root_col());
    channel.bind_words(commitment.root());
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests;
