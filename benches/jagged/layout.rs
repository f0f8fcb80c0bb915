//! The jagged layout, over our commitment and over p3-whir.

use airda_gkr::blake3::Blake3;
use airda_gkr::commit::Scheme;
use airda_gkr::transcript::{Challenger, Channel, ProverChannel, VerifierChannel};
use airda_gkr::{E, F};
use p3_challenger::FieldChallenger;
use p3_commit::MultilinearPcs;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_sumcheck::jagged::{BoundJaggedLayout, JaggedLayout, JaggedPoint};
use p3_sumcheck::layout::{Layout as _, Table};

use crate::whir::{DIGEST_BYTES, Pcs, Stack, opening_bytes, reduction_bytes};
use crate::{DOMAIN, Instance, Run, big_endian, eq, timed};

/// The layout of the columns, filled up with empty ones.
pub(crate) fn new(instance: &Instance, min_variables: usize) -> JaggedLayout {
    let mut heights: Vec<usize> =
        instance.columns.iter().map(|log_height| 1 << log_height).collect();
    heights.resize(heights.len().next_power_of_two(), 0);
    JaggedLayout::with_min_dense_variables(instance.point.len(), &heights, min_variables)
        .expect("a layout")
}

/// All claims as one: both sides do this, once the columns are committed.
fn one_claim(
    instance: &Instance,
    layout: &JaggedLayout,
    challenger: &mut Challenger,
) -> (JaggedPoint<E>, E) {
    let Instance { columns, point, values, .. } = instance;
    for &value in values {
        challenger.observe_algebra_element(value);
    }
    let column: Vec<E> =
        (0..layout.column_variables()).map(|_| challenger.sample_algebra_element()).collect();
    let weights = eq(&column).into_iter().zip(columns).zip(values);
    let value = weights
        .map(|((weight, &log_height), &value)| {
            // The column is zero where an index has a higher bit.
            let padding: E = point[log_height..].iter().map(|&r| E::ONE - r).product();
            weight * padding * value
        })
        .sum();
    (JaggedPoint::new(big_endian(point), big_endian(&column)), value)
}

/// A copy of the words, with room for zeros up to the layout's size.
fn copied(instance: &Instance, layout: &JaggedLayout) -> Vec<F> {
    let mut words = Vec::with_capacity(layout.dense_capacity());
    words.extend_from_slice(&instance.words);
    words
}

/// The words, filled up with zeros.
fn envelope(instance: &Instance, layout: &JaggedLayout) -> Vec<F> {
    let mut words = copied(instance, layout);
    words.resize(layout.dense_capacity(), F::ZERO);
    words
}

/// The jagged layout over our own commitment.
pub(crate) fn over_airda(instance: &Instance, scheme: &Scheme) -> Run {
    let layout = new(instance, scheme.num_variables());
    let witness = envelope(instance, &layout);

    let mut channel = ProverChannel::new(DOMAIN);
    let (committed, commit) = timed(|| scheme.commit(copied(instance, &layout), &mut channel));
    let (output, reduce) = timed(|| {
        let challenger = channel.challenger();
        let bound = BoundJaggedLayout::new::<F, _>(&layout, challenger);
        let (point, value) = one_claim(instance, bound.layout(), challenger);
        layout.prove(&witness, &point, value, challenger).expect("true claims")
    });
    let (reduction, claim) = output.into_parts();
    let point: Vec<E> = claim.point().iter().rev().copied().collect();
    let (_, open) = timed(|| scheme.open(committed, &point, &mut channel));
    let proof = channel.finish();

    let mut channel = VerifierChannel::new(DOMAIN, &proof);
    let ((), verify) = timed(|| {
        let commitment = scheme.receive(&mut channel).expect("a root");
        let (_, challenger) = channel.hints_and_challenger();
        let bound = BoundJaggedLayout::new::<F, _>(&layout, challenger);
        let (point, value) = one_claim(instance, bound.layout(), challenger);
        let claim = layout.verify(&point, value, &reduction, challenger).expect("a good proof");
        let point: Vec<E> = claim.point().iter().rev().copied().collect();
        let opened = scheme.verify(&commitment, &point, &mut channel).expect("a good opening");
        assert_eq!(opened, *claim.value());
    });
    Run {
        commit,
        reduce: Some(reduce),
        open,
        verify,
        reduction: reduction_bytes(&reduction),
        opening: proof.len(),
    }
}

/// The jagged layout over p3-whir, by p3's own calls alone.
pub(crate) fn over_p3(instance: &Instance, layout: &JaggedLayout, pcs: &Pcs) -> Run {
    let witness = envelope(instance, layout);

    let mut challenger = Challenger::from_hasher(DOMAIN.to_vec(), Blake3);
    let ((commitment, data), commit) = timed(|| {
        let table = Table::new(RowMajorMatrix::new(envelope(instance, layout), witness.len()));
        let stack = Stack::new_witness(vec![table], pcs.round_folding_factor(0));
        pcs.commit(stack, &mut challenger).expect("the configured size")
    });
    let (opening, open) = timed(|| {
        let bound = BoundJaggedLayout::new::<F, _>(layout, &mut challenger);
        let claim = one_claim(instance, layout, &mut challenger);
        bound.open(pcs, data, &witness, &[claim], &mut challenger).expect("true claims")
    });

    let mut challenger = Challenger::from_hasher(DOMAIN.to_vec(), Blake3);
    let (verdict, verify) = timed(|| {
        pcs.observe_commitment(&commitment, &mut challenger);
        let bound = BoundJaggedLayout::new::<F, _>(layout, &mut challenger);
        let claim = one_claim(instance, layout, &mut challenger);
        bound.verify(pcs, &commitment, &opening, &[claim], &mut challenger)
    });
    verdict.expect("a good proof");
    Run {
        commit,
        reduce: None,
        open,
        verify,
        reduction: opening.reductions().iter().map(reduction_bytes).sum(),
        opening: DIGEST_BYTES + opening_bytes(opening.dense()),
    }
}
