//! That what the services said and what they heard of each other is the same, id by id.

use std::collections::{BTreeMap, BTreeSet};

use adfolio_testkit::{TestDatabase, eventually};
use uuid::Uuid;

use crate::stack::Stack;

/// Remembers what is put into an outbox; the relay deletes what it has sent.
const REMEMBERED: &str = "
    CREATE TABLE told (event_id uuid PRIMARY KEY, event_type text NOT NULL, data json NOT NULL);
    CREATE FUNCTION remember() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO told VALUES (NEW.event_id, NEW.event_type, NEW.data);
        RETURN NULL;
    END $$;
    CREATE TRIGGER remember AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION remember();";

/// What concerns each consumer, by type and data. Every consumer of the system is here; none hears of anything else.
const CONCERNS: [(&str, &str, &str); 7] = [
    ("auth", "auth.audit", "event_type LIKE 'adfolio.%.v1.StaffActed'"),
    (
        "auth",
        "auth.membership",
        "event_type = 'adfolio.wallet.v1.StaffPostingMade' AND data->>'type' = 'membership'",
    ),
    (
        "auth",
        "auth.security",
        "event_type = 'adfolio.wallet.v1.WalletSecurityChanged'",
    ),
    (
        "coupon",
        "coupon.plans",
        "event_type = 'adfolio.plan.v1.PlanStatusChanged' AND data->>'userCouponId' <> ''",
    ),
    (
        "notification",
        "notification.inbox",
        "CASE event_type
         WHEN 'adfolio.auth.v1.UserRegistered' THEN true
         WHEN 'adfolio.auth.v1.PasswordChanged' THEN true
         WHEN 'adfolio.wallet.v1.DepositCredited' THEN true
         WHEN 'adfolio.coupon.v1.CouponGranted' THEN true
         WHEN 'adfolio.wallet.v1.StaffPostingMade' THEN data->>'type' <> 'deposit'
         WHEN 'adfolio.wallet.v1.WithdrawalStatusChanged' THEN data->>'status' IN ('paid', 'rejected')
         WHEN 'adfolio.wallet.v1.WalletSecurityChanged' THEN true
         WHEN 'adfolio.plan.v1.PlanStatusChanged' THEN data->>'to' IN ('put_finished', 'settled', 'put_failed')
             OR data->>'to' = 'waiting' AND coalesce(data->>'from', '') = ''
         WHEN 'adfolio.acceptor.v1.ExchangeStatusChanged' THEN data->>'status' IN ('completed', 'cancelled', 'expired')
         ELSE false END",
    ),
    // Networks' adapters tell of deliveries; none runs here.
    (
        "plan",
        "plan.delivery",
        "event_type = 'adfolio.delivery.v1.DeliveryReported'",
    ),
    (
        "wallet",
        "wallet.passwords",
        "event_type = 'adfolio.auth.v1.PasswordChanged'",
    ),
];

/// Begins to remember what is told. To be called before anything is.
pub async fn remember(stack: &Stack) {
    for database in stack.services.databases.values() {
        eventually("the service has its schema", || async {
            sqlx::raw_sql(REMEMBERED)
                .execute(&database.pool())
                .await
                .is_ok()
        })
        .await;
    }
}

/// Everything that was told since [`remember`] is in the inbox of whom it concerns, and nothing else is.
pub async fn hold_what_was_told(stack: &Stack) {
    eventually("everything has left", || async {
        let mut left: i64 = 0;
        for database in stack.services.databases.values() {
            let count = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM outbox");
            left += count.fetch_one(&database.pool()).await.unwrap();
        }
        left == 0
    })
    .await;
    let mut sizes = BTreeMap::new();
    for (service, consumer, concerns) in CONCERNS {
        let mut told = BTreeSet::new();
        for database in stack.services.databases.values() {
            let statement = format!("SELECT event_id FROM told WHERE {concerns}");
            told.extend(ids(database, statement).await);
        }
        let inbox = &stack.services.databases[service];
        let heard = || async {
            let statement = format!("SELECT event_id FROM inbox WHERE consumer = '{consumer}'");
            ids(inbox, statement).await
        };
        eventually(&format!("{consumer} has heard everything"), || async {
            told.is_subset(&heard().await)
        })
        .await;
        assert_eq!(heard().await, told, "{consumer}");
        sizes.insert(consumer, told.len());
    }
    println!("events told and heard: {sizes:?}");
    for (consumer, size) in sizes {
        assert_eq!(size > 0, consumer != "plan.delivery", "{consumer}: {size}");
    }
}

async fn ids(database: &TestDatabase, statement: String) -> BTreeSet<Uuid> {
    let ids: Vec<Uuid> = sqlx::query_scalar(sqlx::AssertSqlSafe(statement))
        .fetch_all(&database.pool())
        .await
        .unwrap();
    ids.into_iter().collect()
}
