//! A child process: its program, its account, and its ties to the supervisor.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use anyhow::{Context as _, Result, anyhow, bail};
use nix::sys::signal::Signal;
use nix::unistd::{Uid, User, geteuid};
use tokio::process::{Child, Command};

use super::leftovers::MARK_VARIABLE;
use crate::component::Component;
use crate::layout::Layout;

/// Folders that are often missing in a plain user's PATH.
const EXTRA_PROGRAM_FOLDERS: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/sbin"];

/// Another account to run a child under, because PostgreSQL refuses root.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    user: User,
}

impl Account {
    /// `postgres` if its package is installed, else `nobody`; none if this process is not root.
    pub(crate) fn for_postgres() -> Result<Option<Self>> {
        if !geteuid().is_root() {
            return Ok(None);
        }
        for name in ["postgres", "nobody"] {
            if let Some(user) = User::from_name(name)? {
                return Ok(Some(Self { user }));
            }
        }
        bail!(
            "PostgreSQL refuses to run as root, and there is no account postgres or nobody to run it as"
        )
    }

    /// Gives a folder to this account.
    pub(crate) fn own(&self, folder: &Path) -> Result<()> {
        std::os::unix::fs::chown(
            folder,
            Some(self.user.uid.as_raw()),
            Some(self.user.gid.as_raw()),
        )
        .with_context(|| format!("cannot give {} to {}", folder.display(), self.user.name))
    }

    fn arguments(&self, folder: &Path) -> Vec<OsString> {
        let mut arguments = vec![
            "--reuid".to_owned(),
            self.user.uid.to_string(),
            "--regid".to_owned(),
            self.user.gid.to_string(),
            "--clear-groups".to_owned(),
        ];
        // A clone below /root is closed to other accounts: this capability lets the child pass
        // through the folders above its data without opening them to everyone.
        if !self.reaches(folder) {
            arguments.extend(
                [
                    "--inh-caps",
                    "+dac_override",
                    "--ambient-caps",
                    "+dac_override",
                ]
                .map(str::to_owned),
            );
        }
        arguments.into_iter().map(OsString::from).collect()
    }

    fn reaches(&self, folder: &Path) -> bool {
        const SEARCH: u32 = 0o1;
        folder.ancestors().skip(1).all(|ancestor| {
            fs::metadata(ancestor).is_ok_and(|metadata| {
                let shift = if Uid::from_raw(metadata.uid()) == self.user.uid {
                    6
                } else if metadata.gid() == self.user.gid.as_raw() {
                    3
                } else {
                    0
                };
                metadata.permissions().mode() & (SEARCH << shift) != 0
            })
        })
    }
}

/// How to start a child, any number of times.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(String, OsString)>,
    /// The child also inherits the supervisor's environment: that is how a person configures the
    /// services.
    pub(crate) inherit_environment: bool,
    /// Variables of that environment that are removed.
    pub(crate) removed: Vec<String>,
    /// Working directory, and the folder that `account` must reach.
    pub(crate) folder: PathBuf,
    pub(crate) account: Option<Account>,
    /// The file of a network namespace to run in, which only root can.
    pub(crate) network: Option<PathBuf>,
    /// Sent by the kernel when the supervisor dies: SIGKILL, except for a child that must stop
    /// children of its own.
    pub(crate) death_signal: Signal,
}

impl Launch {
    pub(crate) fn new(program: impl Into<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            inherit_environment: false,
            removed: Vec::new(),
            folder: folder.into(),
            account: None,
            network: None,
            death_signal: Signal::SIGKILL,
        }
    }

    pub(crate) fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    pub(crate) fn env(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Starts the child in a process group of its own (Ctrl-C at the terminal reaches only the
    /// supervisor, which then stops everything in order), appends its output to its log, and marks
    /// it as part of this stack.
    pub(crate) async fn spawn(&self, component: Component, layout: &Layout) -> Result<Child> {
        let mut command = self.tied_command();
        let log = layout.open_log(component.name())?;
        command
            .env(MARK_VARIABLE, super::leftovers::mark(layout, component))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .kill_on_drop(true);
        spawn_tied(command)
            .await
            .with_context(|| format!("cannot start {}", self.program.display()))
    }

    /// The command, wrapped so that the child dies with the supervisor and runs under its account.
    pub(crate) fn tied_command(&self) -> Command {
        let mut command = match &self.network {
            None => Command::new("setpriv"),
            Some(namespace) => {
                let mut command = Command::new("nsenter");
                let mut option = OsString::from("--net=");
                option.push(namespace);
                command.arg(option).arg("setpriv");
                command
            }
        };
        let signal = self.death_signal.as_str().trim_start_matches("SIG");
        command.args(["--pdeathsig", signal]);
        if let Some(account) = &self.account {
            command.args(account.arguments(&self.folder));
        }
        command
            .arg("--")
            .arg(&self.program)
            .args(&self.arguments)
            .current_dir(&self.folder);
        for name in &self.removed {
            command.env_remove(name);
        }
        if !self.inherit_environment {
            command.env_clear().env("LANG", "C.UTF-8").env("TZ", "UTC");
            if let Some(path) = std::env::var_os("PATH") {
                command.env("PATH", path);
            }
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Spawns on a thread that lives as long as the process.
///
/// The kernel sends the death signal when the *thread* that started the child ends, and threads of
/// a runtime (a test's, or an idle blocking thread) end long before the supervisor does.
pub(crate) async fn spawn_tied(mut command: Command) -> Result<Child> {
    type Job = Box<dyn FnOnce() + Send>;
    static SPAWNER: OnceLock<Option<Sender<Job>>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (jobs, queue) = channel::<Job>();
        std::thread::Builder::new()
            .name("spawner".to_owned())
            .spawn(move || queue.into_iter().for_each(|job| job()))
            .ok()
            .map(|_| jobs)
    });
    let spawner = spawner
        .as_ref()
        .ok_or_else(|| anyhow!("cannot start the spawner thread"))?;
    let runtime = tokio::runtime::Handle::current();
    let (answer, child) = tokio::sync::oneshot::channel();
    let job = Box::new(move || {
        let _context = runtime.enter();
        // A caller that gave up drops the answer, and with it the child.
        let _ = answer.send(command.spawn());
    });
    spawner
        .send(job)
        .map_err(|_| anyhow!("the spawner thread has ended"))?;
    Ok(child.await.context("the spawner thread has ended")??)
}

/// Runs a preparing command such as `initdb` to its end; fails with its output.
pub(crate) async fn run_to_end(launch: &Launch) -> Result<()> {
    let mut command = launch.tied_command();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let output = spawn_tied(command).await?.wait_with_output().await?;
    if output.status.success() {
        return Ok(());
    }
    bail!(
        "{} failed ({}): {}{}",
        launch.program.display(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr).trim_end()
    )
}

/// Finds an installed program by name.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(EXTRA_PROGRAM_FOLDERS.iter().map(PathBuf::from))
        .map(|folder| folder.join(OsStr::new(name)))
        .find(|candidate| {
            fs::metadata(candidate).is_ok_and(|metadata| {
                metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
            })
        })
}
