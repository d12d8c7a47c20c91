//! One trace covers a whole request: from the browser through the gateway and the services with
//! their SQL, over RabbitMQ to the last consumer. The collector of the spans is in this test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use adfolio_local::Service;
use adfolio_testkit::{eventually, free_listener};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as AttributeValue;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use serde_json::{Value, json};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::setup::{Advertiser, System, builder};

/// A browser's header: a sampled trace, and its span.
struct Browser {
    trace: String,
    span: String,
}

impl Browser {
    fn new() -> Self {
        Self {
            trace: Uuid::new_v4().simple().to_string(),
            span: Uuid::new_v4().simple().to_string()[..16].to_owned(),
        }
    }

    fn traceparent(&self) -> String {
        format!("00-{}-{}-01", self.trace, self.span)
    }

    fn unsampled(&self) -> String {
        format!("00-{}-{}-00", self.trace, self.span)
    }
}

/// A span as received by the collector.
#[derive(Clone, Debug)]
struct Spotted {
    service: String,
    id: String,
    parent: String,
    kind: SpanKind,
    name: String,
    attributes: BTreeMap<String, String>,
}

impl Spotted {
    fn is(&self, service: &str, kind: SpanKind, name: &str) -> bool {
        self.service == service && self.kind == kind && self.name == name
    }

    fn is_statement(&self) -> bool {
        self.attributes
            .get("db.system.name")
            .is_some_and(|system| system == "postgresql")
    }
}

/// Receives spans like an OpenTelemetry collector, and keeps them by trace.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<BTreeMap<String, Vec<Spotted>>>>);

