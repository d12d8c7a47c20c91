//! A connection to PostgreSQL that ends in the middle of a write: the writer does not know whether
//! it was committed.

use std::time::Duration;

use adfolio_local::Service;
use sqlx::{Connection as _, PgConnection};
use tokio::time::{sleep, timeout};

use super::books::database;

/// Ends the connections of a database with uncommitted writes; returns how many.
const END_WRITERS: &str = "
    SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()";

/// There is a write within this time, however often PostgreSQL itself is down meanwhile.
const WRITE_LIMIT: Duration = Duration::from_secs(90);

/// Limit of a query to a hanging PostgreSQL.
const LOOK_LIMIT: Duration = Duration::from_secs(5);

/// Pause between two polls: a write takes a few milliseconds.
const POLL: Duration = Duration::from_millis(1);

/// Pause before PostgreSQL is tried again.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until this service writes, and ends the connection of the write. `base_url` is
/// PostgreSQL's URL for an account that may do so.
pub async fn interrupt(base_url: &str, service: Service) {
    let url = database(base_url, service.name());
    timeout(WRITE_LIMIT, async {
        while !matches!(timeout(LOOK_LIMIT, end_writers(&url)).await, Ok(Ok(()))) {
            sleep(PAUSE).await;
        }
    })
    .await
    .unwrap_or_else(|_| panic!("{} does not write", service.name()));
}

/// Waits for a write. Fails if PostgreSQL is down.
async fn end_writers(url: &str) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(url).await?;
    loop {
        let ended: i64 = sqlx::query_scalar(END_WRITERS)
            .fetch_one(&mut connection)
            .await?;
        if ended > 0 {
            return connection.close().await;
        }
        sleep(POLL).await;
    }
}
