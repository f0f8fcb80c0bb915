//! The commitment that the tables are proved with: p3-fri over byte-hash Merkle trees.
//!
//! Trees and transcript hash with Keccak-256, never with the permutation whose calls are proved.

use p3_challenger::{HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_keccak::{Keccak256Hash, KeccakF};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher};
use p3_uni_stark::StarkConfig;

use crate::security::FriShape;
use crate::{E, F, Reject};

/// Words of 8 bytes in a Merkle digest.
pub(crate) const DIGEST_WORDS: usize = 4;
type Sponge = PaddingFreeSponge<KeccakF, 25, 17, DIGEST_WORDS>;
/// Merkle trees over rows of words.
pub type Tree = MerkleTreeMmcs<
    [F; p3_keccak::VECTOR_LEN],
    [u64; p3_keccak::VECTOR_LEN],
    SerializingHasher<Sponge>,
    CompressionFunctionFromHasher<Sponge, 2, DIGEST_WORDS>,
    2,
    DIGEST_WORDS,
>;
/// The transcript.
pub type Challenger = SerializingChallenger32<F, HashChallenger<u8, Keccak256Hash, 32>>;
/// The polynomial commitment.
pub type Pcs = TwoAdicFriPcs<F, Radix2DitParallel<F>, Tree, ExtensionMmcs<F, E, Tree>>;
/// The configuration of p3's STARKs.
pub type Config = StarkConfig<Pcs, E, Challenger>;

/// Parameters of FRI and of the proofs of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    id: u16,
    log_blowup: usize,
    num_queries: usize,
    query_pow_bits: usize,
    batch_pow_bits: usize,
    max_log_arity: usize,
    /// Bits that every instance proves, all terms added up.
    target_bits: u16,
}

/// The closed table of parameters.
const TABLE: [Parameters; 4] = [
    Parameters {
        id: 1,
        log_blowup: 1,
        num_queries: 172,
        query_pow_bits: 16,
        batch_pow_bits: 0,
        max_log_arity: 1,
        target_bits: 100,
    },
    Parameters {
        id: 2,
        log_blowup: 2,
        num_queries: 86,
        query_pow_bits: 16,
        batch_pow_bits: 0,
        max_log_arity: 1,
        target_bits: 100,
    },
    Parameters {
        id: 3,
        log_blowup: 1,
        num_queries: 264,
        query_pow_bits: 16,
        batch_pow_bits: 8,
        max_log_arity: 1,
        target_bits: 124,
    },
    Parameters {
        id: 4,
        log_blowup: 2,
        num_queries: 162,
        query_pow_bits: 16,
        batch_pow_bits: 8,
        max_log_arity: 1,
        target_bits: 124,
    },
];

impl Parameters {
    /// The entry for codewords of rate `2^-log_blowup` that proves 100 bits at least.
    pub fn for_rate(log_blowup: usize) -> Option<Self> {
        TABLE.into_iter().find(|entry| entry.log_blowup == log_blowup)
    }

    /// The entry of the same rate that proves 124 bits at least.
    pub fn strong_for_rate(log_blowup: usize) -> Option<Self> {
        TABLE.into_iter().rfind(|entry| entry.log_blowup == log_blowup)
    }

    /// The entry of that number.
    ///
    /// # Errors
    /// [`Reject::UnknownParameters`].
    pub fn by_id(id: u16) -> Result<Self, Reject> {
        let entry = TABLE.into_iter().find(|entry| entry.id == id);
        entry.ok_or(Reject::UnknownParameters(id))
    }

