//! Several parts at once: the fast prover against the reference, and the verifier.

use super::super::parts::{ChunkWeights, Embedding, Ends, Partial, Run, Shape};
use super::super::prove::prove_parts;
use super::super::verify::verify_parts;
use super::*;
use crate::permutation::DIGEST;

/// A claim about the outputs of parts, by the definition.
struct Claimed {
    at: Point,
    beta: [E; DIGEST],
    values: Vec<E>,
}

/// Σ_i weight(i)·Σ_v β_v·P(in_i)_v over all rows of a part.
fn output<const T: usize>(inputs: &[[F; T]], beta: &[E; DIGEST], weight: impl Fn(usize) -> E) -> E
where
    Poseidon2<T>: Permutation<T>,
{
    (0..CHUNK << log_outer(inputs.len()))
        .map(|call| {
            let mut state = inputs.get(call).copied().unwrap_or([F::ZERO; T]);
            Poseidon2::<T>::permute(&mut state);
            let kept: E = beta.iter().zip(&state).map(|(&beta, &word)| beta * word).sum();
            weight(call) * kept
        })
        .sum()
}

fn claimed<const T: usize>(inputs: &[Vec<[F; T]>], outer: &[usize]) -> Claimed
where
    Poseidon2<T>: Permutation<T>,
{
    let mut channel = ProverChannel::new(b"claims");
    let at = Point::draw(outer.iter().copied().max().unwrap(), &mut channel);
    let beta = std::array::from_fn(|_| channel.draw());
    let value = |(inputs, &outer): (&Vec<[F; T]>, &usize)| {
        let at = at.prefix(outer);
        output(inputs, &beta, |call| at.weight(call))
    };
    let values = inputs.iter().zip(outer).map(value).collect();
    Claimed { at, beta, values }
}

fn column_at<const T: usize>(inputs: &[[F; T]], at: &Point) -> [E; T] {
    let mut sums = [E::ZERO; T];
    for (call, input) in inputs.iter().enumerate() {
        let weight = at.weight(call);
        for (sum, &word) in sums.iter_mut().zip(input) {
            *sum += weight * word;
        }
    }
    sums
}

/// The fast prover sends what the reference sends, the verifier ends where it does, and that
/// is the truth.
fn agree<const T: usize>(shape: &Shape<'_>, inputs: &[Vec<[F; T]>], claimed: &Claimed)
where
    Poseidon2<T>: Permutation<T>,
{
    let Claimed { at, beta, values } = claimed;
    let partial_words = match shape.partial {
        Partial::Recurrence => PartialWords::First,
        Partial::Columns => PartialWords::All,
    };
    let options = TraceOptions { partial_words, ..TraceOptions::default() };
    let mut traces: Vec<Trace<T>> = inputs
        .iter()
        .map(|inputs| {
            Trace::generate_with(options, inputs.len(), |chunk, columns| {
                for (i, call) in inputs.iter().skip(chunk * CHUNK).take(CHUNK).enumerate() {
                    for (column, &word) in columns.iter_mut().zip(call) {
                        column[i] = word;
                    }
                }
            })
        })
        .collect();
    let mut channel = ProverChannel::new(DOMAIN);
    let ends = prove_parts(shape, &mut traces, at.clone(), beta, values, &mut channel);
    let proof = channel.finish();
    let mut slow = ProverChannel::new(DOMAIN);
    let slow_ends = reference::prove_parts(shape, inputs, at.clone(), beta, values, &mut slow);
    let slow = slow.finish();
    let same = proof.iter().zip(&slow).take_while(|(a, b)| a == b).count();
    let (len, slow_len) = (proof.len(), slow.len());
    assert!(proof == slow, "the messages differ after {same} bytes of {len}, {slow_len}");
    assert!(ends == slow_ends, "the ends differ");
    let mut channel = VerifierChannel::new(DOMAIN, &proof);
    let verified: Ends<T> = verify_parts(shape, at.clone(), beta, values, &mut channel).unwrap();
    channel.finish().unwrap();
    assert!(verified == ends, "the verifier ends elsewhere");
    for ((inputs, &outer), columns) in inputs.iter().zip(shape.outer).zip(&ends.inputs) {
        assert!(*columns == column_at(inputs, &ends.at.prefix(outer)), "the ends are false");
    }
}

fn parts<const T: usize>(num_calls: &[usize]) -> (Vec<Vec<[F; T]>>, Vec<usize>) {
    let inputs = num_calls.iter().map(|&n| inputs::<T>(n, n as u64)).collect();
    (inputs, num_calls.iter().map(|&n| log_outer(n)).collect())
}

fn embeddings_agree<const T: usize>(num_calls: &[usize])
where
    Poseidon2<T>: Permutation<T>,
{
    let (inputs, outer) = parts::<T>(num_calls);
    let claimed = claimed(&inputs, &outer);
    for embedding in [Embedding::Constant, Embedding::Selected] {
        for partial in [Partial::Recurrence, Partial::Columns] {
            let shape = Shape { outer: &outer, embedding, weights: None, partial };
            agree(&shape, &inputs, &claimed);
        }
    }
}

#[test]
fn parts_of_unequal_size_agree_with_the_reference() {
    embeddings_agree::<16>(&[300, 128, 5, 600]);
    embeddings_agree::<24>(&[129, 500]);
}

#[test]
fn parts_of_one_size_need_no_selector() {
    embeddings_agree::<16>(&[200, 256]);
    let shape = |embedding| Shape {
        outer: &[1, 1],
        embedding,
        weights: None,
        partial: Partial::Recurrence,
    };
    assert_eq!(shape(Embedding::Selected).coefficients(0), 3);
    let unequal = Shape { outer: &[1, 2], ..shape(Embedding::Selected) };
    assert_eq!(unequal.coefficients(0), 8);
}

/// Runs of one, two and one chunks in a stack of five, each at its own weights.
#[test]
fn chunks_with_weights_of_their_own_agree_with_the_reference() {
    const T: usize = 16;
    let (inputs, outer) = parts::<T>(&[5 * CHUNK - 3]);
    let mut channel = ProverChannel::new(b"weights");
    let point = channel.draw_many(2);
    let at = Point::draw(3, &mut channel);
    let beta = std::array::from_fn(|_| channel.draw());
    let mut run = |start, log_len| Run { start, log_len, coefficient: channel.draw() };
    let runs = vec![run(0, 1), run(2, 0), run(4, 0), run(3, 0)];
    let weights = ChunkWeights { point: point.clone(), runs };
    let table = weights.table(8);
    let lanes = Point { outer: vec![], ..at.clone() };
    let value = output(&inputs[0], &beta, |call| table[call / CHUNK] * lanes.weight(call % CHUNK));
    let at = Point { outer: at.outer, ..at };
    let shape = Shape {
        outer: &outer,
        embedding: Embedding::Constant,
        weights: Some(&weights),
        partial: Partial::Recurrence,
    };
    agree(&shape, &inputs, &Claimed { at, beta, values: vec![value] });
}
