//! What is proved: which calls make the commitment, and how they are wired.
//!
//! For every row i and column j: `e[i,j] = H(cell; W[i,j])`, `r_i = H(row; e[i, payload half])`,
//! `C_j = Merkle(e[1..n, j])`, `root_col = Merkle(C_1..C_ℓ)`, and every row is a codeword. The
//! verifier recomputes `root_row = Merkle(r_1..r_n)` and `root = H(root; root_row ‖ root_col)`.
//!
//! # Pieces
//! In descending size, ties in this order:
//! - cells: ℓ calls (a column each) for every step of the chain over a cell's 5c words, and in
//!   it for every row; of the steps every g-th is committed, counted from the last, the others
//!   are [transient](airda_gkr::calls);
//! - column trees: ℓ calls for every node over the rows, level by level;
//! - row chains: ⌈8h/q⌉ calls for every row, h = ℓ/2;
//! - the column-root tree: ℓ/2, ℓ/4, …, 1 calls.

#![deny(clippy::arithmetic_side_effects)]

use std::array;

use airda_gkr::calls::{CallTable, Layout, Source};
use airda_gkr::form::{Equation, Equations, Term};
use airda_gkr::permutation::{DIGEST, Digest, Permutation, Poseidon2};
use airda_gkr::{E, F};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

use crate::code::membership::MembershipVector;
use crate::hash::{ABSENT, Domain};
use crate::params::{LIMBS, Params};

/// The call table of a commitment, and where its public digests lie.
#[derive(Clone, Debug)]
pub struct Relation<const T: usize> {
    params: Params,
    table: CallTable<T>,
    /// For every cell step, every row's piece: the last step's digests are the cells'.
    cells: Vec<Vec<usize>>,
    /// The column trees, level by level from the cells up to the piece of the column roots C_j.
    column_levels: Vec<Vec<usize>>,
    /// Every row's chain.
    chains: Vec<usize>,
    /// The column-root tree, level by level from the column roots up to the root.
    root_levels: Vec<usize>,
}

/// g: of the chaining values of a cell's hash, every g-th is committed, the last among them.
///
/// A larger g leaves fewer words to commit to and makes g walks of one, some 43 KiB each. With
/// g = 3 a row's limbs are not weighed alike, and the linear form takes several times as long.
/// What was measured stands at [`System`](crate::proof::System).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChainStep(u8);

impl ChainStep {
    /// g = 1: every chaining value is committed.
    pub const EVERY: Self = Self(1);
    /// The largest supported.
    pub const MAX: u8 = 4;

    /// g, if it is between 1 and [`Self::MAX`].
    pub const fn new(g: u8) -> Option<Self> {
        if g == 0 || g > Self::MAX { None } else { Some(Self(g)) }
    }

    /// g.
    pub const fn get(self) -> usize {
        self.0 as usize
    }

    /// The number that names it in files and transcripts.
    pub const fn id(self) -> u8 {
        self.0
    }
}

impl Default for ChainStep {
    fn default() -> Self {
        Self::EVERY
    }
}

/// The eight sources of a digest that is one call of a piece.
type DigestSource = [Source; DIGEST];

