//! Incoming connections: unencrypted, or TLS with a client certificate.

use std::future::ready;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::TcpListenerStream;
use tokio_util::either::Either;
use tonic::transport::server::Connected;
use tracing::{debug, warn};

use super::linger::Lingering;
use crate::tls::{Tls, names_of};

/// Limit of a TLS handshake.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(5);

/// Most handshakes in progress; further connections wait in the kernel's queue.
const MAX_HANDSHAKES: usize = 512;

/// The connections of a listener. Handshakes run in parallel, so that a slow one delays no other;
/// they end with the stream.
pub(super) fn incoming(
    listener: TcpListener,
    tls: Option<Tls>,
) -> impl Stream<Item = io::Result<Connection>> {
    TcpListenerStream::new(listener)
        .map(move |accepted| establish(accepted, tls.clone()))
        .buffer_unordered(MAX_HANDSHAKES)
        .filter_map(ready)
}

/// A connection that may make calls; none if its handshake failed, which affects no other.
async fn establish(
    accepted: io::Result<TcpStream>,
    tls: Option<Tls>,
) -> Option<io::Result<Connection>> {
    let stream = match accepted.and_then(Lingering::new) {
        Ok(stream) => stream,
        Err(error) => return Some(Err(error)),
    };
    let Some(tls) = tls else {
        return Some(Ok(Connection(Either::Left(stream))));
    };
    let address = stream.peer_address();
    let error = match timeout(HANDSHAKE_LIMIT, tls.accept(stream)).await {
        Ok(Ok(stream)) => return Some(Ok(Connection(Either::Right(Box::new(stream))))),
        Ok(Err(error)) => error,
        Err(_) => io::ErrorKind::TimedOut.into(),
    };
    metrics::counter!("tls_handshakes_failed_total").increment(1);
    if error.kind() == io::ErrorKind::UnexpectedEof {
        // A port check.
        debug!(?address, %error, "connection ended before its handshake");
    } else {
        warn!(?address, %error, "connection without a good certificate was refused");
    }
    None
}

/// One connection.
pub(super) struct Connection(Either<Lingering, Box<TlsStream<Lingering>>>);

/// The peer. Every request carries it as an extension.
#[derive(Clone, Debug)]
pub(super) struct Peer(Arc<[String]>);

impl Peer {
    /// The DNS names of its certificate; none if unencrypted.
    pub(super) fn names(&self) -> &[String] {
        &self.0
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        let names = match &self.0 {
            Either::Left(_) => Vec::new(),
            Either::Right(stream) => {
                let (_, session) = stream.get_ref();
                let shown = session.peer_certificates().unwrap_or_default();
                shown.first().map(names_of).unwrap_or_default()
            }
        };
        Peer(names.into())
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    /// With TLS the close-notify is sent first; then the connection lingers like an unencrypted
    /// one.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }
}
