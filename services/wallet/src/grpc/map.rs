//! Between the contract's messages and this service's own types.

use adfolio_kit::error::CoreError;
use adfolio_kit::idempotency;
use adfolio_kit::identity::Staff;
use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List, timestamp};
use adfolio_proto::wallet::v1 as proto;
use chrono::{DateTime, Utc};

use crate::approval::Deciding;
use crate::approval::entity::{Approval, Choice, State};
use crate::bank::entity::{Fault, Format, Line, LineState, Problem, Statement};
use crate::checkpoint::entity::{HeadProof, Published, signed};
use crate::destination::entity::{BankCard, Destination, Method, WalletAddress};
use crate::flow::MonthSummary;
use crate::flow::entity::{Account, FlowEntry, FlowType, MAIN_LINE, line_id};
use crate::freeze::entity::Freeze;
use crate::ids::StaffId;
use crate::pay_password::WasReset;
use crate::payment_batch::entity::{Batch, Decision, FileFormat, ShownState};
use crate::platform::{self, PlatformAccount};
use crate::posting::movement::{ExchangeStep, MovementKind, bounded_text};
use crate::posting::outcome::Booked;
use crate::property::entity::Property;
use crate::statement::Row;
use crate::withdrawal::Shown;
use crate::withdrawal::entity::{ShownStatus, Terms};

mirror! {
    FlowType = proto::FlowType,
    // Users never see the platform's accounts.
    Account = proto::WalletAccount where hidden: [
        DepositsClearing, Promotions, AdSpend, AdRevenue, ProfitShare, WithdrawalsClearing, WithdrawalFees, Chargebacks,
        Membership, FxClearing
    ],
    Method = proto::WithdrawalMethod,
    ShownStatus = proto::WithdrawalStatus,
    State = proto::ApprovalState,
    Choice = proto::ApprovalDecision,
    // No member of staff asks for the others.
    MovementKind = proto::ApprovalAction where hidden: [
        Withdraw, WithdrawalRejected, ExchangeDebit, ExchangeReturn, ExchangeCredit
    ],
    ExchangeStep = proto::ExchangeStep,
    Format = proto::BankStatementFormat,
    Problem = proto::BankFileProblem,
    LineState = proto::BankLineState,
    ShownState = proto::PaymentBatchState,
    Decision = proto::PaymentBatchDecision,
    FileFormat = proto::PaymentFileFormat,
    PlatformAccount = proto::PlatformAccount,
}

/// The place behind which a page of a statement's lines begins.
pub fn line_position(list: &List) -> Result<i32, Refusal> {
    let Some(keys) = list.keys(1)? else {
        return Ok(0);
    };
    let place = keys.first().and_then(|key| key.parse().ok());
    place.ok_or_else(|| Refusal::invalid("cursor"))
}

/// The balances, and when withdrawals have cooled off, unless they have.
pub fn property(
    property: Property,
    cooled_off_at: Option<DateTime<Utc>>,
    start_up_funds_returnable: bool,
) -> proto::Property {
    let blocked_by = property.withdrawal_blocked_by(cooled_off_at.is_some());
    proto::Property {
        available_minor: property.available,
        to_be_consumed_minor: property.to_be_consumed,
        to_be_settled_minor: property.to_be_settled,
        withdrawing_minor: property.withdrawing,
        guarantee_minor: property.guarantee,
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
        frozen_at: property.frozen_at.map(timestamp),
        start_up_funds_returnable,
    }
}

/// The number before which a page of checkpoints begins.
pub fn checkpoint_position(list: &List) -> Result<i64, Refusal> {
    let Some(keys) = list.keys(1)? else {
        return Ok(i64::MAX);
    };
    let number = keys.first().and_then(|key| key.parse().ok());
    number.ok_or_else(|| Refusal::invalid("cursor"))
}

impl From<Published> for proto::Checkpoint {
    fn from(checkpoint: Published) -> Self {
        Self {
            size: checkpoint.size(),
            root: checkpoint.state.root.to_vec(),
            time: Some(timestamp(checkpoint.made_at)),
            note: checkpoint.note,
        }
    }
}

