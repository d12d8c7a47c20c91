//! The layer around every call: deadline, trace, metrics, and a catch for panics.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{self, Poll};
use std::time::Duration;

use futures::FutureExt as _;
use http::{Request, Response};
use metrics::{Counter, Histogram};
use opentelemetry::context::FutureExt as _;
use opentelemetry::trace::SpanKind;
use opentelemetry::{Context, KeyValue};
use tokio::time::Instant;
use tonic::body::Body;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};
use tower::{Layer, Service};
use tracing::error;

use crate::attempt::Attempt;
use crate::deadline::{Deadline, parse_grpc_timeout};
use crate::identity::{CalledMethod, REQUEST_ID};
use crate::latch::Latch;
use crate::refusal::{NOT_TAKEN, Reason, Refusal};
use crate::telemetry::{self, Handles, Work};
use crate::timely::{Overdue, Timely};

use super::again::Again;
use super::guard::Guard;
use super::identities::Identities;

/// Services that answer before the schema is current. A health watch may last as long as the
/// watcher likes.
const UNGATED: [&str; 2] = ["/grpc.health.v1.Health/", "/grpc.reflection."];

#[derive(Debug)]
struct Settings {
    call_limit: Duration,
    method_limits: HashMap<&'static str, Duration>,
    migrated: Option<Latch>,
    guard: Option<Guard>,
    identities: Option<Identities>,
}

impl Settings {
    fn limit(&self, path: &str) -> Duration {
        self.method_limits
            .get(path)
            .copied()
            .unwrap_or(self.call_limit)
    }

    fn is_open(&self, path: &str) -> bool {
        self.migrated.as_ref().is_none_or(Latch::is_open) || is_ungated(path)
    }

    /// Refuses callers that the policy does not admit, identities that auth did not sign, and all calls until the schema
    /// is current.
    fn admit(&self, path: &str, request: &Request<Body>) -> Result<(), Status> {
        if let Some(guard) = &self.guard {
            guard.admit(path, request.extensions())?;
        }
        if let Some(identities) = &self.identities {
            identities.admit(path, request.headers(), request.extensions())?;
        }
        if self.is_open(path) {
            return Ok(());
        }
        let refusal = Refusal::new(Reason::Unavailable).detail("the service is starting");
        let mut status = Status::from(refusal);
        status
            .metadata_mut()
            .insert(NOT_TAKEN, MetadataValue::from_static("starting"));
        Err(status)
    }
}

fn is_ungated(path: &str) -> bool {
    UNGATED.iter().any(|prefix| path.starts_with(prefix))
}

#[derive(Clone, Debug)]
pub(super) struct CallLayer(Arc<Settings>);

impl CallLayer {
    pub(super) fn new(
        call_limit: Duration,
        method_limits: HashMap<&'static str, Duration>,
        migrated: Option<Latch>,
        guard: Option<Guard>,
        identities: Option<Identities>,
    ) -> Self {
        Self(Arc::new(Settings {
            call_limit,
            method_limits,
            migrated,
            guard,
            identities,
        }))
    }
}

impl<S> Layer<S> for CallLayer {
    type Service = Call<S>;

