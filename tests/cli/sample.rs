//! `sample`.

use super::*;

#[test]
fn samples_are_accepted_and_reproducible() {
    let built = Built::new();
    let out = airda(["sample", &built.at("dir")]).ok();
    assert!(out.starts_with("accepted: 8 of 32 columns"), "{out}");
    airda(["sample", &built.at("dir"), "--count", "32"]).ok();
    assert_eq!(airda(["sample", &built.at("dir"), "-q"]).ok(), "");
    // One seed always meets, or always misses, a missing column.
    fs::remove_file(built.column(7)).unwrap();
    let draw = |seed: u32| airda(["sample", &built.at("dir"), "--seed", &seed.to_string()]).status;
    let first: Vec<i32> = (0..20).map(draw).collect();
    assert!(first.contains(&0) && first.contains(&1));
    assert_eq!(first, (0..20).map(draw).collect::<Vec<_>>());
}

#[test]
fn a_missing_or_bad_column_is_a_rejection() {
    let sample = |built: &Built| airda(["sample", &built.at("dir"), "--count", "32"]);
    let built = Built::new();
    fs::remove_file(built.column(3)).unwrap();
    let error = sample(&built).failed(1);
    assert!(
        error.contains("1 of 32 sampled columns failed: column 00003: it is missing"),
        "{error}"
    );

    let len = fs::read(built.column(3 + 1)).unwrap().len();
    // Magic, version, root, index, first and last word, path.
    for byte in [0, 8, 10, 42, 46, len - 200, len - 1] {
        let built = Built::new();
        built.damage(&built.column(5), byte);
        let error = sample(&built).failed(1);
        assert!(error.contains("column 00005: "), "{error}");
    }
    for bytes in [&[] as &[u8], b"short", &vec![0; 2 * len]] {
        let built = Built::new();
        fs::write(built.column(5), bytes).unwrap();
        sample(&built).failed(1);
    }
    let built = Built::new();
    fs::remove_file(built.column(5)).unwrap();
    fs::create_dir(built.column(5)).unwrap();
    sample(&built).failed(1);
}

#[test]
fn rejects_two_columns_swapped_and_one_given_twice() {
    let built = Built::new();
    let third = fs::read(built.column(3)).unwrap();
    fs::copy(built.column(4), built.column(3)).unwrap();
    let error = airda(["sample", &built.at("dir"), "--count", "32"]).failed(1);
    assert!(error.contains("column 00003: the file holds column 00004"), "{error}");
    fs::write(built.column(4), third).unwrap();
    let error = airda(["sample", &built.at("dir"), "--count", "32"]).failed(1);
    assert!(error.contains("2 of 32"), "{error}");
}

#[test]
fn a_count_beyond_the_columns_is_bad_usage() {
    let built = Built::new();
    let error = airda(["sample", &built.at("dir"), "--count", "33"]).failed(2);
    assert!(error.contains("there are only 32"), "{error}");
    let error = airda(["sample", &built.at("nowhere")]).failed(2);
    assert!(error.contains("nowhere/commitment"), "{error}");
}
