use p3_field::PrimeCharacteristicRing;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

use super::fold::position_sums;
use super::*;
use crate::calls::{CallTable, Source};
use crate::cheating::Altering;
use crate::eq::eq_table;
use crate::transcript::{ProverChannel, Sender, VerifierChannel};
use crate::walk::{CHUNK, LANES, lagrange};
use crate::{F, Reject};

/// Chains of `steps` calls in `rows` pieces of `2^log_size`, of which every `step`-th is kept,
/// counted from the last; then a tree over the first chain's end.
pub(crate) fn chains<const T: usize>(
    log_size: usize,
    rows: usize,
    steps: usize,
    step: usize,
) -> CallTable<T> {
    let rate = T - DIGEST;
    let mut table = CallTable::new((rows * steps * rate) << log_size);
    let mut last: Vec<usize> = Vec::new();
    for s in 0..steps {
        last = (0..rows)
            .map(|row| {
                let inputs =
                    std::array::from_fn(|v| match (v.checked_sub(DIGEST), last.get(row)) {
                        (None, None) => Source::Constant(F::from_usize(v + 1)),
                        (None, Some(&piece)) => Source::Block { start: table.digest(piece, v) },
                        (Some(v), _) => {
                            Source::Block { start: ((row * steps + s) * rate + v) << log_size }
                        }
                    });
                if (steps - 1 - s).is_multiple_of(step) {
                    table.push(log_size, inputs)
                } else {
                    table.push_transient(log_size, inputs)
                }
            })
            .collect();
    }
    let mut below = last[0];
    for log_size in (0..log_size).rev() {
        let inputs = std::array::from_fn(|v| Source::Interleaved {
            start: table.digest(below, v % DIGEST),
            child: v / DIGEST % 2,
        });
        below = table.push(log_size, inputs);
    }
    table
}

/// The words of a table, digests included; edge words among them.
pub(crate) fn words_of<const T: usize>(table: &CallTable<T>, seed: u64) -> Vec<F>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut rng = StdRng::seed_from_u64(seed);
    let mut word = || match rng.random_range(0..8) {
        0 => F::ZERO,
        1 => F::ONE,
        2 => F::NEG_ONE,
        _ => F::from_u32(rng.next_u32()),
    };
    let mut words: Vec<F> = (0..table.base()).map(|_| word()).collect();
    words.resize(table.num_words(), F::ZERO);
    table.evaluate(&mut words);
    words
}

/// Shapes: log2 of the pieces' size, rows, steps.
pub(crate) const SHAPES: [(usize, usize, usize); 7] =
    [(0, 1, 1), (0, 3, 4), (2, 3, 3), (5, 5, 4), (7, 3, 5), (8, 3, 7), (10, 1, 2)];

#[test]
fn levels_hold_all_pieces_and_line_up() {
    for (log_size, rows, steps) in SHAPES {
        for step in 1..=4 {
            let table = chains::<16>(log_size, rows, steps, step);
            let words = words_of(&table, 1);
            let levels = table.levels();
            assert_eq!(levels.len(), step.min(steps));
            let calls: usize = levels.iter().map(|level| level.num_calls).sum();
            assert_eq!(calls, table.num_calls());
            for (level, next) in levels.iter().zip(&levels[1..]) {
                for chunk in 0..=next.num_calls / CHUNK {
                    let mut inputs = [[F::ZERO; CHUNK]; 16];
                    level.fill_inputs(&words, chunk, &mut inputs);
                    let mut digests = [[F::ZERO; CHUNK]; DIGEST];
                    next.fill_digests(&words, chunk, &mut digests);
                    let held = (next.num_calls - chunk * CHUNK).min(CHUNK);
                    for v in 0..DIGEST {
                        assert_eq!(inputs[v][..held], digests[v][..held]);
                        assert!(digests[v][held..].iter().all(|&word| word == F::ZERO));
                    }
                }
            }
            let fed = levels.iter().flat_map(|level| &level.pieces);
            let fed = fed.filter(|placed| placed.piece.feeder().is_some()).count();
            assert_eq!(fed, table.transients().len());
            for level in &levels {
                for placed in &level.pieces {
                    assert!(placed.offset.is_multiple_of(placed.piece.size()));
                }
            }
        }
    }
}

fn random(rng: &mut StdRng) -> E {
    use p3_field::BasedVectorSpace;
    E::from_basis_coefficients_fn(|_| rng.random::<F>())
}

