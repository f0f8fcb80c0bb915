use std::cmp::Ordering;

use p3_whir::SecurityAssumption::{JohnsonBound, UniqueDecoding};

use super::opening::Round;
use super::reductions::log2_field;
use super::*;
use crate::commit::{Fold, MAX_VARIABLES, Parameters, TARGET_BITS};

/// −log2 of the sum of some lines.
fn sum<'a>(lines: impl IntoIterator<Item = &'a Line>, bits: fn(&Line) -> f64) -> f64 {
    -lines.into_iter().map(|line| (-bits(line)).exp2()).sum::<f64>().log2()
}

fn opening_lines(report: &Report) -> impl Iterator<Item = &Line> {
    report.lines.iter().filter(|line| line.part == "WHIR")
}

/// The entries of the table, and what it does not have: other regimes and schedules.
fn entries() -> Vec<Parameters> {
    let fold = |variables, shrink| Fold { variables, shrink };
    let mut entries = Parameters::table().to_vec();
    for regime in [JohnsonBound, UniqueDecoding] {
        for (rate, target, first, later) in [
            (1, 20, fold(3, 2), fold(2, 1)),
            (1, 128, fold(7, 5), fold(5, 2)),
            (2, 100, fold(4, 3), fold(4, 2)),
            (3, 110, fold(8, 8), fold(3, 2)),
        ] {
            entries.push(Parameters::insecure_for_tests(regime, rate, target, first, later));
        }
    }
    entries
}

#[test]
fn the_field_has_as_many_bits_as_the_design_says() {
    assert!((log2_field() - 154.94).abs() < 0.01);
    let scheme = Scheme::new(&Parameters::table()[0], 1 << 20).unwrap();
    assert_eq!(scheme.opening().field_bits, 154, "whole bits for p3's terms");
}

/// p3 tells a sum; the lines that we state must be its terms, all of them and nothing else.
#[test]
fn whirs_lines_add_up_to_p3s_union_bound() {
    for parameters in entries() {
        for log in 0..=MAX_VARIABLES {
            let scheme = Scheme::new(&parameters, 1 << log).unwrap();
            let report = Report::new(&scheme, &Reductions::largest());
            let bits = sum(opening_lines(&report), |line| line.bits);
            let p3 = scheme.opening_bits();
            assert!((bits - p3).abs() < 1e-9, "{parameters:?} {log}: {bits}, {p3}");
            assert_eq!(report.log2_list_size, scheme.log2_list_size());
            let between = report.lines.iter().filter(|line| line.part != "WHIR");
            let largest = Reductions::largest();
            let told = largest.bits(report.log2_list_size, report.num_variables);
            assert!((sum(between, |line| line.bits) - told).abs() < 1e-9);
            assert_eq!(report.regime, parameters.regime());
            assert_eq!(report.num_variables, scheme.num_variables());
            assert!(report.proof_system_bits >= parameters.target_bits() as f64);
        }
    }
}

#[test]
fn lines_compose_to_less_than_the_least_of_them() {
    for parameters in Parameters::table() {
        let scheme = Scheme::new(parameters, 1 << 22).unwrap();
        let report = Report::new(&scheme, &Reductions::new::<16>([1 << 19], 120));
        let least = report.lines.iter().map(|line| line.bits).fold(f64::MAX, f64::min);
        assert!(report.proof_system_bits < least);
        assert!(report.proof_system_bits >= TARGET_BITS as f64);
        assert_eq!(report.proof_system_bits, sum(&report.lines, |line| line.bits));
        assert_eq!(report.unique_decoding_bits, sum(&report.lines, |line| line.unique_bits));
        assert_eq!(report.bits(), 128.0, "the hash is listed by itself");
        let hashes: Vec<&str> = report.hashes.iter().map(|line| &line.step[..]).collect();
        assert_eq!(hashes, ["transcript", "Merkle trees"]);
        // Johnson lists: 2^4.3 at rate 1/2, 2^5.3 at 1/4.
        let list = 3.3 + parameters.log_inv_rate() as f64;
        assert!((report.log2_list_size - list).abs() < 0.1);
        for line in report.lines.iter().filter(|line| line.part != "WHIR") {
            assert_eq!(line.log2_list, report.log2_list_size, "all are charged with the list");
            assert!((line.unique_bits - line.bits - line.log2_list).abs() < 1e-9);
            assert!(line.error.contains('L') && line.error.contains("|E|"), "{}", line.error);
        }
    }
}

