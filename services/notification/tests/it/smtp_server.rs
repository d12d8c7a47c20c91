//! A mail server on real sockets, with TLS, that a test can make misbehave.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use adfolio_testkit::eventually;
use mailin::{Action, AuthMechanism, Handler, Response, Session, SessionBuilder, response};
use mailparse::MailHeaderMap as _;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

const USER: &str = "adfolio";
const PASSWORD: &str = "correct:horse@battery";

/// How a connection becomes encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// From its first byte.
    Implicit,
    /// On request.
    StartTls,
    /// Never.
    None,
}

/// What the server does with mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    #[default]
    Accepting,
    /// 550, for every recipient.
    Refusing,
    /// 451, for every recipient.
    Deferring,
    /// 535, for every login.
    Distrusting,
    /// Takes a mail and breaks off before it says so.
    BreakingOff,
    /// Takes a mail and does not say so.
    Silent,
}

/// A mail that arrived.
#[derive(Clone, Debug)]
pub struct Arrived {
    pub to: Vec<String>,
    raw: Vec<u8>,
}

impl Arrived {
    pub fn header(&self, name: &str) -> String {
        let parsed = mailparse::parse_mail(&self.raw).expect("a mail");
        parsed.headers.get_first_value(name).unwrap_or_default()
    }

    pub fn body(&self) -> String {
        let parsed = mailparse::parse_mail(&self.raw).expect("a mail");
        assert!(parsed.subparts.is_empty());
        let body = parsed.get_body().expect("a text");
        // SMTP ends a mail with a line of its own.
        body.replace("\r\n", "\n").trim_end().to_owned()
    }
}

#[derive(Debug, Default)]
struct State {
    mood: Mutex<Mood>,
    arrived: Mutex<Vec<Arrived>>,
    logins: AtomicUsize,
}

/// The server.
pub struct SmtpServer {
    pub address: SocketAddr,
    encryption: Encryption,
    files: TempDir,
    acceptor: TlsAcceptor,
    state: Arc<State>,
    serving: Option<JoinHandle<()>>,
}

impl SmtpServer {
    /// Serves with TLS from the first byte.
    pub async fn start() -> Self {
        Self::with(Encryption::Implicit).await
    }

