//! Poseidon2 over KoalaBear at widths 16 and 24, with p3's standard constants, and the
//! compression with feed-forward built on it.
//!
//! Source: Poseidon2 (ePrint 2023/323), sections 5 and 6; round numbers and constants are
//! those of p3-koala-bear. [`Constants`] restates them for the walk, which needs every layer
//! by itself; a test holds the two together.
#![deny(clippy::arithmetic_side_effects)]

use std::sync::OnceLock;

use p3_field::{Field, PackedValue, PrimeCharacteristicRing};
use p3_koala_bear::{
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL, KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
    KOALABEAR_POSEIDON2_RC_16_INTERNAL, KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL, KOALABEAR_POSEIDON2_RC_24_INTERNAL,
    Poseidon2KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
#[cfg(feature = "prover")]
use p3_poseidon2::{InternalLayer, InternalLayerConstructor as _};
use p3_symmetric::Permutation as _;

use crate::{F, count};

/// Words in a digest: the permutation's kept outputs.
pub const DIGEST: usize = 8;
/// Full rounds before the partial rounds, and again after them.
pub const HALF_FULL_ROUNDS: usize = 4;

/// Packed words: as many as the machine's vectors hold.
pub type Packed = <F as Field>::Packing;

/// A digest.
pub type Digest = [F; DIGEST];

/// The constants of one width.
#[derive(Clone, Debug)]
pub struct Constants<const T: usize> {
    /// Round constants of the first full rounds.
    pub initial: [[F; T]; HALF_FULL_ROUNDS],
    /// Round constants of the partial rounds; they touch word 0 only.
    pub partial: Vec<F>,
    /// Round constants of the last full rounds.
    pub terminal: [[F; T]; HALF_FULL_ROUNDS],
    /// V: the partial rounds' matrix is J + diag(V), J all ones. `V[0]` is −2.
    pub diagonal: [F; T],
}

/// Poseidon2 at width `T`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Poseidon2<const T: usize>;

/// What a width must offer; implemented for `Poseidon2<16>` and `Poseidon2<24>` only.
pub trait Permutation<const T: usize>: Copy + Send + Sync + 'static {
    /// Message words absorbed by one call, q = T − 8.
    const RATE: usize = T - DIGEST;
    /// Partial rounds.
    const PARTIAL_ROUNDS: usize;

    /// The round constants and the matrix.
    fn constants() -> &'static Constants<T>;
    /// Permutes one state.
    fn permute(state: &mut [F; T]);
    /// Permutes one state per lane.
    fn permute_packed(state: &mut [Packed; T]);
    /// One partial round, counted from 0, of one state per lane: the S-box on word 0, then the
    /// matrix.
    ///
    /// # Panics
    /// When `round` is not below [`Self::PARTIAL_ROUNDS`].
    #[cfg(feature = "prover")]
    fn partial_round_packed(round: usize, state: &mut [Packed; T]);

    /// `f(h, m) = P(h‖m)[0..8] + h`; a short message is filled with zeros.
    ///
    /// # Panics
    /// When `message` is longer than [`Self::RATE`].
    fn compress(h: &Digest, message: &[F]) -> Digest {
        count::compressions(1);
        let mut state = [F::ZERO; T];
        state[..DIGEST].copy_from_slice(h);
        state[DIGEST..][..message.len()].copy_from_slice(message);
        Self::permute(&mut state);
        std::array::from_fn(|v| state[v] + h[v])
    }

    /// [`Self::compress`], one call per lane.
    ///
    /// # Panics
    /// When `message` is longer than [`Self::RATE`].
    fn compress_packed(h: &[Packed; DIGEST], message: &[Packed]) -> [Packed; DIGEST] {
        count::compressions(Packed::WIDTH);
        let mut state = [Packed::ZERO; T];
        state[..DIGEST].copy_from_slice(h);
        state[DIGEST..][..message.len()].copy_from_slice(message);
        Self::permute_packed(&mut state);
        std::array::from_fn(|v| state[v] + h[v])
    }
}

macro_rules! width {
    (
        $t:literal, $partial:literal, $new:ident, $initial:ident, $internal:ident, $final:ident,
        $diagonal:expr
    ) => {
        impl Poseidon2<$t> {
            fn instance() -> &'static Poseidon2KoalaBear<$t> {
                static INSTANCE: OnceLock<Poseidon2KoalaBear<$t>> = OnceLock::new();
                INSTANCE.get_or_init($new)
            }
        }

        impl Permutation<$t> for Poseidon2<$t> {
            const PARTIAL_ROUNDS: usize = $partial;

            fn constants() -> &'static Constants<$t> {
                static CONSTANTS: OnceLock<Constants<$t>> = OnceLock::new();
                CONSTANTS.get_or_init(|| Constants {
                    initial: $initial,
                    partial: $internal.to_vec(),
                    terminal: $final,
                    diagonal: $diagonal,
                })
            }

            fn permute(state: &mut [F; $t]) {
                Self::instance().permute_mut(state);
            }

            fn permute_packed(state: &mut [Packed; $t]) {
                Self::instance().permute_mut(state);
            }

            #[cfg(feature = "prover")]
            fn partial_round_packed(round: usize, state: &mut [Packed; $t]) {
                type Round = p3_koala_bear::Poseidon2InternalLayerKoalaBear<$t>;
                static ROUNDS: OnceLock<Vec<Round>> = OnceLock::new();
                let rounds = ROUNDS.get_or_init(|| {
                    $internal.iter().map(|&c| Round::new_from_constants(vec![c])).collect()
                });
                InternalLayer::<_, $t, 3>::permute_state(&rounds[round], state);
            }
        }
    };
}

