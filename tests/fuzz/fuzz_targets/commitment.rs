//! What decodes as a commitment is a commitment: it encodes to the same bytes.
#![no_main]

use airda::Commitment;
use airda::artifact::Limits;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(commitment) = Commitment::decode(bytes, &Limits::default()) {
        assert_eq!(commitment.encode(), bytes);
    }
});
