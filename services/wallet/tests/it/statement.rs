//! Statements: complete, in order, and their chain can be checked from them alone.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::wallet::v1::{
    ExchangeStep, GetStatementRequest, GetStatementResponse, StatementRow,
};
use adfolio_testkit::{fixed_clock, instant};
use futures::future::join_all;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::helpers::{Wallet, assert_refused, refused};

async fn pieces(
    stack: &Wallet,
    caller: &Caller,
    month: &str,
) -> Result<Vec<GetStatementResponse>, Refusal> {
    let message = GetStatementRequest {
        month: month.to_owned(),
    };
    let request = outgoing(caller, message, Duration::from_secs(20));
    let answer = stack.users().get_statement(request).await;
    let mut stream = answer.map_err(refused)?.into_inner();
    let mut pieces = Vec::new();
    while let Some(piece) = stream.message().await.map_err(refused)? {
        pieces.push(piece);
    }
    Ok(pieces)
}

async fn rows(stack: &Wallet, user: Uuid, month: &str) -> Vec<StatementRow> {
    let caller = Caller::user(UserId(user));
    let pieces = pieces(stack, &caller, month).await.expect("a statement");
    pieces.into_iter().flat_map(|piece| piece.rows).collect()
}

/// The details of a row by the documented text.
fn details(row: &StatementRow) -> Vec<u8> {
    let of = |text: &str, value: String| {
        if text.is_empty() {
            "-".to_owned()
        } else {
            value
        }
    };
    let text = format!(
        "adfolio-details-1|{}|{}|{}",
        of(&row.reference, row.reference.clone()),
        of(&row.remark, hex::encode(Sha256::digest(&row.remark))),
        hex::encode(&row.undisclosed),
    );
    let details = Sha256::digest(text).to_vec();
    assert_eq!(details, row.details);
    details
}

/// Follows the chain by the documented text; the hash at the end.
fn follow(user: Uuid, rows: &[StatementRow], mut previous: Vec<u8>) -> Vec<u8> {
    for row in rows {
        assert_eq!(row.previous_hash, previous);
        let time = row.time.expect("a time");
        let nanos = time.nanos.try_into().expect("nanoseconds");
        let time = chrono::DateTime::from_timestamp(time.seconds, nanos).expect("a time");
        let text = format!(
            "adfolio-chain-2|{user}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}",
            row.sequence,
            time.to_rfc3339_opts(chrono::SecondsFormat::Micros, true),
            row.transaction_id,
            row.r#type,
            row.available_change_minor,
            row.to_be_consumed_change_minor,
            row.to_be_settled_change_minor,
            row.withdrawing_change_minor,
            row.guarantee_change_minor,
            hex::encode(details(row)),
        );
        previous = Sha256::digest([previous.as_slice(), text.as_bytes()].concat()).to_vec();
        assert_eq!(row.hash, previous, "{text}");
    }
    previous
}

#[tokio::test]
async fn the_months_of_a_user_make_up_the_whole_chain() {
    let clock = fixed_clock("2026-05-10T00:00:00Z");
    let stack = Wallet::builder().clock(clock.clone()).spawn().await;
    let (user, order, ledger) = (
        stack.user_with(10_000).await,
        Uuid::now_v7(),
        stack.ledger(),
    );
    ledger.hold(user, order, 300, 60).await.expect("a hold");
    clock.set(instant("2026-06-10T00:00:00Z"));
    let exchange = Uuid::now_v7();
    ledger
        .exchange(user, exchange, ExchangeStep::Debit, 500)
        .await
        .expect("debited");
    // More than a piece.
    join_all((0..1_100).map(|_| stack.deposit(user, 1))).await;
    let (may, june) = (
        rows(&stack, user, "2026-05").await,
        rows(&stack, user, "2026-06").await,
    );
    assert_eq!((may.len(), june.len()), (2, 1_101));
    let head = follow(user, &june, follow(user, &may, vec![0; 32]));
    let stored: Vec<u8> = sqlx::query_scalar("SELECT chain_head FROM wallets WHERE user_id = $1")
        .bind(user)
        .fetch_one(&stack.pool())
        .await
        .expect("a head");
    assert_eq!(head, stored);
    let last = june.last().expect("a row");
    assert_eq!(
        (last.sequence, last.available_minor),
        (1_103, stack.property(user).await.available_minor)
    );
    assert_eq!(may[1].reference, order.to_string());
    assert_eq!(june[0].reference, exchange.to_string());
}

#[tokio::test]
async fn an_empty_month_has_one_empty_piece_and_a_wrong_one_none() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(5).await;
    let caller = Caller::user(UserId(user));
    let empty = pieces(&stack, &caller, "2020-01")
        .await
        .expect("a statement");
    assert_eq!(empty.len(), 1);
    assert_eq!(
        (empty[0].user_id.clone(), empty[0].rows.len()),
        (user.to_string(), 0)
    );
    let stranger = Caller::user(UserId(stack.user()));
    let nothing = pieces(&stack, &stranger, "2026-11").await;
    assert!(nothing.expect("a statement")[0].rows.is_empty());
    for month in ["", "2026-13", "now"] {
        assert_refused(
            pieces(&stack, &caller, month).await,
            Reason::Validation,
            Some("month"),
        );
    }
    assert_refused(
        pieces(&stack, &Caller::system(), "2026-01").await,
        Reason::NotAuthenticated,
        None,
    );
}
