//! `build` and `verify`.

use super::*;

#[test]
fn build_writes_commitment_proof_and_every_column() {
    let built = Built::new();
    let mut names: Vec<String> =
        contents(&built.path("dir")).into_iter().map(|(name, _)| name).collect();
    for name in &mut names {
        *name = name.split_off(built.at("dir/").len());
    }
    let mut expected = vec!["commitment".to_owned(), "proof".to_owned()];
    expected.extend((0..32).map(|index| format!("columns/{index:05}")));
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn verify_reads_commitment_and_proof_only() {
    let built = Built::new();
    fs::remove_dir_all(built.path("dir/columns")).unwrap();
    assert!(airda(["verify", &built.at("dir")]).ok().contains("accepted"));
    assert_eq!(airda(["verify", &built.at("dir"), "--quiet"]).ok(), "");
}

#[test]
fn building_again_writes_the_same_bytes_and_leaves_no_mixture() {
    let built = Built::new();
    // Any witness of a proof of work will do, so proofs of one block may differ.
    let all_but_proof = || {
        let mut files = contents(&built.path("dir"));
        files.retain(|(name, _)| !name.ends_with("/proof"));
        files
    };
    let before = all_but_proof();
    let build = |file: &str, profile: &str| {
        airda(["build", &built.at(file), "--out", &built.at("dir"), "--profile", profile])
    };
    build("file", PROFILE).ok();
    assert_eq!(all_but_proof(), before);
    airda(["verify", &built.at("dir")]).ok();
    // Half as many columns, and a partial file of an interrupted build.
    fs::write(built.path("dir/columns/.00003.77.partial"), b"half a col").unwrap();
    build("file", "k64-c8").ok();
    assert_eq!(contents(&built.path("dir")).len(), 2 + 16);
    airda(["sample", &built.at("dir"), "--count", "16"]).ok();
}

#[test]
fn a_build_that_fails_leaves_the_earlier_one_alone() {
    let built = Built::new();
    let before = contents(&built.path("dir"));
    fs::write(built.path("empty"), b"").unwrap();
    airda(["build", &built.at("empty"), "--out", &built.at("dir")]).failed(2);
    airda(["build", &built.at("file"), "--out", &built.at("dir"), "--profile", "k64-c4-r1"])
        .failed(2);
    assert_eq!(contents(&built.path("dir")), before);
}

#[test]
fn refuses_to_build_among_foreign_files() {
    let built = Built::new();
    for (name, at) in [("notes", "other"), ("commitment", "other2"), ("columns/x", "other3")] {
        let path = built.path(at).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, b"not ours").unwrap();
        let error = airda(["build", &built.at("file"), "--out", &built.at(at)]).failed(2);
        assert!(error.contains(name) && error.contains("no part of an airda build"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"not ours");
    }
    airda(["build", &built.at("file"), "--out", &built.at("file")]).failed(2);
}

#[test]
fn verify_tells_malformed_from_rejected() {
    let at = |built: &Built| built.at("dir");
    // Missing.
    let built = Built::new();
    fs::remove_file(built.path("dir/proof")).unwrap();
    assert!(airda(["verify", &at(&built)]).failed(2).contains("dir/proof"));
    // Not decodable: magic, length.
    for name in ["commitment", "proof"] {
        for byte in [0, 8] {
            let built = Built::new();
            built.damage(&built.path(&format!("dir/{name}")), byte);
            let error = airda(["verify", &at(&built)]).failed(2);
            assert!(error.contains(&format!("dir/{name}: malformed {name}")), "{error}");
        }
        let built = Built::new();
        let path = built.path(&format!("dir/{name}"));
        let mut bytes = fs::read(&path).unwrap();
        bytes.push(0);
        fs::write(&path, &bytes).unwrap();
        assert!(airda(["verify", &at(&built)]).failed(2).contains("it goes on after its end"));
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(airda(["verify", &at(&built)]).failed(2).contains("ends early"));
    }
    // A digest that is not the root's.
    let built = Built::new();
    built.damage(&built.path("dir/commitment"), 100);
    assert!(airda(["verify", &at(&built)]).failed(2).contains("its root does not match"));
    // A body that proves nothing.
    let built = Built::new();
    let len = fs::read(built.path("dir/proof")).unwrap().len();
    for byte in [18, 19, len / 2, len - 1] {
        let built = Built::new();
        built.damage(&built.path("dir/proof"), byte);
        assert!(airda(["verify", &at(&built)]).failed(1).contains("proof refused"));
    }
}

#[test]
fn rejects_the_proof_of_another_file() {
    let built = Built::new();
    fs::write(built.path("other"), noise(PAYLOAD - 1)).unwrap();
    airda(["build", &built.at("other"), "--out", &built.at("dir2"), "--profile", PROFILE]).ok();
    fs::copy(built.path("dir2/proof"), built.path("dir/proof")).unwrap();
    assert!(airda(["verify", &built.at("dir")]).failed(1).contains("proof refused"));
}

/// Every choice of chaining values to commit to, named by the file.
#[test]
fn a_build_commits_to_the_chaining_values_it_is_told_to() {
    let built = Built::new();
    let build = |step: &str| {
        let (file, dir) = (built.at("file"), built.at("dir"));
        airda(["build", &file, "--out", &dir, "--profile", PROFILE, "--chain-step", step])
    };
    for step in ["2", "3", "4"] {
        build(step).ok();
        airda(["verify", &built.at("dir")]).ok();
        let told = airda(["inspect", &built.at("dir/proof")]).ok();
        assert!(told.contains(&format!("one in {step} committed")), "{told}");
    }
    for step in ["0", "5", "256", "x"] {
        assert!(build(step).failed(2).contains("chain-step"));
    }
}
