//! Turns a panic inside the dependency's verifier into a value.
//!
//! p3's verifier asserts where its callers are expected to have checked. Our decoder hands it
//! well-shaped proofs only, so no panic is known; this is the second line. A build with
//! `panic = "abort"` does not have it.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether panics of this thread are expected and keep quiet.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`; `None` if it panicked. The panic's message is not printed.
///
/// The panic hook is state of the whole process: it is wrapped once and for all, and asks a
/// flag of the panicking thread. A caller who installs a hook later sees the message, no more.
/// Whatever `f` was changing is in an unspecified state after `None` and must be dropped.
pub(super) fn catch<T>(f: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    // Hooks cannot be taken while unwinding, as when a destructor verifies a proof.
    if !std::thread::panicking() {
        HOOK.call_once(|| {
            let previous = take_hook();
            set_hook(Box::new(move |info| {
                if !QUIET.with(Cell::get) {
                    previous(info);
                }
            }));
        });
    }
    let before = QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(f));
    QUIET.set(before);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::catch;

    #[test]
    fn a_panic_becomes_none_and_a_value_stays() {
        assert_eq!(catch(|| 3), Some(3));
        assert_eq!(catch(|| -> u8 { panic!("from inside") }), None);
        assert_eq!(catch(|| catch(|| -> u8 { panic!("from further inside") })), Some(None));
    }

    #[test]
    fn panics_outside_are_as_loud_as_before() {
        assert_eq!(catch(|| -> u8 { panic!("quiet") }), None);
        assert!(!super::QUIET.get());
    }
}
