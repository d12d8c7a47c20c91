//! Wallet balances and fund details.

use std::collections::BTreeMap;

use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1 as wallet;
use chrono::NaiveDate;
use serde::Deserialize;
use utoipa::ToSchema;

use super::day::Day;
use super::{Decode, Money, MoneyInput, PageLimit, Timestamp, non_empty, wire_enum, wire_struct};
use crate::envelope::ReasonName;
use crate::errors::Failure;

wire_enum! {
    /// Type of an entry of the fund details.
    FlowType = wallet::FlowType {
        /// Deposit credited by staff.
        SystemTopUp,
        /// Withdrawal.
        ManualPayout,
        /// Spend charged by delivery.
        AdBilling,
        /// Money put into a plan or returned from it.
        AdServing,
        /// Chargeback.
        SystemChargeback,
        /// Deduction of a virtual recharge.
        VirtualRechargeDeduction,
        /// Membership fee.
        OpenMembership,
        /// Revenue of delivery, and its payout once the plan is settled.
        ProfitSharing,
        /// Part of a put paid by a coupon, or returned.
        DiscountAmount,
        /// Currency exchange.
        Exchange,
        /// Start-up funds granted or returned.
        StartUpFunds,
        /// Money given as the guarantee, or given back.
        Guarantee,
    }
}

wire_enum! {
    /// A balance of the wallet.
    WalletAccount = wallet::WalletAccount {
        /// Free to use.
        Available,
        /// Held by running plans.
        ToBeConsumed,
        /// Earned, waiting for settlement.
        ToBeSettled,
        /// Being withdrawn.
        Withdrawing,
    }
}

wire_struct! {
    /// The balances of a wallet.
    pub struct Property = wallet::Property as property, currency: &str {
        /// The platform's currency, ISO 4217.
        #[schema(example = "USD")]
        pub currency: String = (currency.to_owned()),
        /// Sum of available, to be consumed, to be settled and withdrawing; without the guarantee.
        pub total_assets: Money = (total_assets(&property)?),
        /// Free to use.
        pub available_funds: Money = available_minor,
        /// Held by running plans, coupon parts included.
        pub to_be_consumed: Money = to_be_consumed_minor,
        /// Earned, waiting for settlement.
        pub to_be_settled: Money = to_be_settled_minor,
        /// Total paid by coupons, less returns.
        pub discount_amount: Money = discount_minor,
        /// Start-up funds not yet returned.
        pub start_up_funds_outstanding: Money = start_up_funds_outstanding_minor,
        /// Whether the caller may return start-up funds without customer service.
        pub start_up_funds_returnable: bool,
        /// Being withdrawn.
        pub withdrawing: Money = withdrawing_minor,
        /// Held as the user's guarantee: neither free to use nor in plans.
        pub guarantee: Money = guarantee_minor,
        /// Why a withdrawal of any amount would be refused now, in the order of the checks; empty if it would not.
        /// WALLET_FROZEN, START_UP_FUNDS_NOT_RETURNED and WITHDRAWAL_COOLING_OFF refuse an exchange of the wallet's money, too.
        pub withdraw_blocked_by: Vec<ReasonName> = withdrawal_blocked_by,
        /// When withdrawal and exchange are possible again after a change of login password, transaction password, bank card or
        /// wallet address; null if they are not blocked.
        #[schema(required = true)]
        pub withdrawal_available_at: Option<Timestamp>,
        /// Since when the owner has stopped withdrawal and exchange; null while nothing is frozen.
        #[schema(required = true, example = json!(null))]
        pub frozen_at: Option<Timestamp>,
    }
}

fn total_assets(property: &wallet::Property) -> Result<Money, Failure> {
    Money::sum([
        property.available_minor,
        property.to_be_consumed_minor,
        property.to_be_settled_minor,
        property.withdrawing_minor,
    ])
}

impl Decode<String> for ReasonName {
    fn decode(reason: String, field: &'static str) -> Result<Self, Failure> {
        let reason = reason.parse().map(Self);
        reason.map_err(|_| Failure::broken_answer(field))
    }
}

