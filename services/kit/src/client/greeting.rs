//! Connections that tell when the other side has spoken first.
//!
//! The kernel makes a connection before the server has taken it, and ends it when the server goes away without. Calls that
//! were sent by then are lost with it, and nobody can tell whether they were seen. A server that has taken a connection says
//! so at once, with its settings: calls wait for that.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// A TCP connection whose first incoming byte is told.
#[derive(Debug)]
pub(super) struct Greeting {
    stream: TcpStream,
    heard: Option<oneshot::Sender<()>>,
}

impl Greeting {
    /// The connection, and what ends with the first byte of the server, or with an error when the connection ends before.
    pub(super) fn new(stream: TcpStream) -> (Self, oneshot::Receiver<()>) {
        let (heard, hearing) = oneshot::channel();
        let greeting = Self {
            stream,
            heard: Some(heard),
        };
        (greeting, hearing)
    }
}

impl AsyncRead for Greeting {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if buffer.filled().len() > before
            && let Some(heard) = self.heard.take()
        {
            // Whoever wanted to know may have given up.
            let _ = heard.send(());
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Greeting {
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
        Pin::new(&mut self.stream).poll_shutdown(context)
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
