//! gRPC clients: balanced over all addresses of a name, with deadlines, retried only where that is
//! safe.

mod call;
mod peers;
mod replay;
mod secured;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{self, Poll};
use std::time::Duration;

use http::Uri;
use metrics::Counter;
use opentelemetry::trace::SpanKind;
use opentelemetry::{Context, KeyValue};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::body::Body;
use tonic::{Code, Request, Status};
use tower::Service;
use tracing::debug;

use crate::attempt::{Attempt, only_reads};
use crate::backoff::Backoff;
use crate::config::ConfigError;
use crate::deadline::{Deadline, parse_grpc_timeout};
use crate::identity::Caller;
use crate::telemetry::{self, Handles};
use crate::timely::{Overdue, Timely};
use crate::tls::Tls;
pub use call::Call;
use peers::Peers;
use secured::Secured;

/// The limit of a call made without a caller's deadline.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(5);

/// The options of a channel.
#[derive(Clone, Copy, Debug)]
pub struct ClientOptions {
    /// The limit of a call without a deadline.
    pub call_limit: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            call_limit: DEFAULT_LIMIT,
        }
    }
}

/// A balanced connection to all replicas of a service, for any generated client. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Channel {
    peers: Arc<Peers>,
    call_limit: Duration,
    // Ends the name look-ups when the last clone is dropped.
    _resolver: Arc<DropGuard>,
}

/// Opens an unencrypted channel to `url` (`http://plan:8203`, or several separated by commas). It
/// does not connect yet; an unresolvable name only makes calls fail. Must be called inside a
/// runtime.
pub fn connect(url: &str, options: ClientOptions) -> Result<Channel, ConfigError> {
    connect_to("a service", url, options, None)
}

/// Like [`connect`]; with `tls` it uses TLS and only connects to `service`, whatever the address
/// (`https://10.0.0.7:8203`).
pub fn connect_to(
    service: &'static str,
    url: &str,
    options: ClientOptions,
    tls: Option<&Tls>,
) -> Result<Channel, ConfigError> {
    let names = url
        .split(',')
        .map(|url| parse_name(service, url, tls.is_some()))
        .collect::<Result<Vec<_>, _>>()?;
    let secured = tls.map(|tls| Secured::new(tls, service)).transpose()?;
    let peers = Arc::new(Peers::new(names, secured));
    let token = CancellationToken::new();
    let (resolved, ended) = (Arc::clone(&peers), token.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = resolved.keep_resolved() => {}
            () = ended.cancelled() => {}
        }
    });
    Ok(Channel {
        peers,
        call_limit: options.call_limit,
        _resolver: Arc::new(token.drop_guard()),
    })
}

/// Host and port of a URL, whose scheme must match the use of TLS.
fn parse_name(
    service: &'static str,
    url: &str,
    secured: bool,
) -> Result<(String, u16), ConfigError> {
    let invalid = || ConfigError::Invalid {
        name: "the address of a service",
        expected: "a URL like http://host:port",
    };
    let uri: Uri = url.trim().parse().map_err(|_| invalid())?;
    let (Some(host), Some(port)) = (uri.host(), uri.port_u16()) else {
        return Err(invalid());
    };
    match uri.scheme_str() {
        Some("https") if !secured => Err(ConfigError::NeedsTls(service)),
        Some("http") if secured => Err(ConfigError::NotTls(service)),
        Some("http" | "https") => Ok((host.trim_matches(['[', ']']).to_owned(), port)),
        _ => Err(invalid()),
    }
}

