//! Proving that a commitment is well formed, and checking it.
//!
//! # Statement
//! The [relation](crate::relation) at the commitment's public parameters, row digests and
//! column root.
//!
//! # Steps
//! 1. Both sides absorb the domain, the public parameters, how membership is shown, the row
//!    digests, root_col and the root.
//! 2. p and L follow from the public parameters and the root alone
//!    ([`code::membership`](crate::code::membership)): one commitment has one p.
//! 3. The [argument] for the relation's calls and equations.
//!
//! # Soundness
//! [`security`](crate::security).
//!
//! # Cost
//! The argument's; the verifier adds O(m) for L.
//!
//! # Source
//! LeanDA's relation, without the VM.
//!
//! # Deviations
//! None from the module docs named above.
#![deny(clippy::indexing_slicing, clippy::unwrap_used)]
#![deny(clippy::expect_used, clippy::panic_in_result_fn)]

use airda_gkr::argument::{self, Sizes, Statement};
use airda_gkr::commit::{Parameters, Scheme};
use airda_gkr::permutation::{Digest, Permutation, Poseidon2};
#[cfg(feature = "prover")]
use airda_gkr::transcript::ProverChannel;
use airda_gkr::transcript::{Channel, VerifierChannel};
use tracing::instrument;

use crate::artifact::{Limits, ProofFile};
#[cfg(feature = "prover")]
use crate::block::Block;
use crate::code::membership::{self, MembershipVector};
use crate::commitment::Commitment;
use crate::error::Error;
use crate::params::HashWidth;
use crate::relation::Relation;
use crate::security::Security;

/// Absorbed first.
const DOMAIN: &[u8] = b"airda proof, version 1";
/// Absorbed too: membership is shown by the vector L.
const MEMBERSHIP_VECTOR: u64 = 0;

/// A proof system: one entry of the closed table.
#[derive(Clone, Copy, Debug)]
pub struct System(Parameters);

impl System {
    /// The system for WHIR's log inverse rate, the T of a profile's name.
    ///
    /// # Errors
    /// [`Error::NoSystem`] when the table has none.
    pub fn for_rate(log_inv_rate: usize) -> Result<Self, Error> {
        Parameters::for_rate(log_inv_rate).map(Self).ok_or(Error::NoSystem { log_inv_rate })
    }

    /// The system of that id: rate 1/2 has a compact one beside the default, for proofs a tenth
    /// smaller that take a little longer.
    ///
    /// # Errors
    /// [`Error::Proof`] when the table has none.
    pub fn by_id(id: u16) -> Result<Self, Error> {
        Ok(Self(Parameters::by_id(id)?))
    }

    /// A system below the target. No decoder and no command reaches it: proofs that name it
    /// are refused but by [`verify_with`].
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub const fn insecure_for_tests(parameters: Parameters) -> Self {
        Self(parameters)
    }

    /// The opening's parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.0
    }
}

/// What a good proof tells.
#[must_use]
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// How secure the proof is.
    pub security: Security,
    /// Calls of the compression that it covers.
    pub calls: usize,
    /// Bytes of the argument's parts; the rest of the file is its envelope.
    pub sizes: Sizes,
}

/// The membership vector of one commitment: what the builder precomputes and the verifier
/// rebuilds.
#[derive(Clone, Debug)]
pub struct Membership {
    root: Digest,
    vector: MembershipVector,
}

impl Membership {
    /// p and L, from the commitment's public parameters and root.
    #[must_use]
    #[instrument(name = "das.membership", skip_all)]
    pub fn of(commitment: &Commitment) -> Self {
        let (params, root) = (commitment.params(), commitment.root());
        let vector = MembershipVector::new(params, membership::point(params, root));
        Self { root: *root, vector }
    }

    /// Step 2: the vector, should it be this commitment's.
    fn vector(&self, commitment: &Commitment) -> Result<&MembershipVector, Error> {
        if self.root != *commitment.root() {
            return Err(Error::ForeignMembership);
        }
        Ok(&self.vector)
    }
}

/// Proves that the block's commitment is well formed; returns the proof's file.
///
/// The witness is not checked: for a block that is not well formed this returns a proof that
/// does not verify.
///
/// # Errors
/// [`Error::Proof`] when the system has no instance for the block's size,
/// [`Error::ForeignMembership`] when the vector is another commitment's.
#[cfg(feature = "prover")]
#[instrument(name = "das.prove", skip_all)]
pub fn prove(block: &Block, membership: &Membership, system: &System) -> Result<Vec<u8>, Error> {
    match block.params().hash() {
        HashWidth::W16 => prove_at::<16>(block, membership, system),
        HashWidth::W24 => prove_at::<24>(block, membership, system),
    }
}

