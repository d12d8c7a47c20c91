//! Readiness probes of components.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use url::Url;

use crate::process::{Launch, spawn_tied};

/// Limit of a probe, so that a hanging server is probed again.
const LOOK_LIMIT: Duration = Duration::from_secs(2);
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A condition that a started component reaches.
#[derive(Clone, Debug)]
pub(crate) enum Probe {
    /// PostgreSQL answers a query.
    Postgres(Url),
    /// RabbitMQ opens the AMQP handshake.
    Amqp(SocketAddr),
    /// A node of RabbitMQ opens the AMQP handshake and is not in a minority. The command prints the nodes that it lost.
    BrokerNode(SocketAddr, Box<Launch>),
    /// `GET` of this path answers 200.
    Http(SocketAddr, &'static str),
    /// Something accepts connections.
    Tcp(SocketAddr),
    /// None: it runs once it is started, and nobody connects to it.
    Running,
}

impl Probe {
    /// Returns once the condition holds. The caller sets the limit.
    pub(crate) async fn wait(&self) {
        while !self.holds().await {
            sleep(LOOK_INTERVAL).await;
        }
    }

    /// Probes once.
    pub(crate) async fn holds(&self) -> bool {
        let look = async {
            match self {
                Self::Postgres(url) => postgres_answers(url).await.is_some(),
                Self::Amqp(address) => amqp_answers(*address).await.is_some(),
                Self::BrokerNode(address, partitions) => {
                    amqp_answers(*address).await.is_some() && !is_minority(partitions).await
                }
                Self::Http(address, path) => http_status(*address, path).await == Some(200),
                Self::Tcp(address) => TcpStream::connect(address).await.is_ok(),
                Self::Running => true,
            }
        };
        timeout(LOOK_LIMIT, look).await.unwrap_or(false)
    }
}

async fn postgres_answers(url: &Url) -> Option<()> {
    let options = PgConnectOptions::from_url(url)
        .ok()?
        .ssl_mode(PgSslMode::Prefer);
    let mut connection = options.connect().await.ok()?;
    connection.ping().await.ok()?;
    connection.close().await.ok()
}

/// The broker opens its listeners last, so the first frame of its handshake (a method frame, type
/// 1) shows that it is up.
async fn amqp_answers(address: SocketAddr) -> Option<()> {
    const PROTOCOL_HEADER: &[u8; 8] = b"AMQP\x00\x00\x09\x01";
    const METHOD_FRAME: u8 = 1;
    let mut stream = TcpStream::connect(address).await.ok()?;
    stream.write_all(PROTOCOL_HEADER).await.ok()?;
    (stream.read_u8().await.ok()? == METHOD_FRAME).then_some(())
}

/// Whether a node of a cluster of three lost the other two and goes on alone: one that was frozen may, since it learns
/// that it was given up only after it sees the others again.
async fn is_minority(partitions: &Launch) -> bool {
    const OTHERS: usize = 2;
    count_nodes(partitions)
        .await
        .is_ok_and(|nodes| nodes >= OTHERS)
}

/// The number of Erlang's nodes in the answer of a command, which must come within [`LOOK_LIMIT`].
pub(crate) async fn count_nodes(question: &Launch) -> Result<usize> {
    let mut command = question.tied_command();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let answer = spawn_tied(command).await?.wait_with_output();
    let answer = timeout(LOOK_LIMIT, answer).await.context("no answer")??;
    // Each name has one such sign.
    Ok(String::from_utf8_lossy(&answer.stdout).matches('@').count())
}

/// Status of a plain `GET`, enough for health checks on loopback.
pub(crate) async fn http_status(address: SocketAddr, path: &str) -> Option<u16> {
    const STATUS_LINE_START: usize = "HTTP/1.1 200".len();
    let mut stream = TcpStream::connect(address).await.ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut start = [0; STATUS_LINE_START];
    stream.read_exact(&mut start).await.ok()?;
    std::str::from_utf8(&start)
        .ok()?
        .split(' ')
        .nth(1)?
        .parse()
        .ok()
}
