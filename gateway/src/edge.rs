//! The edge: id, limits, trace and metrics of every request, and its dispatch to a handler.

use std::any::Any;
use std::future::{Ready, ready};
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use adfolio_kit::chaos::Defect;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_kit::telemetry::{self, Handles, Work};
use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use bytes::Bytes;
use chrono::Utc;
use futures::FutureExt as _;
use metrics::{Counter, Histogram};
use opentelemetry::context::FutureExt as _;
use opentelemetry::trace::{SpanKind, TraceContextExt as _};
use opentelemetry::{Context, KeyValue};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::sensitive_headers::SetSensitiveRequestHeadersLayer;
use tracing::{debug, error};

use crate::auth::{NetworkKey, StaffSession, Token, refuse_inactive};
use crate::call::Call;
use crate::context;
use crate::docs;
use crate::envelope::{self, Refused};
use crate::errors::Failure;
use crate::etag;
use crate::gateway::Gateway;
use crate::lang::Lang;
use crate::paths::BASE_PATH;
use crate::route::{Access, Answer, Route};
use crate::routes;
use crate::security_txt;
use crate::uploads;

/// The OpenAPI document in the repository. A test keeps it equal to the route table. Generating it at every start
/// would take more memory than everything else in the gateway.
const DOCUMENT: &str = include_str!("../openapi.json");

/// Shorter answers are not compressed.
const COMPRESSED_FROM_BYTES: u64 = 1024;

/// Headers of every answer: an API's answers must not be used as a page, script or frame, and must not be stored.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; base-uri 'none'; object-src 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// The peer of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// What is known about a request before its route.
#[derive(Clone, Debug)]
struct Edge {
    request_id: String,
    client_address: IpAddr,
}

/// The whole API.
pub fn router(gateway: &Gateway) -> Router {
    let mut router = Router::new();
    for route in routes::table() {
        let path = format!("{BASE_PATH}{}", route.path);
        let is_get = route.method == Method::GET;
        let (route, gateway) = (Arc::new(route), gateway.clone());
        let handler =
            move |request: Request| dispatch(gateway.clone(), Arc::clone(&route), request);
        router = router.route(&path, if is_get { get(handler) } else { post(handler) });
    }
    let files = gateway.uploads().clone();
    let serve_file = move |request: Request| uploads::serve(files.clone(), request);
    let serve_document = |request: Request| {
        ready(etag::conditional(
            request.headers(),
            Bytes::from_static(DOCUMENT.as_bytes()),
        ))
    };
    let told = gateway.clone();
    let serve_contact = move || {
        ready(security_txt::serve(
            told.security_contact(),
            chrono::Utc::now(),
        ))
    };
    router
        .route(security_txt::PATH, get(serve_contact))
        .route(&format!("{BASE_PATH}/openapi.json"), get(serve_document))
        .route(&format!("{BASE_PATH}/files/{{id}}"), get(serve_file))
        .route(&format!("{BASE_PATH}/docs"), get(docs::serve))
        .route(&format!("{BASE_PATH}/docs/"), get(docs::serve))
        .route(&format!("{BASE_PATH}/docs/{{*file}}"), get(docs::serve))
        .method_not_allowed_fallback(|request: Request| {
            refuse(&request, StatusCode::METHOD_NOT_ALLOWED, Reason::Validation)
        })
        .fallback(|request: Request| refuse(&request, StatusCode::NOT_FOUND, Reason::NotFound))
        .layer(from_fn_with_state(gateway.clone(), around))
        .layer(CompressionLayer::new().compress_when(worth_compressing()))
        // Keeps tokens and keys out of printed headers.
        .layer(SetSensitiveRequestHeadersLayer::new([
            context::TOKEN_HEADER,
            context::NETWORK_KEY_HEADER,
        ]))
}

/// Compresses answers that are long enough. Pictures are compressed already, and an event must not wait for a full
/// block. The length of an answer reveals nothing, because a page that makes a browser send a request cannot set the
/// token's header.
fn worth_compressing() -> impl Predicate {
    SizeAbove::new(COMPRESSED_FROM_BYTES)
        .and(NotForContentType::SSE)
        .and(NotForContentType::IMAGES)
}

