//! A wallet with everything around it: a database, a broker namespace, and peers that answer what the test tells them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::clock::Clock;
use adfolio_kit::config::{ServerArgs, TelemetryArgs};
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::ledger_service_client::LedgerServiceClient;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::wallet_service_client::WalletServiceClient;
use adfolio_testkit::{RunningService, TestBroker, TestDatabase, spawn_service};
use adfolio_wallet::config::{
    EVENTS_STREAM, FourEyesArgs, PeerArgs, PostingArgs, SecretArgs, WalletConfig, WithdrawalArgs,
};
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::peers::{self, PeerBooks, Peers};

/// What tests hash and seal with.
pub const PEPPER: &str = "the pepper of every test";
pub const CARD_KEY: &str = "7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e";

const CALL_LIMIT: Duration = Duration::from_secs(20);

/// A wallet under test.
pub struct App {
    pub db: TestDatabase,
    pub broker: TestBroker,
    _service: RunningService,
    pub books: Arc<Mutex<PeerBooks>>,
    config: WalletConfig,
    channel: Channel,
}

/// How a test's wallet differs from the usual.
struct Settings {
    clock: Clock,
    posting: PostingArgs,
    terms: WithdrawalArgs,
    four_eyes: FourEyesArgs,
    stream: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            clock: Clock::system(),
            posting: PostingArgs::default(),
            terms: WithdrawalArgs::default(),
            four_eyes: FourEyesArgs::default(),
            stream: EVENTS_STREAM.to_owned(),
        }
    }
}

impl App {
    pub async fn spawn() -> Self {
        Self::spawn_at(Clock::system(), PostingArgs::default()).await
    }

    pub async fn spawn_at(clock: Clock, posting: PostingArgs) -> Self {
        Self::spawn_as(Settings {
            clock,
            posting,
            ..Settings::default()
        })
        .await
    }

    /// On other terms of withdrawals.
    pub async fn spawn_on(clock: Clock, posting: PostingArgs, terms: WithdrawalArgs) -> Self {
        Self::spawn_as(Settings {
            clock,
            posting,
            terms,
            ..Settings::default()
        })
        .await
    }

    /// With a second pair of eyes.
    pub async fn spawn_with(clock: Clock, posting: PostingArgs, four_eyes: FourEyesArgs) -> Self {
        Self::spawn_as(Settings {
            clock,
            posting,
            four_eyes,
            ..Settings::default()
        })
        .await
    }

    /// With a stream of its own; the usual one has the events of all tests.
    pub async fn spawn_with_stream(stream: &str) -> Self {
        Self::spawn_as(Settings {
            stream: stream.to_owned(),
            ..Settings::default()
        })
        .await
    }

    async fn spawn_as(settings: Settings) -> Self {
        let Settings {
            clock,
            posting,
            terms,
            four_eyes,
            stream,
        } = settings;
        let db = TestDatabase::create(&[&adfolio_wallet::MIGRATOR]).await;
        let broker = TestBroker::namespace();
        broker.clean_up("wallet", "passwords");
        let peers = Peers::default();
        let books = peers.books();
        let url = peers::serve(peers).await;
        let config = WalletConfig {
            server: ServerArgs::default(),
            database: db.args(),
            broker: broker.args(),
            telemetry: TelemetryArgs::default(),
            posting,
            secrets: SecretArgs::new(PEPPER, CARD_KEY),
            withdrawals: terms,
            four_eyes,
            peers: PeerArgs {
                auth_url: url.clone(),
                plan_url: url.clone(),
                coupon_url: url,
            },
            events_stream: stream,
            reconcile_interval_seconds: 86_400,
        };
        let service = run(&config, clock).await;
        let channel = service.channel();
        Self {
            db,
            broker,
            _service: service,
            books,
            config,
            channel,
        }
    }

    /// Another replica on the same database.
    pub async fn replica(&self) -> RunningService {
        self.replica_at(Clock::system()).await
    }

    /// Another replica, by a clock of the test's.
    pub async fn replica_at(&self, clock: Clock) -> RunningService {
        run(&self.config, clock).await
    }

