//! The rounds of the form's sumcheck, over blocks that are written out as late as possible.

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use super::plan::{Key, Plan, Table};
use crate::calls::{SystematicCode, same_code};
use crate::simd::kernels::dot::{BLOCKS, combine_blocks};
use crate::simd::{ExtRow, LANES, Native, Row};
use crate::sumcheck::dense::{Dense, elements_of, limbs_of, zero_rows};
use crate::sumcheck::{Message, Rounds};
use crate::{E, F};

/// Rows of a block that one task combines, a page of words.
const TILE: usize = 64;

/// The committed words by blocks, and the codewords that some of them are half of.
struct Words<'a> {
    log_block: usize,
    words: &'a [F],
    /// The last words and zeros, where they do not fill their block.
    tail: Vec<F>,
    source: &'a [F],
}

impl<'a> Words<'a> {
    fn new(words: &'a [F], source: &'a [F], log_block: usize) -> Self {
        // A block is whole rows in any case.
        let len = (1_usize << log_block).max(LANES);
        let (words, tail) = words.split_at(words.len() / len * len);
        let mut tail = tail.to_vec();
        if !tail.is_empty() {
            tail.resize(len, F::ZERO);
        }
        Self { log_block, words, tail, source }
    }

    /// A block's words; none where all are zeros beyond the end.
    fn block(&self, index: usize) -> &[F] {
        let start = index << self.log_block;
        match self.words.get(start..) {
            Some([]) => &self.tail,
            Some(rest) => &rest[..1 << self.log_block],
            None => &[],
        }
    }

    /// Blocks up to the end.
    fn blocks(&self) -> usize {
        (self.words.len() >> self.log_block) + usize::from(!self.tail.is_empty())
    }

    /// The words of a column of the codeword whose message starts at committed word `start`.
    fn column(&self, start: usize, code: &dyn SystematicCode, column: usize) -> &[F] {
        // A codeword is twice as long as its message.
        let len = 1 << code.log_column();
        &self.source[2 * start + column * len..][..len]
    }
}

/// A block of 2^L words and weights, or a combination of such.
enum Block {
    /// All words are zero, and all weights.
    Zero,
    /// By keys.
    Sparse(Sparse),
    /// Entry by entry.
    Dense(Dense),
}

/// `Ω = Σ coefficient·basis`, product = ⟨basis, f⟩, key by key.
struct Sparse {
    keys: Vec<Key>,
    coefficients: Vec<E>,
    products: Vec<E>,
}

impl Sparse {
    fn sum(&self) -> E {
        self.coefficients.iter().zip(&self.products).map(|(&c, &d)| c * d).sum()
    }

    fn message(&self, high: &Self) -> Message {
        let mut message = Message::default();
        for i in 0..self.keys.len() {
            let (c, d) = (self.coefficients[i], self.products[i]);
            message.constant += c * d;
            message.quadratic += (high.coefficients[i] - c) * (high.products[i] - d);
        }
        message
    }

    fn bind(&mut self, high: &Self, r: E) {
        for (low, high) in
            [(&mut self.coefficients, &high.coefficients), (&mut self.products, &high.products)]
        {
            for (low, &high) in low.iter_mut().zip(high) {
                *low += r * (high - *low);
            }
        }
    }

    fn scale(&mut self, by: E) {
        for value in self.coefficients.iter_mut().chain(&mut self.products) {
            *value *= by;
        }
    }
}

impl Block {
    /// Whether the two need not be written out for a round on the bit between them.
    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Sparse(a), Self::Sparse(b)) => a.keys == b.keys,
            (Self::Sparse(_), Self::Dense(_)) | (Self::Dense(_), Self::Sparse(_)) => false,
            _ => true,
        }
    }

    fn sum(&self) -> E {
        match self {
            Self::Zero => E::ZERO,
            Self::Sparse(block) => block.sum(),
            Self::Dense(block) => block.sum(),
        }
    }

    fn scale(&mut self, by: E) {
        match self {
            Self::Zero => {}
            Self::Sparse(block) => block.scale(by),
            Self::Dense(block) => block.scale(&by),
        }
    }

    /// The message of the bit that tells this block from the matching `high`.
    fn message(&self, high: &Self) -> Message {
        match (self, high) {
            (Self::Sparse(low), Self::Sparse(high)) => low.message(high),
            (Self::Dense(low), Self::Dense(high)) => low.message(high),
            (Self::Zero, other) => Message { constant: E::ZERO, quadratic: other.sum() },
            // s·(1 − X)²
            (other, _) => {
                let sum = other.sum();
                Message { constant: sum, quadratic: sum }
            }
        }
    }

    /// Binds that bit.
    fn bind(&mut self, mut high: Self, r: E) {
        match (&mut *self, &mut high) {
            (Self::Sparse(low), Self::Sparse(high)) => low.bind(high, r),
            (Self::Dense(low), Self::Dense(high)) => low.bind(high, &r),
            (Self::Zero, _) => {
                high.scale(r);
                *self = high;
            }
            _ => self.scale(E::ONE - r),
        }
    }
}

