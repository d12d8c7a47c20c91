//! `adfolio-<service> healthcheck`: asks the process in the same container whether it is ready, for
//! container supervisors. An image without a shell has no other way to ask.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::config::exit_with;

/// The command: the first argument of every service.
pub const COMMAND: &str = "healthcheck";

/// The only configuration it needs.
const ADDRESS_VARIABLE: &str = "ADMIN_ADDR";

/// Longer than the admin port's own checks, shorter than any supervisor waits.
const LIMIT: Duration = Duration::from_secs(4);

/// Most bytes of an answer; the real one is a line.
const ANSWER_BYTES: u64 = 16 * 1024;

/// Asks the admin port named by the environment; failing checks go to standard error.
pub async fn main() -> ExitCode {
    let configured = std::env::var(ADDRESS_VARIABLE).unwrap_or_default();
    let Ok(address) = configured.parse() else {
        exit_with(&format!(
            "{ADDRESS_VARIABLE} must be set to the address of the admin port"
        ))
    };
    match ask(address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Why a process is not healthy.
#[derive(Debug, thiserror::Error)]
pub enum Unhealthy {
    /// The admin port does not answer.
    #[error("the admin port {address} does not answer")]
    NoAnswer {
        /// Its address.
        address: SocketAddr,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The admin port took too long.
    #[error("the admin port {0} did not answer in time")]
    TooLate(SocketAddr),
    /// The process is not ready.
    #[error("{0}")]
    NotReady(String),
}

/// Asks the admin port at `address` whether the process is ready, within four seconds.
///
/// # Errors
///
/// The process is not ready or gave no valid answer.
pub async fn ask(address: SocketAddr) -> Result<(), Unhealthy> {
    let address = reachable(address);
    let answer = match timeout(LIMIT, get_readiness(address)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(source)) => return Err(Unhealthy::NoAnswer { address, source }),
        Err(_) => return Err(Unhealthy::TooLate(address)),
    };
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split_whitespace().nth(1);
    if status == Some("200") {
        Ok(())
    } else {
        Err(Unhealthy::NotReady(body.trim().to_owned()))
    }
}

/// Where a listener on `address` is asked: at the loopback address if it listens on all addresses.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// The whole answer: in HTTP/1.0 it ends with the connection.
async fn get_readiness(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /readyz HTTP/1.0\r\n\r\n").await?;
    let mut answer = String::new();
    stream
        .take(ANSWER_BYTES)
        .read_to_string(&mut answer)
        .await?;
    Ok(answer)
}
