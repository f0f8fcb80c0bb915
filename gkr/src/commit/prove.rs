//! The committing and opening side; the numbers are the steps of the [module](super).

use p3_commit::MultilinearPcs;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_sumcheck::PrescribedPointPcs;
use p3_sumcheck::layout::{Layout as _, Table};
use tracing::instrument;

use super::encoding::{DIGEST_BYTES, put_digest};
use super::{Layout, Pcs, Scheme};
use crate::transcript::{Challenger, Sender};
use crate::{E, F};

/// A committed vector: f itself, its codeword and the codeword's Merkle tree.
pub struct Committed {
    data: <Pcs as MultilinearPcs<E, Challenger>>::ProverData,
}

impl Committed {
    /// The committed words, extended with zeros to 2^m. They are kept here only, to spare a
    /// copy: whoever needs them between commitment and opening borrows them.
    pub fn words(&self) -> &[F] {
        self.data.table(0).iter_polys().next().unwrap_or_default()
    }
}

impl std::fmt::Debug for Committed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Committed").field("words", &self.words().len()).finish_non_exhaustive()
    }
}

impl Scheme {
    /// Commits to `words`: binds the parameters, sends the root and absorbs it.
    ///
    /// `words` is extended with zeros to 2^m in place; reserve that capacity to spare a copy.
    ///
    /// # Panics
    /// When `words` does not have the scheme's length.
    #[instrument(name = "whir.commit", skip_all, fields(num_vars = self.num_variables()))]
    pub fn commit(&self, mut words: Vec<F>, channel: &mut impl Sender) -> Committed {
        assert_eq!(words.len(), self.num_words(), "the scheme is for another length");
        // 1.
        self.bind(channel);
        let width = 1 << self.num_variables();
        words.resize(width, F::ZERO);
        let table = Table::new(RowMajorMatrix::new(words, width));
        let witness = Layout::new_witness(vec![table], self.pcs.round_folding_factor(0));
        let (cap, data) =
            self.pcs.commit(witness, channel.challenger()).expect("the scheme is consistent");
        let [root] = cap.roots() else { panic!("the tree has one root") };
        let mut bytes = Vec::with_capacity(DIGEST_BYTES);
        put_digest(root, &mut bytes);
        channel.hint(&bytes);
        Committed { data }
    }

    /// Opens f~ at `point`, little-endian, and returns the value. The point must depend on
    /// challenges drawn after [`Scheme::commit`].
    ///
    /// # Panics
    /// When the point has another number of coordinates than the scheme has variables.
    #[instrument(name = "whir.open", skip_all, fields(num_vars = self.num_variables()))]
    pub fn open(&self, committed: Committed, point: &[E], channel: &mut impl Sender) -> E {
        assert_eq!(point.len(), self.num_variables(), "one coordinate for each variable");
        // 3.
        let points = [Self::point(point)];
        let proof = self
            .pcs
            .open_at(committed.data, &self.protocol, &points, channel.challenger())
            .expect("the scheme is consistent");
        let mut bytes = Vec::new();
        self.shape.encode(&proof, &mut bytes);
        channel.hint(&bytes);
        proof.evals[0].current()[0]
    }
}
