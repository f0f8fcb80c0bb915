//! Writers that are killed or meet a full disk, at every single thing they do to a file, and at
//! any time at all: what is left is a whole build or none.

use std::process::{Child, Stdio};
use std::thread::sleep;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;

/// Eight columns: a build does a hundred things to files, and each is struck.
const SMALL: &str = "k64-c16";

/// Two payloads, and a build of the first.
pub(super) fn two() -> Built {
    let built = Built::new();
    fs::write(built.path("other"), noise(PAYLOAD - 700)).unwrap();
    fs::remove_dir_all(built.path("dir")).unwrap();
    build(&built, "file").ok();
    built
}

fn build(built: &Built, file: &str) -> Done {
    airda(["build", &built.at(file), "--out", &built.at("dir"), "--profile", SMALL])
}

/// What somebody who meets the directory gets out of it: the payload, or nothing at all.
/// Whatever it is, verifier, sampler and recoverer agree.
#[track_caller]
pub(super) fn payload_in(built: &Built) -> Option<Vec<u8>> {
    let (dir, out) = (built.at("dir"), built.at("out"));
    let _ = fs::remove_file(&out);
    if !built.path("dir/commitment").exists() {
        for args in
            [vec!["verify", &dir], vec!["sample", &dir], vec!["recover", &dir, "--out", &out]]
        {
            run(&args).failed(2);
        }
        assert!(!built.path("out").exists());
        return None;
    }
    assert!(airda(["verify", &dir]).ok().starts_with("accepted"));
    let columns = fs::read_dir(built.path("dir/columns")).unwrap();
    let partial = |name: &str| name.ends_with(".partial");
    let whole =
        columns.filter(|entry| !partial(entry.as_ref().unwrap().file_name().to_str().unwrap()));
    airda(["sample", &dir, "--count", &whole.count().to_string()]).ok();
    assert!(airda(["repair", &dir]).ok().starts_with("nothing to repair"));
    airda(["recover", &dir, "--out", &out]).ok();
    Some(fs::read(out).unwrap())
}

/// A library that strikes at any given operation, if this machine can make one.
#[cfg(target_os = "linux")]
fn shim() -> Option<&'static Path> {
    static SHIM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = SHIM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/shim.c");
        let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap().keep();
        let made = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([&dir.join("shim.so"), &source])
            .arg("-ldl")
            .status();
        made.is_ok_and(|status| status.success()).then(|| dir.join("shim.so"))
    });
    if made.is_none() {
        eprintln!("skipped: cc makes no shared library here");
    }
    made.as_deref()
}

/// The command with all its operations below the build's directory logged, and from one of them
/// on struck: by a `kill`, or by a disk that is `full`.
#[cfg(target_os = "linux")]
fn struck(shim: &Path, built: &Built, args: &[&str], strike: Option<(&str, usize)>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airda"));
    command.args(args).env("LD_PRELOAD", shim).env("SHIM_DIR", built.path("dir"));
    match strike {
        Some((what, at)) => {
            command.env("SHIM_DO", what).env("SHIM_AT", at.to_string());
        }
        None => {
            command.env("SHIM_LOG", built.path("log"));
        }
    }
    command
}

