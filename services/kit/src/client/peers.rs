//! The replicas behind the name of a service.
//!
//! tonic's own balancer sends calls to addresses that are down, and a call that fails to connect
//! has lost its body. Here a call only goes onto a live connection. As long as the call certainly
//! has not been seen by a replica, the next replica gets it, so an orderly restart causes no
//! errors. Once a replica may have seen it, it is not sent again here.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use http::{Request, Response, Uri, Version};
use http_body_util::BodyExt as _;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rand::seq::SliceRandom as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::io::InspectReader;
use tonic::Status;
use tonic::body::Body;
use tracing::debug;

use super::replay::Replayable;
use super::secured::Secured;
use crate::refusal::NOT_TAKEN;

/// How often a name is resolved again.
const RESOLVE_INTERVAL: Duration = Duration::from_secs(5);

/// How often a name without addresses is resolved again.
const RESOLVE_RETRY: Duration = Duration::from_millis(500);

/// Limit of a look-up.
const RESOLVE_LIMIT: Duration = Duration::from_secs(3);

/// Limit of connecting, including the server's first response.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);

/// An unreachable address is skipped for this long, unless there is no other.
const DOWN_TIME: Duration = Duration::from_millis(500);

/// Pings detect a frozen or vanished peer; its calls then fail.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// Limit of a ping's answer.
const KEEPALIVE_LIMIT: Duration = Duration::from_secs(5);

/// Most addresses of one name.
const MAX_ADDRESSES: usize = 64;

/// Flow-control window per call and per connection, in bytes.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;

/// All replicas of one service.
#[derive(Debug)]
pub(super) struct Peers {
    names: Vec<(String, u16)>,
    secured: Option<Secured>,
    known: RwLock<Vec<Arc<Peer>>>,
    turn: AtomicUsize,
}

impl Peers {
    /// The replicas behind these names and ports, with or without TLS.
    pub(super) fn new(names: Vec<(String, u16)>, secured: Option<Secured>) -> Self {
        // IP addresses need no look-up: the first call finds them.
        let given = names
            .iter()
            .filter_map(|(host, port)| Some(SocketAddr::new(host.parse().ok()?, *port)));
        let known = given
            .map(|address| Arc::new(Peer::new(address, secured.clone())))
            .collect();
        Self {
            names,
            secured,
            known: RwLock::new(known),
            // Clients that start together do not all begin with the same replica.
            turn: AtomicUsize::new(rand::random_range(0..MAX_ADDRESSES)),
        }
    }

    /// Keeps the set equal to what the names resolve to.
    pub(super) async fn keep_resolved(&self) {
        if self
            .names
            .iter()
            .all(|(host, _)| host.parse::<IpAddr>().is_ok())
        {
            return;
        }
        loop {
            self.resolve().await;
            let wait = if self.snapshot().is_empty() {
                RESOLVE_RETRY
            } else {
                RESOLVE_INTERVAL
            };
            tokio::time::sleep(wait).await;
        }
    }

    async fn resolve(&self) {
        let mut addresses = Vec::new();
        for (host, port) in &self.names {
            let looked_up = tokio::time::timeout(
                RESOLVE_LIMIT,
                tokio::net::lookup_host((host.as_str(), *port)),
            )
            .await;
            // Known addresses stay in use while name resolution fails.
            let Ok(Ok(found)) = looked_up else {
                debug!(host, "name does not resolve");
                return;
            };
            addresses.extend(found.take(MAX_ADDRESSES));
        }
        addresses.sort_unstable();
        addresses.dedup();
        let mut peers = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let known = std::mem::take(&mut *peers);
        *peers = addresses
            .into_iter()
            .map(|address| {
                let kept = known.iter().find(|peer| peer.address == address);
                kept.map_or_else(
                    || Arc::new(Peer::new(address, self.secured.clone())),
                    Arc::clone,
                )
            })
            .collect();
    }

