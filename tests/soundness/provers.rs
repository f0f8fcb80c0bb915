//! Cheating provers, region by region: the public prover, unmodified, on a false witness. Each
//! proof must be refused, and by the check that the falsehood violates.

use airda::params::HashWidth;
use airda::proof;
use airda::relation::Relation;
use airda::{Block, Commitment, F, Params};
use airda_gkr::calls::{CallTable, Source};
use airda_gkr::permutation::{DIGEST, Permutation, Poseidon2};
use p3_field::PrimeCharacteristicRing;

use crate::common::{WIDTHS, instance, prove, verify};
use crate::support::{SHAPE, honest, refused, refused_in_both_modes, systems};

/// Where every kind of call has its digests: the first word of each piece's first column, with
/// the piece's size.
pub(crate) fn digest_places(params: &Params) -> Vec<(usize, usize)> {
    fn at<const T: usize>(params: &Params) -> Vec<(usize, usize)>
    where
        Poseidon2<T>: Permutation<T>,
    {
        let relation = Relation::<T>::new(params);
        let table = relation.table();
        (0..table.pieces().len())
            .map(|piece| (table.digest(piece, 0), table.pieces()[piece].size()))
            .collect()
    }
    match params.hash() {
        HashWidth::W16 => at::<16>(params),
        HashWidth::W24 => at::<24>(params),
    }
}

#[test]
fn the_honest_block_is_accepted() {
    for hash in WIDTHS {
        let block = honest(hash);
        for system in systems() {
            let file = proof::prove(&block, &system).unwrap();
            let _ = proof::verify_with(block.commitment(), &system, &file).unwrap();
        }
    }
}

/// Words changed after hashing, in every row and both halves: digests and words disagree.
#[test]
fn one_wrong_cell_word_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        for (row, word, column) in [(0, 0, 0), (1, 3, 5), (2, 9, params.columns() - 1)] {
            let mut words = block.words().to_vec();
            words[params.word_offset(row, word) + column] += F::ONE;
            refused(&Block::from_words_unchecked(*params, words).unwrap());
        }
    }
}

/// One digest changed in every region: cell steps, column-tree nodes, row chains, root tree.
/// The commitment speaks of the changed digests where they are public.
#[test]
fn one_wrong_digest_in_any_piece_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        for (start, size) in digest_places(block.params()) {
            for row in [0, size - 1] {
                let mut words = block.words().to_vec();
                words[start + row] += F::ONE;
                refused(&Block::from_words_unchecked(*block.params(), words).unwrap());
            }
        }
    }
}

/// A region of the call table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    Cells,
    ColumnTrees,
    RowChains,
    RootTree,
}

/// The pieces of every region.
fn regions<const T: usize>(params: &Params, table: &CallTable<T>) -> Vec<(Region, Vec<usize>)> {
    let cells = params.cell_words().div_ceil(T - DIGEST) * params.rows();
    let (mut nodes, mut level) = (0, params.rows());
    while level > 1 {
        level = level.div_ceil(2);
        nodes += level;
    }
    let chained = |piece: usize| {
        let inputs = &table.pieces()[piece].inputs;
        inputs.iter().any(|source| matches!(source, Source::Shifted { .. }))
    };
    let region = |piece: usize| match piece {
        _ if piece < cells => Region::Cells,
        _ if piece < cells + nodes => Region::ColumnTrees,
        _ if chained(piece) => Region::RowChains,
        _ => Region::RootTree,
    };
    [Region::Cells, Region::ColumnTrees, Region::RowChains, Region::RootTree]
        .map(|wanted| {
            (wanted, (0..table.pieces().len()).filter(|&p| region(p) == wanted).collect())
        })
        .to_vec()
}

/// Changes a digest word of row `x` of a piece and hashes all that comes after it anew: every
/// call is right but one.
fn one_false_call<const T: usize>(
    table: &CallTable<T>,
    words: &[F],
    piece: usize,
    x: usize,
) -> Vec<F>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut words = words.to_vec();
    words[table.digest(piece, 3) + x] += F::ONE;
    for (later, of) in table.pieces().iter().enumerate().skip(piece) {
        let first = if later == piece { x + 1 } else { 0 };
        for x in first..of.size() {
            let state = of.inputs.map(|source| match source {
                Source::Constant(value) => value,
                Source::Block { start } => words[start + x],
                Source::Interleaved { start, child } => words[start + 2 * x + child],
                Source::Shifted { first, .. } if x == 0 => first,
                Source::Shifted { start, .. } => words[start + x - 1],
                Source::Affine { .. } => unreachable!("the relation has no sums"),
            });
            let h = state[..DIGEST].try_into().unwrap();
            let digest = Poseidon2::<T>::compress(&h, &state[DIGEST..]);
            for (v, word) in digest.into_iter().enumerate() {
                words[table.digest(later, v) + x] = word;
            }
        }
    }
    words
}

