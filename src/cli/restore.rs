//! `airda repair` and `airda recover`.

use std::path::{Path, PathBuf};

use airda::{CheckedColumn, Column, Commitment};

use super::build::BATCH;
use super::directory::{self, Lock};
use super::failure::{Failure, complain};
use super::files::{self, Bad};
use super::output::{Output, runs, size};

/// What is left of a build.
struct Gathered {
    commitment: Commitment,
    good: Vec<CheckedColumn>,
    missing: Vec<usize>,
    /// Columns that are there but do not check.
    bad: Vec<usize>,
}

/// Reads and checks every column, names on stderr those that are there and do not check.
///
/// # Errors
/// When fewer than half are good.
fn gather(dir: &Path, output: &Output) -> Result<Gathered, Failure> {
    let commitment = files::commitment(dir)?;
    let (columns, half) = (commitment.params().columns(), commitment.params().half());
    let mut good = Vec::with_capacity(half);
    let (mut missing, mut bad) = (Vec::new(), Vec::new());
    let bar = output.bar(columns, "check columns");
    let indices: Vec<usize> = (0..columns).collect();
    for batch in indices.chunks(BATCH) {
        let mut opened = Vec::with_capacity(batch.len());
        let mut refused = Vec::new();
        for &index in batch {
            match files::column(dir, index, &commitment) {
                Ok(column) => opened.push(column),
                Err(Bad::Missing) => missing.push(index),
                Err(why) => refused.push((index, why)),
            }
        }
        let found: Vec<usize> = opened.iter().map(Column::index).collect();
        for (index, checked) in found.into_iter().zip(commitment.check_all(opened)) {
            match checked {
                Ok(column) => good.push(column),
                Err(error) => refused.push((index, Bad::Refused(error))),
            }
        }
        refused.sort_by_key(|&(index, _)| index);
        for (index, why) in refused {
            let path = files::column_path(dir, index);
            bar.suspend(|| complain(&format!("{}: not used: {why}", path.display())));
            bad.push(index);
        }
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    if good.len() < half {
        return Err(Failure::rejected(format!(
            "{}: not recoverable: {} good columns of the {half} that it takes ({columns} in all, \
             {} missing, {} bad)",
            dir.display(),
            good.len(),
            missing.len(),
            bad.len()
        )));
    }
    Ok(Gathered { commitment, good, missing, bad })
}

/// Writes missing and bad columns back. One that cannot be written does not keep the others from
/// it.
pub(super) fn repair(dir: &Path, output: &Output) -> Result<(), Failure> {
    let _lock = Lock::take(dir)?;
    directory::bring_back(dir)?;
    let Gathered { commitment, good, missing, bad } = gather(dir, output)?;
    let mut wanted = [missing, bad].concat();
    wanted.sort_unstable();
    if wanted.is_empty() {
        return output.say(&format!("nothing to repair: all {} columns are good", good.len()));
    }
    let spinner = output.spinner("recover");
    let failed = |error: airda::Error| Failure::at(dir.display(), &error);
    let recovered = airda::recover(&commitment, &good).map_err(failed)?;
    drop(spinner);
    let columns = files::columns_dir(dir);
    files::create_dir(&columns)?;
    let mut written: Vec<PathBuf> = Vec::with_capacity(wanted.len());
    let mut refused = None;
    let bar = output.bar(wanted.len(), "write columns");
    for batch in wanted.chunks(BATCH) {
        for column in recovered.open(batch).map_err(failed)? {
            let path = files::column_path(dir, column.index());
            match files::write(&path, &column.encode(), false) {
                Ok(()) => written.push(path),
                Err(failure) => refused = refused.or(Some(failure)),
            }
        }
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    files::sync(&written)?;
    files::sync_dirs([&columns])?;
    if let Some(failure) = refused {
        let (written, wanted) = (written.len(), wanted.len());
        return Err(failure.and(&format!("{written} of {wanted} columns are written back")));
    }
    output.say(&format!(
        "repaired: wrote {} of {} columns back: {}",
        wanted.len(),
        commitment.params().columns(),
        runs(&wanted)
    ))
}

/// Gives the payload back.
pub(super) fn recover(dir: &Path, out: &Path, output: &Output) -> Result<(), Failure> {
    let target = files::target(out)?;
    files::keep_apart(dir, &target)?;
    let Gathered { commitment, good, missing, bad } = gather(dir, output)?;
    let spinner = output.spinner("recover");
    let payload = airda::recover(&commitment, &good)
        .and_then(|recovered| recovered.payload())
        .map_err(|error| Failure::at(dir.display(), &error))?;
    drop(spinner);
    files::write(&target, &payload, true)?;

    let mut text = format!(
        "recovered: {} into {} from {} of {} columns",
        size(payload.len() as u64),
        out.display(),
        good.len(),
        commitment.params().columns()
    );
    for (what, indices) in [("missing", &missing), ("bad", &bad)] {
        if !indices.is_empty() {
            text += &format!("\n{what}: {}", runs(indices));
        }
    }
    output.say(&text)?;
    if missing.is_empty() && bad.is_empty() {
        return Ok(());
    }
    output.next(&format!("airda repair {} writes the others back", dir.display()))
}
