//! Tables that differ are absorbed differently.

use super::*;
use crate::transcript::{Channel, ProverChannel};

fn challenge<const T: usize>(table: &CallTable<T>) -> E {
    let mut channel = ProverChannel::new(b"table");
    table.bind(&mut channel);
    channel.draw()
}

/// A transient piece, one that it feeds, and a chain; every kind of source, and a sum of two.
fn table(unread: bool) -> CallTable<16> {
    let mut table = CallTable::<16>::new(64);
    let first = table.push_transient(2, [Source::Constant(F::TWO); 16]);
    if unread {
        table.affine(F::TWO, &[]);
    }
    let terms = [(F::TWO, Source::Block { start: 4 }), (F::ONE, Source::Constant(F::TWO))];
    let sum = table.affine(F::ONE, &terms);
    let inputs = std::array::from_fn(|v| match v {
        0..DIGEST => Source::Block { start: table.digest(first, v) },
        8 => Source::Constant(F::ONE),
        9 => Source::Block { start: 8 },
        10 => Source::Interleaved { start: 8, child: 0 },
        _ => sum,
    });
    table.push(2, inputs);
    let start = table.next_digest(1, 0);
    table.push(1, [Source::Shifted { first: F::ONE, start }; 16]);
    table
}

#[test]
fn tables_that_differ_draw_other_challenges() {
    let first = challenge(&table(false));
    assert_eq!(first, challenge(&table(true)), "a sum that no piece reads");

    let changes: [fn(&mut CallTable<16>); 20] = [
        |table| table.base += 64,
        |table| table.pieces.truncate(2),
        |table| table.pieces[2].log_size = 0,
        |table| table.transients.clear(),
        |table| table.transients[0] = 1,
        |table| table.pieces[1].inputs[8] = Source::Constant(F::TWO),
        |table| table.pieces[1].inputs[9] = Source::Block { start: 12 },
        |table| table.pieces[1].inputs[9] = Source::Interleaved { start: 8, child: 0 },
        |table| table.pieces[1].inputs[10] = Source::Interleaved { start: 16, child: 0 },
        |table| table.pieces[1].inputs[10] = Source::Interleaved { start: 8, child: 1 },
        |table| table.pieces[1].inputs[8] = table.affine(F::ONE, &[]),
        |table| table.pieces[1].inputs.swap(8, 9),
        |table| table.pieces.swap(0, 1),
        |table| {
            let Source::Shifted { first, .. } = &mut table.pieces[2].inputs[15] else { panic!() };
            *first += F::ONE;
        },
        |table| {
            let Source::Shifted { start, .. } = &mut table.pieces[2].inputs[0] else { panic!() };
            *start += 2;
        },
        |table| table.sums.list[0].0 += F::ONE,
        |table| table.sums.list[0].1.end -= 1,
        |table| table.sums.terms[0].0 += F::ONE,
        |table| table.sums.terms[0].1 = Source::Block { start: 0 },
        |table| table.sums.terms.swap(0, 1),
    ];
    let mut challenges = vec![first];
    for (index, change) in changes.into_iter().enumerate() {
        let mut changed = table(false);
        change(&mut changed);
        let drawn = challenge(&changed);
        assert!(!challenges.contains(&drawn), "change {index}");
        challenges.push(drawn);
    }
    assert_ne!(challenge(&CallTable::<16>::new(0)), challenge(&CallTable::<24>::new(0)));
}