/// One false call in each region: its first and its last piece, the first and the last row.
/// All that is public follows from the false digest.
pub(crate) fn one_false_call_of_every_region(block: &Block, refused: impl Fn(Vec<F>)) {
    fn at<const T: usize>(block: &Block, refused: impl Fn(Vec<F>))
    where
        Poseidon2<T>: Permutation<T>,
    {
        let relation = Relation::<T>::new(block.params());
        let table = relation.table();
        for (region, pieces) in regions(block.params(), table) {
            assert!(!pieces.is_empty(), "{region:?}");
            for piece in [pieces[0], pieces[pieces.len() - 1]] {
                for x in [0, table.pieces()[piece].size() - 1] {
                    refused(one_false_call(table, block.words(), piece, x));
                }
            }
        }
    }
    match block.params().hash() {
        HashWidth::W16 => at::<16>(block, refused),
        HashWidth::W24 => at::<24>(block, refused),
    }
}

#[test]
fn one_false_call_in_any_region_is_refused_though_all_follows_from_it() {
    for hash in WIDTHS {
        let block = honest(hash);
        one_false_call_of_every_region(&block, |words| {
            refused(&Block::from_words_unchecked(*block.params(), words).unwrap());
        });
    }
}

/// The same at every step of a cell's chain of many, whichever of its values are committed.
#[test]
fn one_wrong_chaining_value_is_refused_though_all_follows_from_it() {
    fn check<const T: usize>(hash: HashWidth)
    where
        Poseidon2<T>: Permutation<T>,
    {
        let (params, payload) = instance(hash, 5, 4, 3, 1);
        let block = Block::build(params, &payload).unwrap();
        let relation = Relation::<T>::new(&params);
        let steps = params.cell_words().div_ceil(T - DIGEST);
        for step in [0, 1, 2, steps - 2, steps - 1] {
            let piece = step * params.rows() + 1;
            let words = one_false_call(relation.table(), block.words(), piece, 2);
            refused(&Block::from_words_unchecked(params, words).unwrap());
        }
    }
    check::<16>(HashWidth::W16);
    check::<24>(HashWidth::W24);
}

/// A true block under public digests that are not its own: of every row, and of the columns.
#[test]
fn item_13_public_digests_that_the_calls_do_not_give_are_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let claim = |row_digests: Vec<_>, root_col| {
            let commitment = Commitment::new(*block.params(), row_digests, root_col).unwrap();
            refused_in_both_modes(&block.clone().claiming_unchecked(commitment));
        };
        let (rows, root_col) = (block.commitment().row_digests(), *block.commitment().root_col());
        for row in 0..rows.len() {
            let mut forged = rows.to_vec();
            forged[row][row] += F::ONE;
            claim(forged, root_col);
        }
        for word in [0, DIGEST - 1] {
            let mut forged = root_col;
            forged[word] += F::ONE;
            claim(rows.to_vec(), forged);
        }
    }
}

/// A row that is hashed correctly and no codeword, in the payload half and in the parity half.
#[test]
fn one_row_off_the_code_is_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        for (row, column) in [(0, 1), (1, 0), (1, params.half()), (2, params.columns() - 1)] {
            for limb in 0..5 {
                let mut matrix = block.matrix().to_vec();
                matrix[params.word_offset(row, limb * params.c()) + column] += F::ONE;
                refused(&Block::commit(*params, &matrix).unwrap());
            }
        }
    }
}

/// Two columns swapped before hashing (no codewords any more), and their digests swapped after
/// it (the tree no longer fits).
#[test]
fn swapped_columns_are_refused() {
    for hash in WIDTHS {
        let block = honest(hash);
        let params = block.params();
        let mut matrix = block.matrix().to_vec();
        for run in matrix.chunks_mut(params.columns()) {
            run.swap(2, 3);
        }
        refused(&Block::commit(*params, &matrix).unwrap());

        let mut words = block.words().to_vec();
        for run in words[..params.matrix_words()].chunks_mut(params.columns()) {
            run.swap(2, 3);
        }
        refused(&Block::from_words_unchecked(*params, words).unwrap());
    }
}

/// A true proof for another commitment, and every public field changed under a true proof.
#[test]
fn a_proof_holds_for_its_own_commitment_only() {
    for hash in WIDTHS {
        let (log_k, log_c, rows) = SHAPE;
        let block = honest(hash);
        let file = prove(&block);
        let (params, payload) = instance(hash, log_k, log_c, rows, 2);
        let other = Block::build(params, &payload).unwrap();
        assert!(verify(&other, &file).is_err());

        // The same words under another payload length: another root, another p.
        let params = Params::new(hash, log_k, log_c, rows, params.payload_len() + 1).unwrap();
        let renamed = Block::from_words_unchecked(params, block.words().to_vec()).unwrap();
        assert!(verify(&renamed, &file).is_err());
    }
}
