//! A proxy between auth and its callers: records the timeout of each look-up of users, and delays
//! answers.

use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use adfolio_kit::{
    client::{Channel, ClientOptions, connect},
    deadline::parse_grpc_timeout,
};
use adfolio_testkit::free_listener;
use futures::{FutureExt as _, future::BoxFuture};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Status, body::Body, server::NamedService};

/// A look-up: the call it was made for, and its timeout.
#[derive(Clone, Debug)]
pub struct Question {
    /// The id of the call.
    pub on_behalf_of: String,
    pub timeout: Duration,
}

/// The user directory as seen by other services. Cheap to clone.
#[derive(Clone, Default)]
pub struct Recorder {
    auth: Arc<OnceLock<Channel>>,
    holds: Arc<AtomicBool>,
    questions: Arc<Mutex<Vec<Question>>>,
}

impl Recorder {
    /// A listening proxy, and its URL. Refuses until it knows auth.
    pub async fn start() -> (Self, String) {
        let recorder = Self::default();
        let listener = free_listener().await;
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = tonic::transport::Server::builder().add_service(recorder.clone());
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        (recorder, url)
    }

    /// Forwards look-ups to this URL.
    pub fn pass_on_to(&self, auth_url: &str) {
        let channel = connect(auth_url, ClientOptions::default()).unwrap();
        self.auth.set(channel).expect("told once");
    }

    /// Whether answers are withheld forever, like those of a frozen process.
    pub fn hold(&self, holds: bool) {
        self.holds.store(holds, Ordering::SeqCst);
    }

    /// The look-ups since the last call.
    pub fn take(&self) -> Vec<Question> {
        std::mem::take(&mut *self.questions.lock().unwrap())
    }

    fn note(&self, request: &http::Request<Body>) {
        let header = |name| {
            let value = request.headers().get(name);
            value.and_then(|value| value.to_str().ok()).unwrap_or("")
        };
        self.questions.lock().unwrap().push(Question {
            on_behalf_of: header("x-request-id").to_owned(),
            timeout: parse_grpc_timeout(header("grpc-timeout")).unwrap_or(Duration::MAX),
        });
    }
}

impl NamedService for Recorder {
    const NAME: &'static str = "adfolio.auth.v1.UserDirectoryService";
}

impl tower::Service<http::Request<Body>> for Recorder {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        self.note(&request);
        let recorder = self.clone();
        async move {
            if recorder.holds.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            let answer = match recorder.auth.get() {
                Some(auth) => auth.clone().call(request).await,
                None => Err(Status::unavailable("auth is not known yet")),
            };
            Ok(answer.unwrap_or_else(Status::into_http))
        }
        .boxed()
    }
}