wire_struct! {
    /// The plan that an entry belongs to.
    pub struct EntryPlan = plan::PlanName {
        /// Its id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
        pub id: String = plan_id,
        /// Its number.
        #[schema(example = "AD261120K3F9ZQ")]
        pub plan_number: String,
        /// Name of its product.
        #[schema(example = "Harbor Legends")]
        pub product: String = product_name,
    }
}

wire_struct! {
    /// An entry of the fund details.
    pub struct FlowEntry = wallet::FlowEntry as entry {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e34")]
        pub id: String,
        /// When it was posted.
        pub time: Timestamp,
        /// Its type.
        #[serde(rename = "type")]
        pub kind: FlowType = r#type,
        /// Signed change of the account's balance.
        pub amount: Money = amount_minor,
        /// The account's balance after the posting.
        pub balance_after: Money = balance_after_minor,
        /// The account that changed.
        pub account: WalletAccount,
        /// Whether the money moved between two of the wallet's own balances, as a put's does; what is earned, spent, paid in
        /// or paid out does not.
        pub transfer: bool,
        /// Staff's remark.
        #[schema(required = true)]
        pub remark: Option<String>,
        /// Id of the object it belongs to, for example a plan.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
        pub reference: Option<String>,
        /// The plan, where it belongs to one; null in the plan's own detail, and while plans cannot be named.
        #[schema(required = true)]
        pub plan: Option<EntryPlan> = (None),
        /// Hash of the wallet's chain at this posting: SHA-256 in lower-case hex.
        #[schema(example = "5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456")]
        pub hash: String = (hex::encode(entry.hash)),
    }
}

impl FlowType {
    /// Whether entries of this type belong to plans.
    pub fn is_of_plans(self) -> bool {
        matches!(
            self,
            Self::AdBilling | Self::AdServing | Self::ProfitSharing | Self::DiscountAmount
        )
    }
}

impl FlowEntry {
    /// The entries of one plan, without those of a later release.
    pub fn of_order(entries: Vec<wallet::FlowEntry>) -> Result<Vec<Self>, Failure> {
        let shown =
            |entry: &wallet::FlowEntry| entry.r#type != i32::from(wallet::FlowType::Unspecified);
        entries
            .into_iter()
            .filter(shown)
            .map(Self::from_proto)
            .collect()
    }
}

wire_struct! {
    /// What all entries of a list add up to, on whatever page.
    pub struct FlowTotals = wallet::FlowTotals as totals {
        /// What came in.
        #[serde(rename = "in")]
        pub incoming: Money = in_minor,
        /// What went out, as a positive amount.
        #[serde(rename = "out")]
        pub outgoing: Money = out_minor,
        /// What came in less what went out.
        pub net: Money = (Money::difference(totals.in_minor, totals.out_minor)?),
    }
}

wire_struct! {
    /// A page of fund details.
    pub struct FlowPage = wallet::ListFlowResponse {
        /// The entries, newest first.
        pub items: Vec<FlowEntry>,
        /// Cursor of the next page; null on the last page.
        #[schema(required = true)]
        pub next_cursor: Option<String>,
        /// What all entries add up to; null unless `totals` asked for it.
        #[schema(required = true)]
        pub totals: Option<FlowTotals>,
    }
}

/// Returns start-up funds.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ReturnStartUpFundsRequest {
    /// How much, at most what is outstanding.
    pub amount: MoneyInput,
}

/// Filters for fund details.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FlowListQuery {
    /// Only this type.
    #[serde(rename = "type")]
    pub kind: Option<FlowType>,
    /// Only this account; all if absent. The amounts of an account's entries sum up to its balance.
    pub account: Option<WalletAccount>,
    /// Only this month, in the caller's time zone.
    pub month: Option<Month>,
    /// Only this day of the caller's time zone and later ones; not with a month.
    pub from: Option<Day>,
    /// Only this day and earlier ones; not with a month.
    pub until: Option<Day>,
    /// Whether to add up the entries of the account.
    pub totals: Option<bool>,
    /// Only the entry with this id, as notices name it; not with another filter.
    #[schema(max_length = 64, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f-1")]
    pub id: Option<String>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// A month, `YYYY-MM`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(value_type = String, pattern = r"^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-11")]
pub struct Month(String);

impl Month {
    /// Its text.
    pub fn into_text(self) -> String {
        self.0
    }

