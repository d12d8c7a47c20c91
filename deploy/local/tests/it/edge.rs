//! nginx with its real configuration, in front of a fake gateway.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use adfolio_local::{Component, Service, Signal, Stack, StackBuilder};
use adfolio_testkit::within_limit;
use reqwest::{Client, StatusCode};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// nginx is available wherever these tests run, so the fake gateway is one, too: it answers
/// everything with an envelope that reports the request.
const STAND_IN: &str = r#"#!/bin/sh
cat >"$STAND_IN_FOLDER/nginx.conf" <<EOF
daemon off;
master_process off;
pid $STAND_IN_FOLDER/nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path $STAND_IN_FOLDER;
    server {
        listen $LISTEN_ADDR;
        client_max_body_size 0;
        default_type application/json;
        add_header X-Request-Id \$http_x_request_id;
        return 200 '{"code":200,"address":"\$http_x_forwarded_for"}';
    }
    server {
        listen $ADMIN_ADDR;
        location = /readyz { return 200; }
    }
}
EOF
PATH=$PATH:/usr/sbin exec nginx -p "$STAND_IN_FOLDER" -c "$STAND_IN_FOLDER/nginx.conf"
"#;

struct Edge {
    stack: Stack,
    client: Client,
    folder: TempDir,
}

fn program(folder: &Path, text: &str) {
    let path = folder.join("adfolio-gateway");
    fs::write(&path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    // The stack checks that the operator's program exists; nothing here runs it.
    fs::write(folder.join("adfolioctl"), "").unwrap();
}

impl Edge {
    async fn start() -> Self {
        Self::start_with(|builder| builder).await
    }

    async fn start_with(change: impl FnOnce(StackBuilder) -> StackBuilder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        program(folder.path(), STAND_IN);
        fs::create_dir_all(folder.path().join("web/assets")).unwrap();
        fs::create_dir_all(folder.path().join("web/icons")).unwrap();
        for (path, text) in [
            ("index.html", "<!doctype html>"),
            ("assets/app-1a2b3c.js", "export {};"),
            ("sw.js", "self;"),
            ("manifest.webmanifest", "{}"),
            ("icons/icon-192.png", ""),
        ] {
            fs::write(folder.path().join("web").join(path), text).unwrap();
        }
        let builder = Stack::builder()
            .services([Service::Gateway])
            .programs(folder.path())
            .web(folder.path().join("web"))
            .extra_env(
                Service::Gateway,
                "STAND_IN_FOLDER",
                folder.path().to_str().unwrap(),
            );
        let stack = change(builder).start().await.unwrap();
        Self {
            stack,
            client: Client::new(),
            folder,
        }
    }

    fn get(&self, path: &str) -> reqwest::RequestBuilder {
        self.client.get(format!("{}{path}", self.stack.url()))
    }
}

fn header<'a>(response: &'a reqwest::Response, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn the_edge_serves_the_client_guards_it_and_speaks_in_envelopes() {
    let edge = Edge::start().await;

    let page = edge.get("/").send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    assert_eq!(header(&page, "cache-control"), "no-cache");
    let policy = header(&page, "content-security-policy");
    for directive in [
        "script-src 'self';",
        "style-src 'self' 'sha256-",
        "manifest-src 'self';",
        "worker-src 'self';",
        "object-src 'none';",
        "base-uri 'none';",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(directive), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    let script = edge.get("/assets/app-1a2b3c.js").send().await.unwrap();
    assert!(header(&script, "cache-control").contains("immutable"));
    let missing = edge.get("/assets/app-000000.js").send().await.unwrap();
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    assert_eq!(header(&missing, "cache-control"), "no-store");
    assert_guarded(&missing);
    what_a_browser_installs_is_typed_and_fresh(&edge).await;
    transport_security_is_for_tls(&edge).await;

    let claimed = edge
        .get("/api/user/info")
        .header("x-request-id", "abc-1")
        .header("x-forwarded-for", "10.1.2.3");
    let answer = claimed.send().await.unwrap();
    assert_eq!(header(&answer, "x-request-id"), "abc-1");
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(
        answer["address"], "127.0.0.1",
        "a client cannot claim another address"
    );
    assert_eq!(
        edge.get("/healthz").send().await.unwrap().status(),
        StatusCode::OK
    );

    too_large_is_an_envelope(&edge).await;
    an_endless_address_is_an_envelope(&edge).await;
    a_dead_gateway_is_an_envelope(&edge).await;
    edge.stack.wait_ready(Service::Gateway).await.unwrap();
    assert_eq!(
        edge.get("/api/user/info").send().await.unwrap().status(),
        StatusCode::OK
    );

    edge.stack
        .kill(Component::Nginx, Signal::SIGKILL)
        .await
        .unwrap();
    edge.stack.wait_ready(Component::Nginx).await.unwrap();
    edge.stack.wait_edge_ready().await.unwrap();
    edge.stack.stop().await;
}

/// The security headers of any answer.
#[track_caller]
fn assert_guarded(response: &reqwest::Response) {
    let policy = header(response, "content-security-policy");
    for directive in [
        "default-src 'none';",
        "object-src 'none';",
        "base-uri 'none';",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(directive), "{policy}");
    }
    assert_eq!(header(response, "x-content-type-options"), "nosniff");
    assert_eq!(header(response, "referrer-policy"), "no-referrer");
}

/// A stored service worker would keep its release for good, and without its type a browser takes neither it nor the
/// manifest.
async fn what_a_browser_installs_is_typed_and_fresh(edge: &Edge) {
    for (path, kind, cached) in [
        ("/sw.js", "javascript", "no-cache"),
        (
            "/manifest.webmanifest",
            "application/manifest+json",
            "no-cache",
        ),
        ("/icons/icon-192.png", "image/png", "public, max-age=86400"),
    ] {
        let file = edge.get(path).send().await.unwrap();
        assert_eq!(file.status(), StatusCode::OK, "{path}");
        let content_type = header(&file, "content-type");
        assert!(content_type.contains(kind), "{path}: {content_type}");
        assert_eq!(header(&file, "cache-control"), cached, "{path}");
        // A worker fetches by its own policy, not by its page's.
        assert!(header(&file, "content-security-policy").contains("connect-src 'self';"));
    }
}

/// A browser that once came over TLS never comes without it again; others are not locked out.
async fn transport_security_is_for_tls(edge: &Edge) {
    for path in ["/", "/assets/app-000000.js", "/api/user/info"] {
        let plain = edge.get(path).send().await.unwrap();
        assert_eq!(header(&plain, "strict-transport-security"), "", "{path}");
        let over_tls = edge.get(path).header("x-forwarded-proto", "https");
        let over_tls = over_tls.send().await.unwrap();
        let lasts = header(&over_tls, "strict-transport-security");
        assert!(lasts.contains("max-age="), "{path}: {lasts}");
    }
}

async fn too_large_is_an_envelope(edge: &Edge) {
    const UPLOAD_BYTES_MAX: usize = 5 * 1024 * 1024;
    const STATEMENT_BYTES_MAX: usize = 3 * 1024 * 1024;
    const REPORT_BYTES_MAX: usize = 64 * 1024 * 1024;
    let upload = |path: &str, bytes: usize| {
        let url = format!("{}/api/{path}", edge.stack.url());
        edge.client.post(url).body(vec![0; bytes]).send()
    };
    // One byte too many is for the gateway to report; far too many never reach it.
    for (path, reaches, is_refused) in [
        ("files/upload", UPLOAD_BYTES_MAX + 1, 2 * UPLOAD_BYTES_MAX),
        (
            "admin/bank/statement",
            STATEMENT_BYTES_MAX + 1,
            2 * STATEMENT_BYTES_MAX,
        ),
        ("network/reports", REPORT_BYTES_MAX, REPORT_BYTES_MAX + 1),
    ] {
        let answered = upload(path, reaches).await.unwrap();
        assert_eq!(answered.status(), StatusCode::OK, "{path}");
        let refused = upload(path, is_refused).await.unwrap();
        assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        assert_guarded(&refused);
        let refused: Value = refused.json().await.unwrap();
        assert_eq!(refused["code"], 400, "{path}");
        assert_eq!(refused["data"]["reason"], "FILE_TOO_LARGE", "{path}");
    }
}

async fn an_endless_address_is_an_envelope(edge: &Edge) {
    const BEYOND_EVERY_BUFFER: usize = 20_000;
    let endless = format!("/api/user/info?cursor={}", "a".repeat(BEYOND_EVERY_BUFFER));
    let refused = edge.get(&endless).send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::URI_TOO_LONG);
    assert_guarded(&refused);
    let refused: Value = refused.json().await.unwrap();
    assert_eq!(refused["code"], 400);
    assert_eq!(refused["data"]["reason"], "VALIDATION");
}

