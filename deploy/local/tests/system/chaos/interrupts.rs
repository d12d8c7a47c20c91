//! A connection to PostgreSQL that ends in the middle of a write: the writer does not know whether
//! it was committed.

use std::time::Duration;

use adfolio_local::{Component, Service, Stack};
use sqlx::{Connection as _, PgConnection};
use tokio::time::{sleep, timeout};

use super::books::database;

/// Ends the connections of a database with uncommitted writes; returns how many.
const END_WRITERS: &str = "
    SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()";

/// Looks for a write that may pass without one. All begin while PostgreSQL and RabbitMQ are ready:
/// some services write only because of events, and a broker that is killed again while it starts
/// is away for a minute and more.
const LOOKS: u32 = 18;

/// Duration of a look, also if PostgreSQL hangs.
const LOOK_LIMIT: Duration = Duration::from_secs(5);

/// Pause between two polls: a write takes a few milliseconds.
const POLL: Duration = Duration::from_millis(1);

/// Pause before PostgreSQL is tried again.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until this service writes, and ends the connection of the write.
pub async fn interrupt(stack: &Stack, service: Service) {
    let url = database(&stack.database_base_url(), service.name());
    for _ in 0..LOOKS {
        for server in [Component::Postgres, Component::Rabbitmq] {
            stack.wait_ready(server).await.unwrap();
        }
        if timeout(LOOK_LIMIT, end_writers(&url)).await.is_ok() {
            return;
        }
    }
    panic!("{} does not write", service.name());
}

/// Waits for a write, however often PostgreSQL goes down meanwhile.
async fn end_writers(url: &str) {
    while end_next_writers(url).await.is_err() {
        sleep(PAUSE).await;
    }
}

/// Waits for a write. Fails if PostgreSQL is down.
async fn end_next_writers(url: &str) -> Result<(), sqlx::Error> {
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