    /// Another replica, where other amounts take two members of staff.
    pub async fn replica_with(&self, four_eyes: FourEyesArgs) -> RunningService {
        let config = WalletConfig {
            four_eyes,
            ..self.config.clone()
        };
        run(&config, Clock::system()).await
    }

    /// Another replica, which proves the books so often.
    pub async fn replica_proving_every(&self, interval: Duration) -> RunningService {
        let config = WalletConfig {
            reconcile_interval_seconds: interval.as_secs(),
            ..self.config.clone()
        };
        run(&config, Clock::system()).await
    }

    /// Another replica, with other secrets.
    pub async fn replica_keeping(&self, secrets: SecretArgs) -> RunningService {
        let config = WalletConfig {
            secrets,
            ..self.config.clone()
        };
        run(&config, Clock::system()).await
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

    pub fn ledger(&self) -> Ledger {
        Ledger(LedgerServiceClient::new(self.channel.clone()))
    }

    pub fn admin(&self) -> WalletAdminServiceClient<Channel> {
        WalletAdminServiceClient::new(self.channel.clone())
    }

    pub fn wallet(&self) -> WalletServiceClient<Channel> {
        WalletServiceClient::new(self.channel.clone())
    }

    pub async fn deposit(&self, user: Uuid, minor: i64) -> proto::FlowEntry {
        self.deposit_as(&finance(), user, minor, "")
            .await
            .expect("a deposit")
    }

    pub async fn deposit_as(
        &self,
        caller: &Caller,
        user: Uuid,
        minor: i64,
        remark: &str,
    ) -> Result<proto::FlowEntry, Refusal> {
        let message = proto::DepositRequest {
            user_id: user.to_string(),
            amount_minor: minor,
            remark: remark.to_owned(),
        };
        let answer = self
            .admin()
            .deposit(outgoing(caller, message, CALL_LIMIT))
            .await
            .map_err(refusal)?;
        Ok(answer.into_inner().entry.expect("an entry"))
    }

    /// Staff change a wallet by another kind of posting.
    pub async fn post_as(
        &self,
        caller: &Caller,
        posting: StaffPosting,
        user: Uuid,
        minor: i64,
    ) -> Result<proto::FlowEntry, Refusal> {
        let mut admin = self.admin();
        let user_id = user.to_string();
        let remark = String::new();
        let entry = match posting {
            StaffPosting::Deposit => return self.deposit_as(caller, user, minor, "").await,
            StaffPosting::Chargeback => {
                let message = proto::ChargebackRequest {
                    user_id,
                    amount_minor: minor,
                    remark,
                };
                let answer = admin
                    .chargeback(outgoing(caller, message, CALL_LIMIT))
                    .await;
                answer.map_err(refusal)?.into_inner().entry
            }
            StaffPosting::Deduction => {
                let message = proto::DeductRechargeRequest {
                    user_id,
                    amount_minor: minor,
                    remark,
                };
                let answer = admin
                    .deduct_recharge(outgoing(caller, message, CALL_LIMIT))
                    .await;
                answer.map_err(refusal)?.into_inner().entry
            }
            StaffPosting::Membership => {
                let message = proto::OpenMembershipRequest {
                    user_id,
                    amount_minor: minor,
                };
                let answer = admin
                    .open_membership(outgoing(caller, message, CALL_LIMIT))
                    .await;
                answer.map_err(refusal)?.into_inner().entry
            }
            StaffPosting::Grant | StaffPosting::Return => {
                let action = if posting == StaffPosting::Grant {
                    proto::StartUpFundsAction::Grant
                } else {
                    proto::StartUpFundsAction::Return
                };
                let message = proto::ChangeStartUpFundsRequest {
                    user_id,
                    action: action.into(),
                    amount_minor: minor,
                };
                let answer = admin
                    .change_start_up_funds(outgoing(caller, message, CALL_LIMIT))
                    .await;
                answer.map_err(refusal)?.into_inner().entry
            }
        };
        Ok(entry.expect("an entry"))
    }

    /// Sets or changes a transaction password, by the digits.
    pub async fn set_password(&self, user: Uuid, new: &str, old: &str) -> Result<(), Refusal> {
        let digest = |digits: &str| {
            if digits.is_empty() {
                String::new()
            } else {
                md5(digits)
            }
        };
        let message = proto::SetPayPasswordRequest {
            password: md5(new),
            confirm_password: md5(new),
            old_password: digest(old),
        };
        let request = outgoing(&Caller::user(UserId(user)), message, CALL_LIMIT);
        let answer = self.wallet().set_pay_password(request).await;
        answer.map(|_| ()).map_err(refusal)
    }

    /// Checks a transaction password, by the digits.
    pub async fn check_password(&self, user: Uuid, digits: &str) -> Result<(), Refusal> {
        let message = proto::CheckPayPasswordRequest {
            password: md5(digits),
        };
        let request = outgoing(&Caller::user(UserId(user)), message, CALL_LIMIT);
        let answer = self.wallet().check_pay_password(request).await;
        answer.map(|_| ()).map_err(refusal)
    }

    /// Binds a destination; the password by its digits, empty for none.
    pub async fn bind(
        &self,
        user: Uuid,
        kind: proto::destination::Kind,
        digits: &str,
    ) -> Result<proto::Destination, Refusal> {
        let message = proto::BindDestinationRequest {
            destination: Some(proto::Destination { kind: Some(kind) }),
            password: if digits.is_empty() {
                String::new()
            } else {
                md5(digits)
            },
        };
        let request = outgoing(&Caller::user(UserId(user)), message, CALL_LIMIT);
        let answer = self.wallet().bind_destination(request).await;
        Ok(answer
            .map_err(refusal)?
            .into_inner()
            .destination
            .expect("a destination"))
    }

    /// A user who may withdraw: with money, a card, and 246810 as transaction password.
    pub async fn withdrawing_user(&self, minor: i64) -> Uuid {
        let user = self.user_with(minor).await;
        self.bind(user, card("6222021234567890"), "")
            .await
            .expect("a card");
        self.set_password(user, PIN, "").await.expect("a password");
        user
    }

    /// Asks for a withdrawal to the bank card.
    pub async fn withdraw(
        &self,
        caller: &Caller,
        minor: i64,
        digits: &str,
    ) -> Result<proto::Withdrawal, Refusal> {
        self.withdraw_by(caller, minor, proto::WithdrawalMethod::BankCard, digits)
            .await
    }

    /// Asks for a withdrawal.
    pub async fn withdraw_by(
        &self,
        caller: &Caller,
        minor: i64,
        method: proto::WithdrawalMethod,
        digits: &str,
    ) -> Result<proto::Withdrawal, Refusal> {
        let message = proto::WithdrawRequest {
            amount_minor: minor,
            method: method.into(),
            password: md5(digits),
        };
        let answer = self
            .wallet()
            .withdraw(outgoing(caller, message, CALL_LIMIT))
            .await;
        Ok(answer
            .map_err(refusal)?
            .into_inner()
            .withdrawal
            .expect("a withdrawal"))
    }

    /// Decides a withdrawal.
    pub async fn decide(
        &self,
        caller: &Caller,
        id: &str,
        decision: proto::WithdrawalDecision,
        reason: &str,
    ) -> Result<proto::Withdrawal, Refusal> {
        let message = proto::DecideWithdrawalRequest {
            withdrawal_id: id.to_owned(),
            decision: decision.into(),
            reason: reason.to_owned(),
        };
        let answer = self
            .admin()
            .decide_withdrawal(outgoing(caller, message, CALL_LIMIT))
            .await;
        Ok(answer
            .map_err(refusal)?
            .into_inner()
            .withdrawal
            .expect("a withdrawal"))
    }

    pub async fn property(&self, user: Uuid) -> proto::Property {
        let request = outgoing(
            &Caller::user(UserId(user)),
            proto::GetPropertyRequest {},
            CALL_LIMIT,
        );
        self.wallet()
            .get_property(request)
            .await
            .expect("figures")
            .into_inner()
            .property
            .expect("figures")
    }

    pub async fn flow(
        &self,
        caller: &Caller,
        request: proto::ListFlowRequest,
    ) -> Result<proto::ListFlowResponse, Refusal> {
        let answer = self
            .wallet()
            .list_flow(outgoing(caller, request, CALL_LIMIT))
            .await
            .map_err(refusal)?;
        Ok(answer.into_inner())
    }

    /// All lines of a user, newest first, by pages.
    pub async fn all_flow(&self, user: Uuid) -> Vec<proto::FlowEntry> {
        let caller = Caller::user(UserId(user));
        let mut lines = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = Some(adfolio_proto::common::v1::PageRequest { cursor, limit: 100 });
            let answer = self
                .flow(
                    &caller,
                    proto::ListFlowRequest {
                        page,
                        ..Default::default()
                    },
                )
                .await
                .expect("a page");
            lines.extend(answer.items);
            if answer.next_cursor.is_empty() {
                return lines;
            }
            cursor = answer.next_cursor;
        }
    }

