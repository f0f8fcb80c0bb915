//! A build's directory while a command writes into it: whom it is locked to, what may lie in it
//! and how a new build takes the place of an earlier one.
//!
//! A new build is written whole into [`STAGE`] and brought to the disk. Only then is the earlier
//! one moved out of the way, its commitment first, and the new one moved into its place, its
//! commitment last. Hence where there is a commitment there is all of its build, whenever the
//! writer fails, is killed or loses power. A build that fails leaves the earlier one as it was;
//! one that is killed does so too, unless it was within these few moves: then the next build or
//! repair puts the earlier one back before it does anything else.

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
        // To open a pipe is to wait for who writes into it.
        if !fs::metadata(dir).map_err(cannot)?.is_dir() {
            return Err(Failure::unusable(format!("{place}: it is not a directory")));
        }
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
/// Those of [`Lock::take`], [`survey`] and [`bring_back`].
pub(crate) fn claim(dir: &Path) -> Result<Option<Lock>, Failure> {
    if !exists(dir)? {
        return Ok(None);
    }
    let lock = Lock::take(dir)?;
    // Not before: what is being written comes and goes.
    survey(dir)?;
    bring_back(dir)?;
    Ok(Some(lock))
}

/// Puts the earlier build back where a build was stopped between its moves: all of it is there,
/// in its place or in [`EARLIER`]. The directory is locked by the caller.
///
/// # Errors
/// When something cannot be moved; then it can be tried again.
pub(crate) fn bring_back(dir: &Path) -> Result<(), Failure> {
    let stage = dir.join(STAGE);
    let earlier = stage.join(EARLIER);
    if exists(&commitment_path(dir))? || !exists(&commitment_path(&earlier))? {
        return Ok(());
    }
    for path in [columns_dir, proof_path] {
        if exists(&path(&earlier))? {
            if exists(&path(dir))? {
                rename(&path(dir), &path(&stage))?;
            }
            rename(&path(&earlier), &path(dir))?;
        }
    }
    files::sync_dirs([dir])?;
    rename(&commitment_path(&earlier), &commitment_path(dir))?;
    files::sync_dirs([dir])
}

/// A new build, put together out of the way.
#[derive(Debug)]
pub(crate) struct Stage {
    dir: PathBuf,
    stage: PathBuf,
    /// Whether something is in there that is nowhere else: it is not removed then.
    precious: bool,
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
        let stage = Self { dir: dir.to_owned(), stage, precious: false, _lock: lock };
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
    /// earlier build is in its place, or is left for [`bring_back`].
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let mut moves = Moves::default();
        let replaced = self.replace(&mut moves);
        if replaced.is_err() && !moves.undo() {
            self.precious = true;
        }
        replaced
    }

    fn replace(&mut self, moves: &mut Moves) -> Result<(), Failure> {
        files::sync(&self.survey()?)?;
        let (dir, stage) = (&self.dir, &self.stage);
        files::sync_dirs([&columns_dir(stage), stage, dir])?;
        let earlier = stage.join(EARLIER);
        files::create_dir(&earlier)?;
        // Once more, since that took a while.
        self.survey()?;
        let (dir, stage) = (&self.dir, &self.stage);
        for path in [commitment_path, columns_dir, proof_path] {
            if exists(&path(dir))? {
                moves.rename(path(dir), path(&earlier))?;
                files::sync_dirs([dir])?;
            }
        }
        moves.rename(columns_dir(stage), columns_dir(dir))?;
        moves.rename(proof_path(stage), proof_path(dir))?;
        files::sync_dirs([dir])?;
        moves.rename(commitment_path(stage), commitment_path(dir))?;
        files::sync_dirs([dir])
    }

    /// [`survey`], after whose refusal nothing is removed.
    fn survey(&mut self) -> Result<Vec<PathBuf>, Failure> {
        survey(&self.dir).inspect_err(|_| self.precious = true)
    }
}

/// What was renamed, from what to what.
#[derive(Debug, Default)]
struct Moves(Vec<(PathBuf, PathBuf)>);

impl Moves {
    fn rename(&mut self, from: PathBuf, to: PathBuf) -> Result<(), Failure> {
        rename(&from, &to)?;
        self.0.push((from, to));
        Ok(())
    }

    /// Undoes them, the last one first, up to one that cannot be undone; whether there is none.
    fn undo(self) -> bool {
        self.0.iter().rev().all(|(from, to)| fs::rename(to, from).is_ok())
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::rename(from, to).map_err(|error| {
        Failure::unusable(format!("cannot move {} to {}: {error}", from.display(), to.display()))
    })
}

/// Whether there is something, where not to know is an error: what is taken for missing is not
/// moved out of the way.
fn exists(path: &Path) -> Result<bool, Failure> {
    path.try_exists()
        .map_err(|error| Failure::unusable(format!("cannot read {}: {error}", path.display())))
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !self.precious {
            // What stays, the next build removes.
            let _ = fs::remove_dir_all(&self.stage);
        }
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
