//! What the whole-system tests share: small parameters, seeded payloads and a proof system
//! that is cheap enough to be run many times.
#![allow(dead_code, reason = "each test binary uses a part")]

use airda::params::HashWidth;
use airda::proof::{self, ChainStep, Membership, System, air};
use airda::{Block, Error, Params};
use airda_gkr::commit::{Fold, Parameters, SecurityAssumption};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Both widths.
pub(crate) const WIDTHS: [HashWidth; 2] = [HashWidth::W16, HashWidth::W24];

/// Both ways to show membership.
pub(crate) const MEMBERSHIPS: [Membership; 2] = [Membership::Construction, Membership::Vector];

/// Every choice of chaining values to commit to.
pub(crate) const CHAIN_STEPS: [ChainStep; 4] = {
    let mut steps = [ChainStep::EVERY; 4];
    let mut g = 1;
    while g <= ChainStep::MAX {
        if let Some(step) = ChainStep::new(g) {
            steps[g as usize - 1] = step;
        }
        g += 1;
    }
    steps
};

/// A proof system far below the target, which files cannot name.
pub(crate) fn cheap() -> System {
    System::insecure_for_tests(Parameters::insecure_for_tests(
        SecurityAssumption::JohnsonBound,
        1,
        40,
        Fold { variables: 4, shrink: 3 },
        Fold { variables: 3, shrink: 1 },
    ))
}

/// The same of AIR proofs.
pub(crate) fn cheap_air() -> air::System {
    air::System::insecure_for_tests(airda_air::fri::Parameters::insecure_for_tests(8, 1))
}

/// Seeded bytes.
pub(crate) fn bytes(len: usize, seed: u64) -> Vec<u8> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..len).map(|_| rng.random()).collect()
}

/// Parameters and a payload that leaves some of the last row empty.
pub(crate) fn instance(
    hash: HashWidth,
    log_k: usize,
    log_c: usize,
    rows: usize,
    seed: u64,
) -> (Params, Vec<u8>) {
    let capacity = (19 << log_k) * rows;
    let payload = bytes(capacity - (19 << log_k) / 3, seed);
    let params = Params::new(hash, log_k, log_c, rows, payload.len() as u64).unwrap();
    (params, payload)
}

/// Proves with the cheap system whatever the block holds, true or not.
pub(crate) fn prove(block: &Block) -> Vec<u8> {
    proof::prove(block, &cheap()).unwrap()
}

/// Verifies a proof of the cheap system.
pub(crate) fn verify(block: &Block, file: &[u8]) -> Result<(), Error> {
    proof::verify_with(block.commitment(), &cheap(), file).map(|_| ())
}
