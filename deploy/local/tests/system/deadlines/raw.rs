//! A caller without any limit of its own: only the server ends a call.

use std::{
    future::Future,
    pin::Pin,
    str::FromStr as _,
    task::{Context, Poll},
    time::Duration,
};

use adfolio_local::{Service, Stack};
use bytes::{Buf as _, BufMut as _, Bytes};
use futures::{FutureExt as _, StreamExt as _, stream};
use http::{Uri, uri::PathAndQuery};
use hyper::{
    body::Incoming,
    client::conn::http2::{self, SendRequest},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{net::TcpStream, time::Instant};
use tonic::{
    Code, Request, Status,
    body::Body,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};
use uuid::Uuid;

use super::contract::{Method, NOBODY};

/// How a call ended.
#[derive(Debug)]
pub struct Ended {
    /// The id that the call sent.
    pub request_id: String,
    pub code: Code,
    pub message: String,
    pub after: Duration,
}

/// One connection to one service.
#[derive(Clone)]
pub struct Raw {
    sender: SendRequest<Body>,
    origin: Uri,
}

impl Raw {
    pub async fn connect(stack: &Stack, service: Service) -> Self {
        let origin = Uri::from_str(&stack.grpc_url(service)).unwrap();
        let stream = TcpStream::connect(origin.authority().unwrap().as_str())
            .await
            .unwrap();
        let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        Self { sender, origin }
    }

    /// Calls a method as an admin who is also this user, and reads the whole answer. A caller of a
    /// stream leaves it open if there is a deadline.
    pub async fn call(&self, method: &Method, user: &str, timeout: Option<Duration>) -> Ended {
        let keeps_open = method.takes_stream && timeout.is_some();
        let first = stream::iter(method.messages.clone());
        let rest = if keeps_open {
            stream::pending().boxed()
        } else {
            stream::empty().boxed()
        };
        let request_id = Uuid::now_v7().to_string();
        let mut request = Request::new(first.chain(rest));
        let metadata = request.metadata_mut();
        for (name, value) in [
            ("x-user-id", user),
            ("x-staff-id", NOBODY),
            ("x-staff-role", "admin"),
            ("x-request-id", &request_id),
            ("idempotency-key", &method.path),
        ] {
            metadata.insert(name, value.parse().unwrap());
        }
        if let Some(timeout) = timeout {
            request.set_timeout(timeout);
        }
        let began = Instant::now();
        let status = self.answer(method, request).await.err();
        let status = status.unwrap_or_else(|| Status::ok(""));
        Ended {
            request_id,
            code: status.code(),
            message: status.message().to_owned(),
            after: began.elapsed(),
        }
    }

    async fn answer<S>(&self, method: &Method, request: Request<S>) -> Result<(), Status>
    where
        S: futures::Stream<Item = Bytes> + Send + 'static,
    {
        let mut client = tonic::client::Grpc::with_origin(self.clone(), self.origin.clone());
        client
            .ready()
            .await
            .map_err(|error| Status::unknown(error.to_string()))?;
        let path = PathAndQuery::from_str(&method.path).unwrap();
        let mut answer = client.streaming(request, path, Plain).await?.into_inner();
        while answer.message().await?.is_some() {}
        Ok(())
    }
}

impl tower::Service<http::Request<Body>> for Raw {
    type Response = http::Response<Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, hyper::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), hyper::Error>> {
        self.sender.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        self.sender.send_request(request).boxed()
    }
}

/// Messages as raw bytes.
#[derive(Clone, Copy)]
struct Plain;

impl Codec for Plain {
    type Encode = Bytes;
    type Decode = ();
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put(message);
        Ok(())
    }
}

impl Decoder for Plain {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        from.advance(from.remaining());
        Ok(Some(()))
    }
}
