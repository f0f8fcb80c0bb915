//! The command line as its users meet it: exit statuses, messages, files.
#![cfg(feature = "cli")]

mod air;
mod bench;
mod build;
#[cfg(unix)]
mod crash;
#[cfg(unix)]
mod faults;
mod inspect;
mod restore;
mod run;
mod sample;
mod security;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

/// A small shape: 32 columns, three rows for [`PAYLOAD`] bytes.
const PROFILE: &str = "k64-c4";
/// Not quite three rows.
const PAYLOAD: usize = 3 * 19 * 64 - 5;

/// What a command left behind.
struct Done {
    status: i32,
    out: String,
    err: String,
}

impl Done {
    /// Done or accepted, without a word of complaint.
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!((self.status, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// Failed with this status and one line on stderr, which is returned.
    #[track_caller]
    fn failed(self, status: i32) -> String {
        assert_eq!(self.status, status, "{}{}", self.out, self.err);
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        assert!(self.err.starts_with("airda: "), "{}", self.err);
        self.err
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            status: output.status.code().expect("no signal"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

fn run(args: &[&str]) -> Done {
    Command::new(env!("CARGO_BIN_EXE_airda")).args(args).output().unwrap().into()
}

fn airda<const N: usize>(args: [&str; N]) -> Done {
    run(&args)
}

/// Bytes without a pattern, always the same.
fn noise(len: usize) -> Vec<u8> {
    let byte = |i: u64| ((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
    (0..len as u64).map(|i| byte(i * i)).collect()
}

/// A directory with a file and a build of it.
struct Built {
    root: TempDir,
}

impl Built {
    /// A copy of one build, which is made once.
    fn new() -> Self {
        static BUILD: OnceLock<Built> = OnceLock::new();
        let original = BUILD.get_or_init(|| {
            // Nobody drops a static: it lies where `cargo clean` finds it.
            let root = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            fs::write(root.path().join("file"), noise(PAYLOAD)).unwrap();
            let built = Self { root };
            airda(["build", &built.at("file"), "--out", &built.at("dir"), "--profile", PROFILE])
                .ok();
            built
        });
        let root = TempDir::new().unwrap();
        copy(original.root.path(), root.path());
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn at(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn column(&self, index: usize) -> PathBuf {
        self.path(&format!("dir/columns/{index:05}"))
    }

    /// Flips a bit of a file.
    fn damage(&self, path: &Path, byte: usize) {
        let mut bytes = fs::read(path).unwrap();
        bytes[byte] ^= 1;
        fs::write(path, bytes).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// All files below a directory with their bytes, by name.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.push((path.to_string_lossy().into_owned(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// That two lists of files agree; where they do not, the names.
#[track_caller]
fn assert_same(found: &[(String, Vec<u8>)], expected: &[(String, Vec<u8>)]) {
    let differ = |a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)]| -> Vec<String> {
        a.iter().filter(|file| !b.contains(file)).map(|(name, _)| name.clone()).collect()
    };
    let (more, fewer) = (differ(found, expected), differ(expected, found));
    assert!(more.is_empty() && fewer.is_empty(), "found {more:?} in place of {fewer:?}");
}

#[test]
fn usage_errors_are_one_line_and_status_two() {
    for (args, what) in [
        (vec!["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (vec!["run"], "<FILE>"),
        (vec!["build", "x"], "--out <DIR>"),
        (vec!["run", "x", "--frob"], "'--frob'"),
        (vec!["run", "x", "--hash", "poseidon2-8"], "poseidon2-24"),
        (vec!["run", "x", "--profile", "b3-c64"], "b 3 is not a power of two"),
        (vec!["run", "x", "--seed", "red"], "'red'"),
        (vec!["sample", "x", "--count", "0"], "0 is not in 1"),
        (vec!["bench", "prove", "--rows", "3..=2"], "3..=2 has no number of rows in it"),
        (vec!["bench", "prove", "--repeat", "0"], "0 is not in 1"),
        (vec!["bench", "prove", "--profile", "k64-c4"], "say --rows N or -rZ"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_airda")).args(&args).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.contains(what), "{err}");
    }
}

#[test]
fn help_states_the_default_rule_and_exit_statuses() {
    for args in [["--help", "--help"], ["run", "--help"], ["build", "--help"]] {
        let help = airda(args).ok();
        assert!(help.contains("rows n within 14"), "{help}");
        assert!(help.contains("Exit status: 0"), "{help}");
    }
    assert_eq!(airda([]).status, 2);
    assert!(airda(["--version"]).ok().starts_with("airda "));
}
