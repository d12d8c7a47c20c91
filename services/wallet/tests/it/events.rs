//! What the ledger announces.

use adfolio_proto::events::v1::{DepositCredited, TransactionPosted};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::helpers::Wallet;

#[tokio::test]
async fn every_transaction_is_announced_in_order_and_its_chain_can_be_checked_from_events_alone() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let (user, order, ledger) = (
        stack.user_with(5_000_000_000_000).await,
        Uuid::now_v7(),
        stack.ledger(),
    );
    ledger.hold(user, order, 300, 60).await.expect("a hold");
    ledger
        .record(user, order, 1, 100, 80)
        .await
        .expect("a report");
    ledger
        .settle(user, order, 100, 80, 8)
        .await
        .expect("a settlement");
    // Refusals and repeats announce nothing.
    ledger
        .settle(user, order, 100, 80, 8)
        .await
        .expect("a repeat");
    ledger
        .hold(user, Uuid::now_v7(), 9_000_000_000_000, 0)
        .await
        .expect_err("a refusal");
    stack.deposit(user, 1).await;

    let events = probe
        .wait_for("adfolio.wallet.v1.TransactionPosted", 7)
        .await;
    assert_eq!(events.len(), 7);
    let mut previous = vec![0; 32];
    let mut available = 0;
    for (place, event) in (1..).zip(&events) {
        let posted: TransactionPosted = event.data().expect("proto3 JSON of the message");
        assert_eq!((event.sequence, posted.sequence), (Some(place), place));
        assert_eq!(
            (event.subject.as_str(), posted.user_id.as_str()),
            (user.to_string().as_str(), user.to_string().as_str())
        );
        assert_eq!(event.id.to_string(), posted.transaction_id);
        let time = posted.time.expect("a time");
        let time = chrono::DateTime::from_timestamp(
            time.seconds,
            time.nanos.try_into().expect("nanoseconds"),
        )
        .expect("a time");
        let canonical = format!(
            "adfolio-chain-2|{user}|{place}|{}|{}|{}|{}|{}|{}|{}|{}|{}",
            time.to_rfc3339_opts(chrono::SecondsFormat::Micros, true),
            posted.transaction_id,
            posted.r#type,
            posted.available_change_minor,
            posted.to_be_consumed_change_minor,
            posted.to_be_settled_change_minor,
            posted.withdrawing_change_minor,
            posted.guarantee_change_minor,
            posted.details,
        );
        assert_eq!((posted.chain_version, posted.guarantee_minor), (2, 0));
        assert_eq!(posted.previous_hash, hex::encode(&previous));
        previous = Sha256::digest([previous.as_slice(), canonical.as_bytes()].concat()).to_vec();
        assert_eq!(posted.hash, hex::encode(&previous));
        available += posted.available_change_minor;
        assert_eq!(posted.available_minor, available);
    }
    let kinds: Vec<String> = events
        .iter()
        .map(|event| event.data::<TransactionPosted>().expect("an event").r#type)
        .collect();
    assert_eq!(
        kinds,
        [
            "deposit", "hold", "consume", "accrue", "release", "settle", "deposit"
        ]
    );
    // Integers of 64 bits are texts in proto3 JSON.
    assert_eq!(
        events[0].data["availableMinor"],
        serde_json::json!("5000000000000")
    );
    let last: TransactionPosted = events[5].data().expect("an event");
    assert_eq!(
        (last.reference.as_str(), last.to_be_settled_minor),
        (order.to_string().as_str(), 0)
    );
    let deposit: TransactionPosted = events[6].data().expect("an event");
    assert_eq!(deposit.reference, "");

    // What a person is told about has an event of its own.
    let credited = probe.wait_for("adfolio.wallet.v1.DepositCredited", 2).await;
    let credited: DepositCredited = credited[1].data().expect("an event");
    assert_eq!(
        (
            credited.transaction_id,
            credited.user_id,
            credited.amount_minor,
            credited.time
        ),
        (deposit.transaction_id, deposit.user_id, 1, deposit.time)
    );
}
