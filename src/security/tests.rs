use airda_gkr::commit::{Parameters, TARGET_BITS};

use super::*;
use crate::profile::Profile;
use crate::proof::{ChainStep, air};

const WIDTHS: [HashWidth; 2] = [HashWidth::W16, HashWidth::W24];
const MEMBERSHIPS: [Membership; 2] = [Membership::Construction, Membership::Vector];

fn chain_steps() -> impl Iterator<Item = ChainStep> {
    (1..=ChainStep::MAX).filter_map(ChainStep::new)
}

fn params(profile: &Profile, hash: HashWidth) -> Params {
    profile.params(hash, 1).unwrap()
}

fn line<'a>(security: &'a Security, part: &str) -> &'a Line {
    security.beside.iter().find(|line| line.part == part).unwrap()
}

/// What the README promises of every proof: whatever it is of, and whichever way it is made.
#[test]
fn every_known_profile_reaches_the_target_in_every_way() {
    for profile in Profile::known() {
        let system = System::for_rate(profile.log_inv_rate()).unwrap();
        for hash in WIDTHS {
            let params = params(&profile, hash);
            for membership in MEMBERSHIPS {
                for step in chain_steps() {
                    let system = system.with_membership(membership).with_chain_step(step);
                    let security = Security::new(&params, &system).unwrap();
                    let what = format!("{profile} {hash:?} {membership:?} {step:?}");
                    assert!(security.proof_bits >= TARGET_BITS as f64, "{what}");
                    assert!(security.proof_bits < TARGET_BITS as f64 + 1.0, "{what}");
                    // The digests of eight words decide, at either width.
                    assert!((security.overall_bits - 123.95).abs() < 0.01, "{what}");
                    assert_eq!(security.overall_bits, line(&security, "commitment").bits);
                    let levels = security
                        .proof
                        .gkr()
                        .unwrap()
                        .lines
                        .iter()
                        .filter(|line| line.step == "positions");
                    assert!(levels.count() < step.get(), "{what}");
                }
            }
        }
    }
}

/// What is promised of AIR proofs, by either entry of each rate. Tables of few rows do not get
/// there; the known profiles' do.
#[test]
fn every_known_profile_reaches_the_targets_of_air_proofs() {
    for profile in Profile::known() {
        let rate = profile.log_inv_rate();
        let usual = (air::System::for_rate(rate).unwrap(), 100.0);
        let strong = (air::System::strong_for_rate(rate).unwrap(), 124.0);
        for hash in WIDTHS {
            let params = params(&profile, hash);
            for (system, target) in [usual, strong] {
                let security = Security::new(&params, &system).unwrap();
                let report = security.proof.air().unwrap();
                let what = format!("{profile} {hash:?} {target}");
                assert!(report.proven_bits() >= target, "{what}");
                assert_eq!(security.proof_bits, report.proven_composed_bits());
                assert!(security.proof_bits >= target, "{what}");
                let least = security.beside.iter().map(|line| line.bits);
                let least = least.fold(security.proof_bits, f64::min);
                assert_eq!(security.overall_bits, least, "{what}");
                assert!(line(&security, "membership").bits > 124.0, "{what}");
            }
        }
    }
}

/// Every entry that a file can name, by every size that a block can have.
#[test]
fn every_entry_reaches_the_target_by_every_number() {
    for parameters in Parameters::table() {
        let system = System::by_id(parameters.id()).unwrap();
        for (log_k, rows) in [(0, 1), (6, 3), (10, 100), (13, 50), (18, 1)] {
            let params = Params::new(HashWidth::W16, log_k, log_k.min(5), rows, 1).unwrap();
            for step in chain_steps() {
                let security = Security::new(&params, &system.with_chain_step(step)).unwrap();
                assert!(security.proof_bits >= parameters.target_bits() as f64);
            }
        }
    }
}

#[test]
fn membership_loses_nothing_or_the_degree_of_a_row() {
    let profile: Profile = "b2-c32-r14-w1".parse().unwrap();
    let params = params(&profile, HashWidth::W16);
    let system = System::for_rate(1).unwrap();
    let of = |mode| Security::new(&params, &system.with_membership(mode)).unwrap();
    let construction = of(Membership::Construction);
    assert_eq!(line(&construction, "membership").bits, f64::INFINITY);
    let vector = of(Membership::Vector);
    let told = line(&vector, "membership");
    assert_eq!(told.error, "16383/(|E| - 32768)");
    assert!((told.bits - (154.94 - 14.0)).abs() < 0.01);
    // An equation a row more.
    let claims = |security: &Security| {
        let form = |line: &&Line| line.part == "linear form" && line.step.contains("weights");
        security.proof.gkr().unwrap().lines.iter().find(form).unwrap().error.clone()
    };
    // A level's output and 16 inputs, 8 words of 15 digests.
    assert_eq!(claims(&construction), "L 136/|E|");
    assert_eq!(claims(&vector), "L 150/|E|");
}

