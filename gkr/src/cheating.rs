//! Channels of cheating provers and of curious verifiers, for tests.

use p3_field::PrimeCharacteristicRing;

use crate::transcript::{Challenger, Channel, ProverChannel, Receiver, Sender, VerifierChannel};
use crate::{E, Reject};

/// A prover's channel that alters messages before they are sent and absorbed: what follows
/// fits the altered transcript.
pub(crate) struct Altering<A> {
    inner: ProverChannel,
    alter: A,
    sent: usize,
    drawn: Vec<E>,
}

impl<A: FnMut(usize, &mut [E], &[E])> Altering<A> {
    /// `alter` is given every message's number, the message, and what was drawn before it.
    pub(crate) fn new(domain: &[u8], alter: A) -> Self {
        Self { inner: ProverChannel::new(domain), alter, sent: 0, drawn: Vec::new() }
    }

    /// What was sent.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.inner.finish()
    }
}

/// Adds one to one element of one message.
pub(crate) fn add_one(message: usize, element: usize) -> impl FnMut(usize, &mut [E], &[E]) {
    move |number, elements, _| {
        if number == message {
            elements[element] += E::ONE;
        }
    }
}

impl<A> Channel for Altering<A> {
    fn challenger(&mut self) -> &mut Challenger {
        self.inner.challenger()
    }

    fn draw(&mut self) -> E {
        let drawn = self.inner.draw();
        self.drawn.push(drawn);
        drawn
    }
}

impl<A: FnMut(usize, &mut [E], &[E])> Sender for Altering<A> {
    fn send(&mut self, message: &[E]) {
        let mut message = message.to_vec();
        (self.alter)(self.sent, &mut message, &self.drawn);
        self.sent += 1;
        self.inner.send(&message);
    }

    fn hint(&mut self, bytes: &[u8]) {
        self.inner.hint(bytes);
    }
}

/// A verifier's channel that remembers what it drew.
pub(crate) struct Recording<'a> {
    inner: VerifierChannel<'a>,
    /// The challenges, in order.
    pub(crate) drawn: Vec<E>,
}

impl<'a> Recording<'a> {
    pub(crate) fn new(domain: &[u8], proof: &'a [u8]) -> Self {
        Self { inner: VerifierChannel::new(domain, proof), drawn: Vec::new() }
    }
}

impl Channel for Recording<'_> {
    fn challenger(&mut self) -> &mut Challenger {
        self.inner.challenger()
    }

    fn draw(&mut self) -> E {
        let drawn = self.inner.draw();
        self.drawn.push(drawn);
        drawn
    }
}

impl Receiver for Recording<'_> {
    fn recv_many(&mut self, len: usize) -> Result<Vec<E>, Reject> {
        self.inner.recv_many(len)
    }
}