    /// Parameters far below any target, for tests of everything but security.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub const fn insecure_for_tests(num_queries: usize, max_log_arity: usize) -> Self {
        Self {
            id: 255,
            log_blowup: 1,
            num_queries,
            query_pow_bits: 1,
            batch_pow_bits: 0,
            max_log_arity,
            target_bits: 0,
        }
    }

    /// The same for tables of any height, however few bits that proves.
    #[cfg(all(test, feature = "prover"))]
    pub(crate) const fn without_target(self) -> Self {
        Self { target_bits: 0, ..self }
    }

    /// The number that names the entry in files and transcripts.
    pub const fn id(&self) -> u16 {
        self.id
    }

    /// −log2 of the rate.
    pub const fn log_blowup(&self) -> usize {
        self.log_blowup
    }

    /// Positions at which codewords are opened.
    pub const fn num_queries(&self) -> usize {
        self.num_queries
    }

    /// Bits of work before the queries are drawn.
    pub const fn query_pow_bits(&self) -> usize {
        self.query_pow_bits
    }

    /// Bits of work before the opened columns are combined.
    pub const fn batch_pow_bits(&self) -> usize {
        self.batch_pow_bits
    }

    /// log2 of the most values that a round folds into one.
    pub const fn max_log_arity(&self) -> usize {
        self.max_log_arity
    }

    /// Bits that every instance proves, all terms added up: others are refused.
    pub const fn target_bits(&self) -> u16 {
        self.target_bits
    }

    /// What the security report asks of FRI.
    pub const fn shape(&self) -> FriShape {
        FriShape {
            log_blowup: self.log_blowup,
            num_queries: self.num_queries,
            log_final_poly_len: 0,
            max_log_arity: self.max_log_arity,
            query_pow_bits: self.query_pow_bits,
            commit_pow_bits: 0,
            batch_pow_bits: self.batch_pow_bits,
            lookup_pow_bits: 0,
            ood_pow_bits: 0,
        }
    }

    /// Every number of the entry, for the transcript.
    pub(crate) fn numbers(&self) -> [u64; 6] {
        let Self {
            id, log_blowup, num_queries, query_pow_bits, batch_pow_bits, max_log_arity, ..
        } = *self;
        let numbers = [log_blowup, num_queries, query_pow_bits, batch_pow_bits, max_log_arity];
        let [a, b, c, d, e] = numbers.map(|number| number as u64);
        [u64::from(id), a, b, c, d, e]
    }

    /// p3's configuration, its transcript beginning with `seed`.
    pub fn config(&self, seed: Vec<u8>) -> Config {
        let sponge = Sponge::new(KeccakF {});
        let compress = CompressionFunctionFromHasher::new(sponge);
        let tree = Tree::new(SerializingHasher::new(sponge), compress, 0);
        let fri = FriParameters {
            log_blowup: self.log_blowup,
            log_final_poly_len: 0,
            max_log_arity: self.max_log_arity,
            num_queries: self.num_queries,
            batch_proof_of_work_bits: self.batch_pow_bits,
            commit_proof_of_work_bits: 0,
            query_proof_of_work_bits: self.query_pow_bits,
            mmcs: ExtensionMmcs::new(tree.clone()),
        };
        let pcs = Pcs::new(Radix2DitParallel::default(), tree, fri);
        Config::new(pcs, Challenger::from_hasher(seed, Keccak256Hash {}))
    }
}

#[cfg(test)]
mod tests {
    use super::{Parameters, TABLE};
    use crate::Reject;

    #[test]
    fn entries_have_their_numbers_and_there_are_no_others() {
        for (index, entry) in TABLE.into_iter().enumerate() {
            assert_eq!(usize::from(entry.id()), index + 1);
            assert_eq!(Parameters::by_id(entry.id()), Ok(entry));
        }
        for id in [0, 5, 255, u16::MAX] {
            assert_eq!(Parameters::by_id(id), Err(Reject::UnknownParameters(id)));
        }
    }

    #[test]
    fn each_rate_has_two_entries_and_the_second_is_the_stronger() {
        for log_blowup in [1, 2] {
            let entry = Parameters::for_rate(log_blowup).unwrap();
            let strong = Parameters::strong_for_rate(log_blowup).unwrap();
            assert_eq!([entry.log_blowup(), strong.log_blowup()], [log_blowup; 2]);
            assert!(strong.num_queries() > entry.num_queries());
        }
        assert_eq!(Parameters::for_rate(0), None);
        assert_eq!(Parameters::strong_for_rate(3), None);
    }
}
