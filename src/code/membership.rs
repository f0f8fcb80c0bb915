//! Is a row a codeword? Three answers.
//!
//! - [`MembershipVector`]: one public vector L per commitment, and ⟨L, w⟩ = A(p) − B(p/ω), where
//!   A interpolates the payload half and B the parity half over the subgroup of order k. This is
//!   the one that the proof uses: it is linear in the row, the same for all rows.
//! - [`ParityCheck`]: interpolate all m values; the upper half of the coefficients is zero.
//! - [`Barycentric`]: interpolate through any k positions, and through the k others, by
//!   barycentric weights; both have the same value at p.
//!
//! # Soundness
//! For a row off the code, A(X) − B(X/ω) is a non-zero polynomial of degree below k. Since p is
//! hashed from the commitment, a prover who asks the hash Q times finds one that is accepted
//! with probability at most Q(k − 1)/(|E| − m), for [`MembershipVector`] and for
//! [`Barycentric`] alike; every row has to pass, so the number of rows does not enter.
//! [`ParityCheck`] has no error.
//!
//! # Source
//! Barycentric evaluation: Berrut and Trefethen, *Barycentric Lagrange interpolation*, 2004.
#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::codec::limbs;
use airda_gkr::permutation::Digest;
use airda_gkr::{E, F};
use p3_challenger::{CanObserve, CanSample, HashChallenger, SerializingChallenger32};
use p3_field::{
    BasedVectorSpace, Field, PackedField, PackedValue, PrimeCharacteristicRing,
    batch_multiplicative_inverse,
};
use p3_keccak::Keccak256Hash;

use super::domain::Domain;
use super::low_bits;
use super::transform::{CellFft, Strips, gather, row_stride, scatter};
use super::vanishing::{evaluate_with_derivative, monic};
use crate::params::{LIMBS, Params};

/// Separates this hash from every other use of Keccak-256; ends in its version.
const TAG: &[u8] = b"airda membership point v1";

/// The point p: Keccak-256 of the public parameters and the root, expanded to an element of E
/// outside the code's domain.
///
/// No parameter of a proof system enters, so a commitment has one point, whoever proves what.
pub fn point(params: &Params, root: &Digest) -> E {
    type Challenger = SerializingChallenger32<F, HashChallenger<u8, Keccak256Hash, 32>>;
    let mut challenger = Challenger::from_hasher(TAG.to_vec(), Keccak256Hash);
    // Six words and a digest, always: nothing needs a length.
    let len = params.payload_len();
    challenger.observe_slice(&[
        F::from_usize(params.hash().width()),
        F::from_usize(params.log_k()),
        F::from_usize(params.log_c()),
        F::from_usize(params.rows()),
        F::from_u64(len & ((1 << 30) - 1)),
        F::from_u64(len >> 30),
    ]);
    challenger.observe_slice(root);
    first_outside(params, || challenger.sample())
}

/// The first of the sampled elements that is not in the domain. The domain is the group that ω
/// generates, so p/ω is in it exactly when p is.
fn first_outside(params: &Params, mut sample: impl FnMut() -> E) -> E {
    loop {
        let p = sample();
        if p.exp_power_of_2(params.log_m()) != E::ONE {
            return p;
        }
    }
}

/// A test whether a row is a codeword.
pub trait Membership {
    /// Whether the test accepts `row`, its m symbols in the order of their positions, as
    /// [`row_symbols`](super::row_symbols) gives them.
    ///
    /// # Panics
    /// When the row has any other length.
    fn accepts(&self, row: &[E]) -> bool;
}

/// L = l_r(p) on the payload half and −l_r(p/ω) on the parity half, l_r the Lagrange basis of
/// the subgroup of order k in bit-reversed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MembershipVector {
    log_c: usize,
    log_columns: usize,
    /// Symbol `sym` of cell j at sym·ℓ + j, as in the matrix.
    entries: Vec<E>,
}

impl MembershipVector {
    /// The vector of the point `p`.
    ///
    /// For x in the subgroup, k·l_x(z) = x·(z^k − x^k)/(z − x) = 1 + Σ_{0<t<k} z^(k−t)·x^t: each
    /// half is one transform of the powers of z, limb by limb. That takes k products in E, no
    /// inversion, and is right for every p.
    pub fn new(params: &Params, p: E) -> Self {
        type Packed = <F as Field>::Packing;
        if params.half() < Packed::WIDTH {
            Self::transformed::<F>(params, p)
        } else {
            Self::transformed::<Packed>(params, p)
        }
    }

