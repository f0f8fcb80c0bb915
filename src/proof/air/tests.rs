use airda_air::Reject;
use airda_air::calls::Poseidon2Calls;
use airda_air::fri::Parameters;
use airda_air::inner_product::{InnerProduct, Shape};
use airda_gkr::permutation::DIGEST;
use p3_field::{BasedVectorSpace, Field};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use super::*;
use crate::code::membership::MembershipVector;
use crate::proof;

/// Fast, and secure enough to tell a forgery from a proof.
fn cheap() -> System {
    System::insecure_for_tests(Parameters::insecure_for_tests(8, 1))
}

fn block(hash: HashWidth, log_k: usize, log_c: usize, rows: usize) -> Block {
    let len = (19 * rows) << log_k;
    let payload: Vec<u8> = (0..len).map(|i| (i * 31 % 251) as u8).collect();
    Block::build(Params::new(hash, log_k, log_c, rows, len as u64).unwrap(), &payload).unwrap()
}

/// log k, log c, rows: cells below, of and above a block's length; one row; odd levels.
const SHAPES: [(usize, usize, usize); 9] = [
    (0, 0, 1),
    (1, 1, 2),
    (3, 0, 3),
    (4, 1, 1),
    (4, 2, 5),
    (5, 3, 2),
    (6, 4, 3),
    (6, 5, 1),
    (5, 5, 7),
];
const WIDTHS: [HashWidth; 2] = [HashWidth::W16, HashWidth::W24];

macro_rules! at_width {
    ($block:expr, $f:ident($($argument:expr),*)) => {
        match $block.params().hash() {
            HashWidth::W16 => $f::<16, 20>($($argument),*),
            HashWidth::W24 => $f::<24, 23>($($argument),*),
        }
    };
}

/// All blocks of [`SHAPES`].
fn blocks() -> impl Iterator<Item = Block> {
    let of = |hash| SHAPES.map(|(log_k, log_c, rows)| block(hash, log_k, log_c, rows));
    WIDTHS.into_iter().flat_map(of)
}

fn proved<const T: usize, const P: usize>(block: &Block)
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
    Poseidon2<T>: Permutation<T>,
{
    let prepared = Prepared::<T, P>::new(block.params(), &cheap()).unwrap();
    let stated = Stated::new(block.commitment());
    let traces = witness::traces(block, &prepared.tables, &stated.weights);
    let proof = Table::prove(&prepared.machine, &stated.bytes, &traces, &stated.public).unwrap();
    let (least, most) = prepared.machine.proof_bytes();
    assert!((least..=most).contains(&proof.len()));
    Table::verify(&prepared.machine, &stated.bytes, &stated.public, &proof).unwrap();
}

#[test]
fn blocks_of_all_shapes_are_proved() {
    for block in blocks() {
        println!("{:?}", block.params());
        at_width!(block, proved(&block));
    }
}

fn count<const T: usize, const P: usize>(params: &Params)
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
{
    let tables = Tables::<T, P>::new(params);
    let calls = [&tables.chains, &tables.nodes].map(|calls| calls.schedule().num_calls());
    assert_eq!(calls, [params.calls() - params.tree_calls(), params.tree_calls()], "{params:?}");
    // The initial values and zeros, then row digests and root_col.
    assert_eq!(tables.public.len(), 4 + params.rows() + 1);
    let columns: usize = tables.all()[..3].iter().map(|(table, _)| width(table)).sum();
    assert_eq!(columns, Tables::<T, P>::columns(params), "{params:?}");

    // Every block of cell words is written once.
    let shape = tables.products.shape();
    let all = |(vector, &(_, _, base)): (usize, &(F, bool, u32))| -> Vec<u32> {
        shape.blocks[vector].iter().map(|address| base + address).collect()
    };
    let rows = shape.rows.iter().flat_map(|row| (0..shape.vectors).map(move |i| (i, row)));
    let mut written: Vec<u32> = rows.flat_map(all).collect();
    written.sort_unstable();
    let blocks = params.rows() * params.columns() * params.cell_words().div_ceil(DIGEST);
    assert_eq!(written, (4..4 + blocks as u32).collect::<Vec<_>>(), "{params:?}");
}

