//! The vector in AVX-512 or AVX2 registers.
//!
//! Words are held as p3 holds them: a·R mod p with R = 2^32, below p. A product of two held
//! words is a·b·R², and reducing a sum divides by R (Montgomery, Math. Comp. 44, 1985).
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::{LANES, Row, Vector};
use crate::F;

const P: i32 = 0x7f00_0001;
const HALF: i32 = (P + 1) / 2;
/// 1/p mod 2^32.
const MU: i32 = 0x8100_0001_u32.cast_signed();
/// 1/R mod p: p·(R − 1/p) is −1 mod R, so one more is a multiple of R.
const R_INVERSE: u64 = (1 + P as u64 * ((1 << 32) - MU.cast_unsigned() as u64)) >> 32;
/// B = p·2^32, the bound of settled sums.
const B: i64 = (P as i64) << 32;

/// Sixteen words in one register.
#[cfg(target_feature = "avx512f")]
pub(crate) type Avx512 = Lanes<__m512i, 1>;
/// Sixteen words in two registers.
#[cfg_attr(target_feature = "avx512f", allow(dead_code))]
pub(crate) type Avx2 = Lanes<__m256i, 2>;

/// `N` registers of sixteen words together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes<R, const N: usize>([R; N]);

/// Cells of 64 bits: lanes 0, 2, … in `even`, lanes 1, 3, … in `odd`. As factors only their
/// lower halves count; as sums they are whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells<R, const N: usize> {
    even: [R; N],
    odd: [R; N],
}

/// Sums of 64-bit cells: mod 2^64, and of their upper halves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally<R, const N: usize> {
    low: [R; N],
    high: [R; N],
}

/// One register: lanes of 32 bits, cells of 64.
pub(crate) trait Register: Copy + Send + Sync + 'static {
    /// All bits zero.
    const ZERO: Self;
    /// Reads a register from memory.
    ///
    /// # Safety
    /// `from` is valid for reading the register's size and aligned to it.
    unsafe fn load(from: *const Self) -> Self;
    /// Writes a register to memory.
    ///
    /// # Safety
    /// `to` is valid for writing the register's size and aligned to it.
    unsafe fn store(self, to: *mut Self);
    fn splat32(value: i32) -> Self;
    fn splat64(value: i64) -> Self;
    fn add32(self, other: Self) -> Self;
    fn sub32(self, other: Self) -> Self;
    /// The unsigned minimum, lane by lane.
    fn min32(self, other: Self) -> Self;
    fn add64(self, other: Self) -> Self;
    /// Unsigned products of the cells' lower halves.
    fn mul_unsigned(self, other: Self) -> Self;
    /// Signed products of the cells' lower halves.
    fn mul_signed(self, other: Self) -> Self;
    /// The same value, whose origin the compiler forgets: where it sees that of a product only
    /// the lower half is used, it takes a slower 64-bit multiplication instead.
    fn opaque(self) -> Self;
    /// Upper halves moved to lower halves, zeros in the upper ones.
    fn upper(self) -> Self;
    /// The same of signed cells: upper halves are extended.
    fn upper_signed(self) -> Self;
    /// Upper halves of `even` in the even lanes, those of `odd` in the odd lanes.
    fn merge(even: Self, odd: Self) -> Self;
}

