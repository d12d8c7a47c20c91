//! `adfolio-local` as people and scripts use it.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

use crate::helpers::{assert_nothing_left, eventually, processes_of};

fn adfolio_local(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adfolio-local"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.kill_on_drop(true);
    command
}

async fn output(command: &mut Command) -> (Output, String) {
    let output = command.output().await.unwrap();
    let text =
        String::from_utf8_lossy(&[output.stdout.as_slice(), output.stderr.as_slice()].concat())
            .into_owned();
    (output, text)
}

/// A running `with-servers` below a temporary folder.
async fn running_servers(temporary: &Path) -> Child {
    let child = adfolio_local(&["with-servers", "--", "sleep", "600"])
        .env("TMPDIR", temporary)
        .spawn()
        .unwrap();
    eventually("the command runs", || async {
        processes_of(temporary).iter().any(|process| {
            let command = process.split_once(' ').map(|(_, command)| command);
            command == Some("sleep 600 ")
        })
    })
    .await;
    child
}

fn temporary_folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    tempfile::Builder::new()
        .prefix("adfolio-test-")
        .permissions(std::fs::Permissions::from_mode(0o755))
        .tempdir()
        .unwrap()
}

fn signal(child: &Child, signal: Signal) {
    kill(
        Pid::from_raw(child.id().unwrap().try_into().unwrap()),
        signal,
    )
    .unwrap();
}

#[tokio::test]
async fn with_servers_runs_the_command_beside_both_and_exits_as_it_did() {
    let script = r#"case "$DATABASE_URL $AMQP_URL" in postgres://*amqp://*) exit 7 ;; esac"#;
    let (output, text) = output(&mut adfolio_local(&[
        "with-servers",
        "--",
        "sh",
        "-c",
        script,
    ]))
    .await;
    assert_eq!(output.status.code(), Some(7), "{text}");
}

#[tokio::test]
async fn an_interrupted_run_leaves_nothing() {
    let temporary = temporary_folder();
    let mut child = running_servers(temporary.path()).await;
    signal(&child, Signal::SIGINT);
    assert_ne!(child.wait().await.unwrap().code(), Some(0));
    assert_eq!(processes_of(temporary.path()), Vec::<String>::new());
    assert_eq!(
        std::fs::read_dir(temporary.path()).unwrap().count(),
        0,
        "temporary files are left"
    );
}

#[tokio::test]
async fn a_killed_supervisor_takes_everything_with_it() {
    let temporary = temporary_folder();
    let mut child = running_servers(temporary.path()).await;
    signal(&child, Signal::SIGKILL);
    child.wait().await.unwrap();
    assert_nothing_left(temporary.path()).await;
}

#[tokio::test]
async fn a_port_in_use_is_one_clear_line() {
    let data = temporary_folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (output, text) = output(
        adfolio_local(&["up", "--pg-port", &port])
            .env("ADFOLIO_DATA", data.path())
            .env_remove("DATABASE_URL")
            .env_remove("AMQP_URL"),
    )
    .await;
    assert_eq!(output.status.code(), Some(1));
    let complaint = format!("port {port} for PostgreSQL is in use: ");
    assert!(text.lines().last().unwrap().contains(&complaint), "{text}");
}

#[tokio::test]
async fn down_without_up_says_so() {
    let data = temporary_folder();
    let (output, text) = output(adfolio_local(&["down"]).env("ADFOLIO_DATA", data.path())).await;
    assert_eq!(output.status.code(), Some(0));
    assert!(text.starts_with("nothing runs"), "{text}");
}
