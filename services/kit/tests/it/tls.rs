//! Mutual TLS: who is refused, who is answered, and what a connection may block.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use adfolio_kit::client::{self, Channel, ClientOptions, outgoing};
use adfolio_kit::config::{ConfigError, ServerArgs};
use adfolio_kit::identity::Caller;
use adfolio_kit::server::Server;
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::telemetry::{install_metrics, render_metrics};
use adfolio_kit::{config::TlsArgs, tls::Tls};
use adfolio_testkit::{eventually, free_listener, within_limit};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use crate::certificates::{Authority, load};
use crate::clients::restart_replicas_under_load;
use crate::helpers::{CALL_LIMIT, ECHO_POLICIES, Echo, call, call_method};

const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// A server with a certificate that counts its calls and echoes them.
struct Secured {
    address: SocketAddr,
    calls: Arc<AtomicU32>,
    shutdown: Shutdown,
    task: JoinHandle<()>,
}

impl Secured {
    async fn start(tls: Tls) -> Self {
        let calls = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&calls);
        let echo = Echo::new(move |request| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move { Ok(Response::new(request.into_inner())) }
        });
        Self::serve(tls, echo, calls).await
    }

    async fn serve(tls: Tls, echo: Echo, calls: Arc<AtomicU32>) -> Self {
        let listener = free_listener().await;
        let address = listener.local_addr().unwrap();
        let shutdown = Shutdown::manual();
        let ending = shutdown.clone();
        let task = tokio::spawn(async move {
            let args = ServerArgs {
                // Longer than any test waits: blocking the server until then fails the test.
                drain_limit_seconds: 600,
                ..ServerArgs::default()
            };
            Server::new("wallet", &args)
                .tls(Some(tls))
                .policies(ECHO_POLICIES)
                .reflection(adfolio_proto::FILE_DESCRIPTOR_SET)
                .add_service(echo)
                .serve(listener, &ending)
                .await
                .unwrap();
        });
        Self {
            address,
            calls,
            shutdown,
            task,
        }
    }

    /// A channel to the server with this certificate.
    fn channel(&self, tls: &Tls) -> Channel {
        let url = format!("https://{}", self.address);
        client::connect_to("wallet", &url, ClientOptions::default(), Some(tls)).unwrap()
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }

    async fn stop(self) {
        self.shutdown.trigger();
        within_limit("the end of the server", self.task)
            .await
            .unwrap();
    }
}

async fn ask(channel: Channel) -> Result<String, Status> {
    let request = outgoing(&Caller::system(), "here".to_owned(), CALL_LIMIT);
    call(channel, request).await.map(Response::into_inner)
}

#[tokio::test]
async fn who_is_on_the_list_is_answered_and_who_is_not_is_refused() {
    install_metrics("test").unwrap();
    let authority = Authority::new("one");
    let server = Secured::start(authority.tls("wallet")).await;
    let plan = server.channel(&authority.tls("plan"));
    assert_eq!(ask(plan.clone()).await.unwrap(), "here");
    assert_eq!(server.calls(), 1);

    let coupon = server.channel(&authority.tls("coupon"));
    let refused = ask(coupon.clone()).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused:?}");
    assert!(render_metrics().contains("grpc_server_callers_refused_total"));
    // A method without a row in the policy is closed to everyone.
    let request = Request::new(String::new());
    let unlisted = call_method(plan.clone(), "/adfolio.test.Echo/Other", request).await;
    assert_eq!(unlisted.unwrap_err().code(), Code::PermissionDenied);
    assert_eq!(server.calls(), 1);

    for channel in [&plan, &coupon] {
        let mut health = HealthClient::new(channel.clone());
        health.check(HealthCheckRequest::default()).await.unwrap();
    }
    let refused = call_method(plan, REFLECTION, Request::new(String::new())).await;
    assert_eq!(refused.unwrap_err().code(), Code::PermissionDenied);
    let operator = server.channel(&authority.tls("adfolioctl"));
    let answered = call_method(operator, REFLECTION, Request::new(String::new())).await;
    let code = answered.map_or_else(|status| status.code(), |_| Code::Ok);
    assert_ne!(code, Code::PermissionDenied);
    server.stop().await;
}

#[tokio::test]
async fn who_has_no_good_certificate_is_refused_before_any_call() {
    let (authority, other) = (Authority::new("one"), Authority::new("other"));
    let server = Secured::start(authority.tls("wallet")).await;

    let url = format!("http://{}", server.address);
    let plain = client::connect(&url, ClientOptions::default()).unwrap();
    assert_eq!(ask(plain).await.unwrap_err().code(), Code::Unavailable);

    let own = authority.issue("plan");
    let foreign = other.issue("plan");
    // It trusts the server, so it is the server that refuses.
    let foreign = TlsArgs {
        tls_ca_file: own.tls_ca_file.clone(),
        ..foreign
    };
    for files in [foreign, authority.issue_expired("plan")] {
        let refused = ask(server.channel(&load(&files))).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
    }
    let nameless = within_limit("the refusal", without_certificate(&own, server.address)).await;
    assert!(nameless.is_err(), "{nameless:?}");
    assert_eq!(server.calls(), 0);
    assert_eq!(ask(server.channel(&load(&own))).await.unwrap(), "here");
    server.stop().await;
}

