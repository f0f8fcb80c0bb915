//! Filling in the table of calls.

use std::array;

use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon2_air::generate_vectorized_trace_rows;
use tracing::instrument;

use super::{HALF_FULL_ROUNDS, Poseidon2, Poseidon2Calls, S_BOX_DEGREE, Width};
use crate::F;
use crate::buses::{BLOCK, Block};

/// The most lanes that a trace can be filled in for, and all numbers below.
const MAX_LANES: usize = 32;

impl<const T: usize, const P: usize> Poseidon2Calls<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// The trace of calls with these inputs, h and message, in the order they were scheduled in.
    /// Whether they follow the schedule is not checked: for inputs that do not, no proof of the
    /// trace verifies.
    ///
    /// # Panics
    /// When there are not as many inputs as calls, or more than 32 lanes.
    #[instrument(name = "air.calls.trace", skip_all, fields(calls = inputs.len()))]
    pub fn trace(&self, mut inputs: Vec<[F; T]>) -> RowMajorMatrix<F> {
        assert_eq!(inputs.len(), self.schedule.num_calls(), "an input for each call");
        self.fill_up(&mut inputs);
        let lanes = self.schedule.lanes();
        assert!(lanes <= MAX_LANES, "at most {MAX_LANES} lanes");
        // p3's generator wants a power of two of rows of a constant length: the odd part will do.
        macro_rules! generate {
            ($($odd:literal)*) => {
                match lanes >> lanes.trailing_zeros() {
                    $($odd => Self::generate::<$odd>(inputs),)*
                    _ => unreachable!("the odd part of a number up to {MAX_LANES}"),
                }
            };
        }
        let trace = generate!(1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31);
        RowMajorMatrix::new(trace.values, lanes * Self::CALL_COLUMNS)
    }

    /// Computes all calls in the order they were scheduled in, reading blocks from `blocks` by
    /// their addresses and writing digests there, and returns the calls' inputs.
    ///
    /// Plain and serial: for tables whose inputs nobody has computed already.
    ///
    /// # Panics
    /// When an address lies beyond `blocks`.
    pub fn evaluate(&self, blocks: &mut [Block]) -> Vec<[F; T]> {
        let mut inputs = Vec::with_capacity(self.schedule.num_slots());
        let mut digest = [F::ZERO; BLOCK];
        for slot in 0..self.schedule.num_calls() {
            let h = self.schedule.start(slot).map_or(digest, |start| blocks[start as usize]);
            let mut input = [F::ZERO; T];
            let (first, message) = input.split_at_mut(BLOCK);
            first.copy_from_slice(&h);
            let addresses = self.schedule.message(slot);
            for (place, &address) in message.chunks_exact_mut(BLOCK).zip(addresses) {
                place.copy_from_slice(&blocks[address as usize]);
            }
            digest = compress::<T, P>(&input);
            if let Some(result) = self.schedule.result(slot) {
                blocks[result as usize] = digest;
            }
            inputs.push(input);
        }
        inputs
    }

    /// Appends the inputs of idle lanes: zeros, after the digest of the lane before where the
    /// lane takes it over.
    fn fill_up(&self, inputs: &mut Vec<[F; T]>) {
        let lanes = self.schedule.lanes();
        for slot in self.schedule.num_calls()..self.schedule.num_slots() {
            // A wholly idle row repeats the one before, if that is wholly idle too.
            let input = if slot >= self.schedule.num_calls().next_multiple_of(lanes) + lanes {
                inputs[slot - lanes]
            } else {
                let mut input = [F::ZERO; T];
                if self.schedule.is_chained(slot) {
                    input[..BLOCK].copy_from_slice(&compress::<T, P>(&inputs[slot - 1]));
                }
                input
            };
            inputs.push(input);
        }
    }

    fn generate<const ODD: usize>(inputs: Vec<[F; T]>) -> RowMajorMatrix<F> {
        generate_vectorized_trace_rows::<
            F,
            <Poseidon2<T, P> as Width<T, P>>::Layers,
            T,
            S_BOX_DEGREE,
            0,
            HALF_FULL_ROUNDS,
            P,
            ODD,
        >(inputs, &Poseidon2::<T, P>::constants(), 0)
    }
}

/// `P(h‖m)[0..8] + h`.
fn compress<const T: usize, const P: usize>(input: &[F; T]) -> Block
where
    Poseidon2<T, P>: Width<T, P>,
{
    let mut state = *input;
    Poseidon2::<T, P>::permute(&mut state);
    array::from_fn(|v| state[v] + input[v])
}