impl From<HeadProof> for proto::GetHeadProofResponse {
    fn from(proof: HeadProof) -> Self {
        Self {
            leaf: proof.leaf.head.to_string(),
            index: signed(proof.leaf.index),
            size: proof.checkpoint.size(),
            path: proof.path.iter().map(|hash| hash.to_vec()).collect(),
            note: proof.checkpoint.note,
            links: proof.links,
        }
    }
}

/// The line behind which a page of fund details begins.
pub fn flow_position(list: &List) -> Result<Option<(i64, i16)>, Refusal> {
    let Some(keys) = list.keys(2)? else {
        return Ok(None);
    };
    let seq = keys.first().and_then(|key| key.parse().ok());
    let line = keys.get(1).and_then(|key| key.parse().ok());
    let position = seq.zip(line);
    position.map(Some).ok_or_else(|| Refusal::invalid("cursor"))
}

impl From<Freeze> for proto::WalletFreeze {
    fn from(freeze: Freeze) -> Self {
        let staff_id = freeze.staff_id.map(|id| id.to_string());
        Self {
            id: freeze.id.to_string(),
            user_id: freeze.user_id.to_string(),
            frozen_at: Some(timestamp(freeze.frozen_at)),
            reason: freeze.reason,
            owner_agreed_at: freeze.owner_at.map(timestamp),
            staff_agreed_at: freeze.staff_at.map(timestamp),
            staff_id: staff_id.unwrap_or_default(),
            staff_reason: freeze.staff_reason,
            lifted_at: freeze.lifted_at.map(timestamp),
        }
    }
}

impl From<FlowEntry> for proto::FlowEntry {
    fn from(entry: FlowEntry) -> Self {
        Self {
            id: entry.id(),
            time: Some(timestamp(entry.posted_at)),
            r#type: entry.flow_type.to_wire(),
            amount_minor: entry.amount,
            balance_after_minor: entry.balance_after,
            remark: entry.remark,
            reference: text(entry.reference),
            hash: entry.hash,
            account: entry.account.to_wire(),
            transfer: entry.is_transfer,
        }
    }
}

/// What staff posted, as the user sees it.
pub fn staff_entry(
    kind: MovementKind,
    booked: &Booked,
    amount_minor: i64,
    remark: &str,
) -> Result<proto::FlowEntry, CoreError> {
    // How it is shown, and which way the available balance changes.
    let (shown, sign) = match kind {
        MovementKind::Deposit => (FlowType::SystemTopUp, 1),
        MovementKind::StartUpGrant => (FlowType::StartUpFunds, 1),
        MovementKind::StartUpReturn => (FlowType::StartUpFunds, -1),
        MovementKind::Chargeback => (FlowType::SystemChargeback, -1),
        MovementKind::RechargeDeduction => (FlowType::VirtualRechargeDeduction, -1),
        MovementKind::Membership => (FlowType::OpenMembership, -1),
        _ => return Err(CoreError::Corrupt("kind of a staff posting")),
    };
    Ok(proto::FlowEntry {
        id: line_id(booked.id, MAIN_LINE),
        time: Some(timestamp(booked.posted_at)),
        r#type: shown.to_wire(),
        amount_minor: amount_minor.saturating_mul(sign),
        balance_after_minor: booked.available_after,
        remark: remark.trim().to_owned(),
        reference: String::new(),
        hash: booked.hash.to_vec(),
        account: Account::Available.to_wire(),
        transfer: false,
    })
}

impl From<Row> for proto::StatementRow {
    fn from(row: Row) -> Self {
        let link = row.link;
        let [
            available_change,
            consumed_change,
            settled_change,
            withdrawing_change,
            guarantee_change,
        ] = link.changes;
        let (details, undisclosed) = link.details.map_or_else(Default::default, |details| {
            (details.hash.to_vec(), details.undisclosed.to_vec())
        });
        let [available, to_be_consumed, to_be_settled, withdrawing] = link.after;
        Self {
            sequence: link.seq,
            time: Some(timestamp(link.posted_at)),
            transaction_id: link.id.to_string(),
            r#type: link.kind,
            available_change_minor: available_change,
            to_be_consumed_change_minor: consumed_change,
            to_be_settled_change_minor: settled_change,
            withdrawing_change_minor: withdrawing_change,
            available_minor: available,
            to_be_consumed_minor: to_be_consumed,
            to_be_settled_minor: to_be_settled,
            withdrawing_minor: withdrawing,
            reference: text(row.reference),
            remark: row.remark,
            previous_hash: row.previous_hash,
            hash: link.hash,
            guarantee_change_minor: guarantee_change,
            details,
            undisclosed,
        }
    }
}

