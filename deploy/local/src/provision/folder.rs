//! A folder of files for one consumer, which may read them while it runs.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use nix::unistd::geteuid;

/// Who may read the files of a folder.
#[derive(Clone, Copy, Debug)]
pub(super) enum Readers {
    /// This account alone.
    Account(u32),
    /// Everyone who sees the folder: for a server that changes to an account whose number only its
    /// image knows.
    All,
}

/// A folder written only by this program.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    readers: Readers,
    changed: Vec<PathBuf>,
}

impl Folder {
    /// Creates the folder if it is missing, and protects it.
    pub(super) fn open(path: PathBuf, readers: Readers) -> Result<Self> {
        fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        let mode = match readers {
            Readers::Account(_) => 0o700,
            Readers::All => 0o755,
        };
        fs::set_permissions(&path, Permissions::from_mode(mode))
            .with_context(|| format!("cannot protect {}", path.display()))?;
        give(&path, readers)?;
        Ok(Self {
            path,
            readers,
            changed: Vec::new(),
        })
    }

    /// The content of a file; none if it is missing or empty, like a file that was being written
    /// when the machine stopped.
    pub(super) fn read(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.path.join(name)).ok()?;
        (!text.is_empty()).then_some(text)
    }

    /// Atomically writes `text` to a file, unless that is its content already.
    pub(super) fn write(&mut self, name: &str, text: &str) -> Result<()> {
        if self.read(name).as_deref() == Some(text) {
            return Ok(());
        }
        let (path, draft) = (self.path.join(name), self.path.join(format!(".{name}.new")));
        self.write_draft(&draft, text)
            .and_then(|()| Ok(fs::rename(&draft, &path)?))
            .with_context(|| format!("cannot write {}", path.display()))?;
        self.changed.push(path);
        Ok(())
    }

    /// The content of a file, made by `make` if there is none.
    pub(super) fn keep(
        &mut self,
        name: &str,
        make: impl FnOnce() -> Result<String>,
    ) -> Result<String> {
        if let Some(kept) = self.read(name) {
            return Ok(kept);
        }
        let text = make()?;
        self.write(name, &text)?;
        Ok(text)
    }

    /// The files that were written.
    pub(super) fn into_changed(self) -> Vec<PathBuf> {
        self.changed
    }

    fn write_draft(&self, draft: &Path, text: &str) -> Result<()> {
        let mode = match self.readers {
            Readers::Account(_) => 0o400,
            Readers::All => 0o444,
        };
        // A file left by an earlier run is not writable.
        let _ = fs::remove_file(draft);
        let mut file = OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(mode)
            .open(draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        give(draft, self.readers)
    }
}

/// Only root can give files away; others provision for their own account.
fn give(path: &Path, readers: Readers) -> Result<()> {
    if let Readers::Account(account) = readers
        && geteuid().is_root()
    {
        chown(path, Some(account), Some(account))
            .with_context(|| format!("cannot give away {}", path.display()))?;
    }
    Ok(())
}
