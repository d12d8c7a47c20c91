//! Pages of long lists: the last one costs what the first one costs.
//!
//! The statements are the service's own, read from the cache of checked queries, and planned without knowing their
//! parameters, as a prepared statement is once it has been used a few times.

use std::path::Path;

use adfolio_auth::SCHEMA;
use adfolio_testkit::TestDatabase;
use serde_json::Value;
use sqlx::{Connection as _, PgConnection, Row as _};

const ROWS: i64 = 100_000;

/// Rows of a page and the one behind it.
const PAGE: i64 = 21;

/// Blocks that a page may touch: its rows, a few levels of index, the names of staff.
const MOST_BLOCKS: u64 = 150;

/// The service's statement that contains all of these.
fn statement(parts: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".sqlx");
    let texts = std::fs::read_dir(folder).unwrap().map(|entry| {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let cached: Value = serde_json::from_str(&text).unwrap();
        cached["query"].as_str().unwrap().to_owned()
    });
    let found: Vec<String> = texts
        .filter(|text| parts.iter().all(|part| text.contains(part)))
        .collect();
    assert_eq!(found.len(), 1, "{parts:?} is in {found:?}");
    found.into_iter().next().unwrap()
}

/// What executing a statement with these parameters did.
async fn explain(connection: &mut PgConnection, statement: &str, parameters: &str) -> Value {
    let script = format!(
        "DEALLOCATE ALL; SET plan_cache_mode = force_generic_plan; PREPARE page AS {statement}"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(script))
        .execute(&mut *connection)
        .await
        .unwrap();
    let explain =
        format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE page ({parameters})");
    let row = sqlx::raw_sql(sqlx::AssertSqlSafe(explain))
        .fetch_one(connection)
        .await
        .unwrap();
    let plan: Value = row.get(0);
    plan[0]["Plan"].clone()
}

/// Every node that reads the table.
fn scans<'a>(plan: &'a Value, table: &str, found: &mut Vec<&'a Value>) {
    if plan["Relation Name"] == table {
        found.push(plan);
    }
    for child in plan["Plans"].as_array().into_iter().flatten() {
        scans(child, table, found);
    }
}

/// The page is a walk along an index that reads no more than it answers.
fn check(plan: &Value, table: &str, name: &str) {
    let mut found = Vec::new();
    scans(plan, table, &mut found);
    assert_eq!(found.len(), 1, "{name}: {plan:#}");
    let scan = found[0];
    let kind = scan["Node Type"].as_str().unwrap();
    assert!(kind.starts_with("Index"), "{name} is a {kind}: {plan:#}");
    let read = scan["Actual Rows"].as_f64().unwrap();
    let removed = scan["Rows Removed by Filter"].as_f64().unwrap_or(0.0);
    assert!(
        read > 0.0 && read <= 21.0 && removed < 1.0,
        "{name}: {plan:#}"
    );
    let blocks = ["Shared Hit Blocks", "Shared Read Blocks"].map(|key| plan[key].as_u64().unwrap());
    assert!(
        blocks.iter().sum::<u64>() <= MOST_BLOCKS,
        "{name}: {plan:#}"
    );
}

async fn filled(script: &str) -> (TestDatabase, PgConnection) {
    let database = TestDatabase::create(&SCHEMA).await;
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(script.to_owned()))
        .execute(&mut connection)
        .await
        .unwrap();
    (database, connection)
}

/// The id of the row with this number: what `lpad(to_hex(number), 32, '0')` makes of it.
fn id(number: i64) -> String {
    format!("'{}'", uuid::Uuid::from_u128(number.unsigned_abs().into()))
}

#[tokio::test]
async fn pages_of_users_and_keys_cost_the_same() {
    let script = format!(
        "INSERT INTO users (id, username, username_key, nickname, email, phone, password_hash, entry, state, lang, created_at)
         SELECT lpad(to_hex(n), 32, '0')::uuid, 'user' || n, 'user' || n, 'User', '', '', 'x', 'register',
                CASE n % 3 WHEN 0 THEN 'active' ELSE 'not_activated' END, '', now()
         FROM generate_series(1, {ROWS}) AS n;
         INSERT INTO license_keys (id, code, note, activate, created_by, created_at)
         SELECT lpad(to_hex(n), 32, '0')::uuid, 'CODE-' || n, '', true, lpad('7', 32, '0')::uuid, now()
         FROM generate_series(1, {ROWS}) AS n;
         ANALYZE users, license_keys;"
    );
    let (_database, mut connection) = filled(&script).await;
    let of_users = statement(&["FROM users", "WHERE id < $1 ORDER BY id DESC LIMIT $2"]);
    let of_state = statement(&["FROM users", "WHERE (state, id) < ($1, $2)"]);
    let of_keys = statement(&["FROM license_keys", "WHERE id < $1 ORDER BY"]);
    for before in [id(ROWS + 1), id(ROWS / 2), id(80)] {
        for (statement, table, parameters) in [
            (&of_users, "users", format!("{before}, {PAGE}")),
            (&of_state, "users", format!("'active', {before}, {PAGE}")),
            (&of_keys, "license_keys", format!("{before}, {PAGE}")),
        ] {
            let plan = explain(&mut connection, statement, &parameters).await;
            check(&plan, table, &format!("{table} ({parameters})"));
        }
    }
}

#[tokio::test]
async fn pages_of_the_audit_log_cost_the_same() {
    let script = format!(
        "INSERT INTO staff (id, username, username_key, password_hash, role, created_at)
         SELECT lpad(to_hex(n), 32, '0')::uuid, 'staff' || n, 'staff' || n, 'x', 'admin', now() FROM generate_series(1, 9) AS n;
         INSERT INTO audit_log (id, acted_at, staff_id, action, target, user_id, reason, request_id, before_json, after_json)
         SELECT lpad(to_hex(n), 32, '0')::uuid, to_timestamp(n), lpad((n % 3 + 1)::text, 32, '0')::uuid,
                'wallet.' || n % 4, '', lpad((n % 2 + 1)::text, 32, '0')::uuid, '', '', '', ''
         FROM generate_series(1, {ROWS}) AS n;
         ANALYZE audit_log, staff;"
    );
    let (_database, mut connection) = filled(&script).await;
    let list = "FROM audit_log WHERE ";
    let all = statement(&[&format!("{list}(acted_at")]);
    let of_staff = statement(&[&format!("{list}(staff_id, acted_at")]);
    let of_both = statement(&[&format!("{list}(staff_id, action")]);
    let of_action = statement(&[&format!("{list}(action")]);
    let of_user = statement(&[&format!("{list}(user_id")]);
    for number in [ROWS + 1, ROWS / 2, 400] {
        let before = format!("to_timestamp({number}), {}, {PAGE}", id(number));
        for (statement, parameters) in [
            (&all, before.clone()),
            (&of_staff, format!("{}, {before}", id(1))),
            (&of_both, format!("{}, 'wallet.1', {before}", id(1))),
            (&of_action, format!("'wallet.1', {before}")),
            (&of_user, format!("{}, NULL, NULL, {before}", id(1))),
        ] {
            let plan = explain(&mut connection, statement, &parameters).await;
            check(&plan, "audit_log", &parameters);
        }
    }
}
