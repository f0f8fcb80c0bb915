//! `airda run`.

use std::time::Instant;

use airda::artifact::Limits;
use airda::block::Block;
use airda::sampling::{Purpose, Seed, SubsetSoundness, draw};
use airda::{CheckedColumn, Column, Commitment, Error, proof};

use super::failure::Failure;
use super::inspect::codeword_bytes;
use super::output::{Output, json};
use super::report::Report;
use super::{Job, RunArgs};

/// The result and the seconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// Does everything in memory and reports it. What a verifier or a reader gets is bytes.
pub(super) fn run(args: &RunArgs, output: &Output) -> Result<(), Failure> {
    let Job { payload, params, profile, system } = args.encoding.job()?;
    let place = args.encoding.file.display().to_string();
    let failed = |error: Error| Failure::at(&place, &error);
    let seed = args.seed.map_or_else(Seed::from_os, |seed| Ok(Seed::from(seed))).map_err(failed)?;
    let mut report = Report {
        payload_bytes: payload.len() as u64,
        profile: profile.to_string(),
        hash: params.hash().name(),
        proof_system: system.name(),
        membership: system.membership().name(),
        codeword_bytes: codeword_bytes(&params),
        columns_sampled: SubsetSoundness::default().samples(params.columns()),
        ..Report::default()
    };
    let mut problems = Vec::new();

    // The builder.
    let spinner = output.spinner("encode and commit");
    let (block, time) = timed(|| Block::build(params, &payload));
    let block = block.map_err(failed)?;
    report.t_encode_commit_s = time;
    spinner.at("prove");
    let (proof_bytes, time) = timed(|| proof::prove(&block, system));
    let proof_bytes = proof_bytes.map_err(failed)?;
    report.t_prove_s = time;
    let commitment_bytes = block.commitment().encode();
    report.commitment_bytes = commitment_bytes.len() as u64;
    report.proof_bytes = proof_bytes.len() as u64;

    // A client draws, the builder opens, and half of the columns survive.
    spinner.at("open");
    let pick = |purpose, count| draw(&seed, purpose, params.columns(), count).map_err(failed);
    let sampled = pick(Purpose::Sample, report.columns_sampled)?;
    let (opened, time) = timed(|| block.open(&sampled));
    report.t_open_s = time;
    let samples = encode_all(&opened.map_err(failed)?);
    report.sample_bytes = samples.iter().map(|bytes| bytes.len() as u64).sum();
    let survivors = pick(Purpose::Survivors, params.half())?;
    let survivors = encode_all(&block.open(&survivors).map_err(failed)?);
    drop(block);

    // The verifier, from bytes.
    spinner.at("verify");
    let commitment = Commitment::decode(&commitment_bytes, &Limits::default()).map_err(failed)?;
    let (verified, time) = timed(|| proof::verify(&commitment, &proof_bytes));
    report.t_verify_proof_s = time;
    match verified {
        Ok(verified) => {
            report.accepted = true;
            report.calls = Some(verified.calls);
            report.security_bits = Some(verified.security.overall_bits);
            report.proof_security_bits = Some(verified.security.proof_bits);
        }
        Err(error) => problems.push(error.to_string()),
    }
    let (checked, time) = timed(|| check_all(&commitment, &samples));
    report.t_verify_openings_s = time;
    let refused = match checked {
        Ok(checked) if checked.iter().map(CheckedColumn::index).eq(sampled) => None,
        Ok(_) => Some("other columns were opened than were drawn".to_owned()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(why) = refused {
        report.accepted = false;
        problems.push(format!("samples refused: {why}"));
    }

    // A reader, from bytes.
    spinner.at("recover");
    let (recovered, time) = timed(|| recover(&commitment_bytes, &survivors));
    report.t_recover_s = time;
    match recovered {
        Ok(bytes) if bytes == payload => report.recovered = true,
        Ok(_) => problems.push("the recovered bytes are not the file's".to_owned()),
        Err(error) => problems.push(format!("not recovered: {error}")),
    }
    drop(spinner);

    report.derive();
    if args.json {
        json(&report)?;
    } else {
        output.say(&report.table())?;
    }
    if !problems.is_empty() {
        return Err(Failure::rejected(format!("{place}: {}", problems.join("; "))));
    }
    if args.json {
        return Ok(());
    }
    output.next(&format!("airda build {place} --out DIR writes commitment, proof and columns"))
}

fn encode_all(columns: &[Column]) -> Vec<Vec<u8>> {
    columns.iter().map(Column::encode).collect()
}

fn check_all(commitment: &Commitment, columns: &[Vec<u8>]) -> Result<Vec<CheckedColumn>, Error> {
    let columns: Vec<Column> =
        columns.iter().map(|bytes| Column::decode(bytes, commitment)).collect::<Result<_, _>>()?;
    commitment.check_all(columns).into_iter().collect()
}

/// Everything a reader does who has nothing but these bytes.
fn recover(commitment: &[u8], columns: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    let commitment = Commitment::decode(commitment, &Limits::default())?;
    airda::recover(&commitment, &check_all(&commitment, columns)?)?.payload()
}
