//! A service running inside the test, on a free port.

use std::net::SocketAddr;

use adfolio_kit::client::{self, Channel, ClientOptions};
use adfolio_kit::shutdown::Shutdown;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::{WAIT_LIMIT, eventually};

/// A listener on a free port of the loopback interface.
pub async fn free_listener() -> TcpListener {
    TcpListener::bind(("127.0.0.1", 0))
        .await
        .expect("a free port")
}

/// A service that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct RunningService {
    /// Its address.
    pub address: SocketAddr,
    /// Its shutdown.
    pub shutdown: Shutdown,
    task: Option<JoinHandle<anyhow::Result<()>>>,
}

/// Runs `run(listener, shutdown)` and returns once its health answers SERVING.
pub async fn spawn_service<F, Fut>(run: F) -> RunningService
where
    F: FnOnce(TcpListener, Shutdown) -> Fut,
    Fut: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    let listener = free_listener().await;
    let address = listener.local_addr().expect("a bound address");
    let shutdown = Shutdown::manual();
    let task = tokio::spawn(run(listener, shutdown.clone()));
    let service = RunningService {
        address,
        shutdown,
        task: Some(task),
    };
    service.wait_until_serving().await;
    service
}

impl RunningService {
    /// Its URL, for the configuration of other services.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A channel to it, for any generated client.
    pub fn channel(&self) -> Channel {
        client::connect(&self.url(), ClientOptions::default()).expect("a valid URL")
    }

    /// Stops it in order and returns the result of `run`.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.shutdown.trigger();
        let task = self.task.take().expect("a running service");
        tokio::time::timeout(WAIT_LIMIT, task)
            .await
            .expect("the service ends in time")
            .expect("the service does not panic")
    }

    /// Kills it in the middle of whatever it does.
    pub async fn kill(mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            let _ = task.await;
        }
        self.shutdown.trigger();
    }

    async fn wait_until_serving(&self) {
        let channel = self.channel();
        eventually("the service is serving", || {
            assert!(
                !self.task.as_ref().is_some_and(JoinHandle::is_finished),
                "the service ended while starting"
            );
            let mut health = HealthClient::new(channel.clone());
            async move {
                let answer = health.check(HealthCheckRequest::default()).await;
                answer.is_ok_and(|answer| answer.into_inner().status() == ServingStatus::Serving)
            }
        })
        .await;
    }
}

impl Drop for RunningService {
    fn drop(&mut self) {
        self.shutdown.trigger();
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}
