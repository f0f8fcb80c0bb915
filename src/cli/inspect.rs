//! `airda inspect` and `airda profiles`.

use std::path::Path;

use airda::artifact::{ColumnHeader, Kind, Limits, ProofFile};
use airda::proof::{ChainStep, Membership, System, air};
use airda::sampling::SubsetSoundness;
use airda::{Column, Commitment, HashWidth, Params, Profile};

use super::failure::Failure;
use super::files;
use super::output::{Output, Table, print, size};
use super::report::hex;

/// Says what is in an artifact.
pub(super) fn inspect(path: &Path) -> Result<(), Failure> {
    let (kind, bytes) = files::artifact(path)?;
    let failed = |error: airda::Error| Failure::at(path.display(), &error);
    match kind {
        Kind::Commitment => {
            let commitment = Commitment::decode(&bytes, &Limits::default()).map_err(failed)?;
            print(&describe(&commitment, bytes.len()))
        }
        Kind::Proof => {
            let proof = ProofFile::decode(&bytes, &Limits::default()).map_err(failed)?;
            let mut table = Table::default();
            table
                .row(["artifact", "proof"])
                .row(["size", &size(bytes.len() as u64)])
                .row(["proof system", &system(proof.system)])
                .row(["membership", &membership(proof.membership)])
                .row(["chaining values", &chain_step(proof.chain_step)])
                .row(["body", &size(proof.body.len() as u64)]);
            print(&table.render(1))
        }
        Kind::Column => {
            let header = ColumnHeader::decode(&bytes).map_err(failed)?;
            let mut table = Table::default();
            table
                .row(["artifact", "column"])
                .row(["size", &size(bytes.len() as u64)])
                .row(["index", &format!("{:05}", header.index)])
                .row(["root", &hex(&header.root)])
                .row(["words and path", &size(header.body_bytes as u64)]);
            let verdict = check(path, &bytes, &header);
            let checked = match &verdict {
                None => "no commitment with this root beside it to check it against",
                Some(Ok(())) if named(path, header.index) => "belongs to the commitment beside it",
                Some(Ok(())) => "belongs to the commitment beside it, but not under this name",
                Some(Err(_)) => "does not belong to the commitment beside it",
            };
            table.row(["opening", checked]);
            print(&table.render(1))?;
            verdict.unwrap_or(Ok(())).map_err(failed)
        }
    }
}

/// How a proof says that it shows membership.
fn membership(id: u8) -> String {
    Membership::by_id(id)
        .map_or_else(|| format!("{id}, unknown"), |mode| format!("by {}", mode.name()))
}

/// Which chaining values a proof commits to.
fn chain_step(id: u8) -> String {
    match ChainStep::new(id).map(ChainStep::get) {
        Some(1) => "all committed".to_owned(),
        Some(g) => format!("one in {g} committed"),
        None => format!("{id}, unknown"),
    }
}

/// What the entry of the table of proof systems says.
fn system(id: u16) -> String {
    let unknown = || format!("entry {id}, which there is not: no verifier accepts it");
    match air::System::by_id(id) {
        Some(Ok(system)) => air_system(&system),
        Some(Err(_)) => unknown(),
        None => System::by_id(id).map_or_else(|_| unknown(), |system| gkr_system(&system)),
    }
}

fn gkr_system(system: &System) -> String {
    let parameters = system.parameters();
    let (first, later) = parameters.folds();
    format!(
        "gkr, entry {}: rate 2^-{}, folds of {} and {} variables, {} bits or more",
        parameters.id(),
        parameters.log_inv_rate(),
        first.variables,
        later.variables,
        parameters.target_bits()
    )
}

/// What an AIR proof system's entry says.
pub(super) fn air_system(system: &air::System) -> String {
    let parameters = system.parameters();
    format!(
        "air, entry {}: rate 2^-{}, {} queries, {} bits of work before them, {} before the batch",
        system.id(),
        parameters.log_blowup(),
        parameters.num_queries(),
        parameters.query_pow_bits(),
        parameters.batch_pow_bits()
    )
}

/// Whether a column's file has the name that its index calls for.
fn named(path: &Path, index: usize) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.and_then(|name| name.parse().ok()) == Some(index)
}

/// Checks a column against the commitment of its build, if it lies in one.
fn check(path: &Path, bytes: &[u8], header: &ColumnHeader) -> Option<Result<(), airda::Error>> {
    let commitment = files::commitment(path.parent()?.parent()?).ok()?;
    (*commitment.root() == header.root).then(|| {
        let column = Column::decode(bytes, &commitment)?;
        commitment.check(column).map(drop)
    })
}

fn describe(commitment: &Commitment, bytes: usize) -> String {
    let params = commitment.params();
    let count = SubsetSoundness::default().samples(params.columns());
    let mut table = Table::default();
    table
        .row(["artifact", "commitment"])
        .row(["size", &size(bytes as u64)])
        .row(["root", &hex(commitment.root())])
        .row(["column root", &hex(commitment.root_col())])
        .row(["hash", params.hash().name()])
        .row(["payload", &format!("{} B", params.payload_len())])
        .row(["row length k", &format!("{} symbols", params.k())])
        .row(["cell size c", &format!("{} symbols", params.c())])
        .row(["rows n", &params.rows().to_string()])
        .row(["columns", &format!("{}, any {} recover", params.columns(), params.half())])
        .row(["column size", &size(files::column_bytes(params))])
        .row(["samples |Q|", &count.to_string()]);
    for (row, digest) in commitment.row_digests().iter().enumerate() {
        table.row([&format!("row {row}"), &hex(digest)]);
    }
    table.render(1)
}

/// Lists the known profiles.
pub(super) fn profiles(output: &Output) -> Result<(), Failure> {
    let mut table = Table::default();
    table.row([
        "profile", "k", "c", "n", "columns", "payload", "codeword", "column", "|Q|", "samples",
    ]);
    for profile in Profile::known() {
        // Every known profile carries a byte.
        let params = profile
            .params(HashWidth::W16, 1)
            .map_err(|error| Failure::unusable(error.to_string()))?;
        let count = SubsetSoundness::default().samples(params.columns());
        let column = files::column_bytes(&params);
        table.row([
            &profile.to_string(),
            &params.k().to_string(),
            &params.c().to_string(),
            &params.rows().to_string(),
            &params.columns().to_string(),
            &size(params.capacity()),
            &size(codeword_bytes(&params)),
            &size(column),
            &count.to_string(),
            &size(column * count as u64),
        ]);
    }
    print(&table.render(10))?;
    output.say(&format!(
        "\npayload is what the rows can carry, column one column's file, samples |Q| of them\n{}",
        airda::profile::DEFAULT_RULE
    ))
}

/// D_codeword: all words of the encoded matrix, four bytes each, 20·n·m.
pub(super) fn codeword_bytes(params: &Params) -> u64 {
    params.matrix_words() as u64 * 4
}