impl<const T: usize> Relation<T>
where
    Poseidon2<T>: Permutation<T>,
{
    /// The table for these parameters; all digests are committed.
    ///
    /// # Panics
    /// When the parameters' hash has another width than T.
    pub fn new(params: &Params) -> Self {
        Self::with_chain_step(params, ChainStep::EVERY)
    }

    /// The same, with that choice of the cells' chaining values to commit to.
    ///
    /// # Panics
    /// When the parameters' hash has another width than T.
    pub fn with_chain_step(params: &Params, chain_step: ChainStep) -> Self {
        assert_eq!(params.hash().width(), T, "the relation is built at the parameters' width");
        let mut table = CallTable::new(params.matrix_words());
        let cells = push_cells(params, chain_step, &mut table);
        let column_levels = push_column_trees(params, &mut table, &last(&cells)[..]);

        // Row chains and the column-root tree share sizes; the larger piece comes first.
        let log_half = params.half().ilog2() as usize;
        let log_chain = if T == 24 { log_half.saturating_sub(1) } else { log_half };
        let mut root_levels = vec![last(&column_levels)[0]];
        for log_level in (0..=log_half).rev().take_while(|&log_level| log_level > log_chain) {
            push_root_level(params, &mut table, &mut root_levels, log_level);
        }
        let chains = push_row_chains(params, &mut table, &last(&cells)[..], log_chain);
        for log_level in (0..=log_chain).rev() {
            push_root_level(params, &mut table, &mut root_levels, log_level);
        }
        Self { params: *params, table, cells, column_levels, chains, root_levels }
    }

    /// The call table.
    pub const fn table(&self) -> &CallTable<T> {
        &self.table
    }

    /// How many calls there are of cells, of column trees, of row chains and of the column-root
    /// tree. A single row has no column trees.
    pub fn calls_by_kind(&self) -> [usize; 4] {
        let pieces = self.table.pieces();
        let calls = |of: &[usize]| -> usize { of.iter().map(|&piece| pieces[piece].size()).sum() };
        let all = |levels: &[Vec<usize>]| -> usize { levels.iter().map(|of| calls(of)).sum() };
        // The trees' first levels are their leaves.
        let (nodes, roots) = (self.column_levels.get(1..), self.root_levels.get(1..));
        let trees = [all(nodes.unwrap_or_default()), calls(roots.unwrap_or_default())];
        [all(&self.cells), trees[0], calls(&self.chains), trees[1]]
    }

    /// Cell digest e[row, column] in the committed words.
    ///
    /// # Panics
    /// When the row, the column or the words are out of range.
    pub fn cell_digest(&self, words: &[F], row: usize, column: usize) -> Digest {
        self.digest_in(words, last(&self.cells)[row], column)
    }

    /// The chaining value behind step `step` of the hash of cell [row, column]; every one has to
    /// be committed.
    ///
    /// # Panics
    /// When an index or the words are out of range.
    pub fn cell_step(&self, words: &[F], step: usize, row: usize, column: usize) -> Digest {
        self.digest_in(words, self.cells[step][row], column)
    }

    /// The chaining value behind step `step` of the hash of a row.
    ///
    /// # Panics
    /// When an index or the words are out of range.
    pub fn row_step(&self, words: &[F], step: usize, row: usize) -> Digest {
        self.digest_in(words, self.chains[row], step)
    }

    /// Node `node` of level `level` of a column's tree, level 0 being the column's cells.
    ///
    /// # Panics
    /// When an index or the words are out of range.
    pub fn column_node(&self, words: &[F], level: usize, node: usize, column: usize) -> Digest {
        self.digest_in(words, self.column_levels[level][node], column)
    }

    /// Node `node` of level `level` of the tree over the column roots, which are level 0.
    ///
    /// # Panics
    /// When an index or the words are out of range.
    pub fn root_node(&self, words: &[F], level: usize, node: usize) -> Digest {
        self.digest_in(words, self.root_levels[level], node)
    }

    /// Column root C_j in the committed words.
    ///
    /// # Panics
    /// When the column or the words are out of range.
    pub fn column_root(&self, words: &[F], column: usize) -> Digest {
        self.digest_in(words, last(&self.column_levels)[0], column)
    }

    /// Row digest r_i in the committed words.
    ///
    /// # Panics
    /// When the row or the words are out of range.
    pub fn row_digest(&self, words: &[F], row: usize) -> Digest {
        array::from_fn(|v| words[self.row_digest_at(row, v)])
    }

    /// root_col in the committed words.
    ///
    /// # Panics
    /// When the words are too few.
    pub fn root_col(&self, words: &[F]) -> Digest {
        array::from_fn(|v| words[self.table.digest(*last(&self.root_levels), v)])
    }

    /// The digest that a piece has in its row x.
    fn digest_in(&self, words: &[F], piece: usize, x: usize) -> Digest {
        array::from_fn(|v| words[self.table.digest(piece, v)..][x])
    }

    fn row_digest_at(&self, row: usize, v: usize) -> usize {
        let chain = self.chains[row];
        // The last of its rows: the word lies before the table's end.
        let last = self.table.pieces()[chain].size().wrapping_sub(1);
        self.table.digest(chain, v).wrapping_add(last)
    }

    /// What the committed words must fulfil beyond the calls: the public digests stand where the
    /// calls put them, and every row is orthogonal to the membership vector, if there is one.
    ///
    /// # Panics
    /// When there is not one row digest a row, or a membership vector for a layout that does
    /// not commit to the whole matrix.
    pub fn equations<'a>(
        &self,
        layout: &Layout<'_>,
        row_digests: &[Digest],
        root_col: &Digest,
        membership: Option<&'a MembershipVector>,
    ) -> Equations<'a> {
        assert_eq!(row_digests.len(), self.params.rows());
        assert!(membership.is_none() || layout.code().is_none(), "L weighs whole rows");
        let mut equations = Equations::new();
        if let Some(vector) = membership {
            self.push_membership(vector, &mut equations);
        }
        let mut public = |start: usize, value: F| {
            let start = layout.digest(start);
            let term = Term { start, vector: Equations::UNIT, coefficient: E::ONE };
            equations.push(Equation { terms: vec![term], value: value.into() });
        };
        for (row, digest) in row_digests.iter().enumerate() {
            for (v, &word) in digest.iter().enumerate() {
                public(self.row_digest_at(row, v), word);
            }
        }
        for (v, &word) in root_col.iter().enumerate() {
            public(self.table.digest(*last(&self.root_levels), v), word);
        }
        equations
    }

    /// How many equations there are: the words of the row digests and of root_col, and by vector
    /// a product a row.
    pub(crate) fn num_equations(&self, by_vector: bool) -> usize {
        let rows = self.params.rows();
        let digests = rows.saturating_add(1).saturating_mul(DIGEST);
        if by_vector { digests.saturating_add(rows) } else { digests }
    }

    /// ⟨L, w_i⟩ = 0 for every row i.
    fn push_membership<'a>(&self, membership: &'a MembershipVector, equations: &mut Equations<'a>) {
        let vectors: Vec<usize> =
            (0..self.params.c()).map(|sym| equations.vector(membership.for_symbol(sym))).collect();
        for row in 0..self.params.rows() {
            let mut terms = Vec::with_capacity(self.params.cell_words());
            for limb in 0..LIMBS {
                // The limb's basis element X^limb.
                let coefficient = E::from_basis_coefficients_fn(|d| F::from_bool(d == limb));
                for (sym, &vector) in vectors.iter().enumerate() {
                    let start = self.params.word_offset(row, limb << self.params.log_c() | sym);
                    terms.push(Term { start, vector, coefficient });
                }
            }
            equations.push(Equation { terms, value: E::ZERO });
        }
    }
}

