//! `--proof-system air`, wherever something is proved, and `bench compare`.

use serde_json::Value;

use super::*;

const AIR: [&str; 2] = ["--proof-system", "air"];
/// Tall enough for the target.
const TALL: &str = "k256-c4-r14";

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&run(&[args, &["--json"]].concat()).ok()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[track_caller]
fn median(spread: &Value) -> f64 {
    let [median, min, max] = ["median", "min", "max"].map(|key| number(&spread[key]));
    assert!(min <= median && median <= max, "{spread}");
    median
}

impl Built {
    /// Builds the file again, proved by AIR tables.
    fn air(&self, dir: &str) {
        let (file, dir) = (self.at("file"), self.at(dir));
        let build = ["build", &file, "--out", &dir, "--profile", PROFILE];
        assert!(run(&[&build[..], &AIR].concat()).ok().contains("air"));
    }
}

#[test]
fn one_commitment_is_proved_either_way() {
    let built = Built::new();
    built.air("air");
    let read = |name: &str| fs::read(built.path(name)).unwrap();
    assert_eq!(read("dir/commitment"), read("air/commitment"));
    assert_eq!(read("dir/columns/00007"), read("air/columns/00007"));
    // Each proof beside the commitment that the other one was made for.
    let [gkr, air] = [read("dir/proof"), read("air/proof")];
    fs::write(built.path("dir/proof"), air).unwrap();
    fs::write(built.path("air/proof"), gkr).unwrap();
    for (dir, told) in [("dir", "air"), ("air", "gkr")] {
        let text = airda(["verify", &built.at(dir)]).ok();
        let line = text.lines().find(|line| line.starts_with("proof system")).unwrap();
        assert_eq!(line.split_whitespace().nth(2), Some(told), "{text}");
        airda(["sample", &built.at(dir)]).ok();
        let text = airda(["inspect", &built.at(&format!("{dir}/proof"))]).ok();
        assert!(text.contains(&format!("{told}, entry ")), "{text}");
    }
    let text = airda(["inspect", &built.at("dir/proof")]).ok();
    for told in ["entry 257: rate 2^-1, 172 queries", "by vector", "all committed"] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[test]
fn damaged_proofs_are_rejected() {
    let built = Built::new();
    built.air("dir");
    let honest = fs::read(built.path("dir/proof")).unwrap();
    // The entry, the membership, the chain step, and the body in three places.
    for byte in [10, 12, 13, 18, honest.len() / 2, honest.len() - 1] {
        fs::write(built.path("dir/proof"), &honest).unwrap();
        built.damage(&built.path("dir/proof"), byte);
        let error = airda(["verify", &built.at("dir")]).failed(1);
        assert!(error.contains("dir/proof: "), "{error}");
    }
    fs::write(built.path("dir/proof"), &honest).unwrap();
    airda(["verify", &built.at("dir")]).ok();
    fs::write(built.path("dir/proof"), &honest[..honest.len() / 2]).unwrap();
    assert!(airda(["verify", &built.at("dir")]).failed(2).contains("ends early"));
}

#[test]
fn an_entry_that_there_is_not_is_told() {
    let built = Built::new();
    built.air("dir");
    let mut proof = fs::read(built.path("dir/proof")).unwrap();
    proof[10..12].copy_from_slice(&300u16.to_le_bytes());
    fs::write(built.path("dir/proof"), proof).unwrap();
    let text = airda(["inspect", &built.at("dir/proof")]).ok();
    assert!(text.contains("entry 300, which there is not"), "{text}");
}

#[test]
fn a_run_agrees_with_what_security_tells() {
    let built = Built::new();
    let file = built.at("file");
    for hash in ["poseidon2-16", "poseidon2-24"] {
        for bits in ["100", "124"] {
            let how = [&AIR[..], &["--hash", hash, "--air-security", bits]].concat();
            let run = json(&[&["run", &file, "--profile", TALL, "--seed", "1"], &how[..]].concat());
            assert_eq!(run["proof_system"], "air");
            assert_eq!((&run["accepted"], &run["recovered"]), (&true.into(), &true.into()));
            assert!(number(&run["proof_security_bits"]) >= bits.parse().unwrap(), "{run}");
            let profile = run["profile"].as_str().unwrap();
            let told = json(&[&["security", "--profile", profile], &how[..]].concat());
            for key in ["proof_system", "proof_security_bits", "security_bits", "calls"] {
                assert_eq!(told[key], run[key], "{key}");
            }
        }
    }
    let text = run(&[&["run", &file, "--profile", PROFILE], &AIR[..]].concat()).ok();
    for told in ["membership by vector, tables prepared in it", "with the tables prepared"] {
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn options_of_one_proof_system_are_refused_with_the_other() {
    for command in [
        &["run", "no such file"][..],
        &["build", "no such file", "--out", "no such directory"],
        &["bench", "prove", "--profile", TALL],
        &["security", "--profile", TALL],
    ] {
        for (option, told) in [
            (&["--membership", "vector", AIR[0], AIR[1]][..], "--membership belongs to"),
            (&["--chain-step", "1", AIR[0], AIR[1]], "--chain-step belongs to --proof-system gkr"),
            (&["--air-security", "124"], "--air-security belongs to --proof-system air only"),
            (&["--proof-system", "snark"], "gkr, air"),
            (&[AIR[0], AIR[1], "--air-security", "128"], "100, 124"),
        ] {
            let error = run(&[command, option].concat()).failed(2);
            assert!(error.contains(told), "{error}");
        }
    }
    let error = airda(["security", "--profile", "k256-c4-r14-w3", AIR[0], AIR[1]]).failed(2);
    assert!(error.contains("no proof system for log inverse rate 3"), "{error}");
}

#[track_caller]
fn check_measured(report: &Value, rows: u64) {
    assert_eq!(report["proof_system"], "air");
    assert_eq!(report["membership"], "vector");
    assert_eq!(report["rows"], rows);
    let native = median(&report["t_encode_commit_s"]);
    let proving = median(&report["t_prove_s"]);
    let stages = report["stages"].as_object().unwrap();
    assert_eq!(stages.len(), 16);
    // Every stage has its spans in p3's prover and in ours.
    for (stage, time) in stages {
        let time = median(time);
        assert!(0.0 < time && time < native.max(proving), "{stage}: {time}");
        assert!(median(&report["stage_ratios"][stage]) > 0.0, "{stage}");
    }
    assert!(number(&report["t_prepare_s"]) > 0.0);
    if report["repeat"] == 1 {
        // They follow one another and leave little out.
        let native = ["encode", "hash"];
        let own = |name: &str| !native.contains(&name) && !name.starts_with("trace_");
        let named = stages.iter().filter(|(name, _)| own(name)).map(|(_, time)| median(time));
        let named = named.sum::<f64>() / proving;
        assert!(0.8 < named && named <= 1.0 + 1e-9, "{named}");
        let share = median(&stages["trace"]) / proving * 100.0;
        assert!((median(&report["trace_percent"]) - share).abs() < 1e-9);
    }
    let whole = median(&report["t_verify_s"]);
    for part in ["membership", "batch", "rest"] {
        let time = median(&report["verify"][part]);
        assert!(0.0 < time && time < whole, "{part}");
    }
    let tables = report["tables"].as_array().unwrap();
    let names: Vec<&str> = tables.iter().map(|table| table["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["chains", "nodes", "inner products", "public blocks"]);
    let calls = tables.iter().filter_map(|table| table["calls"].as_u64()).sum::<u64>();
    assert_eq!(report["calls"], calls);
    assert_eq!(tables[3]["rows"], 1);
    assert!(number(&report["proven_bits"]) >= number(&report["proof_security_bits"]));
    assert_eq!(report["conjectured_bits"], 128.0);
}

#[test]
fn proving_is_taken_apart() {
    let bench = ["bench", "prove", "--profile", TALL, "--repeat", "1"];
    let report = json(&[&bench, &AIR[..]].concat());
    check_measured(&report, 14);
    // A call of two blocks takes 164 columns; how many there are is in the rows and columns.
    let chains = &report["tables"][0];
    let slots = chains["rows"].as_u64().unwrap() * chains["columns"].as_u64().unwrap() / 164;
    let idle = 1.0 - number(&chains["calls"]) / slots as f64;
    assert!((number(&chains["idle_percent"]) - 100.0 * idle).abs() < 1e-9, "{chains}");

    let text = run(&[&bench, &AIR[..]].concat()).ok();
    for told in ["quotients", "trace of T_prove", "prepare", "idle", "inner products", "FRI"] {
        assert!(text.contains(told), "{told}: {text}");
    }

    let sweep = ["bench", "prove", "--profile", "k64-c4", "--rows", "2..=3", "--repeat", "2"];
    let report = json(&[&sweep, &AIR[..]].concat());
    for (line, rows) in report["rows"].as_array().unwrap().iter().zip(2..) {
        check_measured(line, rows);
    }
    assert_eq!(report["proof_bound_holds"], Value::Null);
    let text = run(&[&sweep, &AIR[..]].concat()).ok();
    assert!(text.contains("poseidon2-16, air, ") && !text.contains("proof <="), "{text}");
}

#[test]
fn proof_systems_are_compared() {
    let compare = ["bench", "compare", "--profile", TALL, "--repeat", "2"];
    let report = json(&compare);
    assert_eq!((&report["profile"], &report["repeat"]), (&"k256-c4-r14-w1".into(), &2.into()));
    let calls = number(&report["calls"]);
    let mib = number(&report["payload_bytes"]) / 1_048_576.0;
    let rates = |side: &Value, time: f64| {
        assert!((number(&side["calls_per_s"]) * time / calls - 1.0).abs() < 1e-9);
        assert!((number(&side["payload_mib_per_s"]) * time / mib - 1.0).abs() < 1e-9);
        assert_eq!(side["peak_memory_bytes"].is_u64(), cfg!(target_os = "linux"));
    };
    let native = &report["native"];
    rates(native, median(&native["t_encode_commit_s"]));
    let commitment = number(&native["security_bits"]);
    for (name, membership) in [("gkr", "construction"), ("air", "vector")] {
        let side = &report[name];
        assert_eq!(side["membership"], membership);
        rates(side, median(&side["t_prove_s"]));
        assert!(median(&side["prove_ratio"]) > 1.0 && median(&side["t_verify_s"]) > 0.0);
        for once in ["t_prepare_s", "proven_bits", "conjectured_bits"] {
            assert_eq!(side[once].is_f64(), name == "air", "{once}");
        }
        let least = commitment.min(number(&side["proof_security_bits"]));
        assert_eq!(number(&side["security_bits"]), least);
    }
    assert!(number(&report["air"]["proof_bytes"]) > number(&report["gkr"]["proof_bytes"]));

    let wide = ["--hash", "poseidon2-24", "--air-security", "124"];
    let text = run(&[&compare[..], &wide].concat()).ok();
    for told in ["native", "prove to commit", "k256-c4-r14-w1, poseidon2-24", "264 queries"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    // The columns are aligned: where the header's end, all numbers end.
    let header = text.lines().next().unwrap();
    let end = header.find("gkr").unwrap() + 3;
    for line in text.lines().skip(1).take_while(|line| !line.starts_with("k256-")) {
        assert!(!line[..end].ends_with(' ') && line[end..].starts_with(' '), "{line}");
    }
    assert!(airda(["bench", "compare", "--profile", "k64-c4"]).failed(2).contains("say -rZ"));
    airda(["bench", "compare", "--profile", "k64-c4-r1-w9"]).failed(2);
    let error = airda(["bench", "compare", "--profile", "k64-c4-r1-w3"]).failed(2);
    assert!(error.contains("log inverse rate 3"), "{error}");
    airda(["bench", "compare", "--chain-step", "2"]).failed(2);
}

#[test]
fn security_tells_terms_by_regimes() {
    let text = airda(["security", "--profile", "b2-c32-r14-w1", AIR[0], AIR[1]]).ok();
    for told in [
        "b2-c32-r14-w1, poseidon2-16, membership by vector",
        "309247 calls",
        "entry 257: rate 2^-1, 172 queries",
        "list, m = ",
        "FRI queries",
        "round by round",
        "Keccak-256",
        "16383/(|E| - 32768)",
        "123.95",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    for entry in ["257", "259"] {
        assert!(text.lines().any(|line| line.starts_with(entry)), "{entry}: {text}");
    }

    let all = json(&["security", AIR[0], AIR[1]]);
    let profiles = all["profiles"].as_array().unwrap();
    assert_eq!(profiles.len(), 28);
    for profile in profiles {
        assert!(number(&profile["proven_bits"]) >= 100.0, "{profile}");
        assert!(number(&profile["proof_security_bits"]) >= 100.0, "{profile}");
    }
    let regimes = all["regimes"].as_array().unwrap();
    let names: Vec<&str> = regimes.iter().map(|regime| regime["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["unique", "list", "list_composed", "conjectured"]);
    for regime in regimes {
        let terms = regime["terms"].as_array().unwrap();
        let of = |key: &'static str| terms.iter().map(move |term| number(&term[key]));
        assert_eq!(number(&regime["bits"]), of("bits").fold(128.0, f64::min));
        let sum = -of("all_bits").map(|bits| (-bits).exp2()).sum::<f64>().log2();
        assert!((number(&regime["composed_bits"]) - sum).abs() < 1e-9, "{regime}");
    }
    let proven = number(&regimes[0]["bits"]).max(number(&regimes[1]["bits"]));
    assert_eq!(number(&all["proven_bits"]), proven);
    let composed =
        number(&regimes[0]["composed_bits"]).max(number(&regimes[2]["composed_bits"])).min(128.0);
    assert_eq!(number(&all["proof_security_bits"]), composed);

    // What more bits cost, and that the entry chosen is the one told.
    let [usual, strong] = [0, 1].map(|entry| &all["entries"][entry]);
    for key in ["queries", "proof_bytes_at_most", "proven_bits", "security_bits"] {
        assert!(number(&usual[key]) < number(&strong[key]), "{key}");
    }
    assert!(number(&strong["proven_bits"]) >= 124.0);
    let chosen = ["security", "--profile", "b2-c32-r14-w1", "--air-security", "124"];
    let chosen = json(&[&chosen, &AIR[..]].concat());
    for key in ["entry", "proven_bits", "security_bits"] {
        assert_eq!(chosen[key], strong[key], "{key}");
    }
    assert_eq!(chosen["profiles"], Value::Null);
}
