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

const STRATEGIES: [&str; 6] =
    ["independent", "padded", "ragged", "ragged-words", "replicated", "stacked"];

#[test]
fn strategies_are_compared_on_the_same_regions() {
    for hash in ["poseidon2-16", "poseidon2-24"] {
        let [bench, ragged, option] = ["bench", "ragged", "--hash"];
        let out = airda([
            bench,
            ragged,
            option,
            hash,
            "--widths",
            "3,8,2",
            "--samples",
            "2",
            "--json",
            "--commit",
            "abc",
        ]);
        let report: Value = serde_json::from_str(&out.ok()).unwrap();
        assert_eq!(report["hash"], hash);
        assert_eq!(report["commit"], "abc");
        assert_eq!(report["regions"], "widths 3 8 2");
        assert_eq!(report["num_calls"], serde_json::json!([8, 256, 4]));
        let strategies = report["strategies"].as_array().unwrap();
        let names: Vec<&Value> = strategies.iter().map(|measured| &measured["strategy"]).collect();
        assert_eq!(names, STRATEGIES);
        for (index, measured) in strategies.iter().enumerate() {
            check_strategy(measured, &report, index);
        }
        let bytes = |index: usize| number(&strategies[index]["proof_bytes"]);
        let [words, partial] = if hash == "poseidon2-16" { [16.0, 20.0] } else { [24.0, 23.0] };
        // Ragged has a coefficient more in each layer's only outer bit.
        assert_eq!(bytes(2) - bytes(4), 20.0 * (8.0 + partial));
        assert_eq!(bytes(3) - bytes(2), 20.0 * partial * 3.0 * (words - 2.0));
        assert_eq!(bytes(1), bytes(4));
        assert!(bytes(5) < bytes(4) && bytes(4) < bytes(0));
    }
}

#[track_caller]
fn check_strategy(measured: &Value, report: &Value, index: usize) {
    let rows = if measured["strategy"] == "padded" { 3 * 256 } else { 4 * 128 };
    assert_eq!(measured["physical_rows"], rows);
    assert_eq!(measured["padded_rows"], rows - 268);
    let elements = &measured["elements"];
    let kinds = ["skip_messages", "outer_rounds", "lane_rounds", "ends"];
    let sum: u64 = kinds.iter().map(|&kind| elements[kind].as_u64().unwrap()).sum();
    assert_eq!(elements["total"], sum);
    assert_eq!(measured["proof_bytes"], 20 * sum);
    assert_eq!(measured["peak_memory_bytes"].is_u64(), cfg!(target_os = "linux"));

    let proving = check_spread(&measured["t_prove_s"]);
    assert!((number(&measured["calls_per_s"]) * proving / 268.0 - 1.0).abs() < 1e-9);
    for time in ["t_verify_s", "t_discharge_s"] {
        assert!(check_spread(&measured[time]) > 0.0, "{time}");
    }
    for (phase, time) in measured["phases"].as_object().unwrap() {
        // No phase went without its span.
        let time = check_spread(time);
        // Where everything is kept, there is nothing to recompute.
        let least = if phase == "recompute_s" { 0.0 } else { f64::MIN_POSITIVE };
        assert!(least <= time && time < proving, "{phase}");
    }
    for ratio in ["prove", "verify"] {
        let ratio = check_spread(&measured["to_independent"][ratio]);
        assert!(if index == 0 { ratio == 1.0 } else { ratio > 0.0 });
    }

    let samples = measured["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 2);
    for (round, sample) in samples.iter().enumerate() {
        assert_eq!(sample["round"], round);
        // Each round begins with the next strategy.
        assert_eq!(sample["position"], (index + STRATEGIES.len() - round) % STRATEGIES.len());
        assert_eq!(sample["claims"], report["claims"]);
        assert_eq!(sample["proof_bytes"], measured["proof_bytes"]);
    }
}

#[test]
fn strategies_are_told_in_a_table_and_in_lines() {
    let [bench, ragged, calls, numbers] = ["bench", "ragged", "--calls", "300,1,129"];
    let [samples, one] = ["--samples", "1"];
    let text = airda([bench, ragged, calls, numbers, samples, one, "--explain"]).ok();
    let told = ["rows held", "1.00 x", "430 calls in 3 regions", "partial rounds", "lane rounds"];
    for told in STRATEGIES.into_iter().chain(told) {
        assert!(text.contains(told), "{told}: {text}");
    }

    let text = airda([
        bench,
        ragged,
        calls,
        numbers,
        samples,
        one,
        "--csv",
        "--quiet",
        "--commit",
        "a,b",
        "--strategy",
        "stacked",
        "--strategy",
        "ragged",
    ])
    .ok();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|&column| column == name).unwrap();
    let lines: Vec<Vec<&str>> =
        lines.map(|line| line.split_once("\"a,b\",").unwrap().1.split(',').collect()).collect();
    assert_eq!(lines.len(), 2);
    for (line, strategy) in lines.iter().zip(["ragged", "stacked"]) {
        // Without machine and commit, which are quoted where they have commas.
        assert_eq!(line.len() + 2, header.len(), "{line:?}");
        let field = |name: &str| line[column(name) - 2];
        assert_eq!(field("regions"), "calls 300 1 129");
        assert_eq!([field("calls"), field("num_regions")], ["430", "3"]);
        assert_eq!(field("strategy"), strategy);
        assert_eq!(field("physical_rows"), "768");
        assert!(field("t_prove_s").parse::<f64>().unwrap() > 0.0);
    }
    assert_eq!(&header[..2], ["machine", "commit"]);
}

