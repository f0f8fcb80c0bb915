//! The committing and opening side; the numbers are the steps of the [module](super).

use p3_commit::{Encoder, Mmcs};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixView, RowMajorMatrixViewMut};
use p3_sumcheck::OpeningBatch;
use p3_sumcheck::layout::{Layout as _, Table};
use p3_whir::PcsProof;
use tracing::{info_span, instrument};

use super::encoding::put_digest;
use super::{Commitment, Layout, Scheme, Tree};
use crate::blake3::DIGEST_BYTES;
use crate::transcript::Sender;
use crate::{E, F, memory};

/// A committed vector: f itself, its codeword and the codeword's Merkle tree.
pub struct Committed {
    layout: Layout,
    codeword: <Tree as Mmcs<F>>::ProverData<RowMajorMatrix<F>>,
}

impl Committed {
    /// The committed words, extended with zeros to 2^m. They are kept here only, to spare a
    /// copy: whoever needs them between commitment and opening borrows them.
    pub fn words(&self) -> &[F] {
        self.layout.table(0).iter_polys().next().unwrap_or_default()
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
        words.resize(1 << self.num_variables(), F::ZERO);
        let codeword = self.encode(&words);
        let (cap, codeword) =
            info_span!("commit_matrix").in_scope(|| self.tree.commit_used(codeword));
        let [root] = cap.roots() else { panic!("the tree has one root") };
        self.observe(&Commitment { root: *root }, channel.challenger());
        let mut bytes = Vec::with_capacity(DIGEST_BYTES);
        put_digest(root, &mut bytes);
        channel.hint(&bytes);
        let table = Table::new(RowMajorMatrix::new(words, 1 << self.num_variables()));
        let witness = Layout::new_witness(vec![table], self.pcs.round_folding_factor(0));
        Committed { layout: Layout::from_witness(witness), codeword }
    }

    /// The used columns of the first codeword.
    fn encode(&self, words: &[F]) -> RowMajorMatrix<F> {
        let width = self.columns.used;
        let height = 1 << (self.num_variables() - self.pcs.round_folding_factor(0));
        let log_inv_rate = self.parameters.log_inv_rate();
        // Zeros below the message: the encoder wants the codeword's height.
        let mut values = F::zero_vec((height << log_inv_rate) * width);
        memory::advise(&values);
        info_span!("transpose").in_scope(|| {
            let columns = RowMajorMatrixView::new(&words[..width * height], height);
            let rows = &mut values[..width * height];
            columns.transpose_into(&mut RowMajorMatrixViewMut::new(rows, width));
        });
        let message = RowMajorMatrix::new(values, width);
        info_span!("encode", width)
            .in_scope(|| self.transform.encode_batch_padded(message, log_inv_rate))
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
        let challenger = channel.challenger();
        let Committed { mut layout, codeword } = committed;
        // As p3's `open_at`, which takes no codeword but its own.
        let answers = (0..self.pcs.commitment_ood_samples())
            .map(|_| layout.add_virtual_eval(challenger))
            .collect();
        let column = OpeningBatch::new(vec![0], vec![]);
        let evals = vec![layout.eval_at(0, &column, &Self::point(point), challenger)];
        let whir = self
            .pcs
            .prove(answers, challenger, layout, codeword, 1)
            .expect("the scheme is consistent");
        let proof = PcsProof { whir, evals };
        let mut bytes = Vec::new();
        self.shape.encode(&proof, &mut bytes);
        channel.hint(&bytes);
        proof.evals[0].current()[0]
    }
}
