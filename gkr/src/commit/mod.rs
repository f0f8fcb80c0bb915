//! The polynomial commitment: one vector of words, opened at one point of its multilinear
//! extension.
//!
//! # Statement
//! A root commits to f: {0,1}^m → F, a vector of 2^m words; given z ∈ E^m, the value is f~(z).
//!
//! # Steps
//! 1. Commit: f is encoded by a Reed–Solomon code of the parameters' rate, the codeword's rows
//!    are hashed into a Merkle tree, its root is sent and absorbed. Columns that the statement
//!    says are zero are left out: see `columns`.
//! 2. (The caller draws z after the root was absorbed.)
//! 3. Open: WHIR's proof for f~(z), one canonically encoded field of the tape, the last one.
//!
//! # Soundness
//! [`Scheme::new`] computes the bound: p3's union bound over all of WHIR's error terms, in the
//! regime that the parameters name, together with the largest reductions that
//! [`crate::security`] expects between commitment and opening. It refuses instances below the
//! target. In the Johnson regime a root fixes a short list of vectors, not one; errors of
//! challenges drawn between commitment and opening are multiplied by its length.
//!
//! # Cost
//! See [`Parameters`]: measured there.
//!
//! # Source
//! WHIR, ePrint 2024/1586, as implemented by p3-whir.
//!
//! # Deviations
//! Trees and transcript hash with BLAKE3, never with the permutation whose calls are proved.
//! Points are little-endian here (coordinate j belongs to bit j of an index) and big-endian in
//! p3: they are turned round in one place, `Scheme::point`. The proof's encoding is ours.

mod columns;
mod encoding;
mod guard;
mod parameters;
#[cfg(feature = "prover")]
mod prove;
#[cfg(all(test, feature = "prover", feature = "testing"))]
mod tests;
mod verify;

use std::ops::RangeInclusive;

use p3_commit::MultilinearPcs;
use p3_dft::Radix2DFTSmallBatch;
use p3_merkle_tree::{MerkleCap, MerkleTreeMmcs};
use p3_multilinear_util::point::Point;
use p3_sumcheck::layout::PrefixProver;
use p3_sumcheck::{
    OpeningBatch, OpeningProtocol, PrescribedOpeningSecurity, PrescribedPointPcs, TableShape,
    TableSpec,
};
use p3_symmetric::CompressionFunctionFromHasher;
use p3_whir::{PcsProof, WhirConfig, WhirProver};

use self::columns::{ColumnTree, Columns};
pub use self::parameters::{Fold, MAX_VARIABLES, Parameters, TARGET_BITS};
#[cfg(feature = "prover")]
pub use self::prove::Committed;
use crate::blake3::{Blake3, DIGEST_BYTES};
use crate::security::{Opening, Reductions};
use crate::transcript::{Challenger, Channel};
use crate::{E, F, Reject};
pub use p3_whir::SecurityAssumption;

/// Digest of a row or a node of WHIR's Merkle trees.
type MerkleDigest = [u8; DIGEST_BYTES];
/// Rows and nodes have fixed lengths; they are told apart by the tree's depth, which is fixed
/// too.
type PlainTree = MerkleTreeMmcs<
    F,
    u8,
    Blake3,
    CompressionFunctionFromHasher<Blake3, 2, DIGEST_BYTES>,
    2,
    DIGEST_BYTES,
>;
type Tree = ColumnTree<PlainTree>;
type Layout = PrefixProver<F, E>;
type Pcs = WhirProver<E, F, Radix2DFTSmallBatch<F>, Tree, Challenger, Layout>;
type Proof = PcsProof<F, E, Tree>;

/// Version of the encoding and of the parameters' meaning; part of the transcript.
pub const VERSION: u64 = 3;

/// Parameters made concrete for a number of words.
///
/// Proofs of one statement differ from run to run when several threads grind: any witness
/// serves.
#[derive(Debug)]
pub struct Scheme {
    parameters: Parameters,
    num_words: usize,
    level: usize,
    columns: Columns,
    /// p3's prover and verifier, and the parts of theirs that it does not lend.
    pcs: Pcs,
    #[cfg(feature = "prover")]
    transform: Radix2DFTSmallBatch<F>,
    #[cfg(feature = "prover")]
    tree: Tree,
    protocol: OpeningProtocol,
    shape: encoding::Shape,
    proof_bytes: (usize, usize),
    security: PrescribedOpeningSecurity,
}

/// A root, absorbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commitment {
    root: MerkleDigest,
}

impl Commitment {
    fn cap(&self) -> MerkleCap<F, MerkleDigest> {
        MerkleCap::new(vec![self.root])
    }
}

fn plain_tree() -> PlainTree {
    PlainTree::new(Blake3, CompressionFunctionFromHasher::new(Blake3), 0)
}

impl Scheme {
    /// The scheme for vectors of `num_words` words, at the least per-term level whose composed
    /// security reaches the parameters' target, `Reductions::largest` included. What a
    /// proof really reaches is its own [`Report`](crate::security::Report).
    ///
    /// # Errors
    /// [`Reject::NumWords`] for no word or more than 2^25; [`Reject::BelowTarget`] when no
    /// level reaches the target within the grinding allowed.
    pub fn new(parameters: &Parameters, num_words: usize) -> Result<Self, Reject> {
        if num_words == 0 || num_words > 1 << MAX_VARIABLES {
            return Err(Reject::NumWords(num_words));
        }
        let num_variables =
            (num_words.next_power_of_two().ilog2() as usize).max(parameters.min_variables());
        let protocol = OpeningProtocol::new(vec![TableSpec::new(
            TableShape::new(num_variables, 1),
            vec![OpeningBatch::new(vec![0], vec![])],
        )]);
        let target = parameters.target_bits() as f64;
        let refused = Reject::BelowTarget { id: parameters.id(), target: parameters.target_bits() };
        if parameters.regime() == SecurityAssumption::CapacityBound {
            // A refuted conjecture proves nothing.
            return Err(refused);
        }
        let reductions = Reductions::largest();
        for level in parameters.levels() {
            // Higher levels need more grinding, never less.
            let Ok(config) = parameters.config(num_variables, level) else { break };
            let scheme = Self::from_config(parameters, num_words, level, config, &protocol);
            let Some(scheme) = scheme else { continue };
            let between = reductions.bits(scheme.log2_list_size(), num_variables);
            let error = (-scheme.opening_bits()).exp2() + (-between).exp2();
            if -error.log2() >= target {
                return Ok(scheme);
            }
        }
        Err(refused)
    }