fn width<const T: usize, const P: usize>(table: &Table<T, P>) -> usize
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
{
    match table {
        Table::Calls(calls) => calls.schedule().lanes() * Poseidon2Calls::<T, P>::CALL_COLUMNS,
        Table::InnerProduct(products) => {
            let (run, vectors) = (products.run(), products.shape().vectors);
            LIMBS * run + LIMBS * vectors + vectors * LIMBS * run
        }
        Table::Public(_) => 1,
    }
}

/// The tables have a place for every call of the relation and for every word, and no others.
#[test]
fn calls_and_words_are_the_relations() {
    for block in blocks() {
        at_width!(block, count(block.params()));
    }
}

/// A block's words at their addresses, as the module of the tables says, and its initial values.
fn blocks_of_words(block: &Block) -> Vec<Digest> {
    let params = block.params();
    let mut blocks = vec![ABSENT];
    blocks.extend([Domain::Cell, Domain::Row, Domain::Node].map(|domain| params.iv(domain)));
    for row in 0..params.rows() {
        for column in 0..params.columns() {
            let word = |word| block.words()[params.word_offset(row, word) + column];
            let words: Vec<F> = (0..params.cell_words()).map(word).collect();
            blocks.extend(
                words
                    .chunks(DIGEST)
                    .map(|words| std::array::from_fn(|v| words.get(v).copied().unwrap_or(F::ZERO))),
            );
        }
    }
    blocks
}

fn evaluated<const T: usize, const P: usize>(block: &Block)
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
    Poseidon2<T>: Permutation<T>,
{
    let (params, commitment) = (block.params(), block.commitment());
    let tables = Tables::<T, P>::new(params);
    let stated = Stated::new(commitment);
    let traces = witness::traces(block, &tables, &stated.weights);

    let mut blocks = blocks_of_words(block);
    let digests = blocks.len();
    let cells = params.rows() * params.columns();
    blocks.resize(digests + 2 * params.calls(), [F::TWO; DIGEST]);
    let chains = tables.chains.evaluate(&mut blocks);
    assert!(traces[0] == tables.chains.trace(chains), "{params:?}: chains");
    assert_eq!(blocks[digests + cells..][..params.rows()], *commitment.row_digests());
    let nodes = tables.nodes.evaluate(&mut blocks);
    assert_eq!(nodes.len(), params.tree_calls());
    assert!(traces[1] == tables.nodes.trace(nodes), "{params:?}: nodes");
    assert!(blocks.contains(commitment.root_col()), "{params:?}: root_col");

    // What the table of products writes is what stands there.
    let (shape, run) = (tables.products.shape(), tables.products.run());
    let sums_end = LIMBS * (run + shape.vectors);
    for (row, &(_, _, base)) in traces[2].row_slices().zip(&shape.rows) {
        for (vector, addresses) in shape.blocks.iter().enumerate() {
            let words = &row[sums_end + vector * LIMBS * run..][..LIMBS * run];
            for (words, &address) in words.chunks(DIGEST).zip(addresses) {
                let block = &blocks[(base + address) as usize];
                assert_eq!(words, &block[..words.len()], "{params:?}");
                assert!(block[words.len()..].iter().all(|word| word.is_zero()), "{params:?}");
            }
        }
    }
}

/// The witness is what the schedule computes from a block's words alone.
#[test]
fn the_witness_is_what_the_schedule_computes() {
    for block in blocks() {
        at_width!(block, evaluated(&block));
    }
}

