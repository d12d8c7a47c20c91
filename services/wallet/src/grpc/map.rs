//! Between the wire's types and wallet's.

use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::timestamp;
use adfolio_proto::wallet::v1 as proto;
use chrono::{DateTime, Utc};

use crate::destination::entity::{BankCard, Destination, WalletAddress};
use crate::error::WalletError;
use crate::flow::MonthSummary;
use crate::flow::entity::{Account, FlowEntry, FlowType, line_id};
use crate::posting::movement::MovementKind;
use crate::posting::outcome::Booked;
use crate::property::Property;
use crate::statement::Row;
use crate::withdrawal::entity::{Method, Status, Terms, Withdrawal};

/// The figures, and when withdrawals have cooled off, if they do.
pub(super) fn property(
    property: Property,
    cooled_off_at: Option<DateTime<Utc>>,
) -> proto::Property {
    let blocked_by = property.withdrawal_blocked_by(cooled_off_at.is_some());
    proto::Property {
        available_minor: property.available,
        to_be_consumed_minor: property.to_be_consumed,
        to_be_settled_minor: property.to_be_settled,
        withdrawing_minor: property.withdrawing,
        discount_minor: property.discount_total,
        start_up_funds_outstanding_minor: property.start_up_outstanding,
        has_pay_password: property.has_pay_password,
        has_bank_card: property.has_bank_card,
        has_wallet_address: property.has_wallet_address,
        withdrawal_blocked_by: blocked_by
            .into_iter()
            .map(|reason| reason.as_str().to_owned())
            .collect(),
        withdrawal_available_at: cooled_off_at.map(timestamp),
    }
}

/// The filter of a list.
pub(super) fn filter(number: i32) -> Result<Option<FlowType>, Refusal> {
    let kind = proto::FlowType::try_from(number).map_err(|_| Refusal::invalid("type"))?;
    Ok(match kind {
        proto::FlowType::Unspecified => None,
        proto::FlowType::SystemTopUp => Some(FlowType::SystemTopUp),
        proto::FlowType::ManualPayout => Some(FlowType::ManualPayout),
        proto::FlowType::AdBilling => Some(FlowType::AdBilling),
        proto::FlowType::AdServing => Some(FlowType::AdServing),
        proto::FlowType::SystemChargeback => Some(FlowType::SystemChargeback),
        proto::FlowType::VirtualRechargeDeduction => Some(FlowType::VirtualRechargeDeduction),
        proto::FlowType::OpenMembership => Some(FlowType::OpenMembership),
        proto::FlowType::ProfitSharing => Some(FlowType::ProfitSharing),
        proto::FlowType::DiscountAmount => Some(FlowType::DiscountAmount),
        proto::FlowType::Exchange => Some(FlowType::Exchange),
        proto::FlowType::StartUpFunds => Some(FlowType::StartUpFunds),
    })
}

fn flow_type(kind: FlowType) -> proto::FlowType {
    match kind {
        FlowType::SystemTopUp => proto::FlowType::SystemTopUp,
        FlowType::ManualPayout => proto::FlowType::ManualPayout,
        FlowType::AdBilling => proto::FlowType::AdBilling,
        FlowType::AdServing => proto::FlowType::AdServing,
        FlowType::SystemChargeback => proto::FlowType::SystemChargeback,
        FlowType::VirtualRechargeDeduction => proto::FlowType::VirtualRechargeDeduction,
        FlowType::OpenMembership => proto::FlowType::OpenMembership,
        FlowType::ProfitSharing => proto::FlowType::ProfitSharing,
        FlowType::DiscountAmount => proto::FlowType::DiscountAmount,
        FlowType::Exchange => proto::FlowType::Exchange,
        FlowType::StartUpFunds => proto::FlowType::StartUpFunds,
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
        | Account::ProfitShare
        | Account::WithdrawalsClearing
        | Account::WithdrawalFees
        | Account::Chargebacks
        | Account::Membership
        | Account::FxClearing => proto::WalletAccount::Unspecified,
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
        reference: entry.reference.map(|id| id.to_string()).unwrap_or_default(),
        hash: entry.hash,
        account: account(entry.account).into(),
    }
}

/// What staff posted, as the user sees it.
pub(super) fn staff_entry(
    kind: MovementKind,
    booked: Booked,
    amount_minor: i64,
    remark: &str,
) -> Result<proto::FlowEntry, WalletError> {
    // The leg that changes the available balance, and which way.
    let (shown, leg, sign) = match kind {
        MovementKind::Deposit => (proto::FlowType::SystemTopUp, 2, 1),
        MovementKind::StartUpGrant => (proto::FlowType::StartUpFunds, 2, 1),
        MovementKind::StartUpReturn => (proto::FlowType::StartUpFunds, 1, -1),
        MovementKind::Chargeback => (proto::FlowType::SystemChargeback, 1, -1),
        MovementKind::RechargeDeduction => (proto::FlowType::VirtualRechargeDeduction, 1, -1),
        MovementKind::Membership => (proto::FlowType::OpenMembership, 1, -1),
        _ => return Err(WalletError::Unreadable("kind of a staff posting")),
    };
    Ok(proto::FlowEntry {
        id: line_id(booked.id, leg),
        time: Some(timestamp(booked.posted_at)),
        r#type: shown.into(),
        amount_minor: amount_minor.saturating_mul(sign),
        balance_after_minor: booked.available_after,
        remark: remark.trim().to_owned(),
        reference: String::new(),
        hash: booked.hash,
        account: proto::WalletAccount::Available.into(),
    })
}

