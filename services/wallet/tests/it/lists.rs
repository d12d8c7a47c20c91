//! What lists and figures cost when there is a lot: the plans, by EXPLAIN, with 100,000 rows.

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use crate::helpers::Wallet;

const ROWS: i64 = 100_000;

/// Runs a statement and answers its plan with what it really read.
async fn explain(pool: &PgPool, statement: &str) -> Value {
    let text = format!("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}");
    let plan: Value = sqlx::query_scalar(AssertSqlSafe(text))
        .fetch_one(pool)
        .await
        .expect("a plan");
    plan[0]["Plan"].clone()
}

/// The nodes of a plan.
fn nodes(plan: &Value) -> Vec<&Value> {
    let below = plan["Plans"].as_array().into_iter().flatten();
    std::iter::once(plan).chain(below.flat_map(nodes)).collect()
}

/// The tables are read by an index alone, and no node sees more rows than `most`.
#[track_caller]
fn assert_cheap(plan: &Value, most: f64) {
    for node in nodes(plan) {
        let kind = node["Node Type"].as_str().expect("a node");
        assert!(
            !["Seq Scan", "Sort", "Bitmap Heap Scan"].contains(&kind),
            "{plan:#}"
        );
        let rows = node["Actual Rows"].as_f64().expect("rows");
        assert!(rows <= most, "{plan:#}");
        let filtered = node["Rows Removed by Filter"].as_f64().unwrap_or(0.0);
        assert!(filtered < 1.0, "{plan:#}");
    }
    let pages = plan["Shared Hit Blocks"].as_u64().expect("pages")
        + plan["Shared Read Blocks"].as_u64().expect("pages");
    assert!(pages < 200, "{pages} pages: {plan:#}");
}

#[tokio::test]
async fn withdrawals_cost_the_same_on_the_first_and_the_last_page() {
    let stack = Wallet::spawn().await;
    let (pool, user) = (stack.pool(), Uuid::now_v7());
    // Ids grow with time, so the oldest page is that of the smallest ids.
    sqlx::query(
        "INSERT INTO withdrawals (id, user_id, amount, fee, method, status, requested_at, decided_at, key_id, sealed)
         SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
                CASE WHEN n % 2 = 0 THEN $1 ELSE gen_random_uuid() END, 100, 0, 'bank_card',
                (CASE WHEN n % 4 < 2 THEN 'paid' ELSE 'rejected' END)::withdrawal_status, now(), now(), 'k', '\\x00'
         FROM generate_series(1, $2) AS n",
    )
    .bind(user)
    .bind(ROWS)
    .execute(&pool)
    .await
    .expect("rows");
    sqlx::query("ANALYZE withdrawals")
        .execute(&pool)
        .await
        .expect("statistics");
    let first = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    let last = format!("00000000-0000-7000-8000-{:012x}", 101);
    for before in [first, last.as_str()] {
        for columns in [
            vec![],
            vec![("status", "paid".to_owned())],
            vec![("user_id", user.to_string())],
            vec![("user_id", user.to_string()), ("status", "paid".to_owned())],
        ] {
            let of = |end: &str, part: fn(&(&str, String)) -> String| -> String {
                let fixed = columns.iter().map(part);
                fixed
                    .chain([end.to_owned()])
                    .collect::<Vec<String>>()
                    .join(", ")
            };
            let names = of("id", |(name, _)| (*name).to_owned());
            let behind = |id: &str| of(&format!("'{id}'"), |(_, value)| format!("'{value}'"));
            let order = of("id DESC", |(name, _)| format!("{name} DESC"));
            let statement = format!(
                "SELECT * FROM withdrawals WHERE ({names}) < ({}) AND ({names}) > ({}) ORDER BY {order} LIMIT 21",
                behind(before),
                behind(&Uuid::nil().to_string()),
            );
            assert_cheap(&explain(&pool, &statement).await, 21.0);
        }
    }
}

