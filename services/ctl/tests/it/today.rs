//! `adfolioctl today`: what waits for a person, in every service.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::helpers::{AuthAlone, Stack};

#[tokio::test]
async fn every_service_says_what_waits() {
    let stack = Stack::start().await;
    let ended = stack.run(&["today", "--json"]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    let answer: Value = serde_json::from_str(&ended.output).unwrap();
    let items = answer["items"].as_array().unwrap();
    let kinds: BTreeSet<&str> = items
        .iter()
        .map(|item| item["kind"].as_str().unwrap())
        .filter(|kind| *kind != "dead_letters")
        .collect();
    let expected = [
        "approvals",
        "bank_lines",
        "campaigns",
        "delivery_imports",
        "exchange_orders",
        "feedback",
        "freezes",
        "payment_batches",
        "plans_to_finish",
        "plans_to_settle",
        "quarantined_reports",
        "withdrawals",
    ];
    assert_eq!(kinds, BTreeSet::from(expected));
    for item in items {
        assert_eq!((&item["count"], &item["more"]), (&0.into(), &false.into()));
    }
}

#[tokio::test]
async fn a_service_that_is_gone_is_named_and_the_others_answer() {
    let auth = AuthAlone::start().await;
    // The addresses of the others are those of this machine's services, of which there are none.
    let ended = auth.run(&["today"], "").await;
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.errors.contains("wallet does not say what waits"),
        "{ended:?}"
    );
    assert!(!ended.errors.contains("auth does not"), "{ended:?}");
}
