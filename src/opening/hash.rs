//! The hash of many messages at once: one message a lane.

use airda_gkr::F;
use airda_gkr::permutation::{DIGEST, Digest, Packed, Permutation, Poseidon2};
use p3_field::{PackedValue, PrimeCharacteristicRing};

use crate::hash::Domain;
use crate::params::{HashWidth, Params};

/// Messages hashed at once.
pub(super) const LANES: usize = <Packed as PackedValue>::WIDTH;

/// H(cell; words) of every cell. The cells are equally long.
pub(super) fn cells<'a>(params: &Params, cells: impl Iterator<Item = &'a [F]>) -> Vec<Digest> {
    match params.hash() {
        HashWidth::W16 => chains::<16, 8>(params, cells),
        HashWidth::W24 => chains::<24, 16>(params, cells),
    }
}

/// [`cells`] at width `T`, whose rate is `R`.
fn chains<'a, const T: usize, const R: usize>(
    params: &Params,
    mut cells: impl Iterator<Item = &'a [F]>,
) -> Vec<Digest>
where
    Poseidon2<T>: Permutation<T>,
{
    const { assert!(R == T - DIGEST) };
    let iv = params.iv(Domain::Cell).map(Packed::from);
    let mut digests = Vec::with_capacity(cells.size_hint().0);
    loop {
        let mut taken = 0;
        // Idle lanes hash an empty message; their digests are dropped.
        let mut lanes: [&[F]; LANES] = std::array::from_fn(|_| {
            let cell = cells.next();
            // One a lane at most.
            taken = usize::wrapping_add(taken, usize::from(cell.is_some()));
            cell.unwrap_or_default()
        });
        if taken == 0 {
            return digests;
        }
        let mut h = iv;
        for _ in 0..params.cell_words().div_ceil(R) {
            let blocks = lanes.each_mut().map(next_block::<R>);
            h = Poseidon2::<T>::compress_packed(&h, &transpose(&blocks));
        }
        scatter(&h, taken, &mut digests);
    }
}

/// Takes a block off a message, filling a short one with zeros.
fn next_block<const R: usize>(message: &mut &[F]) -> [F; R] {
    if let Some((block, rest)) = message.split_first_chunk() {
        *message = rest;
        return *block;
    }
    let mut block = [F::ZERO; R];
    block.iter_mut().zip(std::mem::take(message)).for_each(|(to, from)| *to = *from);
    block
}

/// Word v of every lane, for each v.
#[allow(clippy::indexing_slicing)] // v is below R.
fn transpose<const R: usize>(lanes: &[[F; R]; LANES]) -> [Packed; R] {
    std::array::from_fn(|v| gather(lanes.each_ref().map(|words| words[v])))
}

/// The parents of pairs of nodes.
pub(super) fn nodes(params: &Params, pairs: &[[Digest; 2]]) -> Vec<Digest> {
    let node_iv = params.iv(Domain::Node).map(Packed::from);
    let mut parents = Vec::with_capacity(pairs.len());
    for group in pairs.chunks(LANES) {
        let child = |side: fn(&[Digest; 2]) -> &Digest| -> [Packed; DIGEST] {
            let mut lanes = group.iter().map(side);
            transpose(&std::array::from_fn(|_| lanes.next().copied().unwrap_or_default()))
        };
        let left = child(|[left, _]| left);
        let right = child(|[_, right]| right);
        let parent = match params.hash() {
            HashWidth::W16 => Poseidon2::<16>::compress_packed(&left, &right),
            HashWidth::W24 => {
                Poseidon2::<24>::compress_packed(&node_iv, [left, right].as_flattened())
            }
        };
        scatter(&parent, group.len(), &mut parents);
    }
    parents
}

fn gather(words: [F; LANES]) -> Packed {
    *Packed::from_slice(&words)
}

/// Appends the first `lanes` lanes' digests.
fn scatter(h: &[Packed; DIGEST], lanes: usize, digests: &mut Vec<Digest>) {
    digests.extend((0..lanes).map(|lane| h.each_ref().map(|word| word.extract(lane))));
}
