//! Who writes spend and revenue: what reports say, and never the engine that places plans.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use sqlx::AssertSqlSafe;

use crate::allotments::{fetch, next_round, plan, register, stack};
use crate::helpers::Plan;

/// Every statement that writes an amount of spend or revenue, as the file and its table.
const WRITERS: &[(&str, &str)] = &[
    // What was reported of an allotment, taken from the reports of the same transaction.
    ("allotment/repo/mod.rs", "allotments"),
    ("delivery/proposal/repo.rs", "delivery_imports"),
    ("delivery/proposal/repo.rs", "staged_reports"),
    ("delivery/repo.rs", "delivery_reports"),
    ("delivery/repo.rs", "orders"),
    ("order/repo/mod.rs", "orders"),
    ("quarantine/repo.rs", "quarantined_reports"),
    ("settlement/repo.rs", "orders"),
    ("statistics/repo.rs", "order_placements"),
    ("statistics/repo.rs", "plan_buckets"),
    ("statistics/repo.rs", "user_buckets"),
    ("statistics/repo.rs", "user_days"),
];

/// Parts of the names of columns with such amounts. Prices are none.
const AMOUNTS: [&str; 6] = [
    "spend_micros",
    "charged_micros",
    " revenue_micros",
    "reported_micros",
    "posted_revenue_minor",
    "posted_consumed_minor",
];

/// Columns of prices and what was believed of them.
const NO_AMOUNTS: &[&str] = &["placement_prices", "products"];

/// The string literals of a file.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(begin) = rest.find('"') {
        let is_raw = rest[..begin].ends_with('#');
        let after = &rest[begin + 1..];
        let end = if is_raw {
            after.find("\"#").unwrap_or(after.len())
        } else {
            let mut escaped = false;
            after
                .find(|letter| {
                    let ends = letter == '"' && !escaped;
                    escaped = letter == '\\' && !escaped;
                    ends
                })
                .unwrap_or(after.len())
        };
        found.push(after[..end].to_owned());
        rest = after.get(end + 1..).unwrap_or_default();
    }
    found
}

/// The tables that a statement writes.
fn written(statement: &str) -> BTreeSet<&str> {
    let words: Vec<&str> = statement.split_whitespace().collect();
    let inserted = words
        .windows(3)
        .filter(|it| it[..2] == ["INSERT", "INTO"])
        .map(|it| it[2]);
    let updated = words
        .windows(2)
        .filter(|it| it[0] == "UPDATE" && it[1] != "SET" && it[1] != "SKIP");
    inserted.chain(updated.map(|it| it[1])).collect()
}

fn sources(folder: &Path, found: &mut BTreeMap<String, String>, root: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found, root);
        } else {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            found.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_writer_of_spend_and_revenue_is_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::new();
    sources(&root, &mut files, &root);
    let mut writers = BTreeSet::new();
    for (name, source) in &files {
        for statement in literals(source) {
            if !AMOUNTS.iter().any(|amount| statement.contains(amount)) {
                continue;
            }
            for table in written(&statement) {
                if !NO_AMOUNTS.contains(&table) {
                    writers.insert((name.clone(), table.to_owned()));
                }
            }
        }
    }
    let known: BTreeSet<(String, String)> = WRITERS
        .iter()
        .map(|(file, table)| ((*file).to_owned(), (*table).to_owned()))
        .collect();
    assert_eq!(writers, known);
}

/// What each table says of spend and revenue, all rows together.
async fn amounts(stack: &Plan) -> BTreeMap<String, String> {
    let columns: Vec<(String, String)> = sqlx::query_as(
        r"SELECT table_name::text, column_name::text FROM information_schema.columns
          JOIN pg_tables ON tablename = table_name AND schemaname = table_schema
          WHERE table_schema = 'public' AND data_type IN ('bigint', 'numeric')
            AND column_name ~ '(spend|charged|revenue|reported|consumed|paid_out)' AND column_name !~ '^price|per_thousand'
          ORDER BY 1, 2",
    )
    .fetch_all(&stack.db.pool())
    .await
    .unwrap();
    assert!(columns.len() > 10, "{columns:?}");
    let mut sums = BTreeMap::new();
    for (table, column) in columns {
        let statement = format!("SELECT coalesce(sum({column}), 0)::text FROM {table}");
        let sum = sqlx::query_scalar(AssertSqlSafe(statement))
            .fetch_one(&stack.db.pool())
            .await
            .unwrap();
        sums.insert(format!("{table}.{column}"), sum);
    }
    sums
}

#[tokio::test]
async fn rounds_change_no_spend_and_no_revenue() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 3).await;
    plan(&stack).await;
    let before = amounts(&stack).await;
    for _ in 0..3 {
        next_round(&stack).await;
    }
    assert!(
        !fetch(&stack, &network.key, "")
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert_eq!(amounts(&stack).await, before);
}
