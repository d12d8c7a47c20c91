//! The example of a network's adapter, `proto/examples/network_adapter.py`.

use std::path::Path;
use std::process::{Output, Stdio};

use adfolio_proto::plan::v1::{Allotment, PriceModel};
use adfolio_testkit::{eventually, within_limit};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use crate::fakes::Front;
use crate::network::{KEY, allotment};

const RUNNING: &str = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e51";
const BY_CLICK: &str = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e52";
const LATER: &str = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e53";
const MISSED: &str = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e54";

/// An allotment that begins and ends so many minutes from now.
fn running(id: &str, from: i64, to: i64) -> Allotment {
    let at = |minutes| Some((Utc::now() + TimeDelta::minutes(minutes)).into());
    Allotment {
        id: id.to_owned(),
        from: at(from),
        to: at(to),
        report_until: at(to + 10),
        ..allotment()
    }
}

fn by_click() -> Allotment {
    Allotment {
        units: 20,
        model: PriceModel::Cpc.into(),
        cost_micros: 312_500,
        revenue_micros: 400_001,
        ..running(BY_CLICK, -1, 4)
    }
}

/// A front whose network has these allotments.
async fn front(allotments: Vec<Allotment>) -> Front {
    let front = Front::start().await;
    front.fakes.said().networks.allotments = allotments;
    front
}

fn adapter(front: &Front, folder: &TempDir) -> Command {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/examples");
    let mut command = Command::new("python3");
    command
        .arg(example.join("network_adapter.py"))
        .args([&front.url, "--state"])
        .arg(folder.path().join("adapter.json"))
        .env("ADFOLIO_NETWORK_KEY", KEY)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

async fn once(front: &Front, folder: &TempDir) -> Output {
    let output = adapter(front, folder).arg("--once").output();
    within_limit("the adapter ends", output).await.unwrap()
}

#[track_caller]
fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn what_runs_is_served_and_reported_to_the_price() {
    let allotments = vec![
        running(RUNNING, -1, 4),
        by_click(),
        running(LATER, 60, 65),
        running(MISSED, -6, -1),
    ];
    let front = front(allotments).await;
    let folder = TempDir::new().unwrap();
    // Plan takes the reports, but the adapter does not learn of it.
    front.fakes.said().networks.lost_answers = 1;
    let printed = succeeded(&once(&front, &folder).await);
    assert_eq!(printed, "0 applied, 2 known, 0 held\n");
    {
        let said = front.fakes.said();
        assert_eq!(said.networks.bodies.len(), 2);
        let ids: Vec<&String> = said.networks.reports.keys().collect();
        assert_eq!(ids, [RUNNING, BY_CLICK]);
        let report = &said.networks.reports[RUNNING];
        let time: DateTime<Utc> = report["time"].as_str().unwrap().parse().unwrap();
        assert!((Utc::now() - time).num_seconds() < 60, "{time}");
        for (field, value) in [
            ("revision", json!(1)),
            ("plan_number", json!("AD261120K3F9ZQ")),
            ("placement", json!("0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")),
            ("impressions", json!(5005)),
            ("spend", json!("10.01000")),
            ("revenue", json!("15.540525")),
        ] {
            assert_eq!(report[field], value, "{field}");
        }
        let report = &said.networks.reports[BY_CLICK];
        let clicks = ["clicks", "spend", "revenue"].map(|field| &report[field]);
        assert_eq!(clicks, [&json!(20), &json!("6.2500"), &json!("8.000020")]);
        assert!(report["impressions"].as_i64().unwrap() >= 20);
    }
    let printed = succeeded(&once(&front, &folder).await);
    assert_eq!(printed, "", "nothing is reported twice");
    let state = std::fs::read(folder.path().join("adapter.json")).unwrap();
    let state: Value = serde_json::from_slice(&state).unwrap();
    let open: Vec<&String> = state["open"].as_object().unwrap().keys().collect();
    assert_eq!(open, [LATER]);
    assert!(state["rejected"][MISSED].is_string(), "{state}");
}

#[tokio::test]
async fn an_adapter_that_is_killed_says_the_same_again() {
    let front = front(vec![running(RUNNING, -1, 4)]).await;
    let folder = TempDir::new().unwrap();
    front.fakes.said().networks.is_silent = true;
    let mut killed = adapter(&front, &folder).spawn().unwrap();
    eventually("plan has the report", || async {
        front.fakes.said().networks.bodies.len() == 1
    })
    .await;
    killed.kill().await.unwrap();
    front.fakes.said().networks.is_silent = false;
    let printed = succeeded(&once(&front, &folder).await);
    assert_eq!(printed, "0 applied, 1 known, 0 held\n");
    let said = front.fakes.said();
    assert_eq!(said.networks.bodies[0], said.networks.bodies[1]);
}

#[tokio::test]
async fn a_list_whose_place_is_forgotten_begins_again() {
    let front = front(vec![running(RUNNING, -1, 4)]).await;
    let folder = TempDir::new().unwrap();
    succeeded(&once(&front, &folder).await);
    // The first one is still listed, but the last known one is not.
    let state = folder.path().join("adapter.json");
    let text = std::fs::read_to_string(&state).unwrap();
    let mut changed: Value = serde_json::from_str(&text).unwrap();
    changed["after"] = json!(MISSED);
    changed["etag"] = Value::Null;
    std::fs::write(&state, changed.to_string()).unwrap();
    front.fakes.said().networks.allotments.push(by_click());
    let printed = succeeded(&once(&front, &folder).await);
    assert_eq!(printed, "1 applied, 0 known, 0 held\n");
}

#[tokio::test]
async fn an_unknown_key_ends_the_adapter() {
    let front = front(Vec::new()).await;
    let folder = TempDir::new().unwrap();
    let mut command = adapter(&front, &folder);
    command.env("ADFOLIO_NETWORK_KEY", "0".repeat(64));
    let ended = within_limit("the adapter ends", command.output()).await;
    let ended = ended.unwrap();
    assert!(!ended.status.success());
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("refused: NOT_AUTHENTICATED"), "{said}");
}
