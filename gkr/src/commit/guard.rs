//! Turns a panic inside the dependency's verifier into a value.
//!
//! p3's verifier asserts where its callers are expected to have checked. Our decoder hands it
//! well-shaped proofs only, so no panic is known; this is the second line. A build with
//! `panic = "abort"` does not have it. Only the calling thread is kept quiet: a panic on a thread
//! of Rayon's, should p3's verifier use any, is caught and printed.
//!
//! Code of ours runs inside that verifier too: the hash of the transcript and of the trees. A
//! panic that does not start in a file of p3 is therefore no answer to a proof but a fault of
//! this crate: its message is printed, and with the feature `testing` the panic goes on, so that
//! no test mistakes it for a refusal.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

thread_local! {
    /// Whether panics of this thread are expected to be p3's, and keep quiet then.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
    /// Whether the last panic of this thread that was expected started in p3.
    static THEIRS: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`; `None` if it panicked. The message of a panic that starts in p3 is not printed.
///
/// The panic hook is state of the whole process: it is wrapped once and for all, and asks a
/// flag of the panicking thread. A caller who installs a hook later sees the message, no more.
/// Whatever `f` was changing is in an unspecified state after `None` and must be dropped.
///
/// # Panics
/// With the feature `testing`, with whatever panic of `f` does not start in p3.
pub(super) fn catch<T>(f: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    // Hooks cannot be taken while unwinding, as when a destructor verifies a proof.
    if !std::thread::panicking() {
        HOOK.call_once(|| {
            let previous = take_hook();
            set_hook(Box::new(move |info| {
                let theirs = info.location().is_some_and(is_theirs);
                THEIRS.set(theirs);
                if !(theirs && EXPECTED.get()) {
                    previous(info);
                }
            }));
        });
    }
    let before = EXPECTED.replace(true);
    THEIRS.set(false);
    let outcome = catch_unwind(AssertUnwindSafe(f));
    EXPECTED.set(before);
    match outcome {
        Ok(value) => Some(value),
        Err(panic) if cfg!(feature = "testing") && !THEIRS.get() => resume_unwind(panic),
        Err(_) => None,
    }
}

/// Whether that is in a file of one of p3's packages, whose directories carry their names.
fn is_theirs(location: &Location<'_>) -> bool {
    let mut directories = Path::new(location.file()).components();
    directories.any(|part| part.as_os_str().to_string_lossy().starts_with("p3-"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::process::Command;

    use p3_field::TwoAdicField;

    use super::catch;
    use crate::F;

    /// A panic of p3's own: there is no such generator.
    fn theirs() -> F {
        F::two_adic_generator(99)
    }

    #[test]
    fn a_panic_of_theirs_becomes_none_and_a_value_stays() {
        assert_eq!(catch(|| 3), Some(3));
        assert_eq!(catch(theirs), None);
        assert_eq!(catch(|| catch(theirs)), Some(None));
        assert!(!super::EXPECTED.get());
    }

    /// The test above, as a process of its own.
    #[test]
    fn a_panic_of_theirs_is_not_printed() {
        let test = "commit::guard::tests::a_panic_of_theirs_becomes_none_and_a_value_stays";
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .output()
            .unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(output.status.success() && out.contains("1 passed"), "{out}");
        assert!(!err.contains("panicked"), "{err}");
    }

    /// Without the feature the panic is an answer nevertheless: a node does not go down.
    #[test]
    fn a_panic_of_ours_goes_on_in_tests() {
        let outcome = catch_unwind(AssertUnwindSafe(|| catch(|| -> u8 { panic!("ours") })));
        if cfg!(feature = "testing") {
            assert!(outcome.is_err());
        } else {
            assert!(matches!(outcome, Ok(None)));
        }
        assert!(!super::EXPECTED.get());
        assert_eq!(catch(theirs), None);
    }
}
