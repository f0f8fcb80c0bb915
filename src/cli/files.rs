//! Reading within limits, writing beside and renaming, and the layout of a build.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use airda::artifact::{Kind, Limits, MAGIC_BYTES};
use airda::params::{LIMBS, MAX_LOG_WORDS, SYMBOL_BYTES};
use airda::{Column, Commitment, Error, Params};

use super::failure::Failure;

/// No payload is longer: half of the matrix would be all words that can be committed to.
const MAX_PAYLOAD: usize = (1 << MAX_LOG_WORDS) / (2 * LIMBS) * SYMBOL_BYTES;
/// What a file's name ends with while it is being written.
const PARTIAL: &str = ".partial";

/// A build's commitment.
pub(crate) fn commitment_path(dir: &Path) -> PathBuf {
    dir.join("commitment")
}

/// A build's proof.
pub(crate) fn proof_path(dir: &Path) -> PathBuf {
    dir.join("proof")
}

/// A build's directory of columns.
pub(crate) fn columns_dir(dir: &Path) -> PathBuf {
    dir.join("columns")
}

/// One of a build's columns.
pub(crate) fn column_path(dir: &Path, index: usize) -> PathBuf {
    columns_dir(dir).join(format!("{index:05}"))
}

/// Reads an artifact's file of at most `limit` bytes; of a longer one, a byte more than that.
fn read(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    // To open a pipe is to wait for who writes into it, and nobody may.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    read_any(path, limit)
}

/// [`read`] of whatever can be read, pipes included.
fn read_any(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_all(path: &Path, limit: usize) -> Result<Vec<u8>, Failure> {
    read(path, limit).map_err(|error| cannot_read(path, &error))
}

fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    Failure::unusable(format!("cannot read {}: {error}", path.display()))
}

/// The file to encode.
pub(crate) fn payload(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = read_any(path, MAX_PAYLOAD).map_err(|error| cannot_read(path, &error))?;
    let place = path.display();
    match bytes.len() {
        0 => Err(Failure::unusable(format!("{place}: the file is empty"))),
        1..=MAX_PAYLOAD => Ok(bytes),
        _ => Err(Failure::unusable(format!(
            "{place}: the file is longer than the {MAX_PAYLOAD} bytes that are supported"
        ))),
    }
}

/// A build's commitment, decoded.
pub(crate) fn commitment(dir: &Path) -> Result<Commitment, Failure> {
    let path = commitment_path(dir);
    let limits = Limits::default();
    let bytes = read_all(&path, limits.commitment_bytes)?;
    Commitment::decode(&bytes, &limits).map_err(|error| Failure::at(path.display(), &error))
}

/// A build's proof, not decoded.
pub(crate) fn proof(dir: &Path) -> Result<Vec<u8>, Failure> {
    read_all(&proof_path(dir), Limits::default().proof_bytes)
}

/// An artifact of any kind. Of a file that starts like none, only the front is read.
pub(crate) fn artifact(path: &Path) -> Result<(Kind, Vec<u8>), Failure> {
    let place = path.display();
    let Some(kind) = Kind::of(&read_all(path, MAGIC_BYTES - 1)?) else {
        return Err(Failure::unusable(format!(
            "{place}: not an artifact: it starts with no magic bytes of airda"
        )));
    };
    let limits = Limits::default();
    let limit = match kind {
        Kind::Commitment => limits.commitment_bytes,
        Kind::Proof => limits.proof_bytes,
        // Fewer words than the largest matrix, but for the root and the path.
        Kind::Column => 4 << MAX_LOG_WORDS,
    };
    let bytes = read_all(path, limit)?;
    if bytes.len() > limit {
        return Err(Failure::unusable(format!("{place}: longer than any {kind}, {limit} bytes")));
    }
    Ok((kind, bytes))
}

/// Why a column cannot be used.
#[derive(Debug)]
pub(crate) enum Bad {
    Missing,
    Unreadable(io::Error),
    /// Of another index than its name says.
    Misplaced(usize),
    Refused(Error),
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("it is missing"),
            Self::Unreadable(error) => write!(f, "it cannot be read: {error}"),
            Self::Misplaced(index) => write!(f, "the file holds column {index:05}"),
            // The place names the column already.
            Self::Refused(Error::Column { why, .. }) => write!(f, "{why}"),
            Self::Refused(error) => write!(f, "{error}"),
        }
    }
}

/// One of a build's columns, decoded and not checked.
pub(crate) fn column(dir: &Path, index: usize, commitment: &Commitment) -> Result<Column, Bad> {
    let limit = Column::encoded_len(commitment.params());
    let bytes = match read(&column_path(dir, index), limit) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(Bad::Missing),
        Err(error) => return Err(Bad::Unreadable(error)),
    };
    let column = Column::decode(&bytes, commitment).map_err(Bad::Refused)?;
    if column.index() == index { Ok(column) } else { Err(Bad::Misplaced(column.index())) }
}

