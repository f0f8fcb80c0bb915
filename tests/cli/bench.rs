//! `bench prove`, on small shapes.

use serde_json::Value;

use super::*;

const STAGES: [&str; 9] =
    ["encode", "hash", "membership", "whir_commit", "witness", "walk", "form", "whir_open", "rest"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A median within its range.
#[track_caller]
fn check_spread(spread: &Value) -> f64 {
    let [median, min, max] = ["median", "min", "max"].map(|key| number(&spread[key]));
    assert!(min <= median && median <= max, "{spread}");
    median
}

#[track_caller]
fn check_measured(report: &Value, profile: &str, hash: &str) {
    assert_eq!(report["profile"], profile);
    assert_eq!(report["hash"], hash);
    let rows = report["rows"].as_u64().unwrap();
    assert_eq!(report["payload_bytes"], rows * 19 * 64);
    assert!(number(&report["proof_security_bits"]) >= 128.0);
    assert_eq!(report["peak_memory_bytes"].is_u64(), cfg!(target_os = "linux"));

    let parts = report["proof_parts"].as_object().unwrap();
    let parts: Vec<u64> = parts.values().map(|bytes| bytes.as_u64().unwrap()).collect();
    assert!(parts.len() == 5 && parts.iter().all(|&bytes| bytes > 0), "{parts:?}");
    assert_eq!(parts.iter().sum::<u64>(), report["proof_bytes"].as_u64().unwrap());

    let native = check_spread(&report["t_encode_commit_s"]);
    let proving = check_spread(&report["t_prove_s"]);
    let calls = number(&report["calls"]);
    assert!((number(&report["calls_per_s"]) * proving / calls - 1.0).abs() < 1e-9);
    assert!(check_spread(&report["prove_ratio"]) > 0.0);
    // By construction there is nothing to do for membership.
    let idle = |part: &str| part == "membership" && report["membership"] == "construction";
    for stage in STAGES {
        let time = check_spread(&report["stages"][stage]);
        if idle(stage) {
            assert_eq!(time, 0.0);
            continue;
        }
        // Nothing that has a span of its own went without one.
        assert!(time > 0.0, "{stage}");
        assert!(time <= native.max(proving), "{stage}");
        assert!(check_spread(&report["stage_ratios"][stage]) > 0.0, "{stage}");
    }
    let whole = check_spread(&report["t_verify_s"]);
    for part in ["membership", "walk", "form", "opening", "rest"] {
        let time = check_spread(&report["verify"][part]);
        assert!((0.0 < time && time < whole) || (idle(part) && time == 0.0), "{part}");
    }
}

#[test]
fn one_number_of_rows_is_taken_apart() {
    for (hash, membership) in [("poseidon2-16", "construction"), ("poseidon2-24", "vector")] {
        let out = airda([
            "bench",
            "prove",
            "--profile",
            "k64-c4-r3",
            "--hash",
            hash,
            "--membership",
            membership,
            "--repeat",
            "1",
            "--json",
        ]);
        let report: Value = serde_json::from_str(&out.ok()).unwrap();
        check_measured(&report, "k64-c4-r3-w1", hash);
        assert_eq!(report["repeat"], 1);
        assert_eq!(report["membership"], membership);
    }
    let text = airda(["bench", "prove", "--profile", PROFILE, "--rows", "2", "--repeat", "1"]).ok();
    for told in ["k64-c4-r2-w1", "T_prove", "witness", "calls a second", "peak memory", " ms"] {
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn a_range_of_rows_is_swept() {
    let rows = ["bench", "prove", "--profile", PROFILE, "--rows"];
    let [bench, prove, option, profile, rows] = rows;
    let sweep = |range, last| airda([bench, prove, option, profile, rows, range, "--repeat", last]);
    let text = sweep("1..=2", "1").ok();
    for told in ["k64-c4-r1-w1", "k64-c4-r2-w1", "row cost <= 1.35", "not measured", "holds"] {
        assert!(text.contains(told), "{text}");
    }

    let out =
        airda([bench, prove, option, profile, rows, "8..=9", "--repeat", "2", "--json", "--quiet"]);
    let report: Value = serde_json::from_str(&out.ok()).unwrap();
    let lines = report["rows"].as_array().unwrap();
    assert_eq!(lines.len(), 2);
    for (line, profile) in lines.iter().zip(["k64-c4-r8-w1", "k64-c4-r9-w1"]) {
        check_measured(line, profile, "poseidon2-16");
    }
    let time = |line: &Value| number(&line["t_prove_s"]["median"]);
    let step = time(&lines[1]) / time(&lines[0]);
    assert_eq!(lines[0]["step"], Value::Null);
    assert!((number(&lines[1]["step"]) - step).abs() < 1e-9);
    assert!((number(&lines[1]["step_allowed"]) - 1.3).abs() < 1e-9);
    let costs = [0, 1].map(|i| number(&lines[i]["cost_per_row"]));
    assert_eq!(costs[0].min(costs[1]), 1.0);
    assert_eq!(report["step_bound_holds"], step <= 1.3);
    assert_eq!(report["cost_bound_holds"], costs[0].max(costs[1]) <= 1.35);
    assert_eq!(report["proof_bound_holds"], true);
}

#[test]
fn says_what_cannot_be_measured() {
    let error = airda(["bench", "prove", "--profile", "k64-c4-r1-w9"]);
    assert_eq!(error.status, 2, "{}", error.err);
    let error = airda(["bench", "prove", "--profile", "k262144-c1", "--rows", "4"]).failed(2);
    assert!(error.contains("b32-c1") && error.contains("more than 2^25 words"), "{error}");
}
