//! Verifying a proof, both ways to show membership.

mod common;

use airda::Block;
use airda::proof::{self, Membership, System};
use common::{WIDTHS, b2_c32_r14, name};
use criterion::{Criterion, criterion_group, criterion_main};

fn verify(c: &mut Criterion) {
    let mut group = c.benchmark_group("verify");
    for hash in WIDTHS {
        let (params, payload) = b2_c32_r14(hash);
        let block = Block::build(params, &payload).expect("a payload");
        for membership in [Membership::Construction, Membership::Vector] {
            let system = System::for_rate(1).expect("a system").with_membership(membership);
            let file = proof::prove(&block, &system).expect("a size");
            let verify = || proof::verify(block.commitment(), &file).expect("a good proof");
            assert!(verify().security.proof_bits >= 128.0);
            let name = format!("{} by {}", name(&params), membership.name());
            group.sample_size(20).bench_function(name, |b| b.iter(verify));
        }
    }
    group.finish();
}

criterion_group!(benches, verify);
criterion_main!(benches);