    fn transformed<P: PackedField<Scalar = F>>(params: &Params, p: E) -> Self {
        let domain = Domain::new(params);
        let (c, half, columns) = (params.c(), params.half(), params.columns());
        let evaluate = Strips::<P>::forward(&domain, c, 0..half);
        let cells = CellFft::new(half);
        let scale = F::ONE.div_2exp_u64(params.log_k() as u64);
        let q = p * domain.inverse_power(1);
        let mut entries = E::zero_vec(params.m());
        let log_c = params.log_c();
        let stride = row_stride(half);
        let mut buffer = P::zero_vec(params.cell_words());
        let mut limb_rows = vec![F::zero_vec(stride << log_c); LIMBS];
        for (parity, z, scale) in [(false, p, scale), (true, q, -scale)] {
            let mut store = |exponent: usize, value: E| {
                // In one of c scratch rows.
                let row = low_bits(exponent, log_c).wrapping_mul(stride);
                let place = row.wrapping_add(exponent >> log_c);
                for (rows, &limb) in limb_rows.iter_mut().zip(limbs(&value)) {
                    rows[place] = limb;
                }
            };
            store(0, E::from(scale));
            let mut power = E::from(scale);
            for exponent in (1..params.k()).rev() {
                power *= z;
                store(exponent, power);
            }
            for row in limb_rows.iter_mut().flat_map(|rows| rows.chunks_exact_mut(stride)) {
                cells.forward(&mut row[..half]);
            }
            for (strip, start) in (0..half).step_by(P::WIDTH).enumerate() {
                for (buffer, rows) in buffer.chunks_exact_mut(c).zip(&limb_rows) {
                    gather(buffer, c, rows, stride, strip);
                    evaluate.evaluate(strip, buffer);
                }
                let start = if parity { half | start } else { start };
                for (symbol, entries) in entries.chunks_exact_mut(columns).enumerate() {
                    for (lane, entry) in entries[start..][..P::WIDTH].iter_mut().enumerate() {
                        *entry = E::from_basis_coefficients_fn(|limb| {
                            buffer[limb << log_c | symbol].as_slice()[lane]
                        });
                    }
                }
            }
        }
        Self { log_c, log_columns: params.log_columns(), entries }
    }

    /// L at a position.
    ///
    /// # Panics
    /// When there is no such position.
    pub fn at(&self, position: usize) -> E {
        let (cell, symbol) = (position >> self.log_c, low_bits(position, self.log_c));
        self.for_symbol(symbol)[cell]
    }

    /// L[j·c + symbol] for each cell j, all ℓ of them: the weights of one block of the matrix.
    ///
    /// # Panics
    /// When cells have no such symbol.
    pub fn for_symbol(&self, symbol: usize) -> &[E] {
        &self.entries[symbol << self.log_columns..][..1 << self.log_columns]
    }
}

impl Membership for MembershipVector {
    fn accepts(&self, row: &[E]) -> bool {
        assert_eq!(row.len(), self.entries.len(), "symbols in a row");
        let product = |(position, &symbol)| self.at(position) * symbol;
        row.iter().enumerate().map(product).sum::<E>() == E::ZERO
    }
}

/// The parity check: all m − k upper coefficients are zero.
pub struct ParityCheck {
    log_c: usize,
    interpolate: Strips<F>,
    cells: CellFft,
}

impl ParityCheck {
    /// The check for rows of these parameters.
    pub fn new(params: &Params) -> Self {
        let columns = params.columns();
        Self {
            log_c: params.log_c(),
            interpolate: Strips::inverse(&Domain::new(params), params.c(), 0..columns),
            cells: CellFft::new(columns),
        }
    }

    /// Whether one limb, by positions, has degree below k.
    fn accepts_limb(&self, mut limb: Vec<F>) -> bool {
        let (c, columns) = (1 << self.log_c, limb.len() >> self.log_c);
        let mut rows = F::zero_vec(limb.len());
        for (cell, symbols) in limb.chunks_exact_mut(c).enumerate() {
            self.interpolate.interpolate(cell, symbols);
            scatter(symbols, c, &mut rows, columns, cell);
        }
        rows.chunks_exact_mut(columns).all(|row| {
            self.cells.inverse(row);
            row[columns / 2..].iter().all(|&coefficient| coefficient == F::ZERO)
        })
    }
}

impl Membership for ParityCheck {
    fn accepts(&self, row: &[E]) -> bool {
        assert_eq!(row.len(), self.interpolate.points(), "symbols in a row");
        (0..LIMBS).all(|d| self.accepts_limb(row.iter().map(|symbol| limbs(symbol)[d]).collect()))
    }
}

/// The barycentric check between a set of k positions and the other k.
#[derive(Clone, Debug)]
pub struct Barycentric {
    /// For each position its weight at p within its own set, negated in the second.
    weights: Vec<E>,
}

