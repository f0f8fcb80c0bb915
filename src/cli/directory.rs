//! A build's directory while a command writes into it: whom it is locked to, what may lie in it
//! and how a new build takes the place of an earlier one.
//!
//! A new build is written whole into [`STAGE`] and brought to the disk. Only then is the earlier
//! one moved out of the way, its commitment first, and the new one moved into its place, its
//! commitment last. Hence where there is a commitment there is all of its build, whenever the
//! writer fails, is killed or loses power. A build that fails leaves the earlier one as it was;
//! one that is killed does so too, unless it was within these few moves.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use airda::artifact::Kind;

use super::failure::Failure;
use super::files::{self, columns_dir, commitment_path, proof_path};

/// Where in its directory a build is put together.
const STAGE: &str = ".build.partial";
/// Where in [`STAGE`] the build is moved whose place a new one takes.
const EARLIER: &str = "earlier";

/// The right to write into a directory. One process has it at a time, as long as it lives.
#[derive(Debug)]
pub(crate) struct Lock {
    /// The open directory, which the lock is on: it leaves no file behind, and goes with the
    /// process however that ends.
    #[cfg(unix)]
    _dir: File,
}

impl Lock {
    /// Locks a directory that exists.
    ///
    /// # Errors
    /// When another process has it, or the system does not let it be locked.
    #[cfg(unix)]
    pub(crate) fn take(dir: &Path) -> Result<Self, Failure> {
        let place = dir.display();
        let cannot = |error| Failure::unusable(format!("cannot lock {place}: {error}"));
        let file = File::open(dir).map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _dir: file }),
            Err(TryLockError::WouldBlock) => Err(Failure::unusable(format!(
                "{place}: another build or repair is at work in this directory"
            ))),
            Err(TryLockError::Error(error)) => Err(cannot(error)),
        }
    }

    /// Directories are no files here, and not locked.
    #[cfg(not(unix))]
    pub(crate) fn take(_dir: &Path) -> Result<Self, Failure> {
        Ok(Self {})
    }
}

/// The lock on `dir`, if there is such a directory, so that what is wrong with it is told before
/// the work begins.
///
/// # Errors
/// Those of [`Lock::take`] and [`survey`].
pub(crate) fn claim(dir: &Path) -> Result<Option<Lock>, Failure> {
    if !dir.exists() {
        return Ok(None);
    }
    let lock = Lock::take(dir)?;
    // Not before: what is being written comes and goes.
    survey(dir)?;
    Ok(Some(lock))
}

/// A new build, put together out of the way.
#[derive(Debug)]
pub(crate) struct Stage {
    dir: PathBuf,
    stage: PathBuf,
    _lock: Lock,
}

impl Stage {
    /// Makes room in `dir`, which exists, for a new build, and removes what an interrupted one
    /// left there.
    ///
    /// # Errors
    /// Those of [`survey`], and when nothing can be removed or created.
    pub(crate) fn new(dir: &Path, lock: Lock) -> Result<Self, Failure> {
        survey(dir)?;
        let stage = dir.join(STAGE);
        match fs::remove_dir_all(&stage) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let place = stage.display();
                return Err(Failure::unusable(format!("cannot remove {place}: {error}")));
            }
            _ => {}
        }
        let stage = Self { dir: dir.to_owned(), stage, _lock: lock };
        files::create_dir(&columns_dir(&stage.stage))?;
        Ok(stage)
    }

    /// Where the new build's files go, laid out like any build's.
    pub(crate) fn path(&self) -> &Path {
        &self.stage
    }

    /// Puts the new build into the place of the earlier one.
    ///
    /// # Errors
    /// Those of [`survey`]; when the disk takes no more; when something cannot be moved. Then the
    /// earlier build is in its place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let (dir, stage) = (&self.dir, &self.stage);
        files::sync(&survey(dir)?)?;
        files::sync_dirs([&columns_dir(stage), stage, dir])?;
        let earlier = stage.join(EARLIER);
        files::create_dir(&earlier)?;
        let mut moves = Moves::default();
        for path in [commitment_path, columns_dir, proof_path] {
            if path(dir).exists() {
                moves.rename(path(dir), path(&earlier))?;
                files::sync_dirs([dir])?;
            }
        }
        moves.rename(columns_dir(stage), columns_dir(dir))?;
        moves.rename(proof_path(stage), proof_path(dir))?;
        files::sync_dirs([dir])?;
        moves.rename(commitment_path(stage), commitment_path(dir))?;
        moves.keep();
        files::sync_dirs([dir])
    }
}

