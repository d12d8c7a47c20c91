//! The HTTP server: bounded connections, a limit for reading headers, and a shutdown that loses no request.
//!
//! A client may send a request at the moment when the gateway closes its idle connection. It cannot know then whether
//! the request was seen. So after the shutdown signal the gateway keeps accepting connections for a while, and every
//! answer announces that its connection closes. Meanwhile load balancers notice that this gateway is not ready, and a
//! proxy closes its idle connections. Then the listener is closed and running requests are answered.

mod listener;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::shutdown::Shutdown;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tower::ServiceExt;
use tracing::{debug, info, warn};

use crate::edge::Peer;

/// Maximum size of a request's line and headers, in bytes.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Wait after a failed accept, most likely because file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Time for the kernel to complete connections that are being established when the listener closes.
const LAST_CONNECTIONS: Duration = Duration::from_millis(50);

/// Time for the last accepted connections to send their request.
const LAST_REQUESTS: Duration = Duration::from_secs(1);

/// How connections are served.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Maximum number of connections; further ones wait to be accepted.
    pub max_connections: u32,
    /// How long a client may take to send the headers of its next request.
    pub header_read_timeout: Duration,
    /// How long connections are accepted after the shutdown, each for one request; at most half of the drain limit.
    pub notice: Duration,
    /// How long running requests may take after the shutdown.
    pub drain_limit: Duration,
}

/// Serves until the shutdown, then gives notice, triggers `closing` when it accepts no more connections, and lets
/// running requests end within the drain limit.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ServerLimits,
    (shutdown, closing): (Shutdown, Shutdown),
) -> anyhow::Result<()> {
    let max_connections = usize::try_from(limits.max_connections)?;
    let server = Server {
        router,
        limits,
        shutdown: shutdown.clone(),
        permits: Arc::new(Semaphore::new(max_connections)),
        connections: GracefulShutdown::new(),
    };
    info!(address = %listener.local_addr()?, "serving");
    server.accept_until(&listener, shutdown.cancelled()).await?;
    let asked = Instant::now();
    let notice = limits.notice.min(limits.drain_limit / 2);
    server
        .accept_until(&listener, sleep_until(asked + notice))
        .await?;
    closing.trigger();
    if !notice.is_zero() {
        listener::stop_new_connections(&listener);
        let last = sleep_until(Instant::now() + LAST_CONNECTIONS);
        server.accept_until(&listener, last).await?;
    }
    drop(listener);
    let all_ended = server.permits.acquire_many(limits.max_connections);
    let _ = timeout(LAST_REQUESTS.min(notice), all_ended).await;
    // Only clients that ignored the notice still keep idle connections. The limit ends the wait for silent ones.
    if timeout_at(asked + limits.drain_limit, server.connections.shutdown())
        .await
        .is_err()
    {
        warn!("connections did not end within the drain limit");
    }
    Ok(())
}

struct Server {
    router: Router,
    limits: ServerLimits,
    shutdown: Shutdown,
    permits: Arc<Semaphore>,
    connections: GracefulShutdown,
}

impl Server {
    /// Accepts connections and serves each in a task of its own, until `stop`.
    async fn accept_until(
        &self,
        listener: &TcpListener,
        stop: impl Future<Output = ()>,
    ) -> anyhow::Result<()> {
        tokio::pin!(stop);
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(&self.permits).acquire_owned() => permit?,
                () = &mut stop => return Ok(()),
            };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut stop => return Ok(()),
            };
            match accepted {
                Ok((stream, peer)) => self.serve_connection(stream, peer, permit),
                Err(error) => {
                    warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn serve_connection(&self, stream: TcpStream, peer: SocketAddr, permit: OwnedSemaphorePermit) {
        // Answers are written at once, so waiting for more data would only delay them.
        let _ = stream.set_nodelay(true);
        let (router, shutdown) = (self.router.clone(), self.shutdown.clone());
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            let answer = router.clone().oneshot(request.map(Body::new));
            let shutdown = shutdown.clone();
            async move {
                let mut answer = answer.await.unwrap_or_else(|never| match never {});
                if shutdown.is_triggered() {
                    let close = HeaderValue::from_static("close");
                    answer.headers_mut().insert(header::CONNECTION, close);
                }
                Ok::<_, Infallible>(answer)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_read_timeout)
            .max_buf_size(MAX_HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let watched = self.connections.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = watched.await {
                debug!(%error, "connection ended early");
            }
            drop(permit);
        });
    }
}
