//! The growth of the databases by the measurements and some deposits: bytes per row, including its
//! indexes.

use adfolio_local::{Service, Stack};
use adfolio_testkit::eventually;
use futures::{StreamExt as _, stream};
use serde_json::json;
use sqlx::{Connection as _, Executor as _, FromRow, PgConnection, PgPool};

use crate::api::Api;
use crate::results::Results;

/// A table with fewer rows says nothing about the bytes of one.
const ROWS_COUNTED: i64 = 1_000;

/// Each has a notice to the user and an audit entry.
const DEPOSITS: usize = 3_000;

#[derive(FromRow)]
struct Table {
    name: String,
    rows: i64,
    heap_bytes: i64,
    index_bytes: i64,
}

/// The bytes of each table that has grown, after a vacuum.
pub async fn run(stack: &Stack, results: &mut Results) {
    for service in Service::ALL {
        if service == Service::Gateway {
            continue;
        }
        let mut connection = PgConnection::connect(&stack.database_superuser_url(service))
            .await
            .unwrap();
        connection.execute("VACUUM ANALYZE").await.unwrap();
        let tables: Vec<Table> = sqlx::query_as(
            "SELECT relname AS name, n_live_tup AS rows, pg_table_size(relid) AS heap_bytes, pg_indexes_size(relid) AS index_bytes
             FROM pg_stat_user_tables WHERE n_live_tup >= $1 ORDER BY pg_total_relation_size(relid) DESC",
        )
        .bind(ROWS_COUNTED)
        .fetch_all(&mut connection)
        .await
        .unwrap();
        for table in tables {
            let Table { name, rows, .. } = &table;
            let of_row = |bytes: i64| bytes as f64 / *rows as f64;
            let name = format!("{service}.{name}");
            results.add_once(format!("{name}.rows"), *rows as f64);
            results.add_once(format!("{name}.bytes"), of_row(table.heap_bytes));
            results.add_once(format!("{name}.index_bytes"), of_row(table.index_bytes));
        }
    }
}

/// Deposits for one user, until the last has its notice. First of all: later notices wait behind
/// other events.
pub async fn deposit(stack: &Stack) {
    let api = Api::new(stack);
    let admin = api.admin().await;
    let (_, user_id) = api.advertiser(&admin, "growth").await;
    let deposits = stream::iter(0..DEPOSITS).map(|number| {
        let (api, admin, user_id) = (&api, &admin, &user_id);
        async move {
            let body = json!({"user_id": user_id, "amount": "1.00", "remark": "benchmark"});
            let key = Some(format!("deposit-{number}"));
            api.post("/admin/wallet/deposit", admin, key, body).await;
        }
    });
    deposits.buffer_unordered(8).collect::<Vec<_>>().await;
    let url = stack.database_url(Service::Notification);
    let database = PgPool::connect(&url).await.unwrap();
    let told = i64::try_from(DEPOSITS).unwrap();
    eventually("every deposit has its notice", || async {
        let notices = sqlx::query_scalar("SELECT count(*) FROM notifications");
        let notices: i64 = notices.fetch_one(&database).await.unwrap();
        notices >= told
    })
    .await;
    database.close().await;
}
