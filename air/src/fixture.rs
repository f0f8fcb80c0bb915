//! Three tables on one bus, small and with everything in them, for tests: an inner product
//! whose words are hashed run by run, the digests hashed to one, which is public.

use std::panic::{AssertUnwindSafe, catch_unwind};

use p3_air::check_all_constraints;
use p3_batch_stark::ProverData;
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing};
use p3_lookup::Lookups;
use p3_lookup::debug_util::{LookupDebugInstance, check_lookups};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::batch::BusAir;
use crate::buses::{Address, BLOCK, Block, Ledger};
use crate::calls::{Fault, Poseidon2, Poseidon2Calls, ScheduleBuilder, Width};
use crate::fri::Parameters;
use crate::inner_product::{InnerProduct, LIMBS, Shape, Weights};
use crate::public_blocks::{PublicBlocks, Role};
use crate::{E, F, Machine, Reject, Table};

/// The tables' places.
pub(crate) const CALLS: usize = 0;
pub(crate) const PRODUCTS: usize = 1;
pub(crate) const PUBLIC: usize = 2;

/// Vectors, rows of the inner product, calls in a row.
pub(crate) const VECTORS: usize = 2;
pub(crate) const ROWS: usize = 4;
pub(crate) const LANES: usize = 5;
/// The public block that is claimed comes after the zeros and the two initial values.
pub(crate) const GIVEN: usize = 3;

/// The tables' layout, and what is public of the inner product.
#[derive(Debug)]
pub(crate) struct Fixture<const T: usize, const P: usize>
where
    Poseidon2<T, P>: Width<T, P>,
{
    pub(crate) calls: Poseidon2Calls<T, P>,
    pub(crate) products: InnerProduct,
    pub(crate) weights: Weights,
    pub(crate) public: PublicBlocks,
    claimed: Address,
    /// The first address of each row's words.
    bases: Vec<Address>,
    addresses: usize,
}

/// Symbols of each vector, row by row.
pub(crate) type Symbols = [Vec<E>; VECTORS];

/// Tables, traces and public values.
#[derive(Clone, Debug)]
pub(crate) struct Instance<A> {
    pub(crate) tables: Vec<A>,
    pub(crate) traces: Vec<RowMajorMatrix<F>>,
    pub(crate) public: Vec<Vec<F>>,
}

