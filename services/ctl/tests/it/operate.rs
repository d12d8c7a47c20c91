//! What an operator does in a script: one command for each thing that staff do, in tables and in JSON.

use serde_json::Value;

use crate::helpers::{AuthAlone, Ended};

fn items(ended: &Ended) -> Vec<Value> {
    assert_eq!(ended.code, 0, "{ended:?}");
    let answer: Value = serde_json::from_str(&ended.output).unwrap();
    answer["items"].as_array().unwrap().clone()
}

fn one(ended: &Ended) -> Value {
    assert_eq!(ended.code, 0, "{ended:?}");
    serde_json::from_str(&ended.output).unwrap()
}

/// The id of a user who registered with a key of adfolioctl's.
async fn user(auth: &AuthAlone) -> String {
    let ended = auth
        .run(&["license", "create", "--code", "FIRST-KEY", "--json"], "")
        .await;
    assert_eq!(items(&ended)[0]["state"], "unused");
    auth.register("ann", "FIRST-KEY").await
}

#[tokio::test]
async fn keys_are_issued_and_listed() {
    let auth = AuthAlone::start().await;
    let ended = auth
        .run(
            &[
                "license",
                "create",
                "--count",
                "3",
                "--not-activated",
                "--note",
                "spring",
                "--json",
            ],
            "",
        )
        .await;
    let keys = items(&ended);
    assert_eq!(keys.len(), 3);
    assert_eq!(
        (&keys[0]["activate"], &keys[0]["note"]),
        (&Value::Bool(false), &Value::from("spring"))
    );
    let listed = auth
        .run(&["license", "list", "--max", "2", "--json"], "")
        .await;
    assert_eq!(items(&listed).len(), 2);
    let table = auth.run(&["license", "list"], "").await;
    assert!(table.output.starts_with("CODE "), "{table:?}");
    assert!(table.output.contains(keys[0]["code"].as_str().unwrap()));
    // The same key is the same command.
    let keyed = ["license", "create", "--idempotency-key", "once", "--json"];
    let first = items(&auth.run(&keyed, "").await);
    assert_eq!(items(&auth.run(&keyed, "").await), first);
}

#[tokio::test]
async fn what_is_done_to_a_user_is_logged_with_who_ran_it() {
    let auth = AuthAlone::start().await;
    let id = user(&auth).await;
    let found = items(
        &auth
            .run(
                &[
                    "user", "list", "--query", "an", "--state", "active", "--json",
                ],
                "",
            )
            .await,
    );
    assert_eq!(
        (found.len(), &found[0]["id"]),
        (1, &Value::from(id.as_str()))
    );
    assert_eq!(found[0]["email"], "ann@shop.example");
    assert_eq!(found[0]["phone"], "+4915112345678");
    let looks = ["audit", "list", "--action", "auth.list_users", "--json"];
    let looks = items(&auth.run(&looks, "").await);
    assert_eq!(looks.len(), 1);
    assert_eq!(looks[0]["staff"], "adfolioctl");
    assert_eq!(looks[0]["after"]["query"], "an");
    let reason = looks[0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("adfolioctl, run by "), "{reason}");
    let profile = [
        "user",
        "profile",
        &id,
        "--credit-score",
        "640",
        "--reason",
        "audited",
        "--json",
    ];
    let changed = one(&auth.run(&profile, "").await);
    assert_eq!(changed["credit_score"], 640);
    let state = [
        "user",
        "state",
        &id,
        "disabled",
        "--reason",
        "chargebacks",
        "--json",
    ];
    assert_eq!(one(&auth.run(&state, "").await)["state"], "disabled");
    let log = auth
        .run_until(&["audit", "list", "--user", &id, "--json"], |ended| {
            items(ended).len() == 2
        })
        .await;
    let log = items(&log);
    let newest = &log[0];
    assert_eq!(
        (&newest["staff"], &newest["action"]),
        (
            &Value::from("adfolioctl"),
            &Value::from("auth.set_user_state")
        )
    );
    let reason = newest["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("chargebacks (adfolioctl, run by "),
        "{reason}"
    );
    assert_eq!(
        (&newest["before"]["state"], &newest["after"]["state"]),
        (&Value::from("active"), &Value::from("disabled"))
    );
    assert_eq!(log[1]["after"]["credit_score"], 640);
    let verified = auth
        .run_until(&["audit", "verify"], |ended| {
            ended.output.contains("; 0 are not sealed yet")
        })
        .await;
    assert_eq!(verified.code, 0, "{verified:?}");
    assert!(verified.output.contains("the chain holds"), "{verified:?}");
}

#[tokio::test]
async fn sessions_of_a_user_are_ended_with_a_reason() {
    let auth = AuthAlone::start().await;
    let id = user(&auth).await;
    let end = ["user", "sessions-end", &id, "--reason", "lost phone"];
    assert_eq!(auth.run(&end[..3], "").await.code, 2);
    let json = [&end[..], &["--json"]].concat();
    assert_eq!(one(&auth.run(&json, "").await)["ended"], 1);
    assert_eq!(one(&auth.run(&json, "").await)["ended"], 0);
    let entries = [
        "audit",
        "list",
        "--action",
        "auth.end_user_sessions",
        "--json",
    ];
    let entries = items(
        &auth
            .run_until(&entries, |ended| !items(ended).is_empty())
            .await,
    );
    let reason = entries.last().unwrap()["reason"].as_str().unwrap();
    assert!(reason.starts_with("lost phone"), "{reason}");
}

#[tokio::test]
async fn refusals_and_wrong_usage_are_told_apart() {
    let auth = AuthAlone::start().await;
    let unknown = auth.run(&["user", "state", "nobody", "active"], "").await;
    assert_eq!(unknown.code, 1);
    assert!(unknown.errors.contains("NOT_FOUND of id"), "{unknown:?}");
    for wrong in [
        &["user", "state", "nobody", "asleep"][..],
        &["wallet", "deposit", "nobody", "12.345"],
        &["wallet", "start-up-funds", "nobody", "lend", "1"],
        &["plan", "push", "--product", "x", "--amount", "1"],
        &["license", "create", "--count", "2", "--code", "X-1234"],
    ] {
        assert_eq!(auth.run(wrong, "").await.code, 2, "{wrong:?}");
    }
    let nothing = auth.run(&["user", "list"], "").await;
    assert_eq!((nothing.code, nothing.output.trim()), (0, "none"));
}