/// Width 16, 2^17 calls, R = 10 + 4: the walk's error, line by line, at a list of one.
#[test]
fn the_walk_loses_as_much_as_the_formula_says() {
    let reductions = Reductions::new::<16>([1 << 17], 120);
    let lines = reductions.lines(0.0, 20);
    let told: Vec<_> = lines.iter().map(|line| (&line.step[..], &line.error[..])).collect();
    assert_eq!(
        told,
        [
            ("point", "(7 + 14)/|E|"),
            ("output weights", "7/|E|"),
            ("full rounds", "8 (15 + 21 + 42)/|E|"),
            ("partial rounds", "20 (1 + 21 + 42)/|E|"),
            ("weights of the claims", "136/|E|"),
            ("sumcheck", "20 (2)/|E|"),
        ]
    );
    let numerators = [21, 7, 624, 1280, 136, 40];
    for (line, numerator) in lines.iter().zip(numerators) {
        assert!((line.bits - (log2_field() - f64::from(numerator).log2())).abs() < 1e-9);
    }
    let walk = sum(&lines[..4], |line| line.bits);
    assert!((walk - 144.03).abs() < 0.01, "{walk}");
}

/// Every level has its walk, every one but the first the merge before it.
#[test]
fn every_level_has_lines_of_its_own() {
    let one: [&[&str]; 2] = [
        &["point", "output weights", "full rounds", "partial rounds"],
        &["output weights", "full rounds", "partial rounds"],
    ];
    let merge = ["weights of the claims", "positions", "sumcheck"];
    let lines = Reductions::new::<24>([1 << 17, 1000, 200], 50).lines(4.0, 20);
    let mut expected: Vec<(String, &str)> = Vec::new();
    for level in 0..3 {
        if level > 0 {
            expected.extend(merge.map(|step| (format!("merge into level {level}"), step)));
        }
        let walk = one[level.min(1)].iter();
        expected.extend(walk.map(|&step| (format!("walk of level {level}"), step)));
    }
    let form = ["weights of the claims", "sumcheck"];
    expected.extend(form.map(|step| ("linear form".to_owned(), step)));
    let told: Vec<_> = lines.iter().map(|line| (line.part.clone(), &line.step[..])).collect();
    assert_eq!(told, expected);
    let bits = |part: &str| sum(lines.iter().filter(|line| line.part == part), |line| line.bits);
    // Fewer calls, fewer rounds.
    assert!(bits("walk of level 0") < bits("walk of level 1"));
    assert!(bits("walk of level 1") < bits("walk of level 2"));
    assert!(bits("merge into level 1") < bits("merge into level 2"));
}

/// In unique decoding a root fixes one vector: no list anywhere, no out-of-domain samples.
#[test]
fn unique_decoding_has_no_lists() {
    let fold = |variables, shrink| Fold { variables, shrink };
    for (first, later) in [(fold(7, 5), fold(5, 2)), (fold(7, 6), fold(4, 1))] {
        let parameters = Parameters::insecure_for_tests(UniqueDecoding, 1, 128, first, later);
        let scheme = Scheme::new(&parameters, 1 << 22).unwrap();
        let report = Report::new(&scheme, &Reductions::new::<24>([1 << 19, 1 << 15], 120));
        assert_eq!((report.regime, report.log2_list_size), (UniqueDecoding, 0.0));
        assert!(report.proof_system_bits >= 128.0);
        assert_eq!(report.unique_decoding_bits, report.proof_system_bits);
        for line in &report.lines {
            assert_eq!((line.bits, line.log2_list), (line.unique_bits, 0.0), "{line:?}");
            assert!(!line.error.contains('L'), "{}", line.error);
            let none = ["0", "0/|E|"].contains(&&line.error[..]);
            assert_eq!(line.bits == f64::INFINITY, none, "{line:?}");
        }
        let samples = report.lines.iter().filter(|line| line.step.contains("out-of-domain"));
        assert!(samples.clone().count() > 1);
        assert!(samples.clone().all(|line| line.bits == f64::INFINITY));
    }
}

/// The second column is what the same numbers prove in the other regime.
#[test]
fn the_unique_column_is_the_report_of_the_other_regime() {
    for parameters in Parameters::table() {
        let opening = Scheme::new(parameters, 1 << 22).unwrap().opening();
        let reductions = Reductions::new::<16>([1 << 19], 120);
        let report = Report::compose(&opening, &reductions);
        let other = Report::compose(&Opening { regime: UniqueDecoding, ..opening }, &reductions);
        let column: Vec<f64> = report.lines.iter().map(|line| line.unique_bits).collect();
        let bits: Vec<f64> = other.lines.iter().map(|line| line.bits).collect();
        assert_eq!(column, bits);
        assert_eq!(report.unique_decoding_bits, other.proof_system_bits);
        // What is argued from lists alone costs half of the bits and more.
        assert!(report.unique_decoding_bits < 100.0 && report.unique_decoding_bits > 40.0);
    }
}

