//! The cost of a query on a large table: shows that the last page of a list costs no more than the
//! first one.

use serde_json::Value;
use sqlx::{AssertSqlSafe, Row as _};

use crate::TestDatabase;

/// Calls after which PostgreSQL has decided whether to plan each call separately.
const CALLS_BEFORE: usize = 6;

/// What executing a query touched.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Rows of the result.
    pub answered: i64,
    /// Rows read anywhere in the plan, including those removed by a filter.
    pub rows: i64,
    /// Blocks of 8 KiB that were read.
    pub blocks: i64,
    /// Tables that were scanned completely.
    pub scanned: Vec<String>,
    /// How each table was read, in PostgreSQL's terms: `Index Scan`, `Index Only Scan`.
    pub reads: Vec<(String, String)>,
    /// The steps of the plan except its limit: the index that a step reads, else its kind (`Sort`).
    pub steps: Vec<String>,
}

/// The query of a service that contains all of `parts`, as checked at compile time.
/// `manifest_folder` is the service's `CARGO_MANIFEST_DIR`.
pub fn checked_query(manifest_folder: &str, parts: &[&str]) -> String {
    let folder = format!("{manifest_folder}/.sqlx");
    let queries = std::fs::read_dir(folder).expect("the cache of checked queries");
    let texts = queries.map(|entry| {
        let path = entry.expect("a cached query").path();
        let text = std::fs::read_to_string(path).expect("a cached query");
        let json: Value = serde_json::from_str(&text).expect("a cached query is JSON");
        json["query"].as_str().expect("its text").to_owned()
    });
    let mut found: Vec<String> = texts
        .filter(|query| parts.iter().all(|part| query.contains(part)))
        .collect();
    assert_eq!(found.len(), 1, "{parts:?} is in {found:#?}");
    found.remove(0)
}

/// Executes a query with SQL literals as arguments, as a prepared statement that has been used for
/// a while.
pub async fn cost(database: &TestDatabase, query: &str, arguments: &str) -> Cost {
    let mut connection = database.pool().acquire().await.expect("a connection");
    let prepare = format!("DEALLOCATE ALL; PREPARE page AS {query}");
    let calls = format!("EXECUTE page({arguments});").repeat(CALLS_BEFORE);
    for script in [prepare, calls] {
        sqlx::raw_sql(AssertSqlSafe(script))
            .execute(&mut *connection)
            .await
            .expect("the query runs");
    }
    let explain =
        format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE page({arguments})");
    let row = sqlx::raw_sql(AssertSqlSafe(explain))
        .fetch_one(&mut *connection)
        .await
        .expect("the query can be explained");
    let plan: Value = row.try_get(0).expect("a plan");
    let node = &plan[0]["Plan"];
    let number = |name: &str| node[name].as_i64().unwrap_or(0);
    let mut cost = Cost {
        answered: number("Actual Rows"),
        rows: 0,
        blocks: number("Shared Hit Blocks").saturating_add(number("Shared Read Blocks")),
        scanned: Vec::new(),
        reads: Vec::new(),
        steps: Vec::new(),
    };
    collect(node, &mut cost);
    cost
}

fn collect(node: &Value, cost: &mut Cost) {
    let number = |name: &str| node[name].as_i64().unwrap_or(0);
    let touched = number("Actual Rows")
        .saturating_add(number("Rows Removed by Filter"))
        .saturating_add(number("Rows Removed by Join Filter"));
    cost.rows = cost
        .rows
        .saturating_add(touched.saturating_mul(number("Actual Loops")));
    let kind = node["Node Type"].as_str().unwrap_or_default();
    if kind != "Limit" {
        let step = node["Index Name"].as_str().unwrap_or(kind);
        cost.steps.push(step.to_owned());
    }
    if let Some(table) = node["Relation Name"].as_str() {
        cost.reads.push((table.to_owned(), kind.to_owned()));
        if kind == "Seq Scan" {
            cost.scanned.push(table.to_owned());
        }
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        collect(child, cost);
    }
}