    pub async fn with(encryption: Encryption) -> Self {
        let files = tempfile::tempdir().expect("a folder");
        let acceptor = acceptor(&files);
        let mut server = Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            encryption,
            files,
            acceptor,
            state: Arc::default(),
            serving: None,
        };
        server.come_back().await;
        server
    }

    /// The authority of its certificate.
    pub fn ca_file(&self) -> PathBuf {
        self.files.path().join("ca.pem")
    }

    pub fn url(&self) -> String {
        let password = PASSWORD.replace(':', "%3A").replace('@', "%40");
        let (scheme, tls) = match self.encryption {
            Encryption::Implicit => ("smtps", ""),
            Encryption::StartTls | Encryption::None => ("smtp", "?tls=required"),
        };
        format!("{scheme}://{USER}:{password}@{}{tls}", self.address)
    }

    pub fn be(&self, mood: Mood) {
        *self.state.mood.lock().expect("no panic") = mood;
    }

    /// Ends the server and every connection.
    pub async fn go_away(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
            let _ = serving.await;
        }
    }

    /// Listens, on the address of before if there was one.
    pub async fn come_back(&mut self) {
        let listener = TcpListener::bind(self.address).await.expect("the port");
        self.address = listener.local_addr().expect("an address");
        let (acceptor, state, encryption) = (
            self.acceptor.clone(),
            Arc::clone(&self.state),
            self.encryption,
        );
        self.serving = Some(tokio::spawn(async move {
            // Ends with this task.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, state) = (acceptor.clone(), Arc::clone(&state));
                connections.spawn(async move {
                    let _ = serve(stream, encryption, acceptor, state).await;
                });
            }
        }));
    }

    pub fn arrived(&self) -> Vec<Arrived> {
        self.lock().clone()
    }

    /// Waits for so many mails; there must not be more.
    pub async fn wait_for(&self, count: usize) -> Vec<Arrived> {
        eventually(&format!("{count} mails have arrived"), || async {
            self.lock().len() >= count
        })
        .await;
        let arrived = self.arrived();
        assert_eq!(arrived.len(), count);
        arrived
    }

    /// How many mails arrived with each Message-ID.
    pub fn by_message_id(&self) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for arrived in self.arrived() {
            *counts.entry(arrived.header("Message-ID")).or_default() += 1;
        }
        counts
    }

    /// Logins with the right password.
    pub fn logins(&self) -> usize {
        self.state.logins.load(Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arrived>> {
        self.state.arrived.lock().expect("no panic")
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

/// A certificate of its own authority, whose certificate is written beside.
fn acceptor(files: &TempDir) -> TlsAcceptor {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
    std::fs::write(files.path().join("ca.pem"), authority.pem()).expect("a file");
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("an address");
    let certificate = params.signed_by(&key, &authority).expect("a certificate");
    let certificate = CertificateDer::from_pem_slice(certificate.pem().as_bytes()).expect("PEM");
    let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).expect("PEM");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a certificate and its key");
    TlsAcceptor::from(Arc::new(config))
}

/// What became of a conversation.
enum End {
    Over,
    StartTls,
}

async fn serve(
    stream: TcpStream,
    encryption: Encryption,
    acceptor: TlsAcceptor,
    state: Arc<State>,
) -> std::io::Result<()> {
    let mut builder = SessionBuilder::new("mail.test");
    builder.enable_auth(AuthMechanism::Plain);
    if encryption == Encryption::StartTls {
        builder.enable_start_tls();
    }
    let handler = Desk {
        state: Arc::clone(&state),
        to: Vec::new(),
        raw: Vec::new(),
    };
    let mut session = builder.build(IpAddr::V4(Ipv4Addr::LOCALHOST), handler);
    if encryption == Encryption::Implicit {
        session.tls_active();
        let mut stream = BufReader::new(acceptor.accept(stream).await?);
        greet(&mut stream, &session).await?;
        converse(&mut stream, &mut session, &state).await?;
        return Ok(());
    }
    let mut stream = BufReader::new(stream);
    greet(&mut stream, &session).await?;
    if let End::StartTls = converse(&mut stream, &mut session, &state).await? {
        let mut stream = BufReader::new(acceptor.accept(stream.into_inner()).await?);
        session.tls_active();
        converse(&mut stream, &mut session, &state).await?;
    }
    Ok(())
}

async fn greet<S: AsyncWrite + Unpin>(
    stream: &mut S,
    session: &Session<Desk>,
) -> std::io::Result<()> {
    stream.write_all(&session.greeting().buffer()?).await?;
    stream.flush().await
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut BufReader<S>,
    session: &mut Session<Desk>,
    state: &State,
) -> std::io::Result<End> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if stream.read_until(b'\n', &mut line).await? == 0 {
            return Ok(End::Over);
        }
        let before = state.arrived.lock().expect("no panic").len();
        let answer = session.process(&line);
        let has_taken = state.arrived.lock().expect("no panic").len() > before;
        let mood = *state.mood.lock().expect("no panic");
        match (has_taken, mood) {
            (true, Mood::BreakingOff) => return Ok(End::Over),
            (true, Mood::Silent) => std::future::pending().await,
            _ => {}
        }
        if answer.action != Action::NoReply {
            stream.write_all(&answer.buffer()?).await?;
            stream.flush().await?;
        }
        match answer.action {
            Action::Close => return Ok(End::Over),
            Action::UpgradeTls => return Ok(End::StartTls),
            Action::Reply | Action::NoReply => {}
        }
    }
}

/// Decides about logins and recipients, and keeps what arrives.
struct Desk {
    state: Arc<State>,
    to: Vec<String>,
    raw: Vec<u8>,
}

impl Desk {
    fn mood(&self) -> Mood {
        *self.state.mood.lock().expect("no panic")
    }
}

impl Handler for Desk {
    fn auth_plain(&mut self, _: &str, user: &str, password: &str) -> Response {
        if self.mood() == Mood::Distrusting || (user, password) != (USER, PASSWORD) {
            return response::INVALID_CREDENTIALS;
        }
        self.state.logins.fetch_add(1, Ordering::SeqCst);
        response::AUTH_OK
    }

    fn rcpt(&mut self, to: &str) -> Response {
        match self.mood() {
            Mood::Refusing => Response::custom(550, format!("5.1.1 <{to}>: no such user")),
            Mood::Deferring => Response::custom(451, format!("4.7.1 <{to}>: try again later")),
            _ => response::OK,
        }
    }

    fn data_start(&mut self, _: &str, _: &str, _: bool, to: &[String]) -> Response {
        to.clone_into(&mut self.to);
        self.raw.clear();
        response::OK
    }

    fn data(&mut self, line: &[u8]) -> std::io::Result<()> {
        self.raw.extend_from_slice(line);
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let arrived = Arrived {
            to: std::mem::take(&mut self.to),
            raw: std::mem::take(&mut self.raw),
        };
        self.state.arrived.lock().expect("no panic").push(arrived);
        response::OK
    }
}
