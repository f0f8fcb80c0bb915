//! Why a command did not succeed: one line and an exit status.

use std::fmt;
use std::process::ExitCode;

use airda::Error;

/// A command's failure.
#[derive(Debug)]
pub(crate) struct Failure {
    status: u8,
    message: String,
}

impl Failure {
    /// What was given is well formed, but is not accepted or does not suffice.
    pub(crate) fn rejected(message: impl Into<String>) -> Self {
        Self { status: 1, message: message.into() }
    }

    /// What was given makes no sense or cannot be read, decoded or written.
    pub(crate) fn unusable(message: impl Into<String>) -> Self {
        Self { status: 2, message: message.into() }
    }

    /// The library's error about what is at `place`.
    pub(crate) fn at(place: impl fmt::Display, error: &Error) -> Self {
        let message = format!("{place}: {error}");
        match error {
            Error::Malformed { .. }
            | Error::Params(_)
            | Error::Profile { .. }
            | Error::Samples { .. }
            | Error::Randomness(_) => Self::unusable(message),
            _ => Self::rejected(message),
        }
    }

    /// The same, and what else there is to know.
    pub(crate) fn and(self, more: &str) -> Self {
        Self { message: format!("{}; {more}", self.message), ..self }
    }

    /// Says why on stderr.
    pub(crate) fn report(&self) -> ExitCode {
        complain(&self.message);
        ExitCode::from(self.status)
    }
}

/// One line to stderr, whatever a file's name holds.
pub(crate) fn complain(message: &str) {
    let line: String = message
        .chars()
        .flat_map(|c| {
            let plain = (!c.is_control()).then_some(c);
            plain.into_iter().chain(c.escape_default().take(if plain.is_some() { 0 } else { 9 }))
        })
        .collect();
    // With stderr gone there is nobody left to tell.
    let _ =
        std::io::Write::write_all(&mut std::io::stderr(), format!("airda: {line}\n").as_bytes());
}