/// What was renamed, from what to what: undone unless it is kept.
#[derive(Debug, Default)]
struct Moves(Vec<(PathBuf, PathBuf)>);

impl Moves {
    fn rename(&mut self, from: PathBuf, to: PathBuf) -> Result<(), Failure> {
        fs::rename(&from, &to).map_err(|error| {
            Failure::unusable(format!(
                "cannot move {} to {}: {error}",
                from.display(),
                to.display()
            ))
        })?;
        self.0.push((from, to));
        Ok(())
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Moves {
    fn drop(&mut self) {
        for (from, to) in self.0.iter().rev() {
            // What cannot be undone stays where the next build removes it.
            let _ = fs::rename(to, from);
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What stays, the next build removes.
        let _ = fs::remove_dir_all(&self.stage);
    }
}

/// What an unfinished build has left in `dir`, which may be missing or empty.
///
/// # Errors
/// When there is anything that builds, whole or interrupted, do not consist of.
fn survey(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut staged = Vec::new();
    let stage = dir.join(STAGE);
    collect_build(dir, STAGE, &[], &mut Vec::new())?;
    collect_build(&stage, EARLIER, &["commitment", "proof"], &mut staged)?;
    collect_build(&stage.join(EARLIER), "", &[], &mut staged)?;
    Ok(staged)
}

/// Adds the files of the build in `dir` to `found`. A directory named `other` is passed over; of
/// its files beside the columns, those named `written` may be there in part.
fn collect_build(
    dir: &Path,
    other: &str,
    written: &[&str],
    found: &mut Vec<PathBuf>,
) -> Result<(), Failure> {
    collect(
        dir,
        found,
        |name, path| match name {
            "commitment" => is(path, Kind::Commitment),
            "proof" => is(path, Kind::Proof),
            _ => is_partial(name, path, |stem| written.contains(&stem)),
        },
        |name| name == "columns" || name == other,
    )?;
    collect(
        &columns_dir(dir),
        found,
        |name, path| is_number(name) && is(path, Kind::Column) || is_partial(name, path, is_number),
        |_| false,
    )
}

/// Adds the files of `dir`, which need not exist, to `found`; directories are passed over.
fn collect(
    dir: &Path,
    found: &mut Vec<PathBuf>,
    file: impl Fn(&str, &Path) -> bool,
    directory: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    let unreadable =
        |error| Failure::unusable(format!("cannot read directory {}: {error}", dir.display()));
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(unreadable)?,
    };
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        // A link to a directory is none: it cannot be put into another's place.
        let is_dir = entry.file_type().map_err(unreadable)?.is_dir();
        if is_dir && directory(name) {
            continue;
        }
        if is_dir || !file(name, &path) {
            return Err(Failure::unusable(format!(
                "{} is no part of an airda build: choose an empty directory",
                path.display()
            )));
        }
        found.push(path);
    }
    Ok(())
}

/// Whether `path` is an artifact of this kind, or an empty file such as a crash leaves.
fn is(path: &Path, kind: Kind) -> bool {
    files::front(path).is_ok_and(|bytes| bytes.is_empty() || Kind::of(&bytes) == Some(kind))
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether this is a file that [`files::write`] did not finish, for a name like these.
fn is_partial(name: &str, path: &Path, stem: impl Fn(&str) -> bool) -> bool {
    files::partial_of(name).is_some_and(stem) && path.is_file()
}