impl From<&Terms> for proto::WithdrawalTerms {
    fn from(terms: &Terms) -> Self {
        Self {
            method: terms.method.to_wire(),
            enabled: terms.enabled,
            min_minor: terms.min.minor(),
            max_minor: terms.max.minor(),
            fee_minor: terms.fee.minor(),
        }
    }
}

impl From<Shown> for proto::Withdrawal {
    fn from(shown: Shown) -> Self {
        let Shown {
            withdrawal,
            destination,
        } = shown;
        Self {
            id: withdrawal.id.to_string(),
            user_id: withdrawal.user_id.to_string(),
            amount_minor: withdrawal.amount,
            fee_minor: withdrawal.fee,
            method: withdrawal.method.to_wire(),
            status: withdrawal.shown_status().to_wire(),
            reason: withdrawal.reason,
            time: Some(timestamp(withdrawal.requested_at)),
            decided_at: withdrawal.decided_at.map(timestamp),
            destination: Some((&destination).into()),
            payment_batch_id: text(withdrawal.payment_batch_id),
            take_out_asked_by: text(withdrawal.take_out_asked_by),
        }
    }
}

impl From<Statement> for proto::BankStatement {
    fn from(statement: Statement) -> Self {
        let counts = statement.counts;
        let count = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
        let parsed = i64::from(statement.parsed_lines);
        let (first, last) = counts.days.unzip();
        Self {
            id: statement.id.to_string(),
            name: statement.name,
            format: statement.format.to_wire(),
            reference: statement.reference,
            first_day: text(first),
            last_day: text(last),
            digest: statement.digest,
            uploaded_by: statement.uploaded_by.to_string(),
            uploaded_at: Some(timestamp(statement.uploaded_at)),
            lines: count(counts.lines),
            known_lines: count(parsed.saturating_sub(counts.lines)),
            paid_in_minor: counts.paid_in,
            open_lines: count(counts.open),
            waiting_lines: count(counts.waiting),
            credited_lines: count(counts.credited),
            aside_lines: count(counts.aside),
        }
    }
}

impl From<Line> for proto::BankLine {
    fn from(line: Line) -> Self {
        let is_waiting = line.state == LineState::Waiting;
        let is_decided = is_waiting || line.state == LineState::Credited;
        Self {
            id: line.id.to_string(),
            statement_id: line.statement_id.to_string(),
            line: u32::try_from(line.number).unwrap_or(0),
            booked_on: line.booked_on.to_string(),
            amount_minor: line.amount,
            text: line.text,
            party: line.party,
            bank_reference: line.bank_reference,
            matched_user_id: text(line.matched_user_id),
            withdrawal_id: text(line.withdrawal_id),
            state: line.state.to_wire(),
            user_id: text(line.user_id.filter(|_| is_decided)),
            transaction_id: text(line.transaction_id),
            approval_id: text(line.approval_id.filter(|_| is_waiting)),
            similar: line.is_similar,
            reason: line.aside_reason,
            decided_by: text(line.aside_by),
        }
    }
}

impl From<Fault> for proto::BankFileFault {
    fn from(fault: Fault) -> Self {
        Self {
            line: fault.line,
            field: fault.field.to_owned(),
            problem: fault.problem.to_wire(),
            value: fault.value,
        }
    }
}

impl From<Batch> for proto::PaymentBatch {
    fn from(batch: Batch) -> Self {
        let state = batch.shown_state().to_wire();
        let (decided_by, decided_at) = batch.decided.unzip();
        let count = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            id: batch.id.to_string(),
            method: batch.method.to_wire(),
            state,
            count: count(batch.count),
            payout_minor: batch.payout,
            proposed_by: batch.proposed_by.to_string(),
            proposed_at: Some(timestamp(batch.proposed_at)),
            reason: batch.reason,
            decided_by: text(decided_by),
            decided_at: decided_at.map(timestamp),
            paid_count: count(batch.paid_count),
        }
    }
}

