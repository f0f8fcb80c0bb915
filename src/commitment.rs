//! The commitment to an encoded block: parameters and digests, bound by one root.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

use airda_gkr::permutation::Digest;

use crate::error::Error;
use crate::params::Params;

/// A commitment. Its root is always that of its parameters and digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commitment {
    params: Params,
    root: Digest,
    row_digests: Vec<Digest>,
    root_col: Digest,
}

impl Commitment {
    /// Bundles the digests of a block and computes the root.
    ///
    /// # Errors
    /// [`Error::Params`] when there is not one digest a row.
    pub fn new(params: Params, row_digests: Vec<Digest>, root_col: Digest) -> Result<Self, Error> {
        if row_digests.len() != params.rows() {
            return Err(Error::Params("a commitment needs one digest a row"));
        }
        let root = params.root(&row_digests, &root_col);
        Ok(Self { params, root, row_digests, root_col })
    }

    /// The same with a root that is not its own: only so can a test change one public field.
    #[cfg(test)]
    pub(crate) fn with_root(self, root: Digest) -> Self {
        Self { root, ..self }
    }

    /// The parameters.
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// The root, which binds everything else.
    pub const fn root(&self) -> &Digest {
        &self.root
    }

    /// The digests of the rows' payload halves, one a row.
    pub fn row_digests(&self) -> &[Digest] {
        &self.row_digests
    }

    /// The root of the tree over the column roots.
    pub const fn root_col(&self) -> &Digest {
        &self.root_col
    }
}
