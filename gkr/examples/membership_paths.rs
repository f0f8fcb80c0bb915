//! Membership paths in trees of different depths: a call table wired by hand, in regions of
//! unequal size, proved by every batching strategy.
//!
//! Branches of a bank publish roots of Merkle trees of accounts. A forest is 2^`log_trees` trees
//! of one depth, and of each tree the prover knows an account at place `slot` and the siblings on
//! its path to the root. Public are the forests and the roots. A balance, as it is hashed, is
//! what came in less what went out.
//!
//! `cargo run --release -p airda-gkr --example membership_paths`

use std::{ops::Range, time::Instant};

use airda_gkr::batching::{Grouped, Relation, Strategy};
use airda_gkr::calls::{CallTable, Layout, Source};
use airda_gkr::commit::{Parameters, Scheme};
use airda_gkr::form::Equations;
use airda_gkr::permutation::DIGEST;
use airda_gkr::security::Report;
use airda_gkr::transcript::{ProverChannel, VerifierChannel};
use airda_gkr::{F, Reject};
use p3_field::PrimeCharacteristicRing;
use rand::{RngExt, SeedableRng, rngs::StdRng};

/// Words of an account: its number, what came in, what went out, and six of a memo.
const ACCOUNT: usize = 9;

struct Forest {
    log_trees: usize,
    depth: usize,
    slot: usize,
}

/// The most trees first: pieces of a table come in descending size.
const FORESTS: [Forest; 3] = [
    Forest { log_trees: 12, depth: 10, slot: 837 },
    Forest { log_trees: 11, depth: 14, slot: 9_001 },
    Forest { log_trees: 8, depth: 20, slot: 123_456 },
];

/// Where a forest's pieces are, and the words of its roots.
struct Region {
    pieces: Range<usize>,
    roots: Range<usize>,
}

/// The calls, of public values alone: both sides make them.
fn wiring(forests: &[Forest]) -> (CallTable<16>, Vec<Region>) {
    // Words that the prover alone has: columns of a word a tree.
    let words = |forest: &Forest| (ACCOUNT + DIGEST * forest.depth) << forest.log_trees;
    let base = forests.iter().map(words).sum::<usize>().next_multiple_of(1 << forests[0].log_trees);
    let (mut table, mut start, mut regions) = (CallTable::new(base), 0, Vec::new());
    for forest in forests {
        let &Forest { log_trees, depth, slot } = forest;
        let column = |c: usize| Source::Block { start: start + (c << log_trees) };
        let balance = table.affine(F::ZERO, &[(F::ONE, column(1)), (F::NEG_ONE, column(2))]);
        let account = std::array::from_fn(|v| match v {
            0 => Source::Constant(F::from_usize(depth)),
            1..DIGEST => Source::Constant(F::ZERO),
            8 => column(0),
            9 => balance,
            _ => column(v - 7),
        });
        let mut last = table.push(log_trees, account);
        for step in 0..depth {
            // f(left, right): the digest below is on the side that the slot says.
            let node = std::array::from_fn(|v| match v / DIGEST == slot >> step & 1 {
                true => Source::Block { start: table.digest(last, v % DIGEST) },
                false => column(ACCOUNT + DIGEST * step + v % DIGEST),
            });
            last = table.push(log_trees, node);
        }
        start += words(forest);
        let roots = table.digest(last, 0)..table.digest(last, DIGEST);
        regions.push(Region { pieces: last - depth..last + 1, roots });
    }
    (table, regions)
}

/// Proves and verifies that paths lead to the roots, and says what that took. All but the table's
/// words is public.
fn run(forests: &[Forest], roots: &[F], words: &[F], strategy: Strategy) -> Result<String, Reject> {
    let (table, regions) = wiring(forests);
    let mut equations = Equations::new();
    let places = regions.iter().flat_map(|region| region.roots.clone());
    places.zip(roots).for_each(|(at, &word)| equations.fix(at, word));
    let grouped = Grouped::new(&table, regions.into_iter().map(|region| region.pieces))?;
    let (grouped, equations, layout) = (&grouped, &equations, Layout::whole(&table));
    let relation = Relation { grouped, layout, equations };
    let scheme = Scheme::new(&Parameters::for_rate(1).expect("in the table"), words.len())?;

    let start = Instant::now();
    let mut channel = ProverChannel::new(b"bank");
    relation.prove(strategy, &scheme, words, &mut channel);
    let (proof, proved) = (channel.finish(), start.elapsed());

    let start = Instant::now();
    let mut channel = VerifierChannel::new(b"bank", &proof);
    relation.verify(strategy, &scheme, &mut channel)?;
    channel.finish()?;
    let verified = start.elapsed();

    let batch = relation.batch(strategy);
    let (rows, walk) = (batch.physical_rows(), batch.proof_bytes::<16>());
    let rest = proof.len() - walk;
    let bits = Report::new(&scheme, &relation.reductions(strategy)).bits();
    Ok(format!("{strategy:11} {rows:9} {walk:9} {rest:9} {proved:9.0?} {verified:9.1?} {bits:9.2}"))
}

/// Words of accounts and siblings, made up, and all digests; and the roots.
fn bank(forests: &[Forest]) -> (Vec<F>, Vec<F>) {
    let (table, regions) = wiring(forests);
    let mut rng = StdRng::seed_from_u64(1);
    let mut words: Vec<F> = (0..table.base()).map(|_| rng.random()).collect();
    words.resize(table.num_words(), F::ZERO);
    table.evaluate(&mut words);
    let roots = regions.into_iter().flat_map(|region| &words[region.roots]).copied().collect();
    (words, roots)
}

fn main() -> Result<(), Reject> {
    let (words, roots) = bank(&FORESTS);
    println!("strategy         rows  walk (B)  rest (B)    proved  verified      bits");
    for strategy in Strategy::ALL {
        println!("{}", run(&FORESTS, &roots, &words, strategy)?);
    }
    Ok(())
}

#[test]
fn false_accounts_siblings_and_roots_are_refused() {
    let forest = |log_trees, depth, slot| Forest { log_trees, depth, slot };
    let forests = [forest(4, 3, 5), forest(2, 1, 0), forest(0, 2, 1)];
    let (words, roots) = bank(&forests);
    for strategy in Strategy::ALL {
        assert!(run(&forests, &roots, &words, strategy).is_ok());
        // An account's number and balance, a sibling, a digest; with the digests as they were.
        for at in [0, 1 << 4, ACCOUNT << 4, words.len() - 1] {
            let mut words = words.clone();
            words[at] += F::ONE;
            assert_eq!(run(&forests, &roots, &words, strategy), Err(Reject::LinearForm));
        }
        let mut roots = roots.clone();
        roots[9] += F::ONE;
        assert_eq!(run(&forests, &roots, &words, strategy), Err(Reject::LinearForm));
    }
}