/// A longer row, more rows, a wider hash, fewer committed values: each moves what it should.
#[test]
fn each_number_of_a_block_moves_its_own_lines() {
    let system = System::for_rate(1).unwrap().with_membership(Membership::Vector);
    let of = |hash, log_k, rows| {
        Security::new(&Params::new(hash, log_k, 5, rows, 1).unwrap(), &system).unwrap()
    };
    let base = of(HashWidth::W16, 14, 14);
    // WHIR's lines follow the committed words; they are the gkr crate's to test.
    let lines = |security: &Security| -> Vec<Line> {
        let all = security.proof.gkr().unwrap().lines.iter().chain(&security.beside);
        all.filter(|line| line.part != "WHIR").cloned().collect()
    };
    let moved = |security: &Security| {
        let (mut fell, mut rose) = (Vec::new(), Vec::new());
        for now in lines(security) {
            let name = format!("{}, {}", now.part, now.step);
            let same = |was: &&Line| (&was.part, &was.step) == (&now.part, &now.step);
            match lines(&base).iter().find(same).map(|was| now.bits - was.bits) {
                Some(..0.0) => fell.push(name),
                Some(0.0) => {}
                _ => rose.push(name),
            }
        }
        (fell, rose)
    };
    let names = |names: &[&str]| -> Vec<String> { names.iter().map(|&n| n.to_owned()).collect() };
    let [point, full, partial, weights, sumcheck, membership] = [
        "walk of level 0, point",
        "walk of level 0, full rounds",
        "walk of level 0, partial rounds",
        "linear form, weights of the claims",
        "linear form, sumcheck",
        "membership, by vector, a query",
    ];
    // Twice the symbols in a row: twice the calls and words, and twice the degree.
    let longer = names(&[point, full, partial, sumcheck, membership]);
    assert_eq!(moved(&of(HashWidth::W16, 15, 14)), (longer, vec![]));
    // A row more, but no round more: its digest and its equation.
    assert_eq!(moved(&of(HashWidth::W16, 14, 15)), (names(&[weights]), vec![]));
    // More words in a full round, more partial rounds and more inputs; but half of the calls and
    // fewer digests make a round less.
    let wide = of(HashWidth::W24, 14, 14);
    let digests = "commitment, poseidon2-24";
    let (fell, rose) = moved(&wide);
    assert_eq!(fell, names(&[full, partial, weights]));
    assert_eq!(rose, names(&[point, sumcheck, digests]), "the last has another name");
    assert_eq!(line(&wide, "commitment").bits, line(&base, "commitment").bits);
}

#[cfg(feature = "prover")]
#[test]
fn a_verified_proof_tells_the_same() {
    use crate::block::Block;
    use crate::proof;
    use airda_gkr::commit::Fold;

    let fold = |variables, shrink| Fold { variables, shrink };
    let regime = SecurityAssumption::JohnsonBound;
    let cheap = Parameters::insecure_for_tests(regime, 1, 20, fold(4, 3), fold(3, 1));
    for hash in WIDTHS {
        let params = Params::new(hash, 5, 2, 3, 1000).unwrap();
        let block = Block::build(params, &[7; 1000]).unwrap();
        for membership in MEMBERSHIPS {
            for step in chain_steps() {
                let system = System::insecure_for_tests(cheap);
                let system = system.with_membership(membership).with_chain_step(step);
                let file = proof::prove(&block, &system).unwrap();
                let verified = proof::verify_with(block.commitment(), &system, &file).unwrap();
                assert_eq!(verified.security, Security::new(&params, &system).unwrap());
            }
        }
    }
}

#[cfg(feature = "prover")]
#[test]
fn a_verified_air_proof_tells_the_same() {
    use crate::block::Block;
    use crate::proof;
    use airda_air::fri;

    let system = air::System::insecure_for_tests(fri::Parameters::insecure_for_tests(8, 1));
    for hash in WIDTHS {
        let params = Params::new(hash, 5, 2, 3, 1000).unwrap();
        let block = Block::build(params, &[7; 1000]).unwrap();
        let file = proof::prove(&block, &system).unwrap();
        let verified = proof::verify_with(block.commitment(), &system, &file).unwrap();
        let security = Security::new(&params, &system).unwrap();
        assert_eq!(verified.security, security);
        assert!(security.proof.gkr().is_none());
        let [transcript, trees] = ["transcript", "Merkle trees"]
            .map(|step| security.beside.iter().find(|line| line.step == step).unwrap());
        assert_eq!((&*transcript.part, &*trees.part), ("Keccak-256", "Keccak-256"));
    }
}