#[cfg(feature = "prover")]
fn prove_at<const T: usize>(
    block: &Block,
    membership: &Membership,
    system: &System,
) -> Result<Vec<u8>, Error>
where
    Poseidon2<T>: Permutation<T>,
{
    let commitment = block.commitment();
    let relation = Relation::<T>::new(block.params());
    let scheme = Scheme::new(&system.0, relation.table().num_words())?;
    // 2.
    let membership = membership.vector(commitment)?;
    let equations = relation.equations(commitment.row_digests(), commitment.root_col(), membership);
    let mut channel = ProverChannel::new(DOMAIN);
    // 1.
    bind(commitment, &mut channel);
    // 3.
    let statement = Statement { table: relation.table(), equations: &equations };
    let mut words = Vec::with_capacity(1 << scheme.num_variables());
    words.extend_from_slice(block.words());
    argument::prove(&statement, &scheme, words, &mut channel);
    Ok(ProofFile { system: system.0.id(), body: &channel.finish() }.encode())
}

/// Checks a proof's file against a commitment.
///
/// # Errors
/// [`Error::Malformed`] when the file is no proof, [`Error::Proof`] when the proof is refused,
/// [`Error::ForeignMembership`] when the vector is another commitment's.
#[instrument(name = "das.verify", skip_all)]
pub fn verify(
    commitment: &Commitment,
    membership: &Membership,
    file: &[u8],
) -> Result<Verified, Error> {
    let file = ProofFile::decode(file, &Limits::default())?;
    let system = System::by_id(file.system)?;
    verify_body(commitment, membership, &system, file.body)
}

/// Checks a proof made by a system that files cannot name.
///
/// # Errors
/// As [`verify`].
#[cfg(feature = "testing")]
#[doc(hidden)]
pub fn verify_with(
    commitment: &Commitment,
    membership: &Membership,
    system: &System,
    file: &[u8],
) -> Result<Verified, Error> {
    let file = ProofFile::decode(file, &Limits::default())?;
    if file.system != system.0.id() {
        return Err(airda_gkr::Reject::UnknownParameters(file.system).into());
    }
    verify_body(commitment, membership, system, file.body)
}

fn verify_body(
    commitment: &Commitment,
    membership: &Membership,
    system: &System,
    body: &[u8],
) -> Result<Verified, Error> {
    match commitment.params().hash() {
        HashWidth::W16 => verify_at::<16>(commitment, membership, system, body),
        HashWidth::W24 => verify_at::<24>(commitment, membership, system, body),
    }
}

fn verify_at<const T: usize>(
    commitment: &Commitment,
    membership: &Membership,
    system: &System,
    body: &[u8],
) -> Result<Verified, Error>
where
    Poseidon2<T>: Permutation<T>,
{
    let relation = Relation::<T>::new(commitment.params());
    let table = relation.table();
    let scheme = Scheme::new(&system.0, table.num_words())?;
    // 2.
    let membership = membership.vector(commitment)?;
    let equations = relation.equations(commitment.row_digests(), commitment.root_col(), membership);
    let mut channel = VerifierChannel::new(DOMAIN, body);
    // 1.
    bind(commitment, &mut channel);
    // 3.
    let statement = Statement { table, equations: &equations };
    let sizes = argument::verify(&statement, &scheme, &mut channel)?;
    channel.finish()?;
    Ok(Verified {
        security: Security::of(commitment.params(), &scheme, &statement),
        calls: table.num_calls(),
        sizes,
    })
}

/// Step 1.
fn bind(commitment: &Commitment, channel: &mut impl Channel) {
    let params = commitment.params();
    let numbers = [
        params.hash().width() as u64,
        params.log_k() as u64,
        params.log_c() as u64,
        params.rows() as u64,
        params.payload_len(),
        u64::from(crate::hash::HASH_VERSION),
        MEMBERSHIP_VECTOR,
    ];
    let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
    channel.bind_bytes(&bytes);
    channel.bind_words(&commitment.row_digests().concat());
    channel.bind_words(commitment.root_col());
    channel.bind_words(commitment.root());
}
