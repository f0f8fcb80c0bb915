//! Claims, sizes that leave nothing to check, and the permutation's constants.

use airda::{Block, E, F};
use airda_gkr::permutation::{Permutation, Poseidon2};
use airda_gkr::sumcheck::{self, Order};
use airda_gkr::transcript::VerifierChannel;
use p3_field::PrimeCharacteristicRing;

use crate::common::{WIDTHS, instance};
use crate::support::refused_in_both_modes;

/// Without a round a sumcheck still leaves its claim, to be checked by its caller.
#[test]
fn item_10_a_sumcheck_of_no_rounds_leaves_its_claim() {
    let mut channel = VerifierChannel::new(b"sumcheck", &[]);
    let claim = sumcheck::verify(Order::new(0, 0), E::TWO, &mut channel).unwrap();
    assert_eq!((claim.point, claim.sum), (vec![], E::TWO));
}

/// Blocks so small that every walk has one chunk and no outer round: words all over the
/// witness changed, one at a time.
#[test]
fn item_10_the_smallest_blocks_are_checked_as_strictly() {
    for hash in WIDTHS {
        for (log_k, log_c, rows) in [(0, 0, 1), (1, 1, 1), (0, 0, 2)] {
            let (params, payload) = instance(hash, log_k, log_c, rows, 3);
            let block = Block::build(params, &payload).unwrap();
            for word in (0..block.words().len()).step_by(19) {
                let mut words = block.words().to_vec();
                words[word] += F::ONE;
                refused_in_both_modes(&Block::from_words_unchecked(params, words).unwrap());
            }
        }
    }
}

/// The published permutations' answers, as the reference gives them.
#[test]
fn item_14_the_permutations_are_the_published_ones() {
    let mut state: [F; 16] = F::new_array([
        894848333, 1437655012, 1200606629, 1690012884, 71131202, 1749206695, 1717947831, 120589055,
        19776022, 42382981, 1831865506, 724844064, 171220207, 1299207443, 227047920, 1783754913,
    ]);
    Poseidon2::<16>::permute(&mut state);
    let expected = [
        1934285469, 604889435, 133449501, 1026180808, 1830659359, 176667110, 1391183747, 351743874,
        1238264085, 1292768839, 2023573270, 1201586780, 1360691759, 1230682461, 748270449,
        651545025,
    ];
    assert_eq!(state, F::new_array(expected));

    let mut state: [F; 24] = F::new_array([
        886409618, 1327899896, 1902407911, 591953491, 648428576, 1844789031, 1198336108, 355597330,
        1799586834, 59617783, 790334801, 1968791836, 559272107, 31054313, 1042221543, 474748436,
        135686258, 263665994, 1962340735, 1741539604, 2026927696, 449439011, 1131357108, 50869465,
    ]);
    Poseidon2::<24>::permute(&mut state);
    let expected = [
        382801106, 82839311, 1503190615, 1987418517, 854076995, 1862291425, 262755189, 1050814217,
        722724562, 741265943, 1026879332, 754316749, 1966025564, 1518878196, 502200188, 1368172258,
        845459257, 1711434837, 724453836, 171032289, 655223446, 1098636135, 407832555, 1707498914,
    ];
    assert_eq!(state, F::new_array(expected));
}
