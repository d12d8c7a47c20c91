//! Closing a listener so that nobody loses a connection by it.

use socket2::{SockFilter, SockRef};
use tokio::net::TcpListener;
use tracing::warn;

/// Byte of a TCP header that holds the flags.
const FLAGS: u32 = 13;
const SYN: u32 = 0x02;
const ACK: u32 = 0x10;

// Instructions of the kernel's packet filter (linux/filter.h).
const LOAD_BYTE: u16 = 0x30;
const AND: u16 = 0x54;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
const DROP: u32 = 0;
const KEEP: u32 = u32::MAX;

/// Lets no new connection begin. Those that are being made come to their end and can be accepted; who asks for a new one is not
/// heard, asks again after a second, and is then refused, because the listener is closed: whoever knows another address goes
/// there.
///
/// Closing alone would reset the connections that the kernel has made and nobody has accepted. Their clients believe in them,
/// and have perhaps sent a request.
pub(super) fn take_no_more(listener: &TcpListener) {
    let filter = [
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS),
        SockFilter::new(AND, 0, 0, SYN | ACK),
        SockFilter::new(JUMP_IF_EQUAL, 0, 1, SYN),
        SockFilter::new(RETURN, 0, 0, DROP),
        SockFilter::new(RETURN, 0, 0, KEEP),
    ];
    if let Err(error) = SockRef::from(listener).attach_filter(&filter) {
        // Then a connection that is made at the very moment of closing may be lost.
        warn!(%error, "new connections cannot be held back");
    }
}