/// Connects by TLS without a certificate, and reads the server's answer.
async fn without_certificate(files: &TlsArgs, address: SocketAddr) -> std::io::Result<usize> {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, ServerName};
    use tokio::io::AsyncReadExt as _;
    use tokio_rustls::rustls;

    let mut roots = rustls::RootCertStore::empty();
    let authority = files.tls_ca_file.as_ref().unwrap();
    roots
        .add(CertificateDer::from_pem_file(authority).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("wallet").unwrap();
    let mut stream = connector.connect(name, stream).await?;
    stream.read(&mut [0; 64]).await
}

#[tokio::test]
async fn a_server_that_shows_another_services_certificate_is_not_talked_to() {
    let (authority, other) = (Authority::new("one"), Authority::new("other"));
    let plan = authority.tls("plan");
    for shown in [
        authority.tls("coupon"),
        other.tls("wallet"),
        load(&authority.issue_expired("wallet")),
    ] {
        let server = Secured::start(shown).await;
        let status = ask(server.channel(&plan)).await.unwrap_err();
        assert_eq!(status.code(), Code::Unavailable, "{status:?}");
        assert_eq!(server.calls(), 0);
        server.stop().await;
    }
    // The same by an unencrypted server.
    let clear = crate::helpers::run_echo(
        Echo::new(|request| async { Ok(Response::new(request.into_inner())) }),
        5,
    )
    .await;
    let url = format!("https://{}", clear.address);
    let options = ClientOptions::default();
    let channel = client::connect_to("wallet", &url, options, Some(&plan)).unwrap();
    assert_eq!(ask(channel).await.unwrap_err().code(), Code::Unavailable);
}

#[tokio::test]
async fn a_peer_that_is_silent_in_the_handshake_holds_nobody_up() {
    let authority = Authority::new("one");
    let server = Secured::start(authority.tls("wallet")).await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(TcpStream::connect(server.address).await.unwrap());
    }
    let plan = server.channel(&authority.tls("plan"));
    assert_eq!(ask(plan).await.unwrap(), "here");
    server.stop().await;
    drop(silent);

    let frozen = free_listener().await;
    let url = format!("https://{}", frozen.local_addr().unwrap());
    let (options, tls) = (ClientOptions::default(), authority.tls("plan"));
    let channel = client::connect_to("wallet", &url, options, Some(&tls)).unwrap();
    let request = outgoing(&Caller::system(), String::new(), Duration::from_millis(300));
    let answer = within_limit("the call", call(channel, request)).await;
    assert_eq!(answer.unwrap_err().code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_running_call_is_answered_before_the_end() {
    let authority = Authority::new("one");
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
    let server = Secured::serve(authority.tls("wallet"), echo, Arc::default()).await;
    let running = tokio::spawn(ask(server.channel(&authority.tls("plan"))));
    entered.notified().await;
    server.shutdown.trigger();
    leave.notify_one();
    assert_eq!(running.await.unwrap().unwrap(), "done");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_costs_nobody_an_error() {
    let authority = Authority::new("one");
    let both = (authority.tls("wallet"), authority.tls("plan"));
    restart_replicas_under_load("wallet", Some(both)).await;
}

#[tokio::test]
async fn replaced_certificates_count_without_a_restart() {
    let (before, after) = (Authority::new("before"), Authority::new("after"));
    let files = before.issue("wallet");
    let server = Secured::start(load(&files)).await;
    let renewed = after.tls("plan");
    let refused = ask(server.channel(&renewed)).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    let answered = |tls: Tls| {
        let server = &server;
        eventually("the certificate counts", move || {
            // A new channel: certificates are shown when a connection is made.
            let asked = ask(server.channel(&tls));
            async move { asked.await.is_ok() }
        })
    };
    after.replace(&files, "wallet");
    answered(renewed.clone()).await;
    // Unusable files leave the last good ones in force.
    install_metrics("test").unwrap();
    std::fs::write(files.tls_key_file.as_ref().unwrap(), "half a k").unwrap();
    eventually("the server has seen the broken file", || {
        let asked = ask(server.channel(&renewed));
        async move {
            assert_eq!(asked.await.unwrap(), "here");
            render_metrics().contains("tls_reloads_failed_total")
        }
    })
    .await;
    server.stop().await;
}

#[tokio::test]
async fn addresses_must_say_what_is_spoken() {
    let tls = Authority::new("one").tls("plan");
    let open = |url: &str, tls: Option<&Tls>| {
        client::connect_to("wallet", url, ClientOptions::default(), tls).map(drop)
    };
    assert!(matches!(
        open("https://127.0.0.1:1", None),
        Err(ConfigError::NeedsTls("wallet"))
    ));
    assert!(matches!(
        open("https://127.0.0.1:1,http://127.0.0.1:2", Some(&tls)),
        Err(ConfigError::NotTls("wallet"))
    ));
    open("http://127.0.0.1:1", None).unwrap();
    open("https://127.0.0.1:1", Some(&tls)).unwrap();
}