/// The sources of a call: the chaining value, then the message, zeros at its end.
fn call<const T: usize>(h: DigestSource, message: &[Source]) -> [Source; T] {
    array::from_fn(|v| match v.checked_sub(DIGEST) {
        None => h[v],
        Some(word) => message.get(word).copied().unwrap_or(Source::Constant(F::ZERO)),
    })
}

/// A tree node of two digests.
fn node<const T: usize>(params: &Params, left: DigestSource, right: DigestSource) -> [Source; T] {
    if T == 16 {
        call(left, &right)
    } else {
        call(constant(&params.iv(Domain::Node)), &[left, right].concat())
    }
}

fn constant(digest: &Digest) -> DigestSource {
    digest.map(Source::Constant)
}

/// A piece's digests, row by row.
fn digests<const T: usize>(table: &CallTable<T>, piece: usize) -> DigestSource {
    array::from_fn(|v| Source::Block { start: table.digest(piece, v) })
}

/// A piece's digests in the even (0) or odd (1) rows.
fn children<const T: usize>(table: &CallTable<T>, piece: usize, child: usize) -> DigestSource {
    array::from_fn(|v| Source::Interleaved { start: table.digest(piece, v), child })
}

/// The last of those there are; there is one.
fn last<X>(levels: &[X]) -> &X {
    levels.last().expect("a level")
}

/// Every cell's chain; returns every step's pieces.
fn push_cells<const T: usize>(
    params: &Params,
    chain_step: ChainStep,
    table: &mut CallTable<T>,
) -> Vec<Vec<usize>>
where
    Poseidon2<T>: Permutation<T>,
{
    let rate = Poseidon2::<T>::RATE;
    let mut steps: Vec<Vec<usize>> = Vec::new();
    let words = params.cell_words();
    // How many steps come after each.
    let after = (0..words.div_ceil(rate)).rev();
    for (start, after) in (0..words).step_by(rate).zip(after) {
        let committed = after.is_multiple_of(chain_step.get());
        let pieces = (0..params.rows())
            .map(|row| {
                let h = match steps.last() {
                    None => constant(&params.iv(Domain::Cell)),
                    Some(previous) => digests(table, previous[row]),
                };
                let message: Vec<Source> = (start..words)
                    .take(rate)
                    .map(|word| Source::Block { start: params.word_offset(row, word) })
                    .collect();
                let inputs = call(h, &message);
                if committed {
                    table.push(params.log_columns(), inputs)
                } else {
                    table.push_transient(params.log_columns(), inputs)
                }
            })
            .collect();
        steps.push(pieces);
    }
    steps
}

/// The trees over the rows of all columns at once; returns the levels from the cells to the roots.
fn push_column_trees<const T: usize>(
    params: &Params,
    table: &mut CallTable<T>,
    cells: &[usize],
) -> Vec<Vec<usize>> {
    let mut levels = vec![cells.to_vec()];
    while last(&levels).len() > 1 {
        let level = last(&levels)
            .chunks(2)
            .map(|pair| {
                let left = digests(table, pair[0]);
                let right = pair.get(1).map_or(constant(&ABSENT), |&piece| digests(table, piece));
                table.push(params.log_columns(), node(params, left, right))
            })
            .collect();
        levels.push(level);
    }
    levels
}