async fn a_dead_gateway_is_an_envelope(edge: &Edge) {
    const ATTEMPTS: usize = 10;
    for _ in 0..ATTEMPTS {
        edge.stack
            .kill(Service::Gateway, Signal::SIGKILL)
            .await
            .unwrap();
        let answer = edge.get("/api/user/info").send().await.unwrap();
        if answer.status() == StatusCode::BAD_GATEWAY {
            assert_eq!(header(&answer, "content-type"), "application/json");
            assert_eq!(header(&answer, "cache-control"), "no-store");
            assert_guarded(&answer);
            let answer: Value = answer.json().await.unwrap();
            assert_eq!(answer["code"], 500);
            assert_eq!(answer["data"]["reason"], "UNAVAILABLE");
            return;
        }
        // On a busy machine the supervisor may be faster than the request.
        edge.stack.wait_ready(Service::Gateway).await.unwrap();
    }
    panic!("the gateway was back before the request {ATTEMPTS} times");
}

#[tokio::test]
async fn a_host_shell_may_frame_the_client_and_nothing_else() {
    const SHELL: &str = "https://shell.example";
    let edge = Edge::start_with(|builder| builder.frame_ancestors(SHELL)).await;
    let ancestors = async |path: &str| {
        let answer = edge.get(path).send().await.unwrap();
        let policy = header(&answer, "content-security-policy").to_owned();
        let named: Vec<String> = policy
            .split(';')
            .filter_map(|it| it.trim().strip_prefix("frame-ancestors "))
            .map(str::to_owned)
            .collect();
        // The older header would forbid for all browsers what the policy allows for one page.
        assert_eq!(header(&answer, "x-frame-options"), "", "{path}");
        named
    };
    assert_eq!(ancestors("/").await, [SHELL]);
    for path in [
        "/api/user/info",
        "/api/files/00000000-0000-7000-8000-000000000000",
    ] {
        assert_eq!(ancestors(path).await, ["'none'"], "{path}");
    }
    edge.stack.stop().await;
    // A value that would end the directive prevents the start.
    let broken = Stack::builder()
        .services([Service::Gateway])
        .programs(edge.folder.path())
        .extra_env(
            Service::Gateway,
            "STAND_IN_FOLDER",
            edge.folder.path().to_str().unwrap(),
        )
        .frame_ancestors("'none'; script-src *")
        .start()
        .await;
    let error = format!("{:#}", broken.unwrap_err());
    assert!(error.contains("no sources of frames"), "{error}");
}