    pub async fn reconcile(&self) -> proto::ReconcileResponse {
        let request = outgoing(&finance(), proto::ReconcileRequest {}, CALL_LIMIT);
        self.admin()
            .reconcile(request)
            .await
            .expect("a proof")
            .into_inner()
    }

    pub async fn verify(&self, user: Option<Uuid>) -> proto::VerifyChainsResponse {
        let user_id = user.map(|id| id.to_string()).unwrap_or_default();
        let request = outgoing(
            &finance(),
            proto::VerifyChainsRequest { user_id },
            CALL_LIMIT,
        );
        self.admin()
            .verify_chains(request)
            .await
            .expect("a verification")
            .into_inner()
    }

    /// Lets plan and coupon say what the ledger says.
    pub async fn mirror_books(&self) {
        let holds: Vec<(Uuid, i64)> = sqlx::query_as(
            "SELECT order_id, paid + discount - consumed - paid_returned - discount_returned FROM holds",
        )
        .fetch_all(&self.pool())
        .await
        .expect("holds");
        let redeemed: i64 = sqlx::query_scalar(
            "SELECT coalesce(sum(discount), 0)::bigint FROM holds WHERE state <> 'released'",
        )
        .fetch_one(&self.pool())
        .await
        .expect("coupons");
        let mut books = self.books.lock().expect("books");
        books.holds = holds
            .into_iter()
            .filter(|(_, open)| *open > 0)
            .map(|(id, open)| (id, (open, false)))
            .collect();
        books.redeemed = (redeemed, 0);
    }