/// Writes beside `path` and renames, so that under this name there is all of it or nothing.
/// With `durable` it is on the disk before it gets its name.
pub(crate) fn write(path: &Path, bytes: &[u8], durable: bool) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let partial = path.with_file_name(format!(".{name}.{}{PARTIAL}", std::process::id()));
    let attempt = || -> io::Result<()> {
        // A leftover of that name goes; what somebody else puts there is not followed.
        let _ = fs::remove_file(&partial);
        let mut file = File::create_new(&partial)?;
        file.write_all(bytes)?;
        if durable {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&partial, path)
    };
    attempt().map_err(|error| {
        // It may not even exist; what matters is the first error.
        let _ = fs::remove_file(&partial);
        Failure::unusable(format!("cannot write {}: {error}", path.display()))
    })
}

/// Where to [`write`] what shall be found at `path`: there, or where its links lead.
///
/// # Errors
/// When there is something else than a regular file, which the renaming would replace.
pub(crate) fn target(path: &Path) -> Result<PathBuf, Failure> {
    let refuse = |why| Err(Failure::unusable(format!("cannot write {}: {why}", path.display())));
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => refuse("it is a directory"),
        Ok(found) if !found.is_file() => refuse("it is not a regular file"),
        // What cannot be resolved does not exist yet, or says so when it is written.
        _ => Ok(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())),
    }
}

/// Refuses to write into a build what is no part of it.
pub(crate) fn keep_apart(dir: &Path, target: &Path) -> Result<(), Failure> {
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let (Ok(dir), Ok(parent)) =
        (fs::canonicalize(dir), fs::canonicalize(parent.unwrap_or(Path::new("."))))
    else {
        // One of them does not exist, which reading or writing will say.
        return Ok(());
    };
    if parent.starts_with(&dir) {
        let (target, dir) = (target.display(), dir.display());
        return Err(Failure::unusable(format!("cannot write {target}: it is inside {dir}")));
    }
    Ok(())
}

/// Creates a directory with its parents.
pub(crate) fn create_dir(dir: &Path) -> Result<(), Failure> {
    fs::create_dir_all(dir)
        .map_err(|error| Failure::unusable(format!("cannot create {}: {error}", dir.display())))
}

/// The files of a build in `dir`, the commitment first: none if there is no such directory or it
/// is empty.
///
/// # Errors
/// When there is anything that a build, whole or interrupted, does not consist of.
pub(crate) fn earlier_build(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    collect(dir, &mut files, |name, path| match name {
        "commitment" => is(path, Kind::Commitment),
        "proof" => is(path, Kind::Proof),
        "columns" => path.is_dir(),
        _ => false,
    })?;
    let columns = columns_dir(dir);
    files.retain(|path| *path != columns);
    collect(&columns, &mut files, |name, path| {
        name.bytes().all(|byte| byte.is_ascii_digit()) && is(path, Kind::Column)
    })?;
    let commitment = commitment_path(dir);
    files.sort_by_key(|path| *path != commitment);
    Ok(files)
}

fn collect(
    dir: &Path,
    files: &mut Vec<PathBuf>,
    known: impl Fn(&str, &Path) -> bool,
) -> Result<(), Failure> {
    let unreadable =
        |error| Failure::unusable(format!("cannot read directory {}: {error}", dir.display()));
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(unreadable)?,
    };
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let partial = name.starts_with('.') && name.ends_with(PARTIAL) && path.is_file();
        if !partial && !known(&name, &path) {
            return Err(Failure::unusable(format!(
                "{} is no part of an airda build: choose an empty directory",
                path.display()
            )));
        }
        files.push(path);
    }
    Ok(())
}

/// Whether `path` is an artifact of this kind, or an empty file such as a crash leaves.
fn is(path: &Path, kind: Kind) -> bool {
    path.is_file()
        && read(path, MAGIC_BYTES - 1)
            .is_ok_and(|bytes| bytes.is_empty() || Kind::of(&bytes) == Some(kind))
}

/// Removes an earlier build's files.
pub(crate) fn remove(files: &[PathBuf]) -> Result<(), Failure> {
    for path in files {
        fs::remove_file(path).map_err(|error| {
            Failure::unusable(format!("cannot remove {}: {error}", path.display()))
        })?;
    }
    Ok(())
}

/// The size of a column's file.
pub(crate) fn column_bytes(params: &Params) -> u64 {
    Column::encoded_len(params) as u64
}
