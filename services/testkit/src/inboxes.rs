//! Proves that consumers handled exactly the events that the services published, id by id.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use uuid::Uuid;

/// The services, each with a database and an outbox.
pub const SERVICES: [&str; 6] = [
    "auth",
    "wallet",
    "plan",
    "coupon",
    "notification",
    "acceptor",
];

/// Records every row put into an outbox; sent rows are dropped after a while. The function runs as
/// its owner, so that services need no permissions on the record.
const REMEMBERED: &str = "
    CREATE TABLE told_since AS SELECT clock_timestamp() AS time;
    CREATE TABLE told (event_id uuid PRIMARY KEY, event_type text NOT NULL, data json NOT NULL);
    CREATE FUNCTION remember() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
        INSERT INTO public.told VALUES (NEW.event_id, NEW.event_type, NEW.data) ON CONFLICT DO NOTHING;
        RETURN NULL;
    END $$;
    CREATE TRIGGER remember AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION remember();";

/// The events that each consumer is concerned by, by type and data. Every consumer of the system is
/// listed, and receives nothing else; except `plan.delivery`, which receives events of networks'
/// adapters and of no service.
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
         WHEN 'adfolio.auth.v1.SessionsRevoked' THEN true
         WHEN 'adfolio.auth.v1.AccountStateChanged' THEN true
         WHEN 'adfolio.auth.v1.PasswordChanged' THEN true
         WHEN 'adfolio.auth.v1.ContactChanged' THEN true
         WHEN 'adfolio.auth.v1.EmailCodeRequested' THEN true
         WHEN 'adfolio.auth.v1.NewClientLoggedIn' THEN true
         WHEN 'adfolio.auth.v1.StaffActed' THEN coalesce(data->>'userId', '') <> '' AND data->>'action' IN (
             'auth.set_user_state', 'auth.set_user_profile', 'auth.create_host_token', 'auth.unlock_user_login')
         WHEN 'adfolio.wallet.v1.DepositCredited' THEN true
         WHEN 'adfolio.coupon.v1.CouponGranted' THEN true
         WHEN 'adfolio.wallet.v1.StaffPostingMade' THEN data->>'type' <> 'deposit'
         WHEN 'adfolio.wallet.v1.WithdrawalStatusChanged' THEN data->>'status' IN ('pending', 'paid', 'rejected')
         WHEN 'adfolio.wallet.v1.WalletSecurityChanged' THEN true
         WHEN 'adfolio.plan.v1.PlanStatusChanged' THEN data->>'to' IN ('putting', 'put_finished', 'settled', 'put_failed')
             OR data->>'to' = 'waiting' AND coalesce(data->>'from', '') = ''
         WHEN 'adfolio.acceptor.v1.ExchangeStatusChanged' THEN data->>'status' IN ('completed', 'cancelled', 'expired')
             OR data->>'status' = 'pending' AND data->>'direction' = 'wallet_to_currency'
         ELSE false END",
    ),
    (
        "wallet",
        "wallet.disowned",
        "event_type = 'adfolio.notification.v1.AccountDisowned'",
    ),
    (
        "wallet",
        "wallet.passwords",
        "event_type = 'adfolio.auth.v1.PasswordChanged'",
    ),
];

/// What the notification of the release before is not concerned by. While an upgrade lasts, the replica that receives such
/// an event decides whether it is handled.
const NEW_CONCERNS: &str = "
    event_type IN ('adfolio.auth.v1.ContactChanged', 'adfolio.auth.v1.EmailCodeRequested',
                   'adfolio.auth.v1.NewClientLoggedIn', 'adfolio.auth.v1.StaffActed')
    OR event_type IN ('adfolio.wallet.v1.WithdrawalStatusChanged', 'adfolio.acceptor.v1.ExchangeStatusChanged')
        AND data->>'status' = 'pending'
    OR event_type = 'adfolio.wallet.v1.StaffPostingMade' AND data->>'type' IN ('guarantee_deposit', 'guarantee_return')
    OR event_type = 'adfolio.wallet.v1.WalletSecurityChanged' AND data->>'change' IN ('wallet_frozen', 'wallet_unfrozen')";

/// The published events since [`remember`], compared with what one consumer has handled.
#[derive(Debug)]
pub struct Heard {
    /// The consumer, as in its queue's name.
    pub consumer: &'static str,
    /// How many events concerned it.
    pub told: usize,
    /// Those that are not in its inbox.
    pub missing: BTreeSet<Uuid>,
    /// Events in its inbox that do not concern it, or were never published; without those published
    /// before [`remember`].
    pub strange: BTreeSet<Uuid>,
}

/// Starts to record the events of one service. Call it for each after its schema exists and before
/// anything is published; `url` is that of its database, for the owner of its tables.
pub async fn remember(url: &str) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(url).await?;
    sqlx::raw_sql(REMEMBERED).execute(&mut connection).await?;
    Ok(())
}

/// Compares everything published since [`remember`] with every inbox. `url_of` gives the URL of a
/// service's database. Only conclusive when all outboxes are empty. With `is_upgrade` some replicas were of the release
/// before.
pub async fn compare(
    url_of: impl Fn(&str) -> String,
    is_upgrade: bool,
) -> Result<Vec<Heard>, sqlx::Error> {
    let mut since = DateTime::UNIX_EPOCH;
    for service in SERVICES {
        let mut connection = PgConnection::connect(&url_of(service)).await?;
        let time = sqlx::query_scalar("SELECT time FROM told_since");
        since = since.max(time.fetch_one(&mut connection).await?);
    }
    let mut new = BTreeSet::new();
    if is_upgrade {
        for teller in SERVICES {
            let statement = format!("SELECT event_id FROM told WHERE {NEW_CONCERNS}");
            new.append(&mut ids(&url_of(teller), statement).await?);
        }
    }
    let mut all = Vec::new();
    for (service, consumer, concerns) in CONCERNS {
        let mut told = BTreeSet::new();
        for teller in SERVICES {
            let statement = format!("SELECT event_id FROM told WHERE {concerns}");
            told.append(&mut ids(&url_of(teller), statement).await?);
        }
        let statement = format!("SELECT event_id FROM inbox WHERE consumer = '{consumer}'");
        let heard = ids(&url_of(service), statement).await?;
        all.push(Heard {
            consumer,
            told: told.len(),
            missing: told
                .difference(&heard)
                .filter(|id| !new.contains(id))
                .copied()
                .collect(),
            strange: (&heard - &told)
                .into_iter()
                .filter(|id| made_at(*id) > since)
                .collect(),
        });
    }
    Ok(all)
}

/// When an event was made: its id contains that to the millisecond.
fn made_at(id: Uuid) -> DateTime<Utc> {
    let (seconds, nanos) = id.get_timestamp().expect("a UUID of version 7").to_unix();
    DateTime::from_timestamp(seconds.cast_signed(), nanos).expect("a time")
}

async fn ids(url: &str, statement: String) -> Result<BTreeSet<Uuid>, sqlx::Error> {
    let mut connection = PgConnection::connect(url).await?;
    let ids: Vec<Uuid> = sqlx::query_scalar(AssertSqlSafe(statement))
        .fetch_all(&mut connection)
        .await?;
    Ok(ids.into_iter().collect())
}