#[tokio::test]
async fn approvals_cost_the_same_on_the_first_and_the_last_page() {
    let stack = Wallet::spawn().await;
    let pool = stack.pool();
    sqlx::query(
        "INSERT INTO approvals (id, kind, user_id, amount, remark, posting_key, request_digest, request_reason,
                                request_id, requested_by, requested_at, state, decided_by, decided_at)
         SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'deposit', gen_random_uuid(), 100, '', n,
                sha256(n::text::bytea), '', '', $1, now(), (CASE WHEN n % 2 = 0 THEN 'rejected' ELSE 'expired' END)::approval_state,
                CASE WHEN n % 2 = 0 THEN gen_random_uuid() END, CASE WHEN n % 2 = 0 THEN now() END
         FROM generate_series(1, $2) AS n",
    )
    .bind(Uuid::now_v7())
    .bind(ROWS)
    .execute(&pool)
    .await
    .expect("rows");
    sqlx::query("ANALYZE approvals")
        .execute(&pool)
        .await
        .expect("statistics");
    let (first, nil) = ("ffffffff-ffff-ffff-ffff-ffffffffffff", Uuid::nil());
    let last = format!("00000000-0000-7000-8000-{:012x}", 101);
    for before in [first, last.as_str()] {
        for conditions in [
            format!("id < '{before}' ORDER BY id DESC"),
            format!(
                "(state, id) < ('rejected', '{before}') AND (state, id) > ('rejected', '{nil}') ORDER BY state DESC, id DESC"
            ),
        ] {
            let statement = format!("SELECT * FROM approvals WHERE {conditions} LIMIT 21");
            assert_cheap(&explain(&pool, &statement).await, 21.0);
        }
    }
}

#[tokio::test]
async fn fund_details_cost_the_same_on_the_first_and_the_last_page() {
    let stack = Wallet::spawn().await;
    let (pool, user) = (stack.pool(), Uuid::now_v7());
    sqlx::query(
        "INSERT INTO transactions
         SELECT $1, n, gen_random_uuid(), 'hold', now(), -1, 2, 0, 0, -1, 'promotions',
                (enum_range(NULL::flow_type))[1 + n % 11], 0, n, n, n, n, sha256('x'), gen_random_uuid(), 0, NULL, NULL, NULL,
                NULL, ''
         FROM generate_series(1, $2) AS n",
    )
    .bind(user)
    .bind(ROWS)
    .execute(&pool)
    .await
    .expect("rows");
    sqlx::query("ANALYZE transactions")
        .execute(&pool)
        .await
        .expect("statistics");
    // The ranges that each type and the coupons' parts are read from.
    for before in [ROWS + 1, 300] {
        for lines in [
            "flow_type = 'exchange'",
            "platform_account = 'promotions' AND order_id IS NOT NULL",
        ] {
            let statement = format!(
                "SELECT seq FROM transactions WHERE user_id = '{user}' AND {lines} AND seq <= {before}
                 ORDER BY seq DESC LIMIT 21"
            );
            assert_cheap(&explain(&pool, &statement).await, 21.0);
        }
    }
}

#[tokio::test]
async fn figures_come_from_one_indexed_row() {
    let stack = Wallet::spawn().await;
    let pool = stack.pool();
    sqlx::query(
        "INSERT INTO wallets (user_id) SELECT gen_random_uuid() FROM generate_series(1, $1)",
    )
    .bind(ROWS)
    .execute(&pool)
    .await
    .expect("rows");
    sqlx::query("ANALYZE wallets")
        .execute(&pool)
        .await
        .expect("statistics");
    let user: Uuid = sqlx::query_scalar("SELECT user_id FROM wallets LIMIT 1")
        .fetch_one(&pool)
        .await
        .expect("a user");
    let statement = format!(
        "SELECT available, to_be_consumed, to_be_settled, withdrawing, guarantee, discount_total, start_up_outstanding,
                has_pay_password, has_bank_card, has_wallet_address
         FROM wallets WHERE user_id = '{user}'"
    );
    let plan = explain(&pool, &statement).await;
    assert_cheap(&plan, 1.0);
    assert_eq!(plan["Index Name"], "wallets_pkey", "{plan:#}");
}