fn random_point(outer: usize, rng: &mut StdRng) -> Point {
    let bits: Vec<E> = (0..outer + LOG_LANES).map(|_| random(rng)).collect();
    Point::from_bits(random(rng), bits.into_iter())
}

/// What a walk over the level above could leave, with random points.
fn above(outer: usize, rng: &mut StdRng) -> walk::Claim<16> {
    walk::Claim {
        outputs_at: random_point(outer, rng),
        beta: std::array::from_fn(|_| random(rng)),
        y: E::ZERO,
        inputs_at: random_point(outer, rng),
        inputs: [E::ZERO; 16],
    }
}

/// The digests of a level, row by row.
fn digest_rows(level: &Level<'_, 16>, words: &[F]) -> Vec<[F; DIGEST]> {
    (0..level.num_calls)
        .map(|i| {
            let mut row = [[F::ZERO; 1]; DIGEST];
            level.fill_digests(words, i, &mut row);
            row.map(|[word]| word)
        })
        .collect()
}

/// Σ_i w(i)·D_v[i], by the definition.
fn truth(rows: &[[F; DIGEST]], at: &Point) -> [E; DIGEST] {
    std::array::from_fn(|v| rows.iter().enumerate().map(|(i, row)| at.weight(i) * row[v]).sum())
}

/// The merge by the definition: every message a sum over all rows, evaluated node by node and
/// interpolated.
fn plain_merge(
    rows: &[[F; DIGEST]],
    outer: usize,
    above: &walk::Claim<16>,
    channel: &mut impl Sender,
) {
    let [a, b] = [truth(rows, &above.outputs_at), truth(rows, &above.inputs_at)];
    channel.send(&[dot(&above.beta, &a)]);
    channel.send(&b);
    let kappa = channel.draw();
    let kappas: [E; DIGEST] = std::array::from_fn(|v| kappa.exp_u64(v as u64 + 1));
    let size = LANES << outer;
    // [x][z] of both columns and both weights.
    let split = |i: usize| (i / CHUNK * LANES + i % LANES, i / LANES % POSITIONS);
    let zeros = || vec![[E::ZERO; POSITIONS]; size];
    let mut columns = [zeros(), zeros()];
    let mut weights = [zeros(), zeros()];
    for i in 0..CHUNK << outer {
        let (x, z) = split(i);
        for (which, (point, scales)) in
            [(&above.outputs_at, &above.beta), (&above.inputs_at, &kappas)].into_iter().enumerate()
        {
            weights[which][x][z] = point.weight(i);
            if let Some(row) = rows.get(i) {
                columns[which][x][z] = row.iter().zip(scales).map(|(&d, &s)| s * d).sum();
            }
        }
    }
    let at = |column: &[E; POSITIONS], z: E| dot(&lagrange::<POSITIONS>(z), column);
    let q = |z: E| -> E {
        (0..2)
            .flat_map(|which| (0..size).map(move |x| (which, x)))
            .map(|(which, x)| at(&weights[which][x], z) * at(&columns[which][x], z))
            .sum()
    };
    channel.send(&std::array::from_fn::<E, NODES, _>(|n| q(node(n))));
    let zeta = channel.draw();
    let bind = |column: &Vec<[E; POSITIONS]>| -> Vec<E> {
        column.iter().map(|column| at(column, zeta)).collect()
    };
    let mut columns = columns.each_ref().map(bind);
    let mut weights = weights.each_ref().map(bind);
    let mut bits = Vec::new();
    while columns[0].len() > 1 {
        let half = columns[0].len() / 2;
        let line = |column: &[E], i: usize, x: E| column[i] + x * (column[half + i] - column[i]);
        let g = |x: E| -> E {
            (0..2)
                .flat_map(|which| (0..half).map(move |i| (which, i)))
                .map(|(which, i)| line(&columns[which], i, x) * line(&weights[which], i, x))
                .sum()
        };
        let [g0, g1, g2] = [g(E::ZERO), g(E::ONE), g(E::TWO)];
        channel.send(&[g0, (g2 - g1.double() + g0).halve()]);
        let r = channel.draw();
        let bind = |column: &Vec<E>| (0..half).map(|i| line(column, i, r)).collect::<Vec<E>>();
        columns = columns.each_ref().map(bind);
        weights = weights.each_ref().map(bind);
        bits.push(r);
    }
    let at = Point::from_bits(zeta, bits.into_iter().rev());
    channel.send(&truth(rows, &at));
}