impl Collector {
    async fn serve(&self) -> SocketAddr {
        let listener = free_listener().await;
        let address = listener.local_addr().unwrap();
        let server = tonic::transport::Server::builder()
            .add_service(TraceServiceServer::new(self.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        tokio::spawn(server);
        address
    }

    fn trace(&self, id: &str) -> Vec<Spotted> {
        let traces = self.0.lock().unwrap();
        traces.get(id).cloned().unwrap_or_default()
    }
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource in request.into_inner().resource_spans {
            let about = attributes(&resource.resource.unwrap_or_default().attributes);
            let service = about.get("service.name").cloned().unwrap_or_default();
            for span in resource
                .scope_spans
                .into_iter()
                .flat_map(|scope| scope.spans)
            {
                let kind = span.kind();
                let spotted = Spotted {
                    service: service.clone(),
                    id: hex::encode(&span.span_id),
                    parent: hex::encode(&span.parent_span_id),
                    kind,
                    attributes: attributes(&span.attributes),
                    name: span.name,
                };
                let mut traces = self.0.lock().unwrap();
                let trace = traces.entry(hex::encode(&span.trace_id)).or_default();
                trace.push(spotted);
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn attributes(pairs: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |pair: &KeyValue| match pair.value.as_ref()?.value.as_ref()? {
        AttributeValue::StringValue(text) => Some(text.clone()),
        _ => None,
    };
    pairs
        .iter()
        .filter_map(|pair| Some((pair.key.clone(), text(pair)?)))
        .collect()
}

/// The spans of one trace.
struct Trace {
    spans: Vec<Spotted>,
}

impl Trace {
    fn find(&self, service: &str, kind: SpanKind, name: &str) -> Option<&Spotted> {
        self.spans.iter().find(|span| span.is(service, kind, name))
    }

    /// The spans that led to this one, root first.
    fn path_to<'a>(&'a self, span: &'a Spotted) -> Vec<&'a Spotted> {
        let mut path = vec![span];
        while let Some(parent) = self
            .spans
            .iter()
            .find(|other| other.id == path.last().unwrap().parent)
        {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// Whether a statement was run for this span.
    fn has_statement_below(&self, span: &Spotted) -> bool {
        self.spans.iter().any(|statement| {
            statement.is_statement()
                && self
                    .path_to(statement)
                    .iter()
                    .any(|ancestor| ancestor.id == span.id)
        })
    }
}

const PUT: &str = "/adfolio.plan.v1.PlanService/PutPlan";
const RESERVE: &str = "/adfolio.coupon.v1.CouponReservationService/Reserve";
const HOLD: &str = "/adfolio.wallet.v1.LedgerService/Hold";
const PUT_REQUEST: &str = "POST /api/plan/order/put";
const PLAN_CHANGED: &str = "send adfolio.plan.v1.PlanStatusChanged";
const POSTED: &str = "send adfolio.wallet.v1.TransactionPosted";
const REDEEMING: &str = "process adfolio.plan.v1.PlanStatusChanged";
const SHOWING: &str = "process adfolio.wallet.v1.TransactionPosted";

/// The expected spans of a put: process, kind, name, and parent.
const EXPECTED: [(&str, SpanKind, &str, &str); 8] = [
    ("adfolio-gateway", SpanKind::Server, PUT_REQUEST, ""),
    ("adfolio-plan", SpanKind::Server, PUT, PUT_REQUEST),
    ("adfolio-coupon", SpanKind::Server, RESERVE, PUT),
    ("adfolio-wallet", SpanKind::Server, HOLD, PUT),
    ("adfolio-plan", SpanKind::Producer, PLAN_CHANGED, PUT),
    ("adfolio-wallet", SpanKind::Producer, POSTED, HOLD),
    (
        "adfolio-coupon",
        SpanKind::Consumer,
        REDEEMING,
        PLAN_CHANGED,
    ),
    ("adfolio-gateway", SpanKind::Consumer, SHOWING, POSTED),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_trace_leads_from_the_browser_to_the_last_consumer() {
    let collector = Collector::default();
    let endpoint = format!("http://{}", collector.serve().await);
    let mut stack = builder();
    for service in Service::ALL {
        stack = stack
            .extra_env(service, "OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)
            .extra_env(service, "OTEL_BSP_SCHEDULE_DELAY", "100")
            .extra_env(service, "LOG_FORMAT", "json")
            .extra_env(service, "RUST_LOG", "info,adfolio_gateway=debug");
    }
    let system = System::start_from(stack).await;
    let advertiser = system.advertiser("traced").await;
    // The last consumer of the wallet's event is the page that shows it.
    let _page = advertiser.client.try_stream().await.unwrap();
    let put = put_with_coupon(&system, &advertiser).await;

    let unrecorded = Browser::new();
    let asking = advertiser
        .client
        .with_header("traceparent", &unrecorded.unsampled())
        .with_header("X-Request-Id", "unrecorded-question");
    asking.get("/user/property").await.ok();

    let browser = Browser::new();
    let asking = advertiser
        .client
        .with_header("traceparent", &browser.traceparent())
        .with_header("X-Request-Id", "traced-put");
    asking.post("/plan/order/put", put).await.ok();

    let trace = eventually(
        "a trace with everything that came of the put, each below its parent",
        || {
            let trace = Trace {
                spans: collector.trace(&browser.trace),
            };
            let is_whole = missing(&trace).is_empty() && is_one_tree(&trace, &browser);
            async move { is_whole.then_some(trace) }
        },
    )
    .await;
    let gateway = trace
        .find("adfolio-gateway", SpanKind::Server, PUT_REQUEST)
        .unwrap();
    assert_eq!(gateway.parent, browser.span, "the request is the browser's");
    // It was asked earlier, so its spans would be here.
    assert!(collector.trace(&unrecorded.trace).is_empty());
    log_lines_name_the_trace(&system, &browser, "traced-put");
    log_lines_name_the_trace(&system, &unrecorded, "unrecorded-question");
    system.stack.stop().await;
}

/// A put of 20.00 by an advertiser with a coupon and the money.
async fn put_with_coupon(system: &System, advertiser: &Advertiser) -> Value {
    system.deposit(&advertiser.id, "100.00").await;
    let product_id = system.product("Traced").await;
    let campaign = json!({
        "name": "Traced", "type": "fixed_amount", "mode": "deduction", "value": "5.00", "amount_requirement": "10.00",
        "kind": "staff", "valid_days": 30,
    });
    let created = system.admin.post("/admin/coupon/campaign/create", campaign);
    let grant = json!({"campaign_id": created.await.ok()["id"], "user_id": advertiser.id});
    let granted = system.admin.post("/admin/coupon/grant", grant).await.ok();
    json!({"product_id": product_id, "amount": "20.00", "user_coupon_id": granted["id"]})
}

/// The missing spans of [`EXPECTED`], and the processes without a statement so far.
fn missing(trace: &Trace) -> Vec<String> {
    let mut missing = Vec::new();
    for (service, kind, name, above) in EXPECTED {
        let found = trace.spans.iter().any(|span| {
            span.is(service, kind, name)
                && (above.is_empty() || trace.path_to(span).iter().any(|other| other.name == above))
        });
        if !found {
            missing.push(format!("{service} {name}"));
        }
    }
    let workers = [
        ("adfolio-plan", SpanKind::Server, PUT),
        ("adfolio-coupon", SpanKind::Server, RESERVE),
        ("adfolio-wallet", SpanKind::Server, HOLD),
        ("adfolio-coupon", SpanKind::Consumer, REDEEMING),
    ];
    for (service, kind, name) in workers {
        let works = trace
            .find(service, kind, name)
            .is_some_and(|span| trace.has_statement_below(span));
        if !works {
            missing.push(format!("statements of {service} {name}"));
        }
    }
    missing
}

/// Whether every span has its parent in the trace, except for the request's, whose parent is the browser's. A consumer
/// may export its span before the producer does.
fn is_one_tree(trace: &Trace, browser: &Browser) -> bool {
    let ids: BTreeSet<&str> = trace.spans.iter().map(|span| span.id.as_str()).collect();
    let is_known =
        |span: &Spotted| span.parent == browser.span || ids.contains(span.parent.as_str());
    trace.spans.iter().all(is_known)
}

/// The gateway logs a request at its end; a service logs its actions.
fn log_lines_name_the_trace(system: &System, browser: &Browser, request_id: &str) {
    let log = fs::read_to_string(system.stack.data_dir().join("log/gateway.log")).unwrap();
    let line = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|line| line["span"]["request_id"] == request_id && line["message"] == "answered")
        .expect("a line about the request");
    assert_eq!(line["span"]["trace_id"], browser.trace.as_str(), "{line}");
}
