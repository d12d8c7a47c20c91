//! The services, and calls to them.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use adfolio_kit::client::{self, Channel, ClientOptions};
use adfolio_kit::config::TlsArgs;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::{Caller, IdempotencyKey, Session, StaffRole, UserId};
use adfolio_kit::refusal::Refusal;
use adfolio_proto::acceptor::v1::acceptor_admin_service_client::AcceptorAdminServiceClient;
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::coupon::v1::coupon_admin_service_client::CouponAdminServiceClient;
use adfolio_proto::coupon::v1::coupon_service_client::CouponServiceClient;
use adfolio_proto::notification::v1::notification_admin_service_client::NotificationAdminServiceClient;
use adfolio_proto::notification::v1::notification_service_client::NotificationServiceClient;
use adfolio_proto::plan::v1::placement_admin_service_client::PlacementAdminServiceClient;
use adfolio_proto::plan::v1::plan_admin_service_client::PlanAdminServiceClient;
use adfolio_proto::plan::v1::plan_service_client::PlanServiceClient;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::wallet_service_client::WalletServiceClient;
use anyhow::anyhow;
use chrono::Utc;
use clap::Args;
use nix::unistd::{Uid, User};
use tonic::{Code, Status};
use uuid::Uuid;

use crate::output::{Format, Row};

/// The staff id of adfolioctl. It is fixed, so that its actions can be distinguished from those of people.
const OPERATOR: Uuid = Uuid::from_u128(0x00ad_f011_0000_7000_8000_0000_0000_0001);

/// Items per page.
const PAGE_LIMIT: u32 = 100;

/// Limit of an ordinary call.
pub const CALL_LIMIT: Duration = Duration::from_secs(10);

/// The addresses of the services.
#[derive(Args, Debug)]
#[allow(
    clippy::struct_field_names,
    reason = "fields are named like their flags and variables"
)]
#[command(next_help_heading = "Addresses of the services")]
pub struct Addresses {
    /// Address of auth; port 8201 of this machine by default
    #[arg(long, env = "AUTH_URL", global = true)]
    auth_url: Option<String>,
    /// Address of plan; port 8202 of this machine by default
    #[arg(long, env = "PLAN_URL", global = true)]
    plan_url: Option<String>,
    /// Address of wallet; port 8203 of this machine by default
    #[arg(long, env = "WALLET_URL", global = true)]
    wallet_url: Option<String>,
    /// Address of coupon; port 8204 of this machine by default
    #[arg(long, env = "COUPON_URL", global = true)]
    coupon_url: Option<String>,
    /// Address of notification; port 8205 of this machine by default
    #[arg(long, env = "NOTIFICATION_URL", global = true)]
    notification_url: Option<String>,
    /// Address of acceptor; port 8206 of this machine by default
    #[arg(long, env = "ACCEPTOR_URL", global = true)]
    acceptor_url: Option<String>,
    /// Data folder of a stack on this machine, whose certificate for adfolioctl is used where neither addresses nor
    /// certificates are given
    #[arg(long, env = "ADFOLIO_DATA", default_value = ".data", global = true)]
    data: PathBuf,
    #[command(flatten)]
    tls: TlsArgs,
}