/// The last level of the table, its digests, and a claim about a larger level.
fn check_merge(log_size: usize, rows: usize, seed: u64) {
    let table = chains::<16>(log_size, rows, 2, 2);
    let words = words_of(&table, seed);
    let levels = table.levels();
    let level = levels.last().unwrap();
    let outer = walk::log_outer(level.num_calls);
    let mut rng = StdRng::seed_from_u64(seed);
    for more in [0, 1, 3] {
        let above = above(outer + more, &mut rng);
        let mut fast = ProverChannel::new(b"merge");
        let merged = prove::merge(level, &words, &above, &mut fast);
        let bytes = fast.finish();
        let digests = digest_rows(level, &words);
        let mut plain = ProverChannel::new(b"merge");
        plain_merge(&digests, outer, &above, &mut plain);
        assert!(bytes == plain.finish(), "the messages differ");

        let mut channel = VerifierChannel::new(b"merge", &bytes);
        let verified = verify::merge(1, level.num_calls, &above, &mut channel).unwrap();
        channel.finish().unwrap();
        assert_eq!(verified, merged);
        let (fed, at, ends) = verified;
        assert_eq!(fed.outputs, dot(&above.beta, &truth(&digests, &above.outputs_at)));
        assert_eq!(fed.inputs, truth(&digests, &above.inputs_at));
        assert_eq!(ends, truth(&digests, &at));

        // Every element altered, one at a time.
        let elements = bytes.len() / 20;
        assert_eq!(elements, 9 + NODES + 2 * (outer + LOG_LANES) + DIGEST);
        for element in 0..elements {
            let mut forged = bytes.clone();
            let word = &mut forged[20 * element..][..4];
            let old = u32::from_le_bytes((&*word).try_into().unwrap());
            word.copy_from_slice(&(if old == 0 { 1 } else { old - 1 }).to_le_bytes());
            let mut channel = VerifierChannel::new(b"merge", &forged);
            let refused = verify::merge(1, level.num_calls, &above, &mut channel).unwrap_err();
            let expected = if element < 9 + POSITIONS {
                Reject::Positions { level: 1 }
            } else {
                Reject::Merge { level: 1 }
            };
            assert_eq!(refused, expected, "element {element} of {elements}");
        }
        for len in 0..bytes.len() {
            let mut channel = VerifierChannel::new(b"merge", &bytes[..len]);
            let refused = verify::merge(1, level.num_calls, &above, &mut channel).unwrap_err();
            assert_eq!(refused, Reject::Truncated);
        }
    }
}

#[test]
fn the_merge_sends_what_the_definition_sends() {
    for (log_size, rows) in [(0, 1), (3, 5), (5, 7), (7, 1), (7, 3), (8, 5), (7, 9), (7, 17)] {
        check_merge(log_size, rows, (log_size + rows) as u64);
    }
}

/// The claims' order counts: b_v and b_w may not trade places, nor a and b_v.
#[test]
fn claims_that_trade_places_are_refused() {
    let table = chains::<16>(5, 3, 2, 2);
    let words = words_of(&table, 3);
    let levels = table.levels();
    let above = above(0, &mut StdRng::seed_from_u64(4));
    let mut channel = ProverChannel::new(b"merge");
    let _ = prove::merge(&levels[1], &words, &above, &mut channel);
    let bytes = channel.finish();
    for (i, j) in [(0, 1), (1, 2), (1, 8), (7, 8)] {
        let mut elements: Vec<&[u8]> = bytes.chunks(20).collect();
        elements.swap(i, j);
        let forged = elements.concat();
        let mut channel = VerifierChannel::new(b"merge", &forged);
        let refused = verify::merge(1, levels[1].num_calls, &above, &mut channel).unwrap_err();
        assert_eq!(refused, Reject::Positions { level: 1 });
    }
}

