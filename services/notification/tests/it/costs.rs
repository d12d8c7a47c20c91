//! What a page costs: the same at the beginning and at the end of 100,000 rows, and the unread total one row.

use adfolio_testkit::{TestDatabase, instant};
use serde_json::Value;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

/// Blocks that a page may read beyond twice another's: some are passed over because they were read, but none is walked to.
const BLOCKS_SPARED: i64 = 24;

/// Rows of each kind.
const ROWS: i64 = 100_000;

/// The service's own query that holds all of `parts`, as it was checked at compile time.
fn query_with(parts: &[&str]) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/.sqlx");
    let queries = std::fs::read_dir(folder).unwrap().map(|entry| {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        json["query"].as_str().unwrap().to_owned()
    });
    let found: Vec<String> = queries
        .filter(|query| parts.iter().all(|part| query.contains(part)))
        .collect();
    assert_eq!(found.len(), 1, "{parts:?}");
    found.into_iter().next().unwrap()
}

/// What a query touched.
#[derive(Debug)]
struct Cost {
    blocks: i64,
    rows: i64,
    /// Tables that were read from one end to the other.
    scanned: Vec<String>,
}

/// What the query touches once PostgreSQL has decided, after a few calls, whether to plan each call by itself.
async fn cost(db: &TestDatabase, query: &str, arguments: &str, expected: i64) -> Cost {
    let mut connection = db.pool().acquire().await.unwrap();
    let prepare = format!("DEALLOCATE ALL; PREPARE page AS {query}");
    let calls = format!("EXECUTE page({arguments});").repeat(6);
    for script in [prepare, calls] {
        sqlx::raw_sql(AssertSqlSafe(script))
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    let explain =
        format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE page({arguments})");
    let row = sqlx::raw_sql(AssertSqlSafe(explain))
        .fetch_one(&mut *connection)
        .await
        .unwrap();
    let plan: Value = sqlx::Row::try_get(&row, 0).unwrap();
    let node = &plan[0]["Plan"];
    let number = |name: &str| node[name].as_i64().unwrap_or(0);
    let mut cost = Cost {
        blocks: number("Shared Hit Blocks") + number("Shared Read Blocks"),
        rows: 0,
        scanned: Vec::new(),
    };
    collect(node, &mut cost);
    assert_eq!(number("Actual Rows"), expected, "{query} {plan:#}");
    assert!(cost.scanned.is_empty(), "{query} {plan:#}");
    cost
}

fn collect(node: &Value, cost: &mut Cost) {
    let number = |name: &str| node[name].as_i64().unwrap_or(0);
    let filtered = number("Rows Removed by Filter") + number("Rows Removed by Join Filter");
    cost.rows += (number("Actual Rows") + filtered) * number("Actual Loops");
    if node["Node Type"] == "Seq Scan" {
        cost.scanned
            .push(node["Relation Name"].as_str().unwrap().to_owned());
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        collect(child, cost);
    }
}

/// One user with 100,000 notices of each kind; every third of the user's own is read, and so is the older half of the
/// announcements and every third of the newest hundred of the rest.
async fn crowded(user: Uuid) -> TestDatabase {
    let db = TestDatabase::create(&adfolio_notification::SCHEMA).await;
    let start = instant("2020-01-01T00:00:00Z").to_rfc3339();
    let script = format!(
        "SET session_replication_role = replica;
         INSERT INTO messages SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '{{\"en\": \"Title\"}}', '{{\"en\": \"Content\"}}'
             FROM generate_series(1, {ROWS}) AS n;
         INSERT INTO announcements
             SELECT n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, (ARRAY['announcement', 'maintenance', 'activity'])[1 + n % 3],
                    row_number() OVER (PARTITION BY n % 3 ORDER BY n), '{start}'::timestamptz + n * interval '1 second'
             FROM generate_series(1, {ROWS}) AS n;
         INSERT INTO unread_counters VALUES ('{user}', 0, 0, {ROWS} / 2 + 34, {ROWS} / 2, {ROWS} / 2, {ROWS} / 2);
         INSERT INTO announcement_reads SELECT '{user}', category, number FROM announcements
             WHERE number > {ROWS} - 100 AND number % 3 = 0;
         INSERT INTO notifications (id, user_id, category, template, params, source_key, occurred_at, read, read_at)
             SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '{user}', (ARRAY['announcement', 'maintenance', 'activity'])[1 + n % 3],
                    'password_changed', '{{}}', n::text, '{start}'::timestamptz + n * interval '1 second',
                    n % 4 = 0, CASE WHEN n % 4 = 0 THEN now() END
             FROM generate_series(1, {ROWS}) AS n;
         INSERT INTO announcement_reads SELECT md5('other' || number)::uuid, category, number FROM announcements
             WHERE number <= 20000;
         INSERT INTO unread_counters (user_id, unread, announcements_base)
             SELECT md5('other' || n)::uuid, 0, 0 FROM generate_series(1, 5000) AS n;
         INSERT INTO feedback (id, user_id, topic, content, image_file_ids, created_at, state, closed_at)
             SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '{user}', 'Topic', 'Content', '{{}}', now(),
                    (ARRAY['open', 'closed'])[1 + n % 2], CASE WHEN n % 2 = 1 THEN now() END
             FROM generate_series(1, {ROWS}) AS n;
         INSERT INTO mails (id, user_id, template, params, source_key, occurred_at, created_at, due_at, give_up_at, state,
                            finished_at)
             SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '{user}', 'password_changed', '{{}}',
                    n::text, now(), now(), now(), now(), (ARRAY['sent', 'pending'])[1 + n % 2],
                    CASE WHEN n % 2 = 0 THEN now() END
             FROM generate_series(1, {ROWS}) AS n;
         VACUUM ANALYZE mails; VACUUM ANALYZE messages; VACUUM ANALYZE announcements; VACUUM ANALYZE unread_counters;
         VACUUM ANALYZE announcement_reads; VACUUM ANALYZE notifications; VACUUM ANALYZE feedback;"
    );
    let mut connection = db.pool().acquire().await.unwrap();
    for statement in script.split(';').filter(|part| !part.trim().is_empty()) {
        sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    drop(connection);
    db
}

/// The same page at the beginning and at the end.
async fn alike(db: &TestDatabase, query: &str, first: &str, last: &str, rows: i64) {
    let first = cost(db, query, first, rows).await;
    let last = cost(db, query, last, rows).await;
    assert!(
        first.rows < 3_000 && last.rows < 3_000 && first.blocks < 1_500,
        "{first:?} {last:?}"
    );
    let (more, less) = (first.blocks.max(last.blocks), first.blocks.min(last.blocks));
    assert!(more <= less * 2 + BLOCKS_SPARED, "{first:?} {last:?}");
}

#[tokio::test]
async fn every_page_costs_the_same_and_the_total_is_one_row() {
    let user = Uuid::now_v7();
    let db = crowded(user).await;
    let last_id = Uuid::max();
    let own = "FROM notifications\n                     WHERE user_id = $1";
    let (late, early) = ("'2030-01-01'", "'2020-01-01T00:01:00Z'");
    for (condition, filter) in [
        (" ORDER BY", ""),
        ("AND category = $5 ORDER BY", ", 'activity'"),
        ("AND read = $5 ORDER BY", ", true"),
        (
            "AND category = $5 AND read = $6 ORDER BY",
            ", 'activity', false",
        ),
    ] {
        let query = query_with(&[&format!(
            "{own} AND (occurred_at, id) < ($2, $3) {condition}"
        )]);
        let page = |time: &str| format!("'{user}', {time}, '{last_id}', 11{filter}");
        alike(&db, &query, &page(late), &page(early), 11).await;
    }

    let categories = "'{announcement,maintenance,activity}'";
    let ranges = |low: i64, high: i64| {
        format!("'{user}', {categories}, '{{{low},{low},{low}}}', '{{{high},{high},{high}}}', 21")
    };
    let listed = query_with(&["mark.number IS NOT NULL"]);
    alike(&db, &listed, &ranges(0, ROWS), &ranges(0, 99), 21).await;
    let unread = query_with(&["NOT coalesce((SELECT true FROM announcement_reads"]);
    let half = ROWS / 2;
    alike(
        &db,
        &unread,
        &ranges(half, ROWS),
        &ranges(half, half + 99),
        21,
    )
    .await;
    let marked = query_with(&["ORDER BY mark.number DESC LIMIT $5"]);
    alike(
        &db,
        &marked,
        &ranges(ROWS / 2, ROWS),
        &ranges(ROWS / 2, ROWS - 30),
        21,
    )
    .await;

    let before = query_with(&["WHERE (published_at, id) < ($1, $2)"]);
    let position = |time: &str| format!("{time}, '{last_id}'");
    alike(&db, &before, &position(late), &position(early), 1).await;

    let total = query_with(&["\"latest!\""]);
    let cost = cost(&db, &total, &format!("'{user}'"), 1).await;
    assert!(cost.rows <= 6 && cost.blocks <= 10, "{cost:?}");

    let feedback = query_with(&["FROM feedback WHERE id < $1"]);
    let (newest, oldest) = (Uuid::max(), "00000000-0000-7000-8000-000000000030");
    alike(
        &db,
        &feedback,
        &format!("'{newest}', 11"),
        &format!("'{oldest}', 11"),
        11,
    )
    .await;
    let by_state = query_with(&["FROM feedback WHERE state = $3"]);
    alike(
        &db,
        &by_state,
        &format!("'{newest}', 11, 'open'"),
        &format!("'{oldest}', 11, 'open'"),
        11,
    )
    .await;

    for (condition, filter) in [
        ("id < $1", String::new()),
        ("state = $3", ", 'sent'".to_owned()),
        ("user_id = $3 AND id < $1", format!(", '{user}'")),
        ("user_id = $3 AND state", format!(", '{user}', 'sent'")),
    ] {
        let mails = query_with(&[&format!("FROM mails WHERE {condition}")]);
        let page = |id: &str| format!("'{id}', 11{filter}");
        alike(&db, &mails, &page(&newest.to_string()), &page(oldest), 11).await;
    }
}
