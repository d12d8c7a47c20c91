//! Traces and log lines of a process that exports nothing.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use adfolio_kit::client::{self, ClientOptions, outgoing};
use adfolio_kit::config::LogFormat;
use adfolio_kit::db;
use adfolio_kit::identity::Caller;
use adfolio_kit::outbox::Event;
use adfolio_kit::telemetry::{self, DEFAULT_LOG_FILTER, log_lines};
use adfolio_testkit::RunningService;
use opentelemetry::Context;
use opentelemetry::context::FutureExt as _;
use opentelemetry::trace::SpanKind;
use serde_json::{Value, json};
use tonic::Response;
use tracing::{Subscriber, info, span};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{EnvFilter, Layer, layer};

use crate::helpers::{CALL_LIMIT, Echo, call, run_echo};

const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const UNSAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

/// A service that logs each call, also in a task of its own, and answers with its trace.
async fn traced() -> RunningService {
    let echo = Echo::new(|_| async {
        info!("called");
        let written = db::detached(async {
            info!("written");
            telemetry::traceparent().unwrap_or_default()
        });
        Ok(Response::new(written.await.unwrap()))
    });
    run_echo(echo, 5).await
}

/// The trace in which the service sees a call from work in `traceparent`.
async fn trace_of_call(service: &RunningService, traceparent: Option<&str>) -> String {
    let channel = client::connect(&service.url(), ClientOptions::default()).unwrap();
    let caller = Caller {
        request_id: "request-1".to_owned(),
        ..Caller::system()
    };
    let request = outgoing(&caller, String::new(), CALL_LIMIT);
    let work = telemetry::context_of(traceparent);
    let answer = call(channel, request).with_context(work).await;
    answer.unwrap().into_inner()
}

#[tokio::test]
async fn a_trace_is_passed_on_as_it_came() {
    let service = traced().await;
    for came in [SAMPLED, UNSAMPLED] {
        assert_eq!(trace_of_call(&service, Some(came)).await, came);
    }
    service.stop().await.unwrap();
}

#[tokio::test]
async fn a_call_outside_of_a_trace_begins_one() {
    let service = traced().await;
    let first = trace_of_call(&service, None).await;
    assert_eq!(first.len(), SAMPLED.len(), "{first}");
    assert!(
        first.starts_with("00-") && first.ends_with("-01"),
        "{first}"
    );
    assert_ne!(trace_of_call(&service, Some("nonsense")).await, first);
    service.stop().await.unwrap();
}

#[test]
fn an_event_carries_the_trace_of_its_change() {
    let event = || {
        format!(
            "{:?}",
            Event::new("adfolio.test.v1.Made", "one", &json!({})).unwrap()
        )
    };
    assert!(event().contains("traceparent: None"));
    let work = telemetry::begin(
        &telemetry::context_of(Some(SAMPLED)),
        &SpanKind::Internal,
        |_| {},
    );
    let _work = work.attach();
    assert!(event().contains(SAMPLED));
}

/// Log lines, kept.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    /// The line with this message.
    fn line(&self, message: &str) -> String {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let line = text.lines().find(|line| line.contains(message));
        line.unwrap_or_else(|| panic!("no {message} in {text}"))
            .to_owned()
    }
}

/// Counts the spans of Adfolio.
#[derive(Clone, Default)]
struct Spans(Arc<AtomicU32>);

impl<S: Subscriber> Layer<S> for Spans {
    fn on_new_span(
        &self,
        attributes: &span::Attributes<'_>,
        _: &span::Id,
        _: layer::Context<'_, S>,
    ) {
        if attributes.metadata().target().starts_with("adfolio") {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// The log lines of one call in the trace [`SAMPLED`], and the number of spans made meanwhile.
async fn logged(format: LogFormat) -> (Kept, u32) {
    let (kept, spans) = (Kept::default(), Spans::default());
    let writer = kept.clone();
    let lines = log_lines(format, move || writer.clone());
    let filter = || EnvFilter::new(DEFAULT_LOG_FILTER);
    let subscriber = tracing_subscriber::registry()
        .with(lines.with_filter(filter()))
        .with(spans.clone().with_filter(filter()));
    let _subscriber = tracing::subscriber::set_default(subscriber);
    let service = traced().await;
    trace_of_call(&service, Some(SAMPLED)).await;
    service.stop().await.unwrap();
    (kept, spans.0.load(Ordering::SeqCst))
}

#[tokio::test]
async fn lines_of_json_name_request_and_trace_without_a_span() {
    let (kept, spans) = logged(LogFormat::Json).await;
    for message in ["called", "written"] {
        let line: Value = serde_json::from_str(&kept.line(message)).unwrap();
        assert_eq!(line["message"], message);
        let work = json!({
            "name": "grpc",
            "method": "/adfolio.test.Echo/Echo",
            "request_id": "request-1",
            "trace_id": TRACE_ID,
        });
        assert_eq!(line["span"], work);
        assert_eq!(line["spans"], json!([work]));
    }
    assert_eq!(spans, 0);
}

#[tokio::test]
async fn lines_for_people_name_request_and_trace_without_a_span() {
    let (kept, spans) = logged(LogFormat::Human).await;
    let expected = format!(
        r#"  INFO grpc{{method="/adfolio.test.Echo/Echo" request_id="request-1" trace_id={TRACE_ID}}}: it::traces: called"#
    );
    let line = without_colours(&kept.line("called"));
    let (time, rest) = line.split_at(line.find(' ').unwrap());
    assert!(time.ends_with('Z'), "{line}");
    assert_eq!(rest, expected);
    assert_eq!(spans, 0);
}

#[tokio::test]
async fn a_line_outside_of_any_work_has_no_fields_of_it() {
    let kept = Kept::default();
    let writer = kept.clone();
    let subscriber =
        tracing_subscriber::registry().with(log_lines(LogFormat::Json, move || writer.clone()));
    let _subscriber = tracing::subscriber::set_default(subscriber);
    let _outside = Context::new().attach();
    info!("alone");
    let line: Value = serde_json::from_str(&kept.line("alone")).unwrap();
    assert_eq!(line.get("span"), None);
}

fn without_colours(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('m').unwrap_or_default().1
    })
}
