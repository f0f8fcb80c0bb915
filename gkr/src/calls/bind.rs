//! A table's meaning, absorbed.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use p3_symmetric::CryptographicHasher;

use super::{CallTable, Source, Sum};
use crate::blake3::{Blake3, DIGEST_BYTES};
use crate::codec::{put_count, put_words};
use crate::transcript::Channel;

impl<const T: usize> CallTable<T> {
    /// Absorbs a digest of the whole table: its source words' number, every piece, which of them
    /// are transient, and every source with its constants, places and coefficients.
    ///
    /// [`argument`](crate::argument) absorbs the table's counts alone. Both sides of a proof call
    /// this before it, unless they absorb a shorter description that determines the table. Sums
    /// count as what they are made of: tables that made them in another order, or made some that
    /// no piece reads, are absorbed alike.
    pub fn bind(&self, channel: &mut impl Channel) {
        let mut bytes = b"airda gkr, call table".to_vec();
        for count in [T, self.base(), self.pieces().len()] {
            put_count(&mut bytes, count);
        }
        for (index, piece) in self.pieces().iter().enumerate() {
            put_count(&mut bytes, piece.log_size);
            bytes.push(u8::from(self.transients().binary_search(&index).is_ok()));
            for source in &piece.inputs {
                self.put_source(&mut bytes, source);
            }
        }
        let digest: [u8; DIGEST_BYTES] = Blake3.hash_slice(&bytes);
        channel.bind_bytes(&digest);
    }

    /// Every kind of source begins with a byte of its own, and no encoding begins another.
    fn put_source(&self, bytes: &mut Vec<u8>, source: &Source) {
        match *source {
            Source::Constant(value) => {
                bytes.push(0);
                put_words(bytes, &[value]);
            }
            Source::Block { start } => {
                bytes.push(1);
                put_count(bytes, start);
            }
            Source::Interleaved { start, child } => {
                bytes.push(2);
                put_count(bytes, start);
                put_count(bytes, child);
            }
            Source::Shifted { first, start } => {
                bytes.push(3);
                put_words(bytes, &[first]);
                put_count(bytes, start);
            }
            Source::Affine { sum } => {
                let Sum { constant, terms } = self.sum(sum);
                bytes.push(4);
                put_words(bytes, &[constant]);
                put_count(bytes, terms.len());
                for (coefficient, part) in terms {
                    put_words(bytes, &[*coefficient]);
                    self.put_source(bytes, part);
                }
            }
        }
    }
}
