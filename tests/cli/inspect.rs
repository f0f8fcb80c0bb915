//! `inspect` and `profiles`.

use super::*;

#[test]
fn inspect_tells_what_each_artifact_is() {
    let built = Built::new();
    let inspect = |name: &str| airda(["inspect", &built.at(name), "--quiet"]).ok();
    let commitment = inspect("dir/commitment");
    for line in ["artifact      commitment", "poseidon2-16", "3643 B", "64 symbols", "row 2"] {
        assert!(commitment.contains(line), "{commitment}");
    }
    let proof = inspect("dir/proof");
    assert!(proof.contains("proof system") && proof.contains("all committed"), "{proof}");
    let column = inspect("dir/columns/00009");
    assert!(column.contains("00009") && column.contains("belongs to the commitment"), "{column}");
    fs::copy(built.column(9), built.column(10)).unwrap();
    assert!(inspect("dir/columns/00010").contains("but not under this name"));
    fs::copy(built.column(9), built.path("stray")).unwrap();
    assert!(inspect("stray").contains("no commitment"));
}

#[test]
fn inspect_refuses_what_is_no_artifact() {
    let built = Built::new();
    assert!(airda(["inspect", &built.at("file")]).failed(2).contains("not an artifact"));
    assert!(airda(["inspect", &built.at("dir")]).failed(2).contains("cannot read"));
    built.damage(&built.path("dir/commitment"), 12);
    airda(["inspect", &built.at("dir/commitment")]).failed(2);
    fs::write(built.path("long"), b"airda.pf and not a proof").unwrap();
    airda(["inspect", &built.at("long")]).failed(2);
    built.damage(&built.column(1), 60);
    // Its commitment is damaged: there is nothing to check it against.
    assert!(airda(["inspect", &built.at("dir/columns/00001")]).ok().contains("no commitment"));

    let built = Built::new();
    built.damage(&built.column(1), 60);
    let done = airda(["inspect", &built.at("dir/columns/00001")]);
    assert!(done.out.contains("does not belong"), "{}", done.out);
    assert!(done.failed(1).contains("do not lead to the commitment's column root"));
}

#[test]
fn profiles_lists_sizes_and_sample_counts() {
    let out = airda(["profiles"]).ok();
    let line = out.lines().find(|line| line.starts_with("b4-c16-r14-w1")).unwrap();
    let cells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(cells[..5], ["b4-c16-r14-w1", "32768", "16", "14", "4096"]);
    assert!(cells.contains(&"50"), "{line}");
    assert!(out.contains("rows n within 14"));
}
