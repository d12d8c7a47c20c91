//! A connection to PostgreSQL that ends in the middle of a write: whoever wrote does not know whether it was committed.

use std::time::Duration;

use adfolio_local::Service;
use sqlx::{Connection as _, PgConnection};
use tokio::time::{sleep, timeout};

use super::books::database;

/// Ends the connections of a database that have written something and not committed it yet; answers how many.
const END_WRITERS: &str = "
    SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()";

/// Somebody writes within this, however often PostgreSQL itself is down meanwhile.
const WRITE_LIMIT: Duration = Duration::from_secs(90);

/// A PostgreSQL that hangs is given up after this.
const LOOK_LIMIT: Duration = Duration::from_secs(5);

/// Between two looks: a write takes a few milliseconds.
const POLL: Duration = Duration::from_millis(1);

/// Before PostgreSQL is looked for again.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until this service writes, and ends what it writes over. `base_url` is PostgreSQL's for an account that may do so.
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

/// Until there was one. Fails where PostgreSQL is down.
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
