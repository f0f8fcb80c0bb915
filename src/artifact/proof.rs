//! The proof's file: an envelope that names the proof system.

use super::{Decoder, HEADER_BYTES, Kind, Limits, Malformed, start};
use crate::error::Error;

/// A proof's file. The body belongs to the proof system; here it is only bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofFile<'a> {
    /// Entry of the table of proof systems; whether there is such an entry is not checked here.
    pub system: u16,
    /// How membership is shown; whether there is such a mode is not checked here.
    pub membership: u8,
    /// Which chaining values are committed; whether it is in range is not checked here.
    pub chain_step: u8,
    /// The proof system's own bytes.
    pub body: &'a [u8],
}

impl<'a> ProofFile<'a> {
    /// Bytes around the body.
    pub const ENVELOPE_BYTES: usize = HEADER_BYTES + 2 + 1 + 1 + 4;

    /// The one encoding.
    ///
    /// # Panics
    /// When the body is 4 GiB or longer.
    pub fn encode(&self) -> Vec<u8> {
        let Ok(len) = u32::try_from(self.body.len()) else { panic!("a proof of 4 GiB or more") };
        let mut out = start(Kind::Proof, self.body.len().saturating_add(Self::ENVELOPE_BYTES));
        out.extend_from_slice(&self.system.to_le_bytes());
        out.push(self.membership);
        out.push(self.chain_step);
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(self.body);
        out
    }

    /// Reads the envelope; the body is borrowed, so nothing is allocated.
    ///
    /// # Errors
    /// [`Error::Malformed`] for anything that [`ProofFile::encode`] does not produce, or that
    /// exceeds `limits`.
    pub fn decode(bytes: &'a [u8], limits: &Limits) -> Result<Self, Error> {
        let kind = Kind::Proof;
        Limits::check(kind, "its length in bytes", bytes.len(), limits.proof_bytes)?;
        let mut input = Decoder::new(kind, bytes)?;
        let system = input.u16()?;
        let membership = input.u8()?;
        let chain_step = input.u8()?;
        let len = input.u32()? as usize;
        if len > input.reader.remaining() {
            return input.refuse(Malformed::Truncated);
        }
        let body = input.bytes(len)?;
        input.finish()?;
        Ok(Self { system, membership, chain_step, body })
    }
}
