//! `adfolio-<service> healthcheck`: asks the process beside it whether it is ready, for whoever supervises containers. An image
//! without a shell has nothing else to ask with.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::config::exit_with;

/// The command's name, as the first argument of every service.
pub const COMMAND: &str = "healthcheck";

/// The only configuration that it needs.
const ADDRESS_VARIABLE: &str = "ADMIN_ADDR";

/// More than the admin port takes for its checks, and less than any supervisor waits.
const LIMIT: Duration = Duration::from_secs(4);

/// What an answer may have at most; the real one is a line.
const ANSWER_BYTES: u64 = 16 * 1024;

/// Asks the admin port that the environment names; what it lacks goes to standard error.
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

/// Why a process does not count as healthy.
#[derive(Debug, thiserror::Error)]
pub enum Unhealthy {
    /// Nobody answers at the admin port.
    #[error("the admin port {address} does not answer")]
    NoAnswer {
        /// Where it was asked.
        address: SocketAddr,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// The admin port took too long.
    #[error("the admin port {0} did not answer in time")]
    TooLate(SocketAddr),
    /// It answered that it is not ready.
    #[error("{0}")]
    NotReady(String),
}

/// Asks the admin port at `address` whether the process is ready, within four seconds.
///
/// # Errors
///
/// Whenever it is not, or does not say so.
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

/// A listener on all addresses is asked at the own one.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// The whole answer: with this version of the protocol it ends with the connection.
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

#[cfg(test)]
mod tests {
    use super::reachable;

    #[test]
    fn a_listener_on_all_addresses_is_asked_at_the_own_one() {
        let asked = |text: &str| reachable(text.parse().unwrap()).to_string();
        assert_eq!(asked("0.0.0.0:9090"), "127.0.0.1:9090");
        assert_eq!(asked("[::]:9090"), "[::1]:9090");
        assert_eq!(asked("10.0.0.7:9090"), "10.0.0.7:9090");
    }
}
