//! The relation as AIR tables over FRI: another proof of the very same commitments.
//!
//! # Statement
//! That of [`proof`](super), with membership by vector: a commitment made once can be proved
//! either way.
//!
//! # Steps
//! 1. Both sides make the tables of the parameters ([`tables`]) and commit to their preprocessed
//!    columns; that is kept in the process for the next proof of the same shape.
//! 2. Both sides compute the point p of [`membership::point`] and from it the weights'
//!    public values; the initial values, the row digests and root_col are public blocks.
//! 3. The tables are proved together ([`Machine`]), with the parameters of the commitment, its
//!    digests and its root in the transcript.
//!
//! # Soundness
//! [`airda_air::security`]; membership as by vector. Every cell word is written once, by the table
//! of inner products, and read once, by the call that hashes it; every digest is written by the
//! call that computes it; the verifier itself takes the public ones.
//!
//! # Cost
//! The verifier makes the tables, in time and memory linear in the calls, once for a shape, and
//! only for a proof that is long enough. Shapes whose proofs would be longer than a file may be
//! are refused before that.
//!
//! # Source
//! p3-batch-stark; the tables are [`airda_air`]'s.
//!
//! # Deviations
//! Two tables of calls, one for chains and one for tree nodes: chains of equal length start and
//! end in few lanes, and only those need messages on the bus for it.

mod describe;
pub mod system;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "of a file only the parameters enter, whose sizes are bounded"
)]
pub mod tables;
#[cfg(feature = "prover")]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
mod witness;

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use airda_air::calls::{Poseidon2 as Rounds, Width};
use airda_air::inner_product::Weights;
use airda_air::{Compiled, Machine, Reject, Table};
use airda_gkr::permutation::Digest;
#[cfg(feature = "prover")]
use airda_gkr::permutation::{Permutation, Poseidon2};
use airda_gkr::{E, F};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
#[cfg(feature = "prover")]
use p3_matrix::dense::RowMajorMatrix;
use tracing::info_span;

pub use self::describe::{Calls, Description, TableLine, describe};
pub use self::system::System;
use self::tables::Tables;
use super::Verified;
use crate::artifact::{Limits, ProofFile};
#[cfg(feature = "prover")]
use crate::block::Block;
use crate::code::membership;
use crate::commitment::Commitment;
use crate::error::Error;
use crate::hash::{ABSENT, Domain, HASH_VERSION};
use crate::params::{HashWidth, LIMBS, Params};
use crate::security::Security;

/// Proves a block's commitment; see [`super::prove`].
#[cfg(feature = "prover")]
pub(super) fn prove(block: &Block, system: &System) -> Result<Vec<u8>, Error> {
    match block.params().hash() {
        HashWidth::W16 => prove_at::<16, 20>(block, system),
        HashWidth::W24 => prove_at::<24, 23>(block, system),
    }
}

#[cfg(feature = "prover")]
fn prove_at<const T: usize, const P: usize>(
    block: &Block,
    system: &System,
) -> Result<Vec<u8>, Error>
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
    Poseidon2<T>: Permutation<T>,
{
    let prepared = Prepared::<T, P>::new(block.params(), system)?;
    let stated = Stated::new(block.commitment());
    let traces = witness::traces(block, &prepared.tables, &stated.weights);
    let body = &Table::prove(&prepared.machine, &stated.bytes, &traces, &stated.public)?;
    Ok(ProofFile {
        system: system.id(),
        membership: super::Membership::Vector.id(),
        chain_step: super::ChainStep::EVERY.id(),
        body,
    }
    .encode())
}

/// Checks a proof's file; see [`super::verify`].
pub(super) fn verify_file(
    commitment: &Commitment,
    system: &System,
    file: &ProofFile<'_>,
) -> Result<Verified, Error> {
    // There is one way: anything else in the file would be another name for the same proof.
    if file.membership != super::Membership::Vector.id() {
        return Err(Error::NoMembership);
    }
    if file.chain_step != super::ChainStep::EVERY.id() {
        return Err(Error::NoChainStep);
    }
    let body = file.body;
    match commitment.params().hash() {
        HashWidth::W16 => verify_at::<16, 20>(commitment, system, body),
        HashWidth::W24 => verify_at::<24, 23>(commitment, system, body),
    }
}

fn verify_at<const T: usize, const P: usize>(
    commitment: &Commitment,
    system: &System,
    body: &[u8],
) -> Result<Verified, Error>
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
{
    let params = commitment.params();
    if body.len() < least_bytes::<T, P>(params, system) {
        return Err(Reject::Truncated.into());
    }
    let prepared = Prepared::<T, P>::new(params, system)?;
    let stated = Stated::new(commitment);
    Table::verify(&prepared.machine, &stated.bytes, &stated.public, body)?;
    Ok(Verified {
        security: Security::of_air(params, prepared.machine.security()),
        sizes: None,
        calls: params.calls(),
    })
}

/// The security of proofs of that shape.
pub(crate) fn security(params: &Params, system: &System) -> Result<Security, Error> {
    fn at<const T: usize, const P: usize>(
        params: &Params,
        system: &System,
    ) -> Result<Security, Error>
    where
        Rounds<T, P>: Width<T, P>,
        Table<T, P>: Compiled,
    {
        let prepared = Prepared::<T, P>::new(params, system)?;
        Ok(Security::of_air(params, prepared.machine.security()))
    }
    match params.hash() {
        HashWidth::W16 => at::<16, 20>(params, system),
        HashWidth::W24 => at::<24, 23>(params, system),
    }
}

