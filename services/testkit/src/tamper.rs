//! Changes behind a service's back.

use sqlx::{AssertSqlSafe, PgPool};

/// Runs a statement as an intruder who is master of the database and has switched the triggers off.
pub async fn tamper(pool: &PgPool, statement: &str) {
    let mut connection = pool.acquire().await.expect("a connection");
    for step in [
        "SET session_replication_role = replica",
        statement,
        "SET session_replication_role = origin",
    ] {
        sqlx::raw_sql(AssertSqlSafe(step))
            .execute(&mut *connection)
            .await
            .expect("tampering");
    }
}
