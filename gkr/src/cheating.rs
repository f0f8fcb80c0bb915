//! Channels of cheating provers and of curious verifiers, for tests.

use p3_field::PrimeCharacteristicRing;

use crate::transcript::{Challenger, Channel, ProverChannel, Receiver, Sender, VerifierChannel};
use crate::{E, Reject};

/// What is done to a message: given its number, itself, and what was drawn before it.
type Alter<'a> = dyn FnMut(usize, &mut [E], &[E]) + Send + 'a;

/// A prover's channel that alters messages before they are sent and absorbed: what follows
/// fits the altered transcript. One type for all alterations, or every one of them would have
/// all provers compiled for it.
pub(crate) struct Altering<'a> {
    inner: Recording<ProverChannel>,
    alter: Box<Alter<'a>>,
    sent: usize,
}

impl<'a> Altering<'a> {
    pub(crate) fn new(domain: &[u8], alter: impl FnMut(usize, &mut [E], &[E]) + Send + 'a) -> Self {
        let inner = Recording::of(ProverChannel::new(domain));
        Self { inner, alter: Box::new(alter), sent: 0 }
    }

    /// What was sent.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.inner.inner.finish()
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

impl Channel for Altering<'_> {
    fn challenger(&mut self) -> &mut Challenger {
        self.inner.challenger()
    }

    fn draw(&mut self) -> E {
        self.inner.draw()
    }
}

impl Sender for Altering<'_> {
    fn send(&mut self, message: &[E]) {
        let mut message = message.to_vec();
        (self.alter)(self.sent, &mut message, &self.inner.drawn);
        self.sent += 1;
        self.inner.inner.send(&message);
    }

    fn hint(&mut self, bytes: &[u8]) {
        self.inner.inner.hint(bytes);
    }
}

/// A channel that remembers what it drew.
pub(crate) struct Recording<C> {
    inner: C,
    /// The challenges, in order.
    pub(crate) drawn: Vec<E>,
}

impl<C> Recording<C> {
    const fn of(inner: C) -> Self {
        Self { inner, drawn: Vec::new() }
    }
}

impl<'a> Recording<VerifierChannel<'a>> {
    pub(crate) fn new(domain: &[u8], proof: &'a [u8]) -> Self {
        Self::of(VerifierChannel::new(domain, proof))
    }
}

impl<C: Channel> Channel for Recording<C> {
    fn challenger(&mut self) -> &mut Challenger {
        self.inner.challenger()
    }

    fn draw(&mut self) -> E {
        let drawn = self.inner.draw();
        self.drawn.push(drawn);
        drawn
    }
}

impl Receiver for Recording<VerifierChannel<'_>> {
    fn recv_many(&mut self, len: usize) -> Result<Vec<E>, Reject> {
        self.inner.recv_many(len)
    }
}