/// The operations of one run that nothing strikes.
#[cfg(target_os = "linux")]
fn operations(shim: &Path, built: &Built, args: &[&str]) -> Vec<String> {
    assert!(struck(shim, built, args, None).output().unwrap().status.success());
    let log = fs::read_to_string(built.path("log")).unwrap();
    log.lines().map(|line| line.replace(&built.at("dir"), "")).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_build_that_is_killed_anywhere_leaves_a_whole_build_or_none() {
    let Some(shim) = shim() else { return };
    let built = two();
    let args = ["build", &built.at("other"), "--out", &built.at("dir"), "--profile", SMALL];
    let count = operations(shim, &built, &args).len();
    let (earlier, new) =
        (fs::read(built.path("file")).unwrap(), fs::read(built.path("other")).unwrap());
    // First the earlier build, then for a moment none, then the new one; never back.
    let mut seen = Vec::new();
    for at in 1..=count {
        fs::remove_dir_all(built.path("dir")).unwrap();
        build(&built, "file").ok();
        let before = contents(&built.path("dir"));
        let output = struck(shim, &built, &args, Some(("kill", at))).output().unwrap();
        assert_eq!(output.status.code(), None, "operation {at} of {count}");
        let payload = payload_in(&built);
        if payload.as_ref() == Some(&earlier) {
            let after = contents(&built.path("dir"));
            assert!(before.iter().all(|file| after.contains(file)));
        }
        if payload.is_none() {
            airda(["repair", &built.at("dir")]).ok();
            assert_eq!(payload_in(&built).as_ref(), Some(&earlier), "operation {at} of {count}");
        }
        seen.push(payload);
        build(&built, "other").ok();
        assert_eq!(payload_in(&built).as_ref(), Some(&new));
        assert_eq!(contents(&built.path("dir")).len(), 2 + 8);
    }
    seen.dedup();
    assert!(seen == [Some(earlier), None, Some(new)]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_build_that_fails_anywhere_says_so_and_leaves_the_earlier_one_as_it_was() {
    let Some(shim) = shim() else { return };
    let built = two();
    let args = ["build", &built.at("other"), "--out", &built.at("dir"), "--profile", SMALL];
    let log = operations(shim, &built, &args);
    let of = |name: &str| log.iter().position(|line| line.starts_with(name)).unwrap();
    let out_of_place = of("rename /commitment");
    let in_place = of("rename /.build.partial/commitment /commitment");
    let other = fs::read(built.path("other")).unwrap();
    build(&built, "file").ok();
    let mut before = contents(&built.path("dir"));
    for (what, why) in [("full", "No space left on device"), ("once", "Input/output error")] {
        for at in 1..=log.len() {
            let output = struck(shim, &built, &args, Some((what, at))).output().unwrap();
            let done = Done::from(output);
            let place = format!("{what} at {at} of {}: {}", log.len(), log[at - 1]);
            let payload = payload_in(&built);
            if done.status == 0 {
                // Only removals failed, or none was left to do.
                assert!(what == "once" || at > in_place, "{place}");
                assert!(payload.as_ref() == Some(&other), "{place}");
            } else {
                assert!(done.failed(2).contains(why), "{place}");
                if at > in_place + 1 && payload.is_some() {
                    // The new one is in place, though not known to be on the disk.
                    assert!(payload.as_ref() == Some(&other) || what == "once", "{place}");
                } else if what == "once" || at <= out_of_place + 1 {
                    assert_same(&contents(&built.path("dir")), &before);
                    assert!(!built.path("dir/.build.partial").exists());
                    continue;
                } else {
                    // Not even a move back is possible: out of place, and nothing in its place.
                    assert_eq!(payload, None, "{place}");
                    airda(["repair", &built.at("dir")]).ok();
                    let after = contents(&built.path("dir"));
                    assert!(before.iter().all(|file| after.contains(file)), "{place}");
                }
            }
            fs::remove_dir_all(built.path("dir")).unwrap();
            build(&built, "file").ok();
            // Two proofs of one block may differ.
            before = contents(&built.path("dir"));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_repair_that_is_struck_anywhere_harms_no_column_and_can_be_done_again() {
    let Some(shim) = shim() else { return };
    let built = two();
    let whole = contents(&built.path("dir"));
    let harm = || {
        fs::remove_file(built.column(1)).unwrap();
        built.damage(&built.column(4), 70);
        fs::write(built.column(6), b"").unwrap();
    };
    harm();
    let args = ["repair", &built.at("dir")];
    let log = operations(shim, &built, &args);
    let count = log.len();
    assert_same(&contents(&built.path("dir")), &whole);
    for (what, why) in
        [("kill", ""), ("full", "No space left on device"), ("once", "Input/output error")]
    {
        for at in 1..=count {
            harm();
            let output = struck(shim, &built, &args, Some((what, at))).output().unwrap();
            if what != "kill" && !log[at - 1].starts_with("unlink") {
                // Two bad columns are told first.
                let done = Done::from(output);
                assert_eq!(done.status, 2, "operation {at} of {count}");
                assert_eq!(done.err.lines().count(), 3, "{}", done.err);
                assert!(done.err.contains(why), "{}", done.err);
            }
            let left = contents(&built.path("dir"));
            for (name, bytes) in &whole {
                let harmed = ["00001", "00004", "00006"].iter().any(|index| name.ends_with(index));
                let found = left.iter().find(|(other, _)| other == name);
                assert!(harmed || found.is_some_and(|(_, found)| found == bytes), "{name}");
            }
            let again = airda(["repair", &built.at("dir")]);
            assert_eq!(again.status, 0, "{}", again.err);
            // A kill leaves what it was writing, until something is built here.
            let mut after = contents(&built.path("dir"));
            after.retain(|(name, _)| {
                let partial = what == "kill" && name.ends_with(".partial");
                if partial {
                    fs::remove_file(name).unwrap();
                }
                !partial
            });
            assert_same(&after, &whole);
        }
    }
}

/// A commitment on the disk with columns that are not there yet would be lost with the power.
#[cfg(target_os = "linux")]
#[test]
fn a_build_is_on_the_disk_before_its_commitment_and_before_the_earlier_one_goes() {
    let Some(shim) = shim() else { return };
    let built = two();
    let args = ["build", &built.at("other"), "--out", &built.at("dir"), "--profile", SMALL];
    let log = operations(shim, &built, &args);
    let at = |wanted: &str| {
        log.iter().position(|line| line == wanted).unwrap_or_else(|| panic!("{wanted}\n{log:#?}"))
    };
    let switch = at("rename /commitment /.build.partial/earlier/commitment");
    let stage = "/.build.partial";
    let mut files: Vec<String> = (0..8).map(|index| format!("columns/{index:05}")).collect();
    files.extend(["commitment".to_owned(), "proof".to_owned()]);
    for file in files {
        assert!(at(&format!("sync {stage}/{file}")) < switch, "{file}");
    }
    for dir in ["/.build.partial/columns", "/.build.partial"] {
        assert!(at(&format!("sync {dir}")) < switch, "{dir}");
    }
    // The earlier one's commitment goes first, the new one's comes last.
    let moves: Vec<&str> = log[switch..].iter().map(String::as_str).collect();
    let expected = [
        "rename /commitment /.build.partial/earlier/commitment",
        "sync ",
        "rename /columns /.build.partial/earlier/columns",
        "sync ",
        "rename /proof /.build.partial/earlier/proof",
        "sync ",
        "rename /.build.partial/columns /columns",
        "rename /.build.partial/proof /proof",
        "sync ",
        "rename /.build.partial/commitment /commitment",
        "sync ",
    ];
    assert!(moves.starts_with(&expected), "{moves:#?}");
}

/// Spawns without waiting.
fn spawn(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_airda"))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Where no library can be preloaded, and for what no library sees: any moment of the clock.
#[test]
fn a_build_that_is_killed_at_any_time_leaves_a_whole_build_or_none() {
    let built = two();
    let payloads = ["file", "other"].map(|name| fs::read(built.path(name)).unwrap());
    let mut rng = StdRng::seed_from_u64(1);
    // Many columns, for most of the time to be spent on writing them.
    let profile = "k256-c1";
    let args = ["build", &built.at("other"), "--out", &built.at("dir"), "--profile", profile];
    let start = std::time::Instant::now();
    assert!(spawn(&args).wait().unwrap().success());
    let longest = start.elapsed();
    let mut killed = 0;
    for round in 0..16 {
        let mut child = spawn(&args);
        sleep(longest.mul_f64(rng.random_range(0.0..1.0)));
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().code().is_none());
        if let Some(payload) = payload_in(&built) {
            assert!(payloads.contains(&payload));
        }
        if round % 8 == 7 {
            build(&built, "file").ok();
            assert_eq!(payload_in(&built).as_ref(), Some(&payloads[0]));
            assert_eq!(contents(&built.path("dir")).len(), 2 + 8);
        }
    }
    assert!(killed > 0);
}

/// Whatever moment a reader comes at, it gets one build or the other, or an error.
#[test]
fn readers_of_a_directory_that_is_built_anew_get_one_build_or_none() {
    let built = two();
    let payloads = ["file", "other"].map(|name| fs::read(built.path(name)).unwrap());
    let (dir, out) = (built.at("dir"), built.at("out"));
    let mut recovered = 0;
    for round in 0..12 {
        let name = ["other", "file"][round % 2];
        let args = ["build", &built.at(name), "--out", &dir, "--profile", SMALL];
        let mut child = spawn(&args);
        while child.try_wait().unwrap().is_none() {
            let _ = fs::remove_file(&out);
            for args in [vec!["verify", &dir], vec!["sample", &dir]] {
                let done = run(&args);
                assert!((0..=2).contains(&done.status), "{}", done.err);
            }
            let done = airda(["recover", &dir, "--out", &out]);
            assert!((0..=2).contains(&done.status), "{}", done.err);
            if done.status == 0 {
                assert!(payloads.contains(&fs::read(&out).unwrap()));
                recovered += 1;
            }
        }
        assert!(child.wait().unwrap().success());
        assert_eq!(payload_in(&built).as_ref(), Some(&payloads[1 - round % 2]));
    }
    assert!(recovered > 0);
}
