//! The examples of consumers in `proto/examples`, against what wallet really keeps in its stream.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};

use adfolio_testkit::{TestBroker, eventually};
use futures::future::join_all;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::helpers::{StaffPosting, Wallet, finance};
use crate::streams::{Consumer, TestStream, on_stream};

const USERS: usize = 6;

/// Each consumer dies so often.
const KILLS: u64 = 3;

/// Messages that a consumer has read on before it is killed once more.
const READ_BETWEEN_KILLS: u64 = 20;

/// More rounds would mean that a consumer reads nothing.
const ROUNDS_MAX: usize = 2_000;

#[tokio::test]
async fn consumers_that_are_killed_again_and_again_know_every_balance_exactly() {
    let names = TestBroker::namespace();
    let stream = TestStream::named(&names).await;
    let stack = Wallet::builder()
        .configure(on_stream(&stream))
        .spawn()
        .await;
    let folder = tempfile::tempdir().expect("a folder");
    let states = ["rust.json", "python.json"].map(|name| folder.path().join(name));
    let users = join_all((0..USERS).map(|_| stack.user_with(1_000_000))).await;
    // The relay declares the stream before it publishes.
    eventually("the first events are sent", || async {
        unsent(&stack).await == 0
    })
    .await;

    let is_enough = AtomicBool::new(false);
    let posting = join_all(
        users
            .iter()
            .map(|user| post_until(&stack, *user, &is_enough)),
    );
    let killing = async {
        let consumers = Consumer::ALL.into_iter().zip(&states);
        join_all(consumers.map(|(consumer, state)| kill_repeatedly(consumer, &stream, state)))
            .await;
        is_enough.store(true, Ordering::SeqCst);
    };
    tokio::join!(posting, killing);
    eventually("all events are sent", || async {
        unsent(&stack).await == 0
    })
    .await;

    let expected = balances_of_the_ledger(&stack).await;
    assert_eq!(expected.len(), USERS);
    for (consumer, state) in Consumer::ALL.into_iter().zip(&states) {
        let output = consumer.read_all(&stream, state).await;
        assert_eq!(balances(&output), expected, "{consumer:?}");
        println!("{consumer:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // Each can go on where the other stood.
    stack.deposit(users[0], 1).await;
    eventually("the last event is sent", || async {
        unsent(&stack).await == 0
    })
    .await;
    let expected = balances_of_the_ledger(&stack).await;
    for (consumer, state) in Consumer::ALL.into_iter().zip(states.iter().rev()) {
        assert_eq!(
            balances(&consumer.read_all(&stream, state).await),
            expected,
            "{consumer:?}"
        );
    }
    stream.delete().await;
}

#[tokio::test]
async fn consumers_skip_what_comes_again_and_wait_for_what_comes_late() {
    let (names, events, expected) = recorded_events().await;
    // The second event was refused at first, and the relay sent it and what follows once more.
    let mut sent = vec![events[0].clone()];
    sent.extend_from_slice(&events[2..5]);
    sent.extend_from_slice(&events[1..5]);
    sent.extend_from_slice(&events);
    let stream = TestStream::holding(&names, &sent).await;
    for output in read_by_all(&stream).await {
        assert_eq!(balances(&output), expected);
    }
    stream.delete().await;
}

#[tokio::test]
async fn consumers_tell_where_a_chain_breaks() {
    let (names, events, _) = recorded_events().await;
    let altered = |key: &str, value: &str| {
        let mut event: Value = serde_json::from_slice(&events[3]).expect("an event");
        event["data"][key] = json!(value);
        let mut events = events.clone();
        events[3] = event.to_string().into_bytes();
        events
    };
    let missing = [&events[..3], &events[4..]].concat();
    let cases = [
        (
            altered("availableChangeMinor", "77"),
            "breaks at sequence 4 (offset 3): its hash does not fit its content",
        ),
        (
            altered("availableMinor", "77"),
            "breaks at sequence 4 (offset 3): the balances after it do not follow from its changes",
        ),
        (
            altered("guaranteeChangeMinor", "77"),
            "breaks at sequence 4 (offset 3): its hash does not fit its content",
        ),
        (
            altered("guaranteeMinor", "77"),
            "breaks at sequence 4 (offset 3): the balances after it do not follow from its changes",
        ),
        (
            altered("details", &"0".repeat(64)),
            "breaks at sequence 4 (offset 3): its hash does not fit its content",
        ),
        (
            altered("previousHash", &"0".repeat(64)),
            "breaks at sequence 4 (offset 3): it does not follow the hash before it",
        ),
        (missing, "breaks: sequence 4 is missing"),
    ];
    for (events, expected) in cases {
        let stream = TestStream::holding(&names, &events).await;
        for output in read_by_all(&stream).await {
            let error =
                String::from_utf8_lossy(&output.stderr).replace("\n\nCaused by:\n    ", ": ");
            assert!(error.contains(expected), "{error}");
            assert!(
                !output.status.success() && output.stdout.is_empty(),
                "{output:?}"
            );
        }
        stream.delete().await;
    }
}

/// The release before posts in version 1, before this one and beside it.
#[tokio::test]
async fn consumers_follow_a_chain_of_both_versions() {
    let (names, events, mut expected) = recorded_events().await;
    let events = rewritten(&events, &[1, 2, 3, 8]);
    let last: Value = serde_json::from_slice(&events[7]).expect("an event");
    for line in expected.values_mut() {
        line["hash"] = last["data"]["hash"].clone();
    }
    let begun = TestStream::holding(&names, &events[..3]).await;
    let whole = TestStream::holding(&names, &events).await;
    let folder = tempfile::tempdir().expect("a folder");
    for consumer in Consumer::ALL {
        let file = folder.path().join(format!("{consumer:?}.json"));
        consumer.read_all(&begun, &file).await;
        // As a program of the release before leaves it, with four balances.
        let text = std::fs::read(&file).expect("a file");
        let mut state: Value = serde_json::from_slice(&text).expect("JSON");
        for account in state["users"].as_object_mut().expect("users").values_mut() {
            let balances = account["balances"].as_array_mut().expect("balances");
            assert_eq!(balances.pop(), Some(json!(0)));
        }
        std::fs::write(&file, state.to_string()).expect("written");
        let output = consumer.read_all(&whole, &file).await;
        assert_eq!(balances(&output), expected, "{consumer:?}");
    }
    for stream in [begun, whole] {
        stream.delete().await;
    }
}

/// The events with a chain of which these transactions are of version 1.
fn rewritten(events: &[Vec<u8>], old: &[i64]) -> Vec<Vec<u8>> {
    let mut hash = vec![0; 32];
    let rewrite = |body: &Vec<u8>| {
        let mut event: Value = serde_json::from_slice(body).expect("an event");
        let data = event["data"].as_object_mut().expect("data");
        let text = |name: &str| data[name].as_str().expect("a text").to_owned();
        let names = ["userId", "sequence", "time", "transactionId", "type"];
        let accounts = ["available", "toBeConsumed", "toBeSettled", "withdrawing"];
        let changes = accounts.map(|account| format!("{account}ChangeMinor"));
        let names = names.into_iter().chain(changes.iter().map(String::as_str));
        let mut covered: Vec<String> = names.map(text).collect();
        if old.contains(&covered[1].parse().expect("a number")) {
            covered.insert(0, "adfolio-chain-1".into());
            for newer in [
                "guaranteeChangeMinor",
                "guaranteeMinor",
                "details",
                "chainVersion",
            ] {
                data.remove(newer);
            }
        } else {
            covered.insert(0, "adfolio-chain-2".into());
            covered.extend([text("guaranteeChangeMinor"), text("details")]);
        }
        data.insert("previousHash".into(), json!(hex::encode(&hash)));
        hash = Sha256::digest([&hash[..], covered.join("|").as_bytes()].concat()).to_vec();
        data.insert("hash".into(), json!(hex::encode(&hash)));
        event.to_string().into_bytes()
    };
    events.iter().map(rewrite).collect()
}

#[tokio::test]
async fn consumers_that_come_late_begin_with_what_the_oldest_event_carries_and_say_so() {
    let (names, events, mut expected) = recorded_events().await;
    let stream = TestStream::that_forgot(&names, &events[..4], &events[4..]).await;
    for line in expected.values_mut() {
        line["firstSequence"] = json!(5);
    }
    for output in read_by_all(&stream).await {
        assert_eq!(balances(&output), expected);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("are no longer in the stream"), "{told}");
    }
    stream.delete().await;
}

#[tokio::test]
async fn consumers_begin_in_the_middle_of_a_stream_that_was_begun_anew_when_told_to() {
    let (names, events, mut expected) = recorded_events().await;
    for line in expected.values_mut() {
        line["firstSequence"] = json!(5);
    }
    let stream = TestStream::holding(&names, &events[4..]).await;
    for output in read_by_all(&stream).await {
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("breaks: sequence 1 is missing"), "{error}");
    }
    let holed = [events[4].clone(), events[6].clone()];
    let holed = TestStream::holding(&names, &holed).await;
    let folder = tempfile::tempdir().expect("a folder");
    for consumer in Consumer::ALL {
        let file = |name| folder.path().join(format!("{consumer:?}-{name}.json"));
        let (whole, with_a_hole) = (file("whole"), file("with-a-hole"));
        let arguments = ["--from-middle"];
        for _ in 0..2 {
            let read = consumer.read_all_with(&arguments, &stream, &whole);
            assert_eq!(balances(&read.await), expected);
        }
        let read = consumer.read_all_with(&arguments, &holed, &with_a_hole);
        let error = String::from_utf8_lossy(&read.await.stderr).into_owned();
        assert!(error.contains("breaks: sequence 6 is missing"), "{error}");
    }
    for stream in [stream, holed] {
        stream.delete().await;
    }
}

