//! Events from an outbox to their last consumer: deposits of wallet that become notices.

use std::sync::Arc;
use std::time::{Duration, Instant};

use adfolio_local::Stack;
use sqlx::{Connection as _, PgConnection};
use tokio::sync::Mutex;
use url::Url;

use crate::rounds::{Measurement, Outcome};

/// Events of a round, each about another user.
const EVENTS: i64 = 5_000;

const POLL: Duration = Duration::from_millis(20);
const LIMIT: Duration = Duration::from_mins(2);

/// Written in one transaction, so that nearly all of the time is that of sending and handling.
const WRITE: &str = "
    INSERT INTO outbox (event_id, event_type, subject, data)
    SELECT gen_random_uuid(), 'adfolio.wallet.v1.DepositCredited', id,
           json_build_object('transactionId', gen_random_uuid(), 'userId', id, 'amountMinor', '1200',
                             'time', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'))
    FROM (SELECT gen_random_uuid()::text AS id FROM generate_series(1, $1)) AS users";

const HANDLED: &str = "SELECT count(*) FROM inbox WHERE consumer = 'notification.inbox'";

struct Databases {
    wallet: PgConnection,
    notification: PgConnection,
}

pub async fn prepare(stack: &Stack) -> Measurement {
    let databases = Arc::new(Mutex::new(Databases {
        wallet: connect(stack, "wallet").await,
        notification: connect(stack, "notification").await,
    }));
    Measurement::new("events", move |_| {
        let databases = Arc::clone(&databases);
        Box::pin(async move { measure(&mut *databases.lock().await).await })
    })
}

async fn connect(stack: &Stack, service: &str) -> PgConnection {
    let mut url: Url = stack.database_base_url().parse().unwrap();
    url.set_path(&format!("adfolio_{service}"));
    PgConnection::connect(url.as_str()).await.unwrap()
}

async fn measure(databases: &mut Databases) -> Outcome {
    let before = handled(&mut databases.notification).await;
    sqlx::query(WRITE)
        .bind(EVENTS)
        .execute(&mut databases.wallet)
        .await
        .unwrap();
    let begun = Instant::now();
    while handled(&mut databases.notification).await < before + EVENTS {
        assert!(begun.elapsed() < LIMIT, "the events do not arrive");
        tokio::time::sleep(POLL).await;
    }
    Outcome {
        figures: vec![("per_second", EVENTS as f64 / begun.elapsed().as_secs_f64())],
        operations: EVENTS as usize,
    }
}

async fn handled(connection: &mut PgConnection) -> i64 {
    sqlx::query_scalar(HANDLED)
        .fetch_one(connection)
        .await
        .unwrap()
}
