//! Closing a listener without losing connections.

use tokio::net::TcpListener;

/// Stops new connections on a listener that is about to be closed.
///
/// Closing alone would reset the connections that the kernel has established and the gateway has not accepted yet.
/// Their clients may have sent a request already. With the filter these connections can still be accepted. A client
/// that opens a new one gets no answer, tries again after a second, and is refused then because the listener is
/// closed. It can go to another address.
#[cfg(target_os = "linux")]
pub(super) fn stop_new_connections(listener: &TcpListener) {
    if let Err(error) = filter::drop_syn(listener) {
        // A connection that is established at the moment of closing may be lost.
        tracing::warn!(%error, "cannot stop new connections before closing the listener");
    }
}

/// Other systems have no socket filter: a connection that is established at the moment of closing may be lost.
#[cfg(not(target_os = "linux"))]
pub(super) fn stop_new_connections(_: &TcpListener) {}

#[cfg(target_os = "linux")]
mod filter {
    use socket2::{SockFilter, SockRef};
    use tokio::net::TcpListener;

    // Instructions of the kernel's packet filter (linux/filter.h).
    const LOAD_BYTE: u16 = 0x30;
    const AND: u16 = 0x54;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;

    /// Drops every segment that asks for a new connection.
    pub(super) fn drop_syn(listener: &TcpListener) -> std::io::Result<()> {
        /// Byte of a TCP header that holds the flags.
        const FLAGS: u32 = 13;
        const SYN: u32 = 0x02;
        const ACK: u32 = 0x10;
        let (drop, keep) = (0, u32::MAX);
        SockRef::from(listener).attach_filter(&[
            SockFilter::new(LOAD_BYTE, 0, 0, FLAGS),
            SockFilter::new(AND, 0, 0, SYN | ACK),
            SockFilter::new(JUMP_IF_EQUAL, 0, 1, SYN),
            SockFilter::new(RETURN, 0, 0, drop),
            SockFilter::new(RETURN, 0, 0, keep),
        ])
    }
}
