//! Connections that close gracefully.
//!
//! A server that shuts down names the last call it accepts (GOAWAY) and closes. If a client's next
//! call is in flight at that moment, closing at once makes the kernel answer with a reset; the
//! client's write then fails before it has read the GOAWAY, and it cannot tell whether the call was
//! seen. So only the sending side is closed, and incoming data is read and dropped until the client
//! closes too.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// How long a client may take to close its side.
const LINGER_LIMIT: Duration = Duration::from_secs(1);

/// A TCP connection that waits for its peer when it closes.
#[derive(Debug)]
pub(super) struct Lingering {
    stream: TcpStream,
    limit: Option<Pin<Box<Sleep>>>,
}

impl Lingering {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        // Answers are small and awaited.
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            limit: None,
        })
    }

    /// The peer's address.
    pub(super) fn peer_address(&self) -> Option<SocketAddr> {
        self.stream.peer_addr().ok()
    }

    /// Reads and drops data until the peer closes.
    fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut space = [0; 4096];
        loop {
            let mut buffer = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncRead for Lingering {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Lingering {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.limit.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.limit = Some(Box::pin(sleep(LINGER_LIMIT)));
        }
        if self.poll_drain(context).is_ready() {
            // Closed or broken: nobody is left to wait for.
            return Poll::Ready(Ok(()));
        }
        match &mut self.limit {
            Some(limit) => limit.as_mut().poll(context).map(Ok),
            None => Poll::Ready(Ok(())),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
