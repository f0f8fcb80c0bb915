use super::*;
use crate::fixture::{Fixture, GIVEN, Instance, PUBLIC};
use crate::{F, Reject, Table};

type Small = Fixture<16, 20>;
type Tables = Table<16, 20>;

#[test]
fn the_column_is_zero() {
    let mut instance = Small::new(3).honest();
    *instance.cell(PUBLIC, 0, 0) = F::ONE;
    instance.assert_violates(PUBLIC, 0, 0);
}

#[test]
fn each_word_of_a_public_block_is_on_the_bus() {
    let honest = Small::new(3).honest();
    assert_eq!(honest.public[PUBLIC].len(), (GIVEN + 1) * BLOCK);
    for word in 0..honest.public[PUBLIC].len() {
        let mut instance = honest.clone();
        instance.public[PUBLIC][word] += F::ONE;
        instance.assert_off_balance();
    }
}

/// A table of public blocks alone.
fn alone(blocks: &[(Address, Role)]) -> Instance<Tables> {
    let table = PublicBlocks::new(blocks.iter().copied());
    let public = (0..blocks.len() * BLOCK).map(|word| F::from_usize(word % BLOCK)).collect();
    let trace = table.trace();
    Instance::of_one(Table::Public(table), trace, public)
}

#[test]
fn a_block_offered_to_nobody_and_one_taken_from_nobody_do_not_balance() {
    alone(&[(5, Role::Given { readers: 1 })]).assert_off_balance();
    alone(&[(5, Role::Claimed)]).assert_off_balance();
    // The words are the same, the addresses are not.
    alone(&[(5, Role::Given { readers: 1 }), (6, Role::Claimed)]).assert_off_balance();
    alone(&[(5, Role::Given { readers: 2 }), (5, Role::Claimed)]).assert_off_balance();
    alone(&[(5, Role::Given { readers: 1 }), (5, Role::Claimed)]).assert_good();
    alone(&[(5, Role::Given { readers: 0 })]).assert_good();
}

/// Without a message there is no bus, and nothing that could be off balance.
#[test]
fn a_table_without_blocks_has_no_bus_and_still_its_constraint() {
    let empty = PublicBlocks::new([]);
    assert!(empty.is_empty());
    let mut instance = alone(&[]);
    instance.assert_good();
    *instance.cell(0, 0, 0) = F::ONE;
    assert_eq!(instance.verdict(), Err(Reject::Constraints { table: 0 }));
}
