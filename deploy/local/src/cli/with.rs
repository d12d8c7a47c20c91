//! Running a command together with servers started for it.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitCode, ExitStatus};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::Child;
use tokio::time::timeout;

use super::options::ContentOptions;
use super::signals::{INTERRUPTED, Interrupts};
use crate::builder::StackBuilder;
use crate::component::Service;
use crate::process::{Launch, spawn_tied};
use crate::stack::Stack;

/// How long an interrupted command may clean up.
const TIDY_LIMIT: Duration = Duration::from_secs(15);
/// Shells add this to a signal's number to form the exit code.
const SIGNAL_CODE_BASE: i32 = 128;

/// A command and its arguments.
#[derive(Debug, Args)]
pub(super) struct CommandLine {
    /// The command to run, after `--`.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// A command that needs a whole stack.
#[derive(Debug, Args)]
pub(super) struct StackCommand {
    #[command(flatten)]
    content: ContentOptions,
    /// Let PostgreSQL wait for the disk at every commit, as measurements need it.
    #[arg(long)]
    durable: bool,
    #[command(flatten)]
    line: CommandLine,
}

/// Runs the command with a private PostgreSQL and RabbitMQ.
pub(super) async fn with_servers(line: CommandLine) -> Result<ExitCode> {
    beside(Stack::builder().services([]), line, |stack| {
        vec![
            ("DATABASE_URL".to_owned(), stack.database_base_url()),
            ("AMQP_URL".to_owned(), stack.amqp_url().to_owned()),
        ]
    })
    .await
}

/// Runs the command with a whole stack.
pub(super) async fn with_stack(command: StackCommand) -> Result<ExitCode> {
    let admin_password = command.content.admin_password.clone();
    let builder = Stack::builder()
        .demo(command.content.demo())
        .tls(command.content.tls())
        .durable(command.durable)
        .admin_password(admin_password.clone());
    beside(builder, command.line, |stack| {
        let mut variables = vec![
            ("ADFOLIO_URL".to_owned(), stack.url()),
            (
                "ADFOLIO_DATA".to_owned(),
                stack.data_dir().display().to_string(),
            ),
            ("ADFOLIO_ADMIN_PASSWORD".to_owned(), admin_password),
            ("DATABASE_URL".to_owned(), stack.database_base_url()),
            ("AMQP_URL".to_owned(), stack.amqp_url().to_owned()),
        ];
        if let Some(files) = stack.tls_files("adfolioctl") {
            for (name, path) in files.variables() {
                variables.push((name.to_owned(), path.display().to_string()));
            }
        }
        for service in Service::ALL {
            variables.push((service.url_variable(), stack.grpc_url(service)));
            variables.push((
                format!("{}_ADMIN_URL", service.name().to_uppercase()),
                stack.admin_url(service),
            ));
        }
        variables
    })
    .await
}

async fn beside(
    builder: StackBuilder,
    line: CommandLine,
    variables: impl FnOnce(&Stack) -> Vec<(String, String)>,
) -> Result<ExitCode> {
    let mut interrupts = Interrupts::listen()?;
    let stack = tokio::select! {
        stack = builder.start() => stack?,
        () = interrupts.next() => return Ok(ExitCode::from(INTERRUPTED)),
    };
    let variables = variables(&stack);
    let status = run_command(line, variables, &mut interrupts).await;
    stack.stop().await;
    Ok(exit_code(status?))
}

async fn run_command(
    line: CommandLine,
    variables: Vec<(String, String)>,
    interrupts: &mut Interrupts,
) -> Result<ExitStatus> {
    let mut words = line.command.into_iter();
    let program = words.next().context("there is no command to run")?;
    let folder = std::env::current_dir().context("the working directory is gone")?;
    let mut launch = Launch::new(&program, folder).args(words);
    launch.inherit_environment = true;
    launch.death_signal = Signal::SIGTERM;
    launch.environment = variables
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect();
    let mut command = launch.tied_command();
    command.kill_on_drop(true);
    let mut child = spawn_tied(command)
        .await
        .with_context(|| format!("cannot run {}", program.display()))?;
    tokio::select! {
        status = child.wait() => Ok(status?),
        () = interrupts.next() => end(&mut child).await,
    }
}

/// Forwards the interrupt: at a terminal the command has received the signal already, and a second
/// one does no harm.
async fn end(child: &mut Child) -> Result<ExitStatus> {
    if let Some(pid) = child.id() {
        // It may have exited meanwhile.
        let _ = kill(Pid::from_raw(i32::try_from(pid)?), Signal::SIGTERM);
    }
    if let Ok(status) = timeout(TIDY_LIMIT, child.wait()).await {
        return Ok(status?);
    }
    child.kill().await?;
    Ok(child.wait().await?)
}

fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| SIGNAL_CODE_BASE + signal))
        .and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