#[test]
fn traces_may_keep_some_rounds_alone() {
    let [bench, ragged, calls, numbers] = ["bench", "ragged", "--calls", "20000,5000"];
    let measured = |option: &str, every: &str| -> Value {
        let json = ["--json", "--samples", "1", "--strategy", "stacked"];
        let args = [&[bench, ragged, calls, numbers, option, every][..], &json].concat();
        serde_json::from_str(&run(&args).ok()).unwrap()
    };
    let [all, every] = [measured("--hash", "poseidon2-16"), measured("--checkpoints", "4")];
    assert_eq!([&all["checkpoints"], &every["checkpoints"]], [&Value::Null, &Value::from(4)]);
    let of = |report: &Value, key: &str| report["strategies"][0][key].clone();
    assert_eq!(of(&all, "proof_bytes"), of(&every, "proof_bytes"));
    assert_eq!(all["claims"], every["claims"]);
    let recomputing = |report: &Value| check_spread(&of(report, "phases")["recompute_s"]);
    assert!(recomputing(&every) > recomputing(&all));
    if cfg!(target_os = "linux") {
        let [all, every] = [&all, &every].map(|report| number(&of(report, "peak_memory_bytes")));
        // Of 148 words a call 80 are kept.
        assert!(every < all - 25_000.0 * 150.0, "{every} {all}");
    }
}

/// A block of one row has no column trees.
#[test]
fn a_blocks_calls_make_regions() {
    let [bench, ragged, das, json] = ["bench", "ragged", "--das", "--json"];
    let num_calls = |profile, regions| -> Vec<u64> {
        let out = airda([
            bench,
            ragged,
            das,
            profile,
            "--regions",
            regions,
            json,
            "--samples",
            "1",
            "--strategy",
            "stacked",
        ]);
        let report: Value = serde_json::from_str(&out.ok()).unwrap();
        assert_eq!(report["strategies"][0]["to_independent"], Value::Null);
        let num_calls = report["num_calls"].as_array().unwrap();
        num_calls.iter().map(|calls| calls.as_u64().unwrap()).collect()
    };
    // 32 columns of 20 words: three calls a cell; 16 digests in a row's chain.
    assert_eq!(num_calls("k64-c4-r1", "kinds"), [3 * 32, 16, 31]);
    assert_eq!(num_calls("k64-c4-r2", "kinds"), [6 * 32, 32, 2 * 16, 31]);
    let pieces = num_calls("k64-c4-r2", "pieces");
    assert_eq!(pieces, [32, 32, 32, 32, 32, 32, 32, 16, 16, 16, 8, 4, 2, 1]);
}

#[test]
fn regions_that_cannot_be_measured_are_refused() {
    for (args, what) in [
        (&["--widths", "3,26"][..], "26 is not in 0..=25"),
        (&["--widths", "x"], "'x'"),
        (&["--widths", "3", "--calls", "5"], "cannot be used with"),
        (&["--calls", "5,0"], "0 is not in 1"),
        (&["--regions", "kinds"], "--das <P>"),
        (&["--das", "b2-c32", "--regions", "kinds"], "say -rZ"),
        (&["--das", "b2-c32-r14", "--widths", "3"], "cannot be used with"),
        (&["--widths", "24,3,3,3"], "traces of padded have"),
        (&["--checkpoints", "0"], "--checkpoints <J>"),
        (&["--strategy", "stack"], "'stack'"),
        (&["--samples", "0"], "0 is not in 1"),
        (&["--json", "--csv"], "cannot be used with"),
        (&["--hash", "poseidon2-8"], "poseidon2-24"),
    ] {
        let error = run(&[&["bench", "ragged"], args].concat()).failed(2);
        assert!(error.contains(what), "{error}");
    }
    let error = airda(["bench", "ragged-once"]).failed(2);
    assert!(error.contains("the job"), "{error}");
}
