//! `security`.

use serde_json::Value;

use super::*;

fn report(args: &[&str]) -> Value {
    let args = [&["security", "--json"], args].concat();
    let output = Command::new(env!("CARGO_BIN_EXE_airda")).args(&args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// −log2 of a sum of errors; null is none.
fn sum<'a>(lines: impl IntoIterator<Item = &'a Value>, column: &str) -> f64 {
    let errors = lines.into_iter().filter_map(|line| line[column].as_f64());
    -errors.map(|bits| (-bits).exp2()).sum::<f64>().log2()
}

fn lines(report: &Value) -> &[Value] {
    report["lines"].as_array().unwrap()
}

fn of_part<'a>(report: &'a Value, part: &str) -> Vec<&'a Value> {
    lines(report).iter().filter(|line| line["part"] == part).collect()
}

#[track_caller]
fn check(report: &Value) {
    for column in ["bits", "unique_decoding_bits"] {
        let composed = if column == "bits" { "proof_security_bits" } else { column };
        assert!((sum(lines(report), column) - number(&report[composed])).abs() < 1e-9, "{column}");
    }
    let beside = report["beside"].as_array().unwrap();
    let least = beside.iter().filter_map(|line| line["bits"].as_f64()).fold(f64::MAX, f64::min);
    let least = least.min(number(&report["proof_security_bits"]));
    assert_eq!(number(&report["security_bits"]), least);
    assert!(number(&report["proof_security_bits"]) >= 128.0);
    let parts: Vec<&str> = beside.iter().map(|line| line["part"].as_str().unwrap()).collect();
    assert_eq!(parts, ["membership", "BLAKE3", "BLAKE3", "commitment"]);
}

#[test]
fn the_table_tells_every_part_and_the_minimum() {
    let text = airda(["security", "--profile", "b4-c64-r14-w1"]).ok();
    for told in [
        "b4-c64-r14-w1, poseidon2-16, membership by construction, chain step 1",
        "595967 calls",
        "entry 1: rate 2^-1, Johnson regime, L = 2^4.32",
        "walk of level 0",
        "8 (15 + 21 + 51)/|E|",
        "linear form",
        "WHIR",
        "round 1, queries",
        "last sumcheck",
        "by construction",
        "Merkle trees",
        "p^(8/2), by birthday",
        "the sum of its errors",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(!text.contains("merge into"), "one level has nothing to merge: {text}");
    let cells = |name: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.trim_start()
            .strip_prefix(name)
            .unwrap()
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(cells("minimum")[0], "123.95");
    // A part's sum is below the least of its lines: 140.10 bits are the partial rounds'.
    assert_eq!(cells("walk of level 0")[0], "139.53");
    assert!(cells("WHIR")[0].starts_with("128."), "{text}");
    assert!(cells("proof system")[0].starts_with("128."), "{text}");
    assert_eq!(cells("by construction")[..5], ["none", "none", "-", "-", "0"]);
    // The columns are aligned: where the header's end, all numbers end.
    let header = text.lines().find(|line| line.contains("unique  ")).unwrap();
    let end = header.find("bits").unwrap() + 4;
    let below = text.lines().skip_while(|line| *line != header).skip(1);
    for line in below.take_while(|line| !line.is_empty()).filter(|line| line.starts_with("  ")) {
        assert!(line[..end].ends_with(|c: char| !c.is_whitespace()), "{line}");
        assert!(line[end..].starts_with(' '), "{line}");
    }
    // Only profiles that are asked for.
    assert!(!text.contains("b2-c32"), "{text}");
}

#[test]
fn without_a_profile_all_known_ones_have_a_line() {
    let text = airda(["security", "--quiet"]).ok();
    let known = airda(["profiles", "--quiet"]).ok();
    let names: Vec<&str> =
        known.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names.len(), 28);
    for name in &names {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}: {text}");
    }
    assert!(text.starts_with("profile  b2-c32-r14-w1, "), "{text}");

    let report = report(&[]);
    check(&report);
    assert_eq!(report["profile"], "b2-c32-r14-w1");
    let profiles = report["profiles"].as_array().unwrap();
    assert_eq!(profiles.iter().map(|p| p["profile"].as_str().unwrap()).collect::<Vec<_>>(), names);
    for profile in profiles {
        assert!(number(&profile["proof_security_bits"]) >= 128.0, "{profile}");
        assert!((number(&profile["security_bits"]) - 123.95).abs() < 0.01, "{profile}");
    }
}

#[test]
fn every_choice_is_computed() {
    let of = |args: &[&str]| {
        let report = report(&[&["--profile", "b2-c32-r14-w1"], args].concat());
        check(&report);
        assert_eq!(report["profiles"], Value::Null);
        report
    };
    let base = of(&[]);
    assert_eq!((&base["hash"], &base["chain_step"]), (&"poseidon2-16".into(), &1.into()));
    assert_eq!((&base["calls"], &base["log2_words"]), (&309_247.into(), &22.into()));
    assert_eq!((&base["entry"], &base["regime"]), (&1.into(), &"Johnson".into()));
    assert_eq!(base["beside"][0]["bits"], Value::Null, "construction loses nothing");

    let wide = of(&["--hash", "poseidon2-24"]);
    assert_eq!(wide["calls"], 162_303);
    let walk = |report: &Value| of_part(report, "walk of level 0")[2]["error"].clone();
    assert_eq!(
        (walk(&base), walk(&wide)),
        ("L 8 (15 + 21 + 48)/|E|".into(), "L 8 (23 + 21 + 45)/|E|".into())
    );

    let vector = of(&["--membership", "vector"]);
    assert!((number(&vector["beside"][0]["bits"]) - 140.94).abs() < 0.01);

    let deep = of(&["--chain-step", "3"]);
    for part in ["walk of level 2", "merge into level 1", "merge into level 2"] {
        assert!(of_part(&base, part).is_empty());
        assert_eq!(of_part(&deep, part).len(), 3, "{part}");
    }

    let slow = report(&["--profile", "b2-c32-r14-w2"]);
    check(&slow);
    assert_eq!(slow["entry"], 2);
    assert!((number(&slow["log2_list_size"]) - 5.32).abs() < 0.01);
}

/// What a verifier finds in a proof is what was told of its parameters.
#[test]
fn it_agrees_with_a_run() {
    let built = Built::new();
    let run = airda(["run", &built.at("file"), "--profile", PROFILE, "--json"]).ok();
    let run: Value = serde_json::from_str(&run).unwrap();
    let told = report(&["--profile", run["profile"].as_str().unwrap()]);
    for bits in ["proof_security_bits", "security_bits", "calls"] {
        assert_eq!(told[bits], run[bits], "{bits}");
    }
}

#[test]
fn bad_profiles_are_status_two() {
    for (profile, why) in [
        ("b3-c4", "b 3 is not a power of two"),
        ("nonsense", "not of the form"),
        ("b2-c32", "say -rZ"),
        ("b2-c32-r14-w3", "b2-c32-r14-w3"),
        ("k262144-c1-r4", "more than 2^25 words"),
    ] {
        let error = airda(["security", "--profile", profile]).failed(2);
        assert!(error.contains(why), "{error}");
    }
    airda(["security", "--chain-step", "5"]).failed(2);
    airda(["security", "extra"]).failed(2);
}
