//! What the rows of the table of calls must fulfil, and what they put on the bus.

use std::array;
use std::borrow::Borrow;

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::{Dup, PrimeCharacteristicRing};
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::SubAirBuilder;

use super::{Columns, HALF_FULL_ROUNDS, Permutation, Poseidon2, Poseidon2Calls, Width};
use crate::F;
use crate::buses::{self, BLOCK};

impl<const T: usize, const P: usize> BaseAir<F> for Poseidon2Calls<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    fn width(&self) -> usize {
        self.schedule.lanes() * Self::CALL_COLUMNS
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        Some(self.schedule.preprocessed().clone())
    }

    fn preprocessed_width(&self) -> usize {
        self.schedule.preprocessed().width
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(3)
    }
}

impl<AB, const T: usize, const P: usize> Air<AB> for Poseidon2Calls<T, P>
where
    AB: AirBuilder<F = F>,
    Poseidon2<T, P>: Width<T, P>,
{
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let preprocessed = builder.preprocessed().clone();
        let call = |lane: usize| Self::call(main.current_slice(), lane);
        for index in 0..self.schedule.lanes() {
            let columns = index * Self::CALL_COLUMNS..(index + 1) * Self::CALL_COLUMNS;
            let mut of_lane =
                SubAirBuilder::<AB, Permutation<T, P>, AB::Var>::new(builder, columns);
            self.permutation.eval(&mut of_lane);
            let lane = self.schedule.lane(index);
            if !lane.chains {
                continue;
            }
            let before: [AB::Expr; BLOCK] = digest(call(index - 1));
            let taken = before.into_iter().zip(&call(index).inputs);
            let differences = taken.map(|(before, &input)| before - input.into());
            match lane.chained() {
                None => differences.for_each(|difference| builder.assert_zero(difference)),
                Some(column) => {
                    let chained: AB::Expr = preprocessed.current_slice()[column].into();
                    differences.for_each(|difference| {
                        builder.assert_zero(chained.dup() * difference);
                    });
                }
            }
        }
    }
}

impl<const T: usize, const P: usize> Poseidon2Calls<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// Puts on the bus what the calls read and offer.
    pub fn interact<AB: InteractionBuilder<F = F>>(&self, builder: &mut AB) {
        let main = builder.main();
        let preprocessed = builder.preprocessed().clone();
        let given = preprocessed.current_slice();
        for index in 0..self.schedule.lanes() {
            let lane = self.schedule.lane(index);
            let call = Self::call(main.current_slice(), index);
            let block = |at: usize| array::from_fn(|v| call.inputs[at * BLOCK + v].into());
            if lane.starts {
                let count = lane.chained().map_or_else(
                    || Count::from(1),
                    |column| Count::bounded(AB::Expr::ONE - given[column].into(), 1),
                );
                buses::read(builder, given[lane.start()].into(), block(0), count);
            }
            for at in 0..Self::MESSAGE_BLOCKS {
                buses::read(builder, given[lane.message() + at].into(), block(at + 1), 1);
            }
            if lane.offers {
                let (address, reads) = (given[lane.result()], given[lane.result() + 1]);
                buses::write(builder, address.into(), digest(call), reads.into());
            }
        }
    }

    /// A lane's call in a row.
    fn call<X>(row: &[X], lane: usize) -> &Columns<X, T, P> {
        row[lane * Self::CALL_COLUMNS..][..Self::CALL_COLUMNS].borrow()
    }
}

/// `P(h‖m)[0..8] + h`.
pub(super) fn digest<V, X, const T: usize, const P: usize>(call: &Columns<V, T, P>) -> [X; BLOCK]
where
    V: Copy + Into<X>,
    X: PrimeCharacteristicRing,
{
    let output = &call.ending_full_rounds[HALF_FULL_ROUNDS - 1].post;
    array::from_fn(|v| output[v].into() + call.inputs[v].into())
}
