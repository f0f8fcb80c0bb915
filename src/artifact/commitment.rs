//! The commitment's file.

use airda_gkr::codec::put_words;

use super::{DIGEST_BYTES, Decoder, HEADER_BYTES, Kind, Limits, Malformed, start};
use crate::commitment::Commitment;
use crate::error::Error;
use crate::params::{HashWidth, Params};

/// Bytes of the parameters.
const PARAMS_BYTES: usize = 3 + 4 + 8;

impl Commitment {
    /// Bytes of the encoding of a commitment with these parameters.
    pub const fn encoded_len(params: &Params) -> usize {
        let digests = params.rows().saturating_mul(DIGEST_BYTES);
        digests.saturating_add(HEADER_BYTES + PARAMS_BYTES + 2 * DIGEST_BYTES)
    }

    /// The one encoding.
    #[allow(clippy::cast_possible_truncation, reason = "parameters are bounded")]
    pub fn encode(&self) -> Vec<u8> {
        let params = self.params();
        let mut out = start(Kind::Commitment, Self::encoded_len(params));
        out.push(params.hash().width() as u8);
        out.push(params.log_k() as u8);
        out.push(params.log_c() as u8);
        out.extend_from_slice(&(params.rows() as u32).to_le_bytes());
        out.extend_from_slice(&params.payload_len().to_le_bytes());
        put_words(&mut out, self.root());
        put_words(&mut out, self.root_col());
        for digest in self.row_digests() {
            put_words(&mut out, digest);
        }
        out
    }

    /// Reads a commitment and recomputes its root.
    ///
    /// # Errors
    /// [`Error::Malformed`] for anything that [`Commitment::encode`] does not produce, or that
    /// exceeds `limits`.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        let kind = Kind::Commitment;
        Limits::check(kind, "its length in bytes", bytes.len(), limits.commitment_bytes)?;
        let mut input = Decoder::new(kind, bytes)?;
        let hash = match input.u8()? {
            16 => HashWidth::W16,
            24 => HashWidth::W24,
            width => return input.refuse(Malformed::Width(width)),
        };
        let log_k = usize::from(input.u8()?);
        Limits::check(kind, "log2 of the row length", log_k, limits.log_k)?;
        let log_c = usize::from(input.u8()?);
        let rows = input.u32()? as usize;
        Limits::check(kind, "the number of rows", rows, limits.rows)?;
        let payload_len = input.u64()?;
        let params = match Params::new(hash, log_k, log_c, rows, payload_len) {
            Ok(params) => params,
            Err(Error::Params(why)) => return input.refuse(Malformed::Params(why)),
            Err(other) => return Err(other),
        };
        let root = input.digest()?;
        let root_col = input.digest()?;
        let row_digests = input.digests(rows)?;
        input.finish()?;
        let commitment = Self::new(params, row_digests, root_col)?;
        if *commitment.root() != root {
            return Err(Error::Malformed { kind, why: Malformed::Root });
        }
        Ok(commitment)
    }
}