// SAFETY of every block below that names no other reason: the intrinsics need nothing but the
// instructions, and the implementation is compiled only where they are enabled.
macro_rules! register {
    (
        $register:ty, $load:ident $store:ident $splat32:ident $splat64:ident $add32:ident
        $sub32:ident $min32:ident $add64:ident $mul_unsigned:ident
        $mul_signed:ident, $class:ident, $upper:expr, $upper_signed:expr, $merge:expr
    ) => {
        impl Register for $register {
            // SAFETY: a register is plain bits.
            const ZERO: Self = unsafe { core::mem::zeroed() };
            #[inline(always)]
            unsafe fn load(from: *const Self) -> Self {
                // SAFETY: the caller's; the instructions are enabled.
                unsafe { $load(from.cast()) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut Self) {
                // SAFETY: the caller's; the instructions are enabled.
                unsafe { $store(to.cast(), self) }
            }
            #[inline(always)]
            fn splat32(value: i32) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $splat32(value) }
            }
            #[inline(always)]
            fn splat64(value: i64) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $splat64(value) }
            }
            #[inline(always)]
            fn add32(self, other: Self) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $add32(self, other) }
            }
            #[inline(always)]
            fn sub32(self, other: Self) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $sub32(self, other) }
            }
            #[inline(always)]
            fn min32(self, other: Self) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $min32(self, other) }
            }
            #[inline(always)]
            fn add64(self, other: Self) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $add64(self, other) }
            }
            #[inline(always)]
            fn mul_unsigned(self, other: Self) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $mul_unsigned(self, other) }
            }
            #[inline(always)]
            fn mul_signed(self, other: Self) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $mul_signed(self, other) }
            }
            #[inline(always)]
            fn opaque(self) -> Self {
                let out;
                // SAFETY: there is no instruction; the register is left as it is.
                unsafe {
                    core::arch::asm!(
                        "/* {0} */",
                        inlateout($class) self => out,
                        options(pure, nomem, nostack, preserves_flags),
                    );
                }
                out
            }
            #[inline(always)]
            fn upper(self) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $upper(self) }
            }
            #[inline(always)]
            fn upper_signed(self) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $upper_signed(self) }
            }
            #[inline(always)]
            fn merge(even: Self, odd: Self) -> Self {
                // SAFETY: the instructions are enabled.
                unsafe { $merge(even, odd) }
            }
        }
    };
}

#[cfg(target_feature = "avx512f")]
register!(
    __m512i,
    _mm512_load_si512 _mm512_store_si512 _mm512_set1_epi32 _mm512_set1_epi64 _mm512_add_epi32
    _mm512_sub_epi32 _mm512_min_epu32 _mm512_add_epi64 _mm512_mul_epu32
    _mm512_mul_epi32, zmm_reg,
    |x| _mm512_srli_epi64::<32>(x),
    |x| _mm512_srai_epi64::<32>(x),
    |even, odd| _mm512_castps_si512(_mm512_mask_movehdup_ps(
        _mm512_castsi512_ps(odd),
        0x5555,
        _mm512_castsi512_ps(even),
    ))
);
register!(
    __m256i,
    _mm256_load_si256 _mm256_store_si256 _mm256_set1_epi32 _mm256_set1_epi64x _mm256_add_epi32
    _mm256_sub_epi32 _mm256_min_epu32 _mm256_add_epi64 _mm256_mul_epu32
    _mm256_mul_epi32, ymm_reg,
    |x| _mm256_srli_epi64::<32>(x),
    // There is no signed shift of 64 bits.
    |x| _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(x), _mm256_srai_epi32::<31>(x)),
    |even, odd| _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(even), odd)
);

/// x + p in the lanes below zero, for −p < x < p.
#[inline(always)]
fn correct<R: Register>(x: R) -> R {
    x.min32(x.add32(R::splat32(P)))
}

/// For 0 ≤ x < B: x − q·p with the q < 2^32 that makes the lower half zero. The upper half,
/// between −p and p, is x/R mod p. Subtracting halves apart is the same, as the lower ones are
/// equal, and the compiler leaves it alone.
#[inline(always)]
fn reduce_unsigned<R: Register>(x: R) -> R {
    x.sub32(x.mul_unsigned(R::splat32(MU)).opaque().mul_unsigned(R::splat32(P)))
}

/// The same for |x| ≤ B/2, with |q| ≤ 2^31.
#[inline(always)]
fn reduce_signed<R: Register>(x: R) -> R {
    x.sub32(x.mul_signed(R::splat32(MU)).opaque().mul_signed(R::splat32(P)))
}