    /// Names of the checks that fail.
    pub async fn failed_checks(&self) -> Vec<String> {
        self.mirror_books().await;
        let failed = self
            .reconcile()
            .await
            .checks
            .into_iter()
            .filter(|check| !check.ok);
        failed.map(|check| check.name).collect()
    }

    /// The books balance and every chain verifies.
    pub async fn assert_books_balance(&self) {
        self.mirror_books().await;
        let failed: Vec<_> = self
            .reconcile()
            .await
            .checks
            .into_iter()
            .filter(|check| !check.ok)
            .collect();
        assert!(failed.is_empty(), "{failed:?}");
        let verified = self.verify(None).await;
        assert!(verified.broken.is_empty(), "{:?}", verified.broken);
    }
}

async fn run(config: &WalletConfig, clock: Clock) -> RunningService {
    let config = config.clone();
    spawn_service(|listener, shutdown| adfolio_wallet::run_at(config, listener, shutdown, clock))
        .await
}

/// A transaction password that is not weak.
pub const PIN: &str = "246810";

/// A posting of staff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StaffPosting {
    Deposit,
    Chargeback,
    Deduction,
    Membership,
    Grant,
    Return,
}

/// The MD5 of a transaction password, as the browser sends it.
pub fn md5(digits: &str) -> String {
    use md5::Digest as _;
    hex::encode(md5::Md5::digest(digits))
}

