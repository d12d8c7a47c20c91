//! gRPC clients: balanced over every address of a name, bounded by deadlines, retried only where that is safe.

use std::collections::HashSet;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use tokio::sync::mpsc::Sender;
use tonic::body::Body;
use tonic::transport::channel::Change;
use tonic::transport::{Channel as Transport, Endpoint};
use tonic::{Code, Request, Status};
use tower::Service;
use tracing::{debug, warn};

use crate::backoff::Backoff;
use crate::config::ConfigError;
use crate::deadline::{Deadline, parse_grpc_timeout};
use crate::identity::Caller;
use crate::telemetry;

/// How often a name is looked up again.
const RESOLVE_INTERVAL: Duration = Duration::from_secs(5);

/// How often a name without any address is looked up again.
const RESOLVE_RETRY: Duration = Duration::from_millis(500);

/// A look-up must be done within this.
const RESOLVE_LIMIT: Duration = Duration::from_secs(3);

/// A connection must be there within this.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);

/// Pings find a frozen or vanished peer; its calls fail then instead of at their deadlines.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// A ping must be answered within this.
const KEEPALIVE_LIMIT: Duration = Duration::from_secs(5);

/// Addresses of one name at most.
const MAX_ADDRESSES: usize = 64;

/// The limit of a call made without a caller's deadline.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(5);

/// How a channel behaves.
#[derive(Clone, Copy, Debug)]
pub struct ClientOptions {
    /// The limit of a call that carries no deadline.
    pub call_limit: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self { call_limit: DEFAULT_LIMIT }
    }
}

/// A balanced connection to all replicas of a service; goes into any generated client. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Channel {
    transport: Transport,
    addresses: Arc<AtomicUsize>,
    call_limit: Duration,
    // Ends the look-ups when the last clone is gone.
    _resolver: Arc<tokio_util::sync::DropGuard>,
}

/// Opens a channel to `url` (`http://plan:8203`): nothing is connected yet, and a name that does not resolve (yet) only
/// makes calls fail. Must be called inside a runtime.
pub fn connect(url: &str, options: ClientOptions) -> Result<Channel, ConfigError> {
    let invalid = ConfigError::Invalid { name: "the address of a service", expected: "a URL like http://host:port" };
    let uri: Uri = match url.parse() {
        Ok(uri) => uri,
        Err(_) => return Err(invalid),
    };
    let (Some(host), Some(port)) = (uri.host().map(str::to_owned), uri.port_u16()) else { return Err(invalid) };
    if uri.scheme_str() != Some("http") {
        return Err(invalid);
    }
    let (transport, changes) = Transport::balance_channel(MAX_ADDRESSES);
    let addresses = Arc::new(AtomicUsize::new(0));
    let token = tokio_util::sync::CancellationToken::new();
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let resolver = resolve(host, port, changes, Arc::clone(&addresses));
    let ended = token.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = resolver => {}
            () = ended.cancelled() => {}
        }
    });
    Ok(Channel { transport, addresses, call_limit: options.call_limit, _resolver: Arc::new(token.drop_guard()) })
}

/// Keeps the balanced set equal to what the name resolves to.
async fn resolve(host: String, port: u16, changes: Sender<Change<SocketAddr, Endpoint>>, count: Arc<AtomicUsize>) {
    let mut known: HashSet<SocketAddr> = HashSet::new();
    loop {
        let looked_up = tokio::time::timeout(RESOLVE_LIMIT, tokio::net::lookup_host((host.as_str(), port))).await;
        let found: HashSet<SocketAddr> = match looked_up {
            Ok(Ok(addresses)) => addresses.take(MAX_ADDRESSES).collect(),
            // Old addresses stay in use while the name service is away.
            Ok(Err(error)) => {
                debug!(host, %error, "name does not resolve");
                known.clone()
            }
            Err(_) => known.clone(),
        };
        for address in found.difference(&known) {
            if changes.send(Change::Insert(*address, endpoint(*address))).await.is_err() {
                return;
            }
        }
        for address in known.difference(&found) {
            if changes.send(Change::Remove(*address)).await.is_err() {
                return;
            }
        }
        count.store(found.len(), Ordering::SeqCst);
        known = found;
        let wait = if known.is_empty() { RESOLVE_RETRY } else { RESOLVE_INTERVAL };
        tokio::time::sleep(wait).await;
    }
}

