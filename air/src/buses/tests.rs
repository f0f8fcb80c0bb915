use super::*;

#[test]
fn a_ledger_counts_readers_of_each_address() {
    let mut ledger = Ledger::new(2);
    let third = ledger.allocate();
    assert_eq!((third, ledger.len()), (2, 3));
    for address in [1, third, 1, Ledger::ZERO] {
        ledger.read(address);
    }
    assert_eq!([0, 1, 2].map(|address| ledger.readers(address)), [1, 2, 1]);
    assert!(!ledger.is_empty());
}

#[test]
#[should_panic(expected = "a block has one writer")]
fn refuses_a_second_writer() {
    let mut ledger = Ledger::new(1);
    ledger.write(0);
    ledger.write(0);
}

#[test]
#[should_panic(expected = "addresses are words")]
fn refuses_no_address() {
    let _ = Ledger::new(0);
}
