//! A TCP proxy whose connections a test can cut.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::free_listener;

/// Forwards connections to a server until told otherwise. Ends with this value.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    cuts: watch::Sender<u64>,
    refusing: Arc<AtomicBool>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// A proxy before `target` (`127.0.0.1:5672`).
    pub async fn start(target: &str) -> Self {
        let listener = free_listener().await;
        let address = listener.local_addr().expect("a bound address");
        let (cuts, _) = watch::channel(0);
        let refusing = Arc::new(AtomicBool::new(false));
        let accepting = tokio::spawn(accept(
            listener,
            target.to_owned(),
            cuts.clone(),
            Arc::clone(&refusing),
        ));
        Self {
            address,
            cuts,
            refusing,
            accepting,
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cuts every connection that is open now.
    pub fn cut(&self) {
        self.cuts.send_modify(|count| *count += 1);
    }

    /// Whether new connections are refused; open ones are not touched.
    pub fn refuse(&self, refuse: bool) {
        self.refusing.store(refuse, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

async fn accept(
    listener: TcpListener,
    target: String,
    cuts: watch::Sender<u64>,
    refusing: Arc<AtomicBool>,
) {
    while let Ok((mut client, _)) = listener.accept().await {
        if refusing.load(Ordering::SeqCst) {
            continue;
        }
        let mut cut = cuts.subscribe();
        let target = target.clone();
        tokio::spawn(async move {
            let Ok(mut server) = TcpStream::connect(target).await else {
                return;
            };
            tokio::select! {
                _ = tokio::io::copy_bidirectional(&mut client, &mut server) => {}
                _ = cut.changed() => {}
            }
        });
    }
}
