//! Lines of the fund details, and months as callers name them.

use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::time_zone::TimeZone;
use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};

use crate::ids::{ReferenceId, TransactionId};
use crate::posting::transaction_type::TransactionType;

names! {
    /// How a line is shown.
    FlowType as "flow_type" {
        /// Deposit credited by staff.
        SystemTopUp,
        /// Spend charged by delivery.
        AdBilling,
        /// Money put into a plan, or given back from it.
        AdServing,
        /// Revenue of delivery, and its payout once the plan is settled.
        ProfitSharing,
        /// Part of a put paid by a coupon, or its return.
        DiscountAmount,
        /// Withdrawal, or its return.
        ManualPayout,
        /// Chargeback.
        SystemChargeback,
        /// Deduction of a virtual recharge.
        VirtualRechargeDeduction,
        /// Membership fee.
        OpenMembership,
        /// Currency exchange.
        Exchange,
        /// Start-up funds granted or returned.
        StartUpFunds,
        /// Money given as the guarantee, or given back.
        Guarantee,
    }
}

impl FlowType {
    /// The account whose change the main lines of this type show.
    pub fn account(self) -> Account {
        match self {
            Self::AdBilling | Self::DiscountAmount => Account::ToBeConsumed,
            Self::SystemTopUp
            | Self::AdServing
            | Self::ProfitSharing
            | Self::ManualPayout
            | Self::SystemChargeback
            | Self::VirtualRechargeDeduction
            | Self::OpenMembership
            | Self::Exchange
            | Self::StartUpFunds
            | Self::Guarantee => Account::Available,
        }
    }
}

names! {
    /// An account of the ledger that lines may show.
    Account as "ledger_account" {
        /// Free to use.
        Available,
        /// Held by running plans.
        ToBeConsumed,
        /// Earned, waiting for settlement.
        ToBeSettled,
        /// On its way out.
        Withdrawing,
        /// The platform's side of deposits.
        DepositsClearing,
        /// What coupons cost.
        Promotions,
        /// What delivery cost.
        AdSpend,
        /// What delivery earned.
        AdRevenue,
        /// The platform's share.
        ProfitShare,
        /// What withdrawals paid out.
        WithdrawalsClearing,
        /// What withdrawals cost their users.
        WithdrawalFees,
        /// What was charged back.
        Chargebacks,
        /// Membership fees.
        Membership,
        /// The platform's side of exchange orders.
        FxClearing,
    }
}

/// One line of the fund details.
#[derive(Clone, Debug)]
pub struct FlowEntry {
    pub transaction_id: TransactionId,
    /// Its number in the user's chain.
    pub seq: i64,
    /// Which of the transaction's lines.
    pub line: i16,
    pub posted_at: DateTime<Utc>,
    pub flow_type: FlowType,
    /// The account that changed.
    pub account: Account,
    /// Whether the money moved between two of the user's own accounts.
    pub is_transfer: bool,
    /// Its change in minor units.
    pub amount: i64,
    /// Its balance straight after.
    pub balance_after: i64,
    /// Staff's remark.
    pub remark: String,
    /// The order, withdrawal or exchange order that it belongs to.
    pub reference: Option<ReferenceId>,
    /// The user's chain at this transaction.
    pub hash: Vec<u8>,
}

impl FlowEntry {
    /// The line's opaque id.
    pub fn id(&self) -> String {
        line_id(self.transaction_id, self.line)
    }
}

/// The line of a transaction that shows the user's other account: where the money of the main line went, or came from.
pub const COUNTER_LINE: i16 = 0;

/// The line of a transaction that shows what its type is about.
pub const MAIN_LINE: i16 = 1;

/// The line that shows a coupon's part.
pub const COUPON_LINE: i16 = 2;

/// Lines of one kind of transaction. Each is a range of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The transactions.
    pub of: Of,
    /// Which of their lines.
    pub line: i16,
    /// How it is shown.
    pub flow_type: FlowType,
    /// The account whose change it shows.
    pub account: Account,
}

/// Which transactions have lines of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Those of a flow type.
    Typed(FlowType),
    /// Those of a type that have no flow type.
    Untyped(TransactionType),
    /// Those in which a coupon took part.
    Coupon,
}

impl Kind {
    /// The kinds of lines of a type and of an account; of all where none is given. The lines of an account sum up to its
    /// balance.
    pub fn of(flow_type: Option<FlowType>, account: Option<Account>) -> Vec<Self> {
        let main = FlowType::ALL.iter().copied().map(|flow_type| Self {
            of: Of::Typed(flow_type),
            line: MAIN_LINE,
            flow_type,
            account: flow_type.account(),
        });
        let kind = |of, line, flow_type, account| Self {
            of,
            line,
            flow_type,
            account,
        };
        let others = [
            kind(
                Of::Typed(FlowType::AdServing),
                COUNTER_LINE,
                FlowType::AdServing,
                Account::ToBeConsumed,
            ),
            kind(
                Of::Coupon,
                COUPON_LINE,
                FlowType::DiscountAmount,
                Account::ToBeConsumed,
            ),
            kind(
                Of::Untyped(TransactionType::Accrue),
                MAIN_LINE,
                FlowType::ProfitSharing,
                Account::ToBeSettled,
            ),
            kind(
                Of::Typed(FlowType::ProfitSharing),
                COUNTER_LINE,
                FlowType::ProfitSharing,
                Account::ToBeSettled,
            ),
            // Where nothing is left of the revenue for the user.
            kind(
                Of::Untyped(TransactionType::Settle),
                COUNTER_LINE,
                FlowType::ProfitSharing,
                Account::ToBeSettled,
            ),
            kind(
                Of::Typed(FlowType::ManualPayout),
                COUNTER_LINE,
                FlowType::ManualPayout,
                Account::Withdrawing,
            ),
            kind(
                Of::Untyped(TransactionType::WithdrawalPaid),
                MAIN_LINE,
                FlowType::ManualPayout,
                Account::Withdrawing,
            ),
        ];
        main.chain(others)
            .filter(|kind| flow_type.is_none_or(|wanted| wanted == kind.flow_type))
            .filter(|kind| account.is_none_or(|wanted| wanted == kind.account))
            .collect()
    }
}

