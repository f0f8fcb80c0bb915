//! The layout of a build; reading within limits, writing beside and renaming.

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
/// Characters of a file's name in its name while it is being written: with four bytes each, the
/// rest and the longest process id, fewer bytes than any name may have.
const MAX_STEM: usize = 50;

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

/// What tells the kind of a file: as many of its first bytes as the magic has.
pub(crate) fn front(path: &Path) -> io::Result<Vec<u8>> {
    read(path, MAGIC_BYTES - 1)
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
    let front = front(path).map_err(|error| cannot_read(path, &error))?;
    let Some(kind) = Kind::of(&front) else {
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
/// With `durable` it is on the disk before it gets its name, and its name is when this returns.
pub(crate) fn write(path: &Path, bytes: &[u8], durable: bool) -> Result<(), Failure> {
    let partial = partial(path);
    let attempt = || -> io::Result<()> {
        // A leftover of that name goes; what somebody else puts there is not followed.
        let _ = fs::remove_file(&partial);
        let mut file = File::create_new(&partial)?;
        file.write_all(bytes)?;
        if durable {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&partial, path)?;
        if durable { sync_dir(directory_of(path)) } else { Ok(()) }
    };
    attempt().map_err(|error| {
        // It may not even exist; what matters is the first error.
        let _ = fs::remove_file(&partial);
        Failure::unusable(format!("cannot write {}: {error}", path.display()))
    })
}

/// Where `path` is written before it gets its name: `.STEM.PID.partial`, whatever the name's
/// length.
fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem: String = name.chars().take(MAX_STEM).collect();
    path.with_file_name(format!(".{stem}.{}{PARTIAL}", std::process::id()))
}

/// The stem of what may be a [`partial`] name.
pub(crate) fn partial_of(name: &str) -> Option<&str> {
    let (stem, pid) = name.strip_prefix('.')?.strip_suffix(PARTIAL)?.rsplit_once('.')?;
    pid.parse::<u32>().ok().map(|_| stem)
}

/// Brings files to the disk.
pub(crate) fn sync(paths: &[PathBuf]) -> Result<(), Failure> {
    let each = |path: &PathBuf| {
        let synced = File::open(path).and_then(|file| file.sync_all());
        synced.map_err(|error| cannot_sync(path, &error))
    };
    paths.iter().try_for_each(each)
}

/// Brings the names in directories to the disk.
pub(crate) fn sync_dirs<const N: usize>(dirs: [&Path; N]) -> Result<(), Failure> {
    dirs.into_iter().try_for_each(|dir| sync_dir(dir).map_err(|error| cannot_sync(dir, &error)))
}

fn sync_dir(dir: &Path) -> io::Result<()> {
    // Elsewhere a directory is nothing that can be opened.
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(dir)?.sync_all() {
        // Not every file system knows how.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

fn cannot_sync(path: &Path, error: &io::Error) -> Failure {
    Failure::unusable(format!("cannot bring {} to the disk: {error}", path.display()))
}

/// The directory that `path` is in.
fn directory_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
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
    let (Ok(dir), Ok(parent)) = (fs::canonicalize(dir), fs::canonicalize(directory_of(target)))
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

/// The size of a column's file.
pub(crate) fn column_bytes(params: &Params) -> u64 {
    Column::encoded_len(params) as u64
}