/// The rounds: block bits first, then those of the block that is left.
pub(super) struct Blocks<'a> {
    plan: Plan<'a>,
    words: Words<'a>,
    /// Block bits that are not bound yet.
    bits: usize,
    /// eq over the block bits bound so far, the first of them the lowest bit of the index.
    eq: Vec<E>,
    /// Trailing blocks are zero.
    blocks: Vec<Block>,
}

impl<'a> Blocks<'a> {
    /// # Panics
    /// When words or terms lie beyond 2^L blocks' bits, or a codeword beyond the source words.
    #[instrument(name = "gkr.form.products", level = "debug", skip_all)]
    pub(super) fn new(plan: Plan<'a>, bits: usize, words: &'a [F], source: &'a [F]) -> Self {
        let words = Words::new(words, source, plan.log_block);
        let len = words.blocks().max(plan.blocks.len());
        assert!(len <= 1 << bits, "words and terms lie within the blocks");
        let mut this = Self { plan, words, bits, eq: vec![E::ONE], blocks: Vec::new() };
        this.blocks = (0..len).into_par_iter().map(|index| this.block(index)).collect();
        this
    }

    fn terms(&self, index: usize) -> &[(Key, E)] {
        self.plan.blocks.get(index).map_or(&[], Vec::as_slice)
    }

    fn is_zero(&self, index: usize) -> bool {
        self.terms(index).is_empty() && self.words.block(index).iter().all(|&word| word == F::ZERO)
    }

    /// A block as it begins. Products are not needed where the first round or, without one,
    /// the rounds inside the block want it written out.
    fn block(&self, index: usize) -> Block {
        if self.is_zero(index) {
            return Block::Zero;
        }
        let terms = self.terms(index);
        let neighbour = self.terms(index ^ 1);
        let keys = || terms.iter().map(|&(key, _)| key);
        let alike = keys().eq(neighbour.iter().map(|&(key, _)| key));
        let mut block = Sparse {
            keys: keys().collect(),
            coefficients: terms.iter().map(|&(_, coefficient)| coefficient).collect(),
            products: Vec::new(),
        };
        if self.bits == 0 || !(alike || self.is_zero(index ^ 1)) {
            return Block::Dense(self.write_out(index, &block));
        }
        block.products = block.keys.iter().map(|&key| self.product(index, key)).collect();
        Block::Sparse(block)
    }

    fn product(&self, index: usize, key: Key) -> E {
        let basis = &self.plan.bases[key.basis];
        let table = &self.plan.tables[basis.table];
        if let Some((code, column)) = basis.coded {
            let start = (index << self.plan.log_block) + key.offset;
            return table.dot(self.words.column(start, code, column));
        }
        match self.words.block(index) {
            [] => E::ZERO,
            words => table.dot(&words[key.offset..][..table.len()]),
        }
    }

    /// A block entry by entry; `index` counts blocks as they are.
    fn write_out(&self, index: usize, block: &Sparse) -> Dense {
        let len = 1 << self.plan.log_block;
        let mut values = zero_rows(len);
        self.fold_words(index, &mut values);
        let mut weights = zero_rows(len);
        let (plain, mut coded): (Vec<_>, Vec<_>) = block
            .keys
            .iter()
            .zip(&block.coefficients)
            .partition(|(key, _)| self.plan.bases[key.basis].coded.is_none());
        for (key, &coefficient) in plain {
            let table = &self.plan.tables[self.plan.bases[key.basis].table];
            table.add_to(&mut weights, key.offset, coefficient);
        }
        coded.sort_by_key(|(key, _)| key.offset);
        for message in coded.chunk_by(|(a, _), (b, _)| a.offset == b.offset) {
            self.add_coded(message, &mut weights);
        }
        Dense::new(self.plan.log_block, values, weights)
    }

