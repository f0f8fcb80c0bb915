//! The table of public blocks: what the verifier itself puts on the bus.
//!
//! Its first row offers blocks that everyone knows, initial values and zeros, to their readers,
//! and takes those that the statement claims, as a reader of the tables that computed them. Words
//! are public values, addresses and counts are constants of the table, so nothing of it is the
//! prover's to choose. The one main column is zero; p3 commits to no table without columns.
//!
//! Constraint: the column is zero, degree 1. Messages: one for each block, all in one fraction
//! column, since public values have no degree; counted by the first row's selector, degree 1.
//!
//! Rows: one over FRI, where the selector is 1 in a table of one row alone. More of them, which
//! count nothing, are for engines over multilinear polynomials that have a least height; there
//! the selector is 1 in the first row of every table.

#[cfg(all(test, feature = "prover"))]
mod tests;

use std::array;
use std::sync::Arc;

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};
#[cfg(feature = "prover")]
use p3_matrix::dense::RowMajorMatrix;

use crate::F;
use crate::buses::{self, Address, BLOCK};

/// A public block's part on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Offered to so many readers.
    Given {
        /// How many.
        readers: u32,
    },
    /// Taken once: what another table offers at the address is this block.
    Claimed,
}

/// The table of public blocks. Its public values are the blocks' words, in order.
#[derive(Clone, Debug)]
pub struct PublicBlocks {
    blocks: Arc<[(Address, Role)]>,
    log_height: usize,
}

impl PublicBlocks {
    /// The table of these blocks, of one row.
    pub fn new(blocks: impl IntoIterator<Item = (Address, Role)>) -> Self {
        Self { blocks: blocks.into_iter().collect(), log_height: 0 }
    }

    /// The same blocks in the first of `2^log_height` rows.
    #[must_use]
    pub fn with_log_height(self, log_height: usize) -> Self {
        Self { log_height, ..self }
    }

    /// Rows.
    pub const fn height(&self) -> usize {
        1 << self.log_height
    }

    /// How many blocks there are: messages of the first row.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The trace: zeros.
    #[cfg(feature = "prover")]
    pub fn trace(&self) -> RowMajorMatrix<F> {
        RowMajorMatrix::new(F::zero_vec(self.height()), 1)
    }

    /// Puts the blocks on the bus.
    pub fn interact<AB: InteractionBuilder<F = F>>(&self, builder: &mut AB) {
        for (index, &(address, role)) in self.blocks.iter().enumerate() {
            let words = array::from_fn(|v| builder.public_values()[index * BLOCK + v].into());
            let address = F::from_u32(address).into();
            let first = builder.is_first_row();
            match role {
                Role::Given { readers } => {
                    buses::write(builder, address, words, first * F::from_u32(readers));
                }
                Role::Claimed => {
                    buses::read(builder, address, words, Count::bounded(first, 1));
                }
            }
        }
    }
}

impl BaseAir<F> for PublicBlocks {
    fn width(&self) -> usize {
        1
    }

    fn num_public_values(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for PublicBlocks {
    fn eval(&self, builder: &mut AB) {
        let zero = builder.main().current_slice()[0];
        builder.assert_zero(zero);
    }
}
