//! The simulated network of the demo, from registering itself to the wallet.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use adfolio_local::{Component, Service, Signal, Stack, Visitors};
use adfolio_testkit::eventually;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::client::Client;
use crate::setup::{System, programs};

/// A visitor every ten seconds of a week, who clicks often.
fn visitors(folder: &Path) -> Visitors {
    let monday: DateTime<Utc> = "2019-11-25T00:00:00Z".parse().unwrap();
    let mut log = "timestamp\n".to_owned();
    for row in 0..60_480 {
        let time = monday + TimeDelta::seconds(10 * row);
        writeln!(log, "{}", time.to_rfc3339()).unwrap();
    }
    let visitors = Visitors {
        traffic: folder.join("traffic.csv"),
        prior: folder.join("prior.json"),
    };
    fs::write(&visitors.traffic, log).unwrap();
    let rates = json!({"alpha": [2, 1, 3], "beta": [98, 99, 97]});
    fs::write(&visitors.prior, rates.to_string()).unwrap();
    visitors
}

/// What a plan has shown on placements, by name.
async fn placements(advertiser: &Client, plan: &str) -> Vec<Value> {
    let path = format!("/plan/order/placements?plan_id={plan}");
    let shown = advertiser.get(&path).await.ok();
    let items = shown["items"].as_array().unwrap().iter();
    items
        .filter(|item| !item["placement"].is_null())
        .cloned()
        .collect()
}

fn impressions(placements: &[Value]) -> i64 {
    let all = placements.iter().map(|item| item["impressions"].as_i64());
    all.map(Option::unwrap).sum()
}

#[tokio::test]
async fn it_delivers_the_demo_and_everything_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Stack::builder()
        .programs(programs())
        .without_second_factor()
        .demo(true)
        .simnet(visitors(folder.path()))
        .extra_env(Service::Plan, "ALLOTMENT_INTERVAL_SECONDS", "5")
        .extra_env(Service::Plan, "POSTING_PACE_SECONDS", "1");
    let system = System::start_from(builder).await;
    let login = json!({"username": "demo", "password": "adfolio-demo-1"});
    let session = system.anyone.post("/auth/v2/login", login).await.ok();
    let advertiser = system.anyone.with_token(session["token"].as_str().unwrap());
    let product = advertiser.get("/plan/product/list").await.ok()["items"][0].clone();
    let put = json!({"product_id": product["id"], "amount": "1000.00"});
    let plan = advertiser.post("/plan/order/put", put).await.ok();
    let id = plan["id"].as_str().unwrap();

    eventually("the network has shown the plan", || async {
        impressions(&placements(&advertiser, id).await) > 0
    })
    .await;
    for item in placements(&advertiser, id).await {
        let is_shown = item["impressions"].as_i64().unwrap() > 0;
        assert_eq!(item["simulated"], is_shown, "{item:#}");
    }
    let detail = advertiser.post("/plan/order/detail", json!({"id": id}));
    let detail = detail.await.ok();
    assert_eq!(detail["status"], "putting", "{detail:#}");
    let source = json!("simulator");
    assert!(
        detail["sources"].as_array().unwrap().contains(&source),
        "{detail:#}"
    );

    // It keeps nothing, and goes on where it was killed.
    system
        .stack
        .kill(Component::Simnet, Signal::SIGKILL)
        .await
        .unwrap();
    let before = impressions(&placements(&advertiser, id).await);
    eventually("it goes on after its death", || async {
        impressions(&placements(&advertiser, id).await) > before
    })
    .await;
    system.stack.wait_ready(Component::Simnet).await.unwrap();
    eventually("plan and ledger say the same", || async {
        let books = system.admin.get("/admin/wallet/reconcile").await;
        books.data["ok"] == true
    })
    .await;
    system.stack.stop().await;
}

#[tokio::test]
async fn it_runs_in_a_demonstration_only() {
    let folder = tempfile::tempdir().unwrap();
    let visitors = visitors(folder.path());
    let output = tokio::process::Command::new(programs().join("adfolioctl"))
        .args(["demo", "simnet", "--url", "http://127.0.0.1:9/api"])
        .arg("--traffic")
        .arg(&visitors.traffic)
        .arg("--prior")
        .arg(&visitors.prior)
        .env_remove("ADFOLIO_DEMO")
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("ADFOLIO_DEMO=1"), "{told}");
}
