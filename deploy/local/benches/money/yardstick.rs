//! The performance of the machine's PostgreSQL alone.

use std::path::PathBuf;

use adfolio_local::Stack;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::process::Command;
use url::Url;

const SCALE: &str = "16";
const CLIENTS: &str = "16";
const SECONDS: &str = "15";

/// Transactions per second of `pgbench`'s TPC-B-like script.
pub async fn tpc_b(stack: &Stack) -> f64 {
    let mut url: Url = stack.database_base_url().parse().unwrap();
    let mut connection = PgConnection::connect(url.as_str()).await.unwrap();
    connection
        .execute("CREATE DATABASE yardstick")
        .await
        .unwrap();
    url.set_path("yardstick");
    pgbench(&["-i", "-q", "-s", SCALE, url.as_str()]).await;
    let output = pgbench(&["-c", CLIENTS, "-j", "2", "-T", SECONDS, "-n", url.as_str()]).await;
    connection.execute("DROP DATABASE yardstick").await.unwrap();
    let line = output
        .lines()
        .find(|line| line.starts_with("tps ="))
        .expect("pgbench tells its rate");
    line.split_whitespace().nth(2).unwrap().parse().unwrap()
}

async fn pgbench(arguments: &[&str]) -> String {
    let output = Command::new(program())
        .args(arguments)
        .output()
        .await
        .expect("pgbench runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Debian installs it with the servers, newest version last.
fn program() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut programs: Vec<PathBuf> = versions
        .map(|version| version.path().join("bin/pgbench"))
        .filter(|program| program.exists())
        .collect();
    programs.sort();
    programs.pop().unwrap_or_else(|| PathBuf::from("pgbench"))
}
