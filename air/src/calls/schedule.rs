//! Which call is made in which lane of which row, and what the preprocessed columns say of it.

use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use crate::F;
use crate::buses::{Address, Ledger};

/// Collects chains of calls and lays them out: row by row, lane by lane, without gaps.
///
/// Blocks have addresses in a [`Ledger`], which all tables of a bus share.
#[derive(Clone, Debug)]
pub struct ScheduleBuilder {
    lanes: usize,
    message_blocks: usize,
    min_rows: usize,
    slots: Vec<Slot>,
    /// The message blocks' addresses, slot by slot.
    messages: Vec<Address>,
}

/// A call's place.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Where h is read from; `None` if it is the digest of the lane before.
    start: Option<Address>,
    /// Where the digest is offered to readers, if it has any.
    result: Option<Address>,
}

/// What the slots of one lane do, over all rows, and the lane's preprocessed columns:
/// whether h is the lane before's digest, if that differs from row to row; where h is read from,
/// if it ever is; where the digest is offered and to how many readers, if it ever is; where the
/// message blocks are read from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    /// The lane's first preprocessed column.
    offset: usize,
    /// Whether some slot takes over the digest of the lane before.
    pub(super) chains: bool,
    /// Whether some slot reads its h.
    pub(super) starts: bool,
    /// Whether some slot offers its digest.
    pub(super) offers: bool,
}

impl Lane {
    /// The column that tells whether h is the lane before's digest, if it is not always or never.
    pub(super) const fn chained(&self) -> Option<usize> {
        if self.chains && self.starts { Some(self.offset) } else { None }
    }

    /// The column of the address that h is read from.
    pub(super) const fn start(&self) -> usize {
        self.offset + (self.chains && self.starts) as usize
    }

    /// The column of the address that the digest is offered at; the next one has the number of
    /// its readers.
    pub(super) const fn result(&self) -> usize {
        self.start() + self.starts as usize
    }

    /// The column of the first message block's address.
    pub(super) const fn message(&self) -> usize {
        self.result() + 2 * self.offers as usize
    }
}

/// A finished layout: the table's preprocessed columns, and how many readers each block has.
#[derive(Clone, Debug)]
pub struct Schedule {
    lanes: Vec<Lane>,
    message_blocks: usize,
    num_calls: usize,
    preprocessed: RowMajorMatrix<F>,
    /// Calls with those of idle lanes.
    num_slots: usize,
    /// What the prover follows; the verifier has it in the preprocessed columns.
    #[cfg(feature = "prover")]
    slots: Vec<Slot>,
    #[cfg(feature = "prover")]
    messages: Vec<Address>,
}

impl ScheduleBuilder {
    /// Rows of `lanes` calls with `message_blocks` blocks of message each.
    ///
    /// # Panics
    /// When there are no lanes or no message blocks.
    pub fn new(lanes: usize, message_blocks: usize) -> Self {
        assert!(lanes > 0 && message_blocks > 0);
        let (slots, messages) = (Vec::new(), Vec::new());
        Self { lanes, message_blocks, min_rows: 1, slots, messages }
    }

    /// The same with so many rows at least.
    #[must_use]
    pub fn with_min_rows(self, min_rows: usize) -> Self {
        Self { min_rows, ..self }
    }

    /// The most lanes, up to `max`, among the numbers of them that leave the fewest idle in a
    /// power of two of rows for `num_calls` calls.
    pub fn lanes_for(num_calls: usize, max: usize) -> usize {
        let slots = |lanes: &usize| lanes * num_calls.div_ceil(*lanes).next_power_of_two();
        (1..=max.max(1)).rev().min_by_key(slots).unwrap_or(1)
    }

