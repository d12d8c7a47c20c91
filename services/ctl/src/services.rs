//! The services and how they are called.

use std::time::Duration;

use adfolio_kit::client::{self, Channel, ClientOptions};
use adfolio_kit::config::TlsArgs;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::{Caller, IdempotencyKey, StaffRole, UserId};
use adfolio_kit::refusal::Refusal;
use adfolio_proto::acceptor::v1::acceptor_admin_service_client::AcceptorAdminServiceClient;
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::coupon::v1::coupon_admin_service_client::CouponAdminServiceClient;
use adfolio_proto::coupon::v1::coupon_service_client::CouponServiceClient;
use adfolio_proto::notification::v1::notification_admin_service_client::NotificationAdminServiceClient;
use adfolio_proto::notification::v1::notification_service_client::NotificationServiceClient;
use adfolio_proto::plan::v1::plan_admin_service_client::PlanAdminServiceClient;
use adfolio_proto::plan::v1::plan_service_client::PlanServiceClient;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::wallet_service_client::WalletServiceClient;
use anyhow::anyhow;
use clap::Args;
use nix::unistd::{Uid, User};
use tonic::Status;
use uuid::Uuid;

use crate::output::Format;

/// As whom adfolioctl acts: fixed, so that what it did can be told from what people did.
const OPERATOR: Uuid = Uuid::from_u128(0x00ad_f011_0000_7000_8000_0000_0000_0001);

/// Rows of a page.
const PAGE_LIMIT: u32 = 100;

/// The limit of an ordinary call.
pub const CALL_LIMIT: Duration = Duration::from_secs(10);

/// Where the services listen.
#[derive(Args, Debug)]
#[allow(
    clippy::struct_field_names,
    reason = "fields are named like their flags and variables"
)]
#[command(next_help_heading = "Addresses of the services")]
pub struct Addresses {
    /// Address of auth
    #[arg(
        long,
        env = "AUTH_URL",
        default_value = "http://127.0.0.1:8201",
        global = true
    )]
    auth_url: String,
    /// Address of plan
    #[arg(
        long,
        env = "PLAN_URL",
        default_value = "http://127.0.0.1:8202",
        global = true
    )]
    plan_url: String,
    /// Address of wallet
    #[arg(
        long,
        env = "WALLET_URL",
        default_value = "http://127.0.0.1:8203",
        global = true
    )]
    wallet_url: String,
    /// Address of coupon
    #[arg(
        long,
        env = "COUPON_URL",
        default_value = "http://127.0.0.1:8204",
        global = true
    )]
    coupon_url: String,
    /// Address of notification
    #[arg(
        long,
        env = "NOTIFICATION_URL",
        default_value = "http://127.0.0.1:8205",
        global = true
    )]
    notification_url: String,
    /// Address of acceptor
    #[arg(
        long,
        env = "ACCEPTOR_URL",
        default_value = "http://127.0.0.1:8206",
        global = true
    )]
    acceptor_url: String,
    #[command(flatten)]
    tls: TlsArgs,
}

/// A client for each service. Nothing is connected before the first call.
#[derive(Clone, Debug)]
pub struct Services {
    /// What users do at auth.
    pub auth: AuthServiceClient<Channel>,
    /// What staff do at auth.
    pub auth_admin: AuthAdminServiceClient<Channel>,
    /// What users do at plan.
    pub plan: PlanServiceClient<Channel>,
    /// What staff do at plan.
    pub plan_admin: PlanAdminServiceClient<Channel>,
    /// What users do at wallet.
    pub wallet: WalletServiceClient<Channel>,
    /// What staff do at wallet.
    pub wallet_admin: WalletAdminServiceClient<Channel>,
    /// What users do at coupon.
    pub coupon: CouponServiceClient<Channel>,
    /// What staff do at coupon.
    pub coupon_admin: CouponAdminServiceClient<Channel>,
    /// What users do at notification.
    pub notification: NotificationServiceClient<Channel>,
    /// What staff do at notification.
    pub notification_admin: NotificationAdminServiceClient<Channel>,
    /// What staff do at acceptor.
    pub acceptor_admin: AcceptorAdminServiceClient<Channel>,
}

impl Services {
    /// Clients for these addresses.
    pub fn connect(addresses: &Addresses) -> anyhow::Result<Self> {
        let tls = addresses.tls.load()?;
        let open = |service, url: &str| {
            client::connect_to(service, url, ClientOptions::default(), tls.as_ref())
        };
        let auth = open("auth", &addresses.auth_url)?;
        let plan = open("plan", &addresses.plan_url)?;
        let coupon = open("coupon", &addresses.coupon_url)?;
        let wallet = open("wallet", &addresses.wallet_url)?;
        let notification = open("notification", &addresses.notification_url)?;
        let acceptor = open("acceptor", &addresses.acceptor_url)?;
        Ok(Self {
            auth: AuthServiceClient::new(auth.clone()),
            auth_admin: AuthAdminServiceClient::new(auth),
            plan: PlanServiceClient::new(plan.clone()),
            plan_admin: PlanAdminServiceClient::new(plan),
            wallet: WalletServiceClient::new(wallet.clone()),
            wallet_admin: WalletAdminServiceClient::new(wallet),
            coupon: CouponServiceClient::new(coupon.clone()),
            coupon_admin: CouponAdminServiceClient::new(coupon),
            notification: NotificationServiceClient::new(notification.clone()),
            notification_admin: NotificationAdminServiceClient::new(notification),
            acceptor_admin: AcceptorAdminServiceClient::new(acceptor),
        })
    }
}