    fn layer(&self, inner: S) -> Call<S> {
        Call {
            inner,
            settings: Arc::clone(&self.0),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Call<S> {
    inner: S,
    settings: Arc<Settings>,
}

impl<S> Service<Request<Body>> for Call<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut task::Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let path = request.uri().path().to_owned();
        if let Err(status) = self.settings.admit(&path, &request) {
            return Box::pin(std::future::ready(Ok(status.into_http())));
        }
        let deadline = Deadline::after(limit_of(&request, self.settings.limit(&path)));
        request.extensions_mut().insert(deadline);
        request
            .extensions_mut()
            .insert(CalledMethod::of_path(&path));
        let request_id = request
            .headers()
            .get(REQUEST_ID)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("");
        let work = Work {
            name: "grpc",
            kind: SpanKind::Server,
            fields: vec![
                KeyValue::new("method", path.clone()),
                KeyValue::new("request_id", request_id.to_owned()),
            ],
        };
        let work = work.begin(&telemetry::context_of_headers(request.headers()), |span| {
            span.update_name(path.clone());
            span.set_attribute(KeyValue::new("rpc.system", "grpc"));
        });
        let is_endless = is_ungated(&path);
        let method = path.clone();
        let mut record = Record::new(path, deadline, work.clone());
        // The clone is the one that was polled ready; `self.inner` becomes the fresh one.
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        let (request, mut again) = Again::of(request, deadline);
        let inside = work.clone();
        let answered = async move {
            let called = async {
                let mut request = request;
                loop {
                    let attempt = Attempt::at(&method);
                    let called = inner.call(request);
                    let mut response = called.with_context(attempt.within(&inside)).await?;
                    match again.after(&mut response, &attempt).await {
                        Some(same) => request = same,
                        None => return Ok(response),
                    }
                    std::future::poll_fn(|context| inner.poll_ready(context)).await?;
                }
            };
            let called = AssertUnwindSafe(called).catch_unwind();
            match tokio::time::timeout_at(deadline.instant(), called).await {
                Ok(Ok(Ok(response))) => {
                    record.finish(code_of(&response));
                    Ok(if is_endless {
                        response
                    } else {
                        response.map(|body| Timely::until(deadline, body, Overdue::EndsWithStatus))
                    })
                }
                Ok(Ok(Err(error))) => {
                    record.finish(Code::Unknown);
                    Err(error)
                }
                Ok(Err(_panic)) => {
                    error!("call panicked");
                    record.finish(Code::Internal);
                    Ok(Status::from(Refusal::new(Reason::Internal)).into_http())
                }
                Err(_) => {
                    record.finish(Code::DeadlineExceeded);
                    Ok(Status::deadline_exceeded("deadline exceeded").into_http())
                }
            }
        };
        Box::pin(answered.with_context(work))
    }
}

/// The deadline that the client asks for, within the method's cap.
fn limit_of(request: &Request<Body>, cap: Duration) -> Duration {
    let asked = request
        .headers()
        .get("grpc-timeout")
        .and_then(|value| value.to_str().ok())
        .and_then(parse_grpc_timeout);
    asked.map_or(cap, |asked| asked.min(cap))
}

/// A refused call has its status in the headers; the status of a stream comes at its end, so here
/// it counts as OK.
fn code_of(response: &Response<Body>) -> Code {
    response
        .headers()
        .get("grpc-status")
        .map_or(Code::Ok, |value| Code::from_bytes(value.as_bytes()))
}

/// Whether the service failed, not its caller.
fn is_fault(code: Code) -> bool {
    matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    )
}

/// The metrics of a method.
#[derive(Clone)]
struct Measured {
    calls: Arc<Handles<Code, Counter>>,
    seconds: Histogram,
}

impl Measured {
    fn of(path: &str) -> Self {
        static METHODS: LazyLock<Handles<String, Measured>> = LazyLock::new(Handles::default);
        METHODS.get(path, || Self {
            calls: Arc::default(),
            seconds: metrics::histogram!("grpc_server_call_seconds", "method" => path.to_owned()),
        })
    }
}

/// Counts the call once, even if its future is dropped because the client went away.
struct Record {
    path: String,
    measured: Measured,
    started: Instant,
    deadline: Deadline,
    work: Context,
    is_finished: bool,
}

impl Record {
    fn new(path: String, deadline: Deadline, work: Context) -> Self {
        Self {
            measured: Measured::of(&path),
            path,
            started: Instant::now(),
            deadline,
            work,
            is_finished: false,
        }
    }

    fn finish(&mut self, code: Code) {
        if std::mem::replace(&mut self.is_finished, true) {
            return;
        }
        if is_fault(code) {
            telemetry::fail(&self.work);
        }
        let counter = || {
            let (path, code) = (self.path.clone(), format!("{code:?}"));
            metrics::counter!("grpc_server_calls_total", "method" => path, "code" => code)
        };
        self.measured.calls.get(&code, counter).increment(1);
        self.measured.seconds.record(self.started.elapsed());
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let code = if self.deadline.has_passed() {
            Code::DeadlineExceeded
        } else {
            Code::Cancelled
        };
        self.finish(code);
    }
}
