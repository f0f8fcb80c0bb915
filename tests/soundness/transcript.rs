//! Challenges and what they depend on.

use airda::code::membership::{Membership as _, MembershipVector, point};
use airda::code::row_symbols;
use airda::proof::{self, Membership};
use airda::{Block, E, Error, F};
use airda_gkr::Reject;
use airda_gkr::codec::{limbs, put_elements};
use airda_gkr::sumcheck::{self, Order};
use airda_gkr::transcript::VerifierChannel;
use p3_field::{Field, PrimeCharacteristicRing};

use crate::common::{WIDTHS, cheap};
use crate::support::honest;

/// The multilinear extension, little-endian.
fn extension(values: &[E], point: &[E]) -> E {
    let weight = |index: usize| -> E {
        let factor = |(j, &r): (usize, &E)| if index >> j & 1 == 1 { r } else { E::ONE - r };
        point.iter().enumerate().map(factor).product()
    };
    values.iter().enumerate().map(|(index, &value)| weight(index) * value).sum()
}

/// A prover of a false sum sends anything, looks at the challenges, and then chooses its last
/// message so that the claim that is left comes true. It would, were the last message not
/// absorbed before its challenge is drawn.
#[test]
fn item_01_a_message_chosen_after_its_challenge_leaves_a_false_claim() {
    const VARIABLES: usize = 4;
    let order = Order::new(VARIABLES, VARIABLES);
    let (f, weights): (Vec<E>, Vec<E>) =
        (1..=1 << VARIABLES).map(|i: u32| (E::from_u32(i), E::from_u32(i * i + 7))).unzip();
    let false_sum = E::from_u32(12345);
    let claim_of = |messages: &[E]| {
        let mut tape = Vec::new();
        put_elements(&mut tape, messages);
        let mut channel = VerifierChannel::new(b"sumcheck", &tape);
        let claim = sumcheck::verify(order, false_sum, &mut channel).unwrap();
        let truth = extension(&f, &claim.point) * extension(&weights, &claim.point);
        (claim, truth)
    };
    let mut messages = vec![E::ONE; 2 * VARIABLES];
    let (seen, truth) = claim_of(&messages);
    // The lowest bit is bound last; the claim's slope in the coefficient of X² is r² − r.
    let r = seen.point[0];
    messages[2 * VARIABLES - 1] += (truth - seen.sum) * (r.square() - r).inverse();
    let (claim, truth) = claim_of(&messages);
    assert_ne!(claim.sum, truth);
}

/// A row off the code that the membership vector of a known point does not see. The builder
/// commits to it, and with the commitment the point has moved.
#[test]
fn item_03_the_membership_point_is_drawn_after_the_commitment() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        let known = MembershipVector::new(params, point(params, block.commitment().root()));
        let (a, b, row) = (3, params.k() + 5, 1);
        let shift = -known.at(a) * known.at(b).inverse();
        let mut matrix = block.matrix().to_vec();
        matrix[params.word_index(row, a, 0)] += F::ONE;
        for (limb, &by) in limbs(&shift).iter().enumerate() {
            matrix[params.word_index(row, b, limb)] += by;
        }
        assert!(known.accepts(&row_symbols(params, &matrix, row).unwrap()));
        let forged = Block::commit(*params, &matrix).unwrap();
        let system = cheap().with_membership(Membership::Vector);
        let file = proof::prove(&forged, &system).unwrap();
        let verified = proof::verify_with(forged.commitment(), &system, &file);
        assert!(matches!(verified, Err(Error::Proof(Reject::LinearForm))), "{verified:?}");
    }
}
