//! Recovery from columns that came as bytes, and what else takes a stranger's numbers.

use std::sync::LazyLock;

use airda::profile::Profile;
use airda::sampling::{Purpose, Seed, draw};
use airda::{Block, CheckedColumn, Column, Error, F, HashWidth, recover};
use airda_gkr::count::Counts;
use p3_field::PrimeCharacteristicRing;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::blocks::{SUBJECTS, Subject};
use crate::cases::{alone, sampled};
use crate::edits::damaged;
use crate::measure::{limited, measure};

/// What recovering each subject's block counts, columns decoded and checked.
static RECOVERING: LazyLock<Vec<Counts>> = LazyLock::new(|| {
    let cost = |subject: &Subject| {
        let files: Vec<&[u8]> =
            subject.columns.iter().take(subject.block.params().half()).map(Vec::as_slice).collect();
        let (recovered, cost) = measure(|| recovered(subject, &files));
        recovered.unwrap();
        cost.counts
    };
    SUBJECTS.iter().map(cost).collect()
});

/// Decodes, checks and recovers: the payload.
fn recovered(subject: &Subject, files: &[&[u8]]) -> Result<Vec<u8>, Error> {
    let commitment = subject.commitment();
    let columns: Vec<Column> =
        files.iter().filter_map(|file| Column::decode(file, commitment).ok()).collect();
    let checked: Vec<CheckedColumn> =
        commitment.check_all(columns).into_iter().filter_map(Result::ok).collect();
    recover(commitment, &checked)?.payload()
}

/// Whatever arrives, in whatever order: the payload, or an error that is due.
#[test]
fn any_columns() {
    alone(|| {
        sampled("recovery", 40, |rng| {
            let which = rng.random_range(0..SUBJECTS.len());
            let subject = &SUBJECTS[which];
            let params = subject.block.params();
            let few = rng.random_range(0..2 * params.columns());
            let mut good = Vec::new();
            let files: Vec<Vec<u8>> = (0..few)
                .map(|_| {
                    let column = rng.random_range(0..params.columns());
                    let file = &subject.columns[column];
                    match rng.random_range(0..8) {
                        0 => damaged(file, rng),
                        1 => SUBJECTS[rng.random_range(0..SUBJECTS.len())].columns[0].clone(),
                        _ => file.clone(),
                    }
                })
                // Those given twice have their own error: most of the time they are left out.
                .collect();
            let repeated = rng.random_range(0..4) == 0;
            let mut kept: Vec<(Option<usize>, &[u8])> = Vec::new();
            for file in &files {
                let index = subject.columns.iter().position(|honest| honest == file);
                if let Some(index) = index {
                    if !repeated && good.contains(&index) {
                        continue;
                    }
                    good.push(index);
                }
                kept.push((index, file));
            }
            // So have those out of order.
            if rng.random_range(0..4) > 0 {
                kept.sort_by_key(|&(index, _)| index);
                good.sort_unstable();
            }
            let kept: Vec<&[u8]> = kept.into_iter().map(|(_, file)| file).collect();
            let bytes: usize = kept.iter().map(|file| file.len()).sum();
            // More columns than are needed are checked all the same.
            let mut honest = RECOVERING[which];
            honest.words += subject.checking.words * kept.len() as u64;
            honest.compressions += subject.checking.compressions * kept.len() as u64;
            let outcome = limited(bytes, honest, || recovered(subject, &kept));
            let mut distinct = good.clone();
            distinct.sort_unstable();
            distinct.dedup();
            match outcome {
                Ok(payload) => {
                    assert_eq!(payload, subject.payload);
                    assert!(distinct == good && good.len() >= params.half());
                }
                Err(Error::DuplicateColumn { index }) => {
                    assert!(good.iter().filter(|&&other| other == index).count() > 1);
                }
                Err(Error::UnsortedColumns { index, before }) => {
                    assert!(before > index && distinct.len() == good.len());
                    assert!(good.windows(2).any(|pair| pair == [before, index]));
                }
                Err(Error::TooFewColumns { needed, got }) => {
                    assert_eq!((needed, got), (params.half(), good.len()));
                    assert!(got < needed);
                }
                Err(other) => panic!("{other:?}"),
            }
        });
    });
}

/// Columns of a block that no proof could be made for: they check, and recovery says so.
#[test]
fn columns_off_the_code() {
    let lies = |hash: HashWidth, rng: &mut StdRng| {
        let half = SUBJECTS.len() / 2;
        let honest = &SUBJECTS[half * usize::from(hash == HashWidth::W24) + 3].block;
        let params = *honest.params();
        let mut matrix = honest.matrix().to_vec();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..matrix.len());
            matrix[at] += F::ONE;
        }
        Block::commit(params, &matrix).unwrap()
    };
    alone(|| {
        sampled("recovery, off the code", 5, |rng| {
            let hash = if rng.random() { HashWidth::W16 } else { HashWidth::W24 };
            let block = lies(hash, rng);
            let params = block.params();
            let first = rng.random_range(0..=params.half());
            let indices: Vec<usize> = (first..first + params.half()).collect();
            let columns: Vec<CheckedColumn> = block
                .commitment()
                .check_all(block.open(&indices).unwrap())
                .into_iter()
                .map(Result::unwrap)
                .collect();
            let bytes = columns.len() * Column::encoded_len(params);
            let honest = RECOVERING[SUBJECTS.len() / 2 * usize::from(hash == HashWidth::W24) + 3];
            let outcome = limited(bytes, honest, || recover(block.commitment(), &columns));
            assert!(matches!(outcome, Err(Error::NotACodeword { .. })), "{outcome:?}");
        });
    });
}

/// Counts and names from outside.
#[test]
fn samples_and_profiles() {
    alone(|| {
        let edges = [0, 1, 2, 3, 1024, 1 << 21, u32::MAX as usize, usize::MAX - 1, usize::MAX];
        sampled("sampling", 20, |rng| {
            let columns = edges[rng.random_range(0..edges.len())];
            let count = match rng.random_range(0..3) {
                0 => edges[rng.random_range(0..edges.len())].min(columns.saturating_add(1)),
                _ => rng.random_range(0..20),
            };
            // What is drawn is held.
            if count > 2048 && count <= columns {
                return;
            }
            match draw(&Seed::from(rng.random::<u64>()), Purpose::Sample, columns, count) {
                Ok(drawn) => {
                    assert_eq!(drawn.len(), count);
                    assert!(drawn.iter().all(|&index| index < columns));
                }
                Err(error) => {
                    assert!(count > columns && matches!(error, Error::Samples { .. }));
                }
            }
        });
        sampled("profile", 20, |rng| {
            let honest = ["b4-c64-r14-w1", "b1-c16-r14-w2", "k32-c2-r3-w1", "b32-c4096-w4"];
            let name = damaged(honest[rng.random_range(0..honest.len())].as_bytes(), rng);
            let name = String::from_utf8_lossy(&name);
            if let Ok(profile) = name.parse::<Profile>() {
                let lens = [0, 1, 19, 1 << 20, 1 << 40, u64::MAX];
                let len = lens[rng.random_range(0..lens.len())];
                if let Ok(params) = profile.params(HashWidth::W16, len) {
                    assert!(len <= params.capacity());
                }
            }
        });
    });
}