fn refuse(request: &Request, status: StatusCode, reason: Reason) -> Ready<Response> {
    let lang = context::lang(request.headers(), None);
    ready(envelope::failure(
        &Failure::at_the_edge(status, reason),
        lang,
    ))
}

/// Wraps every request, including those to unknown paths.
async fn around(State(gateway): State<Gateway>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let peer = request
        .extensions()
        .get::<Peer>()
        .map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0.ip());
    let edge = Edge {
        request_id: context::request_id(request.headers()),
        client_address: context::client_address(peer, request.headers(), |proxy| {
            gateway.trusts(proxy)
        }),
    };
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unknown".to_owned(), |path| path.as_str().to_owned());
    let method = request.method().clone();
    let work = Work {
        name: "request",
        kind: SpanKind::Server,
        fields: vec![
            KeyValue::new("method", method.to_string()),
            KeyValue::new("route", route.clone()),
            KeyValue::new("request_id", edge.request_id.clone()),
        ],
    };
    let work = work.begin(&telemetry::context_of_headers(request.headers()), |span| {
        span.update_name(format!("{method} {route}"));
    });
    let lang = context::lang(request.headers(), None);
    request.extensions_mut().insert(edge.clone());

    let answered = async {
        if let Err(failure) = gateway
            .address_limit()
            .check(context::flood_key(edge.client_address))
        {
            return envelope::failure(&failure, lang);
        }
        match AssertUnwindSafe(next.run(request)).catch_unwind().await {
            Ok(response) => response,
            Err(panic) => panicked(panic.as_ref(), lang),
        }
    };
    let mut response = answered.with_context(work.clone()).await;
    finish_headers(response.headers_mut(), &edge.request_id, &work);
    let _work = work.attach();
    record(&method, &route, &response, started);
    response
}

fn panicked(panic: &(dyn Any + Send), lang: Lang) -> Response {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    error!(message, "handler panicked");
    let failure = Failure::at_the_edge(StatusCode::INTERNAL_SERVER_ERROR, Reason::Internal);
    envelope::failure(&failure, lang)
}

fn finish_headers(headers: &mut HeaderMap, request_id: &str, work: &Context) {
    for (name, value) in SECURITY_HEADERS {
        // Pictures may be cached and a page may load its own scripts; they set their own headers.
        headers.entry(name).or_insert(value);
    }
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert(context::REQUEST_ID, value);
    }
    telemetry::inject_headers(work, headers);
}

/// The metrics of a route.
#[derive(Default)]
struct Measured {
    /// By method, reason and status.
    requests: Handles<(&'static str, &'static str, u16), Counter>,
    /// By method.
    seconds: Handles<&'static str, Histogram>,
}

/// Records rate, errors and duration by route.
fn record(method: &Method, route: &str, response: &Response, started: Instant) {
    static ROUTES: LazyLock<Handles<String, Arc<Measured>>> = LazyLock::new(Handles::default);
    let refused = response.extensions().get::<Refused>();
    let reason = refused.map_or("OK", |refused| refused.0.as_str());
    let status = response.status().as_u16();
    let elapsed = started.elapsed();
    let span_status = KeyValue::new("http.response.status_code", i64::from(status));
    Context::map_current(|work| work.span().set_attribute(span_status));
    if status >= 500 || reason == Reason::Internal.as_str() {
        Context::map_current(telemetry::fail);
    }
    // A client can send any method, but the label's values must be few.
    let known = match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::HEAD => "HEAD",
        _ => "other",
    };
    let measured = ROUTES.get(route, Arc::default);
    let requests = || {
        let (route, status) = (route.to_owned(), status.to_string());
        metrics::counter!(
            "http_requests_total",
            "method" => known, "route" => route, "reason" => reason, "status" => status
        )
    };
    let seconds = || {
        let route = route.to_owned();
        metrics::histogram!("http_request_duration_seconds", "method" => known, "route" => route)
    };
    measured
        .requests
        .get(&(known, reason, status), requests)
        .increment(1);
    measured.seconds.get(&known, seconds).record(elapsed);
    // nginx keeps the access log.
    debug!(status, reason, elapsed_ms = elapsed.as_millis(), "answered");
}