fn weighed<const T: usize, const P: usize>(params: &Params, p: E)
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
{
    let vector = MembershipVector::new(params, p);
    let products = Tables::<T, P>::new(params).products;
    let Weights { point, scales } = weights(params, p);
    assert_eq!(point, p);
    let mut position = 0;
    for &(first, second, _) in &products.shape().rows {
        for &multiplier in &products.shape().multipliers {
            let x = first * multiplier;
            let weight = scales[usize::from(second)] * x * (p - x).inverse();
            assert_eq!(weight, vector.at(position), "{params:?}: position {position}");
            position += 1;
        }
    }
    assert_eq!(position, params.m());
}

/// κ x/(p − x) is the entry of the membership vector, at every position.
#[test]
fn weights_are_the_membership_vectors() {
    for block in blocks() {
        let p = membership::point(block.params(), block.commitment().root());
        at_width!(block, weighed(block.params(), p));
    }
}

/// A commitment is no proof system's: either proves it, and neither's proof is the other's.
#[test]
fn both_proof_systems_prove_the_same_commitment() {
    for hash in WIDTHS {
        let block = block(hash, 5, 1, 3);
        let gkr = proof::System::for_rate(1).unwrap();
        let file = proof::prove(&block, &gkr).unwrap();
        let _ = proof::verify_with(block.commitment(), &gkr, &file).unwrap();
        let other = proof::prove(&block, &cheap()).unwrap();
        let verified = proof::verify_with(block.commitment(), &cheap(), &other).unwrap();
        assert_eq!(verified.calls, block.params().calls());
        assert!(proof::verify_with(block.commitment(), &gkr, &other).is_err());
        assert!(proof::verify_with(block.commitment(), &cheap(), &file).is_err());
    }
}

/// A shape is prepared once; three shapes are not kept.
#[test]
fn the_last_shapes_are_kept() {
    let params = |log_k| Params::new(HashWidth::W16, log_k, 0, 1, 1).unwrap();
    let prepare = |log_k| Prepared::<16, 20>::new(&params(log_k), &cheap()).unwrap();
    // Other tests prepare shapes at the same time and may drive one out.
    let again = |_| Arc::ptr_eq(&prepare(2), &prepare(2));
    assert!((0..1000).any(again), "a shape is prepared again each time");
    let first = prepare(2);
    for log_k in 3..3 + KEPT {
        drop(prepare(log_k));
    }
    assert!(PREPARED.lock().unwrap().len() <= KEPT);
    assert!(!Arc::ptr_eq(&first, &prepare(2)));
    // Another system is another shape.
    let other = System::insecure_for_tests(Parameters::insecure_for_tests(9, 1));
    let other = Prepared::<16, 20>::new(&params(2), &other).unwrap();
    assert_eq!(other.machine.parameters().num_queries(), 9);
}

fn bounded<const T: usize, const P: usize>(params: &Params)
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
{
    let system = System::for_rate(1).unwrap();
    let least = Prepared::<T, P>::new(params, &system).unwrap().machine.proof_bytes().0;
    let bound = least_bytes::<T, P>(params, &system);
    assert!(bound <= least && least < 3 * bound, "{params:?}: {bound}, {least}");
}

/// What is known beforehand is no more than a proof's length, and not much less.
#[test]
fn no_proof_is_shorter_than_the_bound() {
    for block in blocks() {
        at_width!(block, bounded(block.params()));
    }
}

/// A shape whose rows of words would not fit into a proof file, and what is said of it.
#[test]
fn shapes_beyond_a_file_are_refused() {
    let system = System::for_rate(1).unwrap();
    for hash in WIDTHS {
        let params = Params::new(hash, 3, 3, 1024, 1).unwrap();
        let block = Block::build(params, &[1]).unwrap();
        let refused = security(&params, &system).map(drop);
        assert!(matches!(refused, Err(Error::Air(Reject::Instance(_)))), "{refused:?}");
        let refused = proof::prove(&block, &system);
        assert!(matches!(refused, Err(Error::Air(Reject::Instance(_)))), "{refused:?}");
        let body = &vec![0; 4 << 20];
        let (membership, chain_step) = (0, 1);
        let file = ProofFile { system: system.id(), membership, chain_step, body }.encode();
        let refused = proof::verify(block.commitment(), &file);
        assert!(matches!(refused, Err(Error::Air(Reject::Truncated))), "{refused:?}");
    }
}

