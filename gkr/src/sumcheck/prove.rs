//! The prover's rounds, packed and parallel.

use p3_field::{ExtensionField, PackedFieldExtension, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use tracing::instrument;

use super::{Claim, Message};
use crate::permutation::Packed;
use crate::transcript::Sender;
use crate::{E, F};

/// Elements of E, one a lane.
pub(crate) type PackedE = <E as ExtensionField<F>>::ExtensionPacking;

/// Vectors that one task sums: long enough to hide the cost of a task, short enough to stay
/// in the cache with their partners.
const TASK: usize = 1 << 9;

/// Proves `Σ_b f(b)·Ω(b) = sum`; f is `words` extended by zeros to the weights' length.
///
/// # Panics
/// When the weights' length is no power of two or the words are more.
#[instrument(name = "gkr.sumcheck.prove", skip_all, fields(vectors = weights.len()))]
pub fn prove(
    words: &[F],
    mut weights: Vec<PackedE>,
    mut sum: E,
    channel: &mut impl Sender,
) -> Claim {
    assert!(weights.len().is_power_of_two());
    assert!(words.len() <= weights.len() * Packed::WIDTH);
    let mut point = Vec::new();
    let mut round = |message: Message| {
        // 1.
        channel.send(&message.pack());
        // 2. and 3.
        let r = channel.draw();
        sum = message.at(sum, r);
        point.push(r);
        r
    };

    let words = Words(words);
    let mut values: Vec<PackedE> = if weights.len() == 1 {
        vec![words.get(0).into()]
    } else {
        let r = round(first_message(&words, &weights));
        let values = fold_words(&words, weights.len() / 2, r);
        fold(&mut weights, r);
        values
    };
    while values.len() > 1 {
        let r = round(packed_message(&values, &weights));
        fold(&mut values, r);
        fold(&mut weights, r);
    }
    let mut values = lanes(values[0]);
    let mut weights = lanes(weights[0]);
    while values.len() > 1 {
        let r = round(message(&values, &weights));
        fold_lanes(&mut values, r);
        fold_lanes(&mut weights, r);
    }
    point.reverse();
    Claim { point, sum }
}

/// The committed words as vectors, zero beyond the end.
struct Words<'a>(&'a [F]);

impl Words<'_> {
    fn get(&self, index: usize) -> Packed {
        let from = self.0.len().min(index * Packed::WIDTH);
        let rest = &self.0[from..];
        if rest.len() >= Packed::WIDTH {
            *Packed::from_slice(&rest[..Packed::WIDTH])
        } else {
            Packed::from_fn(|lane| rest.get(lane).copied().unwrap_or(F::ZERO))
        }
    }
}

fn first_message(words: &Words<'_>, weights: &[PackedE]) -> Message {
    let half = weights.len() / 2;
    let (low, high) = weights.split_at(half);
    low.par_chunks(TASK)
        .zip(high.par_chunks(TASK))
        .enumerate()
        .map(|(task, (low, high))| {
            let mut sums = [PackedE::ZERO; 2];
            for (j, (&w0, &w1)) in low.iter().zip(high).enumerate() {
                let i = task * TASK + j;
                let (f0, f1) = (words.get(i), words.get(half + i));
                sums[0] += w0 * f0;
                sums[1] += (w1 - w0) * (f1 - f0);
            }
            sums
        })
        .par_fold_reduce(|| [PackedE::ZERO; 2], add, add)
        .into_message()
}

fn packed_message(values: &[PackedE], weights: &[PackedE]) -> Message {
    let half = values.len() / 2;
    let (f0, f1) = values.split_at(half);
    let (w0, w1) = weights.split_at(half);
    let halves = |a: &[PackedE], b: &[PackedE], c: &[PackedE], d: &[PackedE]| {
        let mut sums = [PackedE::ZERO; 2];
        for (((&f0, &f1), &w0), &w1) in a.iter().zip(b).zip(c).zip(d) {
            sums[0] += f0 * w0;
            sums[1] += (f1 - f0) * (w1 - w0);
        }
        sums
    };
    f0.par_chunks(TASK)
        .zip(f1.par_chunks(TASK))
        .zip(w0.par_chunks(TASK).zip(w1.par_chunks(TASK)))
        .map(|((f0, f1), (w0, w1))| halves(f0, f1, w0, w1))
        .par_fold_reduce(|| [PackedE::ZERO; 2], add, add)
        .into_message()
}

fn message(values: &[E], weights: &[E]) -> Message {
    let half = values.len() / 2;
    let mut message = Message { constant: E::ZERO, quadratic: E::ZERO };
    for i in 0..half {
        message.constant += values[i] * weights[i];
        message.quadratic += (values[half + i] - values[i]) * (weights[half + i] - weights[i]);
    }
    message
}

fn fold_words(words: &Words<'_>, half: usize, r: E) -> Vec<PackedE> {
    let r = PackedE::from(r);
    let fold = |i| {
        let (f0, f1) = (words.get(i), words.get(half + i));
        r * (f1 - f0) + f0
    };
    (0..half).into_par_iter().with_min_len(TASK).map(fold).collect()
}

/// Binds the highest bit.
fn fold(values: &mut Vec<PackedE>, r: E) {
    let half = values.len() / 2;
    let r = PackedE::from(r);
    let (low, high) = values.split_at_mut(half);
    low.par_chunks_mut(TASK).zip(high.par_chunks(TASK)).for_each(|(low, high)| {
        for (v0, &v1) in low.iter_mut().zip(high) {
            *v0 += r * (v1 - *v0);
        }
    });
    values.truncate(half);
}

fn fold_lanes(values: &mut Vec<E>, r: E) {
    let half = values.len() / 2;
    for i in 0..half {
        values[i] = values[i] + r * (values[half + i] - values[i]);
    }
    values.truncate(half);
}

fn add(a: [PackedE; 2], b: [PackedE; 2]) -> [PackedE; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

fn lanes(packed: PackedE) -> Vec<E> {
    (0..Packed::WIDTH).map(|lane| packed.extract(lane)).collect()
}

trait IntoMessage {
    fn into_message(self) -> Message;
}

impl IntoMessage for [PackedE; 2] {
    fn into_message(self) -> Message {
        let [constant, quadratic] = self.map(|packed| lanes(packed).into_iter().sum());
        Message { constant, quadratic }
    }
}