/// The opaque id of a transaction's line.
pub fn line_id(transaction_id: TransactionId, line: i16) -> String {
    format!("{transaction_id}-{line}")
}

/// The transaction and the line that an id names; none if it is no id of a line.
pub fn line_of(id: &str) -> Option<(TransactionId, i16)> {
    let (transaction, line) = id.rsplit_once('-')?;
    let line = line.parse().ok()?;
    let transaction = TransactionId(transaction.parse().ok()?);
    (line_id(transaction, line) == id).then_some((transaction, line))
}

/// What one type of line changed the available balance by in one month.
#[derive(Clone, Copy, Debug)]
pub struct MonthSum {
    /// The month, counted from 0 in the order asked for.
    pub place: usize,
    pub flow_type: FlowType,
    /// In minor units.
    pub net: i64,
}

/// A month of some time zone: its first instant and the first one after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Month {
    first_day: NaiveDate,
    /// The first instant.
    pub start: DateTime<Utc>,
    /// The first instant of the next month.
    pub end: DateTime<Utc>,
}

impl Month {
    /// Reads `YYYY-MM`, in a time zone.
    pub fn parse(text: &str, zone: TimeZone) -> Result<Self, Refusal> {
        Self::try_parse(text, zone).ok_or_else(|| Refusal::invalid("month"))
    }

    fn try_parse(text: &str, zone: TimeZone) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let plain = |part: &str, digits: usize| {
            part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !plain(year, 4) || !plain(month, 2) {
            return None;
        }
        Self::beginning(
            NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, 1)?,
            zone,
        )
    }

    /// The months of a time zone from the one that `now` lies in backwards.
    pub fn back_from(now: DateTime<Utc>, count: u32, zone: TimeZone) -> Vec<Self> {
        let today = zone.today(now);
        let this = today.with_day(1).unwrap_or(today);
        (0..count)
            .filter_map(|back| Self::beginning(this.checked_sub_months(Months::new(back))?, zone))
            .collect()
    }

    fn beginning(first_day: NaiveDate, zone: TimeZone) -> Option<Self> {
        let next = first_day.checked_add_months(Months::new(1))?;
        Some(Self {
            first_day,
            start: zone.start_of_day(first_day),
            end: zone.start_of_day(next),
        })
    }

    /// `YYYY-MM`.
    pub fn name(&self) -> String {
        self.first_day.format("%Y-%m").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(text: &str) -> DateTime<Utc> {
        text.parse().expect("an instant")
    }

    #[test]
    fn months_begin_at_the_zone_s_midnight() {
        let kathmandu = TimeZone::parse("Asia/Kathmandu");
        let march = Month::parse("2026-03", kathmandu).expect("a month");
        assert_eq!(march.start, instant("2026-02-28T18:15:00Z"));
        assert_eq!(march.end, instant("2026-03-31T18:15:00Z"));
        // Clocks go forward within March: the month ends an hour earlier in UTC than it began.
        let berlin = Month::parse("2026-03", TimeZone::parse("Europe/Berlin")).expect("a month");
        assert_eq!(berlin.start, instant("2026-02-28T23:00:00Z"));
        assert_eq!(berlin.end, instant("2026-03-31T22:00:00Z"));
    }

    #[test]
    fn only_plain_months_are_read() {
        for text in [
            "2026-13",
            "2026-00",
            "2026-1",
            "26-01",
            "2026/01",
            "2026-01-01",
            "+026-01",
            "",
            "２026-01",
            "2026-",
        ] {
            assert!(Month::parse(text, TimeZone::UTC).is_err(), "{text}");
        }
        assert!(Month::parse("0000-01", TimeZone::UTC).is_ok());
        assert!(Month::parse("9999-12", TimeZone::UTC).is_ok());
    }

    #[test]
    fn months_are_counted_back_from_the_zone_s_today() {
        // Already the first of January there.
        let zone = TimeZone::parse("GMT+05:45");
        let months = Month::back_from(instant("2025-12-31T18:20:00Z"), 3, zone);
        let names: Vec<String> = months.iter().map(Month::name).collect();
        assert_eq!(names, ["2026-01", "2025-12", "2025-11"]);
        for pair in months.windows(2) {
            assert_eq!(pair[0].start, pair[1].end);
        }
    }
}
