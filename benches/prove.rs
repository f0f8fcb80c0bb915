//! Proving a commitment, from the encoded matrix and its digests to the proof's bytes.

mod common;

use airda::Block;
use airda::proof::{self, Membership, System};
use common::{WIDTHS, b2_c32_r14, name};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn prove(c: &mut Criterion) {
    let mut group = c.benchmark_group("prove");
    for hash in WIDTHS {
        let (params, payload) = b2_c32_r14(hash);
        let block = Block::build(params, &payload).expect("a payload");
        group.sample_size(10).throughput(Throughput::Bytes(params.payload_len()));
        for membership in [Membership::Construction, Membership::Vector] {
            let system = System::for_rate(1).expect("a system").with_membership(membership);
            let prove = || proof::prove(&block, &system).expect("a size");
            let _ = proof::verify(block.commitment(), &prove()).expect("a good proof");
            let name = format!("{} by {}", name(&params), membership.name());
            group.bench_function(name, |b| b.iter(prove));
        }
    }
    group.finish();
}

criterion_group!(benches, prove);
criterion_main!(benches);
