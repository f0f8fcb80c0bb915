//! Blocks to cheat with, and how their proofs are refused.

use airda::params::HashWidth;
use airda::proof::{self, System};
use airda::{Block, Error};
use airda_gkr::Reject;

use crate::common::{CHAIN_STEPS, MEMBERSHIPS, cheap, instance};

/// log k, log c, rows.
pub(crate) const SHAPE: (usize, usize, usize) = (5, 1, 3);

/// A true block.
pub(crate) fn honest(hash: HashWidth) -> Block {
    let (log_k, log_c, rows) = SHAPE;
    let (params, payload) = instance(hash, log_k, log_c, rows, 1);
    Block::build(params, &payload).unwrap()
}

/// Every way to prove.
pub(crate) fn systems() -> impl Iterator<Item = System> {
    MEMBERSHIPS.into_iter().flat_map(|membership| {
        CHAIN_STEPS.map(|step| cheap().with_membership(membership).with_chain_step(step))
    })
}

/// Proves the block in every way; each proof must fail at the linear form.
#[track_caller]
pub(crate) fn refused(block: &Block) {
    refused_by(block, systems());
}

/// The same with all chaining values committed, where they make no difference.
#[track_caller]
pub(crate) fn refused_in_both_modes(block: &Block) {
    refused_by(block, MEMBERSHIPS.map(|membership| cheap().with_membership(membership)));
}

#[track_caller]
fn refused_by(block: &Block, systems: impl IntoIterator<Item = System>) {
    for system in systems {
        let file = proof::prove(block, &system).unwrap();
        match proof::verify_with(block.commitment(), &system, &file) {
            Err(Error::Proof(Reject::LinearForm)) => {}
            other => panic!("{system:?}: expected the linear form to fail, got {other:?}"),
        }
    }
}