/// A cheating merge: false claims whose message 3a is bent to fit them.
#[test]
fn bent_position_sums_are_refused_at_the_end() {
    let table = chains::<16>(7, 2, 2, 2);
    let words = words_of(&table, 5);
    let levels = table.levels();
    let level = &levels[1];
    let above = above(1, &mut StdRng::seed_from_u64(6));
    // One more for a, and for q(3).
    let mut channel = Altering::new(b"merge", |number, message, _| match number {
        0 => message[0] += E::ONE,
        2 => message[3] += E::ONE,
        _ => {}
    });
    let _ = prove::merge(level, &words, &above, &mut channel);
    let bytes = channel.finish();
    let mut channel = VerifierChannel::new(b"merge", &bytes);
    let refused = verify::merge(1, level.num_calls, &above, &mut channel).unwrap_err();
    assert_eq!(refused, Reject::Merge { level: 1 });
}

#[test]
fn position_sums_equal_their_definition() {
    let table = chains::<16>(7, 11, 2, 2);
    let words = words_of(&table, 7);
    let levels = table.levels();
    let rows = digest_rows(&levels[1], &words);
    let mut rng = StdRng::seed_from_u64(8);
    let outer: Vec<E> = (0..16).map(|_| random(&mut rng)).collect();
    let lanes = std::array::from_fn(|_| random(&mut rng));
    let eq = eq_table(&lanes);
    let mut expected = [[E::ZERO; POSITIONS]; DIGEST];
    for (i, row) in rows.iter().enumerate() {
        let weight = outer[i / CHUNK] * eq[i % LANES];
        for (sums, &word) in expected.iter_mut().zip(row) {
            sums[i / LANES % POSITIONS] += weight * word;
        }
    }
    assert_eq!(position_sums(&levels[1], &words, &outer, &lanes), expected);
}

#[test]
fn errors_add_up_over_levels() {
    let total = |numerators: Vec<Numerator>| numerators.iter().map(Numerator::total).sum::<u64>();
    let one = total(walk::numerators::<16>(0, 1000));
    assert_eq!(numerators::<16>([1000]), walk::numerators::<16>(0, 1000));
    // R = 3 + 4: the second walk draws no point, of 7 + R; κ, ζ' and R bits.
    assert_eq!(total(numerators::<16>([1000, 1000])), 2 * one - (7 + 7) + 8 + 14 + 2 * 7);
    let largest = total(walk::numerators::<24>(0, 1 << 25));
    assert!(total(numerators::<24>([1 << 25; 4])) > 3 * largest);
}

// What the table refuses.

fn two_chains() -> (CallTable<16>, usize) {
    let mut table = CallTable::<16>::new(16 << 3);
    let first = table.push_transient(3, std::array::from_fn(|v| Source::Block { start: v << 3 }));
    (table, first)
}

fn fed(table: &CallTable<16>, first: usize) -> [Source; 16] {
    std::array::from_fn(|v| match v < DIGEST {
        true => Source::Block { start: table.digest(first, v) },
        false => Source::Constant(F::ZERO),
    })
}

#[test]
#[should_panic(expected = "one consumer")]
fn a_transient_piece_has_one_consumer() {
    let (mut table, first) = two_chains();
    let inputs = fed(&table, first);
    table.push(3, inputs);
    table.push(3, inputs);
}

#[test]
#[should_panic(expected = "are consumed")]
fn a_transient_piece_has_a_consumer() {
    let (table, _) = two_chains();
    let _ = table.levels();
}

#[test]
#[should_panic(expected = "are chaining values")]
fn transient_digests_are_no_message() {
    let (mut table, first) = two_chains();
    let mut inputs = fed(&table, first);
    inputs[9] = inputs[1];
    table.push(3, inputs);
}

#[test]
#[should_panic(expected = "are chaining values")]
fn transient_digests_are_not_read_in_part() {
    let (mut table, first) = two_chains();
    let inputs = std::array::from_fn(|v| Source::Interleaved {
        start: table.digest(first, v % DIGEST),
        child: 0,
    });
    table.push(2, inputs);
}

#[test]
#[should_panic(expected = "one piece's")]
fn a_chaining_value_is_a_whole_digest() {
    let (mut table, first) = two_chains();
    let mut inputs = fed(&table, first);
    inputs[7] = Source::Constant(F::ONE);
    table.push(3, inputs);
}

#[test]
#[should_panic(expected = "not committed")]
fn transient_digests_have_no_place() {
    let (mut table, first) = two_chains();
    let inputs = fed(&table, first);
    table.push(3, inputs);
    let layout = crate::calls::Layout::whole(&table);
    let _ = layout.digest(table.digest(first, 2) + 5);
}
