//! Pages of exchange orders: newest first, by owner and status, and as cheap at the end as at the beginning.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::common::v1::PageRequest;
use adfolio_testkit::{checked_query, cost};
use uuid::Uuid;

use crate::helpers::{Acceptor, call, finance, refused, user, user_id, why};

const TO_WALLET: pb::ExchangeDirection = pb::ExchangeDirection::CurrencyToWallet;

/// Blocks that the last page may read more than the first: one step of the tree, not a walk through it.
const BLOCKS_SPARED: i64 = 8;

async fn admin_list(
    stack: &Acceptor,
    status: pb::ExchangeStatus,
    user_id: &str,
    cursor: &str,
) -> Result<pb::AdminListExchangesResponse, adfolio_kit::refusal::Refusal> {
    let request = pb::AdminListExchangesRequest {
        status: status.into(),
        user_id: user_id.to_owned(),
        page: Some(PageRequest {
            cursor: cursor.to_owned(),
            limit: 2,
        }),
    };
    let answer = stack
        .staff()
        .admin_list_exchanges(call(&finance(), request))
        .await;
    Ok(answer.map_err(refused)?.into_inner())
}

#[tokio::test]
async fn pages_are_newest_first_and_filtered() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_WALLET).await;
    let (alice, bob) = (user(), user());
    let mut of_alice = Vec::new();
    for _ in 0..3 {
        let order = stack.exchange(&alice, &code, 10_000).await.unwrap();
        of_alice.push(stack.cancel(&alice, &order.id).await.unwrap());
    }
    let of_bob = stack.exchange(&bob, &code, 10_000).await.unwrap();
    of_alice.reverse();
    assert_eq!(stack.exchanges(&alice).await, of_alice);
    assert_eq!(stack.exchanges(&bob).await, std::slice::from_ref(&of_bob));

    let all = pb::ExchangeStatus::Unspecified;
    let first = admin_list(&stack, all, "", "").await.unwrap();
    assert_eq!(first.items, [of_bob.clone(), of_alice[0].clone()]);
    let second = admin_list(&stack, all, "", &first.next_cursor)
        .await
        .unwrap();
    assert_eq!(second.items, of_alice[1..]);
    assert_eq!(second.next_cursor, "");

    let pending = pb::ExchangeStatus::Pending;
    assert_eq!(
        admin_list(&stack, pending, "", "").await.unwrap().items,
        std::slice::from_ref(&of_bob)
    );
    let alice_id = user_id(&alice);
    assert!(
        admin_list(&stack, pending, &alice_id, "")
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert_eq!(
        admin_list(&stack, all, &alice_id, "").await.unwrap().items,
        of_alice[..2]
    );
    let cancelled = pb::ExchangeStatus::Cancelled;
    assert_eq!(
        admin_list(&stack, cancelled, &alice_id, "")
            .await
            .unwrap()
            .items,
        of_alice[..2]
    );
    // A cursor belongs to its list.
    let foreign = admin_list(&stack, pending, "", &first.next_cursor).await;
    assert_eq!(
        why(foreign),
        (Reason::Validation, Some("cursor".to_owned()))
    );
}

#[tokio::test]
async fn the_last_of_a_hundred_thousand_orders_costs_what_the_first_does() {
    let stack = Acceptor::spawn().await;
    let code = stack.code_for(TO_WALLET).await;
    let alice: Caller = user();
    let order = stack.exchange(&alice, &code, 10_000).await.unwrap();
    stack.cancel(&alice, &order.id).await.unwrap();
    let pool = stack.db.pool();
    sqlx::query(
        "INSERT INTO exchanges (id, user_id, acceptor_id, acceptor_name, acceptor_kind, offer_id, direction, currency, rate_e8,
             amount_minor, counter_amount, state, created_at, expires_at, finished_at, request_digest, attempts, lease_token,
             lease_until, next_attempt_at)
         SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid,
                CASE WHEN number % 6 = 0 THEN gen_random_uuid() ELSE user_id END, acceptor_id, acceptor_name, acceptor_kind,
                offer_id, direction, currency, rate_e8, amount_minor, counter_amount,
                CASE WHEN number % 3 = 0 THEN 'completed' ELSE 'cancelled' END,
                created_at, expires_at, finished_at, request_digest, attempts, lease_token, lease_until, next_attempt_at
         FROM exchanges, generate_series(1, 120000) AS number",
    )
    .execute(&pool)
    .await
    .unwrap();
    sqlx::query("VACUUM ANALYZE exchanges")
        .execute(&pool)
        .await
        .unwrap();

    let (top, low) = (Uuid::max(), "00000000-0000-7000-8000-0000000000ff");
    let id = alice.user.unwrap();
    for (part, index, first, last) in [
        (
            "WHERE (user_id, id) < ($1, $2)",
            "exchanges_of_user",
            format!("'{id}', '{top}', 21"),
            format!("'{id}', '{low}', 21"),
        ),
        (
            "WHERE (user_id, status, id) < ($1, $2, $3)",
            "exchanges_of_user_by_status",
            format!("'{id}', 'completed', '{top}', 21"),
            format!("'{id}', 'completed', '{low}', 21"),
        ),
        (
            "WHERE status IS NOT NULL AND id < $1",
            "exchanges_all",
            format!("'{top}', 21"),
            format!("'{low}', 21"),
        ),
        (
            "WHERE (status, id) < ($1, $2)",
            "exchanges_by_status",
            format!("'completed', '{top}', 21"),
            format!("'completed', '{low}', 21"),
        ),
    ] {
        let query = checked_query(env!("CARGO_MANIFEST_DIR"), &[part]);
        let first = cost(&stack.db, &query, &first).await;
        let last = cost(&stack.db, &query, &last).await;
        assert_eq!(first.steps, [index]);
        assert_eq!(last.steps, [index]);
        assert!(
            last.blocks <= first.blocks + BLOCKS_SPARED,
            "{part}: {} blocks, then {}",
            first.blocks,
            last.blocks
        );
    }
}