    /// Adds the coded terms of one message.
    fn add_coded(&self, keys: &[(&Key, &E)], weights: &mut [ExtRow]) {
        let mut codes: Vec<(&dyn SystematicCode, Vec<ExtRow>)> = Vec::new();
        for (key, coefficient) in keys {
            let basis = &self.plan.bases[key.basis];
            let Some((code, column)) = basis.coded else { continue };
            let known = codes.iter().position(|(other, _)| same_code(*other, code));
            let known = known.unwrap_or_else(|| {
                codes.push((code, zero_rows(1 << (code.log_message() + 1))));
                codes.len() - 1
            });
            let at = column << code.log_column();
            self.plan.tables[basis.table].add_to(&mut codes[known].1, at, **coefficient);
        }
        for (code, codeword) in codes {
            let mut entries = elements_of(&codeword);
            entries.truncate(1 << (code.log_message() + 1));
            let message = code.transpose(&entries);
            Table::new(message).add_to(weights, keys[0].0.offset, E::ONE);
        }
    }

    /// Adds `Σ_i eq[i]·f[index·2^j + i]`, f by blocks, j bits bound.
    fn fold_words(&self, index: usize, out: &mut [ExtRow]) {
        let first = index * self.eq.len();
        let end = (first + self.eq.len()).min(self.words.blocks());
        let blocks: Vec<&[F]> = (first..end).map(|index| self.words.block(index)).collect();
        if let [eq] = self.eq.as_slice()
            && let [block] = blocks.as_slice()
            && *eq == E::ONE
        {
            for (out, words) in out.iter_mut().zip(block.as_chunks::<LANES>().0) {
                out[0] = Row(*words);
            }
            return;
        }
        let eq: Vec<_> = self.eq.iter().map(limbs_of).collect();
        out.par_chunks_mut(TILE).enumerate().for_each(|(tile, out)| {
            for (blocks, eq) in blocks.chunks(BLOCKS).zip(eq.chunks(BLOCKS)) {
                // Fewer than eight: any words, weighed by zero.
                let words = std::array::from_fn(|i| {
                    let block = blocks.get(i).unwrap_or(&blocks[0]);
                    &block[tile * TILE * LANES..][..out.len() * LANES]
                });
                let weights = std::array::from_fn(|i| match blocks.get(i) {
                    Some(_) => eq[i],
                    None => [F::ZERO; 5],
                });
                combine_blocks::<Native>(&words, &weights, out);
            }
        });
    }

    /// Writes out neighbours that do not match.
    fn make_match(&mut self) {
        let lonely: Vec<usize> = self
            .blocks
            .chunks(2)
            .enumerate()
            .filter(|(_, pair)| matches!(pair, [low, high] if !low.matches(high)))
            .flat_map(|(pair, _)| [2 * pair, 2 * pair + 1])
            .collect();
        let written: Vec<(usize, Dense)> = lonely
            .into_par_iter()
            .filter_map(|index| match &self.blocks[index] {
                Block::Sparse(block) => Some((index, self.write_out(index, block))),
                Block::Zero | Block::Dense(_) => None,
            })
            .collect();
        for (index, block) in written {
            self.blocks[index] = Block::Dense(block);
        }
    }

    /// The block that is left, once the block bits are bound.
    fn last(&mut self) -> &mut Dense {
        let written = match self.blocks.pop() {
            Some(Block::Dense(block)) => block,
            Some(Block::Sparse(block)) => self.write_out(0, &block),
            Some(Block::Zero) | None => {
                let rows = zero_rows(1 << self.plan.log_block);
                Dense::new(self.plan.log_block, rows.clone(), rows)
            }
        };
        self.blocks.push(Block::Dense(written));
        let [Block::Dense(block)] = &mut self.blocks[..] else { unreachable!("one block is left") };
        block
    }
}

impl Rounds for Blocks<'_> {
    fn message(&mut self) -> Message {
        if self.bits == 0 {
            return self.last().message();
        }
        self.make_match();
        let pair = |pair: &[Block]| match pair {
            [low, high] => low.message(high),
            [low] => low.message(&Block::Zero),
            _ => Message::default(),
        };
        self.blocks.par_chunks(2).map(pair).par_fold_reduce(
            Message::default,
            |a, b| a + b,
            |a, b| a + b,
        )
    }

    fn fix(&mut self, r: E) {
        if self.bits == 0 {
            self.last().fix(r);
            return;
        }
        self.blocks.par_chunks_mut(2).for_each(|pair| {
            let (low, high) = pair.split_at_mut(1);
            let high =
                high.first_mut().map_or(Block::Zero, |high| std::mem::replace(high, Block::Zero));
            low[0].bind(high, r);
        });
        let mut blocks = std::mem::take(&mut self.blocks).into_iter();
        while let Some(low) = blocks.next() {
            self.blocks.push(low);
            blocks.next();
        }
        self.bits -= 1;
        let high: Vec<E> = self.eq.iter().map(|&eq| eq * r).collect();
        for (low, &high) in self.eq.iter_mut().zip(&high) {
            *low -= high;
        }
        self.eq.extend(high);
    }
}
