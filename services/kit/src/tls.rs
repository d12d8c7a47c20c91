//! Mutual TLS between the services: both sides prove their names.
//!
//! One certificate authority serves the whole system. Every process has a certificate from it,
//! whose DNS names tell which process it is (`wallet`, `gateway`, `adfolioctl`); [`crate::policy`]
//! lists the same names. A client verifies the service's name, never its address, so addresses may
//! change. TLS 1.3 only and without resumption: every connection presents a currently valid
//! certificate.
//!
//! The files are read again when a connection is made, so a replaced certificate takes effect
//! without a restart. Unusable files (half written, wrong key) leave the last good ones in force.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_rustls::{TlsAcceptor, TlsConnector, client, rustls, server};
use tracing::{info, warn};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::config::{ConfigError, TlsArgs};
use crate::refusal::chain;

/// Shortest time between two checks of the files.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// gRPC is HTTP/2.
const PROTOCOL: &[u8] = b"h2";

const CERT_FILE: &str = "TLS_CERT_FILE";
const KEY_FILE: &str = "TLS_KEY_FILE";
const CA_FILE: &str = "TLS_CA_FILE";

impl TlsArgs {
    /// Loads the files; none if TLS is off.
    pub fn load(&self) -> Result<Option<Tls>, ConfigError> {
        let (cert, key, ca) = match (&self.tls_cert_file, &self.tls_key_file, &self.tls_ca_file) {
            (None, None, None) => return Ok(None),
            (Some(cert), Some(key), Some(ca)) => (cert.clone(), key.clone(), ca.clone()),
            _ => return Err(ConfigError::IncompleteTls),
        };
        let files = Files { cert, key, ca };
        let loaded = files.load()?;
        Ok(Some(Tls(Arc::new(Shared {
            files,
            loaded: RwLock::new(Arc::new(loaded)),
            looked_at: Mutex::new(Instant::now()),
        }))))
    }
}

/// A process's certificate and the authority it trusts, as new as their files. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tls(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    files: Files,
    loaded: RwLock<Arc<Loaded>>,
    looked_at: Mutex<Instant>,
}

impl Tls {
    /// Accepts a connection from a client with a certificate of the authority.
    pub(crate) async fn accept<S>(&self, stream: S) -> io::Result<server::TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let config = Arc::clone(&self.current().await.server);
        TlsAcceptor::from(config).accept(stream).await
    }

    /// Connects to a server that proves to be `name`.
    pub(crate) async fn connect<S>(
        &self,
        name: ServerName<'static>,
        stream: S,
    ) -> io::Result<client::TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let config = Arc::clone(&self.current().await.client);
        TlsConnector::from(config).connect(name, stream).await
    }

    /// The contents of the files, or their last good contents.
    async fn current(&self) -> Arc<Loaded> {
        if self.is_due() {
            let shared = Arc::clone(&self.0);
            // A panic in there leaves the loaded files in force, too.
            let _ = tokio::task::spawn_blocking(move || shared.refresh()).await;
        }
        self.0.loaded()
    }

    /// Whether the files are due for a check; true for one caller at a time.
    fn is_due(&self) -> bool {
        let mut looked_at = self
            .0
            .looked_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let due = looked_at.elapsed() >= LOOK_INTERVAL;
        if due {
            *looked_at = Instant::now();
        }
        due
    }
}

impl Shared {
    fn loaded(&self) -> Arc<Loaded> {
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&loaded)
    }

    fn refresh(&self) {
        let read = self.files.read().and_then(|contents| {
            if contents.digest() == self.loaded().digest {
                return Ok(None);
            }
            self.files.parse(&contents).map(Some)
        });
        match read {
            Ok(None) => {}
            Ok(Some(fresh)) => {
                info!(certificate = %self.files.cert.display(), "certificates were replaced");
                *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(fresh);
            }
            Err(error) => {
                metrics::counter!("tls_reloads_failed_total").increment(1);
                warn!(
                    error = chain(&error),
                    "certificates cannot be read again; the last good ones stay in use"
                );
            }
        }
    }
}