    /// Its first day.
    pub fn first_day(&self) -> Option<NaiveDate> {
        NaiveDate::parse_from_str(&format!("{}-01", self.0), "%Y-%m-%d").ok()
    }
}

impl TryFrom<String> for Month {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = |part: &str, length: usize| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let valid = text.split_once('-').is_some_and(|(year, month)| {
            digits(year, 4) && year != "0000" && digits(month, 2) && ("01"..="12").contains(&month)
        });
        if valid {
            Ok(Self(text))
        } else {
            Err("not a month")
        }
    }
}

/// Selects a statement.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StatementQuery {
    /// The month, in the caller's time zone.
    pub month: Month,
}

/// Selects months.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct MonthlyQuery {
    /// Number of months, counted back from the current one; 12 if absent.
    pub months: Option<MonthCount>,
}

/// Number of months: 1 to 24.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(try_from = "u32")]
#[schema(value_type = u32, minimum = 1, maximum = 24, example = 12)]
pub struct MonthCount(u32);

impl MonthCount {
    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for MonthCount {
    type Error = &'static str;

    fn try_from(value: u32) -> Result<Self, Self::Error> {
        if (1..=24).contains(&value) {
            Ok(Self(value))
        } else {
            Err("not within 1 to 24")
        }
    }
}

wire_struct! {
    /// The sums of a month.
    pub struct MonthSummary = wallet::MonthSummary as summary {
        /// The month in the caller's time zone.
        #[schema(example = "2026-11")]
        pub month: String,
        /// Sum of the types that brought more than they took.
        pub income: Money = income_minor,
        /// Sum of the types that took more than they brought, as a positive amount.
        pub expense: Money = expense_minor,
        /// Change of the available funds: income less expense.
        pub net: Money = (Money::difference(summary.income_minor, summary.expense_minor)?),
        /// Deposits credited by staff.
        pub deposits: Money = (Money::from_minor(change_by(&summary.by_type, wallet::FlowType::SystemTopUp))),
        /// Revenue paid out.
        pub revenue: Money = (Money::from_minor(change_by(&summary.by_type, wallet::FlowType::ProfitSharing))),
        /// Put into plans, less what came back.
        pub spent: Money = (Money::difference(0, change_by(&summary.by_type, wallet::FlowType::AdServing))?),
        /// Withdrawn, less what came back.
        pub withdrawn: Money = (Money::difference(0, change_by(&summary.by_type, wallet::FlowType::ManualPayout))?),
        /// Start-up funds lent, less what was returned.
        pub lent: Money = (Money::from_minor(change_by(&summary.by_type, wallet::FlowType::StartUpFunds))),
        /// Change of the available funds by type; the values add up to `net`.
        #[schema(example = json!({"system_top_up": "2000.00", "ad_serving": "-500.00"}))]
        pub by_type: BTreeMap<FlowType, Money>,
    }
}

/// What a type changed the available funds by in a month, in minor units.
fn change_by(sums: &[wallet::TypeSum], kind: wallet::FlowType) -> i64 {
    let sum = sums.iter().find(|sum| sum.r#type == i32::from(kind));
    sum.map_or(0, |sum| sum.amount_minor)
}

/// Postings without a flow type are left out.
impl Decode<Vec<wallet::TypeSum>> for BTreeMap<FlowType, Money> {
    fn decode(sums: Vec<wallet::TypeSum>, _: &'static str) -> Result<Self, Failure> {
        sums.into_iter()
            .filter(|sum| sum.r#type != i32::from(wallet::FlowType::Unspecified))
            .map(|sum| {
                let kind = FlowType::from_wire(sum.r#type)?;
                Ok((kind, Money::from_minor(sum.amount_minor)))
            })
            .collect()
    }
}

wire_struct! {
    /// The months, newest first. Months without entries are included with zeros.
    pub struct Monthly = wallet::GetMonthlyResponse as months {
        /// The months.
        pub items: Vec<MonthSummary>,
        /// Month of the wallet's first entry, in the caller's time zone: statements begin with it. Null without any.
        #[schema(required = true, example = "2026-02")]
        pub first_month: Option<String> = (non_empty(months.first_month)),
    }
}
