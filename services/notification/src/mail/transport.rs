//! The ways out: a mail server with TLS, or files.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lettre::message::{Mailbox, Message};
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Category;
use lettre::transport::smtp::{Error, PoolConfig};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use secrecy::{ExposeSecret as _, SecretString};
use tracing::warn;
use url::Url;

use super::config::{MailConfigError, Target};
use super::entity::{Failure, Undelivered};
use super::worker::AT_ONCE;
use crate::ids::MailId;

/// The longest that one command may take.
const COMMAND_LIMIT: Duration = Duration::from_secs(10);

/// An unused connection is closed after this.
const IDLE_LIMIT: Duration = Duration::from_mins(1);

/// Only the account of this process reads mail as files.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// A way out.
#[derive(Debug)]
pub enum Transport {
    Smtp(Box<AsyncSmtpTransport<Tokio1Executor>>),
    Files(PathBuf),
}

impl Transport {
    /// Checks the way without using it: a mail server may be away when this process starts.
    pub fn open(target: Target, from: &Mailbox) -> Result<Self, MailConfigError> {
        match target {
            Target::Smtp { url, ca } => {
                let server = connect(&url, ca.as_deref(), from).map_err(MailConfigError::Tls)?;
                Ok(Self::Smtp(Box::new(server)))
            }
            Target::Files(folder) => {
                let mut builder = DirBuilder::new();
                let made = builder.recursive(true).mode(FOLDER_MODE).create(&folder);
                made.map_err(MailConfigError::Folder)?;
                Ok(Self::Files(folder))
            }
        }
    }

    /// Sends a mail, or says whether to try again.
    pub async fn send(&self, id: MailId, message: Message) -> Result<(), Undelivered> {
        match self {
            Self::Smtp(server) => match server.send(message).await {
                Ok(_) => Ok(()),
                Err(error) => Err(undelivered(id, &error)),
            },
            Self::Files(folder) => {
                let (folder, bytes) = (folder.clone(), message.formatted());
                let written = tokio::task::spawn_blocking(move || write(&folder, id, &bytes)).await;
                let failed = match written {
                    Ok(Ok(())) => return Ok(()),
                    Ok(Err(error)) => error,
                    Err(error) => io::Error::other(error),
                };
                warn!(%id, error = %failed, "mail cannot be written");
                Err(Undelivered::Again(Failure::FileFailed))
            }
        }
    }
}

fn connect(
    url: &SecretString,
    ca: Option<&[u8]>,
    from: &Mailbox,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, Error> {
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose_secret())?
        .hello_name(ClientId::Domain(from.email.domain().to_owned()))
        .timeout(Some(COMMAND_LIMIT))
        .pool_config(PoolConfig::new().max_size(AT_ONCE).idle_timeout(IDLE_LIMIT));
    // What parsed as a URL a moment ago does so again.
    if let (Some(ca), Ok(url)) = (ca, Url::parse(url.expose_secret())) {
        let host = url.host_str().unwrap_or_default();
        let tls = TlsParameters::builder(host.to_owned())
            .add_root_certificate(Certificate::from_pem(ca)?)
            .build_rustls()?;
        builder = builder.tls(if url.scheme() == "smtps" {
            Tls::Wrapper(tls)
        } else {
            Tls::Required(tls)
        });
    }
    Ok(builder.build())
}

/// What an error means for the mail. What the server said is not logged, because it repeats addresses; its code is.
fn undelivered(id: MailId, error: &Error) -> Undelivered {
    let code = error.status();
    let outcome = match code {
        // 530, 534, 535 and the like are about this client's login, not about the mail.
        Some(code) if code.category == Category::Unspecified3 => {
            Undelivered::Again(Failure::LoginRefused)
        }
        Some(code) if error.is_permanent() && code.category == Category::MailSystem => {
            Undelivered::Never(Failure::Refused)
        }
        Some(_) => Undelivered::Again(Failure::Deferred),
        None if error.is_timeout() => Undelivered::Again(Failure::TimedOut),
        None if error.is_tls() => Undelivered::Again(Failure::TlsFailed),
        None if error.is_client() => Undelivered::Again(Failure::ServerUnsuitable),
        None => Undelivered::Again(Failure::ServerUnavailable),
    };
    let code = code.map(|code| code.to_string()).unwrap_or_default();
    warn!(%id, code, ?outcome, "mail was not sent");
    outcome
}

/// Writes a mail under its id: as a whole or not at all, and the same mail again over itself.
fn write(folder: &Path, id: MailId, bytes: &[u8]) -> io::Result<()> {
    let part = folder.join(format!("{id}.part"));
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(true);
    let mut file = options.mode(FILE_MODE).open(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&part, folder.join(format!("{id}.eml")))
}
