//! The folders and files of a stack.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::component::Component;

/// A larger log is rotated at the next start.
const LOG_ROTATION_BYTES: u64 = 16 * 1024 * 1024;
const LOG_TAIL_LINES: usize = 12;
const SUPERVISOR: &str = "supervisor";

/// Modes of what only the account of the stack may open.
const PRIVATE_FOLDER: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

/// The folders of a data directory.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    root: PathBuf,
}

impl Layout {
    /// Creates missing folders and resolves the path: it identifies a stack's processes.
    pub(crate) fn create(root: &Path) -> Result<Self> {
        let create = |path: &Path| {
            fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))
        };
        create(root)?;
        let layout = Self::at(root)?;
        // Logs, uploads and databases are nobody else's business.
        fs::set_permissions(&layout.root, Permissions::from_mode(PRIVATE_FOLDER))
            .context("cannot protect the data folder")?;
        create(&layout.root.join("run"))?;
        create(&layout.root.join("log"))?;
        create(&layout.secrets())?;
        fs::set_permissions(layout.secrets(), Permissions::from_mode(PRIVATE_FOLDER))
            .context("cannot protect the secrets")?;
        Ok(layout)
    }

    /// An existing data directory.
    pub(crate) fn at(root: &Path) -> Result<Self> {
        let root = root
            .canonicalize()
            .with_context(|| format!("cannot open {}", root.display()))?;
        Ok(Self { root })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn secrets(&self) -> PathBuf {
        self.root.join("secrets")
    }

    pub(crate) fn pid_file(&self, component: Component) -> PathBuf {
        self.root.join("run").join(format!("{component}.pid"))
    }

    /// Ports and components of the running stack, for `adfolio-local status`.
    pub(crate) fn description(&self) -> PathBuf {
        self.root.join("run/stack.json")
    }

    /// Exists while folders are being replaced: they are not consistent then.
    pub(crate) fn unfinished_restore(&self) -> PathBuf {
        self.root.join("restore-unfinished")
    }

    /// Fails if a restore was interrupted while it replaced folders.
    pub(crate) fn ensure_restored(&self) -> Result<()> {
        if self.unfinished_restore().exists() {
            bail!(
                "a restore was interrupted below {}: repeat it before anything starts",
                self.root.display()
            );
        }
        Ok(())
    }

    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.root.join("log").join(format!("{name}.log"))
    }

    /// The component's log, opened for appending.
    pub(crate) fn open_log(&self, name: &str) -> Result<File> {
        let path = self.log(name);
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > LOG_ROTATION_BYTES) {
            fs::rename(&path, path.with_extension("log.1")).context("cannot rotate a log")?;
        }
        OpenOptions::new()
            .create(true)
            .append(true)
            .mode(PRIVATE_FILE)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// The last lines of a log, for an error message.
    pub(crate) fn log_tail(&self, name: &str) -> String {
        let text = fs::read(self.log(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LOG_TAIL_LINES)..].join("\n")
    }

    /// Writes a file that only its owner may read.
    pub(crate) fn write_secret(&self, name: &str, value: &str) -> Result<PathBuf> {
        let path = self.secrets().join(name);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(PRIVATE_FILE)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.write_all(value.as_bytes())?;
        Ok(path)
    }

    /// The file of a random secret of 32 bytes in hex, made once: the data that it protects live as
    /// long as the folder.
    pub(crate) fn random_secret(&self, name: &str) -> Result<PathBuf> {
        self.kept_secret(name, random_hex)
    }

    /// The file of a secret that is made once.
    pub(crate) fn kept_secret(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<String>,
    ) -> Result<PathBuf> {
        let path = self.secrets().join(name);
        // An empty file was being written when the machine stopped.
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0) {
            return Ok(path);
        }
        self.write_secret(name, &make()?)
    }

    /// Makes this process the only supervisor of the data directory, as long as the lock lives.
    pub(crate) fn lock(&self) -> Result<Lock> {
        let path = self.supervisor_pid_file();
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        if file.try_lock().is_err() {
            let pid = fs::read_to_string(&path).unwrap_or_default();
            bail!(
                "already running below {} (process {}): `make down` stops it",
                self.root.display(),
                pid.trim()
            );
        }
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Lock { _file: file })
    }

    /// The current supervisor of this data directory.
    pub(crate) fn supervisor(&self) -> Option<u32> {
        let file = File::open(self.supervisor_pid_file()).ok()?;
        if file.try_lock_shared().is_ok() {
            return None;
        }
        fs::read_to_string(self.supervisor_pid_file())
            .ok()?
            .trim()
            .parse()
            .ok()
    }

    fn supervisor_pid_file(&self) -> PathBuf {
        self.root.join("run").join(format!("{SUPERVISOR}.pid"))
    }
}

/// 32 random bytes in hex.
pub(crate) fn random_hex() -> Result<String> {
    let mut hex = String::new();
    for byte in rand::random::<[u8; 32]>() {
        write!(hex, "{byte:02x}")?;
    }
    Ok(hex)
}

/// Held by the supervisor; the kernel releases it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}