/// The transcript starts with the commitment: these numbers, these digests, and nothing else.
#[test]
fn a_statement_is_the_commitments_numbers_and_digests() {
    for hash in WIDTHS {
        let of_hash = block(hash, 4, 1, 3);
        let root = [F::TWO; DIGEST];
        let commitment = of_hash.commitment().clone().with_root(root);
        let len = of_hash.params().payload_len();
        let numbers = [hash.width() as u64, 4, 1, 3, len, 1];
        let mut expected = numbers.map(u64::to_le_bytes).concat();
        let digests = commitment.row_digests().iter().chain([commitment.root_col(), &root]);
        for word in digests.flatten() {
            expected.extend(word.as_canonical_u32().to_le_bytes());
        }
        let stated = Stated::new(&commitment);
        assert_eq!(stated.bytes, expected);

        // And the tables' public values: z and the scales, zeros, initial values, digests.
        let params = of_hash.params();
        assert_eq!(stated.weights.point, membership::point(params, &root));
        let iv = [Domain::Cell, Domain::Row, Domain::Node].map(|domain| params.iv(domain));
        let blocks = [&[ABSENT][..], &iv, commitment.row_digests(), &[*commitment.root_col()]];
        let blocks = blocks.concat().concat();
        assert_eq!(stated.public, [vec![], vec![], stated.weights.public_values(), blocks]);
    }
}

/// What a machine says of a proof of these traces.
fn verdict<const T: usize, const P: usize>(
    machine: &Machine<Table<T, P>>,
    stated: &Stated,
    traces: &[RowMajorMatrix<F>],
) -> Result<(), Reject>
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
{
    let proof = Table::prove(machine, &stated.bytes, traces, &stated.public).unwrap();
    Table::verify(machine, &stated.bytes, &stated.public, &proof)
}

