//! `airda verify` and `airda sample`.

use std::path::Path;
use std::time::Instant;

use airda::proof;
use airda::sampling::{Purpose, Seed, SubsetSoundness, draw};

use super::choice::Kind;
use super::failure::Failure;
use super::output::{Output, Table, seconds, size};
use super::report::hex;
use super::{SampleArgs, files};

/// At most so many bad columns are told apart on an error's one line.
const TOLD: usize = 4;

/// Verifies the proof of the commitment.
pub(super) fn verify(dir: &Path, output: &Output) -> Result<(), Failure> {
    let commitment = files::commitment(dir)?;
    let bytes = files::proof(dir)?;
    let start = Instant::now();
    let verified = proof::verify(&commitment, &bytes)
        .map_err(|error| Failure::at(files::proof_path(dir).display(), &error))?;
    let total = start.elapsed().as_secs_f64();

    let params = commitment.params();
    let kind = Kind::of(&verified.security.proof);
    let mut table = Table::default();
    table
        .row(["accepted", "", &format!("root {}", hex(commitment.root()))])
        .row(["payload", &size(params.payload_len())])
        .row(["calls", &verified.calls.to_string(), params.hash().name()])
        .row(["proof system", kind.name(), kind.described()])
        .row([
            "proof",
            &size(bytes.len() as u64),
            &format!("{:.2} bits", verified.security.proof_bits),
        ])
        .row([
            "security",
            &format!("{:.2} bits", verified.security.overall_bits),
            "the minimum over proof and commitment",
        ])
        .row(["time", &seconds(total), kind.verifying()]);
    output.say(&table.render(2))?;
    output.next(&format!("airda sample {}", dir.display()))
}

/// Draws columns and checks their openings.
pub(super) fn sample(args: &SampleArgs, output: &Output) -> Result<(), Failure> {
    let dir = &args.dir;
    let place = dir.display();
    let commitment = files::commitment(dir)?;
    let columns = commitment.params().columns();
    let count = match args.count {
        Some(count) => count as usize,
        None => SubsetSoundness::default().samples(columns),
    };
    let seed = args.seed.map_or_else(Seed::from_os, |seed| Ok(Seed::from(seed)));
    let drawn = seed
        .and_then(|seed| draw(&seed, Purpose::Sample, columns, count))
        .map_err(|error| Failure::at(&place, &error))?;

    let start = Instant::now();
    let mut bad = Vec::new();
    let mut opened = Vec::new();
    for &index in &drawn {
        match files::column(dir, index, &commitment) {
            Ok(column) => opened.push(column),
            Err(why) => bad.push((index, why)),
        }
    }
    let indices: Vec<usize> = opened.iter().map(airda::Column::index).collect();
    for (index, result) in indices.into_iter().zip(commitment.check_all(opened)) {
        if let Err(error) = result {
            bad.push((index, files::Bad::Refused(error)));
        }
    }
    bad.sort_by_key(|&(index, _)| index);
    if !bad.is_empty() {
        let mut told: Vec<String> =
            bad.iter().take(TOLD).map(|(index, why)| format!("column {index:05}: {why}")).collect();
        if bad.len() > TOLD {
            told.push(format!("and {} more", bad.len() - TOLD));
        }
        let told = told.join("; ");
        return Err(Failure::rejected(format!(
            "{place}: {} of {count} sampled columns failed: {told}",
            bad.len()
        )));
    }
    let bytes = files::column_bytes(commitment.params()) * count as u64;
    output.say(&format!(
        "accepted: {count} of {columns} columns are there and belong to the commitment ({}, {})",
        size(bytes),
        seconds(start.elapsed().as_secs_f64())
    ))?;
    output.next(&format!("airda recover {place} --out FILE gives the payload back"))
}