impl Addresses {
    /// The certificates: those given, or those that `make up` made for adfolioctl.
    fn tls_args(&self) -> TlsArgs {
        let given = [
            &self.auth_url,
            &self.plan_url,
            &self.wallet_url,
            &self.coupon_url,
            &self.notification_url,
            &self.acceptor_url,
        ];
        let secrets = self.data.join("secrets");
        let local = TlsArgs {
            tls_cert_file: Some(secrets.join("tls-adfolioctl.pem")),
            tls_key_file: Some(secrets.join("tls-adfolioctl.key")),
            tls_ca_file: Some(secrets.join("tls-ca.pem")),
        };
        let is_nothing_given = given.into_iter().all(Option::is_none)
            && self.tls.tls_cert_file.is_none()
            && self.tls.tls_key_file.is_none()
            && self.tls.tls_ca_file.is_none();
        let is_there = local
            .tls_cert_file
            .as_ref()
            .is_some_and(|file| file.exists());
        if is_nothing_given && is_there {
            local
        } else {
            self.tls.clone()
        }
    }
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
    /// Networks and placements.
    pub placement_admin: PlacementAdminServiceClient<Channel>,
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
        let tls = addresses.tls_args().load()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let open = |service, given: Option<&str>, port: u16| {
            let here = format!("{scheme}://127.0.0.1:{port}");
            let url = given.unwrap_or(&here);
            client::connect_to(service, url, ClientOptions::default(), tls.as_ref())
        };
        let auth = open("auth", addresses.auth_url.as_deref(), 8201)?;
        let plan = open("plan", addresses.plan_url.as_deref(), 8202)?;
        let coupon = open("coupon", addresses.coupon_url.as_deref(), 8204)?;
        let wallet = open("wallet", addresses.wallet_url.as_deref(), 8203)?;
        let notification = open("notification", addresses.notification_url.as_deref(), 8205)?;
        let acceptor = open("acceptor", addresses.acceptor_url.as_deref(), 8206)?;
        Ok(Self {
            auth: AuthServiceClient::new(auth.clone()),
            auth_admin: AuthAdminServiceClient::new(auth),
            plan: PlanServiceClient::new(plan.clone()),
            plan_admin: PlanAdminServiceClient::new(plan.clone()),
            placement_admin: PlacementAdminServiceClient::new(plan),
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

/// adfolioctl as a member of staff, with the limit of an ordinary call.
pub fn operator() -> Caller {
    operator_within(CALL_LIMIT)
}

/// adfolioctl with another limit. All its calls have one staff id, so the reason names the person at the machine.
pub fn operator_within(limit: Duration) -> Caller {
    Caller {
        deadline: Deadline::after(limit),
        reason: person(),
        ..Caller::staff(OPERATOR, StaffRole::Admin)
    }
}

/// A member of staff whom adfolioctl acts for, an admin.
pub fn member(staff_id: Uuid) -> Caller {
    Caller {
        deadline: Deadline::after(CALL_LIMIT),
        reason: person(),
        ..Caller::staff(staff_id, StaffRole::Admin)
    }
}

/// The user who runs this program, by their account on this machine.
fn person() -> String {
    let id = Uid::current();
    let name = match User::from_uid(id) {
        Ok(Some(user)) => user.name,
        _ => id.to_string(),
    };
    format!("adfolioctl, run by {name}")
}

/// Reason and idempotency key of a change, and output format
#[derive(Args, Debug)]
pub struct Change {
    /// Reason, stored in the audit log
    #[arg(long, default_value = "")]
    reason: String,
    /// Idempotency key: the same command with the same key runs once; random by default
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<IdempotencyKey>,
    #[command(flatten)]
    pub format: Format,
}

impl Change {
    /// adfolioctl with the reason, and with a key so that calls may be repeated.
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

    /// The reason, as given.
    pub fn reason(&self) -> String {
        self.reason.clone()
    }

    /// The reason with the name of the person; not for users.
    pub fn signed_reason(&self) -> String {
        if self.reason.is_empty() {
            person()
        } else {
            format!("{} ({})", self.reason, person())
        }
    }
}

/// Required reason and idempotency key of a change, and output format
#[derive(Args, Debug)]
pub struct ReasonedChange {
    /// Reason, stored in the audit log
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    reason: String,
    /// Idempotency key: the same command with the same key runs once; random by default
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<IdempotencyKey>,
    #[command(flatten)]
    pub format: Format,
}

impl ReasonedChange {
    /// adfolioctl with the reason, and with a key so that calls may be repeated.
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

    /// The reason with the name of the person; not for users.
    pub fn signed_reason(&self) -> String {
        format!("{} ({})", self.reason, person())
    }
}

/// Length of a list, and output format
#[derive(Args, Clone, Copy, Debug)]
pub struct Listing {
    /// Maximum number of items, newest first
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max: u32,
    #[command(flatten)]
    pub format: Format,
}

impl Listing {
    /// Prints the items, one per row.
    pub fn print<T>(self, items: &[T], row: impl Fn(&T) -> Row) {
        self.format.list(items.iter().map(row).collect());
    }
}

/// Whose items to list
#[derive(Args, Clone, Debug)]
pub struct UserListing {
    /// Only those of this user
    #[arg(long, default_value = "")]
    pub user: String,
    #[command(flatten)]
    pub listing: Listing,
}

/// A caller on behalf of a user, as in the session that registered the account.
pub fn on_behalf_of(user: Uuid) -> Caller {
    let now = Utc::now();
    let session = Session {
        opened_at: now,
        fresh_until: now + CALL_LIMIT,
        is_registration: true,
    };
    Caller {
        deadline: Deadline::after(CALL_LIMIT),
        ..Caller::user(UserId(user)).in_session(session)
    }
}

/// The caller with an idempotency key.
pub fn keyed(caller: Caller, key: &str) -> anyhow::Result<Caller> {
    let key: IdempotencyKey = key
        .parse()
        .map_err(|_| anyhow!("{key:?} is no idempotency key"))?;
    Ok(caller.with_key(Some(key)))
}

/// Calls a method of a service as `caller`, whose deadline bounds the call. The call is repeated while the service is
/// unavailable, so a method that changes something needs a key, or must be idempotent.
macro_rules! ask {
    ($client:expr, $method:ident, $caller:expr, $message:expr) => {{
        let caller = $caller;
        let limit = caller.deadline.remaining();
        let call = adfolio_kit::client::Call::repeated(&caller, limit);
        let answer = adfolio_kit::call!($client, $method, $message, call);
        answer.await.map_err($crate::services::CallError::from)
    }};
}

/// Up to `$max` items of a list, newest first, fetched page by page. `$message` is the request; its `page` is filled in.
macro_rules! list {
    ($client:expr, $method:ident, $caller:expr, $message:expr, $max:expr) => {
        $crate::services::items($max, |page| {
            let mut message = $message.clone();
            message.page = Some(page);
            async move {
                let answer = $crate::services::ask!($client, $method, $caller, message)?;
                Ok((answer.items, answer.next_cursor))
            }
        })
    };
}

pub(crate) use {ask, list};

/// Up to `max` items, of which `page` fetches a page and the cursor of the next one.
pub async fn items<T, F, Fut>(max: u32, mut page: F) -> Result<Vec<T>, CallError>
where
    F: FnMut(PageRequest) -> Fut,
    Fut: Future<Output = Result<(Vec<T>, String), CallError>>,
{
    let (mut items, mut cursor) = (Vec::new(), String::new());
    let mut left = max;
    while left > 0 {
        let limit = left.min(PAGE_LIMIT);
        let (more, next) = page(PageRequest { cursor, limit }).await?;
        items.extend(more);
        if next.is_empty() {
            break;
        }
        cursor = next;
        left = left.saturating_sub(limit);
    }
    Ok(items)
}

/// A failed call. Its text is for the person at the terminal.
#[derive(Debug)]
pub struct CallError(Status);

impl CallError {
    /// The refusal, if the service answered with one.
    pub fn refusal(&self) -> Option<Refusal> {
        Refusal::from_status(&self.0)
    }

    /// Whether the service could not be reached in time.
    pub fn is_absence(&self) -> bool {
        matches!(self.0.code(), Code::Unavailable | Code::DeadlineExceeded)
    }
}

impl From<Status> for CallError {
    fn from(status: Status) -> Self {
        Self(status)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(refusal) = self.refusal() else {
            return write!(formatter, "{}: {}", self.0.code(), self.0.message());
        };
        write!(formatter, "refused with {}", refusal.reason)?;
        if let Some(field) = refusal.field {
            write!(formatter, " of {field}")?;
        }
        if let Some(rule) = refusal.rule {
            write!(formatter, " ({})", rule.as_str())?;
        }
        if let Some(detail) = refusal.detail {
            write!(formatter, ": {detail}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CallError {}
