//! Which events make notices and mails, and with which template.

use adfolio_kit::consumer::HandlerError;
use adfolio_kit::outbox::CloudEvent;
use adfolio_money::Money;
use adfolio_proto::events::v1::{
    ContactChanged, CouponGranted, DepositCredited, EmailCodeRequested, ExchangeStatusChanged,
    NewClientLoggedIn, PasswordChanged, PlanStatusChanged, StaffActed, StaffPostingMade,
    WalletSecurityChanged, WithdrawalStatusChanged,
};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::mail::Kept;
use crate::text::{Param, Params, Template};

/// The reason of a plan that ended because nobody placed it.
const EXPIRED: &str = "EXPIRED";

/// Acts of staff on an account that its user is mailed.
const TOLD_STAFF_ACTS: [&str; 4] = [
    "auth.set_user_state",
    "auth.set_user_profile",
    "auth.create_host_token",
    "auth.unlock_user_login",
];

/// A happening worth a notice or a mail.
pub struct Happening {
    pub user: String,
    pub template: Template,
    pub params: Params,
    /// What it is about: one happening, one notice.
    pub source_key: String,
    /// What auth keeps for its mail.
    pub kept: Option<Kept>,
    /// When it happened, if the event's own time is not it.
    pub time: Option<DateTime<Utc>>,
    /// From then on its mail is of no use.
    pub useless_at: Option<DateTime<Utc>>,
}

impl Happening {
    /// What an event tells a person, if anything.
    pub fn of(event: &CloudEvent) -> Result<Vec<Self>, HandlerError> {
        let kind = event.event_type.strip_prefix("adfolio.");
        let one = match kind.unwrap_or_default() {
            "auth.v1.ContactChanged" => return of_contact(event, &event.data()?),
            "auth.v1.EmailCodeRequested" => Some(of_email_code(event.data()?)?),
            "auth.v1.NewClientLoggedIn" => Some(of_new_client(event, event.data()?)),
            "auth.v1.StaffActed" => of_staff(event, event.data()?),
            "auth.v1.PasswordChanged" => Some(of_password(event, event.data()?)),
            "wallet.v1.DepositCredited" => Some(of_deposit(event.data()?)),
            "wallet.v1.StaffPostingMade" => of_staff_posting(event.data()?),
            "wallet.v1.WithdrawalStatusChanged" => of_withdrawal(event.data()?),
            "wallet.v1.WalletSecurityChanged" => of_security(event, event.data()?),
            "plan.v1.PlanStatusChanged" => of_plan(event.data()?),
            "coupon.v1.CouponGranted" => Some(of_coupon(event.data()?)),
            "acceptor.v1.ExchangeStatusChanged" => of_exchange(event.data()?),
            _ => None,
        };
        Ok(one.into_iter().collect())
    }
}

/// A contact is changed again and again, so it is the event that makes the happening. The former address is
/// mailed, too: its holder may not be the person who changed it.
fn of_contact(
    event: &CloudEvent,
    changed: &ContactChanged,
) -> Result<Vec<Happening>, HandlerError> {
    let happening = |template, what: &str| Happening {
        user: changed.user_id.clone(),
        template,
        params: Params::new(),
        source_key: format!("contact:{}:{what}", event.id),
        kept: None,
        useless_at: None,
        time: None,
    };
    let mut happenings = Vec::new();
    if changed.email {
        happenings.push(happening(Template::EmailChanged, "email"));
        if !changed.former_email_id.is_empty() {
            let former = auth_id(&changed.former_email_id)?;
            happenings.push(Happening {
                kept: Some(Kept::FormerEmail(former)),
                ..happening(Template::EmailChanged, "former_email")
            });
        }
    }
    if changed.phone {
        happenings.push(happening(Template::PhoneChanged, "phone"));
    }
    Ok(happenings)
}

/// The mail gets its code when it is sent.
fn of_email_code(requested: EmailCodeRequested) -> Result<Happening, HandlerError> {
    Ok(Happening {
        user: requested.user_id,
        template: Template::EmailCode,
        params: Params::new(),
        source_key: format!("email_code:{}", requested.email_code_id),
        kept: Some(Kept::EmailCode(auth_id(&requested.email_code_id)?)),
        time: None,
        useless_at: requested.valid_until.and_then(|time| time.try_into().ok()),
    })
}

