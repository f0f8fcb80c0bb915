//! `repair` and `recover`.

use super::*;

impl Built {
    fn recovers(&self) -> Done {
        airda(["recover", &self.at("dir"), "--out", &self.at("out")])
    }
}

#[test]
fn recovers_from_any_half() {
    let halves: [&dyn Fn(usize) -> bool; 4] =
        [&|_| false, &|i| i < 16, &|i| i >= 16, &|i| i % 2 == 1];
    for missing in halves {
        let built = Built::new();
        for index in (0..32).filter(|&index| missing(index)) {
            fs::remove_file(built.column(index)).unwrap();
        }
        built.recovers().ok();
        assert_eq!(fs::read(built.path("out")).unwrap(), noise(PAYLOAD));
    }
}

#[test]
fn repair_writes_back_what_the_builder_wrote() {
    let built = Built::new();
    let before = contents(&built.path("dir"));
    for index in 0..14 {
        fs::remove_file(built.column(index)).unwrap();
    }
    built.damage(&built.column(20), 50);
    fs::write(built.column(21), b"").unwrap();
    let done = airda(["repair", &built.at("dir")]);
    assert_eq!(done.status, 0);
    assert!(done.out.contains("00000-00013, 00020-00021"), "{}", done.out);
    assert_eq!(done.err.lines().count(), 2, "{}", done.err);
    assert_eq!(contents(&built.path("dir")), before);
    assert!(airda(["repair", &built.at("dir")]).ok().starts_with("nothing to repair"));
}

#[test]
fn recover_names_bad_columns_and_uses_the_others() {
    let built = Built::new();
    for index in 0..14 {
        fs::remove_file(built.column(index)).unwrap();
    }
    built.damage(&built.column(20), 60);
    fs::copy(built.column(30), built.column(31)).unwrap();
    let done = built.recovers();
    assert_eq!(done.status, 0, "{}", done.err);
    assert!(done.out.contains("missing: 00000-00013"), "{}", done.out);
    assert!(done.out.contains("bad: 00020, 00031"), "{}", done.out);
    assert!(done.err.contains("columns/00020: not used: "), "{}", done.err);
    assert!(done.err.contains("columns/00031: not used: the file holds column 00030"));
    assert_eq!(fs::read(built.path("out")).unwrap(), noise(PAYLOAD));
}

#[test]
fn one_column_fewer_than_half_is_a_rejection() {
    for damaged in [false, true] {
        let built = Built::new();
        for index in 8..24 {
            fs::remove_file(built.column(index)).unwrap();
        }
        if damaged {
            built.damage(&built.column(0), 70);
        } else {
            fs::remove_file(built.column(0)).unwrap();
        }
        let done = built.recovers();
        assert_eq!(done.status, 1);
        assert!(done.err.contains("not recoverable: 15 good columns of the 16"), "{}", done.err);
        assert_eq!(airda(["repair", &built.at("dir")]).status, 1);
        assert!(!built.path("out").exists());
    }
}

#[test]
fn recover_leaves_nothing_behind_when_it_cannot_write() {
    let built = Built::new();
    fs::create_dir(built.path("out")).unwrap();
    assert!(built.recovers().failed(2).contains("it is a directory"));
    let before = contents(built.root.path());
    airda(["recover", &built.at("dir"), "--out", &built.at("no/such/place")]).failed(2);
    assert_eq!(contents(built.root.path()), before);
    fs::write(built.path("dir/commitment"), b"airda.cm").unwrap();
    assert!(airda(["repair", &built.at("dir")]).failed(2).contains("ends early"));
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_neither_read_nor_replaced() {
    use std::os::unix::fs::{FileTypeExt, symlink};

    let built = Built::new();
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    // A pipe that nobody writes into is a bad column; opening it would never end.
    fs::remove_file(built.column(3)).unwrap();
    pipe(&built.column(3));
    let error = airda(["sample", &built.at("dir"), "--count", "32"]).failed(1);
    assert!(error.contains("column 00003: it cannot be read: it is not a regular file"), "{error}");
    let done = built.recovers();
    assert_eq!(done.status, 0, "{}", done.err);
    assert!(done.out.contains("bad: 00003"), "{}", done.out);
    assert!(airda(["inspect", built.column(3).to_str().unwrap()]).failed(2).contains("regular"));

    // A link is followed; what it leads to is replaced only if it is a file.
    symlink(built.path("there"), built.path("link")).unwrap();
    for there in ["", "longer than nothing"] {
        fs::write(built.path("there"), there).unwrap();
        assert_eq!(airda(["recover", &built.at("dir"), "--out", &built.at("link")]).status, 0);
        assert_eq!(fs::read(built.path("there")).unwrap(), noise(PAYLOAD));
        assert!(built.path("link").is_symlink());
    }
    fs::remove_file(built.path("there")).unwrap();
    pipe(&built.path("there"));
    for out in ["there", "link"] {
        let error = airda(["recover", &built.at("dir"), "--out", &built.at(out)]).failed(2);
        assert!(error.contains("it is not a regular file"), "{error}");
    }
    assert!(fs::metadata(built.path("there")).unwrap().file_type().is_fifo());
}

/// Whoever recovers into the build itself would overwrite what others read.
#[test]
fn recover_does_not_write_into_the_build() {
    let built = Built::new();
    let before = contents(&built.path("dir"));
    for out in ["dir/commitment", "dir/columns/00001", "dir/new"] {
        let error = airda(["recover", &built.at("dir"), "--out", &built.at(out)]).failed(2);
        assert!(error.contains("it is inside"), "{error}");
    }
    assert_eq!(contents(&built.path("dir")), before);
}