/// The cubes of the cells' lower halves, which are below p: in the upper halves, between −p
/// and p.
#[inline(always)]
fn cube<R: Register>(a: R) -> R {
    // A square is below p² < B/2; its residue s is between −p and p, so |s·a| < p².
    let square = reduce_signed(a.mul_signed(a)).upper();
    reduce_signed(square.mul_signed(a))
}

/// B has a lower half of zero, so only upper halves change: p is subtracted where that does
/// not wrap.
#[inline(always)]
fn settle<R: Register>(x: R) -> R {
    x.min32(x.sub32(R::splat64(B)))
}

impl<R: Register, const N: usize> Lanes<R, N> {
    const FITS: () = assert!(N * size_of::<R>() == size_of::<Row>() && LANES == 16);
}

impl<R: Register, const N: usize> Vector for Lanes<R, N> {
    type Split = Cells<R, N>;
    type Wide = Cells<R, N>;
    type Tally = Tally<R, N>;

    const NO_TALLY: Tally<R, N> = Tally { low: [R::ZERO; N], high: [R::ZERO; N] };

    #[inline(always)]
    fn load(row: &Row) -> Self {
        let () = Self::FITS;
        let from = core::ptr::from_ref(row).cast::<R>();
        let mut out = [R::ZERO; N];
        for (k, register) in out.iter_mut().enumerate() {
            // SAFETY: a row is N registers long and aligned to 64 bytes; words are transparent
            // around u32, and k < N.
            *register = unsafe { R::load(from.add(k)) };
        }
        Self(out)
    }
    #[inline(always)]
    fn store(self, row: &mut Row) {
        let () = Self::FITS;
        let to = core::ptr::from_mut(row).cast::<R>();
        for (k, register) in self.0.into_iter().enumerate() {
            // SAFETY: as in `load`; every operation leaves its lanes below p, as words must be.
            unsafe { register.store(to.add(k)) }
        }
    }
    #[inline(always)]
    fn splat(word: F) -> Self {
        // SAFETY: words are transparent around u32.
        Self([R::splat32(unsafe { core::mem::transmute::<F, i32>(word) }); N])
    }
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            let sum = a.add32(b);
            *a = sum.min32(sum.sub32(R::splat32(P)));
        }
        self
    }
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = correct(a.sub32(b));
        }
        self
    }
    #[inline(always)]
    fn cube(mut self) -> Self {
        for a in &mut self.0 {
            *a = correct(R::merge(cube(*a), cube(a.upper())));
        }
        self
    }
    #[inline(always)]
    fn cube_split(self) -> Cells<R, N> {
        let (mut even, mut odd) = (self.0, self.0);
        for (even, odd) in even.iter_mut().zip(&mut odd) {
            *odd = cube(odd.upper()).upper();
            *even = cube(*even).upper();
        }
        Cells { even, odd }
    }
    #[inline(always)]
    fn balance(mut self) -> Cells<R, N> {
        for a in &mut self.0 {
            // From [0, p) to [h, p) and [−p, h − p) + p, h the half of p + 1.
            let moved = a.sub32(R::splat32(HALF));
            *a = correct(moved).sub32(R::splat32(P - HALF));
        }
        self.split()
    }
    #[inline(always)]
    fn split(self) -> Cells<R, N> {
        let mut odd = self.0;
        for a in &mut odd {
            *a = a.upper();
        }
        Cells { even: self.0, odd }
    }
    #[inline(always)]
    fn splat_split(word: F) -> Cells<R, N> {
        let Self(all) = Self::splat(word);
        Cells { even: all, odd: all }
    }
    #[inline(always)]
    fn zero() -> Cells<R, N> {
        Cells { even: [R::ZERO; N], odd: [R::ZERO; N] }
    }
    #[inline(always)]
    fn product(mut a: Cells<R, N>, b: Cells<R, N>) -> Cells<R, N> {
        for (a, b) in a.even.iter_mut().zip(b.even) {
            *a = a.mul_unsigned(b);
        }
        for (a, b) in a.odd.iter_mut().zip(b.odd) {
            *a = a.mul_unsigned(b);
        }
        a
    }
    #[inline(always)]
    fn mul_add(sum: Cells<R, N>, a: Cells<R, N>, b: Cells<R, N>) -> Cells<R, N> {
        Self::join(sum, Self::product(a, b))
    }
    #[inline(always)]
    fn join(mut a: Cells<R, N>, b: Cells<R, N>) -> Cells<R, N> {
        for (a, b) in a.even.iter_mut().zip(b.even) {
            *a = a.add64(b);
        }
        for (a, b) in a.odd.iter_mut().zip(b.odd) {
            *a = a.add64(b);
        }
        a
    }
    #[inline(always)]
    fn settle(mut sum: Cells<R, N>) -> Cells<R, N> {
        for a in &mut sum.even {
            *a = settle(*a);
        }
        for a in &mut sum.odd {
            *a = settle(*a);
        }
        sum
    }
    #[inline(always)]
    fn reduce(sum: Cells<R, N>) -> Self {
        let mut out = sum.even;
        for (even, odd) in out.iter_mut().zip(sum.odd) {
            *even = correct(R::merge(reduce_unsigned(*even), reduce_unsigned(odd)));
        }
        Self(out)
    }
    #[inline(always)]
    fn count(tally: &mut Tally<R, N>, a: [Cells<R, N>; 4], b: [&Cells<R, N>; 4]) {
        let [a0, a1, a2, a3] = a;
        let [b0, b1, b2, b3] = b;
        for k in 0..N {
            // |a·b| < p·p/2, and 2p² < 2^63.
            let even = a0.even[k].mul_signed(b0.even[k]).add64(a1.even[k].mul_signed(b1.even[k]));
            let even = even
                .add64(a2.even[k].mul_signed(b2.even[k]).add64(a3.even[k].mul_signed(b3.even[k])));
            let odd = a0.odd[k].mul_signed(b0.odd[k]).add64(a1.odd[k].mul_signed(b1.odd[k]));
            let odd =
                odd.add64(a2.odd[k].mul_signed(b2.odd[k]).add64(a3.odd[k].mul_signed(b3.odd[k])));
            tally.low[k] = tally.low[k].add64(even.add64(odd));
            let high = even.upper_signed().add64(odd.upper_signed());
            tally.high[k] = tally.high[k].add64(high);
        }
    }
    #[inline(always)]
    fn merge(tally: &mut Tally<R, N>, other: &Tally<R, N>) {
        for (a, b) in tally.low.iter_mut().zip(other.low) {
            *a = a.add64(b);
        }
        for (a, b) in tally.high.iter_mut().zip(other.high) {
            *a = a.add64(b);
        }
    }
    fn total(tally: &Tally<R, N>) -> F {
        const CELLS: usize = LANES / 2;
        let () = Self::FITS;
        // SAFETY: N registers are eight cells, plain bits on both sides.
        let [low, high]: [[i64; CELLS]; 2] = unsafe {
            [core::mem::transmute_copy(&tally.low), core::mem::transmute_copy(&tally.high)]
        };
        // A cell's sum is high·2^32 plus its lower halves' sum, which is between 0 and 2^62 and
        // so known from the sum mod 2^64.
        let sum: i128 = low
            .into_iter()
            .zip(high)
            .map(|(low, high)| (i128::from(high) << 32) + i128::from(low.wrapping_sub(high << 32)))
            .sum();
        // Products of held words carry R², a held word R.
        let held = sum.rem_euclid(i128::from(P)) as u64 * R_INVERSE % P as u64;
        // SAFETY: words are transparent around u32, and this is below p.
        unsafe { core::mem::transmute::<u32, F>(held as u32) }
    }
}