    /// Appends a chain: `h_0` is the block `start`, `h_{s+1} = f(h_s, message_s)`, and the last h
    /// is the block `result`. In between h goes from lane to lane, or by the bus where a row
    /// ends.
    ///
    /// # Panics
    /// When the chain is empty, a message has another number of blocks, an address does not
    /// exist, or `result` has a writer.
    pub fn chain<'a>(
        &mut self,
        ledger: &mut Ledger,
        start: Address,
        messages: impl IntoIterator<Item = &'a [Address]>,
        result: Address,
    ) {
        let first = self.slots.len();
        for message in messages {
            let slot = self.slots.len();
            let start = if slot == first {
                Some(start)
            } else if slot.is_multiple_of(self.lanes) {
                let link = ledger.allocate();
                self.offer(ledger, link);
                Some(link)
            } else {
                None
            };
            self.push(ledger, start, message);
        }
        assert!(self.slots.len() > first, "a chain has calls");
        self.offer(ledger, result);
    }

    /// Has the last call's digest offered at an address.
    fn offer(&mut self, ledger: &mut Ledger, address: Address) {
        ledger.write(address);
        self.slots.last_mut().expect("a call").result = Some(address);
    }

    fn push(&mut self, ledger: &mut Ledger, start: Option<Address>, message: &[Address]) {
        assert_eq!(message.len(), self.message_blocks, "blocks in a message");
        for &address in start.iter().chain(message) {
            ledger.read(address);
        }
        self.slots.push(Slot { start, result: None });
        self.messages.extend_from_slice(message);
    }

    /// Fills up the last rows, a power of two in all, with calls of zeros that nobody reads. All
    /// other readers of what the calls write have to be in the ledger.
    ///
    /// # Panics
    /// When there are no calls.
    pub fn finish(mut self, ledger: &mut Ledger) -> Schedule {
        let num_calls = self.slots.len();
        assert!(num_calls > 0, "a table has calls");
        let rows = num_calls.div_ceil(self.lanes).max(self.min_rows).next_power_of_two();
        let starts = |slots: &[Slot], lane: usize| {
            slots.iter().skip(lane).step_by(self.lanes).any(|slot| slot.start.is_some())
        };
        let starts: Vec<bool> = (0..self.lanes).map(|lane| starts(&self.slots, lane)).collect();
        let message = vec![Ledger::ZERO; self.message_blocks];
        for slot in num_calls..rows * self.lanes {
            // An idle lane takes whatever its lane is equipped for.
            let start = starts[slot % self.lanes].then_some(Ledger::ZERO);
            self.push(ledger, start, &message);
        }
        let lanes = self.equip();
        let width = lanes.last().map_or(0, |lane| lane.message() + self.message_blocks);
        let mut values = F::zero_vec(rows * width);
        let slots = self.slots.iter().zip(self.messages.chunks_exact(self.message_blocks));
        for (index, (slot, message)) in slots.enumerate() {
            let lane = &lanes[index % self.lanes];
            let row = &mut values[index / self.lanes * width..][..width];
            if let Some(column) = lane.chained() {
                row[column] = F::from_bool(slot.start.is_none());
            }
            if let Some(start) = slot.start {
                row[lane.start()] = F::from_u32(start);
            }
            if let Some(result) = slot.result {
                row[lane.result()] = F::from_u32(result);
                row[lane.result() + 1] = F::from_u32(ledger.readers(result));
            }
            for (place, &address) in row[lane.message()..].iter_mut().zip(message) {
                *place = F::from_u32(address);
            }
        }
        Schedule {
            lanes,
            message_blocks: self.message_blocks,
            num_calls,
            preprocessed: RowMajorMatrix::new(values, width),
            num_slots: self.slots.len(),
            #[cfg(feature = "prover")]
            slots: self.slots,
            #[cfg(feature = "prover")]
            messages: self.messages,
        }
    }

    /// What each lane needs columns for.
    fn equip(&self) -> Vec<Lane> {
        let mut lanes = vec![Lane::default(); self.lanes];
        for (index, slot) in self.slots.iter().enumerate() {
            let lane = &mut lanes[index % self.lanes];
            lane.chains |= slot.start.is_none();
            lane.starts |= slot.start.is_some();
            lane.offers |= slot.result.is_some();
        }
        let mut offset = 0;
        for lane in &mut lanes {
            lane.offset = offset;
            offset = lane.message() + self.message_blocks;
        }
        lanes
    }
}

impl Schedule {
    /// Calls in a row.
    pub const fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Message blocks of a call.
    pub const fn message_blocks(&self) -> usize {
        self.message_blocks
    }

    /// Calls, those of idle lanes left out: they are the last.
    pub const fn num_calls(&self) -> usize {
        self.num_calls
    }

    /// Calls with those of idle lanes.
    pub const fn num_slots(&self) -> usize {
        self.num_slots
    }

    /// Rows, a power of two.
    pub const fn height(&self) -> usize {
        self.num_slots() / self.lanes()
    }

    pub(super) fn lane(&self, lane: usize) -> &Lane {
        &self.lanes[lane]
    }

    pub(super) const fn preprocessed(&self) -> &RowMajorMatrix<F> {
        &self.preprocessed
    }
}

#[cfg(feature = "prover")]
impl Schedule {
    /// Whether a slot's h is the digest of the lane before.
    pub(super) fn is_chained(&self, slot: usize) -> bool {
        self.slots[slot].start.is_none()
    }

    /// Where a slot's h is read from, if it is.
    pub(super) fn start(&self, slot: usize) -> Option<Address> {
        self.slots[slot].start
    }

    /// Where a slot's digest is offered.
    pub(super) fn result(&self, slot: usize) -> Option<Address> {
        self.slots[slot].result
    }

    /// Where a slot's message blocks are read from.
    pub(super) fn message(&self, slot: usize) -> &[Address] {
        &self.messages[slot * self.message_blocks..][..self.message_blocks]
    }
}
