//! The relation as tables: which call hashes what, and where its words come from.
//!
//! The same calls as in [`relation`](crate::relation), in two tables: chains (cells, rows) and
//! tree nodes (columns, root). Every cell word is a word of the table of inner products. Blocks
//! of 8 words have addresses, in this order: the block of zeros, which completes odd levels and
//! short messages; the initial values of cells, rows and nodes; the words of the cells, row by
//! row, ⌈5c/8⌉ blocks each; the cells' digests, row by row; the row digests; what chains and
//! trees pass on.
//!
//! Nothing here is read from a file but the parameters, and these are bounded.

use std::ops::Range;

use airda_air::Table;
use airda_air::buses::{Address, Ledger};
use airda_air::calls::{Poseidon2, Poseidon2Calls, ScheduleBuilder, Width};
use airda_air::inner_product::{InnerProduct, Shape};
use airda_air::public_blocks::{PublicBlocks, Role};
use airda_gkr::F;
use airda_gkr::permutation::DIGEST;
use p3_field::{PrimeCharacteristicRing, TwoAdicField};
use p3_util::reverse_bits_len;

use crate::params::{LIMBS, Params};

/// The block of zeros.
const ZERO: Address = Ledger::ZERO;
/// The initial values.
const IV_CELL: Address = 1;
const IV_ROW: Address = 2;
const IV_NODE: Address = 3;
/// The first address of cell words.
const WORDS: usize = 4;
/// The most calls in a row. More of them prove faster, for fewer lanes start and end chains, and
/// every query opens a row of each table: for the few nodes, short rows save bytes.
const CHAIN_LANES: usize = 20;
const NODE_LANES: usize = 3;
/// Rows of the table of chains, at least: what FRI proves of shorter words falls short of the
/// target.
const MIN_ROWS: usize = 1 << 8;
/// The most symbols in a row of the table of inner products, a whole number of blocks.
const MAX_RUN: usize = DIGEST;

/// The tables of a shape.
#[derive(Clone, Debug)]
pub struct Tables<const T: usize, const P: usize>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// The chains over cells and rows.
    pub chains: Poseidon2Calls<T, P>,
    /// The nodes of the trees over columns and of the tree over their roots.
    pub nodes: Poseidon2Calls<T, P>,
    /// ⟨L, w_i⟩ = 0 for every row i.
    pub products: InnerProduct,
    /// Initial values, row digests and root_col.
    pub public: PublicBlocks,
}

impl<const T: usize, const P: usize> Tables<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// The tables of these parameters; the payload's length does not enter.
    ///
    /// # Panics
    /// When the parameters' hash has another width than T.
    pub fn new(params: &Params) -> Self {
        assert_eq!(params.hash().width(), T, "the tables are built at the parameters' width");
        let places = Places::new(params);
        let mut ledger = Ledger::new(places.end());
        let (chains, mut claimed) = places.chains(&mut ledger);
        let (nodes, root) = places.nodes(&mut ledger);
        claimed.push(root);
        claimed.iter().for_each(|&address| ledger.read(address));
        let (chains, nodes) = (chains.finish(&mut ledger), nodes.finish(&mut ledger));

        let given = |address| (address, Role::Given { readers: ledger.readers(address) });
        let claimed = claimed.into_iter().map(|address| (address, Role::Claimed));
        let public = PublicBlocks::new((ZERO..WORDS as Address).map(given).chain(claimed));
        Self {
            chains: Poseidon2Calls::new(chains),
            nodes: Poseidon2Calls::new(nodes),
            products: InnerProduct::new(places.products()),
            public,
        }
    }

    /// Main columns of all tables but the public blocks', known without making any.
    pub(super) fn columns(params: &Params) -> usize {
        let calls = chain_lanes(params) + node_lanes(params);
        let (run, rows) = (run(params), params.rows());
        calls * Poseidon2Calls::<T, P>::CALL_COLUMNS + LIMBS * (run + rows + run * rows)
    }

    /// All of them with their heights, in the order they are proved in.
    pub fn all(&self) -> Vec<(Table<T, P>, usize)> {
        let tables = [
            Table::Calls(self.chains.clone()),
            Table::Calls(self.nodes.clone()),
            Table::InnerProduct(self.products.clone()),
            Table::Public(self.public.clone()),
        ];
        let with_height = |table: Table<T, P>| {
            let height = table.height();
            (table, height)
        };
        tables.into_iter().map(with_height).collect()
    }
}

/// Where blocks stand.
struct Places<'a> {
    params: &'a Params,
    /// Blocks in a cell, ⌈5c/8⌉.
    cell_blocks: usize,
    /// Blocks in a call's message.
    message_blocks: usize,
    /// The first cell digest's address, and the first row digest's.
    digests: usize,
    row_digests: usize,
}

impl<'a> Places<'a> {
    fn new(params: &'a Params) -> Self {
        let cells = params.rows() * params.columns();
        let cell_blocks = params.cell_words().div_ceil(DIGEST);
        let digests = WORDS + cells * cell_blocks;
        let message_blocks = params.hash().rate() / DIGEST;
        Self { params, cell_blocks, message_blocks, digests, row_digests: digests + cells }
    }

    /// Addresses that are known beforehand.
    const fn end(&self) -> usize {
        self.row_digests + self.params.rows()
    }

