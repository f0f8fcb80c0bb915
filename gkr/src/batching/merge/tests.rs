//! Claims of all kinds, merged, and walked from.

use p3_field::PrimeCharacteristicRing;

use super::*;
use crate::Reject;
use crate::batching::tests::{Calls, calls, filler};
use crate::batching::{Batch, Strategy, discharge};
use crate::cheating::Altering;
use crate::codec::{DEGREE, WORD_BYTES};
use crate::permutation::{Permutation, Poseidon2};
use crate::transcript::{ProverChannel, VerifierChannel};

const DOMAIN: &[u8] = b"merge test";
const NUM_CALLS: [usize; 4] = [300, 1, 1000, 128];
const T: usize = 16;

/// What claims are made of, to borrow from.
struct Sources {
    regions: Regions,
    calls: Calls<T>,
    /// A walk's point in region 0, and a multilinear one in region 2.
    points: [Point; 2],
    given: Vec<E>,
    betas: [[E; DIGEST]; 4],
}

impl Sources {
    fn new() -> Self {
        let mut channel = ProverChannel::new(b"sources");
        let point = Point::draw(2, &mut channel);
        let plain = Point::multilinear(&channel.draw_many(10));
        let given = channel.draw_many(1000);
        let betas = std::array::from_fn(|_| std::array::from_fn(|_| channel.draw()));
        let regions = Regions::new(NUM_CALLS).unwrap();
        let calls = calls(&NUM_CALLS, 1);
        Self { regions, calls, points: [point, plain], given, betas }
    }

    /// Σ_i w(i)·Σ_v β_v·P(in_i)_v, row by row.
    fn truth(&self, region: usize, weights: Weights<'_>, beta: &[E; DIGEST]) -> E {
        let rows = CHUNK << log_outer(NUM_CALLS[region]);
        let row = |row: usize| {
            let mut state = self.calls[region].get(row).copied().unwrap_or_default();
            Poseidon2::<T>::permute(&mut state);
            let weight = match weights {
                Weights::Point(point) => point.weight(row),
                Weights::Given(weights) => weights.get(row).copied().unwrap_or_default(),
            };
            weight * beta.iter().zip(state).map(|(&beta, word)| beta * word).sum::<E>()
        };
        (0..rows).map(row).sum()
    }

