//! `adfolioctl wallet` and `adfolioctl delivery`, on the demo data.

use adfolio_proto::plan::v1::plan_admin_service_client::PlanAdminServiceClient;
use adfolio_proto::plan::v1::{AdminListPlansRequest, PlanStatus};
use adfolio_testkit::eventually;

use crate::helpers::{Ended, Stack, as_admin};

async fn plan_number(stack: &Stack, status: PlanStatus) -> String {
    let mut plan = PlanAdminServiceClient::new(stack.plan());
    let message = AdminListPlansRequest {
        status: status.into(),
        ..Default::default()
    };
    let answer = plan
        .admin_list_plans(as_admin(message))
        .await
        .unwrap()
        .into_inner();
    answer.items.first().expect("a plan").plan_number.clone()
}

/// Plans; rows read, applied, repeated, restated, rejected.
fn counts(ended: &Ended) -> Vec<i64> {
    ended
        .output
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1)?.parse().ok())
        .collect()
}

#[tokio::test]
async fn files_are_imported_and_the_books_are_proved() {
    let stack = Stack::start().await;
    assert_eq!(stack.run(&["demo", "load"]).await.code, 0);
    let number = plan_number(&stack, PlanStatus::Matching).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reports.csv");
    let mapping = folder.path().join("mapping.json");
    let time = chrono::Utc::now().format("%Y-%m-%dT00:00:00Z");
    let row =
        |id: &str, plan: &str, spend: &str| format!("{id},{plan},{time},1000,10,{spend},1.50\n");
    let mut text = "id,plan,when,shown,clicks,spend,revenue\n".to_owned();
    text += &row("a", &number, "2.00");
    text += &row("b", "NO-SUCH-PLAN", "2.00");
    text += &row("c", &number, "1.005");
    std::fs::write(&file, &text).unwrap();
    std::fs::write(
        &mapping,
        r#"{"id": "report_id", "plan": "plan_number", "when": "time", "shown": "impressions",
        "clicks": "clicks", "spend": "spend", "revenue": "revenue"}"#,
    )
    .unwrap();
    let (file, mapping) = (file.to_str().unwrap(), mapping.to_str().unwrap());
    let import = [
        "delivery",
        "import",
        file,
        "--source",
        "network-a",
        "--mapping",
        mapping,
    ];
    let first = stack.run(&import).await;
    assert_eq!(
        (first.code, counts(&first)),
        (3, vec![1, 3, 2, 0, 0, 1]),
        "{first:?}"
    );
    assert!(first.errors.starts_with("line 3: "), "{first:?}");
    std::fs::write(file, text.replace("NO-SUCH-PLAN", &number)).unwrap();
    let second = stack.run(&import).await;
    assert_eq!(
        (second.code, counts(&second)),
        (0, vec![1, 3, 1, 2, 0, 0]),
        "{second:?}"
    );

    let proved = stack.run(&["wallet", "reconcile"]).await;
    assert_eq!(proved.code, 0, "{proved:?}");
    assert!(proved.output.contains("the books balance"));
    let json = stack.run(&["wallet", "reconcile", "--json"]).await;
    let json: serde_json::Value = serde_json::from_str(&json.output).unwrap();
    assert_eq!(json["ok"], true);
    assert!(
        json["checks"]
            .as_array()
            .is_some_and(|checks| !checks.is_empty())
    );
    let verified = stack.run(&["wallet", "verify"]).await;
    assert_eq!(verified.code, 0, "{verified:?}");
    assert!(verified.output.contains("every chain holds"));
    spoil_and_prove(&stack).await;
}

/// Money that came from nowhere is found.
async fn spoil_and_prove(stack: &Stack) {
    sqlx::query("UPDATE wallets SET available = available + 1")
        .execute(&stack.wallet_pool())
        .await
        .unwrap();
    let proved = stack.run(&["wallet", "reconcile"]).await;
    assert_eq!(proved.code, 1, "{proved:?}");
    assert!(proved.output.contains("WRONG"));
}

#[tokio::test]
async fn allotments_are_exported_and_decided_again() {
    let stack = Stack::start().await;
    assert_eq!(stack.run(&["demo", "load"]).await.code, 0);
    let number = plan_number(&stack, PlanStatus::Matching).await;
    let id = async |arguments: &[&str], path: &str| {
        let ended = stack.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!(ended.code, 0, "{ended:?}");
        let answer: serde_json::Value = serde_json::from_str(&ended.output).unwrap();
        answer[path].as_str().unwrap().to_owned()
    };
    let network = id(&["network", "create", "Network B", "network-b"], "id").await;
    let create = ["placement", "create", &network, "Feed, top", "native"];
    let placement = id(&create, "id").await;
    let unknown = stack.run(&["placement", "replay", &number]).await;
    assert_eq!(unknown.code, 1, "{unknown:?}");
    let now = chrono::Utc::now().to_rfc3339();
    let price = [
        "placement",
        "price",
        &placement,
        "cpm",
        "0.01",
        "0.02",
        &now,
    ];
    id(&price, "id").await;
    let exported = eventually("the network is allotted something", async || {
        let ended = stack.run(&["network", "export", &network]).await;
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(
            ended
                .output
                .starts_with("allotment_id,plan_number,placement,")
        );
        ended.output.contains(&number).then_some(ended.output)
    })
    .await;
    assert!(exported.contains("\"Feed, top\""), "{exported}");
    let replayed = stack.run(&["placement", "replay", &number]).await;
    assert_eq!(replayed.code, 0, "{replayed:?}");
    assert!(
        replayed.output.contains("the same decision"),
        "{replayed:?}"
    );
    let json = stack.run(&["placement", "replay", &number, "--json"]).await;
    let json: serde_json::Value = serde_json::from_str(&json.output).unwrap();
    assert_eq!(json["same"], true);
    assert_eq!(json["stored"], json["again"]);
    assert_eq!(json["placements"][0], "Feed, top");
}

#[tokio::test]
async fn what_cannot_be_imported_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reports.txt");
    std::fs::write(&file, "x").unwrap();
    let nowhere = [("PLAN_URL", "http://127.0.0.1:1".to_owned())];
    for (arguments, expected) in [
        (
            vec![
                "delivery",
                "import",
                file.to_str().unwrap(),
                "--source",
                "a",
            ],
            "say --format",
        ),
        (
            vec!["delivery", "import", "missing.csv", "--source", "a"],
            "cannot open missing.csv",
        ),
        (
            vec![
                "delivery",
                "import",
                "missing.csv",
                "--source",
                "a",
                "--mapping",
                "{]",
            ],
            "not a JSON object",
        ),
        (
            vec![
                "delivery",
                "import",
                "missing.csv",
                "--source",
                "a",
                "--mapping",
                "none",
            ],
            "cannot read the mapping",
        ),
    ] {
        let ended = crate::helpers::run(&nowhere, &arguments, "").await;
        assert_eq!(ended.code, 1);
        assert!(ended.errors.contains(expected), "{ended:?}");
    }
}