/// The paths of the certificates.
#[derive(Debug)]
struct Files {
    cert: PathBuf,
    key: PathBuf,
    ca: PathBuf,
}

struct Contents {
    cert: Vec<u8>,
    key: Vec<u8>,
    ca: Vec<u8>,
}

impl Contents {
    /// Detects changed contents; the key itself is not kept.
    fn digest(&self) -> [u8; 32] {
        let parts = [&self.cert, &self.key, &self.ca].map(Sha256::digest);
        Sha256::digest(parts.concat()).into()
    }
}

/// One state of the files.
struct Loaded {
    digest: [u8; 32],
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
}

impl std::fmt::Debug for Loaded {
    /// Without the key.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Loaded").finish_non_exhaustive()
    }
}

impl Files {
    fn load(&self) -> Result<Loaded, ConfigError> {
        self.parse(&self.read()?)
    }

    fn read(&self) -> Result<Contents, ConfigError> {
        let read = |path: &Path| {
            std::fs::read(path).map_err(|source| ConfigError::Unreadable {
                path: path.to_owned(),
                source,
            })
        };
        Ok(Contents {
            cert: read(&self.cert)?,
            key: read(&self.key)?,
            ca: read(&self.ca)?,
        })
    }

    fn parse(&self, contents: &Contents) -> Result<Loaded, ConfigError> {
        let chain = certificates(CERT_FILE, &self.cert, &contents.cert)?;
        let key = PrivateKeyDer::from_pem_slice(&contents.key)
            .map_err(|_| unusable(KEY_FILE, &self.key, "a private key in PEM"))?;
        let mut roots = RootCertStore::empty();
        for authority in certificates(CA_FILE, &self.ca, &contents.ca)? {
            roots
                .add(authority)
                .map_err(|_| unusable(CA_FILE, &self.ca, "an authority's certificate in PEM"))?;
        }
        let mismatch = |_| unusable(KEY_FILE, &self.key, "the private key of TLS_CERT_FILE");
        let provider = Arc::new(ring::default_provider());
        record_expiry(&chain);
        Ok(Loaded {
            digest: contents.digest(),
            server: server_config(&provider, &roots, chain.clone(), key.clone_key())
                .map(Arc::new)
                .map_err(mismatch)?,
            client: client_config(&provider, roots, chain, key)
                .map(Arc::new)
                .map_err(mismatch)?,
        })
    }
}

/// Records when this process's identity expires: with the first certificate of its chain.
#[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
fn record_expiry(chain: &[CertificateDer<'_>]) {
    let expiries = chain.iter().filter_map(|certificate| {
        let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
        Some(parsed.validity().not_after.timestamp())
    });
    if let Some(first) = expiries.min() {
        metrics::gauge!("tls_certificate_expiry_timestamp_seconds").set(first as f64);
    }
}

/// The certificates of a PEM file: at least one.
fn certificates(
    name: &'static str,
    path: &Path,
    pem: &[u8],
) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let invalid = || unusable(name, path, "a certificate in PEM");
    let found: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|_| invalid())?;
    if found.is_empty() {
        Err(invalid())
    } else {
        Ok(found)
    }
}

fn unusable(name: &'static str, path: &Path, expected: &'static str) -> ConfigError {
    ConfigError::UnusableFile {
        name,
        path: path.to_owned(),
        expected,
    }
}

fn server_config(
    provider: &Arc<CryptoProvider>,
    roots: &RootCertStore,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig, rustls::Error> {
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots.clone()), Arc::clone(provider))
            .build()
            .map_err(|error| rustls::Error::General(error.to_string()))?;
    let mut config = ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    // A resumed session would not verify the certificate again, which may have expired since.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}

fn client_config(
    provider: &Arc<CryptoProvider>,
    roots: RootCertStore,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<ClientConfig, rustls::Error> {
    let mut config = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key)?;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// The DNS names of a verified certificate: its owner's identity.
pub(crate) fn names_of(certificate: &CertificateDer<'_>) -> Vec<String> {
    webpki::EndEntityCert::try_from(certificate).map_or_else(
        |_| Vec::new(),
        |parsed| parsed.valid_dns_names().map(str::to_owned).collect(),
    )
}