width!(
    16,
    20,
    default_koalabear_poseidon2_16,
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
    KOALABEAR_POSEIDON2_RC_16_INTERNAL,
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL,
    [
        small(-2),
        small(1),
        small(2),
        inverse_power(1, 1),
        small(3),
        small(4),
        inverse_power(-1, 1),
        small(-3),
        small(-4),
        inverse_power(1, 8),
        inverse_power(1, 3),
        inverse_power(1, 24),
        inverse_power(-1, 8),
        inverse_power(-1, 3),
        inverse_power(-1, 4),
        inverse_power(-1, 24),
    ]
);
width!(
    24,
    23,
    default_koalabear_poseidon2_24,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL,
    KOALABEAR_POSEIDON2_RC_24_INTERNAL,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL,
    [
        small(-2),
        small(1),
        small(2),
        inverse_power(1, 1),
        small(3),
        small(4),
        inverse_power(-1, 1),
        small(-3),
        small(-4),
        inverse_power(1, 8),
        inverse_power(1, 2),
        inverse_power(1, 3),
        inverse_power(1, 4),
        inverse_power(1, 5),
        inverse_power(1, 6),
        inverse_power(1, 24),
        inverse_power(-1, 8),
        inverse_power(-1, 3),
        inverse_power(-1, 4),
        inverse_power(-1, 5),
        inverse_power(-1, 6),
        inverse_power(-1, 7),
        inverse_power(-1, 9),
        inverse_power(-1, 24),
    ]
);

fn small(value: i32) -> F {
    F::from_i32(value)
}

/// `sign / 2^exponent`.
fn inverse_power(sign: i32, exponent: u64) -> F {
    F::from_i32(sign).div_2exp_u64(exponent)
}

/// The external matrix M_E, in place: circ(2·M4, M4, …, M4) with
/// M4 the circulant matrix of (2, 3, 1, 1).
pub fn external_matrix<R: PrimeCharacteristicRing + Copy, const T: usize>(state: &mut [R; T]) {
    for block in state.chunks_exact_mut(4) {
        small_matrix(block);
    }
    let mut sums = [R::ZERO; 4];
    for block in state.chunks_exact(4) {
        for (sum, &value) in sums.iter_mut().zip(block) {
            *sum += value;
        }
    }
    for block in state.chunks_exact_mut(4) {
        for (value, &sum) in block.iter_mut().zip(&sums) {
            *value += sum;
        }
    }
}

/// M4 · x, in place.
fn small_matrix<R: PrimeCharacteristicRing + Copy>(x: &mut [R]) {
    if let [a, b, c, d] = x {
        let sum = *a + *b + *c + *d;
        let [ab, bc, cd, da] = [*a + b.double(), *b + c.double(), *c + d.double(), *d + a.double()];
        [*a, *b, *c, *d] = [sum + ab, sum + bc, sum + cd, sum + da];
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The permutation, layer by layer, from [`Constants`] alone.
    fn plain<const T: usize>(mut state: [F; T]) -> [F; T]
    where
        Poseidon2<T>: Permutation<T>,
    {
        let constants = Poseidon2::<T>::constants();
        let full = |state: &mut [F; T], round: &[F; T]| {
            for (value, &c) in state.iter_mut().zip(round) {
                *value = (*value + c).cube();
            }
            external_matrix(state);
        };
        external_matrix(&mut state);
        constants.initial.iter().for_each(|round| full(&mut state, round));
        for &c in &constants.partial {
            state[0] = (state[0] + c).cube();
            let sum: F = state.iter().copied().sum();
            for (value, &v) in state.iter_mut().zip(&constants.diagonal) {
                *value = sum + *value * v;
            }
        }
        constants.terminal.iter().for_each(|round| full(&mut state, round));
        state
    }

    fn word() -> impl Strategy<Value = F> {
        prop_oneof![
            Just(F::ZERO),
            Just(F::ONE),
            Just(F::NEG_ONE),
            any::<u32>().prop_map(F::from_u32)
        ]
    }

    fn agrees<const T: usize>(words: &[F])
    where
        Poseidon2<T>: Permutation<T>,
    {
        let state: [F; T] = words[..T].try_into().unwrap();
        let mut theirs = state;
        Poseidon2::<T>::permute(&mut theirs);
        assert_eq!(plain(state), theirs);
        assert_eq!(Poseidon2::<T>::constants().partial.len(), Poseidon2::<T>::PARTIAL_ROUNDS);

        let h: Digest = state[..DIGEST].try_into().unwrap();
        let scalar = Poseidon2::<T>::compress(&h, &state[DIGEST..]);
        let packed = Poseidon2::<T>::compress_packed(
            &h.map(Packed::from),
            &state[DIGEST..].iter().map(|&w| Packed::from(w)).collect::<Vec<_>>(),
        );
        assert_eq!(packed, scalar.map(Packed::from));
    }

    proptest! {
        #[test]
        fn layers_compose_to_the_published_permutation(words in prop::collection::vec(word(), 24)) {
            agrees::<16>(&words);
            agrees::<24>(&words);
        }
    }
}
