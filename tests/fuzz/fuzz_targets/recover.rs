//! Any choice of checked columns, repeated, unsorted or too few: an error, or the payload.
#![no_main]

use std::sync::LazyLock;

use airda::{Block, CheckedColumn, HashWidth, Params, recover};
use libfuzzer_sys::fuzz_target;

static BLOCK: LazyLock<(Block, Vec<CheckedColumn>)> = LazyLock::new(|| {
    let params = Params::new(HashWidth::W24, 5, 1, 3, 1800).expect("a shape");
    let block = Block::build(params, &[9; 1800]).expect("a payload");
    let all: Vec<usize> = (0..params.columns()).collect();
    let columns = block.open(&all).expect("columns");
    let checked = block.commitment().check_all(columns);
    let checked = checked.into_iter().collect::<Result<_, _>>().expect("honest columns");
    (block, checked)
});

fuzz_target!(|indices: Vec<u8>| {
    let (block, all) = &*BLOCK;
    let columns: Vec<CheckedColumn> =
        indices.iter().map(|&index| all[usize::from(index) % all.len()].clone()).collect();
    let sorted = columns.windows(2).all(|pair| pair[0].index() < pair[1].index());
    let enough = sorted && 2 * columns.len() >= all.len();
    match recover(block.commitment(), &columns) {
        Ok(recovered) => {
            assert!(enough);
            assert_eq!(recovered.payload().expect("a payload"), [9; 1800]);
        }
        Err(_) => assert!(!enough),
    }
});