impl<const T: usize, const P: usize> Fixture<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// Runs of so many symbols.
    pub(crate) fn new(run: usize) -> Self {
        let blocks = (LIMBS * run).div_ceil(BLOCK);
        let stride = VECTORS * blocks;
        let mut ledger = Ledger::new(GIVEN + ROWS * stride);
        let [cell, node]: [Address; 2] = [1, 2];
        let bases: Vec<Address> = (0..ROWS).map(|row| (GIVEN + row * stride) as u32).collect();
        let of_vector = |vector: usize| (0..blocks).map(move |b| (vector * blocks + b) as u32);

        let mut schedule = ScheduleBuilder::new(LANES, Poseidon2Calls::<T, P>::MESSAGE_BLOCKS);
        let mut chain = |ledger: &mut Ledger, start, words: &[Address], result| {
            let messages = words.chunks(Poseidon2Calls::<T, P>::MESSAGE_BLOCKS).map(|message| {
                let mut message = message.to_vec();
                message.resize(Poseidon2Calls::<T, P>::MESSAGE_BLOCKS, Ledger::ZERO);
                message
            });
            let messages: Vec<Vec<Address>> = messages.collect();
            schedule.chain(ledger, start, messages.iter().map(Vec::as_slice), result);
        };
        let mut digests = Vec::new();
        for &base in &bases {
            for vector in 0..VECTORS {
                let words: Vec<Address> = of_vector(vector).map(|at| base + at).collect();
                words.iter().for_each(|&address| ledger.write(address));
                digests.push(ledger.allocate());
                chain(&mut ledger, cell, &words, digests[digests.len() - 1]);
            }
        }
        let claimed = ledger.allocate();
        chain(&mut ledger, node, &digests, claimed);
        ledger.read(claimed);
        let calls = Poseidon2Calls::new(schedule.finish(&mut ledger));

        let given = [Ledger::ZERO, cell, node].map(|address| {
            ledger.write(address);
            (address, Role::Given { readers: ledger.readers(address) })
        });
        let public = PublicBlocks::new(given.into_iter().chain([(claimed, Role::Claimed)]));

        let powers: Vec<F> = F::from_u8(3).powers().take(ROWS * run).collect();
        let products = InnerProduct::new(Shape {
            vectors: VECTORS,
            multipliers: powers[..run].to_vec(),
            rows: (0..ROWS).map(|row| (powers[row * run], row % 2 == 1, bases[row])).collect(),
            blocks: (0..VECTORS).map(|vector| of_vector(vector).collect()).collect(),
        });
        let mut rng = StdRng::seed_from_u64(1);
        let weights = Weights { point: rng.random(), scales: [rng.random(), rng.random()] };
        let addresses = ledger.len();
        Self { calls, products, weights, public, claimed, bases, addresses }
    }

    /// The point of a symbol.
    pub(crate) fn point(&self, symbol: usize) -> F {
        F::from_u8(3).exp_u64(symbol as u64)
    }

    /// The weight of a symbol, by the formula.
    pub(crate) fn weight(&self, symbol: usize) -> E {
        let x = self.point(symbol);
        let scale = self.weights.scales[symbol / self.products.run() % 2];
        (self.weights.point - x).inverse() * scale * x
    }

    /// Random symbols whose inner products are these; the last symbol sees to it.
    pub(crate) fn symbols(&self, seed: u64, products: [E; VECTORS]) -> Symbols {
        let mut rng = StdRng::seed_from_u64(seed);
        products.map(|product| {
            let last = ROWS * self.products.run() - 1;
            let mut symbols: Vec<E> = (0..last).map(|_| rng.random()).collect();
            let sum: E = symbols.iter().enumerate().map(|(i, &s)| self.weight(i) * s).sum();
            symbols.push((product - sum) * self.weight(last).inverse());
            symbols
        })
    }

    /// The word of a symbol, by the inner product's order in a run.
    fn word(&self, symbols: &Symbols, vector: usize, row: usize, word: usize) -> F {
        let run = self.products.run();
        let symbol = &symbols[vector][row * run + word % run];
        let limbs: &[F] = symbol.as_basis_coefficients_slice();
        limbs[word / run]
    }

    /// The inner product's trace.
    pub(crate) fn products_trace(&self, symbols: &Symbols) -> RowMajorMatrix<F> {
        self.products
            .trace(&self.weights, |vector, row, word| self.word(symbols, vector, row, word))
    }

    /// All blocks that do not come from calls, by their addresses.
    pub(crate) fn blocks(&self, symbols: &Symbols) -> Vec<Block> {
        let mut blocks = vec![[F::ZERO; BLOCK]; self.addresses];
        blocks[1] = std::array::from_fn(|v| F::from_usize(100 + v));
        blocks[2] = std::array::from_fn(|v| F::from_usize(200 + v));
        let words = LIMBS * self.products.run();
        for (row, &base) in self.bases.iter().enumerate() {
            for (vector, addresses) in self.products.shape().blocks.iter().enumerate() {
                for word in 0..words {
                    let address = base + addresses[word / BLOCK];
                    let block = &mut blocks[address as usize];
                    block[word % BLOCK] = self.word(symbols, vector, row, word);
                }
            }
        }
        blocks
    }

    /// The instance of these symbols, the calls with a fault or without, and all that follows.
    pub(crate) fn instance(
        &self,
        symbols: &Symbols,
        fault: Option<Fault>,
    ) -> Instance<Table<T, P>> {
        let mut blocks = self.blocks(symbols);
        let calls = self.calls.faulty_trace(&mut blocks, fault);
        let known = (0..GIVEN).chain([self.claimed as usize]);
        Instance {
            tables: vec![
                Table::Calls(self.calls.clone()),
                Table::InnerProduct(self.products.clone()),
                Table::Public(self.public.clone()),
            ],
            traces: vec![calls, self.products_trace(symbols), self.public.trace()],
            public: vec![
                Vec::new(),
                self.weights.public_values(),
                known.flat_map(|address| blocks[address]).collect(),
            ],
        }
    }

    /// The instance of a codeword, nothing wrong with it.
    pub(crate) fn honest(&self) -> Instance<Table<T, P>> {
        self.instance(&self.symbols(2, [E::ZERO; VECTORS]), None)
    }
}