#[tokio::test]
async fn consumers_do_not_go_on_in_another_stream() {
    let (names, events, expected) = recorded_events().await;
    let (_, others, _) = recorded_events().await;
    let stream = TestStream::holding(&names, &events).await;
    let shorter = TestStream::holding(&names, &events[..3]).await;
    let longer = TestStream::holding(&names, &[&others[..], &others[..]].concat()).await;
    let folder = tempfile::tempdir().expect("a folder");
    for consumer in Consumer::ALL {
        let state = folder.path().join(format!("{consumer:?}.json"));
        assert_eq!(
            balances(&consumer.read_all(&stream, &state).await),
            expected
        );
        for other in [&shorter, &longer] {
            let output = consumer.read_all(other, &state).await;
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(
                error.contains("is not the stream that the state file is about"),
                "{error}"
            );
            assert!(!output.status.success());
        }
        assert_eq!(
            balances(&consumer.read_all(&stream, &state).await),
            expected
        );
    }
    for stream in [stream, shorter, longer] {
        stream.delete().await;
    }
}

/// Posts, as long as it is asked for, what users, plans and staff do with a wallet.
async fn post_until(stack: &Wallet, user: Uuid, is_enough: &AtomicBool) {
    let ledger = stack.ledger();
    for round in 0..ROUNDS_MAX {
        if is_enough.load(Ordering::SeqCst) {
            return;
        }
        let order = Uuid::now_v7();
        ledger.hold(user, order, 300, 60).await.expect("a hold");
        ledger
            .record(user, order, 1, 100, 80)
            .await
            .expect("a report");
        if round % 3 == 0 {
            stack
                .post_as(&finance(), StaffPosting::Chargeback, user, 7)
                .await
                .expect("a chargeback");
        }
        if round % 5 == 0 {
            let guarantee = StaffPosting::GuaranteeDeposit;
            let given = stack.post_as(&finance(), guarantee, user, 11).await;
            given.expect("a guarantee");
        }
        if round % 4 != 0 {
            ledger
                .settle(user, order, 100, 80, 8)
                .await
                .expect("a settlement");
        }
        stack.deposit(user, 50_000).await;
    }
    panic!("the consumers read nothing");
}

