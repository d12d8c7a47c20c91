//! A running wallet service and the people who use it.

mod books;
mod ledger;
mod staff;
mod withdrawals;

use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::clock::Clock;
use adfolio_kit::db::Schema;
use adfolio_kit::identity::{Caller, Session, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::wallet_service_client::WalletServiceClient;
use adfolio_testkit::{Builder, Environment, Run, RunningService, TestService, Tested, eventually};
use adfolio_wallet::Config;
use chrono::{DateTime, Timelike as _, Utc};
use sqlx::PgPool;
use uuid::Uuid;

pub use adfolio_testkit::callers::refused;
pub use ledger::{Ledger, Returned, Settled};
pub use staff::{StaffPosting, post_at};
pub use withdrawals::{PIN, address, card, md5};

use crate::peers::{self, PeerBooks, Peers};

/// What the services under test hash and encrypt with.
pub const PEPPER: &str = "the pepper of every test";
pub const CARD_KEY: &str = "7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e";

/// Longer than the usual limit: some tests fill the queue.
const CALL_LIMIT: Duration = Duration::from_secs(20);

/// The service with its own database and broker namespace, and peers that answer what the test sets.
pub struct Wallet {
    service: TestService<Config>,
    /// One for all calls: some tests make hundreds at once.
    channel: Channel,
    pub books: Arc<Mutex<PeerBooks>>,
}

impl Tested for Wallet {
    type Config = Config;
    type Peers = Arc<Mutex<PeerBooks>>;
    const SCHEMA: &'static Schema = &adfolio_wallet::SCHEMA;
    const RUN: Run<Config> = adfolio_wallet::run;

    async fn set_up(environment: &Environment) -> (Config, Self::Peers) {
        environment.broker.clean_up("wallet", "disowned");
        environment.broker.clean_up("wallet", "passwords");
        let peers = Peers::default();
        let books = peers.books();
        let url = peers::serve(peers).await;
        let config = Config {
            clock: environment.clock.clone(),
            ..environment.config(&[
                "--auth-url",
                &url,
                "--plan-url",
                &url,
                "--coupon-url",
                &url,
                "--pay-password-pepper",
                PEPPER,
                "--card-key",
                CARD_KEY,
                "--bank-account",
                "DE89370400440532013000",
                "--reconcile-interval-seconds",
                "86400",
                // Most tests post as one person.
                "--adfolio-demo",
                "1",
                "--four-eyes-above",
                "off",
            ])
        };
        (config, books)
    }

    fn assemble(service: TestService<Config>, books: Self::Peers) -> Self {
        Self {
            channel: service.channel(),
            service,
            books,
        }
    }
}

impl Deref for Wallet {
    type Target = TestService<Config>;

    fn deref(&self) -> &Self::Target {
        &self.service
    }
}

impl Wallet {
    /// Binds a queue of wallet to an event, so that no event is published before it is there.
    pub async fn declare_consumer(&self, queue: &str, event: &str) {
        let broker = self.broker.broker();
        let mut session = broker.open("test").await.expect("the broker");
        broker
            .declare_consumer(&mut session, "wallet", queue, &[event.to_owned()])
            .await
            .expect("the queue");
        session.close().await;
    }

    /// Waits until so many events of a consumer have taken effect.
    pub async fn taken(&self, consumer: &str, count: i64) {
        eventually("so many events are taken", || async {
            let taken: i64 = sqlx::query_scalar("SELECT count(*) FROM inbox WHERE consumer = $1")
                .bind(consumer)
                .fetch_one(&self.pool())
                .await
                .expect("the inbox");
            taken >= count
        })
        .await;
    }

    /// By the system's clock, unless the test sets another.
    pub fn builder() -> Builder<Self> {
        Builder::default().clock(Clock::system())
    }

    pub async fn spawn() -> Self {
        Self::builder().spawn().await
    }

    /// One more replica.
    pub async fn replica(&self) -> RunningService {
        self.replica_with(|_| {}).await
    }

    pub fn users(&self) -> WalletServiceClient<Channel> {
        WalletServiceClient::new(self.channel.clone())
    }

    pub fn staff(&self) -> WalletAdminServiceClient<Channel> {
        WalletAdminServiceClient::new(self.channel.clone())
    }

    /// The calls of other services.
    pub fn ledger(&self) -> Ledger {
        Ledger::of(self.channel.clone())
    }

    pub fn pool(&self) -> PgPool {
        self.db.pool()
    }

    /// How many sessions of the database wait for a lock.
    pub async fn waiting_for_locks(&self) -> i64 {
        sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        )
        .fetch_one(&self.pool())
        .await
        .expect("activity")
    }

    /// A user that auth knows.
    pub fn user(&self) -> Uuid {
        let id = Uuid::now_v7();
        self.books
            .lock()
            .expect("books")
            .users
            .insert(id.to_string());
        id
    }

    /// A user with money.
    pub async fn user_with(&self, minor: i64) -> Uuid {
        let user = self.user();
        self.deposit(user, minor).await;
        user
    }
}

/// A user in the session that registered the account, as fresh as on the first day.
pub fn newcomer(user: Uuid) -> Caller {
    Caller::user(UserId(user)).in_session(Session {
        opened_at: DateTime::UNIX_EPOCH,
        fresh_until: DateTime::<Utc>::MAX_UTC.with_nanosecond(0).expect("a time"),
        is_registration: true,
    })
}

/// A user with a key.
pub fn user_keyed(user: Uuid, key: &str) -> Caller {
    Caller::user(UserId(user)).with_key(Some(key.parse().expect("a key")))
}

/// A member of staff who may deposit; always the same, so that keys share a scope.
pub fn finance() -> Caller {
    Caller::staff(Uuid::from_u128(0xf1), StaffRole::Finance)
}

pub fn keyed(key: &str) -> Caller {
    finance().with_key(Some(key.parse().expect("a key")))
}

/// A request of `caller`.
pub fn call<T>(caller: &Caller, message: T) -> tonic::Request<T> {
    outgoing(caller, message, CALL_LIMIT)
}

/// Asserts why a call was refused, and which input.
#[track_caller]
pub fn assert_refused<T: std::fmt::Debug>(
    outcome: Result<T, Refusal>,
    reason: Reason,
    field: Option<&str>,
) {
    let refusal = outcome.expect_err("a refusal");
    assert_eq!((refusal.reason, refusal.field.as_deref()), (reason, field));
}
