//! Secrets stay secret: no log and no table contains a token, a password or a card number, and no
//! log a code that is worth something, even if the services log everything.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use adfolio_local::{Service, StackBuilder};
use adfolio_testkit::eventually;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgPool};

use crate::setup::{Advertiser, System, builder};

/// What `System::advertiser` registers with.
const PASSWORD: &str = "correct horse battery";
const NEW_PASSWORD: &str = "an even longer staple";
const WRONG_PASSWORD: &str = "no such password 4711";
/// Of a user who typed it into the name field.
const MISPLACED_PASSWORD: &str = "misplaced-password-4711";
/// MD5 of 246810 and of 975313.
const PAY_PASSWORD: &str = "b6af3f19458ec8e6faff8ee1e0440ecb";
const WRONG_PAY_PASSWORD: &str = "f5ad149f596b407a64c1c96822b8ad4a";
const CARD: &str = "DE89370400440532013000";
const HOLDER: &str = "Augusta Ada Lovelace";
const MOBILE: &str = "+4915187654321";
const WALLET_ADDRESS: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
/// The host's id of its user, with which the host lets a user in.
const HOST_USER: &str = "host-user-of-the-secrets";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_log_and_no_table_holds_a_secret() {
    let system = System::start_from(logging_everything()).await;
    let advertiser = system.advertiser("secretive").await;
    let mut secrets: Vec<String> = [
        PASSWORD,
        NEW_PASSWORD,
        WRONG_PASSWORD,
        MISPLACED_PASSWORD,
        PAY_PASSWORD,
        WRONG_PAY_PASSWORD,
        CARD,
        HOLDER,
        MOBILE,
        WALLET_ADDRESS,
    ]
    .map(str::to_owned)
    .to_vec();
    secrets.extend(log_in_in_every_way(&system).await);
    secrets.extend(Service::ALL.map(|service| broker_password(&system, service)));
    secrets.push(network_key(&system).await);
    secure_and_withdraw(&system, &advertiser, &secrets).await;
    // Their tables store these, to hand them out again and to find users by.
    let mut codes = license_codes(&system).await;
    codes.push(exchange(&system).await);
    codes.push(HOST_USER.to_owned());

    let logs = system.stack.data_dir().join("log");
    eventually("what was done last is in a log", || async {
        texts_in(&logs)
            .iter()
            .any(|(_, text)| text.contains("password changed"))
    })
    .await;
    let mut places = texts_in(&logs);
    // The services did log everything.
    assert!(places.iter().any(|(_, text)| text.contains("TRACE")));
    assert_none_of(&codes, &places);
    for service in Service::ALL {
        if service != Service::Gateway {
            places.push((
                format!("tables of {service:?}"),
                tables_of(&system.stack.database_superuser_url(service)).await,
            ));
        }
    }
    // The search finds what is there.
    for kept in [advertiser.id.as_str(), "secretive"] {
        assert!(
            places.iter().any(|(_, text)| text.contains(kept)),
            "{kept} is nowhere"
        );
    }
    assert_none_of(&secrets, &places);
    system.stack.stop().await;
}

/// A stack whose services log everything, including their libraries' output.
fn logging_everything() -> StackBuilder {
    Service::ALL
        .into_iter()
        .fold(builder(), |builder, service| {
            builder.extra_env(service, "RUST_LOG", "trace")
        })
}

fn assert_none_of(secrets: &[String], places: &[(String, String)]) {
    for (place, text) in places {
        for secret in secrets {
            for form in [secret.clone(), hex_of(secret), numbers_of(secret)] {
                if let Some(at) = text.find(&form) {
                    let line = text[..at].lines().next_back().unwrap_or_default();
                    panic!("{place} holds {secret} after {line}");
                }
            }
        }
    }
}

/// A service's password for the broker.
fn broker_password(system: &System, service: Service) -> String {
    let url = system.stack.service_amqp_url(service).unwrap();
    let account = url.split(['/', '@']).nth(2).unwrap();
    account.split_once(':').unwrap().1.to_owned()
}

/// Right and wrong logins of users, staff and a host; returns the tokens.
async fn log_in_in_every_way(system: &System) -> Vec<String> {
    let right = json!({"username": "secretive", "password": PASSWORD});
    let admin = json!({"username": "admin", "password": "adfolio-admin"});
    let mut tokens = Vec::new();
    for (path, body) in [
        ("/auth/v2/login", &right),
        ("/auth/login", &right),
        ("/admin/login", &admin),
    ] {
        let session = system.anyone.post(path, body.clone()).await.ok();
        tokens.push(session["token"].as_str().unwrap().to_owned());
    }
    let host = json!({"external_user_id": HOST_USER, "lang": "en"});
    let issued = system.admin.post("/admin/user/host_token", host).await.ok();
    tokens.push(issued["token"].as_str().unwrap().to_owned());
    for (body, reason) in [
        (
            json!({"username": "secretive", "password": WRONG_PASSWORD}),
            "BAD_CREDENTIALS",
        ),
        (
            json!({"username": MISPLACED_PASSWORD, "password": WRONG_PASSWORD}),
            "BAD_CREDENTIALS",
        ),
        (
            json!({"username": 1, "password": WRONG_PASSWORD}),
            "VALIDATION",
        ),
    ] {
        let reply = system.anyone.post("/auth/v2/login", body).await;
        assert_eq!(reply.reason(), reason, "{reply:?}");
    }
    tokens
}

