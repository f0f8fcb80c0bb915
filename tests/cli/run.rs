//! `run`, on files of all kinds.

use serde_json::Value;

use super::*;

/// Runs on these bytes and returns the JSON object.
fn run(bytes: &[u8], args: &[&str]) -> Value {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, bytes).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_airda"))
        .args(["run", path.to_str().unwrap(), "--json", "--seed", "1"])
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn accepts(bytes: &[u8], args: &[&str], profile: &str) {
    for hash in ["poseidon2-16", "poseidon2-24"] {
        let report = run(bytes, &[args, &["--hash", hash]].concat());
        assert_eq!(report["payload_bytes"], bytes.len());
        assert_eq!(report["profile"], profile);
        assert_eq!(report["hash"], hash);
        assert_eq!(report["accepted"], true);
        assert_eq!(report["recovered"], true);
    }
}

#[test]
fn accepts_a_photo() {
    accepts(&noise(3_000_000), &[], "b2-c32-r10-w1");
}

#[test]
fn accepts_nine_megabytes() {
    accepts(&noise(9_000_000), &["--profile", "b4-c64"], "b4-c64-r15-w1");
}

#[test]
fn accepts_a_text_and_one_byte() {
    accepts("a cell, a row, a column\n".repeat(500).as_bytes(), &[], "b1-c16-r1-w1");
    accepts(&[0], &[], "b1-c16-r1-w1");
    accepts(&[255], &["--profile", "k64-c4"], "k64-c4-r1-w1");
}

#[test]
fn accepts_exactly_full_rows_and_one_byte_more() {
    let row = 19 * 64;
    let full = vec![255; 3 * row + 1];
    accepts(&full[..3 * row], &["--profile", "k64-c4"], "k64-c4-r3-w1");
    accepts(&full, &["--profile", "k64-c4"], "k64-c4-r4-w1");
    // Rows that nothing needs, zeros at the end that are the payload's.
    accepts(&[7; 10], &["--profile", "k64-c4-r3"], "k64-c4-r3-w1");
    accepts(&[0; 1000], &["--profile", "k64-c4"], "k64-c4-r1-w1");
}

#[test]
fn json_has_exactly_the_promised_keys() {
    let report = run(&noise(1000), &["--profile", "k64-c4"]);
    let mut keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = vec![
        "payload_bytes",
        "profile",
        "hash",
        "proof_system",
        "calls",
        "t_encode_commit_s",
        "t_membership_s",
        "t_prove_s",
        "t_open_s",
        "t_rebuild_s",
        "t_verify_proof_s",
        "t_verify_openings_s",
        "t_recover_s",
        "commitment_bytes",
        "proof_bytes",
        "codeword_bytes",
        "sample_bytes",
        "columns_sampled",
        "prove_kib_per_s",
        "full_das_kib_per_s",
        "security_bits",
        "proof_security_bits",
        "peak_memory_bytes",
        "accepted",
        "recovered",
    ];
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(report["codeword_bytes"], 20 * 128);
    assert_eq!(report["columns_sampled"], 8);
    assert!(report["calls"].as_u64().unwrap() > 0);
    assert!(report["proof_security_bits"].as_f64().unwrap() >= 128.0);
    assert!(report["security_bits"].as_f64().unwrap() > 123.9);
}

#[test]
fn prints_a_table_and_what_to_do_next() {
    let built = Built::new();
    let out = airda(["run", &built.at("file"), "--profile", PROFILE]).ok();
    for text in ["encode + commit", "KiB/s", "bits", "recovered", "next: airda build"] {
        assert!(out.contains(text), "{out}");
    }
    assert_eq!(airda(["run", &built.at("file"), "--profile", PROFILE, "-q"]).ok(), "");
}

#[test]
fn refuses_files_it_cannot_use() {
    let built = Built::new();
    fs::write(built.path("empty"), b"").unwrap();
    assert!(airda(["run", &built.at("empty")]).failed(2).contains("empty: the file is empty"));
    assert!(airda(["run", &built.at("none")]).failed(2).contains("cannot read"));
    assert!(airda(["run", &built.at("dir")]).failed(2).contains("cannot read"));
    let error = airda(["run", &built.at("file"), "--profile", "k64-c4-r2"]).failed(2);
    assert!(error.contains("it carries 2432 bytes, the payload has 3643"), "{error}");
    // The matrix would fit, but not with its digests.
    let error = airda(["run", &built.at("file"), "--profile", "k262144-c1-r4"]).failed(2);
    assert!(error.contains("more than 2^25 words"), "{error}");
}
