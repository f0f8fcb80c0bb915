//! Faults around files: what cannot be read, written or waited for is an error and a status.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use super::crash::{payload_in, two};
use super::*;

/// The command under a shell that says how, where `"$@"` is the command.
fn shell(script: &str, args: &[&str]) -> Done {
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_airda")]).args(args);
    Done::from(command.output().unwrap())
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

// A disk with no room.

/// Files may not grow beyond so many blocks: more than a column has, fewer than a proof.
const LIMITED: &str = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
/// No file may hold a byte.
const FULL: &str = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";

#[test]
fn a_build_that_cannot_be_written_leaves_the_earlier_one_alone() {
    let built = Built::new();
    fs::write(built.path("other"), noise(PAYLOAD - 1)).unwrap();
    let before = contents(built.root.path());
    for script in [LIMITED, FULL] {
        let args = ["build", &built.at("other"), "--out", &built.at("dir"), "--profile", PROFILE];
        let error = shell(script, &args).failed(2);
        assert!(error.contains("cannot write") && error.contains("File too large"), "{error}");
        assert_same(&contents(built.root.path()), &before);
        // Where there was none, there is none.
        let args = ["build", &built.at("other"), "--out", &built.at("new"), "--profile", PROFILE];
        shell(script, &args).failed(2);
        assert!(contents(&built.path("new")).is_empty());
        assert_eq!(fs::read_dir(built.path("new")).unwrap().count(), 0);
    }
    assert_eq!(payload_in(&built), Some(noise(PAYLOAD)));
}

#[test]
fn recover_and_repair_that_cannot_write_change_nothing() {
    let built = Built::new();
    fs::remove_file(built.column(3)).unwrap();
    fs::remove_file(built.column(9)).unwrap();
    fs::write(built.path("out"), b"what was there").unwrap();
    let before = contents(built.root.path());
    let error = shell(FULL, &["recover", &built.at("dir"), "--out", &built.at("out")]).failed(2);
    assert!(error.contains("cannot write") && error.contains("out"), "{error}");
    let error = shell(FULL, &["repair", &built.at("dir")]).failed(2);
    assert!(error.contains("columns/00003") && error.contains("0 of 2 columns"), "{error}");
    assert_same(&contents(built.root.path()), &before);
    airda(["recover", &built.at("dir"), "--out", &built.at("out")]).ok();
    assert_eq!(fs::read(built.path("out")).unwrap(), noise(PAYLOAD));
}

/// A file system of 128 KiB, where this machine lets its users have one to themselves.
#[test]
fn a_small_file_system_that_runs_full_is_an_error() {
    let built = Built::new();
    let args = |size: &str| {
        let script = format!(
            "mount -t tmpfs -o size={size} none \"$1/dir\" || exit 77; shift; \"$@\"; \
             status=$?; ls -A \"$0/dir\"; exit $status"
        );
        let output = Command::new("unshare")
            .args(["-rm", "sh", "-c", &script, &built.at(""), &built.at("")])
            .arg(env!("CARGO_BIN_EXE_airda"))
            .args(["build", &built.at("file"), "--out", &built.at("dir"), "-q"])
            .args(["--profile", PROFILE])
            .output();
        output.ok().map(Done::from)
    };
    match args("4m") {
        Some(done) if done.status == 0 => assert_eq!(done.ok(), "columns\ncommitment\nproof\n"),
        _ => {
            eprintln!("skipped: unshare and mount give no file system here");
            return;
        }
    }
    let done = args("128k").unwrap();
    assert_eq!(done.out, "");
    assert!(done.failed(2).contains("No space left on device"));
}

// Stdout.

#[test]
fn a_result_that_cannot_be_told_is_a_failure() {
    let built = Built::new();
    let (file, dir, out) = (built.at("file"), built.at("dir"), built.at("out"));
    let commitment = built.at("dir/commitment");
    for args in [
        vec!["run", &file, "--profile", PROFILE, "--json"],
        vec!["run", &file, "--profile", PROFILE],
        vec!["build", &file, "--out", &dir, "--profile", PROFILE],
        vec!["verify", &dir],
        vec!["sample", &dir],
        vec!["repair", &dir],
        vec!["recover", &dir, "--out", &out],
        vec!["inspect", &commitment],
        vec!["profiles"],
        vec!["--help"],
        vec!["--version"],
    ] {
        let error = shell("exec \"$@\" >/dev/full", &args).failed(2);
        assert!(error.contains("cannot write to stdout"), "{args:?}: {error}");
        // The work itself was done; with nothing to say there is nothing to fail.
        if !matches!(args[0], "inspect" | "profiles" | "--help" | "--version")
            && !args.contains(&"--json")
        {
            shell("exec \"$@\" -q >/dev/full", &args).ok();
        }
    }
    // Whoever closes it has seen enough; and nobody needs to listen at all.
    for args in [vec!["verify", &dir], vec!["profiles"], vec!["run", &file, "--json"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_airda"))
            .args(&args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        Done::from(child.wait_with_output().unwrap()).ok();
        shell("exec \"$@\" >&- 2>&- <&-", &args).ok();
    }
    for stderr in ["2>/dev/full", "2>&-"] {
        let done = shell(&format!("exec \"$@\" {stderr}"), &["verify", &built.at("none")]);
        assert_eq!((done.status, done.out.as_str()), (2, ""));
    }
}

// What is there is not what it should be.

#[test]
fn an_output_of_any_kind_is_written_whole_or_refused() {
    let built = Built::new();
    let recover = |out: &str| airda(["recover", &built.at("dir"), "--out", out]);
    // A longer file goes altogether, one that is open still has its bytes.
    fs::write(built.path("out"), vec![1; 2 * PAYLOAD]).unwrap();
    let open = fs::File::open(built.path("out")).unwrap();
    recover(&built.at("out")).ok();
    assert_eq!(fs::read(built.path("out")).unwrap(), noise(PAYLOAD));
    assert_eq!(open.metadata().unwrap().len(), 2 * PAYLOAD as u64);
    // The longest name there is, and one longer.
    let name = |len: usize| built.at(&"n".repeat(len));
    recover(&name(255)).ok();
    assert_eq!(fs::read(name(255)).unwrap(), noise(PAYLOAD));
    assert!(recover(&name(256)).failed(2).contains("cannot write"));
    let wide = built.at(&"\u{1f4be}".repeat(63));
    recover(&wide).ok();
    assert_eq!(fs::read(wide).unwrap(), noise(PAYLOAD));
    // Devices, directories, what is below a file, nothing at all.
    for out in ["/dev/full", "/dev/null", "/dev/stdout", "/proc/self/mem"] {
        assert!(recover(out).failed(2).contains("cannot write"), "{out}");
    }
    for out in ["dir", "file/below", "no/such/place", "dir/columns/00003"] {
        recover(&built.at(out)).failed(2);
    }
    recover("").failed(2);
    // A link that leads round in a circle is none that can be followed.
    symlink(built.path("circle"), built.path("circle")).unwrap();
    recover(&built.at("circle/out")).failed(2);
    airda(["build", &built.at("file"), "--out", &built.at("circle")]).failed(2);
    airda(["build", &built.at("file"), "--out", &built.at("file/below")]).failed(2);
    airda(["build", &built.at("file"), "--out", &name(256)]).failed(2);
    assert_eq!(payload_in(&built), Some(noise(PAYLOAD)));
}

#[test]
fn an_input_that_is_no_file_is_an_error_and_a_pipe_is_read() {
    let built = Built::new();
    let run_on = |file: &str| airda(["run", file, "--profile", PROFILE, "-q"]);
    symlink(built.path("circle"), built.path("circle")).unwrap();
    for name in ["dir", "circle", "file/below", "none"] {
        assert!(run_on(&built.at(name)).failed(2).contains("cannot read"), "{name}");
    }
    run_on(&built.at(&"n".repeat(300))).failed(2);
    // Bytes without end are more than can be encoded.
    for file in ["/dev/zero", "/dev/full"] {
        assert!(run_on(file).failed(2).contains("longer than"), "{file}");
    }
    assert!(run_on("/dev/null").failed(2).contains("the file is empty"));
    pipe(&built.path("pipe"));
    let write = std::thread::spawn({
        let path = built.path("pipe");
        move || fs::write(path, noise(PAYLOAD)).unwrap()
    });
    run_on(&built.at("pipe")).ok();
    write.join().unwrap();

    // A pipe that nobody writes into, where a directory is wanted.
    let (dir, out) = (built.at("idle"), built.at("out"));
    pipe(&built.path("idle"));
    for args in [
        vec!["build", &built.at("file"), "--out", &dir, "--profile", PROFILE],
        vec!["repair", &dir],
        vec!["verify", &dir],
        vec!["recover", &dir, "--out", &out],
    ] {
        run(&args).failed(2);
    }

    // A build's own files.
    for (name, args) in
        [("commitment", vec!["verify", "sample", "repair"]), ("proof", vec!["verify"])]
    {
        for kind in ["directory", "circle", "pipe"] {
            let built = Built::new();
            let path = built.path("dir").join(name);
            fs::remove_file(&path).unwrap();
            match kind {
                "directory" => fs::create_dir(&path).unwrap(),
                "circle" => symlink(&path, &path).unwrap(),
                _ => pipe(&path),
            }
            for &command in &args {
                let error = airda([command, &built.at("dir")]).failed(2);
                assert!(error.contains("cannot read") && error.contains(name), "{error}");
            }
        }
    }
}

#[test]
fn a_file_that_grows_is_read_as_far_as_it_was_there() {
    use std::io::Write;

    let built = Built::new();
    let mut file = fs::File::create(built.path("grows")).unwrap();
    file.write_all(&[1]).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                file.write_all(&[2; 20]).unwrap();
                std::thread::sleep(std::time::Duration::from_micros(20));
            }
        });
        let args = ["build", &built.at("grows"), "--out", &built.at("dir"), "--profile", PROFILE];
        let done: Vec<Done> = (0..4).map(|_| airda(args)).collect();
        stop.store(true, Ordering::Relaxed);
        done.into_iter().for_each(|done| drop(done.ok()));
    });
    let payload = payload_in(&built).unwrap();
    assert!(fs::read(built.path("grows")).unwrap().starts_with(&payload));
    // A column with more behind it than it has.
    let mut column = fs::OpenOptions::new().append(true).open(built.column(2)).unwrap();
    column.write_all(&vec![0; 1 << 20]).unwrap();
    let done = airda(["repair", &built.at("dir")]);
    assert_eq!(done.status, 0);
    assert!(done.err.contains("columns/00002: not used") && done.err.contains("after its end"));
}