/// adfolioctl itself, as staff, with time for an ordinary call.
pub fn operator() -> Caller {
    operator_within(CALL_LIMIT)
}

/// adfolioctl itself, with more time. All of it has one staff id, so the person at the machine is named where reasons are.
pub fn operator_within(limit: Duration) -> Caller {
    Caller {
        deadline: Deadline::after(limit),
        reason: person(),
        ..Caller::staff(OPERATOR, StaffRole::Admin)
    }
}

/// Who runs this program, by the machine's own account of it.
fn person() -> String {
    let id = Uid::current();
    let name = match User::from_uid(id) {
        Ok(Some(user)) => user.name,
        _ => id.to_string(),
    };
    format!("adfolioctl, run by {name}")
}

/// Why something is changed, and how the answer is printed
#[derive(Args, Debug)]
pub struct Change {
    /// Why; kept in the audit log
    #[arg(long, default_value = "")]
    reason: String,
    /// The same command with the same key is carried out once; random by default
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<IdempotencyKey>,
    #[command(flatten)]
    pub format: Format,
}

impl Change {
    /// adfolioctl with the reason, and a key so that a call may be tried again.
    pub fn caller(&self) -> anyhow::Result<Caller> {
        let caller = Caller {
            reason: self.signed_reason(),
            ..operator()
        };
        match &self.idempotency_key {
            Some(key) => Ok(caller.with_key(Some(key.clone()))),
            None => keyed(caller, &Uuid::now_v7().to_string()),
        }
    }

    /// The reason as it was given.
    pub fn reason(&self) -> String {
        self.reason.clone()
    }

    /// The reason with the name of who gave it; not for users' eyes.
    pub fn signed_reason(&self) -> String {
        if self.reason.is_empty() {
            person()
        } else {
            format!("{} ({})", self.reason, person())
        }
    }
}

/// Part of a list, and how it is printed
#[derive(Args, Clone, Copy, Debug)]
pub struct Listing {
    /// Show at most this many, newest first
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max: u32,
    #[command(flatten)]
    pub format: Format,
}

impl Listing {
    /// As many items as were asked for, page by page.
    pub async fn items<T, F, Fut>(self, mut page: F) -> anyhow::Result<Vec<T>>
    where
        F: FnMut(PageRequest) -> Fut,
        Fut: Future<Output = Result<(Vec<T>, String), Status>>,
    {
        let (mut items, mut cursor) = (Vec::new(), String::new());
        let mut left = self.max;
        while left > 0 {
            let limit = left.min(PAGE_LIMIT);
            let request = PageRequest { cursor, limit };
            let (more, next) = page(request).await.map_err(|status| explain(&status))?;
            items.extend(more);
            if next.is_empty() {
                break;
            }
            cursor = next;
            left = left.saturating_sub(limit);
        }
        Ok(items)
    }
}

/// A user on whose behalf a call is made.
pub fn on_behalf_of(user: Uuid) -> Caller {
    Caller {
        deadline: Deadline::after(CALL_LIMIT),
        ..Caller::user(UserId(user))
    }
}

/// The same caller with a key that makes a repeated call one call.
pub fn keyed(caller: Caller, key: &str) -> anyhow::Result<Caller> {
    let key: IdempotencyKey = key
        .parse()
        .map_err(|_| anyhow!("{key:?} is no idempotency key"))?;
    Ok(caller.with_key(Some(key)))
}

/// Calls a method of a service as `caller` and answers the message, or the status. A service that is not there at the
/// moment is asked again, so a method that changes something is only called with a key or where a repeat changes nothing.
macro_rules! ask {
    ($client:expr, $method:ident, $caller:expr, $message:expr) => {{
        let (caller, message) = ($caller, $message);
        let policy = adfolio_kit::client::RetryPolicy::within(caller.deadline);
        let answer = adfolio_kit::client::call_with_retry(policy, || {
            let mut client = $client.clone();
            let limit = caller.deadline.remaining();
            let request = adfolio_kit::client::outgoing(&caller, message.clone(), limit);
            async move { client.$method(request).await }
        });
        answer.await.map(tonic::Response::into_inner)
    }};
}

pub(crate) use ask;

/// Like `ask!`, and ends the command with what a refusal means.
macro_rules! order {
    ($client:expr, $method:ident, $caller:expr, $message:expr) => {
        $crate::services::ask!($client, $method, $caller, $message)
            .map_err(|status| $crate::services::explain(&status))?
    };
}

pub(crate) use order;

/// Says to a person what a status means.
pub fn explain(status: &Status) -> anyhow::Error {
    let Some(refusal) = Refusal::from_status(status) else {
        return anyhow!("{}: {}", status.code(), status.message());
    };
    let field = refusal
        .field
        .map(|field| format!(" of {field}"))
        .unwrap_or_default();
    let detail = refusal
        .detail
        .map(|detail| format!(": {detail}"))
        .unwrap_or_default();
    anyhow!("refused with {}{field}{detail}", refusal.reason)
}
