//! Compares the events that the services published with those in the consumers' inboxes, id by id.

use adfolio_testkit::{eventually, inboxes};

use crate::stack::Stack;

/// Begins to record published events. Call it before the first one.
pub async fn remember(stack: &Stack) {
    for database in stack.services.databases.values() {
        eventually("the service has its schema", || async {
            inboxes::remember(database.url()).await.is_ok()
        })
        .await;
    }
}

/// Checks that every event published since [`remember`] is in the inbox of each of its consumers, and no other.
pub async fn hold_what_was_told(stack: &Stack) {
    let databases = &stack.services.databases;
    eventually("everything has left", || async {
        let mut left: i64 = 0;
        for database in databases.values() {
            let count = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM unsent_events");
            left += count.fetch_one(&database.pool()).await.unwrap();
        }
        left == 0
    })
    .await;
    let compare = || async {
        let url_of = |service: &str| databases[service].url().to_owned();
        inboxes::compare(url_of, false).await.unwrap()
    };
    eventually("every consumer has every event", || async {
        compare().await.iter().all(|heard| heard.missing.is_empty())
    })
    .await;
    for heard in compare().await {
        println!("{} received {} events", heard.consumer, heard.told);
        assert!(
            heard.missing.is_empty() && heard.strange.is_empty(),
            "{heard:?}"
        );
        assert!(heard.told > 0, "{heard:?}");
    }
}