    fn snapshot(&self) -> Vec<Arc<Peer>> {
        self.known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The replicas in the order to try them: the next in turn, then the others in random order so
    /// that failed-over calls spread, and those that were just unreachable last.
    fn candidates(&self) -> Vec<Arc<Peer>> {
        let (mut up, mut down): (Vec<_>, Vec<_>) = self
            .snapshot()
            .into_iter()
            .partition(|peer| !peer.is_down());
        if !up.is_empty() {
            let turn = self.turn.fetch_add(1, Ordering::Relaxed) % up.len();
            up.rotate_left(turn);
        }
        if let Some((_, others)) = up.split_first_mut() {
            others.shuffle(&mut rand::rng());
        }
        down.shuffle(&mut rand::rng());
        up.append(&mut down);
        up
    }

    /// Sends a call to one replica.
    pub(super) async fn send(&self, request: Request<Body>) -> Result<Response<Body>, Status> {
        if self.snapshot().is_empty() {
            self.resolve().await;
        }
        let mut call = Replayable::new(request).await?;
        let mut last = Status::unavailable("no address is known");
        let mut candidates = self.candidates();
        // Two rounds: a replica that was down a moment ago may be back while the others are
        // shutting down, as in a rolling restart.
        for when_down in [WhenDown::Skip, WhenDown::Try] {
            let mut left_alone = Vec::new();
            for peer in candidates {
                match peer.send(&mut call, when_down).await {
                    Ok(response) => return Ok(response),
                    Err(Unanswered::Sent(status)) => return Err(status),
                    Err(Unanswered::Unsent(status)) => last = status,
                    Err(Unanswered::LeftAlone) => left_alone.push(peer),
                }
            }
            candidates = left_alone;
        }
        Err(last)
    }
}

/// What to do with a replica that was just unreachable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenDown {
    /// Skip it.
    Skip,
    /// Try it anyway: there is no other.
    Try,
}

/// Why there is no response.
enum Unanswered {
    /// No replica has seen the call and its body is complete: another replica may get it.
    Unsent(Status),
    /// The replica was not called.
    LeftAlone,
    /// It may have been executed, or part of its stream is gone.
    Sent(Status),
}

/// One replica.
#[derive(Debug)]
struct Peer {
    address: SocketAddr,
    secured: Option<Secured>,
    /// The live connection. Locked while connecting, so that a burst of calls opens one.
    connection: tokio::sync::Mutex<Option<SendRequest<Body>>>,
    down_since: Mutex<Option<Instant>>,
}

impl Peer {
    fn new(address: SocketAddr, secured: Option<Secured>) -> Self {
        Self {
            address,
            secured,
            connection: tokio::sync::Mutex::new(None),
            down_since: Mutex::new(None),
        }
    }

    fn down_since(&self) -> Option<Instant> {
        *self
            .down_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn is_down(&self) -> bool {
        self.down_since()
            .is_some_and(|since| since.elapsed() < DOWN_TIME)
    }

    fn set_down(&self, down: bool) {
        *self
            .down_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = down.then(Instant::now);
    }

    async fn send(
        self: &Arc<Self>,
        call: &mut Replayable,
        when_down: WhenDown,
    ) -> Result<Response<Body>, Unanswered> {
        // Two attempts: a connection may turn out to be closing at the moment of use; a fresh one
        // hardly ever does.
        for _ in 0..2 {
            let mut connection = match self.connection(when_down).await {
                Ok(Some(connection)) => connection,
                Ok(None) => return Err(Unanswered::LeftAlone),
                Err(error) => {
                    debug!(address = %self.address, %error, "replica cannot be reached");
                    return Err(Unanswered::Unsent(Status::unavailable(
                        "service cannot be reached",
                    )));
                }
            };
            let repeatable = call.can_repeat();
            let request = addressed(call.request(), self.address, self.scheme());
            let answer = connection.try_send_request(request);
            // hyper returns a call that was handed over while the connection ended.
            drop(connection);
            match answer.await {
                Ok(mut response) => {
                    // Removed: a service that passes this answer on must not claim it for its own
                    // call.
                    let not_taken = response.headers_mut().remove(NOT_TAKEN).is_some();
                    if not_taken
                        && repeatable
                        && let Some(status) = Status::from_header_map(response.headers())
                    {
                        // It will be ready in a moment; other replicas are tried first.
                        self.set_down(true);
                        return Err(Unanswered::Unsent(status));
                    }
                    return Ok(response.map(|body| Body::new(body.map_err(|error| lost(&error)))));
                }
                Err(mut failure) => match failure.take_message() {
                    Some(returned) => call.put_back(returned, repeatable),
                    None if repeatable && is_unseen(failure.error()) => {}
                    None => return Err(Unanswered::Sent(lost(failure.error()))),
                },
            }
            // The connection is closing: it finishes its calls and takes no new ones.
            self.retire().await;
        }
        Err(Unanswered::Unsent(Status::unavailable(
            "service closed its connection",
        )))
    }

    fn scheme(&self) -> &'static str {
        if self.secured.is_some() {
            "https"
        } else {
            "http"
        }
    }

