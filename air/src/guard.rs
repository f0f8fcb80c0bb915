//! Turns a panic inside the dependency's verifier into a value.
//!
//! p3's verifiers assert where their callers are expected to have checked. Our decoder hands them
//! well-shaped proofs only, so no panic is known; this is the second line. The process's panic
//! hook prints the message first, and a build with `panic = "abort"` does not have the guard.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `f`; `None` if it panicked. Whatever `f` was changing must be dropped then.
pub(crate) fn catch<T>(f: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(f)).ok()
}

#[cfg(test)]
mod tests {
    use p3_field::TwoAdicField;

    use super::catch;
    use crate::F;

    #[test]
    fn a_panic_of_theirs_becomes_none_and_a_value_stays() {
        assert_eq!(catch(|| 3), Some(3));
        // p3's own: there is no such generator.
        assert_eq!(catch(|| F::two_adic_generator(99)), None);
    }
}
