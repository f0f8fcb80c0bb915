//! Edits of an honest proof of a cheap proof system: verifying never panics, and only the
//! honest proof is accepted.
#![no_main]

use std::sync::LazyLock;

use airda::proof::{self, System};
use airda::{Block, HashWidth, Params};
use airda_gkr::commit::{Fold, Parameters, SecurityAssumption};
use libfuzzer_sys::fuzz_target;

struct Honest {
    block: Block,
    system: System,
    file: Vec<u8>,
}

static HONEST: LazyLock<Honest> = LazyLock::new(|| {
    let params = Params::new(HashWidth::W16, 4, 1, 2, 500).expect("a shape");
    let block = Block::build(params, &[7; 500]).expect("a payload");
    let system = System::insecure_for_tests(Parameters::insecure_for_tests(
        SecurityAssumption::JohnsonBound,
        1,
        20,
        Fold { variables: 4, shrink: 3 },
        Fold { variables: 3, shrink: 1 },
    ));
    let file = proof::prove(&block, &system).expect("a size");
    Honest { block, system, file }
});

fuzz_target!(|edits: Vec<(u32, u8)>| {
    let Honest { block, system, file } = &*HONEST;
    let mut bytes = file.clone();
    for (at, value) in edits {
        let at = at as usize % (bytes.len() + 1);
        match bytes.get_mut(at) {
            Some(byte) => *byte ^= value,
            None => bytes.push(value),
        }
    }
    let verified = proof::verify_with(block.commitment(), system, &bytes);
    assert_eq!(verified.is_ok(), bytes == *file);
});