fn of_new_client(event: &CloudEvent, login: NewClientLoggedIn) -> Happening {
    Happening {
        user: login.user_id,
        template: Template::NewClientLoggedIn,
        params: Params::new(),
        source_key: format!("new_client:{}", event.id),
        kept: None,
        useless_at: None,
        time: None,
    }
}

/// What staff do to an account itself. What they do to its money and passwords has events of its own.
fn of_staff(event: &CloudEvent, acted: StaffActed) -> Option<Happening> {
    let is_told = TOLD_STAFF_ACTS.contains(&acted.action.as_str());
    (is_told && !acted.user_id.is_empty()).then(|| Happening {
        user: acted.user_id,
        template: Template::ChangedByStaff,
        params: Params::new(),
        source_key: format!("staff:{}", event.id),
        kept: None,
        useless_at: None,
        time: acted.time.and_then(|time| time.try_into().ok()),
    })
}

/// Passwords are changed again and again, so it is the event that makes the happening.
fn of_password(event: &CloudEvent, changed: PasswordChanged) -> Happening {
    Happening {
        user: changed.user_id,
        template: Template::PasswordChanged,
        params: Params::new(),
        kept: None,
        useless_at: None,
        source_key: format!("password:{}", event.id),
        time: None,
    }
}

fn of_deposit(deposit: DepositCredited) -> Happening {
    Happening {
        user: deposit.user_id,
        template: Template::DepositCredited,
        params: params([("amount", money(deposit.amount_minor))]),
        kept: None,
        useless_at: None,
        source_key: format!("deposit:{}", deposit.transaction_id),
        time: deposit.time.and_then(|time| time.try_into().ok()),
    }
}

fn of_staff_posting(posting: StaffPostingMade) -> Option<Happening> {
    let template = match posting.r#type.as_str() {
        "chargeback" => Template::Chargeback,
        "recharge_deduction" => Template::RechargeDeduction,
        "membership" => Template::Membership,
        "start_up_grant" => Template::StartUpGrant,
        "start_up_return" => Template::StartUpReturn,
        "guarantee_deposit" => Template::GuaranteeDeposit,
        "guarantee_return" => Template::GuaranteeReturn,
        _ => return None,
    };
    Some(Happening {
        user: posting.user_id,
        template,
        params: params([("amount", money(posting.amount_minor))]),
        kept: None,
        useless_at: None,
        source_key: format!("posting:{}", posting.transaction_id),
        time: posting.time.and_then(|time| time.try_into().ok()),
    })
}

fn of_withdrawal(change: WithdrawalStatusChanged) -> Option<Happening> {
    let amount = ("amount", money(change.amount_minor));
    let (template, params) = match (change.status.as_str(), change.reason.as_str()) {
        ("paid", _) => {
            let fee = ("fee", money(change.fee_minor));
            (Template::WithdrawalPaid, params([amount, fee]))
        }
        ("pending", _) => (Template::WithdrawalRequested, params([amount])),
        ("rejected", "") => (Template::WithdrawalRejected, params([amount])),
        ("rejected", reason) => (
            Template::WithdrawalRejectedWithReason,
            params([amount, ("reason", text(reason))]),
        ),
        _ => return None,
    };
    Some(Happening {
        kept: None,
        useless_at: None,
        source_key: format!("withdrawal:{}:{}", change.withdrawal_id, change.status),
        user: change.user_id,
        template,
        params,
        time: None,
    })
}

/// What protects a wallet changes again and again, so it is the event that makes the happening.
fn of_security(event: &CloudEvent, change: WalletSecurityChanged) -> Option<Happening> {
    let template = match change.change.as_str() {
        "pay_password_set" => Template::PayPasswordSet,
        "pay_password_changed" => Template::PayPasswordChanged,
        "pay_password_reset" => Template::PayPasswordReset,
        "pay_password_locked" => Template::PayPasswordLocked,
        "wallet_frozen" => Template::WalletFrozen,
        "wallet_unfrozen" => Template::WalletUnfrozen,
        "bank_card_bound" => Template::BankCardBound,
        "wallet_address_bound" => Template::WalletAddressBound,
        _ => return None,
    };
    Some(Happening {
        user: change.user_id,
        template,
        params: Params::new(),
        kept: None,
        useless_at: None,
        source_key: format!("security:{}", event.id),
        time: None,
    })
}