fn cheated<const T: usize, const P: usize>(block: &Block)
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
    Poseidon2<T>: Permutation<T>,
{
    let prepared = Prepared::<T, P>::new(block.params(), &cheap()).unwrap();
    let stated = Stated::new(block.commitment());
    let honest = witness::traces(block, &prepared.tables, &stated.weights);
    let call = Poseidon2Calls::<T, P>::CALL_COLUMNS;
    let refused_by = |what: &str, reasons: &[Reject], forge: &dyn Fn(&mut [Vec<F>])| {
        let mut values: Vec<Vec<F>> = honest.iter().map(|trace| trace.values.clone()).collect();
        forge(&mut values);
        let traces = values.into_iter().zip(&honest);
        let traces: Vec<_> =
            traces.map(|(values, honest)| RowMajorMatrix::new(values, honest.width)).collect();
        assert!(traces != honest, "{what}");
        let verdict = verdict(&prepared.machine, &stated, &traces);
        let reason = verdict.unwrap_err();
        assert!(reasons.contains(&reason), "{:?}: {what}: {reason:?}", block.params());
    };
    let refused = |what: &str, reason: Reject, forge: &dyn Fn(&mut [Vec<F>])| {
        refused_by(what, &[reason], forge);
    };
    for (table, calls) in [&prepared.tables.chains, &prepared.tables.nodes].iter().enumerate() {
        let (schedule, constraints) = (calls.schedule(), Reject::Constraints { table });
        let idle = schedule.num_calls()..schedule.num_slots();
        assert!(!idle.is_empty(), "{:?}: table {table} has idle lanes", block.params());
        // Slots follow each other in a trace as calls do.
        let last = schedule.num_slots() - 1;
        // Its h should be the block of zeros, or the digest of the lane before.
        let reasons = [Reject::Bus, constraints.clone()];
        refused_by("an idle lane hashes what a call does", &reasons, &|traces| {
            traces[table].copy_within(..call, last * call);
        });
        refused("an idle lane hashes wrongly", constraints.clone(), &|traces| {
            traces[table][last * call + call - 1] += F::ONE;
        });
        refused("a call hashes wrongly", constraints, &|traces| {
            traces[table][call - 1] += F::ONE;
        });
        refused("two rows trade places", Reject::Bus, &|traces| {
            let width = schedule.lanes() * call;
            let (one, other) = traces[table].split_at_mut(width);
            one.swap_with_slice(&mut other[..width]);
        });
    }
    let run = prepared.tables.products.run();
    let sums = LIMBS * run;
    let words = sums + LIMBS * block.params().rows();
    let constraints = Reject::Constraints { table: 2 };
    refused("a weight is another", constraints.clone(), &|traces| traces[2][0] += F::ONE);
    refused("a sum starts elsewhere", constraints.clone(), &|traces| traces[2][sums] += F::ONE);
    refused("no word counts", constraints.clone(), &|traces| {
        let width = honest[2].width;
        traces[2].chunks_mut(width).for_each(|row| row[..words].fill(F::ZERO));
    });
    refused("a word is another", constraints, &|traces| traces[2][words] += F::ONE);
    refused("all words are zero", Reject::Bus, &|traces| {
        let width = honest[2].width;
        traces[2].chunks_mut(width).for_each(|row| row[sums..].fill(F::ZERO));
    });
    let public = Reject::Constraints { table: 3 };
    refused("the public table's column", public, &|traces| traces[3][0] = F::ONE);
}

/// Traces that are false in one place, where no block can lie: in idle lanes, in weights and
/// sums, between the tables.
#[test]
fn false_traces_are_refused() {
    for hash in WIDTHS {
        let block = block(hash, 5, 2, 5);
        at_width!(block, cheated(&block));
    }
}

fn summed<const T: usize, const P: usize>(block: &Block)
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
    Poseidon2<T>: Permutation<T>,
{
    let prepared = Prepared::<T, P>::new(block.params(), &cheap()).unwrap();
    let stated = Stated::new(block.commitment());
    let honest = witness::traces(block, &prepared.tables, &stated.weights);
    let (run, vectors) = (prepared.tables.products.run(), block.params().rows());
    let (width, height) = (honest[2].width, prepared.tables.products.height());
    // What is left of each row of the block after the last run.
    let last = honest[2].row_slice(height - 1).unwrap();
    let element = |words: &mut dyn Iterator<Item = F>| {
        let words: Vec<F> = words.collect();
        E::from_basis_coefficients_slice(&words).unwrap()
    };
    let rests: Vec<E> = (0..vectors)
        .map(|vector| {
            let sum = LIMBS * (run + vector);
            let words = LIMBS * (run + vectors + vector * run);
            let product = |b: usize| {
                let weight = element(&mut last[LIMBS * b..][..LIMBS].iter().copied());
                weight * element(&mut (0..LIMBS).map(|d| last[words + d * run + b]))
            };
            element(&mut last[sum..][..LIMBS].iter().copied()) + (0..run).map(product).sum::<E>()
        })
        .collect();
    assert!(rests.iter().any(|rest| *rest != E::ZERO));
    // As they are; all sums moved, so that they end at zero; the last ones alone.
    for rows in [0..0, 0..height, height - 1..height] {
        let mut traces = honest.clone();
        for row in rows.clone() {
            for (vector, rest) in rests.iter().enumerate() {
                let sum = row * width + LIMBS * (run + vector);
                let moved = traces[2].values[sum..][..LIMBS].iter_mut();
                let limbs: &[F] = rest.as_basis_coefficients_slice();
                moved.zip(limbs).for_each(|(word, &limb)| *word -= limb);
            }
        }
        let verdict = verdict(&prepared.machine, &stated, &traces);
        assert_eq!(verdict, Err(Reject::Constraints { table: 2 }), "{rows:?}");
    }
}

