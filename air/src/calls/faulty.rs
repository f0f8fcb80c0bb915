//! Traces that break one rule, everything else following from the fault.

use p3_field::PrimeCharacteristicRing;
use p3_koala_bear::{
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL as FINAL_16,
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL as INITIAL_16,
    KOALABEAR_POSEIDON2_RC_16_INTERNAL as INTERNAL_16,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL as FINAL_24,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL as INITIAL_24,
    KOALABEAR_POSEIDON2_RC_24_INTERNAL as INTERNAL_24,
};
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon2::GenericPoseidon2LinearLayers;

use super::{Poseidon2, Poseidon2Calls, Width};
use crate::F;
use crate::buses::{BLOCK, Block};

/// Where a trace errs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// A call's cell that this constraint of the permutation fixes is one more than it should be.
    Cell { slot: usize, constraint: usize },
    /// A word of h is.
    Start { slot: usize, word: usize },
    /// A word of the message is.
    Message { slot: usize, word: usize },
    /// Two calls take each other's messages.
    Exchange(usize, usize),
}

impl<const T: usize, const P: usize> Poseidon2Calls<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// Computes all calls, round by round and with p3's published constants, reading and writing
    /// `blocks`. Whatever comes after the fault follows from it.
    pub(crate) fn faulty_trace(
        &self,
        blocks: &mut [Block],
        fault: Option<Fault>,
    ) -> RowMajorMatrix<F> {
        let mut values = Vec::new();
        let mut digest = [F::ZERO; BLOCK];
        for slot in 0..self.schedule.num_slots() {
            let h = self.schedule.start(slot).map_or(digest, |start| blocks[start as usize]);
            let source = match fault {
                Some(Fault::Exchange(a, b)) if slot == a => b,
                Some(Fault::Exchange(a, b)) if slot == b => a,
                _ => slot,
            };
            let message = self.schedule.message(source);
            let message = message.iter().flat_map(|&address| blocks[address as usize]);
            let mut input = h.into_iter().chain(message);
            let mut input: [F; T] = std::array::from_fn(|_| input.next().expect("T words"));
            let mut cell = None;
            match fault {
                Some(Fault::Start { slot: at, word }) if at == slot => input[word] += F::ONE,
                Some(Fault::Message { slot: at, word }) if at == slot => {
                    input[BLOCK + word] += F::ONE;
                }
                Some(Fault::Cell { slot: at, constraint }) if at == slot => cell = Some(constraint),
                _ => {}
            }
            let output = rounds::<T, P>(&input, cell, &mut values);
            digest = std::array::from_fn(|v| output[v] + input[v]);
            if let Some(result) = self.schedule.result(slot) {
                blocks[result as usize] = digest;
            }
        }
        RowMajorMatrix::new(values, self.schedule.lanes() * Self::CALL_COLUMNS)
    }
}

/// Appends a call's columns; each one after the inputs is fixed by the constraint of its place.
fn rounds<const T: usize, const P: usize>(
    input: &[F; T],
    fault: Option<usize>,
    columns: &mut Vec<F>,
) -> [F; T]
where
    Poseidon2<T, P>: Width<T, P>,
{
    type Layers<const T: usize, const P: usize> = <Poseidon2<T, P> as Width<T, P>>::Layers;
    let (initial, internal, last) = published(T);
    let mut state = *input;
    columns.extend(state);
    let start = columns.len();
    let full = |state: &mut [F; T], constants: &[F], columns: &mut Vec<F>| {
        for (word, &constant) in state.iter_mut().zip(constants) {
            *word = (*word + constant).cube();
        }
        Layers::<T, P>::external_linear_layer(state);
        for word in state {
            *word += F::from_bool(fault == Some(columns.len() - start));
            columns.push(*word);
        }
    };
    Layers::<T, P>::external_linear_layer(&mut state);
    initial.iter().for_each(|constants| full(&mut state, constants, columns));
    for constant in internal {
        state[0] = (state[0] + constant).cube();
        state[0] += F::from_bool(fault == Some(columns.len() - start));
        columns.push(state[0]);
        Layers::<T, P>::internal_linear_layer(&mut state);
    }
    last.iter().for_each(|constants| full(&mut state, constants, columns));
    state
}

/// p3's published constants of that width: first full rounds, partial ones, last full ones.
fn published(width: usize) -> (Vec<Vec<F>>, Vec<F>, Vec<Vec<F>>) {
    fn rows<const T: usize>(rounds: &[[F; T]]) -> Vec<Vec<F>> {
        rounds.iter().map(|round| round.to_vec()).collect()
    }
    match width {
        16 => (rows(&INITIAL_16), INTERNAL_16.to_vec(), rows(&FINAL_16)),
        24 => (rows(&INITIAL_24), INTERNAL_24.to_vec(), rows(&FINAL_24)),
        _ => unreachable!("a width of ours"),
    }
}
