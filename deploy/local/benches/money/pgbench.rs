//! The performance of the machine's PostgreSQL alone.

use std::path::PathBuf;
use std::time::Duration;

use adfolio_local::Stack;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::process::Command;
use url::Url;

use crate::rounds::{Measurement, Outcome};

const SCALE: &str = "16";
const CLIENTS: &str = "16";

/// Transactions of `pgbench`'s TPC-B-like script, in a database of its own.
pub async fn prepare(stack: &Stack) -> Measurement {
    let mut url: Url = stack.database_base_url().parse().unwrap();
    let mut connection = PgConnection::connect(url.as_str()).await.unwrap();
    connection.execute("CREATE DATABASE pgbench").await.unwrap();
    url.set_path("pgbench");
    pgbench(&["-i", "-q", "-s", SCALE, url.as_str()]).await;
    Measurement::new("pgbench", move |duration| {
        Box::pin(measure(url.clone(), duration))
    })
}

async fn measure(url: Url, duration: Duration) -> Outcome {
    // It knows whole seconds only.
    let seconds = duration.as_secs().max(1).to_string();
    let output = pgbench(&["-c", CLIENTS, "-j", "2", "-T", &seconds, url.as_str()]).await;
    let per_second = number_after(&output, "tps = ");
    Outcome {
        figures: vec![("per_second", per_second)],
        operations: number_after(&output, "number of transactions actually processed: ") as usize,
    }
}

fn number_after(output: &str, label: &str) -> f64 {
    let mut lines = output.lines();
    let rest = lines.find_map(|line| line.strip_prefix(label));
    let rest = rest.unwrap_or_else(|| panic!("pgbench does not print {label:?}: {output}"));
    rest.split_whitespace().next().unwrap().parse().unwrap()
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
