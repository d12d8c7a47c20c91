//! Wallet balances and fund details.

use std::collections::BTreeMap;

use adfolio_proto::wallet::v1 as wallet;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Decode, Money, PageLimit, Timestamp, wire_enum, wire_struct};
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
        /// Payout of a settled plan's revenue.
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
        /// Staff's remark.
        #[schema(required = true)]
        pub remark: Option<String>,
        /// Id of the object it belongs to, for example a plan.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
        pub reference: Option<String>,
        /// Hash of the wallet's chain at this posting: SHA-256 in lower-case hex.
        #[schema(example = "5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456")]
        pub hash: String = (hex::encode(entry.hash)),
    }
}

impl FlowEntry {
    /// The entries of one plan. Postings without a flow type (revenue before its settlement) are left out; the plan's
    /// own metrics include them.
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

/// Filters for fund details.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FlowListQuery {
    /// Only this type.
    #[serde(rename = "type")]
    pub kind: Option<FlowType>,
    /// Only this month, in the caller's time zone.
    pub month: Option<Month>,
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
        /// Total credited to the available funds.
        pub income: Money = income_minor,
        /// Total debited from the available funds, as a positive amount.
        pub expense: Money = expense_minor,
        /// Income less expense.
        pub net: Money = (Money::difference(summary.income_minor, summary.expense_minor)?),
        /// Net sum by type over all entries of the month, for any account.
        #[schema(example = json!({"system_top_up": "2000.00", "ad_serving": "-500.00"}))]
        pub by_type: BTreeMap<FlowType, Money>,
    }
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
    pub struct Monthly = wallet::GetMonthlyResponse {
        /// The months.
        pub items: Vec<MonthSummary>,
    }
}