/// A bank card with this account.
pub fn card(account: &str) -> proto::destination::Kind {
    proto::destination::Kind::BankCard(proto::BankCard {
        card_name: "First Bank".into(),
        user_name: "Ada Lovelace".into(),
        mobile: "+4915112345678".into(),
        bank_account: account.into(),
        branch_name: "Main Street".into(),
    })
}

/// A wallet address.
pub fn address(text: &str) -> proto::destination::Kind {
    proto::destination::Kind::WalletAddress(proto::WalletAddress {
        network: "TRC20".into(),
        address: text.into(),
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

#[allow(clippy::needless_pass_by_value, reason = "goes into map_err")]
pub fn refusal(status: Status) -> Refusal {
    Refusal::from_status(&status).unwrap_or_else(|| panic!("not a refusal: {status:?}"))
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

/// The calls that other services make.
#[derive(Clone)]
pub struct Ledger(pub LedgerServiceClient<Channel>);

impl Ledger {
    pub async fn hold(
        &self,
        user: Uuid,
        order: Uuid,
        paid: i64,
        discount: i64,
    ) -> Result<proto::Property, Refusal> {
        let message = proto::HoldRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
            paid_minor: paid,
            discount_minor: discount,
        };
        let answer = self
            .0
            .clone()
            .hold(outgoing(&Caller::system(), message, CALL_LIMIT))
            .await
            .map_err(refusal)?;
        Ok(answer.into_inner().property.expect("figures"))
    }

    pub async fn release(&self, user: Uuid, order: Uuid) -> Result<(i64, i64), Refusal> {
        let message = proto::ReleaseRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
        };
        let answer = self
            .0
            .clone()
            .release(outgoing(&Caller::system(), message, CALL_LIMIT))
            .await
            .map_err(refusal)?;
        let answer = answer.into_inner();
        Ok((answer.paid_returned_minor, answer.discount_returned_minor))
    }

    pub async fn record(
        &self,
        user: Uuid,
        order: Uuid,
        version: i64,
        consumed: i64,
        revenue: i64,
    ) -> Result<i64, Refusal> {
        let message = proto::RecordDeliveryRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
            version,
            consumed_total_minor: consumed,
            revenue_total_minor: revenue,
        };
        let request = outgoing(&Caller::system(), message, CALL_LIMIT);
        Ok(self
            .0
            .clone()
            .record_delivery(request)
            .await
            .map_err(refusal)?
            .into_inner()
            .version)
    }

    pub async fn settle(
        &self,
        user: Uuid,
        order: Uuid,
        consumed: i64,
        revenue: i64,
        share: i64,
    ) -> Result<(i64, i64), Refusal> {
        let message = proto::SettleRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
            consumed_total_minor: consumed,
            revenue_total_minor: revenue,
            platform_share_minor: share,
        };
        let answer = self
            .0
            .clone()
            .settle(outgoing(&Caller::system(), message, CALL_LIMIT))
            .await
            .map_err(refusal)?;
        let answer = answer.into_inner();
        Ok((answer.paid_out_minor, answer.paid_returned_minor))
    }

    pub async fn exchange(
        &self,
        user: Uuid,
        exchange: Uuid,
        step: proto::ExchangeStep,
        minor: i64,
    ) -> Result<proto::Property, Refusal> {
        let message = proto::PostExchangeRequest {
            exchange_id: exchange.to_string(),
            user_id: user.to_string(),
            step: step.into(),
            amount_minor: minor,
        };
        let request = outgoing(&Caller::system(), message, CALL_LIMIT);
        let answer = self.0.clone().post_exchange(request).await;
        Ok(answer
            .map_err(refusal)?
            .into_inner()
            .property
            .expect("figures"))
    }

    pub async fn order_flow(&self, user: Uuid, order: Uuid) -> Vec<proto::FlowEntry> {
        let message = proto::ListOrderFlowRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
        };
        let request = outgoing(&Caller::system(), message, CALL_LIMIT);
        self.0
            .clone()
            .list_order_flow(request)
            .await
            .expect("lines")
            .into_inner()
            .items
    }
}
