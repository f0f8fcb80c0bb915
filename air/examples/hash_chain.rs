//! Proves that a digest is that of the first 512 Fibonacci numbers modulo p.
//!
//! Three tables share the bus of blocks. One is made here: it computes the numbers, eight a row,
//! and offers each row as a block. The crate's calls read the blocks in a chain,
//! `h_{i+1} = f(h_i, block_i)`, and the crate's public blocks are the chain's two ends.
//!
//! `cargo run --release -p airda-air --example hash_chain`

use std::error::Error;

use airda_air::buses::{self, Address, BLOCK, Block, Ledger};
use airda_air::calls::{Poseidon2Calls16, ScheduleBuilder};
use airda_air::fri::Parameters;
use airda_air::public_blocks::{PublicBlocks, Role};
use airda_air::{F, Machine, Table};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionBuilder;
use p3_matrix::dense::RowMajorMatrix;

/// Rows of eight numbers.
const ROWS: usize = 64;
/// Where the chain starts; the rows' blocks come after it, and then the digest.
const START: Address = 1;

/// The table of Fibonacci numbers.
#[derive(Clone, Debug)]
struct Fibonacci;

impl Fibonacci {
    fn address(row: usize) -> Address {
        START + 1 + row as Address
    }

    fn blocks() -> Vec<Block> {
        let (mut a, mut b) = (F::ZERO, F::ONE);
        let mut next = || {
            let number = a;
            (a, b) = (b, a + b);
            number
        };
        (0..ROWS).map(|_| std::array::from_fn(|_| next())).collect()
    }
}

impl BaseAir<F> for Fibonacci {
    fn width(&self) -> usize {
        BLOCK
    }

    /// Addresses are no prover's choice.
    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        let addresses = (0..ROWS).map(|row| F::from_u32(Self::address(row)));
        Some(RowMajorMatrix::new(addresses.collect(), 1))
    }

    fn preprocessed_width(&self) -> usize {
        1
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Fibonacci {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (row, next) = (main.current_slice(), main.next_slice());
        let address = builder.preprocessed().current_slice()[0];
        builder.when_first_row().assert_zero(row[0]);
        builder.when_first_row().assert_one(row[1]);
        for i in 2..BLOCK {
            builder.assert_eq(row[i - 2] + row[i - 1], row[i]);
        }
        builder.when_transition().assert_eq(row[BLOCK - 2] + row[BLOCK - 1], next[0]);
        builder.when_transition().assert_eq(row[BLOCK - 1] + next[0], next[1]);
        // One reader each.
        let words = std::array::from_fn(|i| row[i].into());
        buses::write(builder, address.into(), words, AB::Expr::ONE);
    }
}

/// p3 wants the tables of a proof to be of one type.
#[derive(Clone, Debug)]
enum Either {
    Mine(Fibonacci),
    Theirs(Box<Table<16, 20>>),
}

macro_rules! either {
    ($self:expr, $table:ident => $value:expr) => {
        match $self {
            Either::Mine($table) => $value,
            Either::Theirs($table) => $value,
        }
    };
}

impl BaseAir<F> for Either {
    fn width(&self) -> usize {
        either!(self, table => table.width())
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        either!(self, table => table.preprocessed_trace())
    }

    fn preprocessed_width(&self) -> usize {
        either!(self, table => table.preprocessed_width())
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        either!(self, table => table.main_next_row_columns())
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn num_public_values(&self) -> usize {
        either!(self, table => table.num_public_values())
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Either {
    fn eval(&self, builder: &mut AB) {
        either!(self, table => table.eval(builder));
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    // Who reads what: the layout is public, prover and verifier compute it alike.
    let mut ledger = Ledger::new(2 + ROWS);
    let messages: Vec<[Address; 1]> = (0..ROWS).map(|row| [Fibonacci::address(row)]).collect();
    let digest = ledger.allocate();
    // Tables of fewer rows prove fewer bits than the parameters promise, and are refused.
    let schedule = ScheduleBuilder::new(4, Poseidon2Calls16::MESSAGE_BLOCKS);
    let mut schedule = schedule.with_min_rows(1 << 8);
    schedule.chain(&mut ledger, START, messages.iter().map(<[_; 1]>::as_slice), digest);
    ledger.read(digest);
    let calls = Poseidon2Calls16::new(schedule.finish(&mut ledger));
    let given = [Ledger::ZERO, START];
    let given = given.map(|at| (at, Role::Given { readers: ledger.readers(at) }));
    let public = PublicBlocks::new(given.into_iter().chain([(digest, Role::Claimed)]));
    let parameters = Parameters::for_rate(1).ok_or("a rate of the table")?;
    let theirs = [Table::Calls(calls.clone()), Table::Public(public.clone())];
    let theirs = theirs.map(|table| (table.height(), Either::Theirs(Box::new(table))));
    let tables = [(ROWS, Either::Mine(Fibonacci))].into_iter().chain(theirs);
    let machine = Machine::new(tables.map(|(rows, table)| (table, rows)).collect(), &parameters)?;

    // The prover: blocks by their addresses, the calls computed over them.
    let mut blocks = vec![[F::ZERO; BLOCK]; ledger.len()];
    let numbers = Fibonacci::blocks();
    blocks[Fibonacci::address(0) as usize..][..ROWS].copy_from_slice(&numbers);
    let inputs = calls.evaluate(&mut blocks);
    let numbers = RowMajorMatrix::new(numbers.as_flattened().to_vec(), BLOCK);
    let traces = [numbers, calls.trace(inputs), public.trace()];
    let claim = |digest: Block| {
        let zeros = [F::ZERO; BLOCK];
        [vec![], vec![], [zeros, zeros, digest].concat()]
    };
    let digest = blocks[digest as usize];
    let proof = machine.prove(b"Fibonacci", &traces, &claim(digest))?;

    // The verifier.
    machine.verify(b"Fibonacci", &claim(digest), &proof)?;
    let mut other = digest;
    other[0] += F::ONE;
    assert!(machine.verify(b"Fibonacci", &claim(other), &proof).is_err());
    let bits = machine.security().proven_bits();
    println!("{} numbers, digest {digest:?}", ROWS * BLOCK);
    println!("{} bytes, {bits:.1} proven bits", proof.len());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs() {
        super::run().expect("a proof");
    }
}
