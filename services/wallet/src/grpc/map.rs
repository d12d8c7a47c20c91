//! Between the wire's types and wallet's.

use adfolio_kit::refusal::Refusal;
use adfolio_proto::wallet::v1 as proto;
use chrono::{DateTime, Utc};
use pbjson_types::Timestamp;

use crate::flow::entity::{Account, FlowEntry, FlowType, line_id};
use crate::flow::{Filter, MonthSummary};
use crate::posting::outcome::Booked;
use crate::property::Property;

/// The leg of a deposit that the fund details show.
const DEPOSIT_LEG: i16 = 2;

pub(super) fn property(property: Property) -> proto::Property {
    proto::Property {
        available_minor: property.available,
        to_be_consumed_minor: property.to_be_consumed,
        to_be_settled_minor: property.to_be_settled,
        withdrawing_minor: property.withdrawing,
        discount_minor: property.discount_total,
        start_up_funds_outstanding_minor: property.start_up_outstanding,
    }
}

pub(super) fn timestamp(instant: DateTime<Utc>) -> Timestamp {
    Timestamp {
        seconds: instant.timestamp(),
        nanos: i32::try_from(instant.timestamp_subsec_nanos()).unwrap_or(0),
    }
}

/// The filter of a list.
pub(super) fn filter(number: i32) -> Result<Filter, Refusal> {
    let kind = proto::FlowType::try_from(number).map_err(|_| Refusal::invalid("type"))?;
    Ok(match kind {
        proto::FlowType::Unspecified => Filter::All,
        proto::FlowType::SystemTopUp => Filter::Only(FlowType::SystemTopUp),
        proto::FlowType::AdBilling => Filter::Only(FlowType::AdBilling),
        proto::FlowType::AdServing => Filter::Only(FlowType::AdServing),
        proto::FlowType::ProfitSharing => Filter::Only(FlowType::ProfitSharing),
        proto::FlowType::DiscountAmount => Filter::Only(FlowType::DiscountAmount),
        proto::FlowType::ManualPayout
        | proto::FlowType::SystemChargeback
        | proto::FlowType::VirtualRechargeDeduction
        | proto::FlowType::OpenMembership
        | proto::FlowType::Exchange
        | proto::FlowType::StartUpFunds => Filter::NeverPosted,
    })
}

fn flow_type(kind: FlowType) -> proto::FlowType {
    match kind {
        FlowType::SystemTopUp => proto::FlowType::SystemTopUp,
        FlowType::AdBilling => proto::FlowType::AdBilling,
        FlowType::AdServing => proto::FlowType::AdServing,
        FlowType::ProfitSharing => proto::FlowType::ProfitSharing,
        FlowType::DiscountAmount => proto::FlowType::DiscountAmount,
    }
}

fn account(account: Account) -> proto::WalletAccount {
    match account {
        Account::Available => proto::WalletAccount::Available,
        Account::ToBeConsumed => proto::WalletAccount::ToBeConsumed,
        Account::ToBeSettled => proto::WalletAccount::ToBeSettled,
        Account::Withdrawing => proto::WalletAccount::Withdrawing,
        // Platform legs are never shown.
        Account::DepositsClearing
        | Account::Promotions
        | Account::AdSpend
        | Account::AdRevenue
        | Account::ProfitShare => proto::WalletAccount::Unspecified,
    }
}

pub(super) fn flow_entry(entry: FlowEntry) -> proto::FlowEntry {
    proto::FlowEntry {
        id: entry.id(),
        time: Some(timestamp(entry.posted_at)),
        r#type: flow_type(entry.flow_type).into(),
        amount_minor: entry.amount,
        balance_after_minor: entry.balance_after,
        remark: entry.remark,
        reference: entry.order_id.map(|id| id.to_string()).unwrap_or_default(),
        hash: entry.hash,
        account: account(entry.account).into(),
    }
}

pub(super) fn deposit_entry(booked: Booked, amount_minor: i64, remark: String) -> proto::FlowEntry {
    proto::FlowEntry {
        id: line_id(booked.id, DEPOSIT_LEG),
        time: Some(timestamp(booked.posted_at)),
        r#type: proto::FlowType::SystemTopUp.into(),
        amount_minor,
        balance_after_minor: booked.available_after,
        remark,
        reference: String::new(),
        hash: booked.hash,
        account: proto::WalletAccount::Available.into(),
    }
}

pub(super) fn month(summary: MonthSummary) -> proto::MonthSummary {
    let by_type = summary
        .by_type
        .into_iter()
        .map(|(kind, sum)| proto::TypeSum {
            r#type: flow_type(kind).into(),
            amount_minor: sum.minor(),
        });
    proto::MonthSummary {
        month: summary.month,
        income_minor: summary.income.minor(),
        expense_minor: summary.expense.minor(),
        by_type: by_type.collect(),
    }
}