#[tokio::test]
async fn a_proxy_in_front_says_who_the_client_is_and_the_client_does_not() {
    let edge = Edge::start_with(|builder| builder.proxies_in_front("127.0.0.0/8")).await;
    let seen = async |forwarded: Option<&str>| {
        let mut call = edge.get("/api/user/info");
        if let Some(forwarded) = forwarded {
            call = call.header("x-forwarded-for", forwarded);
        }
        let answer: Value = call.send().await.unwrap().json().await.unwrap();
        answer["address"].as_str().unwrap().to_owned()
    };
    // The proxy appends its peer to whatever the client sent.
    assert_eq!(seen(Some("203.0.113.9")).await, "203.0.113.9");
    assert_eq!(seen(Some("10.1.2.3, 203.0.113.9")).await, "203.0.113.9");
    // Even if the client's address could be a proxy's.
    assert_eq!(seen(Some("203.0.113.9, 127.0.0.2")).await, "127.0.0.2");
    assert_eq!(seen(None).await, "127.0.0.1");
    edge.stack.stop().await;
}

#[tokio::test]
async fn a_proxy_elsewhere_is_not_believed() {
    let edge = Edge::start_with(|builder| builder.proxies_in_front("192.0.2.0/24")).await;
    let claimed = edge
        .get("/api/user/info")
        .header("x-forwarded-for", "203.0.113.9");
    let answer: Value = claimed.send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["address"], "127.0.0.1");
    edge.stack.stop().await;
}

#[tokio::test]
async fn two_thousand_connections_that_say_nothing_or_not_enough_hold_nobody_up() {
    const CONNECTIONS: usize = 2_000;
    adfolio_testkit::raise_file_limit(CONNECTIONS + 1_000);
    let edge = Edge::start().await;
    let url = edge.stack.url();
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let mut held = Vec::new();
    for number in 0..CONNECTIONS {
        let mut stream = TcpStream::connect(address).await.unwrap();
        if number % 10 == 0 {
            let unfinished = b"GET /api/auth/v2/lang HTTP/1.1\r\nHost: x\r\n";
            stream.write_all(unfinished).await.unwrap();
        }
        held.push(stream);
    }
    for path in ["/", "/api/auth/v2/lang"] {
        let began = Instant::now();
        // The gateway's own limit of any call.
        let answer = edge.get(path).timeout(Duration::from_secs(10)).send().await;
        assert_eq!(answer.unwrap().status(), StatusCode::OK);
        println!(
            "{path} beside {CONNECTIONS} connections: {:?}",
            began.elapsed()
        );
    }
    let open = held.iter().filter(|stream| {
        let read = stream.try_read(&mut [0]);
        read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    });
    assert_eq!(open.count(), CONNECTIONS, "they were there all the while");
    // None of them is cached permanently.
    for mut stream in held {
        let mut rest = Vec::new();
        let closed = stream.read_to_end(&mut rest);
        let _ = within_limit("a client that says nothing is cut off", closed).await;
    }
    edge.stack.stop().await;
}

#[tokio::test]
async fn a_wrong_configuration_ends_the_start_with_its_own_words() {
    let folder = tempfile::tempdir().unwrap();
    program(
        folder.path(),
        "#!/bin/sh\necho 'DRAIN_LIMIT_SECONDS: not a number'\nexit 2\n",
    );
    let started = Stack::builder()
        .services([Service::Gateway])
        .programs(folder.path())
        .start()
        .await;
    let error = format!("{:#}", started.unwrap_err());
    assert!(error.contains("gateway does not get ready"), "{error}");
    assert!(
        error.contains("DRAIN_LIMIT_SECONDS: not a number"),
        "{error}"
    );
}
