//! A folder of files that one consumer reads, often while it runs.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use nix::unistd::geteuid;

/// Who may read a folder's files.
#[derive(Clone, Copy, Debug)]
pub(super) enum Readers {
    /// This account alone.
    Account(u32),
    /// Whoever sees the folder at all: a server that changes to an account whose number only its image knows.
    All,
}

/// A folder that is written by this program alone.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    readers: Readers,
    changed: Vec<PathBuf>,
}

impl Folder {
    /// Creates the folder where it is missing, and protects it.
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

    /// What a file holds; none where it is missing or empty, as one that was being written when the machine stopped.
    pub(super) fn read(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.path.join(name)).ok()?;
        (!text.is_empty()).then_some(text)
    }

    /// Makes a file hold `text`, in one step, and does not touch one that does.
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

    /// What a file holds, after `make` where it holds nothing yet.
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
        // One that an earlier run left is not writable.
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

/// Only root can give files away; anybody else provisions for their own account.
fn give(path: &Path, readers: Readers) -> Result<()> {
    if let Readers::Account(account) = readers
        && geteuid().is_root()
    {
        chown(path, Some(account), Some(account))
            .with_context(|| format!("cannot give away {}", path.display()))?;
    }
    Ok(())
}