    /// True claims: two about region 2, one about each of 0 and 1, none about 3.
    fn claims(&self) -> Vec<RowClaim<'_>> {
        let list = [
            (0, Weights::Point(&self.points[0])),
            (2, Weights::Point(&self.points[1])),
            (2, Weights::Given(&self.given)),
            (1, Weights::Given(&self.given[..1])),
        ];
        let claim = |((region, weights), &beta)| RowClaim {
            region,
            weights,
            beta,
            value: self.truth(region, weights, &beta),
        };
        list.into_iter().zip(&self.betas).map(claim).collect()
    }

    fn proved(&self, claims: &[RowClaim<'_>]) -> (OutputClaims, Vec<u8>) {
        let mut channel = ProverChannel::new(DOMAIN);
        let outputs = prove(&self.regions, &filler(&self.calls), claims, &mut channel);
        (outputs, channel.finish())
    }

    fn verified(&self, claims: &[RowClaim<'_>], proof: &[u8]) -> Result<OutputClaims, Reject> {
        let mut channel = VerifierChannel::new(DOMAIN, proof);
        let outputs = verify(&self.regions, claims, &mut channel)?;
        channel.finish()?;
        Ok(outputs)
    }
}

#[test]
fn claims_of_all_kinds_become_true_claims_at_one_point() {
    let sources = Sources::new();
    let claims = sources.claims();
    let (outputs, proof) = sources.proved(&claims);
    assert_eq!(sources.verified(&claims, &proof).as_ref(), Ok(&outputs));
    let truth = OutputClaims::of(
        &sources.regions,
        &filler(&sources.calls),
        outputs.at.clone(),
        outputs.beta,
    );
    assert_eq!(outputs, truth);
    assert_eq!(proof.len(), DEGREE * WORD_BYTES * (15 + 2 * (3 + 4) + 8 * 4));
    for strategy in Strategy::ALL {
        let batch = Batch::new(&sources.regions, strategy);
        let mut channel = ProverChannel::new(DOMAIN);
        let _ = batch.prove(&filler(&sources.calls), &outputs, &mut channel);
        let proof = channel.finish();
        let mut channel = VerifierChannel::new(DOMAIN, &proof);
        let terminal = batch.verify::<T>(&outputs, &mut channel).unwrap();
        discharge::directly(&terminal, &sources.regions, &sources.calls).unwrap();
    }
}

#[test]
fn a_false_claim_is_refused_whichever_it_is() {
    let sources = Sources::new();
    let honest = sources.claims();
    let (_, proof) = sources.proved(&honest);
    for index in 0..honest.len() {
        let mut claims = honest.clone();
        claims[index].value += E::ONE;
        assert_eq!(sources.verified(&claims, &proof), Err(Reject::MergedOutputs));
        let mut channel = Altering::new(DOMAIN, |number, message: &mut [E], _: &[E]| {
            // The sum made right by q(0).
            if number == 0 {
                message[0] += E::ONE;
            }
        });
        let _ = prove(&sources.regions, &filler(&sources.calls), &honest, &mut channel);
        assert_eq!(
            sources.verified(&claims, &channel.finish()),
            Err(Reject::MergedOutputs),
            "claim {index}"
        );
    }
}

#[test]
fn a_transcript_changed_anywhere_is_refused() {
    let sources = Sources::new();
    let claims = sources.claims();
    let (_, proof) = sources.proved(&claims);
    // Region 3 has no claim: what is sent of it is the batch's to settle.
    let settled = proof.len() - DIGEST * DEGREE * WORD_BYTES;
    for at in (0..settled).step_by(DEGREE * WORD_BYTES) {
        let mut forged = proof.clone();
        forged[at] ^= 1;
        assert_eq!(sources.verified(&claims, &forged), Err(Reject::MergedOutputs), "byte {at}");
    }
    assert_eq!(sources.verified(&claims, &proof[..proof.len() - 1]), Err(Reject::Truncated));
}

/// Outputs that fit the claims and are false: the weights drawn afterwards show it, and the batch
/// does not follow.
#[test]
fn false_outputs_that_fit_their_claim_fail_in_the_batch() {
    let sources = Sources::new();
    let claims = sources.claims();
    let [first, second, ..] = claims[0].beta;
    let last = 1 + 3 + 4;
    let mut channel = Altering::new(DOMAIN, |number, message: &mut [E], _: &[E]| {
        if number == last {
            message[0] += second;
            message[1] -= first;
        }
    });
    let _ = prove(&sources.regions, &filler(&sources.calls), &claims, &mut channel);
    let outputs = sources.verified(&claims, &channel.finish()).unwrap();
    for strategy in Strategy::ALL {
        let batch = Batch::new(&sources.regions, strategy);
        let mut channel = ProverChannel::new(DOMAIN);
        let _ = batch.prove(&filler(&sources.calls), &outputs, &mut channel);
        let proof = channel.finish();
        let mut channel = VerifierChannel::new(DOMAIN, &proof);
        let verdict = batch.verify::<T>(&outputs, &mut channel);
        assert_eq!(verdict, Err(Reject::Skip { layer: 0 }), "{strategy}");
    }
}

#[test]
fn everything_claimed_is_absorbed() {
    let sources = Sources::new();
    let claims = sources.claims();
    let drawn = |regions: &Regions, claims: &[RowClaim<'_>]| {
        bind(regions, claims, &mut ProverChannel::new(DOMAIN))
    };
    let mut seen = vec![drawn(&sources.regions, &claims)];
    let mut differs = |challenge: E| {
        assert!(!seen.contains(&challenge));
        seen.push(challenge);
    };
    differs(drawn(&Regions::new([300, 1, 1000, 127]).unwrap(), &claims));
    differs(drawn(&sources.regions, &claims[..3]));
    let points = sources.points.clone().map(|mut point| {
        point.lanes[2] += E::ONE;
        point
    });
    let mut given = sources.given.clone();
    given[777] += E::ONE;
    let mut altered = |alter: &dyn Fn(&mut [RowClaim<'_>])| {
        let mut claims = claims.clone();
        alter(&mut claims);
        differs(drawn(&sources.regions, &claims));
    };
    altered(&|claims| claims.swap(0, 1));
    altered(&|claims| claims[1].region = 0);
    altered(&|claims| claims[2].beta[7] += E::ONE);
    altered(&|claims| claims[3].value += E::ONE);
    for (index, weights) in
        [Weights::Point(&points[0]), Weights::Point(&points[1]), Weights::Given(&given)]
            .into_iter()
            .enumerate()
    {
        let mut claims = claims.clone();
        claims[index].weights = weights;
        differs(drawn(&sources.regions, &claims));
    }
}

#[test]
fn claims_of_another_shape_are_refused() {
    let sources = Sources::new();
    let honest = sources.claims();
    let (_, proof) = sources.proved(&honest);
    let verdict = |claims: &[RowClaim<'_>]| sources.verified(claims, &proof);
    assert_eq!(verdict(&[]), Err(Reject::OutputClaims));
    for region in [1, 3, 4, usize::MAX] {
        let mut claims = honest.clone();
        claims[0].region = region;
        assert_eq!(verdict(&claims), Err(Reject::OutputClaims), "{region}");
        claims = honest.clone();
        claims[2].region = region;
        assert_eq!(verdict(&claims), Err(Reject::OutputClaims), "{region}");
    }
}

#[test]
fn soundness_error_counts_every_draw() {
    let total: u64 =
        numerators(&Regions::new(NUM_CALLS).unwrap(), 4).iter().map(Numerator::total).sum();
    assert_eq!(total, 3 + 14 + 2 * (3 + 4) + 7);
}