#[test]
fn columns_that_are_no_files_are_bad_and_do_not_keep_the_others_from_repair() {
    let built = Built::new();
    let before = contents(&built.path("dir"));
    for index in [2, 5, 8, 30] {
        fs::remove_file(built.column(index)).unwrap();
    }
    fs::create_dir(built.column(2)).unwrap();
    symlink(built.column(5), built.column(5)).unwrap();
    pipe(&built.column(8));
    let done = airda(["repair", &built.at("dir")]);
    assert_eq!(done.status, 2);
    let told = done.err.lines().last().unwrap();
    assert!(told.contains("cannot write") && told.contains("columns/00002: "), "{told}");
    assert!(told.ends_with("; 3 of 4 columns are written back"), "{told}");
    airda(["recover", &built.at("dir"), "--out", &built.at("out")]);
    assert_eq!(fs::read(built.path("out")).unwrap(), noise(PAYLOAD));
    fs::remove_dir(built.column(2)).unwrap();
    airda(["repair", &built.at("dir")]).ok();
    assert_same(&contents(&built.path("dir")), &before);
}

#[test]
fn a_build_with_no_columns_that_can_be_read_is_not_recoverable() {
    for kind in ["missing", "file", "circle"] {
        let built = Built::new();
        let columns = built.path("dir/columns");
        fs::remove_dir_all(&columns).unwrap();
        match kind {
            "file" => fs::write(&columns, b"no directory").unwrap(),
            "circle" => symlink(&columns, &columns).unwrap(),
            _ => {}
        }
        for args in [
            vec!["repair", &built.at("dir")],
            vec!["recover", &built.at("dir"), "--out", &built.at("out")],
        ] {
            let done = run(&args);
            assert_eq!(done.status, 1, "{kind}: {}", done.err);
            assert!(done.err.lines().last().unwrap().contains("not recoverable: 0 good"));
        }
        airda(["sample", &built.at("dir")]).failed(1);
        airda(["verify", &built.at("dir")]).ok();
    }
}