fn of_plan(change: PlanStatusChanged) -> Option<Happening> {
    let plan_number = ("plan_number", text(&change.plan_number));
    let product = ("product", text(&change.product_name));
    let budget = ("budget", money(change.put_amount_minor));
    let waited = change.from == "waiting";
    let (template, params) = match change.to.as_str() {
        // Later it only waits again, because a put was refused: its user knows.
        "waiting" if change.from.is_empty() => (
            Template::PlanWaiting,
            params([plan_number, product, budget]),
        ),
        "putting" => (
            Template::PlanStarted,
            params([plan_number, product, budget]),
        ),
        "put_finished" => {
            let consumed = ("consumed", money(change.consumed_minor));
            (
                Template::PlanFinished,
                params([plan_number, product, consumed, budget]),
            )
        }
        "settled" => {
            let paid_out = ("paid_out", money(change.paid_out_minor));
            let revenue = ("revenue", money(change.revenue_minor));
            (
                Template::PlanSettled,
                params([plan_number, product, paid_out, revenue]),
            )
        }
        "put_failed" if waited && change.reason == EXPIRED => (
            Template::PlanExpired,
            params([plan_number, product, budget]),
        ),
        "put_failed" => (Template::PlanFailed, params([plan_number, product, budget])),
        _ => return None,
    };
    Some(Happening {
        kept: None,
        useless_at: None,
        source_key: format!("plan:{}:{}", change.plan_id, change.to),
        user: change.user_id,
        template,
        params,
        time: None,
    })
}

fn of_coupon(granted: CouponGranted) -> Happening {
    let mut params = params([("name", text(&granted.name))]);
    let expires: Option<DateTime<Utc>> = granted.expires_at.and_then(|time| time.try_into().ok());
    if let Some(expires) = expires {
        params.insert("expires_on".to_owned(), Param::Date(expires.date_naive()));
    }
    Happening {
        user: granted.user_id,
        template: Template::CouponGranted,
        params,
        kept: None,
        useless_at: None,
        source_key: format!("coupon:{}", granted.coupon_id),
        time: None,
    }
}

fn of_exchange(change: ExchangeStatusChanged) -> Option<Happening> {
    let from_wallet = match change.direction.as_str() {
        "wallet_to_currency" => true,
        "currency_to_wallet" => false,
        _ => return None,
    };
    let reason = !change.reason.is_empty();
    let template = match (change.status.as_str(), from_wallet, reason) {
        ("pending", true, _) => Template::ExchangeRequestedFromWallet,
        ("completed", true, _) => Template::ExchangeCompletedFromWallet,
        ("completed", false, _) => Template::ExchangeCompletedToWallet,
        ("cancelled", true, false) => Template::ExchangeCancelledFromWallet,
        ("cancelled", true, true) => Template::ExchangeCancelledFromWalletWithReason,
        ("cancelled", false, false) => Template::ExchangeCancelledToWallet,
        ("cancelled", false, true) => Template::ExchangeCancelledToWalletWithReason,
        ("expired", true, _) => Template::ExchangeExpiredFromWallet,
        ("expired", false, _) => Template::ExchangeExpiredToWallet,
        _ => return None,
    };
    Some(Happening {
        kept: None,
        useless_at: None,
        source_key: format!("exchange:{}:{}", change.exchange_id, change.status),
        user: change.user_id,
        template,
        params: params([
            ("amount", money(change.amount_minor)),
            ("counter_amount", Param::Decimal(change.counter_amount)),
            ("currency", Param::Text(change.currency)),
            ("reason", Param::Text(change.reason)),
        ]),
        time: None,
    })
}

fn params<const N: usize>(values: [(&str, Param); N]) -> Params {
    values
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn auth_id(id: &str) -> Result<Uuid, HandlerError> {
    id.parse().map_err(HandlerError::permanent)
}

fn money(minor: i64) -> Param {
    Param::Money(Money::from_minor(minor))
}

fn text(text: &str) -> Param {
    Param::Text(text.to_owned())
}
