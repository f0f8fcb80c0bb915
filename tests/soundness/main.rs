//! The forgery suite: proofs, artifacts and recoveries that would be accepted if one guard were
//! missing.
//!
//! Below are the ways in which published proof systems and data availability libraries have
//! failed, and the tests here that owe their failure to a guard against them. Where a forgery
//! needs the inside of the argument, it stands beside the code, in airda-gkr or in this
//! crate's unit tests. Single-line removals of guards, each with a test that then fails, are in
//! `tests/guards`, where `run` shows that they do.
//!
//! `air` repeats for AIR proofs what can be repeated, and `proof::air::tests` here forges traces
//! and tables.
//!
//! Transcript
//!  1. A value is used before it is absorbed, or never absorbed: `transcript::item_01`;
//!     `airda_gkr::transcript::tests`, `commit::tests::words_chosen_after_the_point_are_refused`.
//!     Sending and receiving are absorbing, so the fault cannot be written elsewhere.
//!  2. Parameters, shapes or lengths are not absorbed: `airda_gkr::transcript::tests`,
//!     `argument::tests::a_proof_holds_for_its_own_statement_only_*`,
//!     `commit::tests::parameters_are_bound_before_anything_is_drawn`,
//!     `batching::tests::everything_that_shapes_a_batch_is_absorbed`,
//!     `batching::discharge::tests::regions_that_differ_draw_other_challenges`,
//!     `calls::tests::bind`, `proof::tests` here;
//!     `air::item_02`, `proof::air::tests::a_statement_is_the_commitments_numbers_and_digests`.
//!  3. A challenge comes from outside or is drawn too early: `transcript::item_03`;
//!     `airda_gkr::commit::tests::words_chosen_after_the_point_are_refused`,
//!     `levels::tests::claims_that_trade_places_are_refused`, `walk::tests::forgeries`,
//!     `batching::forgeries`.
//!  4. Proof of work is not checked, or ground before what it protects:
//!     `airda_gkr::commit::tests::proofs_of_work_are_checked_and_come_after_what_they_protect`.
//!
//! Shape
//!  5. The proof chooses lengths or security parameters: `shape::item_05`;
//!     `airda_gkr::commit::tests::the_table_is_closed` and
//!     `refuses_parameters_below_their_target`; `air::item_05`,
//!     `proof::air::tests::a_prover_does_not_choose_the_tables`.
//!  6. Rounds, layers or queries are missing: `shape::item_06`;
//!     `airda_gkr::commit::tests::rejects_every_other_entry_and_length`; `air::item_06`.
//!  7. An odd shape panics: `shape::item_07`; `airda_gkr::walk::tests`, `commit::guard::tests`;
//!     `air::item_07`.
//!  8. A long length allocates, or bytes are left over: `shape::item_08`;
//!     `airda_gkr::commit::tests::refuses_digest_counts_that_no_query_needs_before_allocating`,
//!     `codec::tests`, `artifact::tests` here; `air::item_06`,
//!     `proof::air::tests::shapes_beyond_a_file_are_refused`.
//!  9. A word is not canonical: `shape::item_09`; `airda_gkr::codec::tests`; `air::item_09`.
//!
//! Algebra
//! 10. A final polynomial has another length, or no round checks a claim: `algebra::item_10`;
//!     `airda_gkr::commit::tests::a_final_polynomial_of_another_length_is_refused`.
//! 11. A point in the domain, a challenge of zero, a query with two answers:
//!     `code::membership::tests::points_of_the_domain_are_drawn_again` here;
//!     `airda_gkr::transcript::tests::a_challenge_of_zero_is_drawn_again`,
//!     `commit::columns::tests::a_position_asked_for_twice_has_one_answer`.
//! 12. A bus wraps or is empty: words of GKR proofs are tied by one linear form. On the bus of
//!     AIR proofs counts and addresses are the verifier's: `air::item_12`,
//!     `proof::air::tests::calls_and_words_are_the_relations` and
//!     `a_prover_does_not_choose_the_tables`.
//! 13. A leftover claim is not checked: `provers::item_13` and all of `provers`;
//!     `airda_gkr::argument::forgery_tests` has a prover for each kind of claim;
//!     `batching::forgeries::a_single_false_terminal_claim_is_refused`,
//!     `batching::discharge::tests::calls_of_other_words_are_refused_in_every_region`;
//!     `air::item_13` and all of `air`.
//! 14. A constant of the permutation is wrong: `algebra::item_14`;
//!     `airda_gkr::permutation::tests`, `walk::algebra::tests`.
//! 15. Padding rows are wrong yet balance:
//!     `airda_gkr::argument::forgery_tests::a_tail_of_another_input_is_refused`,
//!     `argument::tests::a_wrong_tail_constant_is_refused`,
//!     `batching::tests::strategies_agree_on_regions_of_any_size`;
//!     `proof::air::tests::false_traces_are_refused` here.
//!
//! Commitment
//! 16. A place in a tree is unbound: `opening::item_16`; `opening::tests` here.
//! 17. Padding collides with data: `opening::item_17`;
//!     `airda_gkr::commit::columns::tests::rows_are_completed_and_a_tail_is_refused`.
//! 18. A length is outside the root: `opening::item_18`; `artifact::tests` here.
//!
//! Recovery and sampling
//! 19. Columns are double, foreign, out of range, too few or too many: `recovery::item_19`;
//!     `code::tests` here.
//! 20. Columns check and are no codeword: `recovery::item_20`.
//! 21. A symbol is no bytes: `recovery::item_21`; `bytes::tests`, `code::tests` here.
//! 22. Samples are biased or repeated: `recovery::item_22`; `sampling::tests` here.
//!
//! Cheating provers stand for every region: cells, row chains, column trees and the root tree,
//! the parity half, public digests (`provers`); the rows beyond the table, and each kind of term
//! of the linear form (`airda_gkr::argument::forgery_tests`).

mod air;
mod algebra;
#[path = "../common/mod.rs"]
mod common;
mod opening;
mod provers;
mod recovery;
mod shape;
mod support;
mod transcript;