// Whose files they are.

#[test]
fn whatever_a_build_does_not_consist_of_is_left_alone() {
    type Plant = fn(&Path);
    let plants: [Plant; 17] = [
        |dir| fs::write(dir.join("notes"), b"foreign").unwrap(),
        |dir| fs::write(dir.join(".hidden"), b"").unwrap(),
        |dir| fs::write(dir.join(".download.partial"), b"half").unwrap(),
        |dir| fs::write(dir.join(".notes.17.partial"), b"half").unwrap(),
        |dir| fs::write(dir.join(".commitment.17.partial"), b"half").unwrap(),
        |dir| fs::write(dir.join("columns/.00001.x.partial"), b"half").unwrap(),
        |dir| fs::write(dir.join("columns/.notes.17.partial"), b"half").unwrap(),
        |dir| fs::write(dir.join("columns/notes"), b"foreign").unwrap(),
        |dir| fs::write(dir.join("columns/00001.bak"), b"airda.cl").unwrap(),
        |dir| fs::write(dir.join("columns/00001"), b"airda.pf").unwrap(),
        |dir| fs::write(dir.join("proof"), b"a text of my own").unwrap(),
        |dir| fs::create_dir(dir.join("columns/00100")).unwrap(),
        |dir| fs::create_dir(dir.join("sub")).unwrap(),
        |dir| fs::write(dir.join(std::ffi::OsStr::from_bytes(b"\xff\xfe")), b"").unwrap(),
        |dir| {
            fs::create_dir(dir.join(".build.partial")).unwrap();
            fs::write(dir.join(".build.partial/notes"), b"foreign").unwrap();
        },
        |dir| fs::write(dir.join(".build.partial"), b"foreign").unwrap(),
        |dir| {
            fs::rename(dir.join("columns"), dir.with_file_name("elsewhere")).unwrap();
            symlink(dir.with_file_name("elsewhere"), dir.join("columns")).unwrap();
        },
    ];
    for (nth, plant) in plants.into_iter().enumerate() {
        let built = Built::new();
        plant(&built.path("dir"));
        let before = contents(built.root.path());
        let args = ["build", &built.at("file"), "--out", &built.at("dir"), "--profile", PROFILE];
        let error = airda(args).failed(2);
        assert!(error.contains("is no part of an airda build"), "{nth}: {error}");
        assert_same(&contents(built.root.path()), &before);
    }
}