/// A row off the code, its sums not zero in the end, not at the beginning, and not each other's
/// continuation.
#[test]
fn sums_begin_and_end_at_zero() {
    for hash in WIDTHS {
        let honest = block(hash, 4, 1, 2);
        let params = *honest.params();
        let mut matrix = honest.matrix().to_vec();
        matrix[params.word_offset(1, 3) + 2] += F::ONE;
        let block = Block::commit(params, &matrix).unwrap();
        at_width!(block, summed(&block));
    }
}

fn bound<const T: usize, const P: usize>(block: &Block)
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
    Poseidon2<T>: Permutation<T>,
{
    let prepared = Prepared::<T, P>::new(block.params(), &cheap()).unwrap();
    let stated = Stated::new(block.commitment());
    let traces = witness::traces(block, &prepared.tables, &stated.weights);
    let proof = Table::prove(&prepared.machine, &stated.bytes, &traces, &stated.public).unwrap();
    let verify =
        |bytes: &[u8], public: &[Vec<F>]| Table::verify(&prepared.machine, bytes, public, &proof);
    verify(&stated.bytes, &stated.public).unwrap();
    for at in 0..stated.bytes.len() {
        let mut other = stated.bytes.clone();
        other[at] ^= 1;
        assert!(verify(&other, &stated.public).is_err(), "byte {at}");
    }
    for (table, values) in stated.public.iter().enumerate() {
        for at in 0..values.len() {
            let mut other = stated.public.clone();
            other[table][at] += F::ONE;
            assert!(verify(&stated.bytes, &other).is_err(), "table {table}, value {at}");
        }
    }
}

/// Each byte that the transcript starts with and each public value, changed alone.
#[test]
fn every_byte_of_a_statement_is_bound() {
    for hash in WIDTHS {
        let block = block(hash, 1, 0, 2);
        at_width!(block, bound(&block));
    }
}

fn with_other_tables<const T: usize, const P: usize>(block: &Block)
where
    Rounds<T, P>: Width<T, P>,
    Table<T, P>: Compiled,
    Poseidon2<T>: Permutation<T>,
{
    let params = block.params();
    let prepared = Prepared::<T, P>::new(params, &cheap()).unwrap();
    let stated = Stated::new(block.commitment());
    let mut tables = prepared.tables.clone();
    let Shape { vectors, multipliers, mut rows, blocks } = tables.products.shape().clone();
    // The last run's points are 0, so its weights are.
    rows.last_mut().unwrap().0 = F::ZERO;
    tables.products = InnerProduct::new(Shape { vectors, multipliers, rows, blocks });
    let machine = Table::prepare(tables.all(), cheap().parameters()).unwrap();
    let traces = witness::traces(block, &tables, &stated.weights);
    let proof = Table::prove(&machine, &stated.bytes, &traces, &stated.public).unwrap();
    assert_eq!(Table::verify(&machine, &stated.bytes, &stated.public, &proof), Ok(()));
    assert!(Table::verify(&prepared.machine, &stated.bytes, &stated.public, &proof).is_err());
}

/// A prover whose tables do not look at the last run of symbols, and a block that is zero but
/// for a symbol there, which is off the code: its proof is good for its tables. The verifier has
/// its own.
#[test]
fn a_prover_does_not_choose_the_tables() {
    for hash in WIDTHS {
        let params = Params::new(hash, 4, 2, 2, 1).unwrap();
        let mut matrix = F::zero_vec(params.matrix_words());
        matrix[params.word_offset(1, 0) + params.columns() - 1] = F::ONE;
        let block = Block::commit(params, &matrix).unwrap();
        at_width!(block, with_other_tables(&block));
    }
}