/// Lets a consumer read on a little, kills it in the middle, and again.
async fn kill_repeatedly(consumer: Consumer, stream: &TestStream, state: &Path) {
    let mut read = 0;
    for _ in 0..KILLS {
        let mut running = consumer.follow(stream, state);
        let wanted = read + READ_BETWEEN_KILLS;
        read = eventually(&format!("{consumer:?} reads on to {wanted}"), || async {
            place(state).filter(|place| *place >= wanted)
        })
        .await;
        running.kill().await.expect("a killed consumer");
    }
}

/// How far a consumer's file says that it is.
fn place(state: &Path) -> Option<u64> {
    let text = std::fs::read(state).ok()?;
    // The file is replaced in one step: there is never half of one.
    let state: Value = serde_json::from_slice(&text).expect("a whole file");
    state["next"].as_u64()
}

/// Eight transactions of a user as the stream keeps them, and what the ledger says of the wallet after them.
async fn recorded_events() -> (TestBroker, Vec<Vec<u8>>, BTreeMap<String, Value>) {
    let names = TestBroker::namespace();
    let stream = TestStream::named(&names).await;
    let stack = Wallet::builder()
        .configure(on_stream(&stream))
        .spawn()
        .await;
    let user = stack.user_with(1_000).await;
    let (ledger, order) = (stack.ledger(), Uuid::now_v7());
    ledger.hold(user, order, 300, 60).await.expect("a hold");
    ledger
        .record(user, order, 1, 100, 80)
        .await
        .expect("a report");
    ledger
        .settle(user, order, 100, 80, 8)
        .await
        .expect("a settlement");
    let guarantee = StaffPosting::GuaranteeDeposit;
    let given = stack.post_as(&finance(), guarantee, user, 50).await;
    given.expect("a guarantee");
    stack.deposit(user, 5).await;
    eventually("all events are sent", || async {
        unsent(&stack).await == 0
    })
    .await;
    // Both deposits and the guarantee have an event for people and one for the audit log besides.
    let all = stream.read(8 + 3 * 2).await;
    let is_transaction = |body: &Vec<u8>| {
        let event: Value = serde_json::from_slice(body).expect("an event");
        event["type"] == "adfolio.wallet.v1.TransactionPosted"
    };
    let events: Vec<Vec<u8>> = all.into_iter().filter(is_transaction).collect();
    assert_eq!(events.len(), 8);
    stream.delete().await;
    (names, events, balances_of_the_ledger(&stack).await)
}