#[test]
fn leftovers_of_builds_that_were_killed_are_cleared_away() {
    let built = Built::new();
    let before = contents(&built.path("dir"));
    fs::create_dir_all(built.path("dir/.build.partial/columns")).unwrap();
    fs::create_dir_all(built.path("dir/.build.partial/earlier/columns")).unwrap();
    for name in [
        "columns/.00003.77.partial",
        ".build.partial/commitment",
        ".build.partial/earlier/columns/00002",
        ".build.partial/earlier/proof",
        ".build.partial/.proof.12.partial",
        ".build.partial/columns/00040",
        ".build.partial/columns/.00041.4294967295.partial",
    ] {
        fs::write(built.path("dir").join(name), b"").unwrap();
    }
    // They disturb nobody.
    assert_eq!(payload_in(&built), Some(noise(PAYLOAD)));
    airda(["build", &built.at("file"), "--out", &built.at("dir"), "--profile", PROFILE]).ok();
    let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
        files.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&contents(&built.path("dir"))), names(&before));
    assert!(!built.path("dir/.build.partial").exists());
}

// Two at once.

#[test]
fn one_build_or_repair_is_at_work_in_a_directory_at_a_time() {
    let built = Built::new();
    fs::remove_file(built.column(3)).unwrap();
    let dir = built.at("dir");
    let before = contents(&built.path("dir"));
    let held = fs::File::open(&dir).unwrap();
    held.lock().unwrap();
    let args = ["build", &built.at("file"), "--out", &dir, "--profile", PROFILE];
    for args in [args.to_vec(), vec!["repair", &dir]] {
        let error = run(&args).failed(2);
        assert!(error.contains("another build or repair is at work"), "{error}");
        assert_same(&contents(&built.path("dir")), &before);
    }
    // Readers are not kept waiting.
    airda(["verify", &dir]).ok();
    assert_eq!(airda(["recover", &dir, "--out", &built.at("out")]).status, 0);
    drop(held);
    airda(["repair", &dir]).ok();
    airda(args).ok();
}