impl Barycentric {
    /// The check at `p`, outside the domain, between `positions` and all others.
    ///
    /// # Panics
    /// When `positions` are not k distinct positions, or p is in the domain.
    pub fn new(params: &Params, p: E, positions: &[usize]) -> Self {
        let (k, m) = (params.k(), params.m());
        let mut chosen = vec![false; m];
        for &position in positions {
            assert!(!std::mem::replace(&mut chosen[position], true), "position {position} twice");
        }
        assert_eq!(positions.len(), k, "positions");
        let domain = Domain::new(params);
        let differences: Vec<E> = (0..m).map(|position| p - domain.point(position)).collect();
        let inverses = batch_multiplicative_inverse(&differences);
        let mut weights = E::zero_vec(m);
        for (set, sign) in [(true, E::ONE), (false, E::NEG_ONE)] {
            let members: Vec<usize> = (0..m).filter(|&position| chosen[position] == set).collect();
            let roots: Vec<F> = members.iter().map(|&position| domain.point(position)).collect();
            let (_, derivative) = evaluate_with_derivative(&monic(&roots), m);
            let at_p: E = members.iter().map(|&position| differences[position]).product();
            let divisors: Vec<F> = members.iter().map(|&position| derivative[position]).collect();
            for (&position, inverse) in members.iter().zip(batch_multiplicative_inverse(&divisors))
            {
                weights[position] = sign * at_p * inverses[position] * inverse;
            }
        }
        Self { weights }
    }
}

impl Membership for Barycentric {
    fn accepts(&self, row: &[E]) -> bool {
        assert_eq!(row.len(), self.weights.len(), "symbols in a row");
        let products = row.iter().zip(&self.weights).map(|(&symbol, &weight)| weight * symbol);
        products.sum::<E>() == E::ZERO
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use crate::params::HashWidth;

    fn params(hash: HashWidth, log_k: usize, log_c: usize, rows: usize, len: u64) -> Params {
        Params::new(hash, log_k, log_c, rows, len).unwrap()
    }

    /// The definition of L, by inversion.
    fn entry_slowly(params: &Params, p: E, position: usize) -> E {
        let domain = Domain::new(params);
        let (k, parity) = (params.k(), position >= params.k());
        let x = domain.point(position & (k - 1));
        let z = if parity { p * domain.inverse_power(1) } else { p };
        let value = (z.exp_u64(k as u64) - E::ONE) * x / ((z - x) * F::from_usize(k));
        if parity { -value } else { value }
    }

    #[test]
    fn the_vector_is_the_lagrange_basis() {
        let p = E::from_basis_coefficients_fn(|i| F::from_usize(1000 + i * i));
        for (log_k, log_c) in [(0, 0), (1, 0), (1, 1), (4, 2), (4, 4), (6, 1), (8, 3), (9, 0)] {
            let params = params(HashWidth::W16, log_k, log_c, 1, 1);
            let vector = MembershipVector::new(&params, p);
            for position in 0..params.m() {
                assert_eq!(vector.at(position), entry_slowly(&params, p, position));
                let (cell, symbol) = (position / params.c(), position % params.c());
                assert_eq!(vector.for_symbol(symbol)[cell], vector.at(position));
            }
        }
    }

    #[test]
    fn every_public_parameter_and_the_root_move_the_point() {
        let root: Digest = std::array::from_fn(F::from_usize);
        let base = point(&params(HashWidth::W16, 6, 3, 4, 100), &root);
        let others = [
            params(HashWidth::W24, 6, 3, 4, 100),
            params(HashWidth::W16, 7, 3, 4, 100),
            params(HashWidth::W16, 6, 2, 4, 100),
            params(HashWidth::W16, 6, 3, 5, 100),
            params(HashWidth::W16, 6, 3, 4, 101),
        ];
        assert_eq!(base, point(&params(HashWidth::W16, 6, 3, 4, 100), &root));
        for other in others {
            assert_ne!(base, point(&other, &root), "{other:?}");
        }
        for word in 0..root.len() {
            let mut altered = root;
            altered[word] += F::ONE;
            assert_ne!(base, point(&params(HashWidth::W16, 6, 3, 4, 100), &altered));
        }
    }

    #[test]
    fn points_of_the_domain_are_drawn_again() {
        let params = params(HashWidth::W16, 5, 2, 1, 1);
        let domain = Domain::new(&params);
        let inside = (0..params.m()).map(|position| E::from(domain.point(position)));
        let outside = E::from_basis_coefficients_fn(F::from_usize);
        let mut samples = inside.chain([outside, E::TWO]);
        assert_eq!(first_outside(&params, || samples.next().unwrap()), outside);
        // p/ω is outside as well.
        let q = outside * domain.inverse_power(1);
        assert!((0..params.m()).all(|position| q != E::from(domain.point(position))));
    }

    #[test]
    fn the_point_is_pinned() {
        let root: Digest = std::array::from_fn(F::from_usize);
        let p = point(&params(HashWidth::W16, 13, 4, 14, 1_000_000), &root);
        assert_eq!(
            limbs(&p),
            F::new_array([825975589, 634612976, 654671333, 718275431, 374926408])
        );
    }
}
