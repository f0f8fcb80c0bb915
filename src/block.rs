//! The builder's side: a payload, encoded and hashed.
#![deny(clippy::arithmetic_side_effects)]

use airda_gkr::F;
use airda_gkr::permutation::{Digest, Permutation, Poseidon2};
use p3_field::PrimeCharacteristicRing;
use tracing::{info_span, instrument};

#[cfg(feature = "prover")]
use crate::code;
use crate::commitment::Commitment;
use crate::error::Error;
use crate::opening::{Column, ColumnTree, open_many};
use crate::params::{HashWidth, Params};
use crate::relation::Relation;

/// An encoded block with all its digests: the witness of its proof.
#[derive(Clone, Debug)]
pub struct Block {
    commitment: Commitment,
    tree: ColumnTree,
    /// The encoded matrix, then the digests, as the relation's table lays them out.
    words: Vec<F>,
}

impl Block {
    /// Encodes a payload and commits to it.
    ///
    /// # Errors
    /// [`Error::Params`] when the payload does not have the parameters' length.
    #[cfg(feature = "prover")]
    #[instrument(name = "das.build", skip_all, fields(bytes = payload.len()))]
    pub fn build(params: Params, payload: &[u8]) -> Result<Self, Error> {
        let encode = |matrix: &mut [F]| {
            info_span!("das.encode").in_scope(|| code::encode(&params, payload, matrix))
        };
        match params.hash() {
            HashWidth::W16 => Self::build_at::<16>(params, encode),
            HashWidth::W24 => Self::build_at::<24>(params, encode),
        }
    }

    /// Commits to an encoded matrix. Whether its rows are codewords is not checked: a proof
    /// shows it, and none can be made where it is false.
    ///
    /// # Errors
    /// [`Error::Params`] when the matrix does not have the parameters' length.
    pub fn commit(params: Params, matrix: &[F]) -> Result<Self, Error> {
        if matrix.len() != params.matrix_words() {
            return Err(Error::Params("the matrix does not have the parameters' length"));
        }
        let copy = |words: &mut [F]| {
            words.copy_from_slice(matrix);
            Ok(())
        };
        match params.hash() {
            HashWidth::W16 => Self::build_at::<16>(params, copy),
            HashWidth::W24 => Self::build_at::<24>(params, copy),
        }
    }

    /// Has the matrix written into place, in memory for all words, and hashes it.
    fn build_at<const T: usize>(
        params: Params,
        write: impl FnOnce(&mut [F]) -> Result<(), Error>,
    ) -> Result<Self, Error>
    where
        Poseidon2<T>: Permutation<T>,
    {
        let relation = Relation::<T>::new(&params);
        let mut words = F::zero_vec(relation.table().num_words());
        write(&mut words[..params.matrix_words()])?;
        info_span!("das.commit").in_scope(|| {
            relation.table().evaluate(&mut words);
            Self::assemble(&relation, params, words)
        })
    }

    /// The commitment that `words`, digests included, speak of.
    fn assemble<const T: usize>(
        relation: &Relation<T>,
        params: Params,
        words: Vec<F>,
    ) -> Result<Self, Error>
    where
        Poseidon2<T>: Permutation<T>,
    {
        let row_digests: Vec<Digest> =
            (0..params.rows()).map(|row| relation.row_digest(&words, row)).collect();
        let roots = (0..params.columns()).map(|j| relation.column_root(&words, j)).collect();
        let commitment = Commitment::new(params, row_digests, relation.root_col(&words))?;
        Ok(Self { commitment, tree: ColumnTree::new(&params, roots), words })
    }

    /// A block with whatever words a cheating builder likes, and the commitment they speak of.
    ///
    /// # Errors
    /// [`Error::Params`] when the words are not as many as the relation's.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub fn from_words_unchecked(params: Params, words: Vec<F>) -> Result<Self, Error> {
        fn at<const T: usize>(params: Params, words: Vec<F>) -> Result<Block, Error>
        where
            Poseidon2<T>: Permutation<T>,
        {
            let relation = Relation::<T>::new(&params);
            if words.len() != relation.table().num_words() {
                return Err(Error::Params("the words are not as many as the relation's"));
            }
            Block::assemble(&relation, params, words)
        }
        match params.hash() {
            HashWidth::W16 => at::<16>(params, words),
            HashWidth::W24 => at::<24>(params, words),
        }
    }

    /// The same block under a commitment that need not be its own, as a cheating builder would
    /// publish it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    #[must_use]
    pub fn claiming_unchecked(self, commitment: Commitment) -> Self {
        Self { commitment, ..self }
    }

    /// The commitment.
    pub const fn commitment(&self) -> &Commitment {
        &self.commitment
    }

    /// The parameters.
    pub const fn params(&self) -> &Params {
        self.commitment.params()
    }

    /// The encoded matrix: word e of the cells of row i starts at
    /// [`Params::word_offset`]`(i, e)`.
    pub fn matrix(&self) -> &[F] {
        &self.words[..self.params().matrix_words()]
    }

    /// The matrix and all digests, in the relation's layout.
    pub fn words(&self) -> &[F] {
        &self.words
    }

    /// Opens the columns `indices`, in that order.
    ///
    /// # Errors
    /// [`Error::Column`] for an index out of range.
    #[instrument(name = "das.open", skip_all, fields(columns = indices.len()))]
    pub fn open(&self, indices: &[usize]) -> Result<Vec<Column>, Error> {
        open_many(&self.commitment, &self.tree, self.matrix(), indices)
    }
}
