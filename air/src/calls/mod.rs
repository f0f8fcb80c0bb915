//! The table of Poseidon2 calls.
//!
//! # What a row shows
//! Each of the row's lanes is one call of the compression with feed-forward
//! `f(h, m) = P(h‖m)[0..8] + h`, P being Poseidon2 over KoalaBear of width T = 16 or 24 with p3's
//! standard constants, and the block h, the (T − 8)/8 blocks of m and the digest are what the
//! [schedule](Schedule) says: h is the digest of the lane before, or a block from the bus; the
//! blocks of m come from the bus; the digest goes to the bus where it has readers.
//!
//! # Columns
//! Main: for each lane the columns of p3-poseidon2-air, T inputs (h, then m), T columns for each
//! of 8 full rounds, one for each of the P partial rounds; 164 at width 16, 239 at width 24. The
//! digest is the sum of the first 8 columns of the last round and of the inputs: no column.
//!
//! Preprocessed, lane by lane, as far as some row needs them: whether h is the digest of the lane
//! before; the address of h; the digest's address and its number of readers; the addresses of
//! the message blocks.
//!
//! # Constraints
//! The permutation's, by p3-poseidon2-air, degree 3. In a lane that takes over the digest before
//! it: `chained · (inputs[v] − digest_before[v]) = 0`, degree 2, or 1 where no row does otherwise.
//! No constraint looks at the next row, so the trace is opened at one point.
//!
//! # Bus
//! Per lane, on the bus of [blocks](crate::buses): a read for each message block; where lanes
//! start chains, a read of h, counted `1 − chained`; where lanes end them, a write of the digest
//! for its readers. p3-lookup folds two of these into a fraction column of E.
//!
//! # Rows
//! A power of two. [`ScheduleBuilder::lanes_for`] chooses the lanes that leave fewest idle.
//! Idle lanes hash zeros; their digests have no readers.
//!
//! Source: Poseidon2 (ePrint 2023/323); LogUp (ePrint 2022/1530).

mod constraints;
#[cfg(all(test, feature = "prover"))]
mod faulty;
mod schedule;
#[cfg(all(test, feature = "prover"))]
mod tests;
#[cfg(feature = "prover")]
mod trace;

use std::fmt;
use std::sync::Arc;

use p3_koala_bear::{
    GenericPoseidon2LinearLayersKoalaBear,
    KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS as HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL, KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
    KOALABEAR_POSEIDON2_RC_16_INTERNAL, KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL, KOALABEAR_POSEIDON2_RC_24_INTERNAL,
    KOALABEAR_S_BOX_DEGREE as S_BOX_DEGREE, default_koalabear_poseidon2_16,
    default_koalabear_poseidon2_24,
};
use p3_poseidon2::GenericPoseidon2LinearLayers;
use p3_poseidon2_air::{Poseidon2Air, Poseidon2Cols, RoundConstants};
use p3_symmetric::Permutation as _;

#[cfg(all(test, feature = "prover"))]
pub(crate) use self::faulty::Fault;
pub use self::schedule::{Schedule, ScheduleBuilder};
use crate::F;

/// p3's table of one permutation.
type Permutation<const T: usize, const P: usize> = Poseidon2Air<
    F,
    <Poseidon2<T, P> as Width<T, P>>::Layers,
    T,
    S_BOX_DEGREE,
    0,
    HALF_FULL_ROUNDS,
    P,
>;
/// A call's main columns.
type Columns<X, const T: usize, const P: usize> =
    Poseidon2Cols<X, T, S_BOX_DEGREE, 0, HALF_FULL_ROUNDS, P>;

/// Calls of width 16.
pub type Poseidon2Calls16 = Poseidon2Calls<16, 20>;
/// Calls of width 24.
pub type Poseidon2Calls24 = Poseidon2Calls<24, 23>;

/// Poseidon2 over KoalaBear, of width T with P partial rounds: (16, 20) or (24, 23).
#[derive(Clone, Copy, Debug)]
pub struct Poseidon2<const T: usize, const P: usize>;

/// What a width must offer.
pub trait Width<const T: usize, const P: usize>: Send + Sync + 'static {
    /// The linear layers.
    type Layers: GenericPoseidon2LinearLayers<T> + Send + Sync + 'static;

    /// The round constants.
    fn constants() -> RoundConstants<F, T, HALF_FULL_ROUNDS, P>;

    /// p3's permutation, against which idle lanes and tests compute.
    fn permute(state: &mut [F; T]);
}

impl Width<16, 20> for Poseidon2<16, 20> {
    type Layers = GenericPoseidon2LinearLayersKoalaBear;

    fn constants() -> RoundConstants<F, 16, HALF_FULL_ROUNDS, 20> {
        RoundConstants::new(
            KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
            KOALABEAR_POSEIDON2_RC_16_INTERNAL,
            KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL,
        )
    }

    fn permute(state: &mut [F; 16]) {
        default_koalabear_poseidon2_16().permute_mut(state);
    }
}

impl Width<24, 23> for Poseidon2<24, 23> {
    type Layers = GenericPoseidon2LinearLayersKoalaBear;

    fn constants() -> RoundConstants<F, 24, HALF_FULL_ROUNDS, 23> {
        RoundConstants::new(
            KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL,
            KOALABEAR_POSEIDON2_RC_24_INTERNAL,
            KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL,
        )
    }

    fn permute(state: &mut [F; 24]) {
        default_koalabear_poseidon2_24().permute_mut(state);
    }
}

/// The table of Poseidon2 calls of width T with P partial rounds.
#[derive(Clone)]
pub struct Poseidon2Calls<const T: usize, const P: usize>
where
    Poseidon2<T, P>: Width<T, P>,
{
    permutation: Permutation<T, P>,
    schedule: Arc<Schedule>,
}

impl<const T: usize, const P: usize> fmt::Debug for Poseidon2Calls<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poseidon2Calls")
            .field("width", &T)
            .field("lanes", &self.schedule.lanes())
            .field("height", &self.schedule.height())
            .finish_non_exhaustive()
    }
}

impl<const T: usize, const P: usize> Poseidon2Calls<T, P>
where
    Poseidon2<T, P>: Width<T, P>,
{
    /// Main columns of one call.
    pub const CALL_COLUMNS: usize = size_of::<Columns<u8, T, P>>();
    /// Blocks in a message.
    pub const MESSAGE_BLOCKS: usize = T / crate::buses::BLOCK - 1;

    /// The table of the scheduled calls.
    ///
    /// # Panics
    /// When the schedule's messages have another length.
    pub fn new(schedule: Schedule) -> Self {
        assert_eq!(schedule.message_blocks(), Self::MESSAGE_BLOCKS, "blocks in a message");
        let permutation = Permutation::new(Poseidon2::<T, P>::constants());
        Self { permutation, schedule: Arc::new(schedule) }
    }

    /// Which call is made where.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }
}