/// Answers a request with its route.
async fn dispatch(gateway: Gateway, route: Arc<Route>, request: Request) -> Response<Body> {
    let mut lang = context::lang(request.headers(), None);
    let asked = route.tagged.then(|| request.headers().clone());
    match (answer(gateway, &route, request, &mut lang).await, asked) {
        (Ok(Answer::Data(data)), Some(asked)) => {
            let body = envelope::success_body(lang, route.success, &data);
            etag::conditional(&asked, body.into())
        }
        (Ok(Answer::Data(data)), None) => envelope::success(lang, route.success, &data),
        (Ok(Answer::Whole(response)), _) => response,
        (Err(failure), _) => envelope::failure(&failure, lang),
    }
}

/// Authenticates the caller and calls the handler. `lang` becomes the caller's language once the caller is known.
async fn answer(
    gateway: Gateway,
    route: &Route,
    request: Request,
    lang: &mut Lang,
) -> Result<Answer, Failure> {
    let headers = request.headers();
    let edge = request
        .extensions()
        .get::<Edge>()
        .cloned()
        .ok_or_else(|| Failure::new(Reason::Internal))?;
    let mut caller = Caller {
        lang: lang.code().to_owned(),
        time_zone: context::time_zone(headers),
        request_id: edge.request_id,
        deadline: Deadline::default(),
        ..Caller::system()
    };
    let network_key = identify_network(&gateway, route, headers)?;
    let token = authenticate(&gateway, route, headers, &mut caller, lang).await?;
    lang.code().clone_into(&mut caller.lang);
    caller.idempotency_key = context::idempotency_key(headers)?;
    let is_repeatable = route.keyed && caller.idempotency_key.is_some();
    if Defect::KeyDropped.is_enabled() {
        caller.idempotency_key = None;
    }
    let user_agent = context::user_agent(headers);
    // Dropped with the answer before it is sent, and also if the client goes away: the service may go on.
    let _written = (route.method != Method::GET).then(|| gateway.recent().written_by(&caller));
    let call = Call {
        gateway,
        caller,
        lang: *lang,
        client_address: edge.client_address,
        user_agent,
        token,
        network_key,
        is_repeatable,
    };
    route.serve(call, request).await
}

/// Reads the key that a route for networks requires. Plan checks it.
fn identify_network(
    gateway: &Gateway,
    route: &Route,
    headers: &HeaderMap,
) -> Result<Option<NetworkKey>, Failure> {
    if route.access != Access::Network {
        return Ok(None);
    }
    let key =
        context::network_key(headers).ok_or_else(|| Failure::new(Reason::NotAuthenticated))?;
    gateway.token_limit().check(key.digest())?;
    Ok(Some(key))
}

/// Verifies the token that the route requires and sets its owner in `caller`.
async fn authenticate(
    gateway: &Gateway,
    route: &Route,
    headers: &HeaderMap,
    caller: &mut Caller,
    lang: &mut Lang,
) -> Result<Option<Token>, Failure> {
    let access = route.access;
    if matches!(access, Access::Public | Access::Network) {
        return Ok(None);
    }
    let token = context::token(headers).ok_or_else(|| Failure::new(Reason::NotAuthenticated))?;
    gateway.token_limit().check(token.digest())?;
    match access {
        Access::Public | Access::Network => {}
        Access::User | Access::UserInAnyState => {
            let session = gateway.sessions().user(&token, caller).await?;
            *lang = context::lang(headers, session.lang);
            if access == Access::User {
                refuse_inactive(&session, *lang)?;
            }
            session.identify(caller);
        }
        Access::Staff(roles) => {
            let mut session = gateway.sessions().staff(&token, caller).await?;
            if admit_staff(route, &session).is_err() {
                session = gateway.sessions().staff_now(&token, caller).await?;
            }
            session.identify(caller);
            admit_staff(route, &session)?;
            caller.require_staff(roles)?;
        }
    }
    Ok(Some(token))
}

/// Refuses a session that has to change a one-time password or to show the second factor first.
fn admit_staff(route: &Route, session: &StaffSession) -> Result<(), Failure> {
    if session.must_change_password {
        if !route.admits_one_time_password {
            return Err(Failure::new(Reason::PasswordChangeRequired));
        }
        // It can be enrolled only afterwards. Auth refuses what is not for the member's own password.
        if !session.has_second_factor {
            return Ok(());
        }
    }
    route.demand().check(session, Utc::now())
}