/// A block's tables, traces and public values: for whoever proves them with another
/// configuration, or another engine.
#[cfg(feature = "prover")]
#[derive(Clone, Debug)]
pub struct Instance<const T: usize, const P: usize>
where
    Rounds<T, P>: Width<T, P>,
{
    /// The tables.
    pub tables: Tables<T, P>,
    /// Their traces, in the order of [`Tables::all`].
    pub traces: Vec<RowMajorMatrix<F>>,
    /// Their public values.
    pub public: Vec<Vec<F>>,
    /// What the transcript has to start with: the commitment, all of it.
    pub statement: Vec<u8>,
}

#[cfg(feature = "prover")]
impl<const T: usize, const P: usize> Instance<T, P>
where
    Rounds<T, P>: Width<T, P>,
    Poseidon2<T>: Permutation<T>,
{
    /// The instance of a block.
    ///
    /// # Panics
    /// When the block's hash has another width than T.
    pub fn new(block: &Block) -> Self {
        let tables = Tables::new(block.params());
        let stated = Stated::new(block.commitment());
        let traces = witness::traces(block, &tables, &stated.weights);
        Self { tables, traces, public: stated.public, statement: stated.bytes }
    }
}

/// Bytes that every proof of that shape has at least: in each main column an element at the
/// random point, and a word for each query.
fn least_bytes<const T: usize, const P: usize>(params: &Params, system: &System) -> usize
where
    Rounds<T, P>: Width<T, P>,
{
    const WORD: usize = 4;
    let queries = system.parameters().num_queries();
    let of_column = LIMBS.saturating_add(queries).saturating_mul(WORD);
    Tables::<T, P>::columns(params).saturating_mul(of_column)
}

/// Refuses shapes whose proofs, so long at least or at most, need not fit into a file.
fn fits_a_file(bytes: usize) -> Result<(), Error> {
    if bytes.saturating_add(ProofFile::ENVELOPE_BYTES) > Limits::default().proof_bytes {
        return Err(Reject::Instance("its proofs are longer than a file may be").into());
    }
    Ok(())
}

/// What a shape's proofs share: step 1.
pub(crate) struct Prepared<const T: usize, const P: usize>
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
{
    #[cfg(feature = "prover")]
    tables: Tables<T, P>,
    machine: Machine<Table<T, P>>,
}

/// A shape: width, log k, log c, rows and the system.
type Key = (usize, usize, usize, usize, System);

/// The last shapes prepared in this process, the latest last.
static PREPARED: Mutex<Vec<(Key, Arc<dyn Any + Send + Sync>)>> = Mutex::new(Vec::new());
/// How many of them are kept.
const KEPT: usize = 2;

impl<const T: usize, const P: usize> Prepared<T, P>
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
{
    /// The shape's tables, from this process's memory if it has them.
    ///
    /// # Errors
    /// [`Error::Air`] when the system has no instance for that shape, or its proofs need not fit
    /// into a file.
    pub(crate) fn new(params: &Params, system: &System) -> Result<Arc<Self>, Error> {
        let key = (T, params.log_k(), params.log_c(), params.rows(), *system);
        let kept = || PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept().iter().find(|(found, _)| *found == key).map(|(_, it)| Arc::clone(it));
        if let Some(prepared) = found.and_then(|prepared| prepared.downcast().ok()) {
            return Ok(prepared);
        }
        fits_a_file(least_bytes::<T, P>(params, system))?;
        let prepared = info_span!("air.prepare").in_scope(|| {
            let tables = Tables::<T, P>::new(params);
            let machine = Table::prepare(tables.all(), system.parameters())?;
            fits_a_file(machine.proof_bytes().1)?;
            Ok::<_, Error>(Arc::new(Self {
                #[cfg(feature = "prover")]
                tables,
                machine,
            }))
        })?;
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((key, Arc::clone(&prepared) as Arc<dyn Any + Send + Sync>));
        Ok(prepared)
    }
}

/// Step 2: what the tables are proved for.
struct Stated {
    #[cfg(feature = "prover")]
    weights: Weights,
    /// Each table's public values.
    public: Vec<Vec<F>>,
    /// What the transcript starts with: the commitment, all of it.
    bytes: Vec<u8>,
}

impl Stated {
    fn new(commitment: &Commitment) -> Self {
        let (params, root) = (commitment.params(), commitment.root());
        let weights = info_span!("das.membership")
            .in_scope(|| weights(params, membership::point(params, root)));
        let iv = |domain| params.iv(domain);
        let given = [ABSENT, iv(Domain::Cell), iv(Domain::Row), iv(Domain::Node)];
        let digests = commitment.row_digests().iter().chain([commitment.root_col()]);
        let blocks: Vec<Digest> = given.iter().chain(digests.clone()).copied().collect();
        let public = vec![Vec::new(), Vec::new(), weights.public_values(), blocks.concat()];

        let numbers = [
            params.hash().width() as u64,
            params.log_k() as u64,
            params.log_c() as u64,
            params.rows() as u64,
            params.payload_len(),
            u64::from(HASH_VERSION),
        ];
        let mut bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        let words = digests.chain([root]).flatten();
        bytes.extend(words.flat_map(|word| word.as_canonical_u32().to_le_bytes()));
        Self {
            #[cfg(feature = "prover")]
            weights,
            public,
            bytes,
        }
    }
}

/// The weights of the membership vector L of the point p: with ω^k = −1, both halves of it are
/// κ x/(p − x), x the position's own point, κ = (p^k − 1)/k on the payload half and (p^k + 1)/k
/// on the parity half.
fn weights(params: &Params, p: E) -> Weights {
    let power = p.exp_power_of_2(params.log_k());
    let scale = F::ONE.div_2exp_u64(params.log_k() as u64);
    Weights { point: p, scales: [(power - E::ONE) * scale, (power + E::ONE) * scale] }
}

#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests;