/// A network's key, with which the network fetched its allotments and sent a report.
async fn network_key(system: &System) -> String {
    let network = json!({"name": "Network A", "source": "network-a"});
    let network = system.admin.post("/admin/network/create", network).await;
    let key = network.ok()["key"].as_str().unwrap().to_owned();
    let network = system.anyone.with_header("X-Network-Key", &key);
    network.get("/network/allotments").await.ok();
    network.post_lines("/network/reports", "{}\n").await.ok();
    key
}

/// Uses a login's token, so that it passes through every place. Only the session that registered the account may set up
/// the wallet and withdraw on the same day.
async fn secure_and_withdraw(system: &System, advertiser: &Advertiser, secrets: &[String]) {
    let session = json!({"username": "secretive", "password": PASSWORD});
    let session = system.anyone.post("/auth/v2/login", session).await.ok();
    let client = system.anyone.with_token(session["token"].as_str().unwrap());
    system.deposit(&advertiser.id, "500.00").await;
    let set = json!({"password": PAY_PASSWORD, "confirm_password": PAY_PASSWORD});
    advertiser.client.post("/set/password", set).await.ok();
    let wrong = json!({"password": WRONG_PAY_PASSWORD});
    let reply = client.post("/check/password", wrong).await;
    assert_eq!(reply.reason(), "WRONG_PAY_PASSWORD", "{reply:?}");
    let card = json!({
        "kind": "bank_card", "card_name": "North Sea Bank", "user_name": HOLDER, "mobile": MOBILE,
        "bank_account": CARD, "branch_name": "Hamburg", "password": PAY_PASSWORD,
    });
    advertiser.client.post("/bank_card/edit", card).await.ok();
    let withdraw = json!({"amount": 100, "method": "bank_card", "password": PAY_PASSWORD});
    client.post("/user/withdraw", withdraw).await.ok();
    let address = json!({
        "kind": "wallet_address", "network": "TRC20", "address": WALLET_ADDRESS, "password": PAY_PASSWORD,
    });
    client.post("/bank_card/edit", address).await.ok();
    let sessions = client.get("/user/sessions").await.ok();
    let other = |session: &&Value| session["current"] == false;
    let other = sessions["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(other)
        .unwrap();
    let end = json!({"id": other["id"]});
    client.post("/user/sessions/end", end).await.ok();
    for token in secrets.iter().filter(|secret| secret.len() == 64) {
        system.anyone.with_token(token).get("/user/info").await;
    }
    let change = |old: &str| json!({"old_password": old, "new_password": NEW_PASSWORD, "confirm_password": NEW_PASSWORD});
    let reply = client
        .post("/update/password", change(WRONG_PASSWORD))
        .await;
    assert_eq!(reply.reason(), "WRONG_PASSWORD", "{reply:?}");
    client.post("/update/password", change(PASSWORD)).await.ok();
}

/// The codes of all licence keys.
async fn license_codes(system: &System) -> Vec<String> {
    let keys = system.admin.get("/admin/license/list").await.ok();
    let items = keys["items"].as_array().unwrap();
    let codes: Vec<String> = items
        .iter()
        .map(|key| key["code"].as_str().unwrap().to_owned())
        .collect();
    assert!(!codes.is_empty(), "the advertiser registered with one");
    codes
}

/// Issues an acceptance code, looks it up and opens an order with it; returns the code. The order brings money: none may
/// leave after the changes before.
async fn exchange(system: &System) -> String {
    let acceptor = json!({"kind": "personal", "name": "Harbour Exchange"});
    let acceptor = system.admin.post("/admin/acceptor/create", acceptor).await;
    let offer = json!({
        "acceptor_id": acceptor.ok()["id"], "direction": "currency_to_wallet", "currency": "EUR", "rate": "0.9",
        "min": "1.00", "max": "100.00", "expires_at": "2999-01-01T00:00:00Z",
    });
    let issued = system.admin.post("/admin/acceptance_code/create", offer);
    let code = issued.await.ok()["code"].as_str().unwrap().to_owned();
    let session = json!({"username": "secretive", "password": NEW_PASSWORD});
    let session = system.anyone.post("/auth/v2/login", session).await.ok();
    let client = system.anyone.with_token(session["token"].as_str().unwrap());
    let detail = json!({"kind": "personal", "code": code});
    client.post("/acceptor/detail", detail).await.ok();
    let order = |password: &str| json!({"kind": "personal", "code": code, "amount": "20.00", "password": password});
    let reply = client
        .post("/acceptor/order/create", order(WRONG_PAY_PASSWORD))
        .await;
    assert_eq!(reply.reason(), "WRONG_PAY_PASSWORD", "{reply:?}");
    let opened = client.post("/acceptor/order/create", order(PAY_PASSWORD));
    opened.await.ok();
    code
}

/// How a list of bytes is logged.
fn numbers_of(secret: &str) -> String {
    let numbers: Vec<String> = secret.bytes().map(|byte| byte.to_string()).collect();
    numbers.join(", ")
}

/// How a table shows a secret stored as bytes.
fn hex_of(secret: &str) -> String {
    secret.bytes().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// The files of a folder and their contents.
fn texts_in(folder: &Path) -> Vec<(String, String)> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.is_file())
        .map(|path| {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            (path.display().to_string(), text)
        })
        .collect()
}

/// Every row of every table as text.
async fn tables_of(url: &str) -> String {
    let pool = PgPool::connect(url).await.unwrap();
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let mut text = String::new();
    for table in tables {
        let query =
            format!("SELECT coalesce(string_agg(row::text, chr(10)), '') FROM {table} AS row");
        let rows: String = sqlx::query_scalar(AssertSqlSafe(query))
            .fetch_one(&pool)
            .await
            .unwrap();
        text.push_str(&rows);
    }
    pool.close().await;
    text
}