fn endpoint(address: SocketAddr) -> Endpoint {
    let uri = format!("http://{address}");
    // An address with a port is always an authority.
    Endpoint::from_shared(uri)
        .unwrap_or_else(|_| Endpoint::from_static("http://127.0.0.1:1"))
        .connect_timeout(CONNECT_LIMIT)
        .tcp_nodelay(true)
        .tcp_keepalive(Some(KEEPALIVE_INTERVAL))
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_LIMIT)
        .keep_alive_while_idle(true)
}

impl Service<http::Request<Body>> for Channel {
    type Response = http::Response<Body>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    /// Always ready: waiting for a replica is part of the call, so that the call's deadline covers it.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        if self.addresses.load(Ordering::SeqCst) == 0 {
            return Box::pin(std::future::ready(Err(Status::unavailable("no address is known").into())));
        }
        let asked = request.headers().get("grpc-timeout").and_then(|value| value.to_str().ok()).and_then(parse_grpc_timeout);
        let limit = asked.unwrap_or(self.call_limit);
        if asked.is_none()
            && let Ok(value) = http::HeaderValue::try_from(format!("{}m", limit.as_millis()))
        {
            request.headers_mut().insert("grpc-timeout", value);
        }
        telemetry::inject_headers(request.headers_mut());
        let mut transport = self.transport.clone();
        Box::pin(async move {
            let answered = async {
                std::future::poll_fn(|context| transport.poll_ready(context)).await?;
                transport.call(request).await
            };
            match tokio::time::timeout(limit, answered).await {
                Ok(Ok(response)) => Ok(response),
                Ok(Err(error)) => Err(transport_status(&error).into()),
                Err(_) => Err(Status::deadline_exceeded("no answer within the deadline").into()),
            }
        })
    }
}

/// A peer that cannot be reached is UNAVAILABLE, whatever form the transport gives it.
fn transport_status(error: &tonic::transport::Error) -> Status {
    let text = crate::refusal::chain(error);
    debug!(error = text, "call did not reach its peer");
    Status::unavailable(text)
}

/// An outgoing call on behalf of `caller`: with its identity, its trace, and a deadline of at most `limit` that never goes
/// beyond the caller's own.
pub fn outgoing<T>(caller: &Caller, message: T, limit: Duration) -> Request<T> {
    let mut request = Request::new(message);
    caller.attach(request.metadata_mut());
    telemetry::inject_metadata(request.metadata_mut());
    request.set_timeout(caller.deadline.remaining().min(limit));
    request
}

/// How a call is repeated. Only calls that carry an idempotency key, or change nothing, may be.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// Attempts, the first included: 1 to 3.
    pub attempts: u32,
    /// The first wait; it doubles.
    pub first_wait: Duration,
    /// No attempt begins after this.
    pub deadline: Deadline,
}

impl RetryPolicy {
    /// Three attempts within the caller's deadline.
    pub fn within(deadline: Deadline) -> Self {
        Self { attempts: 3, first_wait: Duration::from_millis(50), deadline }
    }
}

/// Calls, and calls again when the answer is UNAVAILABLE.
///
/// ```ignore
/// let answer = call_with_retry(RetryPolicy::within(caller.deadline), || {
///     let mut client = self.wallet.clone();
///     let request = outgoing(&caller, hold.clone(), HOLD_LIMIT);
///     async move { client.hold(request).await }
/// }).await?;
/// ```
pub async fn call_with_retry<T, F, Fut>(policy: RetryPolicy, mut call: F) -> Result<T, Status>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, Status>>,
{
    let mut backoff = Backoff::new(policy.first_wait, Duration::from_secs(1));
    for _ in 1..policy.attempts.min(3) {
        match call().await {
            Err(status) if status.code() == Code::Unavailable => {
                let wait = backoff.next_wait();
                if policy.deadline.remaining() <= wait {
                    return Err(status);
                }
                warn!(message = status.message(), "call is repeated");
                tokio::time::sleep(wait).await;
            }
            outcome => return outcome,
        }
    }
    call().await
}
