//! Source words that follow a code, of which only the messages are committed.

use std::fmt::Debug;

use crate::E;

/// A systematic linear code over the base field. A codeword is `2^log_columns` columns of
/// `2^log_column` words; the first half of every column is the message, the other halves follow
/// from it.
///
/// In memory a codeword's columns follow each other; a message's half columns do, too.
pub trait SystematicCode: Debug + Sync {
    /// log2 of the words in a column of a codeword, at least 1.
    fn log_column(&self) -> usize;

    /// log2 of the columns.
    fn log_columns(&self) -> usize;

    /// log2 of the words in a message.
    fn log_message(&self) -> usize {
        self.log_columns() + self.log_column().saturating_sub(1)
    }

    /// The codeword of a message over E: of `2^log_message` elements, twice as many.
    fn encode(&self, message: &[E]) -> Vec<E>;

    /// The transpose of [`Self::encode`]: of weights on a codeword those on its message that
    /// give the same inner product.
    fn transpose(&self, weights: &[E]) -> Vec<E>;
}
