//! A gRPC service without a schema, and helpers of several tests.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use adfolio_kit::broker::Broker;
use adfolio_kit::client::Channel;
use adfolio_kit::config::ServerArgs;
use adfolio_kit::policy::{PLAN, ServicePolicy};
use adfolio_kit::server::Server;
use adfolio_kit::shutdown::Shutdown;
use adfolio_testkit::{Proxy, RunningService, TestBroker, spawn_service};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use http::uri::PathAndQuery;
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::codegen::StdError;
use tonic::server::NamedService;
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;
use tower::Service;

type Answer = Result<Response<String>, Status>;
type Handle = Arc<dyn Fn(Request<String>) -> BoxFuture<'static, Answer> + Send + Sync>;

/// Answers every method with one function over strings.
#[derive(Clone)]
pub struct Echo(Handle);

impl Echo {
    pub fn new<F, Fut>(handle: F) -> Self
    where
        F: Fn(Request<String>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        Self(Arc::new(move |request| handle(request).boxed()))
    }
}

impl NamedService for Echo {
    const NAME: &'static str = "adfolio.test.Echo";
}

impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let method = Method(Arc::clone(&self.0));
        async move {
            Ok(
                tonic::server::Grpc::new(ProstCodec::<String, String>::default())
                    .unary(method, request)
                    .await,
            )
        }
        .boxed()
    }
}

struct Method(Handle);

impl Service<Request<String>> for Method {
    type Response = Response<String>;
    type Error = Status;
    type Future = BoxFuture<'static, Answer>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<String>) -> Self::Future {
        (self.0)(request)
    }
}

/// Answers every method with one string and then leaves the stream open.
#[derive(Clone)]
pub struct Drip;

impl NamedService for Drip {
    const NAME: &'static str = "adfolio.test.Drip";
}

impl Service<http::Request<Body>> for Drip {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let answer = tower::service_fn(|request: Request<String>| async move {
            let first = futures::stream::iter([Ok::<_, Status>(request.into_inner())]);
            Ok::<_, Status>(Response::new(first.chain(futures::stream::pending())))
        });
        async move {
            Ok(
                tonic::server::Grpc::new(ProstCodec::<String, String>::default())
                    .server_streaming(answer, request)
                    .await,
            )
        }
        .boxed()
    }
}

/// Calls [`Drip`] and returns the stream.
pub async fn drip<T>(channel: T, limit: Duration) -> Streaming<String>
where
    T: GrpcService<Body>,
    T::Error: std::fmt::Debug + Into<StdError>,
    T::ResponseBody: http_body::Body<Data = bytes::Bytes> + Send + 'static,
    <T::ResponseBody as http_body::Body>::Error: Into<StdError> + Send,
{
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let mut request = Request::new("first".to_owned());
    request.set_timeout(limit);
    let path = PathAndQuery::from_static("/adfolio.test.Drip/Drip");
    client
        .server_streaming(request, path, ProstCodec::<String, String>::default())
        .await
        .unwrap()
        .into_inner()
}

/// Who may call the echo service if callers have certificates.
pub const ECHO_POLICIES: &[ServicePolicy] = &[ServicePolicy {
    service: Echo::NAME,
    methods: &[("Echo", &[PLAN])],
}];

/// Calls the echo service.
pub async fn call(channel: Channel, request: Request<String>) -> Answer {
    call_method(channel, "/adfolio.test.Echo/Echo", request).await
}

/// Calls any method with the echo service's types.
pub async fn call_method(channel: Channel, path: &'static str, request: Request<String>) -> Answer {
    let mut client = tonic::client::Grpc::new(channel);
    client
        .ready()
        .await
        .map_err(|error| Status::unavailable(error.to_string()))?;
    let path = PathAndQuery::from_static(path);
    client
        .unary(request, path, ProstCodec::<String, String>::default())
        .await
}

/// Runs the echo service on a free port.
pub async fn run_echo(echo: Echo, drain_limit_seconds: u64) -> RunningService {
    let args = ServerArgs {
        drain_limit_seconds,
        ..ServerArgs::default()
    };
    spawn_service(move |listener, shutdown: Shutdown| async move {
        Server::new("echo", &args)
            .add_service(echo)
            .serve(listener, &shutdown)
            .await
            .map_err(Into::into)
    })
    .await
}

/// A short limit for calls of tests.
pub const CALL_LIMIT: Duration = Duration::from_secs(5);

/// The address of the broker of `AMQP_URL`, for proxies.
pub fn broker_address() -> String {
    let url = std::env::var("AMQP_URL").expect("AMQP_URL");
    let rest = url.rsplit('@').next().unwrap_or_default();
    rest.trim_start_matches("amqp://")
        .split('/')
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The broker's URL with another address.
pub fn broker_url_at(address: std::net::SocketAddr) -> String {
    std::env::var("AMQP_URL")
        .expect("AMQP_URL")
        .replace(&broker_address(), &address.to_string())
}

/// Two addresses of the broker, in the place of two nodes.
pub struct Nodes(pub [Proxy; 2]);

impl Nodes {
    pub async fn start() -> Self {
        let address = broker_address();
        Self([Proxy::start(&address).await, Proxy::start(&address).await])
    }

    /// A broker that knows both, behind one that never answers.
    pub fn broker(&self, namespace: &TestBroker) -> Broker {
        let Self([first, second]) = self;
        let both = format!("127.0.0.1:1,{},{}", first.address(), second.address());
        let url = broker_url_at(first.address()).replace(&first.address().to_string(), &both);
        Broker::new(&namespace.args_at(&url)).expect("a valid URL")
    }

    /// Loses a node.
    pub fn lose(&self, node: usize) {
        self.0[node].refuse(true);
        self.0[node].cut();
    }

    /// Lets a node answer again.
    pub fn bring_back(&self, node: usize) {
        self.0[node].refuse(false);
    }

    /// How many connections each has.
    pub fn connections(&self) -> [usize; 2] {
        [0, 1].map(|node: usize| self.0[node].connections())
    }
}
