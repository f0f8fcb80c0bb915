//! A column's file.

use airda_gkr::codec::{WORD_BYTES, put_words};
use airda_gkr::permutation::Digest;

use super::{DIGEST_BYTES, Decoder, HEADER_BYTES, Kind, Malformed, start};
use crate::commitment::Commitment;
use crate::error::Error;
use crate::opening::{Column, Mismatch};
use crate::params::Params;

/// Bytes of the root and the index.
const FIXED_BYTES: usize = DIGEST_BYTES + 4;

/// What a column's file says of itself, readable without its commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnHeader {
    /// Root of the commitment that the column claims to belong to.
    pub root: Digest,
    /// The column's index.
    pub index: usize,
    /// Bytes of words and path.
    pub body_bytes: usize,
}

impl ColumnHeader {
    /// Reads the front of a column's file; the body is not looked at.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the front is not a column's.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        Self::read(bytes).map(|(header, _)| header)
    }

    fn read(bytes: &[u8]) -> Result<(Self, Decoder<'_>), Error> {
        let mut input = Decoder::new(Kind::Column, bytes)?;
        let root = input.digest()?;
        let index = input.u32()? as usize;
        let body_bytes = input.reader.remaining();
        Ok((Self { root, index, body_bytes }, input))
    }
}

impl Column {
    /// Bytes of the encoding of a column of a block with these parameters.
    pub const fn encoded_len(params: &Params) -> usize {
        Self::len_with(Self::body_len(params))
    }

    const fn len_with(body: usize) -> usize {
        body.saturating_add(HEADER_BYTES + FIXED_BYTES)
    }

    const fn body_len(params: &Params) -> usize {
        Self::body_of(params.column_words(), params.log_columns())
    }

    /// Bytes of so many words and digests. No input is as long as a sum that saturates.
    const fn body_of(words: usize, digests: usize) -> usize {
        words.saturating_mul(WORD_BYTES).saturating_add(digests.saturating_mul(DIGEST_BYTES))
    }

    /// The one encoding. An index that does not fit becomes the largest that does: neither is a
    /// column of any block.
    pub fn encode(&self) -> Vec<u8> {
        let body = Self::body_of(self.words().len(), self.path().len());
        let mut out = start(Kind::Column, Self::len_with(body));
        put_words(&mut out, self.root());
        let index = u32::try_from(self.index()).unwrap_or(u32::MAX);
        out.extend_from_slice(&index.to_le_bytes());
        put_words(&mut out, self.words());
        for digest in self.path() {
            put_words(&mut out, digest);
        }
        out
    }

    /// Reads a column of the block behind `commitment`. Its lengths are the commitment's;
    /// whether its words are too is for [`Commitment::check`] to say.
    ///
    /// # Errors
    /// [`Error::Malformed`] for bytes that [`Column::encode`] does not produce for these
    /// parameters; [`Error::Column`] for a column of another commitment or an index out of
    /// range.
    pub fn decode(bytes: &[u8], commitment: &Commitment) -> Result<Self, Error> {
        let params = commitment.params();
        let (header, mut input) = ColumnHeader::read(bytes)?;
        let index = header.index;
        if header.root != *commitment.root() {
            return Err(Error::Column { index, why: Mismatch::OtherRoot });
        }
        if index >= params.columns() {
            let why = Mismatch::Index { columns: params.columns() };
            return Err(Error::Column { index, why });
        }
        match header.body_bytes.checked_sub(Self::body_len(params)) {
            None => return input.refuse(Malformed::Truncated),
            Some(0) => {}
            Some(extra) => return input.refuse(Malformed::Trailing(extra)),
        }
        let words = input.words(params.column_words())?;
        let path = input.digests(params.log_columns())?;
        input.finish()?;
        Ok(Self::new(header.root, index, words, path))
    }
}
