//! The linear form.

use std::time::Instant;

use airda_gkr::calls::{CallTable, Layout};
use airda_gkr::commit::Scheme;
use airda_gkr::form::{Equation, Equations, Term};
use airda_gkr::permutation::{Permutation, Poseidon2};
use airda_gkr::transcript::{Challenger, Channel, ProverChannel, Sender, VerifierChannel};
use airda_gkr::{E, argument};

use crate::{DOMAIN, Instance, Run, eq, timed};

/// A prover's channel that notes when something was sent.
struct Clocked {
    channel: ProverChannel,
    start: Instant,
    hints: Vec<f64>,
    messages: Vec<f64>,
}

impl Channel for Clocked {
    fn challenger(&mut self) -> &mut Challenger {
        self.channel.challenger()
    }
}

impl Sender for Clocked {
    fn send(&mut self, message: &[E]) {
        self.channel.send(message);
        self.messages.push(self.start.elapsed().as_secs_f64());
    }

    fn hint(&mut self, bytes: &[u8]) {
        self.channel.hint(bytes);
        self.hints.push(self.start.elapsed().as_secs_f64());
    }
}

/// The linear form: a vector of eq over the coordinates that all columns share, and a term for
/// every such part of a column.
pub(crate) fn run<const T: usize>(instance: &Instance, scheme: &Scheme) -> Run
where
    Poseidon2<T>: Permutation<T>,
{
    let Instance { words, columns, point, values } = instance;
    let shared = *columns.last().expect("columns");
    let table = CallTable::<T>::new(words.len());
    let layout = Layout::whole(&table);
    let vector = eq(&point[..shared]);
    let mut equations = Equations::new();
    let vector = equations.vector(&vector);
    for ((&log_height, start), &value) in columns.iter().zip(instance.starts()).zip(values) {
        let heads = eq(&point[shared..log_height]).into_iter().enumerate();
        let term =
            |(part, coefficient)| Term { start: start + (part << shared), vector, coefficient };
        equations.push(Equation { terms: heads.map(term).collect(), value });
    }
    let statement = argument::Statement { table: &table, layout, equations: &equations };

    let channel = ProverChannel::new(DOMAIN);
    let start = Instant::now();
    let mut channel = Clocked { channel, start, hints: Vec::new(), messages: Vec::new() };
    argument::prove(&statement, scheme, words, &mut channel);
    let Clocked { channel, hints, messages, .. } = channel;
    let (&[root, opened], &[.., last]) = (&hints[..], &messages[..]) else {
        panic!("a whole proof")
    };
    // The form's messages are the last ones, before them come those of the empty walk.
    let walked = messages[messages.len() - scheme.num_variables() - 1];
    let proof = channel.finish();

    let mut channel = VerifierChannel::new(DOMAIN, &proof);
    let (sizes, verify) = timed(|| argument::verify(&statement, scheme, &mut channel));
    let sizes = sizes.expect("a good proof");
    channel.finish().expect("nothing is left");
    Run {
        commit: root,
        reduce: Some(last - walked),
        open: opened - last,
        verify,
        reduction: sizes.form,
        opening: sizes.commitment + sizes.opening,
    }
}