impl Service<http::Request<Body>> for Channel {
    type Response = http::Response<Body>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    /// Always ready: selecting a replica is part of the call, so the call's deadline covers it.
    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        let asked = request
            .headers()
            .get("grpc-timeout")
            .and_then(|value| value.to_str().ok())
            .and_then(parse_grpc_timeout);
        let limit = asked.unwrap_or(self.call_limit);
        if asked.is_none()
            && let Ok(value) = http::HeaderValue::try_from(format!("{}m", limit.as_millis()))
        {
            request.headers_mut().insert("grpc-timeout", value);
        }
        let method = request.uri().path().to_owned();
        if !only_reads(&method) {
            Attempt::writes();
        }
        let work = telemetry::begin(&Context::current(), &SpanKind::Client, |span| {
            span.update_name(method.clone());
            span.set_attribute(KeyValue::new("rpc.system", "grpc"));
        });
        telemetry::inject_headers(&work, request.headers_mut());
        let peers = Arc::clone(&self.peers);
        let deadline = Deadline::after(limit);
        let called = async move {
            let sent = tokio::time::timeout_at(deadline.instant(), peers.send(request)).await;
            let outcome = sent.unwrap_or_else(|_| {
                Err(Status::deadline_exceeded("no answer within the deadline"))
            });
            record(&method, &work, &outcome);
            outcome
                .map(|response| response.map(|body| Timely::until(deadline, body, Overdue::Fails)))
        };
        Box::pin(called)
    }
}

/// Counts a call by its outcome; a refused call has its status in the headers.
fn record<B>(method: &str, work: &Context, outcome: &Result<http::Response<B>, Status>) {
    static METHODS: LazyLock<Handles<String, Arc<Handles<Code, Counter>>>> =
        LazyLock::new(Handles::default);
    let code = match outcome {
        Ok(response) => response
            .headers()
            .get("grpc-status")
            .map_or(Code::Ok, |value| Code::from_bytes(value.as_bytes())),
        Err(status) => {
            telemetry::fail(work);
            status.code()
        }
    };
    let counter = || {
        let (method, code) = (method.to_owned(), format!("{code:?}"));
        metrics::counter!("grpc_client_calls_total", "method" => method, "code" => code)
    };
    METHODS
        .get(method, Arc::default)
        .get(&code, counter)
        .increment(1);
}

/// An outgoing call on behalf of `caller`, with its identity and a deadline of `limit` or the
/// caller's own if that is earlier. The channel adds the trace.
pub fn outgoing<T>(caller: &Caller, message: T, limit: Duration) -> Request<T> {
    let mut request = Request::new(message);
    caller.attach(request.metadata_mut());
    request.set_timeout(caller.deadline.remaining().min(limit));
    request
}

/// How a call is retried. Only for calls that carry an idempotency key or change nothing.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// Attempts, the first included: 1 to 3.
    pub attempts: u32,
    /// The first delay; it doubles.
    pub first_wait: Duration,
    /// No attempt starts after this.
    pub deadline: Deadline,
}

impl RetryPolicy {
    /// One attempt.
    pub fn once() -> Self {
        Self {
            attempts: 1,
            ..Self::within(Deadline::default())
        }
    }

    /// Three attempts within the caller's deadline.
    pub fn within(deadline: Deadline) -> Self {
        Self {
            attempts: 3,
            first_wait: Duration::from_millis(50),
            deadline,
        }
    }
}

/// Calls, and retries if the answer is UNAVAILABLE.
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
    let mut retries = Retries::new(policy);
    loop {
        match call().await {
            Err(status) if retries.wait(&status).await => {}
            outcome => return outcome,
        }
    }
}

/// What [`call_with_retry`] does between two attempts. Not generic: every call of every generated
/// client is compiled with its caller's part, so that part is kept small.
struct Retries {
    left: u32,
    deadline: Deadline,
    backoff: Backoff,
}

impl Retries {
    fn new(policy: RetryPolicy) -> Self {
        Self {
            left: policy.attempts.clamp(1, 3) - 1,
            deadline: policy.deadline,
            backoff: Backoff::new(policy.first_wait, Duration::from_secs(1)),
        }
    }

    /// Waits before the next attempt; false if there is none.
    async fn wait(&mut self, status: &Status) -> bool {
        if self.left == 0 || status.code() != Code::Unavailable {
            return false;
        }
        let wait = self.backoff.next_wait();
        if self.deadline.remaining() <= wait {
            return false;
        }
        self.left -= 1;
        debug!(message = status.message(), "call is repeated");
        tokio::time::sleep(wait).await;
        true
    }
}
