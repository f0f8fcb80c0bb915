//! Systematic codes: committed words that are half of a codeword each.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use crate::E;

/// A systematic linear code at rate 1/2, over F and so over E.
///
/// A codeword is c columns of ℓ words each, column after column; the message is the first ℓ/2
/// words of every column, again column after column. So 2k = c·ℓ words hold a message of k.
pub trait SystematicCode: Sync {
    /// log2 ℓ, at least 1.
    fn log_column(&self) -> usize;
    /// log2 c.
    fn log_columns(&self) -> usize;
    /// The weights on a message that equal `weights` on its codeword, in the codeword's order:
    /// c·ℓ of them become c·ℓ/2.
    fn transpose(&self, weights: &[E]) -> Vec<E>;
    /// The codeword of a message: c·ℓ/2 elements become c·ℓ.
    fn encode(&self, message: &[E]) -> Vec<E>;

    /// log2 k, k the words of a message.
    fn log_message(&self) -> usize {
        // Logarithms of lengths: no overflow. A column has two halves.
        self.log_columns().wrapping_add(self.log_column()).wrapping_sub(1)
    }
}

impl std::fmt::Debug for dyn SystematicCode + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SystematicCode")
            .field("log_column", &self.log_column())
            .field("log_columns", &self.log_columns())
            .finish_non_exhaustive()
    }
}

/// Whether two references are to one code. Two of one type may lie at one address if they have
/// no size, but then they are the same.
pub(crate) fn same_code(a: &dyn SystematicCode, b: &dyn SystematicCode) -> bool {
    std::ptr::eq(a, b)
}
