//! The gRPC server: deadlines, panics, readiness, and its end.

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::client::{self, ClientOptions};
use adfolio_kit::config::ServerArgs;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::server::Server;
use adfolio_kit::service::Service;
use adfolio_kit::shutdown::{Shutdown, Tasks, TasksError};
use adfolio_testkit::{eventually, free_listener, spawn_service, within_limit};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tonic::transport::Endpoint;
use tonic::{Code, Request, Response};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::helpers::{Drip, Echo, call, drip, run_echo};

const DRAIN_SECONDS: u64 = 5;

#[tokio::test]
async fn a_handler_past_its_deadline_is_ended_and_sees_what_is_left() {
    let echo = Echo::new(|request| async move {
        let caller = Caller::from_request(&request);
        assert!(request.extensions().get::<Deadline>().is_some());
        let left = caller.deadline.remaining();
        if request.get_ref() == "slow" {
            std::future::pending::<()>().await;
        }
        Ok(Response::new(left.as_millis().to_string()))
    });
    let service = run_echo(echo, DRAIN_SECONDS).await;
    let mut request = Request::new("fast".to_owned());
    request.set_timeout(Duration::from_secs(2));
    let left: u64 = call(service.channel(), request)
        .await
        .unwrap()
        .into_inner()
        .parse()
        .unwrap();
    assert!((1..=2000).contains(&left));
    // The client asks for more than the cap: the cap applies.
    let mut request = Request::new("fast".to_owned());
    request.set_timeout(Duration::from_mins(1));
    let left: u64 = call(service.channel(), request)
        .await
        .unwrap()
        .into_inner()
        .parse()
        .unwrap();
    assert!(left <= 10_000);
    let mut request = Request::new("slow".to_owned());
    request.set_timeout(Duration::from_millis(200));
    let answer = within_limit("the call", call(service.channel(), request)).await;
    assert_eq!(answer.unwrap_err().code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_stream_that_stops_is_ended_at_the_deadline_of_its_call() {
    let service = spawn_service(|listener, shutdown: Shutdown| async move {
        Server::new("drip", &ServerArgs::default())
            .add_service(Drip)
            .serve(listener, &shutdown)
            .await
            .map_err(Into::into)
    })
    .await;
    // This client only limits the beginning of an answer.
    let url = format!("http://{}", service.address);
    let channel = Endpoint::from_shared(url).unwrap().connect_lazy();
    let mut stream = drip(channel, Duration::from_millis(300)).await;
    assert_eq!(stream.message().await.unwrap().unwrap(), "first");
    let ended = within_limit("the stream", stream.message()).await;
    assert_eq!(ended.unwrap_err().code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_panic_in_a_handler_is_an_internal_error_of_that_call_alone() {
    let echo = Echo::new(|request| async move {
        assert!(request.get_ref() != "panic", "on purpose");
        Ok(Response::new(request.into_inner()))
    });
    let service = run_echo(echo, DRAIN_SECONDS).await;
    let channel = service.channel();
    let status = call(channel.clone(), Request::new("panic".to_owned()))
        .await
        .unwrap_err();
    assert_eq!(
        Refusal::from_status(&status).unwrap().reason,
        Reason::Internal
    );
    assert_eq!(
        call(channel, Request::new("fine".to_owned()))
            .await
            .unwrap()
            .into_inner(),
        "fine"
    );
    service.stop().await.unwrap();
}

#[tokio::test]
async fn a_running_call_is_answered_before_the_end() {
    let (entered, leave) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (told, allowed) = (Arc::clone(&entered), Arc::clone(&leave));
    let echo = Echo::new(move |_| {
        told.notify_one();
        let allowed = Arc::clone(&allowed);
        async move {
            allowed.notified().await;
            Ok(Response::new("done".to_owned()))
        }
    });
    let service = run_echo(echo, DRAIN_SECONDS).await;
    let running = tokio::spawn(call(service.channel(), Request::new(String::new())));
    entered.notified().await;
    let shutdown = service.shutdown.clone();
    let goes_on = async {
        shutdown.cancelled().await;
        leave.notify_one();
    };
    let (stopped, ()) = tokio::join!(service.stop(), goes_on);
    stopped.unwrap();
    assert_eq!(running.await.unwrap().unwrap().into_inner(), "done");
}

#[tokio::test]
async fn a_silent_peer_does_not_keep_the_server_from_ending() {
    let service = run_echo(
        Echo::new(|request| async { Ok(Response::new(request.into_inner())) }),
        DRAIN_SECONDS,
    )
    .await;
    let silent = TcpStream::connect(service.address).await.unwrap();
    // The connection is accepted once a later one was served.
    call(service.channel(), Request::new("here".to_owned()))
        .await
        .unwrap();
    service.stop().await.unwrap();
    drop(silent);
}

#[tokio::test]
async fn the_admin_port_tells_health_readiness_and_metrics() {
    let free = free_listener().await;
    let admin_addr = free.local_addr().unwrap();
    drop(free);
    let args = ServerArgs {
        admin_addr: Some(admin_addr),
        drain_limit_seconds: DRAIN_SECONDS,
        ..ServerArgs::default()
    };
    let _ = adfolio_kit::telemetry::install_metrics("test");
    let shutdown = Shutdown::manual();
    let service = Service::start("test", &args, shutdown.clone())
        .await
        .unwrap();
    let flag = service.readiness.register_flag("warm");
    assert_eq!(status_of(admin_addr, "/healthz").await, 200);
    assert_eq!(status_of(admin_addr, "/readyz").await, 503);
    assert_eq!(probe(admin_addr, "").await, Ok(ServingStatus::NotServing));
    assert_eq!(
        probe(admin_addr, "liveness").await,
        Ok(ServingStatus::Serving)
    );
    flag.set(true);
    // More may follow, until it serves.
    assert_eq!(status_of(admin_addr, "/readyz").await, 503);
    let waiting = shutdown.clone();
    let running = tokio::spawn(service.serve_with(async move {
        waiting.cancelled().await;
        Ok(())
    }));
    eventually("it serves", || async {
        status_of(admin_addr, "/readyz").await == 200
    })
    .await;
    assert_eq!(probe(admin_addr, "").await, Ok(ServingStatus::Serving));
    assert_eq!(probe(admin_addr, "livenes").await, Err(Code::NotFound));
    assert_eq!(status_of(admin_addr, "/metrics").await, 200);
    shutdown.trigger();
    running.await.unwrap().unwrap();
}

/// The answer to a Kubernetes probe, which uses gRPC's health protocol without TLS.
async fn probe(address: std::net::SocketAddr, service: &str) -> Result<ServingStatus, Code> {
    let channel = client::connect(&format!("http://{address}"), ClientOptions::default()).unwrap();
    let request = HealthCheckRequest {
        service: service.to_owned(),
    };
    match HealthClient::new(channel).check(request).await {
        Ok(answer) => Ok(answer.into_inner().status()),
        Err(status) => Err(status.code()),
    }
}

/// The status code of a plain HTTP/1.1 GET.
async fn status_of(address: std::net::SocketAddr, path: &str) -> u16 {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_background_task_that_panics_ends_the_process_with_an_error() {
    let shutdown = Shutdown::manual();
    let tasks = Tasks::new(shutdown.clone());
    tasks.spawn("dies", async { panic!("on purpose") });
    eventually("the shutdown is triggered", || {
        std::future::ready(shutdown.is_triggered())
    })
    .await;
    assert!(matches!(
        tasks.join(Duration::from_secs(1)).await,
        Err(TasksError::Died)
    ));
}

#[tokio::test]
async fn a_background_task_that_hangs_is_left_behind_at_the_limit() {
    let tasks = Tasks::new(Shutdown::manual());
    tasks.spawn("hangs", std::future::pending());
    assert!(matches!(
        tasks.join(Duration::from_millis(50)).await,
        Err(TasksError::TimedOut(1))
    ));
}
