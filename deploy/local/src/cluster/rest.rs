//! Requests to the REST interfaces of Patroni and etcd.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// 200 if the member knows a leader.
pub(super) const ETCD_HEALTH: &str = "/health";

/// Limit of a question. A frozen or cut-off machine answers nothing.
const QUESTION_LIMIT: Duration = Duration::from_secs(2);

/// An answer: its status and its body.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: String,
}

/// Asks; none if nothing answers in time.
pub(super) async fn get(address: SocketAddr, path: &str) -> Option<Answer> {
    let request = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n");
    let asked = timeout(QUESTION_LIMIT, exchange(address, &request)).await;
    asked.ok()?.ok()
}

/// Sends a command, which must be answered within `limit`.
pub(super) async fn send(
    address: SocketAddr,
    (method, path): (&str, &str),
    body: &Value,
    (user, password): (&str, &str),
    limit: Duration,
) -> Result<Answer> {
    let body = body.to_string();
    let login = BASE64_STANDARD.encode(format!("{user}:{password}"));
    let request = format!(
        "{method} {path} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Basic {login}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    timeout(limit, exchange(address, &request))
        .await
        .with_context(|| format!("{method} {path} is not answered within {limit:?}"))?
}

/// In HTTP 1.0 the server ends the connection after its answer.
async fn exchange(address: SocketAddr, request: &str) -> Result<Answer> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .context("the answer has no body")?;
    let status = head.split(' ').nth(1).context("the answer has no status")?;
    Ok(Answer {
        status: status.parse()?,
        body: body.to_owned(),
    })
}