/// What fell and what rose, by step; a step of another part than WHIR with its part.
fn moved(
    change: impl FnOnce(&mut Opening, &mut Reductions),
) -> (Vec<String>, Vec<String>, Ordering) {
    let mut opening = Scheme::new(&Parameters::table()[0], 1 << 22).unwrap().opening();
    let mut reductions = Reductions::new::<16>([1 << 19, 1 << 16], 120);
    assert_eq!(opening.rounds.len(), 3);
    let before = Report::compose(&opening, &reductions);
    change(&mut opening, &mut reductions);
    let after = Report::compose(&opening, &reductions);
    let (mut fell, mut rose) = (Vec::new(), Vec::new());
    let name = |line: &Line| match &line.part[..] {
        "WHIR" => line.step.clone(),
        part => format!("{part}: {}", line.step),
    };
    for line in &after.lines {
        let was = before.lines.iter().find(|was| name(was) == name(line)).unwrap();
        if line.bits < was.bits {
            fell.push(name(line));
        } else if line.bits > was.bits {
            rose.push(name(line));
        }
    }
    let order = after.proof_system_bits.partial_cmp(&before.proof_system_bits).unwrap();
    (fell, rose, order)
}

/// A change that weakens these lines, strengthens those and leaves all others alone.
#[track_caller]
fn weakens(fell: &[&str], rose: &[&str], change: impl FnOnce(&mut Opening, &mut Reductions)) {
    let (fallen, risen, order) = moved(change);
    assert_eq!(fallen, fell, "fell");
    assert_eq!(risen, rose, "rose");
    if rose.is_empty() {
        assert_eq!(order, Ordering::Less, "the sum falls with its terms");
    }
}

const LEVELS: [&str; 12] = [
    "walk of level 0: point",
    "walk of level 0: output weights",
    "walk of level 0: full rounds",
    "walk of level 0: partial rounds",
    "merge into level 1: weights of the claims",
    "merge into level 1: positions",
    "merge into level 1: sumcheck",
    "walk of level 1: output weights",
    "walk of level 1: full rounds",
    "walk of level 1: partial rounds",
    "linear form: weights of the claims",
    "linear form: sumcheck",
];

#[test]
fn weaker_fields_weaken_what_is_drawn_from_them() {
    weakens(&LEVELS, &[], |_, reductions| reductions.log2_field -= 1.0);
    let all = [
        "claims",
        "out-of-domain samples",
        "folds, gaps",
        "folds, sumcheck",
        "round 1, out-of-domain samples",
        "round 1, combination",
        "round 1, folds, gaps",
        "round 1, folds, sumcheck",
        "round 2, out-of-domain samples",
        "round 2, combination",
        "round 2, folds, gaps",
        "round 2, folds, sumcheck",
        "round 3, out-of-domain samples",
        "round 3, combination",
        "round 3, folds, gaps",
        "round 3, folds, sumcheck",
        "last sumcheck",
    ];
    // Queries are drawn from a domain, not from the field.
    weakens(&all, &[], |opening, _| opening.field_bits -= 1);
}

#[test]
fn larger_reductions_weaken_their_own_lines() {
    let of = |levels, equations| Reductions::new::<16>(levels, equations);
    // A round more in every layer of a level.
    let layers = [LEVELS[0], LEVELS[2], LEVELS[3]];
    weakens(&layers, &[], |_, all| *all = of([1 << 20, 1 << 16], 120));
    let layers = [LEVELS[6], LEVELS[8], LEVELS[9]];
    weakens(&layers, &[], |_, all| *all = of([1 << 19, 1 << 17], 120));
    // Width 24 has more words to a full round, more partial rounds and more inputs.
    let wide = [LEVELS[2], LEVELS[3], LEVELS[8], LEVELS[9], LEVELS[10]];
    weakens(&wide, &[], |_, all| *all = Reductions::new::<24>([1 << 19, 1 << 16], 120));
    weakens(&[LEVELS[10]], &[], |_, all| *all = of([1 << 19, 1 << 16], 121));
}

#[test]
fn a_level_more_adds_lines_and_claims() {
    let opening = Scheme::new(&Parameters::table()[0], 1 << 22).unwrap().opening();
    let [two, three] = [2, 3].map(|levels| {
        let calls = [1 << 19, 1 << 16, 1 << 15].into_iter().take(levels);
        Report::compose(&opening, &Reductions::new::<16>(calls, 120))
    });
    let kept = |line: &&Line| line.part != "linear form";
    let (kept, missed): (Vec<&Line>, Vec<&Line>) =
        three.lines.iter().filter(kept).partition(|line| two.lines.contains(line));
    assert_eq!(kept.len() + 2, two.lines.len());
    assert!(missed.iter().all(|line| line.part.ends_with("level 2")));
    assert_eq!(missed.len(), 6);
    assert!(three.proof_system_bits < two.proof_system_bits);
}