impl From<platform::Entry> for proto::PlatformEntry {
    fn from(entry: platform::Entry) -> Self {
        Self {
            transaction_id: entry.transaction_id.to_string(),
            time: Some(timestamp(entry.posted_at)),
            r#type: entry.kind,
            user_id: entry.user_id.to_string(),
            amount_minor: entry.amount,
            reference: text(entry.reference),
            remark: entry.remark,
            staff_id: text(entry.staff_id),
        }
    }
}

impl From<&Destination> for proto::Destination {
    fn from(destination: &Destination) -> Self {
        let kind = match destination {
            Destination::BankCard(card) => proto::destination::Kind::BankCard(card.into()),
            Destination::WalletAddress(address) => {
                proto::destination::Kind::WalletAddress(address.into())
            }
        };
        Self { kind: Some(kind) }
    }
}

impl From<&BankCard> for proto::BankCard {
    fn from(card: &BankCard) -> Self {
        Self {
            card_name: card.card_name.clone(),
            user_name: card.user_name.clone(),
            mobile: card.mobile.clone(),
            bank_account: card.bank_account.clone(),
            branch_name: card.branch_name.clone(),
        }
    }
}

impl From<&WalletAddress> for proto::WalletAddress {
    fn from(address: &WalletAddress) -> Self {
        Self {
            network: address.network.clone(),
            address: address.address.clone(),
        }
    }
}

impl TryFrom<proto::Destination> for Destination {
    type Error = Refusal;

    fn try_from(message: proto::Destination) -> Result<Self, Refusal> {
        match message.kind {
            Some(proto::destination::Kind::BankCard(card)) => {
                let card = BankCard {
                    card_name: card.card_name,
                    user_name: card.user_name,
                    mobile: card.mobile,
                    bank_account: card.bank_account,
                    branch_name: card.branch_name,
                };
                Ok(Self::BankCard(card.checked()?))
            }
            Some(proto::destination::Kind::WalletAddress(address)) => {
                let address = WalletAddress {
                    network: address.network,
                    address: address.address,
                };
                Ok(Self::WalletAddress(address.checked()?))
            }
            None => Err(Refusal::invalid("kind")),
        }
    }
}

impl From<MonthSummary> for proto::MonthSummary {
    fn from(summary: MonthSummary) -> Self {
        let by_type = summary
            .by_type
            .into_iter()
            .map(|(kind, sum)| proto::TypeSum {
                r#type: kind.to_wire(),
                amount_minor: sum.minor(),
            });
        Self {
            month: summary.month,
            income_minor: summary.income.minor(),
            expense_minor: summary.expense.minor(),
            by_type: by_type.collect(),
        }
    }
}

/// The decision in a request of this member of staff.
pub fn decision(staff: Staff, request: &proto::DecideApprovalRequest) -> Result<Deciding, Refusal> {
    let choice = Choice::required(request.decision, "decision")?;
    let reason = bounded_text(&request.reason, "reason")?;
    if reason.is_empty() {
        return Err(Refusal::invalid("reason"));
    }
    Ok(Deciding {
        id: wire::id(&request.approval_id, "id")?,
        by: StaffId(staff.id),
        choice,
        reason,
        digest: idempotency::digest(request),
    })
}

impl From<Approval> for proto::Approval {
    fn from(approval: Approval) -> Self {
        let expires_at = approval.expires_at();
        let (decided_by, decided_at) = approval.decided.unzip();
        let failure = approval
            .failure
            .map(|failure| failure.reason.as_str().to_owned());
        Self {
            id: approval.id.to_string(),
            action: approval.kind.to_wire(),
            user_id: approval.user_id.to_string(),
            withdrawal_id: text(approval.reference),
            amount_minor: approval.amount,
            remark: approval.remark,
            request_reason: approval.request_reason,
            requested_by: approval.requested_by.to_string(),
            requested_at: Some(timestamp(approval.requested_at)),
            expires_at: Some(timestamp(expires_at)),
            state: approval.state.to_wire(),
            decided_by: text(decided_by),
            decided_at: decided_at.map(timestamp),
            decision_reason: approval.decision_reason,
            transaction_id: text(approval.transaction_id),
            failure: failure.unwrap_or_default(),
        }
    }
}

impl From<&WasReset> for proto::ResetPayPasswordResponse {
    fn from(_: &WasReset) -> Self {
        Self {}
    }
}

/// An id that may be absent.
fn text(id: Option<impl ToString>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}
