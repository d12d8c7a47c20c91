//! TLS to a named service.

use std::io;

use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::{client::TlsStream, rustls};
use tracing::warn;

use crate::config::ConfigError;
use crate::tls::Tls;

/// TLS to one service, known by its name.
#[derive(Clone, Debug)]
pub(super) struct Secured {
    tls: Tls,
    name: ServerName<'static>,
}

impl Secured {
    /// Accepts only certificates of `service`.
    pub(super) fn new(tls: &Tls, service: &'static str) -> Result<Self, ConfigError> {
        let name = ServerName::try_from(service).map_err(|_| ConfigError::Invalid {
            name: "the name of a service",
            expected: "a DNS name",
        })?;
        Ok(Self {
            tls: tls.clone(),
            name,
        })
    }

    /// Starts TLS on a connection.
    pub(super) async fn connect(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let connected = self.tls.connect(self.name.clone(), stream).await;
        if let Err(error) = &connected {
            // A restarting replica also ends connections; a wrong certificate stays wrong until
            // somebody acts.
            if error.kind() == io::ErrorKind::InvalidData {
                warn!(service = ?self.name, %error, "a replica did not prove to be the service");
            }
        }
        connected
    }
}
