//! The bus that ties the tables together: blocks of eight words, each at an address.
//!
//! A message is `(address, word_0, …, word_7)`. A table that has a block offers it to all its
//! readers at once, with the number of them as its count; readers take one each. LogUp's sum over
//! all tables is zero exactly when every message was taken as often as it was offered (but for
//! its error, see [`crate::security`]). Since every address has exactly one writer and addresses,
//! counts and selectors are preprocessed or constant, a reader of an address gets the words that
//! its writer has, and no prover chooses a multiplicity. Counts stay below p: p3's verifier checks
//! the sum of all readers' weights against it.

#[cfg(all(test, feature = "prover"))]
mod tests;

use p3_lookup::{Count, InteractionBuilder};

use crate::F;

/// Words in a block: a digest, or eight words of a vector.
pub const BLOCK: usize = 8;
/// Words in a message.
pub const MESSAGE_WORDS: usize = 1 + BLOCK;
/// A block.
pub type Block = [F; BLOCK];
/// Where a block stands.
pub type Address = u32;

/// The bus's name.
pub const BLOCKS: &str = "blocks";

/// Takes a block `count` times; the count is 0 or 1.
pub fn read<AB: InteractionBuilder>(
    builder: &mut AB,
    address: AB::Expr,
    words: [AB::Expr; BLOCK],
    count: impl Into<Count<AB::Expr>>,
) {
    builder.push_interaction(BLOCKS, std::iter::once(address).chain(words), count);
}

/// Offers a block to so many readers.
pub fn write<AB: InteractionBuilder>(
    builder: &mut AB,
    address: AB::Expr,
    words: [AB::Expr; BLOCK],
    readers: AB::Expr,
) {
    let count = Count::provided(-readers);
    builder.push_interaction(BLOCKS, std::iter::once(address).chain(words), count);
}

/// Counts the readers of every block, over all tables, while these are laid out: what writers
/// have to offer. Address 0 is the block of zeros, which idle rows read.
#[derive(Clone, Debug)]
pub struct Ledger {
    readers: Vec<u32>,
    written: Vec<bool>,
}

impl Ledger {
    /// Where the block of zeros stands.
    pub const ZERO: Address = 0;

    /// Blocks at the addresses below `addresses`, the block of zeros among them.
    ///
    /// # Panics
    /// When there are none, or more than 2^30.
    pub fn new(addresses: usize) -> Self {
        assert!((1..=MAX_ADDRESSES).contains(&addresses), "addresses are words");
        Self { readers: vec![0; addresses], written: vec![false; addresses] }
    }

    /// The address of another block.
    ///
    /// # Panics
    /// When there are 2^30 already.
    pub fn allocate(&mut self) -> Address {
        let address = self.readers.len();
        assert!(address < MAX_ADDRESSES, "addresses are words");
        self.readers.push(0);
        self.written.push(false);
        address as Address
    }

    /// Counts one more reader.
    ///
    /// # Panics
    /// When there is no such address.
    pub fn read(&mut self, address: Address) {
        self.readers[address as usize] += 1;
    }

    /// Notes the block's one writer.
    ///
    /// # Panics
    /// When there is no such address, or a writer already.
    pub fn write(&mut self, address: Address) {
        let before = std::mem::replace(&mut self.written[address as usize], true);
        assert!(!before, "a block has one writer");
    }

    /// How many readers a block has.
    ///
    /// # Panics
    /// When there is no such address.
    pub fn readers(&self, address: Address) -> u32 {
        self.readers[address as usize]
    }

    /// How many addresses there are.
    pub const fn len(&self) -> usize {
        self.readers.len()
    }

    /// There is always a block of zeros.
    pub const fn is_empty(&self) -> bool {
        false
    }
}

/// Addresses are words, with room to spare.
const MAX_ADDRESSES: usize = 1 << 30;