    /// The words of a cell.
    const fn words(&self, row: usize, column: usize) -> Range<usize> {
        let start = WORDS + (row * self.params.columns() + column) * self.cell_blocks;
        start..start + self.cell_blocks
    }

    /// The digests of the first cells of a row.
    const fn cell_digests(&self, row: usize, count: usize) -> Range<usize> {
        let start = self.digests + row * self.params.columns();
        start..start + count
    }

    const fn row_digest(&self, row: usize) -> Address {
        (self.row_digests + row) as Address
    }

    /// The chains over cells, row by row, then over rows; and the row digests.
    fn chains(&self, ledger: &mut Ledger) -> (ScheduleBuilder, Vec<Address>) {
        let params = self.params;
        let chains = ScheduleBuilder::new(chain_lanes(params), self.message_blocks);
        let mut chains = chains.with_min_rows(MIN_ROWS);
        for row in 0..params.rows() {
            for (column, digest) in self.cell_digests(row, params.columns()).enumerate() {
                let message = self.message(self.words(row, column));
                let message = message.chunks_exact(self.message_blocks);
                chains.chain(ledger, IV_CELL, message, digest as Address);
            }
        }
        for row in 0..params.rows() {
            let message = self.message(self.cell_digests(row, params.half()));
            let message = message.chunks_exact(self.message_blocks);
            chains.chain(ledger, IV_ROW, message, self.row_digest(row));
        }
        (chains, (0..params.rows()).map(|row| self.row_digest(row)).collect())
    }

    /// The trees over all columns, level by level, node by node, then the one over their roots;
    /// and root_col.
    fn nodes(&self, ledger: &mut Ledger) -> (ScheduleBuilder, Address) {
        let params = self.params;
        let mut nodes = ScheduleBuilder::new(node_lanes(params), self.message_blocks);
        let mut node = |left: Address, right: Address| {
            let result = ledger.allocate();
            if self.message_blocks == 1 {
                nodes.chain(ledger, left, [&[right][..]], result);
            } else {
                nodes.chain(ledger, IV_NODE, [&[left, right][..]], result);
            }
            result
        };
        let cells = |row| self.cell_digests(row, params.columns()).map(|at| at as Address);
        let mut level: Vec<Vec<Address>> =
            (0..params.rows()).map(|row| cells(row).collect()).collect();
        while level.len() > 1 {
            let pair = |pair: &[Vec<Address>]| {
                let right = |column: usize| pair.get(1).map_or(ZERO, |right| right[column]);
                let both = pair[0].iter().enumerate().map(|(column, &left)| (left, right(column)));
                both.map(|(left, right)| node(left, right)).collect()
            };
            level = level.chunks(2).map(pair).collect();
        }
        let mut level = level.swap_remove(0);
        while level.len() > 1 {
            level = level.chunks_exact(2).map(|pair| node(pair[0], pair[1])).collect();
        }
        (nodes, level[0])
    }

    /// Whole messages: the last one is filled with zeros.
    fn message(&self, blocks: Range<usize>) -> Vec<Address> {
        let len = blocks.len().next_multiple_of(self.message_blocks);
        let addresses = blocks.map(|at| at as Address).chain(std::iter::repeat(ZERO));
        addresses.take(len).collect()
    }

    /// A row for each run of up to 8 symbols of a column, in the order of positions.
    fn products(&self) -> Shape {
        let params = self.params;
        let (run, log_m) = (run(params), params.log_m());
        let powers = F::two_adic_generator(log_m).powers().collect_n(params.m());
        let point = |position: usize| powers[reverse_bits_len(position, log_m)];
        let row = |position: usize| {
            let (column, symbol) = (position / params.c(), position % params.c());
            // The first limb's words of the run, in row 0.
            let address = self.words(0, column).start + symbol / DIGEST;
            (point(position), position >= params.k(), address as Address)
        };
        let blocks = (LIMBS * run).div_ceil(DIGEST);
        let block = |vector: usize, block: usize| {
            // Whole blocks of each limb, or all limbs of a cell that is shorter than a block.
            let of_cell = if run < DIGEST { block } else { block * (params.c() / run) };
            (self.words(vector, 0).start - WORDS + of_cell) as Address
        };
        Shape {
            vectors: params.rows(),
            multipliers: (0..run).map(point).collect(),
            rows: (0..params.m()).step_by(run).map(row).collect(),
            blocks: (0..params.rows())
                .map(|vector| (0..blocks).map(|at| block(vector, at)).collect())
                .collect(),
        }
    }
}

/// The calls of chains; all others are nodes.
const fn chain_calls(params: &Params) -> usize {
    params.calls() - params.tree_calls()
}

/// Chains in a row. Few calls stand in rows of few, so that little is idle.
fn chain_lanes(params: &Params) -> usize {
    let calls = chain_calls(params);
    ScheduleBuilder::lanes_for(calls, (calls / MIN_ROWS).clamp(1, CHAIN_LANES))
}

/// Nodes in a row.
fn node_lanes(params: &Params) -> usize {
    ScheduleBuilder::lanes_for(params.tree_calls(), NODE_LANES)
}

/// Symbols in a row of the table of inner products.
pub(super) fn run(params: &Params) -> usize {
    params.c().min(MAX_RUN)
}