    fn from_config(
        parameters: &Parameters,
        num_words: usize,
        level: usize,
        config: WhirConfig<E, F, Challenger>,
        protocol: &OpeningProtocol,
    ) -> Option<Self> {
        let fold = config.round_folding_factor(0);
        let height = config.num_variables().checked_sub(fold)?;
        let columns = Columns::new(num_words, height, 1 << fold);
        let shape = encoding::Shape::new(&config, columns);
        let tree = Tree::new(plain_tree(), columns);
        let transform = Radix2DFTSmallBatch::default();
        let pcs = Pcs::new(config, transform.clone(), tree.clone());
        let security = pcs.prescribed_security(protocol)?;
        let (fixed, digests) = shape.bytes()?;
        let fewest = fixed.checked_add(DIGEST_BYTES)?;
        let proof_bytes = (fewest, fewest.checked_add(digests)?);
        // A list size that is none (negative, infinite) prices nothing.
        security.candidates()?;
        Some(Self {
            parameters: *parameters,
            num_words,
            level,
            columns,
            pcs,
            #[cfg(feature = "prover")]
            transform,
            #[cfg(feature = "prover")]
            tree,
            protocol: protocol.clone(),
            shape,
            proof_bytes,
            security,
        })
    }

    /// The entry this scheme is an instance of.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Words in the vector, before the extension with zeros.
    pub const fn num_words(&self) -> usize {
        self.num_words
    }

    /// Variables of the committed multilinear: coordinates of a point.
    pub fn num_variables(&self) -> usize {
        self.pcs.num_variables()
    }

    /// Bytes of a root and its opening: the fewest and the most. Only the number of digests in
    /// the Merkle multiproofs is not fixed.
    pub fn proof_bytes(&self) -> RangeInclusive<usize> {
        let (fewest, most) = self.proof_bytes;
        fewest..=most
    }

    /// log2 of the error of an opening, negated: p3's union bound over WHIR's terms alone.
    pub fn opening_bits(&self) -> f64 {
        self.security.error().bits()
    }

    /// log2 of how many vectors a root may leave open (0 in unique decoding), as p3 says.
    pub const fn log2_list_size(&self) -> f64 {
        self.security.log2_max_candidates
    }

    /// What the opening's security depends on.
    pub(crate) fn opening(&self) -> Opening {
        Opening::new(&self.pcs)
    }

    /// Everything that fixes the opening protocol, as numbers: what [`Scheme::bind`] absorbs.
    pub fn describe(&self) -> Vec<u64> {
        let config: &WhirConfig<E, F, Challenger> = &self.pcs;
        let fold = |fold: &Fold| [fold.variables, fold.shrink];
        let (first, later) = self.parameters.folds();
        let regime = match self.parameters.regime() {
            SecurityAssumption::UniqueDecoding => 0,
            SecurityAssumption::JohnsonBound => 1,
            SecurityAssumption::CapacityBound => 2,
        };
        let mut numbers = vec![
            self.parameters.id() as usize,
            regime,
            self.parameters.log_inv_rate(),
            self.parameters.target_bits(),
        ];
        numbers.extend([fold(&first), fold(&later)].concat());
        numbers.extend([
            self.num_words,
            config.num_variables(),
            self.columns.used,
            self.level,
            config.params().pow_bits,
            config.commitment_ood_samples(),
            config.starting_folding_pow_bits(),
            config.n_rounds(),
        ]);
        numbers.extend(config.folding_schedule());
        for round in config.round_parameters().iter().chain([&config.final_round_config()]) {
            numbers.extend([
                round.num_variables,
                round.log_inv_rate,
                round.log_folded_domain_size,
                round.num_queries,
                round.ood_samples,
                round.pow_bits,
                round.folding_pow_bits,
            ]);
        }
        numbers.extend([config.final_sumcheck_rounds(), config.final_folding_pow_bits()]);
        [VERSION].into_iter().chain(numbers.into_iter().map(|n| n as u64)).collect()
    }

    /// Absorbs every parameter. [`Scheme::commit`] and [`Scheme::receive`] do it themselves,
    /// so that nobody can forget it; binding earlier as well does no harm.
    pub fn bind(&self, channel: &mut impl Channel) {
        let bytes: Vec<u8> = self.describe().into_iter().flat_map(u64::to_le_bytes).collect();
        channel.bind_bytes(b"airda whir");
        channel.bind_bytes(&bytes);
    }

    /// A point in p3's order, where the first coordinate belongs to an index's highest bit.
    fn point(point: &[E]) -> Point<E> {
        Point::new(point.iter().rev().copied().collect())
    }

    /// Absorbs a root the way p3's commitment phase does. Neither `open_at` nor `verify_at`
    /// does it.
    fn observe(&self, commitment: &Commitment, challenger: &mut Challenger) {
        self.pcs.observe_commitment(&commitment.cap(), challenger);
    }
}