#[test]
fn builds_at_once_into_one_directory_leave_one_of_them_whole() {
    let built = two();
    let dir = built.at("dir");
    for round in 0..6 {
        let count = 5;
        let children: Vec<_> = (0..count)
            .map(|nth| {
                let file = built.at(&format!("payload{nth}"));
                // The same payload for all, then another for each.
                let len = if round % 2 == 0 { PAYLOAD } else { PAYLOAD - 100 * nth };
                fs::write(&file, noise(len)).unwrap();
                Command::new(env!("CARGO_BIN_EXE_airda"))
                    .args(["build", &file, "--out", &dir, "--profile", PROFILE])
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let mut whole = Vec::new();
        for (nth, child) in children.into_iter().enumerate() {
            let done = Done::from(child.wait_with_output().unwrap());
            if done.status == 0 {
                whole.push(fs::read(built.path(&format!("payload{nth}"))).unwrap());
            } else {
                let error = done.failed(2);
                assert!(error.contains("another build or repair is at work"), "{error}");
            }
        }
        assert!(!whole.is_empty());
        assert!(whole.contains(&payload_in(&built).unwrap()));
        assert_eq!(contents(&built.path("dir")).len(), 2 + 32);
    }
}

// Permissions.

/// The command as somebody who owns nothing here: permission bits mean nothing to root.
fn as_nobody(built: &Built, args: &[&str]) -> Option<Done> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airda"));
    command.args(args);
    if fs::metadata("/proc/self").ok()?.uid() == 0 {
        fs::set_permissions(built.root.path(), fs::Permissions::from_mode(0o755)).unwrap();
        command.uid(65_534).gid(65_534);
    }
    match command.output() {
        Ok(output) => Some(Done::from(output)),
        Err(error) => {
            eprintln!("skipped: nobody may not run airda here: {error}");
            None
        }
    }
}

#[test]
fn what_may_not_be_read_or_written_is_an_error() {
    let built = Built::new();
    let dir = built.at("dir");
    let Some(done) = as_nobody(&built, &["verify", &dir]) else { return };
    done.ok();
    let nobody = |args: &[&str]| as_nobody(&built, args).unwrap();
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::remove_file(built.column(7)).unwrap();
    mode(&built.path("dir"), 0o555);
    mode(&built.path("dir/columns"), 0o555);
    let before = contents(built.root.path());

    // Directories that may be read.
    let build = ["build", &built.at("file"), "--out", &dir, "--profile", PROFILE];
    let error = nobody(&build).failed(2);
    assert!(error.contains("Permission denied"), "{error}");
    let error = nobody(&["repair", &dir]).failed(2);
    assert!(error.contains("columns/00007: Permission denied"), "{error}");
    let new = built.at("dir/new");
    assert!(nobody(&["build", &built.at("file"), "--out", &new]).failed(2).contains("cannot"));
    let error = nobody(&["recover", &dir, "--out", &built.at("out")]).failed(2);
    assert!(error.contains("cannot write") && error.contains("Permission denied"), "{error}");
    assert_same(&contents(built.root.path()), &before);

    // One that may be written, with columns in it that may not: what was moved is moved back.
    mode(&built.path("dir"), 0o777);
    let error = nobody(&build).failed(2);
    assert!(error.contains("cannot move") && error.contains("Permission denied"), "{error}");
    assert_same(&contents(built.root.path()), &before);
    assert!(!built.path("dir/.build.partial").exists());
    mode(&built.path("dir"), 0o555);

    // Files that may not be.
    mode(&built.column(3), 0);
    let done = nobody(&["sample", &dir, "--count", "32"]);
    let error = done.failed(1);
    assert!(error.contains("column 00003: it cannot be read: Permission denied"), "{error}");
    let done = nobody(&["repair", &dir]);
    assert_eq!(done.status, 2);
    assert!(done.err.contains("columns/00003: not used"), "{}", done.err);
    for (name, args) in [
        ("dir/proof", vec!["verify", &dir]),
        ("dir/commitment", vec!["verify", &dir]),
        ("dir/commitment", vec!["sample", &dir]),
        ("dir/commitment", vec!["repair", &dir]),
        ("file", vec!["run", &built.at("file")]),
    ] {
        mode(&built.path(name), 0);
        let error = nobody(&args).failed(2);
        assert!(error.contains("cannot read") && error.contains("Permission denied"), "{error}");
        mode(&built.path(name), 0o644);
    }

    // Directories that may not be.
    mode(&built.path("dir/columns"), 0);
    nobody(&["sample", &dir]).failed(1);
    assert_eq!(nobody(&["recover", &dir, "--out", &built.at("out")]).status, 1);
    let error = nobody(&build).failed(2);
    assert!(error.contains("cannot read directory"), "{error}");
    mode(&built.path("dir"), 0);
    for args in [&build[..], &["verify", &dir], &["repair", &dir]] {
        assert!(nobody(args).failed(2).contains("Permission denied"));
    }
    mode(&built.path("dir"), 0o755);
    mode(&built.path("dir/columns"), 0o755);
    mode(&built.column(3), 0o644);
    assert_same(&contents(built.root.path()), &before);
}
