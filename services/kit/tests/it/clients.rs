//! gRPC clients: deadlines, retries, balancing, and unreachable peers.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adfolio_kit::admin::Readiness;
use adfolio_kit::client::{self, Channel, ClientOptions, RetryPolicy, call_with_retry, outgoing};
use adfolio_kit::config::{DatabaseArgs, ServerArgs};
use adfolio_kit::db::{self, Logins, Schema};
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::NOT_TAKEN;
use adfolio_kit::server::Server;
use adfolio_kit::shutdown::{Shutdown, Tasks};
use adfolio_kit::time_zone::TimeZone;
use adfolio_kit::tls::Tls;
use adfolio_testkit::{Proxy, eventually, free_listener, within_limit};
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Code, Request, Response, Status};
use uuid::Uuid;

use crate::helpers::{CALL_LIMIT, Drip, ECHO_POLICIES, Echo, call, drip, run_echo};

#[tokio::test]
async fn the_identity_arrives_as_it_was_sent() {
    let echo = Echo::new(|request| async move {
        let caller = Caller::from_request(&request);
        let user = caller.require_user().map_err(Status::from)?;
        let staff = caller
            .require_staff(&[StaffRole::Finance])
            .map_err(Status::from)?;
        let key = caller.require_key().map_err(Status::from)?;
        Ok(Response::new(format!(
            "{user} {} {key} {} {} {}",
            staff.role, caller.lang, caller.time_zone, caller.request_id
        )))
    });
    let service = run_echo(echo, 5).await;
    let user = UserId(Uuid::now_v7());
    let mut caller = Caller::user(user).with_key(Some("key-1".parse().unwrap()));
    caller.staff = Caller::staff(Uuid::now_v7(), StaffRole::Finance).staff;
    caller.lang = "de".to_owned();
    caller.time_zone = TimeZone::parse("Asia/Kathmandu");
    let answer = call(
        service.channel(),
        outgoing(&caller, String::new(), CALL_LIMIT),
    )
    .await
    .unwrap()
    .into_inner();
    assert_eq!(
        answer,
        format!(
            "{user} finance key-1 de Asia/Kathmandu {}",
            caller.request_id
        )
    );
    let refused = call(
        service.channel(),
        outgoing(&Caller::system(), String::new(), CALL_LIMIT),
    )
    .await
    .unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    caller.staff = Caller::staff(Uuid::now_v7(), StaffRole::Support).staff;
    let forbidden = call(
        service.channel(),
        outgoing(&caller, String::new(), CALL_LIMIT),
    )
    .await
    .unwrap_err();
    assert_eq!(forbidden.code(), Code::PermissionDenied);
}

#[tokio::test]
async fn a_call_never_outlives_its_callers_deadline() {
    let (granted, mut seen) = mpsc::unbounded_channel();
    let echo = Echo::new(move |request: Request<String>| {
        let _ = granted.send(Caller::from_request(&request).deadline.remaining());
        std::future::pending()
    });
    let service = run_echo(echo, 1).await;
    let mut caller = Caller::system();
    let patience = Duration::from_millis(300);
    caller.deadline = Deadline::after(patience);
    let status = call(
        service.channel(),
        outgoing(&caller, String::new(), CALL_LIMIT),
    )
    .await
    .unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    let seen = seen.recv().await.unwrap();
    assert!(seen <= patience, "the peer was granted {seen:?}");
}