/// The chains over the payload half's cell digests.
fn push_row_chains<const T: usize>(
    params: &Params,
    table: &mut CallTable<T>,
    cells: &[usize],
    log_size: usize,
) -> Vec<usize> {
    let iv = params.iv(Domain::Row);
    let push = |&cells: &usize| {
        let h = array::from_fn(|v| Source::Shifted {
            first: iv[v],
            start: table.next_digest(log_size, v),
        });
        // One digest a call at width 16 (and where there is but one), else two.
        let message = if T == 16 || params.half() == 1 {
            digests(table, cells).to_vec()
        } else {
            [children(table, cells, 0), children(table, cells, 1)].concat()
        };
        table.push(log_size, call(h, &message))
    };
    cells.iter().map(push).collect()
}

/// One level more of the tree over the column roots.
fn push_root_level<const T: usize>(
    params: &Params,
    table: &mut CallTable<T>,
    levels: &mut Vec<usize>,
    log_size: usize,
) {
    let below = *last(levels);
    let inputs = node(params, children(table, below, 0), children(table, below, 1));
    levels.push(table.push(log_size, inputs));
}

#[cfg(all(test, feature = "prover"))]
#[allow(clippy::arithmetic_side_effects)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::params::HashWidth;

    fn check<const T: usize>(hash: HashWidth, log_k: usize, log_c: usize, rows: usize)
    where
        Poseidon2<T>: Permutation<T>,
    {
        let params = Params::new(hash, log_k, log_c, rows, 1).unwrap();
        let relation = Relation::<T>::new(&params);
        let mut rng = StdRng::seed_from_u64(1);
        assert_eq!(relation.table().num_calls(), params.calls());
        assert_eq!(relation.table().num_words(), params.committed_words());
        let mut words: Vec<F> = (0..params.matrix_words()).map(|_| rng.random()).collect();
        words.resize(relation.table().num_words(), F::ZERO);
        relation.table().evaluate(&mut words);

        // Everything again, by the definitions of the hash.
        let cell = |row: usize, column: usize| {
            let cell: Vec<F> = (0..params.cell_words())
                .map(|word| words[params.word_offset(row, word) + column])
                .collect();
            params.digest(Domain::Cell, &cell)
        };
        let cells: Vec<Vec<Digest>> = (0..rows)
            .map(|row| (0..params.columns()).map(|column| cell(row, column)).collect())
            .collect();
        for (row, cells) in cells.iter().enumerate() {
            for (column, digest) in cells.iter().enumerate() {
                assert_eq!(relation.cell_digest(&words, row, column), *digest);
            }
            let expected = params.digest(Domain::Row, &cells[..params.half()].concat());
            assert_eq!(relation.row_digest(&words, row), expected);
        }
        let roots: Vec<Digest> = (0..params.columns())
            .map(|column| {
                let leaves: Vec<Digest> = cells.iter().map(|row| row[column]).collect();
                params.merkle_root(&leaves)
            })
            .collect();
        for (column, root) in roots.iter().enumerate() {
            assert_eq!(relation.column_root(&words, column), *root);
        }
        assert_eq!(relation.root_col(&words), params.merkle_root(&roots));
    }

    #[test]
    fn the_table_computes_the_hash() {
        for (log_k, log_c) in [(0, 0), (1, 0), (1, 1), (3, 1), (5, 0), (6, 2), (8, 3)] {
            for rows in [1, 2, 3, 5, 6] {
                check::<16>(HashWidth::W16, log_k, log_c, rows);
                check::<24>(HashWidth::W24, log_k, log_c, rows);
            }
        }
    }

    /// At k = 16384, c = 32, n = 14 and width 16: 20 steps of a cell's chain in 14 rows, 14 nodes
    /// of a column's tree (7 + 4 + 2 + 1), 512 steps of a row's chain, 1023 nodes above.
    #[test]
    fn the_table_has_one_row_a_call() {
        let params = Params::new(HashWidth::W16, 14, 5, 14, 1).unwrap();
        let relation = Relation::<16>::new(&params);
        let calls = [20 * 14 * 1024, 14 * 1024, 14 * 512, 1023];
        assert_eq!(relation.calls_by_kind(), calls);
        assert_eq!(relation.table().num_calls(), calls.iter().sum::<usize>());
        let params = Params::new(HashWidth::W24, 14, 5, 14, 1).unwrap();
        let relation = Relation::<24>::new(&params);
        let calls = [10 * 14 * 1024, 14 * 1024, 14 * 256, 1023];
        assert_eq!(relation.calls_by_kind(), calls);
        assert_eq!(relation.table().num_calls(), calls.iter().sum::<usize>());
    }
}
