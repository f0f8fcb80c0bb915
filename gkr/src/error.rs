//! Why a proof is refused.

/// Reasons for which this crate's decoders and verifiers refuse their input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reject {
    /// The input ends before everything that the statement calls for was read.
    #[error("the proof ends early")]
    Truncated,
    /// Bytes are left over.
    #[error("the proof goes on after its end, bytes left over: {0}")]
    Trailing(usize),
    /// A word is not below the field's modulus.
    #[error("a word is not below the modulus")]
    NonCanonicalWord,
    /// No entry of the parameter table has this id.
    #[error("unknown opening parameters {0}")]
    UnknownParameters(u16),
    /// An instance of these parameters is not secure enough.
    #[error("opening parameters {id} do not reach {target} bits at this size")]
    BelowTarget {
        /// The parameters' id.
        id: u16,
        /// Bits that they must reach.
        target: usize,
    },
    /// No vector of this length can be committed to.
    #[error("cannot commit to {0} words")]
    NumWords(usize),
    /// A point's dimension is not the committed polynomial's.
    #[error("the point has {got} coordinates, the committed polynomial {expected} variables")]
    PointLength {
        /// Variables of the polynomial.
        expected: usize,
        /// Coordinates of the point.
        got: usize,
    },
    /// A Merkle multiproof claims more digests than its queries could need.
    #[error("a Merkle multiproof of {got} digests, {limit} at most are needed")]
    TooManyDigests {
        /// Digests claimed.
        got: usize,
        /// The most that the queries could need.
        limit: usize,
    },
    /// The opening of the committed polynomial does not verify.
    #[error("the polynomial opening is refused: {0}")]
    Opening(String),
    /// The opened value does not fulfil the linear form.
    #[error("the opened value does not fulfil the linear form")]
    LinearForm,
    /// No batch can be made of these regions.
    #[error("a batch has regions of one call each at least, and of 2^40 calls together at most")]
    Regions,
    /// Output claims are not of the regions' shape.
    #[error("there are not as many output claims as regions, or not at a point of their size")]
    OutputClaims,
    /// The messages of a merge of claims about outputs do not follow from the claims.
    #[error("the merge of the output claims does not hold")]
    MergedOutputs,
    /// A terminal claim is not what the input columns are.
    #[error("terminal claim {claim}: the input columns are others")]
    Inputs {
        /// Which of the batch's claims.
        claim: usize,
    },
    /// A layer's skip message does not sum to the claim that it follows.
    #[error("layer {layer} of the walk: skip message and claim disagree")]
    Skip {
        /// The layer, in the walk's order.
        layer: usize,
    },
    /// A layer's ends do not give the claim that its rounds left.
    #[error("layer {layer} of the walk: gate and claim disagree")]
    Gate {
        /// The layer, in the walk's order.
        layer: usize,
    },
    /// The sums over a level's positions do not give the claims about its digests.
    #[error("level {level} of the calls: position sums and claims disagree")]
    Positions {
        /// The level whose digests they are, from 1 on.
        level: usize,
    },
    /// A level's digests do not give the claim that the merge of their claims left.
    #[error("level {level} of the calls: digests and merged claim disagree")]
    Merge {
        /// The level whose digests they are, from 1 on.
        level: usize,
    },
}
