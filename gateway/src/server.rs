//! The HTTP server: bounded connections, a limit for reading headers, a graceful end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::shutdown::Shutdown;
use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;
use tracing::{debug, info, warn};

use crate::edge::Peer;

/// Bytes of a request's line and headers at most.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// After a failed accept (out of descriptors, most likely) the next one waits a little.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How connections are served.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Connections at a time; further ones wait to be accepted.
    pub max_connections: u32,
    /// How long a client may take for the headers of its next request.
    pub header_read_timeout: Duration,
    /// How long running requests may take to end after the shutdown.
    pub drain_limit: Duration,
}

/// Serves until the shutdown, then lets running requests end within the drain limit.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ServerLimits,
    shutdown: Shutdown,
) -> anyhow::Result<()> {
    let permits = Arc::new(Semaphore::new(usize::try_from(limits.max_connections)?));
    let connections = GracefulShutdown::new();
    info!(address = %listener.local_addr()?, "serving");
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&permits).acquire_owned() => permit?,
            () = shutdown.cancelled() => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                serve_connection(stream, peer, router.clone(), limits, &connections, permit);
            }
            Err(error) => {
                warn!(%error, "connection cannot be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    // A silent peer would otherwise hold the end up for ever.
    if tokio::time::timeout(limits.drain_limit, connections.shutdown())
        .await
        .is_err()
    {
        warn!("connections did not end within the drain limit");
    }
    Ok(())
}

fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limits: ServerLimits,
    connections: &GracefulShutdown,
    permit: OwnedSemaphorePermit,
) {
    // Answers are written whole; waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        let answer = router.clone().oneshot(request.map(Body::new));
        async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_read_timeout)
        .max_buf_size(MAX_HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let watched = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = watched.await {
            debug!(%error, "connection ended early");
        }
        drop(permit);
    });
}