/// Each parameter of the committed word and of the last one, a little lower.
#[test]
fn weaker_ends_of_an_opening_weaken_their_own_lines() {
    let folds = ["folds, gaps", "folds, sumcheck"];
    weakens(&["claims"], &[], |opening, _| opening.claims += 1);
    weakens(&["out-of-domain samples"], &["claims"], |opening, _| opening.ood_samples -= 1);
    weakens(&folds, &[], |opening, _| opening.folds.grinding -= 1);
    weakens(&folds, &[], |opening, _| opening.folds.count += 1);
    weakens(&["last queries"], &[], |opening, _| opening.queries.count -= 1);
    weakens(&["last queries"], &[], |opening, _| opening.queries.grinding -= 1);
    weakens(&["last sumcheck"], &[], |opening, _| opening.last.count += 1);
    // A longer vector.
    let longer = [LEVELS[11], "out-of-domain samples", "folds, gaps"];
    weakens(&longer, &[], |opening, _| opening.num_variables += 1);
    // A lower rate catches more with a query, and leaves longer lists and wider gaps.
    let mut lists = LEVELS.to_vec();
    lists.extend(["claims", "out-of-domain samples", "folds, gaps", "folds, sumcheck"]);
    weakens(&lists, &["round 1, queries"], |opening, _| opening.log_inv_rate += 1);
}

/// Each parameter of a round, a little lower, in every round.
#[test]
fn weaker_rounds_weaken_their_own_lines() {
    for index in 0..3 {
        let step = |what: &str| format!("round {}, {what}", index + 1);
        let [samples, queries, combination, gaps, sumcheck] =
            ["out-of-domain samples", "queries", "combination", "folds, gaps", "folds, sumcheck"]
                .map(step);
        let weakens = |fell: &[&String], rose: &[&String], change: fn(&mut Round)| {
            let plain = |names: &[&String]| names.iter().map(|name| (*name).clone()).collect();
            let (fell, rose): (Vec<String>, Vec<String>) = (plain(fell), plain(rose));
            let (fallen, risen, order) = moved(|opening, _| change(&mut opening.rounds[index]));
            assert_eq!((fallen, &risen), (fell, &rose));
            assert!(order == Ordering::Less || !rose.is_empty());
        };
        weakens(&[&samples], &[&combination], |round| round.ood_samples -= 1);
        weakens(&[&queries], &[&combination], |round| round.queries.count -= 1);
        weakens(&[&queries, &combination], &[], |round| round.queries.grinding -= 1);
        weakens(&[&gaps, &sumcheck], &[], |round| round.folds.grinding -= 1);
        weakens(&[&gaps, &sumcheck], &[], |round| round.folds.count += 1);
        weakens(&[&samples, &gaps], &[], |round| round.num_variables += 1);
        let next = if index == 2 {
            "last queries".to_owned()
        } else {
            format!("round {}, queries", index + 2)
        };
        let lists = [&samples, &combination, &gaps, &sumcheck];
        weakens(&lists, &[&next], |round| round.log_inv_rate += 1);
    }
}

/// A round less leaves the rounds before it alone, and the last queries go to an earlier word.
#[test]
fn a_round_less_is_told_as_one() {
    let opening = Scheme::new(&Parameters::table()[0], 1 << 22).unwrap().opening();
    let reductions = Reductions::new::<16>([1 << 19], 120);
    let three = Report::compose(&opening, &reductions);
    let mut shorter = opening;
    let _ = shorter.rounds.pop();
    let two = Report::compose(&shorter, &reductions);
    let missing = |a: &Report, b: &Report| -> Vec<String> {
        let lines = a.lines.iter().filter(|line| !b.lines.contains(line));
        lines.map(|line| line.step.clone()).collect()
    };
    assert_eq!(missing(&two, &three), ["last queries"]);
    let gone = missing(&three, &two);
    assert!(gone[..5].iter().all(|step| step.starts_with("round 3, ")), "{gone:?}");
    assert_eq!(gone[5..], ["last queries"]);
    let last = |report: &Report| report.lines.iter().rev().nth(1).unwrap().bits;
    assert!(last(&two) < last(&three), "queries to a word of higher rate prove less");
    assert!(two.proof_system_bits < three.proof_system_bits);
}

/// Other parameters of an entry: what follows from them reaches the target they name, and no
/// more than they name.
#[test]
fn a_lower_target_proves_less() {
    let fold = |variables, shrink| Fold { variables, shrink };
    for regime in [JohnsonBound, UniqueDecoding] {
        let bits = |target| {
            let parameters =
                Parameters::insecure_for_tests(regime, 1, target, fold(7, 5), fold(4, 2));
            let scheme = Scheme::new(&parameters, 1 << 20).unwrap();
            Report::new(&scheme, &Reductions::largest()).proof_system_bits
        };
        for target in [60, 100, 127] {
            assert!(bits(target) >= target as f64);
            assert!(bits(target) < bits(target + 1), "{target}");
        }
    }
}