pub(super) fn statement_row(row: Row) -> proto::StatementRow {
    let [
        available_change,
        consumed_change,
        settled_change,
        withdrawing_change,
    ] = row.changes;
    let [available, to_be_consumed, to_be_settled, withdrawing] = row.after;
    proto::StatementRow {
        sequence: row.seq,
        time: Some(timestamp(row.posted_at)),
        transaction_id: row.id.to_string(),
        r#type: row.kind,
        available_change_minor: available_change,
        to_be_consumed_change_minor: consumed_change,
        to_be_settled_change_minor: settled_change,
        withdrawing_change_minor: withdrawing_change,
        available_minor: available,
        to_be_consumed_minor: to_be_consumed,
        to_be_settled_minor: to_be_settled,
        withdrawing_minor: withdrawing,
        reference: row.reference.map(|id| id.to_string()).unwrap_or_default(),
        remark: row.remark,
        previous_hash: row.previous_hash,
        hash: row.hash,
    }
}

pub(super) fn method(number: i32) -> Result<Method, Refusal> {
    match proto::WithdrawalMethod::try_from(number) {
        Ok(proto::WithdrawalMethod::BankCard) => Ok(Method::BankCard),
        Ok(proto::WithdrawalMethod::WalletAddress) => Ok(Method::WalletAddress),
        _ => Err(Refusal::invalid("method")),
    }
}

fn method_out(method: Method) -> proto::WithdrawalMethod {
    match method {
        Method::BankCard => proto::WithdrawalMethod::BankCard,
        Method::WalletAddress => proto::WithdrawalMethod::WalletAddress,
    }
}

pub(super) fn status_filter(number: i32) -> Result<Option<Status>, Refusal> {
    let status = proto::WithdrawalStatus::try_from(number);
    Ok(match status.map_err(|_| Refusal::invalid("status"))? {
        proto::WithdrawalStatus::Unspecified => None,
        proto::WithdrawalStatus::Pending => Some(Status::Pending),
        proto::WithdrawalStatus::Paid => Some(Status::Paid),
        proto::WithdrawalStatus::Rejected => Some(Status::Rejected),
    })
}

pub(super) fn terms(terms: &Terms) -> proto::WithdrawalTerms {
    proto::WithdrawalTerms {
        method: method_out(terms.method).into(),
        enabled: terms.enabled,
        min_minor: terms.min.minor(),
        max_minor: terms.max.minor(),
        fee_minor: terms.fee.minor(),
    }
}

/// A withdrawal with its destination, masked already if it is for the user.
pub(super) fn withdrawal(
    (withdrawal, destination): (Withdrawal, Destination),
) -> proto::Withdrawal {
    let status = match withdrawal.status {
        Status::Pending => proto::WithdrawalStatus::Pending,
        Status::Paid => proto::WithdrawalStatus::Paid,
        Status::Rejected => proto::WithdrawalStatus::Rejected,
    };
    proto::Withdrawal {
        id: withdrawal.id.to_string(),
        user_id: withdrawal.user_id.to_string(),
        amount_minor: withdrawal.amount,
        fee_minor: withdrawal.fee,
        method: method_out(withdrawal.method).into(),
        status: status.into(),
        reason: withdrawal.reason,
        time: Some(timestamp(withdrawal.requested_at)),
        decided_at: withdrawal.decided_at.map(timestamp),
        destination: Some(destination_out(&destination)),
    }
}

pub(super) fn destination_out(destination: &Destination) -> proto::Destination {
    let kind = match destination {
        Destination::BankCard(card) => proto::destination::Kind::BankCard(card_out(card)),
        Destination::WalletAddress(address) => {
            proto::destination::Kind::WalletAddress(address_out(address))
        }
    };
    proto::Destination { kind: Some(kind) }
}

pub(super) fn card_out(card: &BankCard) -> proto::BankCard {
    proto::BankCard {
        card_name: card.card_name.clone(),
        user_name: card.user_name.clone(),
        mobile: card.mobile.clone(),
        bank_account: card.bank_account.clone(),
        branch_name: card.branch_name.clone(),
    }
}

pub(super) fn address_out(address: &WalletAddress) -> proto::WalletAddress {
    proto::WalletAddress {
        network: address.network.clone(),
        address: address.address.clone(),
    }
}

/// What a user wants to bind, checked.
pub(super) fn destination_in(message: Option<proto::Destination>) -> Result<Destination, Refusal> {
    match message.and_then(|destination| destination.kind) {
        Some(proto::destination::Kind::BankCard(card)) => {
            let card = BankCard {
                card_name: card.card_name,
                user_name: card.user_name,
                mobile: card.mobile,
                bank_account: card.bank_account,
                branch_name: card.branch_name,
            };
            Ok(Destination::BankCard(card.checked()?))
        }
        Some(proto::destination::Kind::WalletAddress(address)) => {
            let address = WalletAddress {
                network: address.network,
                address: address.address,
            };
            Ok(Destination::WalletAddress(address.checked()?))
        }
        None => Err(Refusal::invalid("kind")),
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
