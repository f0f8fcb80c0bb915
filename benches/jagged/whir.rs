//! p3-whir with our parameters, and the bytes of its proofs.

use airda_gkr::blake3::Blake3;
use airda_gkr::commit::Parameters;
use airda_gkr::transcript::Challenger;
use airda_gkr::{E, F};
use p3_dft::Radix2DFTSmallBatch;
use p3_merkle_tree::{MerkleTreeMmcs, PrunedMerklePaths};
use p3_sumcheck::SumcheckData;
use p3_sumcheck::jagged::{BoundJaggedLayout, JaggedLayout, JaggedProof};
use p3_sumcheck::layout::PrefixProver;
use p3_symmetric::CompressionFunctionFromHasher;
use p3_whir::{
    FoldingFactor, PcsProof, ProtocolParameters, QueryOpenings, WhirConfig, WhirConfigError,
    WhirProver,
};

pub(crate) const DIGEST_BYTES: usize = 32;
const WORD_BYTES: usize = 4;
const ELEMENT_BYTES: usize = 5 * WORD_BYTES;

type Tree = MerkleTreeMmcs<
    F,
    u8,
    Blake3,
    CompressionFunctionFromHasher<Blake3, 2, DIGEST_BYTES>,
    2,
    DIGEST_BYTES,
>;
pub(crate) type Stack = PrefixProver<F, E>;
pub(crate) type Pcs = WhirProver<E, F, Radix2DFTSmallBatch<F>, Tree, Challenger, Stack>;
/// p3-whir with the schedule of our parameters, at the least level that composes to their target.
pub(crate) fn new(parameters: &Parameters, layout: &JaggedLayout) -> (Pcs, usize, f64) {
    let (first, later) = parameters.folds();
    let num_variables = layout.dense_variables();
    let folding_factor = FoldingFactor::ConstantFromSecondRound(first.variables, later.variables);
    let (num_rounds, _) =
        folding_factor.compute_number_of_rounds(num_variables).expect("a schedule");
    let mut rate = parameters.log_inv_rate();
    let round_log_inv_rates = (0..num_rounds)
        .map(|round| {
            let fold = if round == 0 { first } else { later };
            rate += fold.variables - fold.shrink;
            rate
        })
        .collect();
    let mut protocol = ProtocolParameters {
        starting_log_inv_rate: parameters.log_inv_rate(),
        round_log_inv_rates,
        folding_factor,
        soundness_type: parameters.regime(),
        security_level: parameters.target_bits(),
        pow_bits: 0,
    };
    let mut challenger = Challenger::from_hasher(Vec::new(), Blake3);
    let bound = BoundJaggedLayout::new::<F, _>(layout, &mut challenger);
    loop {
        let config = match WhirConfig::new_with_initial_claims(num_variables, protocol.clone(), 1) {
            Err(WhirConfigError::PowBitsExceedBudget { required, .. }) => {
                protocol.pow_bits = required;
                continue;
            }
            outcome => outcome.expect("a schedule"),
        };
        let tree = Tree::new(Blake3, CompressionFunctionFromHasher::new(Blake3), 0);
        let pcs = Pcs::new(config, Radix2DFTSmallBatch::default(), tree);
        let security = bound.security::<E, _, Challenger>(&pcs, 1).expect("an assessed opening");
        if security.error().bits() >= parameters.target_bits() as f64 {
            return (pcs, protocol.security_level, security.error().bits());
        }
        (protocol.security_level, protocol.pow_bits) = (protocol.security_level + 1, 0);
    }
}
pub(crate) fn reduction_bytes(proof: &JaggedProof<F, E>) -> usize {
    sumcheck_bytes(proof.sumcheck()) + ELEMENT_BYTES
}

fn sumcheck_bytes(data: &SumcheckData<F, E>) -> usize {
    2 * ELEMENT_BYTES * data.polynomial_evaluations.len() + WORD_BYTES * data.pow_witnesses.len()
}

/// As our own encoding counts: see `Scheme::proof_bytes`. Every proof of work has a witness.
pub(crate) fn opening_bytes(proof: &PcsProof<F, E, Tree>) -> usize {
    fn rows<R>(rows: &[Vec<R>], symbol: usize) -> usize {
        rows.iter().map(|row| row.len() * symbol).sum()
    }
    fn queries(openings: &QueryOpenings<F, E, PrunedMerklePaths<u8, DIGEST_BYTES>>) -> usize {
        let (rows, proof) = match openings {
            QueryOpenings::Base(opening) => (rows(&opening.rows, WORD_BYTES), &opening.proof),
            QueryOpenings::Extension(opening) => {
                (rows(&opening.rows, ELEMENT_BYTES), &opening.proof)
            }
        };
        // A witness, and a count of digests.
        2 * WORD_BYTES + rows + DIGEST_BYTES * proof.sibling_hashes.len()
    }
    let whir = &proof.whir;
    let values: usize = proof.evals.iter().map(|batch| batch.len()).sum();
    let elements = values
        + whir.initial_ood_answers.len()
        + whir.final_poly.as_ref().map_or(0, |poly| poly.as_slice().len());
    let rounds = whir.rounds.iter().map(|round| {
        let elements = ELEMENT_BYTES * round.ood_answers.len();
        DIGEST_BYTES + elements + queries(&round.openings) + sumcheck_bytes(&round.sumcheck)
    });
    ELEMENT_BYTES * elements
        + sumcheck_bytes(&whir.initial_sumcheck)
        + rounds.sum::<usize>()
        + queries(&whir.final_openings)
        + whir.final_sumcheck.as_ref().map_or(0, sumcheck_bytes)
}