    /// Makes the next call open a new connection.
    async fn retire(&self) {
        *self.connection.lock().await = None;
    }

    /// Drops a closed connection.
    async fn tidy(&self) {
        let mut slot = self.connection.lock().await;
        if slot.as_ref().is_some_and(SendRequest::is_closed) {
            *slot = None;
        }
    }

    /// The live connection, or a new one; none if the replica is being skipped.
    async fn connection(
        self: &Arc<Self>,
        when_down: WhenDown,
    ) -> io::Result<Option<SendRequest<Body>>> {
        let came = Instant::now();
        let mut slot = self.connection.lock().await;
        if let Some(live) = slot.as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Some(live.clone()));
        }
        // Calls that queued behind a failed attempt fail with it instead of retrying one after the
        // other.
        if self.down_since().is_some_and(|since| came <= since) {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        if when_down == WhenDown::Skip && self.is_down() {
            return Ok(None);
        }
        *slot = None;
        let made = match tokio::time::timeout(CONNECT_LIMIT, self.open()).await {
            Ok(outcome) => outcome,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        self.set_down(made.is_err());
        let made = made?;
        *slot = Some(made.clone());
        Ok(Some(made))
    }

    /// A connection that the server has accepted.
    async fn open(self: &Arc<Self>) -> io::Result<SendRequest<Body>> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        match &self.secured {
            None => self.greet(stream).await,
            Some(secured) => self.greet(secured.connect(stream).await?).await,
        }
    }

    /// Starts HTTP/2 and waits for the server's first frame.
    async fn greet<S>(self: &Arc<Self>, stream: S) -> io::Result<SendRequest<Body>>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (heard, greeted) = oneshot::channel();
        let mut heard = Some(heard);
        let stream = InspectReader::new(stream, move |bytes: &[u8]| {
            if !bytes.is_empty()
                && let Some(heard) = heard.take()
            {
                // The receiver may have given up.
                let _ = heard.send(());
            }
        });
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_LIMIT)
            .keep_alive_while_idle(true)
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(io::Error::other)?;
        let peer = Arc::downgrade(self);
        let address = self.address;
        // Ends with its connection, which closes when the last sender is dropped.
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                debug!(%address, %error, "connection ended");
            }
            if let Some(peer) = peer.upgrade() {
                peer.tidy().await;
            }
        });
        // The kernel completes a connection before the server accepts it, and resets it if the
        // server exits first. Calls sent by then are lost, and nobody can tell whether they were
        // seen. A server that accepts a connection sends its settings at once, so calls wait for
        // the first byte. With TLS that byte also proves that the server accepted our certificate,
        // which it verifies after the client's handshake is complete.
        greeted
            .await
            .map_err(|_| io::Error::from(io::ErrorKind::ConnectionReset))?;
        Ok(sender)
    }
}

/// HTTP/2 takes the authority from the URI.
fn addressed(mut request: Request<Body>, address: SocketAddr, scheme: &str) -> Request<Body> {
    let path = request
        .uri()
        .path_and_query()
        .map_or("/", http::uri::PathAndQuery::as_str);
    if let Ok(uri) = Uri::try_from(format!("{scheme}://{address}{path}")) {
        *request.uri_mut() = uri;
    }
    *request.version_mut() = Version::HTTP_2;
    request
}

/// Whether the peer states that it did not process the call: it refused the stream, or named it in
/// GOAWAY as beyond the last one it processes.
fn is_unseen(error: &hyper::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if let Some(h2) = inner.downcast_ref::<h2::Error>() {
            let going_away = h2.is_go_away() && h2.reason() == Some(h2::Reason::NO_ERROR);
            let refused = h2.is_reset() && h2.reason() == Some(h2::Reason::REFUSED_STREAM);
            return h2.is_remote() && (going_away || refused);
        }
        cause = inner.source();
    }
    false
}

/// The connection broke during a call, which may or may not have been executed.
fn lost(error: &hyper::Error) -> Status {
    let text = crate::refusal::chain(error);
    debug!(error = text, "connection broke under a call");
    Status::unavailable(format!("connection to the service was lost: {text}"))
}
