//! `airda build`.

use std::path::Path;

use airda::block::Block;
use airda::{Column, proof};

use super::failure::Failure;
use super::output::{Output, Table, size};
use super::report::hex;
use super::{BuildArgs, Job, files};

/// Columns opened and written at a time.
pub(super) const BATCH: usize = 64;

/// Writes commitment, proof and columns; the commitment last, so that a directory that has one
/// is whole.
pub(super) fn build(args: &BuildArgs, output: &Output) -> Result<(), Failure> {
    let dir = &args.out;
    files::earlier_build(dir)?;
    let Job { payload, params, profile, system } = args.encoding.job()?;
    let place = args.encoding.file.display();

    let spinner = output.spinner("encode and commit");
    let block = Block::build(params, &payload).map_err(|error| Failure::at(&place, &error))?;
    let commitment = block.commitment();
    spinner.at("prove");
    let proof = proof::prove(&block, &system).map_err(|error| Failure::at(&place, &error))?;
    drop(spinner);

    files::create_dir(&files::columns_dir(dir))?;
    // Only now, and looked at again: the work took a while.
    files::remove(&files::earlier_build(dir)?)?;
    let indices: Vec<usize> = (0..params.columns()).collect();
    write_columns(dir, &indices, output, |batch| {
        block.open(batch).map_err(|error| Failure::at(&place, &error))
    })?;
    files::write(&files::proof_path(dir), &proof, true)?;
    let encoded = commitment.encode();
    files::write(&files::commitment_path(dir), &encoded, true)?;

    let mut table = Table::default();
    table
        .row(["payload", &size(payload.len() as u64), &place.to_string()])
        .row(["profile", &profile.to_string(), params.hash().name()])
        .row([
            "commitment",
            &size(encoded.len() as u64),
            &format!("root {}", hex(commitment.root())),
        ])
        .row(["proof", &size(proof.len() as u64)])
        .row([
            "columns",
            &params.columns().to_string(),
            &format!("of {}", size(files::column_bytes(&params))),
        ]);
    output.say(&table.render(2))?;
    let dir = dir.display();
    output.next(&format!("airda verify {dir}, then airda sample {dir}"))
}

/// Opens and writes columns, a batch at a time.
pub(super) fn write_columns(
    dir: &Path,
    indices: &[usize],
    output: &Output,
    open: impl Fn(&[usize]) -> Result<Vec<Column>, Failure>,
) -> Result<(), Failure> {
    let bar = output.bar(indices.len(), "write columns");
    for batch in indices.chunks(BATCH) {
        for column in open(batch)? {
            files::write(&files::column_path(dir, column.index()), &column.encode(), false)?;
        }
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    Ok(())
}
