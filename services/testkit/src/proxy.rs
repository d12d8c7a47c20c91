//! A TCP proxy whose connections a test can cut and delay.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::free_listener;

/// Bytes forwarded at once.
const CHUNK_BYTES: usize = 16 * 1024;

/// The settings of the test.
#[derive(Debug)]
struct Orders {
    target: Mutex<String>,
    cuts: watch::Sender<u64>,
    open: AtomicUsize,
    refusing: AtomicBool,
    delay_micros: AtomicU64,
}

/// Forwards connections to a server. Ends with this value.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    orders: Arc<Orders>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// A proxy in front of `target` (`127.0.0.1:5672`).
    pub async fn start(target: &str) -> Self {
        let listener = free_listener().await;
        let address = listener.local_addr().expect("a bound address");
        let orders = Arc::new(Orders {
            target: Mutex::new(target.to_owned()),
            cuts: watch::channel(0).0,
            open: AtomicUsize::new(0),
            refusing: AtomicBool::new(false),
            delay_micros: AtomicU64::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&orders)));
        Self {
            address,
            orders,
            accepting,
        }
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Leads new connections to another server; open ones stay where they lead.
    pub fn lead_to(&self, target: &str) {
        let mut present = self.orders.target.lock();
        target.clone_into(present.as_mut().expect("nobody panics with it"));
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.orders.open.load(Ordering::SeqCst)
    }

    /// Cuts all open connections.
    pub fn cut(&self) {
        self.orders.cuts.send_modify(|count| *count += 1);
    }

    /// Whether new connections are refused; open ones are not affected.
    pub fn refuse(&self, refuse: bool) {
        self.orders.refusing.store(refuse, Ordering::SeqCst);
    }

    /// Delays everything in both directions.
    pub fn delay(&self, delay: Duration) {
        let micros = u64::try_from(delay.as_micros()).unwrap_or(u64::MAX);
        self.orders.delay_micros.store(micros, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

async fn accept(listener: TcpListener, orders: Arc<Orders>) {
    while let Ok((client, _)) = listener.accept().await {
        if orders.refusing.load(Ordering::SeqCst) {
            continue;
        }
        let mut cut = orders.cuts.subscribe();
        let orders = Arc::clone(&orders);
        tokio::spawn(async move {
            orders.open.fetch_add(1, Ordering::SeqCst);
            tokio::select! {
                _ = forward(client, &orders) => {}
                _ = cut.changed() => {}
            }
            orders.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn forward(client: TcpStream, orders: &Orders) -> std::io::Result<()> {
    let target = orders.target.lock().expect("nobody panics with it").clone();
    let server = TcpStream::connect(target).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let (up, down) = tokio::join!(
        pump(from_client, to_server, orders),
        pump(from_server, to_client, orders)
    );
    up.and(down)
}

async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    orders: &Orders,
) -> std::io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let length = from.read(&mut chunk).await?;
        if length == 0 {
            return to.shutdown().await;
        }
        let delay = Duration::from_micros(orders.delay_micros.load(Ordering::SeqCst));
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        to.write_all(&chunk[..length]).await?;
    }
}
