//! Pages of exchange orders: newest first, by owner and status, and as cheap at the end as at the beginning.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::common::v1::PageRequest;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::helpers::{Acceptor, call, finance, refused, user, user_id, why};

const TO_WALLET: pb::ExchangeDirection = pb::ExchangeDirection::CurrencyToWallet;

/// Blocks that the last page may read more than the first: a step of the tree, no walk through it.
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

/// The service's own query that holds `part`, as it was checked at compile time.
fn query_with(part: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/.sqlx");
    let queries = std::fs::read_dir(folder).unwrap().map(|entry| {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["query"].as_str().unwrap().to_owned()
    });
    let found: Vec<String> = queries.filter(|query| query.contains(part)).collect();
    assert_eq!(found.len(), 1, "{part}");
    found.into_iter().next().unwrap()
}

/// The indexes that a page reads, and the blocks that it touches.
async fn cost(
    connection: &mut sqlx::PgConnection,
    query: &str,
    arguments: &str,
) -> (Vec<String>, i64) {
    for statement in [
        "DEALLOCATE ALL".to_owned(),
        format!("PREPARE page AS {query}"),
    ] {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    let explain =
        format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE page({arguments})");
    let mut blocks = 0;
    let mut indexes = Vec::new();
    // The second time nothing has to be read that is not in memory.
    for _ in 0..2 {
        let row = sqlx::raw_sql(AssertSqlSafe(explain.clone()))
            .fetch_one(&mut *connection)
            .await
            .unwrap();
        let plan: serde_json::Value = sqlx::Row::try_get(&row, 0).unwrap();
        let node = &plan[0]["Plan"];
        blocks = node["Shared Hit Blocks"].as_i64().unwrap()
            + node["Shared Read Blocks"].as_i64().unwrap();
        indexes.clear();
        collect(node, &mut indexes);
    }
    (indexes, blocks)
}

/// Nodes other than the limit, by their index; a sort or a scan of the table shows by its name.
fn collect(node: &serde_json::Value, indexes: &mut Vec<String>) {
    let kind = node["Node Type"].as_str().unwrap();
    match node["Index Name"].as_str() {
        Some(index) => indexes.push(index.to_owned()),
        None if kind == "Limit" => {}
        None => indexes.push(kind.to_owned()),
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        collect(child, indexes);
    }
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

    let mut connection = pool.acquire().await.unwrap();
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
        let query = query_with(part);
        let (first_plan, first_blocks) = cost(&mut connection, &query, &first).await;
        let (last_plan, last_blocks) = cost(&mut connection, &query, &last).await;
        assert_eq!(
            (first_plan, last_plan),
            (vec![index.to_owned()], vec![index.to_owned()])
        );
        assert!(
            last_blocks <= first_blocks + BLOCKS_SPARED,
            "{part}: {first_blocks} blocks, then {last_blocks}"
        );
    }
}
