//! Names, amounts and times, formatted as in the REST contract.

use adfolio_money::Money;
use adfolio_proto::acceptor::v1::{
    AcceptorKind, ExchangeDecision, ExchangeDirection, ExchangeStatus,
};
use adfolio_proto::auth::v1::{Entry, LicenseKeyState, StaffRole, StaffState, UserState};
use adfolio_proto::common::v1::{Gender, WaitingKind};
use adfolio_proto::coupon::v1::{CampaignKind, CampaignState, CouponMode, CouponState, CouponType};
use adfolio_proto::notification::v1::{AnnouncementState, Category, FeedbackState, MailState};
use adfolio_proto::plan::v1::{
    ContentType, FinishOutcome, ImportDecision, ImportState, PlacementGoal, PlanStatus, PriceModel,
    PriceState, PushFilter, QuarantineState, ReportChannel, SupplyState,
};
use adfolio_proto::wallet::v1::{
    ApprovalAction, ApprovalState, FlowType, GuaranteeAction, StartUpFundsAction,
    WithdrawalDecision, WithdrawalMethod, WithdrawalStatus,
};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

/// An enum of the contract whose values have short names: `PLAN_STATUS_PUTTING` is `putting`.
pub trait Named: TryFrom<i32> + Copy {
    /// The prefix of the names in the contract.
    const PREFIX: &'static str;

    /// The value of a name in the contract.
    fn of_name(name: &str) -> Option<Self>;

    /// Its name in the contract.
    fn contract_name(self) -> &'static str;

    /// Whether it is the unspecified value.
    fn is_unspecified(self) -> bool;
}

macro_rules! named {
    ($($type:ty, $prefix:literal;)*) => {$(
        impl Named for $type {
            const PREFIX: &'static str = $prefix;

            fn of_name(name: &str) -> Option<Self> {
                Self::from_str_name(name)
            }

            fn contract_name(self) -> &'static str {
                self.as_str_name()
            }

            fn is_unspecified(self) -> bool {
                i32::from(self) == 0
            }
        }
    )*};
}

named! {
    AcceptorKind, "ACCEPTOR_KIND_";
    AnnouncementState, "ANNOUNCEMENT_STATE_";
    ApprovalAction, "APPROVAL_ACTION_";
    ApprovalState, "APPROVAL_STATE_";
    CampaignKind, "CAMPAIGN_KIND_";
    CampaignState, "CAMPAIGN_STATE_";
    Category, "CATEGORY_";
    ContentType, "CONTENT_TYPE_";
    CouponMode, "COUPON_MODE_";
    CouponState, "COUPON_STATE_";
    CouponType, "COUPON_TYPE_";
    Entry, "ENTRY_";
    ExchangeDecision, "EXCHANGE_DECISION_";
    ExchangeDirection, "EXCHANGE_DIRECTION_";
    ExchangeStatus, "EXCHANGE_STATUS_";
    FeedbackState, "FEEDBACK_STATE_";
    FinishOutcome, "FINISH_OUTCOME_";
    FlowType, "FLOW_TYPE_";
    Gender, "GENDER_";
    GuaranteeAction, "GUARANTEE_ACTION_";
    ImportDecision, "IMPORT_DECISION_";
    ImportState, "IMPORT_STATE_";
    LicenseKeyState, "LICENSE_KEY_STATE_";
    MailState, "MAIL_STATE_";
    PlacementGoal, "PLACEMENT_GOAL_";
    PlanStatus, "PLAN_STATUS_";
    PriceModel, "PRICE_MODEL_";
    PriceState, "PRICE_STATE_";
    PushFilter, "PUSH_FILTER_";
    QuarantineState, "QUARANTINE_STATE_";
    ReportChannel, "REPORT_CHANNEL_";
    StaffRole, "STAFF_ROLE_";
    StaffState, "STAFF_STATE_";
    StartUpFundsAction, "START_UP_FUNDS_ACTION_";
    SupplyState, "SUPPLY_STATE_";
    UserState, "USER_STATE_";
    WaitingKind, "WAITING_KIND_";
    WithdrawalDecision, "WITHDRAWAL_DECISION_";
    WithdrawalMethod, "WITHDRAWAL_METHOD_";
    WithdrawalStatus, "WITHDRAWAL_STATUS_";
}

/// Parses a short name.
pub fn parse<N: Named>(text: &str) -> Result<N, String> {
    let name = format!("{}{}", N::PREFIX, text.to_ascii_uppercase());
    N::of_name(&name)
        .filter(|value| !value.is_unspecified())
        .ok_or_else(|| format!("{text:?} is not known here"))
}

/// The short name of a number; null for the unspecified one.
pub fn name<N: Named>(number: i32) -> Value {
    let named = N::try_from(number)
        .ok()
        .filter(|value| !value.is_unspecified())
        .and_then(|value| value.contract_name().strip_prefix(N::PREFIX));
    named.map_or(Value::Null, |name| json!(name.to_ascii_lowercase()))
}

/// The number of a filter; unspecified, if absent, means all.
pub fn filter<N: Named + Into<i32>>(given: Option<N>) -> i32 {
    given.map_or(0, Into::into)
}

/// An amount as a decimal.
pub fn money(minor: i64) -> Value {
    json!(Money::from_minor(minor).to_string())
}

/// A time, or null.
pub fn time<T: TryInto<DateTime<Utc>>>(timestamp: Option<T>) -> Value {
    let time = timestamp.and_then(|timestamp| timestamp.try_into().ok());
    time.map_or(Value::Null, |time: DateTime<Utc>| {
        json!(time.to_rfc3339_opts(SecondsFormat::Millis, true))
    })
}

/// A text, or null.
pub fn text(text: &str) -> Value {
    if text.is_empty() {
        Value::Null
    } else {
        json!(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        assert_eq!(parse::<PlanStatus>("put_failed"), Ok(PlanStatus::PutFailed));
        assert_eq!(
            name::<PlanStatus>(PlanStatus::PutFailed.into()),
            json!("put_failed")
        );
        assert_eq!(name::<PlanStatus>(0), Value::Null);
        assert!(parse::<PlanStatus>("unspecified").is_err());
        assert!(parse::<PlanStatus>("nowhere").is_err());
    }
}