#[tokio::test]
async fn a_peer_that_never_answers_fails_its_callers_at_their_deadline() {
    // Accepted by the kernel and served by nobody, like a frozen process.
    let frozen = free_listener().await;
    let channel = client::connect(
        &format!("http://{}", frozen.local_addr().unwrap()),
        ClientOptions::default(),
    )
    .unwrap();
    let request = outgoing(&Caller::system(), String::new(), Duration::from_millis(300));
    let answer = within_limit("the call", call(channel, request)).await;
    assert_eq!(answer.unwrap_err().code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn an_answer_that_stops_half_way_fails_its_caller_at_the_deadline() {
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    // A server that ignores deadlines.
    let server = tonic::transport::Server::builder().add_service(Drip);
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    let channel = client::connect(&url, ClientOptions::default()).unwrap();
    let mut stream = drip(channel, Duration::from_millis(300)).await;
    assert_eq!(stream.message().await.unwrap().unwrap(), "first");
    let ended = within_limit("the answer", stream.message()).await;
    assert_eq!(ended.unwrap_err().code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_peer_that_is_down_fails_its_callers_at_once_and_is_found_when_it_is_back() {
    let listener = free_listener().await;
    let address = listener.local_addr().unwrap();
    drop(listener);
    let channel = client::connect(&format!("http://{address}"), ClientOptions::default()).unwrap();
    let status = call(
        channel.clone(),
        outgoing(&Caller::system(), String::new(), CALL_LIMIT),
    )
    .await
    .unwrap_err();
    // Not DeadlineExceeded: nobody waited for the limit of the call.
    assert_eq!(status.code(), Code::Unavailable);
    let listener = TcpListener::bind(address).await.unwrap();
    let shutdown = Shutdown::manual();
    let ending = shutdown.clone();
    let running = tokio::spawn(async move {
        let echo = Echo::new(|request| async { Ok(Response::new(request.into_inner())) });
        Server::new("echo", &ServerArgs::default())
            .add_service(echo)
            .serve(listener, &ending)
            .await
    });
    eventually("the peer is found again", || {
        let request = outgoing(&Caller::system(), "back".to_owned(), CALL_LIMIT);
        let channel = channel.clone();
        async move { call(channel, request).await.is_ok() }
    })
    .await;
    drop(channel);
    shutdown.trigger();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn only_unavailable_is_repeated_and_at_most_three_times() {
    for (code, expected) in [
        (Code::Unavailable, 3),
        (Code::Internal, 1),
        (Code::DeadlineExceeded, 1),
    ] {
        let calls = AtomicU32::new(0);
        let outcome: Result<(), Status> =
            call_with_retry(RetryPolicy::within(Deadline::default()), || {
                calls.fetch_add(1, Ordering::SeqCst);
                std::future::ready(Err(Status::new(code, "no")))
            })
            .await;
        assert_eq!(outcome.unwrap_err().code(), code);
        assert_eq!(calls.load(Ordering::SeqCst), expected);
    }
}

#[tokio::test]
async fn a_connection_that_breaks_under_a_call_is_unavailable_and_a_repeat_succeeds() {
    let calls = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&calls);
    let echo = Echo::new(move |request| {
        let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            if first {
                std::future::pending::<()>().await;
            }
            Ok(Response::new(request.into_inner()))
        }
    });
    let service = run_echo(echo, 1).await;
    let proxy = Proxy::start(&service.address.to_string()).await;
    let channel = client::connect(
        &format!("http://{}", proxy.address()),
        ClientOptions::default(),
    )
    .unwrap();
    let caller = Caller::system();
    let repeated = tokio::spawn(async move {
        call_with_retry(RetryPolicy::within(caller.deadline), || {
            call(
                channel.clone(),
                outgoing(&caller, "again".to_owned(), CALL_LIMIT),
            )
        })
        .await
    });
    eventually("the call is under way", || {
        std::future::ready(calls.load(Ordering::SeqCst) == 1)
    })
    .await;
    proxy.cut();
    assert_eq!(repeated.await.unwrap().unwrap().into_inner(), "again");
}

/// A replica that answers its name and can be awaited.
struct Replica {
    address: SocketAddr,
    shutdown: Shutdown,
    task: tokio::task::JoinHandle<()>,
}

fn replica(name: usize, listener: TcpListener, tls: Option<Tls>) -> Replica {
    let address = listener.local_addr().unwrap();
    let shutdown = Shutdown::manual();
    let ending = shutdown.clone();
    let task = tokio::spawn(async move {
        let args = ServerArgs {
            drain_limit_seconds: 8,
            ..ServerArgs::default()
        };
        let echo = Echo::new(move |_: Request<String>| async move {
            // Yields, so that there is always a running call.
            tokio::task::yield_now().await;
            Ok(Response::new(name.to_string()))
        });
        Server::new("replica", &args)
            .tls(tls)
            .policies(ECHO_POLICIES)
            .add_service(echo)
            .serve(listener, &ending)
            .await
            .unwrap();
    });
    Replica {
        address,
        shutdown,
        task,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_go_to_every_replica_and_a_rolling_restart_costs_nobody_an_error() {
    restart_replicas_under_load("replica", None).await;
}

/// Restarts two replicas of `service` in turn while others call them; the pair is the server's and
/// the client's certificate.
pub async fn restart_replicas_under_load(service: &'static str, tls: Option<(Tls, Tls)>) {
    let (shown, own) = tls.unzip();
    let mut replicas = vec![
        replica(0, free_listener().await, shown.clone()),
        replica(1, free_listener().await, shown.clone()),
    ];
    let scheme = if own.is_some() { "https" } else { "http" };
    let url = format!(
        "{scheme}://{},{scheme}://{}",
        replicas[0].address, replicas[1].address
    );
    let options = ClientOptions::default();
    let channel = client::connect_to(service, &url, options, own.as_ref()).unwrap();
    let (stop, seen) = (Shutdown::manual(), Arc::new(Mutex::new(HashSet::new())));
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let (channel, stop, seen) = (channel.clone(), stop.clone(), Arc::clone(&seen));
            tokio::spawn(async move {
                while !stop.is_triggered() {
                    let answer = call(
                        channel.clone(),
                        outgoing(&Caller::system(), String::new(), CALL_LIMIT),
                    )
                    .await;
                    let name = answer.expect("no call fails").into_inner();
                    seen.lock().unwrap().insert(name);
                }
            })
        })
        .collect();
    for name in 2..8 {
        let old = replicas.remove(0);
        old.shutdown.trigger();
        old.task.await.unwrap();
        let listener = TcpListener::bind(old.address).await.unwrap();
        replicas.push(replica(name, listener, shown.clone()));
        eventually("both replicas are used", || {
            let seen = seen.lock().unwrap();
            std::future::ready(
                [name - 1, name]
                    .iter()
                    .all(|name| seen.contains(&name.to_string())),
            )
        })
        .await;
    }
    stop.trigger();
    for caller in callers {
        caller.await.unwrap();
    }
}

#[tokio::test]
async fn a_replica_that_is_starting_is_passed_over() {
    let (starting, ready) = (
        free_listener().await,
        replica(1, free_listener().await, None),
    );
    let address = starting.local_addr().unwrap();
    let shutdown = Shutdown::manual();
    let serving = serve_without_schema(starting, shutdown.clone());
    let ask = |channel: Channel| async move {
        let request = outgoing(&Caller::system(), String::new(), CALL_LIMIT);
        call(channel, request).await.map(Response::into_inner)
    };

    let both = format!("http://{address},http://{}", ready.address);
    let channel = client::connect(&both, ClientOptions::default()).unwrap();
    for _ in 0..20 {
        assert_eq!(ask(channel.clone()).await.unwrap(), "1");
    }
    // If there is no other replica, the caller gets the reason, and cannot mistake it for its own
    // refusal.
    let alone = client::connect(&format!("http://{address}"), ClientOptions::default()).unwrap();
    let refused = ask(alone).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    assert_eq!(refused.message(), "the service is starting");
    assert!(refused.metadata().get(NOT_TAKEN).is_none());
    shutdown.trigger();
    serving.await.unwrap();
}

#[tokio::test]
async fn a_replica_that_is_just_back_takes_over_from_one_that_leaves() {
    let (away, leaving) = (
        free_listener().await,
        replica(1, free_listener().await, None),
    );
    let address = away.local_addr().unwrap();
    drop(away);
    let url = format!("http://{address},http://{}", leaving.address);
    let channel = client::connect(&url, ClientOptions::default()).unwrap();
    let ask = || async {
        let request = outgoing(&Caller::system(), String::new(), CALL_LIMIT);
        call(channel.clone(), request).await.unwrap().into_inner()
    };
    // In turn: one of these calls found the first replica down.
    for _ in 0..2 {
        assert_eq!(ask().await, "1");
    }
    let back = replica(0, TcpListener::bind(address).await.unwrap(), None);
    leaving.shutdown.trigger();
    while ask().await != "0" {}
    leaving.task.await.unwrap();
    back.shutdown.trigger();
    back.task.await.unwrap();
}

static NO_TABLES: Schema = Schema {
    migrator: Migrator::DEFAULT,
    rights: &[],
};

/// A replica whose database is away, so that it never gets its schema.
fn serve_without_schema(listener: TcpListener, shutdown: Shutdown) -> JoinHandle<()> {
    let nowhere = DatabaseArgs::for_url("postgres://nobody@127.0.0.1:1/nothing");
    let pool = db::connect(&nowhere, "starting").unwrap();
    let readiness = Readiness::new(shutdown.clone());
    let tasks = Tasks::new(shutdown.clone());
    let logins = Logins::of(&nowhere, "starting").unwrap();
    let migrated =
        db::migrate_in_background(&pool, logins, &NO_TABLES, &readiness, &tasks, &shutdown);
    let echo = Echo::new(|_| async { panic!("a call was taken without a schema") });
    let server = Server::new("echo", &ServerArgs::default())
        .gate(migrated)
        .add_service(echo);
    tokio::spawn(async move { server.serve(listener, &shutdown).await.unwrap() })
}

#[tokio::test]
async fn a_call_goes_on_when_a_connection_ends_before_the_server_has_taken_it() {
    // The kernel completes connections for a listener until it is closed, and resets those that
    // were not accepted.
    let leaving = free_listener().await;
    let staying = replica(1, free_listener().await, None);
    let url = format!(
        "http://{},http://{}",
        leaving.local_addr().unwrap(),
        staying.address
    );
    let channel = client::connect(&url, ClientOptions::default()).unwrap();
    let name = |channel: Channel| async move {
        let request = outgoing(&Caller::system(), String::new(), CALL_LIMIT);
        call(channel, request).await.map(Response::into_inner)
    };
    let first = tokio::spawn(name(channel.clone()));
    tokio::task::yield_now().await;
    assert_eq!(name(channel.clone()).await.unwrap(), "1");
    drop(leaving);
    let answer = within_limit("the first call", first).await.unwrap();
    assert_eq!(answer.unwrap(), "1");
    drop(channel);
    staying.shutdown.trigger();
    staying.task.await.unwrap();
}

#[tokio::test]
async fn a_name_is_looked_up_and_a_wrong_url_is_told() {
    let service = run_echo(
        Echo::new(|request| async { Ok(Response::new(request.into_inner())) }),
        1,
    )
    .await;
    let url = format!("http://localhost:{}", service.address.port());
    let channel = client::connect(&url, ClientOptions::default()).unwrap();
    let answer = call(
        channel,
        outgoing(&Caller::system(), "named".to_owned(), CALL_LIMIT),
    )
    .await;
    assert_eq!(answer.unwrap().into_inner(), "named");
    for wrong in [
        "",
        "localhost:1",
        "https://host:1",
        "http://host",
        "http://a:1,nonsense",
    ] {
        assert!(
            client::connect(wrong, ClientOptions::default()).is_err(),
            "{wrong}"
        );
    }
    let nowhere =
        client::connect("http://does-not-exist.invalid:1", ClientOptions::default()).unwrap();
    let status = call(
        nowhere,
        outgoing(&Caller::system(), String::new(), CALL_LIMIT),
    )
    .await
    .unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
}
