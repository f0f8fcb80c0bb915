//! Edits of an honest column: decoding never panics, what decodes encodes to the same bytes,
//! and only the honest column checks.
#![no_main]

use std::sync::LazyLock;

use airda::{Block, Column, HashWidth, Params};
use libfuzzer_sys::fuzz_target;

static BLOCK: LazyLock<Block> = LazyLock::new(|| {
    let params = Params::new(HashWidth::W16, 4, 1, 3, 700).expect("a shape");
    // No two columns alike.
    let payload: Vec<u8> = (0..700_u32).map(|i| (i * i + (i >> 3)) as u8).collect();
    Block::build(params, &payload).expect("a payload")
});

fuzz_target!(|edits: Vec<(u16, u8)>| {
    let honest = BLOCK.open(&[5]).expect("a column").remove(0);
    let mut bytes = honest.encode();
    for (at, value) in edits {
        let at = usize::from(at);
        if at < bytes.len() {
            bytes[at] ^= value;
        } else {
            bytes.truncate(usize::from(value));
        }
    }
    if let Ok(column) = Column::decode(&bytes, BLOCK.commitment()) {
        assert_eq!(column.encode(), bytes);
        let same = column == honest;
        assert_eq!(BLOCK.commitment().check(column).is_ok(), same);
    }
});
