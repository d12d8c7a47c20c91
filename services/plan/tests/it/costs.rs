//! Lists of 100,000 rows: the last page costs what the first one does.

use adfolio_testkit::{Cost, TestDatabase, checked_query, cost};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

const ROWS: i64 = 100_000;

/// Rows of a page and the one behind it.
const PAGE: i64 = 21;

const ME: u128 = 7;

/// The id of a row by its number.
fn id(number: i64) -> String {
    format!("'{}'", Uuid::from_u128(number.unsigned_abs().into()))
}

async fn crowded() -> TestDatabase {
    let db = TestDatabase::create(&adfolio_plan::SCHEMA).await;
    let me = Uuid::from_u128(ME);
    let script = format!(
        "SET session_replication_role = replica;
         INSERT INTO orders (id, user_id, plan_number, product_id, product_name, product_icon_url, status, official,
             put_content, put_rule, regions, age_min, age_max, gender, put_amount_minor, paid_amount_minor,
             discount_amount_minor, coupon_name, impressions, clicks, reported_micros, charged_micros, revenue_micros,
             estimated_reports, sources, version, posted_version, fail_reason, paid_out_minor, created_at)
         SELECT lpad(to_hex(n), 32, '0')::uuid, '{me}', 'AD' || n, '{me}', 'Runner', '',
             (ARRAY['waiting', 'put_failed', 'settled'])[1 + n % 3], n % 2 = 0, '', '', '{{}}', 18, 65, 'any', 100, 0, 0, '',
             0, 0, 0, 0, 0, 0, '{{}}', 0, 0, '', 0, now()
         FROM generate_series(1, {ROWS}) AS n;
         INSERT INTO order_counts SELECT '{me}', official, status, count(*) FROM orders GROUP BY official, status;
         INSERT INTO order_counts SELECT md5(n::text)::uuid, true, 'waiting', 1 FROM generate_series(1, 5000) AS n;
         INSERT INTO operators (id, name, created_at) SELECT lpad(to_hex(n), 32, '0')::uuid, 'Guide', now()
             FROM generate_series(1, 10000) AS n;
         INSERT INTO follows (id, user_id, operator_id, followed_at, ended_at)
         SELECT lpad(to_hex(n), 32, '0')::uuid, '{me}', lpad(to_hex(1 + n % 100), 32, '0')::uuid, now(),
             CASE WHEN n < {ROWS} THEN now() END
         FROM generate_series(1, {ROWS}) AS n;
         INSERT INTO follows (id, user_id, operator_id, followed_at)
         SELECT md5(n::text)::uuid, md5(n::text)::uuid, lpad('1', 32, '0')::uuid, now() FROM generate_series(1, 5000) AS n;
         VACUUM ANALYZE orders; VACUUM ANALYZE order_counts; VACUUM ANALYZE follows; VACUUM ANALYZE operators"
    );
    let mut connection = db.pool().acquire().await.unwrap();
    for statement in script.split(';') {
        sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    drop(connection);
    db
}

fn query(parts: &[&str]) -> String {
    checked_query(env!("CARGO_MANIFEST_DIR"), parts)
}

/// A page is read along indexes, and reads no more than a page of each range that is merged.
fn assert_page(cost: &Cost, ranges: i64, name: &str) {
    assert_eq!(cost.answered, PAGE, "{name}: {cost:?}");
    assert!(cost.scanned.is_empty(), "{name}: {cost:?}");
    // Each range, their merge, its sort, and what is joined.
    assert!(cost.rows <= ranges * PAGE * 5 + 100, "{name}: {cost:?}");
}

#[tokio::test]
async fn every_page_costs_the_same() {
    let db = crowded().await;
    let me = format!("'{}'", Uuid::from_u128(ME));
    let nil = id(0);
    let statuses = "ARRAY['waiting','matching','putting','put_failed','put_finished','waiting_settlement','settled']";
    let of_user = query(&["FROM orders", "(user_id, official, status, id) <"]);
    let of_all = query(&["FROM orders", "(status, official, id) <"]);
    let follows = query(&["(SELECT name FROM operators"]);
    for before in [id(ROWS + 1), id(ROWS / 2), id(200)] {
        let both = "ARRAY[true,false]";
        let page = format!("{me}, {statuses}, {both}, {before}, {PAGE}, {nil}");
        assert_page(&cost(&db, &of_user, &page).await, 6, "plans of a user");
        let page = format!("{me}, ARRAY['settled'], ARRAY[true], {before}, {PAGE}, {nil}");
        assert_page(
            &cost(&db, &of_user, &page).await,
            1,
            "settled official plans of a user",
        );
        let page = format!("{statuses}, {both}, {before}, {PAGE}, {nil}");
        assert_page(&cost(&db, &of_all, &page).await, 6, "plans of all");
        let page = format!("{me}, {before}, {PAGE}, {nil}");
        assert_page(&cost(&db, &follows, &page).await, 1, "follows");
    }
}

#[tokio::test]
async fn counts_and_the_current_operator_are_single_rows() {
    let db = crowded().await;
    let me = format!("'{}'", Uuid::from_u128(ME));
    let waiting = query(&["FROM order_counts", "status = 'waiting'"]);
    let cost_of_count = cost(&db, &waiting, &me).await;
    assert_eq!((cost_of_count.answered, cost_of_count.rows), (1, 1));
    assert_eq!(
        cost_of_count.reads,
        [("order_counts".to_owned(), "Index Scan".to_owned())]
    );
    let current = query(&["FROM follows WHERE user_id = ANY($1)"]);
    let cost_of_current = cost(&db, &current, &format!("ARRAY[{me}]::uuid[]")).await;
    assert_eq!(cost_of_current.answered, 1);
    assert_eq!(
        cost_of_current.reads,
        [("follows".to_owned(), "Index Only Scan".to_owned())]
    );
}

#[tokio::test]
async fn what_has_ended_costs_the_open_figures_nothing() {
    const OPEN: i64 = 50;
    let db = crowded().await;
    let pool = db.pool();
    for statement in [
        format!(
            "UPDATE orders SET status = 'putting' WHERE id <= {}",
            id(OPEN)
        ),
        "VACUUM ANALYZE orders".to_owned(),
    ] {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&pool)
            .await
            .unwrap();
    }
    let me = format!("'{}'", Uuid::from_u128(ME));
    let filter =
        "ARRAY['matching','putting','put_finished','waiting_settlement'], ARRAY[true,false], true";
    let page = query(&["ELSE minor_of(revenue_micros) END <> 0"]);
    let cost_of_page = cost(
        &db,
        &page,
        &format!("{me}, {filter}, {}, {PAGE}", id(ROWS + 1)),
    )
    .await;
    assert_page(&cost_of_page, 1, "plans with a budget");
    let sum = query(&["ELSE minor_of(revenue_micros) END\n           ), 0)"]);
    let cost_of_sum = cost(&db, &sum, &format!("{me}, {filter}")).await;
    assert!(cost_of_sum.scanned.is_empty(), "{cost_of_sum:?}");
    assert!(cost_of_sum.rows <= 3 * OPEN, "{cost_of_sum:?}");
}
