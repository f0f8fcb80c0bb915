//! Verifying a proof, the membership vector included.

mod common;

use airda::Block;
use airda::proof::{self, System};
use common::{WIDTHS, b2_c32_r14, name};
use criterion::{Criterion, criterion_group, criterion_main};

fn verify(c: &mut Criterion) {
    let mut group = c.benchmark_group("verify");
    for hash in WIDTHS {
        let (params, payload) = b2_c32_r14(hash);
        let block = Block::build(params, &payload).expect("a payload");
        let membership = proof::Membership::of(block.commitment());
        let system = System::for_rate(1).expect("a system");
        let file = proof::prove(&block, &membership, &system).expect("a size");
        let verify = || {
            let membership = proof::Membership::of(block.commitment());
            proof::verify(block.commitment(), &membership, &file).expect("a good proof")
        };
        let verified = verify();
        assert!(verified.security.proof_bits >= 128.0);
        group.sample_size(20).bench_function(name(&params), |b| b.iter(verify));
    }
    group.finish();
}

criterion_group!(benches, verify);
criterion_main!(benches);