async fn read_by_all(stream: &TestStream) -> Vec<Output> {
    let folder = tempfile::tempdir().expect("a folder");
    join_all(Consumer::ALL.map(|consumer| {
        let state = folder.path().join(format!("{consumer:?}.json"));
        async move { consumer.read_all(stream, &state).await }
    }))
    .await
}

/// What a consumer printed, by user.
fn balances(output: &Output) -> BTreeMap<String, Value> {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = String::from_utf8_lossy(&output.stdout);
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"));
    lines
        .map(|line: Value| (line["userId"].as_str().expect("a user").to_owned(), line))
        .collect()
}

/// What a consumer should print.
async fn balances_of_the_ledger(stack: &Wallet) -> BTreeMap<String, Value> {
    let wallets: Vec<(Uuid, i64, Vec<u8>, [i64; 5])> = sqlx::query_as(
        "SELECT user_id, seq, chain_head, ARRAY[available, to_be_consumed, to_be_settled, withdrawing, guarantee]::bigint[]
         FROM wallets",
    )
    .fetch_all(&stack.pool())
    .await
    .expect("wallets");
    let lines = wallets.into_iter().map(|(user, seq, hash, balances)| {
        let [
            available,
            to_be_consumed,
            to_be_settled,
            withdrawing,
            guarantee,
        ] = balances.map(|minor| minor.to_string());
        let line = json!({
            "userId": user, "firstSequence": 1, "sequence": seq, "hash": hex::encode(hash),
            "availableMinor": available, "toBeConsumedMinor": to_be_consumed,
            "toBeSettledMinor": to_be_settled, "withdrawingMinor": withdrawing,
            "guaranteeMinor": guarantee,
        });
        (user.to_string(), line)
    });
    lines.collect()
}

async fn unsent(stack: &Wallet) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM unsent_events")
        .fetch_one(&stack.pool())
        .await
        .expect("the outbox")
}
