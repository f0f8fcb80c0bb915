//! The crate's tables as one type, as p3-batch-stark wants them.

use p3_air::{Air, BaseAir};
use p3_lookup::InteractionBuilder;
use p3_matrix::dense::RowMajorMatrix;

use crate::F;
use crate::calls::{Poseidon2, Poseidon2Calls, Width};
use crate::inner_product::InnerProduct;
use crate::public_blocks::PublicBlocks;

/// One of the tables, with its constraints and its messages.
#[derive(Clone, Debug)]
pub enum Table<const T: usize, const P: usize>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// Poseidon2 calls.
    Calls(Poseidon2Calls<T, P>),
    /// Reed–Solomon inner products.
    InnerProduct(InnerProduct),
    /// Public blocks.
    Public(PublicBlocks),
}

macro_rules! each {
    ($self:expr, $table:ident => $value:expr) => {
        match $self {
            Table::Calls($table) => $value,
            Table::InnerProduct($table) => $value,
            Table::Public($table) => $value,
        }
    };
}

impl<const T: usize, const P: usize> Table<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// Rows.
    pub fn height(&self) -> usize {
        match self {
            Self::Calls(calls) => calls.schedule().height(),
            Self::InnerProduct(products) => products.height(),
            Self::Public(blocks) => blocks.height(),
        }
    }
}

impl<const T: usize, const P: usize> BaseAir<F> for Table<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    fn width(&self) -> usize {
        each!(self, table => table.width())
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        each!(self, table => table.preprocessed_trace())
    }

    fn preprocessed_width(&self) -> usize {
        each!(self, table => table.preprocessed_width())
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        each!(self, table => table.main_next_row_columns())
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        each!(self, table => table.preprocessed_next_row_columns())
    }

    fn num_public_values(&self) -> usize {
        each!(self, table => table.num_public_values())
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        each!(self, table => table.max_constraint_degree())
    }
}

impl<AB: InteractionBuilder<F = F>, const T: usize, const P: usize> Air<AB> for Table<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    fn eval(&self, builder: &mut AB) {
        each!(self, table => {
            table.eval(builder);
            table.interact(builder);
        });
    }
}