impl<A: BusAir + for<'a> p3_air::Air<p3_air::DebugConstraintBuilder<'a, F>>> Instance<A> {
    /// Every constraint that does not hold, as p3's checker sees it: table, row, place.
    pub(crate) fn violations(&self) -> Vec<(usize, usize, usize)> {
        let tables = self.tables.iter().zip(&self.traces).zip(&self.public).enumerate();
        let failures = tables.flat_map(|(index, ((table, trace), public))| {
            let report = check_all_constraints(table, trace, public, None);
            report.failures.into_iter().map(move |failure| (index, failure.row, failure.constraint))
        });
        failures.collect()
    }

    /// Whether p3's checker finds every message taken as often as it is offered.
    pub(crate) fn balances(&self) -> bool {
        let lookups = lookups(&self.tables, &self.log_heights());
        let preprocessed: Vec<Option<RowMajorMatrix<F>>> =
            self.tables.iter().map(|table| table.preprocessed_trace()).collect();
        let instances: Vec<LookupDebugInstance<'_, F>> = (0..self.tables.len())
            .map(|index| LookupDebugInstance {
                main_trace: &self.traces[index],
                preprocessed_trace: &preprocessed[index],
                public_values: &self.public[index],
                lookups: &lookups[index],
                permutation_challenges: &[],
            })
            .collect();
        catch_unwind(AssertUnwindSafe(|| check_lookups(&instances))).is_ok()
    }

    pub(crate) fn log_heights(&self) -> Vec<usize> {
        self.traces.iter().map(|trace| trace.height().ilog2() as usize).collect()
    }

    /// The machine of the tables.
    pub(crate) fn machine(&self, parameters: &Parameters) -> Machine<A> {
        let heights = self.traces.iter().map(Matrix::height);
        Machine::new(self.tables.iter().cloned().zip(heights).collect(), parameters)
            .expect("small tables")
    }

    /// What the verifier says of the proof that the prover makes of these traces.
    pub(crate) fn verdict(&self) -> Result<(), Reject> {
        let machine = self.machine(&parameters());
        let proof = machine.prove(b"a statement", &self.traces, &self.public).expect("a proof");
        machine.verify(b"a statement", &self.public, &proof)
    }

    /// That this breaks the constraint and nothing else, and that it cannot be proved.
    pub(crate) fn assert_violates(&self, table: usize, row: usize, constraint: usize) {
        self.assert_violates_only(table, row, constraint);
        assert_eq!(self.verdict(), Err(Reject::Constraints { table }));
    }

    /// That this breaks the constraint and nothing else.
    pub(crate) fn assert_violates_only(&self, table: usize, row: usize, constraint: usize) {
        assert_eq!(self.violations(), [(table, row, constraint)]);
        assert!(self.balances());
    }

    /// That all constraints hold, the bus does not balance, and it cannot be proved.
    pub(crate) fn assert_off_balance(&self) {
        assert_eq!(self.violations(), []);
        assert!(!self.balances());
        assert_eq!(self.verdict(), Err(Reject::Bus));
    }

    /// That all constraints hold, the bus balances, and it can be proved.
    pub(crate) fn assert_good(&self) {
        assert_eq!(self.violations(), []);
        assert!(self.balances());
        assert_eq!(self.verdict(), Ok(()));
    }
}

impl<A> Instance<A> {
    /// One table that shares its bus with nobody.
    pub(crate) fn of_one(table: A, trace: RowMajorMatrix<F>, public: Vec<F>) -> Self {
        Self { tables: vec![table], traces: vec![trace], public: vec![public] }
    }

    /// A cell of a trace.
    pub(crate) fn cell(&mut self, table: usize, row: usize, column: usize) -> &mut F {
        let trace = &mut self.traces[table];
        let width = trace.width;
        &mut trace.values[row * width + column]
    }
}

/// The tables' messages, as p3 packs them into fractions.
pub(crate) fn lookups<A: BusAir>(tables: &[A], log_heights: &[usize]) -> Vec<Lookups<F>> {
    let config = parameters().config(Vec::new());
    let data = ProverData::from_airs_and_degrees(&config, tables, log_heights);
    data.expect("small tables").common.lookups
}

/// Parameters that make proofs quickly.
pub(crate) fn parameters() -> Parameters {
    Parameters::insecure_for_tests(8, 1)
}

/// An element whose limbs are zero but one.
pub(crate) fn unit(limb: usize) -> E {
    E::from_basis_coefficients_fn(|d| F::from_bool(d == limb))
}
