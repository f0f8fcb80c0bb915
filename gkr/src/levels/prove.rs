//! The levels' prover: it trusts its words and traces.

use tracing::instrument;

use super::fold::{Pair, digests_at, fold_positions, position_sums, weight_rows};
use super::{Claim, Fed, Merge, NODES, dot, head, kernel, node, order};
use crate::calls::Level;
use crate::eq::eq_table;
use crate::permutation::{DIGEST, Permutation, Poseidon2};
use crate::sumcheck::dense::Dense;
use crate::transcript::Sender;
use crate::walk::{self, LOG_LANES, POSITIONS, Point, Positions, Trace, lagrange, log_outer};
use crate::{E, sumcheck};

/// Proves the walks of all levels. `words` are the table's, `trace` gives each level's trace.
///
/// Before this the channel must have absorbed whatever fixes the calls. A false word or trace
/// gives a proof that does not verify.
#[instrument(name = "gkr.levels.prove", level = "debug", skip_all, fields(levels = levels.len()))]
pub(crate) fn prove<const T: usize>(
    levels: &[Level<'_, T>],
    words: &[crate::F],
    trace: impl Fn(&Level<'_, T>) -> Trace<T>,
    channel: &mut (impl Sender + Send),
) -> Vec<Claim<T>>
where
    Poseidon2<T>: Permutation<T>,
{
    let mut claims: Vec<Claim<T>> = Vec::with_capacity(levels.len());
    for level in levels {
        let claim = match claims.last_mut() {
            // 1.
            None => walk::prove(&mut trace(level), channel).into(),
            Some(above) => {
                // 2. and 3.
                let (fed, at, digests) = merge(level, words, &above.walk, channel);
                above.fed = fed;
                // 4.
                let walk = walk::prove_from(&mut trace(level), at, channel);
                Claim { walk, digests: Some(digests), fed: Fed::default() }
            }
        };
        claims.push(claim);
    }
    claims
}

/// Steps 2 and 3, for the digests of `level`.
#[instrument(name = "gkr.levels.merge", level = "debug", skip_all, fields(calls = level.num_calls))]
pub(super) fn merge<const T: usize>(
    level: &Level<'_, T>,
    words: &[crate::F],
    above: &walk::Claim<T>,
    channel: &mut impl Sender,
) -> (Fed, Point, [E; DIGEST]) {
    let log_outer = log_outer(level.num_calls);
    // 2.
    let points = [&above.outputs_at, &above.inputs_at];
    let eqs = points.map(|point| {
        let (outer, above) = point.outer.split_at(log_outer);
        let head = head(above);
        eq_table(outer).into_iter().map(|eq| head * eq).collect::<Vec<E>>()
    });
    let sums: [[[E; POSITIONS]; DIGEST]; 2] =
        std::array::from_fn(|i| position_sums(level, words, &eqs[i], &points[i].lanes));
    let [at_rho, at_r] = [0, 1].map(|i| digests_at(&sums[i], &points[i].positions.weights()));
    let fed = Fed { outputs: dot(&above.beta, &at_rho), inputs: at_r };
    channel.send(&[fed.outputs]);
    channel.send(&fed.inputs);
    // 3.
    let merge = Merge::new(above, channel.draw());
    // 3a.
    let columns: [[E; POSITIONS]; 2] = std::array::from_fn(|i| {
        std::array::from_fn(|z| {
            sums[i].iter().zip(&merge.weights[i]).map(|(sums, &weight)| weight * sums[z]).sum()
        })
    });
    let message: [E; NODES] = std::array::from_fn(|n| {
        let basis = lagrange::<POSITIONS>(node(n));
        (0..2)
            .map(|i| kernel(points[i], &Positions::Univariate(node(n))) * dot(&basis, &columns[i]))
            .sum()
    });
    channel.send(&message);
    let zeta = channel.draw();
    // 3b.
    let basis = lagrange::<POSITIONS>(zeta);
    let folded = fold_positions(level, words, &merge.weights, &basis, 1 << log_outer);
    let claim = dot(&lagrange::<NODES>(zeta), &message);
    let products = folded.into_iter().zip(&eqs).zip(points).map(|((values, eq), point)| {
        let weights = weight_rows(eq, &point.lanes, kernel(point, &Positions::Univariate(zeta)));
        Dense::new(log_outer + LOG_LANES, values, weights)
    });
    let Ok(products) = products.collect::<Vec<_>>().try_into() else {
        unreachable!("there are two points")
    };
    let bound = sumcheck::prove(&mut Pair(products), order(log_outer), claim, channel);
    let at = Point::from_bits(zeta, bound.point.into_iter());
    // 3c.
    let sums = position_sums(level, words, &eq_table(&at.outer), &at.lanes);
    let digests = digests_at(&sums, &basis);
    debug_assert_eq!(merge.value(&at, &digests), bound.sum);
    channel.send(&digests);
    (fed, at, digests)
}
