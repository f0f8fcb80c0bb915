//! `airda build`.

use std::path::Path;

use airda::block::Block;
use airda::proof;

use super::directory::{self, Lock, Stage};
use super::failure::Failure;
use super::output::{Output, Table, size};
use super::report::hex;
use super::{BuildArgs, Job, files};

/// Columns opened and written at a time.
pub(super) const BATCH: usize = 64;

/// Writes commitment, proof and columns, in the place of an earlier build.
pub(super) fn build(args: &BuildArgs, output: &Output) -> Result<(), Failure> {
    let dir = &args.out;
    let claimed = directory::claim(dir)?;
    let Job { payload, params, profile, system } = args.encoding.job()?;
    let place = args.encoding.file.display();
    files::create_dir(dir)?;
    let lock = claimed.map_or_else(|| Lock::take(dir), Ok)?;

    let spinner = output.spinner("encode and commit");
    let block = Block::build(params, &payload).map_err(|error| Failure::at(&place, &error))?;
    let commitment = block.commitment();
    spinner.at("prove");
    let proof = proof::prove(&block, system).map_err(|error| Failure::at(&place, &error))?;
    drop(spinner);

    let stage = Stage::new(dir, lock)?;
    write_columns(stage.path(), &block, output)?;
    files::write(&files::proof_path(stage.path()), &proof, false)?;
    let encoded = commitment.encode();
    files::write(&files::commitment_path(stage.path()), &encoded, false)?;
    stage.finish()?;

    let mut table = Table::default();
    table
        .row(["payload", &size(payload.len() as u64), &place.to_string()])
        .row(["profile", &profile.to_string(), params.hash().name()])
        .row([
            "commitment",
            &size(encoded.len() as u64),
            &format!("root {}", hex(commitment.root())),
        ])
        .row(["proof", &size(proof.len() as u64), system.name()])
        .row([
            "columns",
            &params.columns().to_string(),
            &format!("of {}", size(files::column_bytes(&params))),
        ]);
    output.say(&table.render(2))?;
    let dir = dir.display();
    output.next(&format!("airda verify {dir}, then airda sample {dir}"))
}

/// Opens and writes all columns, a batch at a time.
fn write_columns(dir: &Path, block: &Block, output: &Output) -> Result<(), Failure> {
    let indices: Vec<usize> = (0..block.params().columns()).collect();
    let bar = output.bar(indices.len(), "write columns");
    for batch in indices.chunks(BATCH) {
        for column in block.open(batch).map_err(|error| Failure::at(dir.display(), &error))? {
            files::write(&files::column_path(dir, column.index()), &column.encode(), false)?;
        }
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    Ok(())
}
