//! Requests for approval between the wire's types and wallet's.

use adfolio_kit::idempotency;
use adfolio_kit::identity::Staff;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::wallet::v1 as proto;

use crate::approval::Deciding;
use crate::approval::entity::{Approval, Choice, State};
use crate::error::WalletError;
use crate::posting::movement::{MovementKind, bounded_text};

/// The filter of a list.
pub(super) fn state_filter(number: i32) -> Result<Option<State>, Refusal> {
    let state = proto::ApprovalState::try_from(number);
    Ok(match state.map_err(|_| Refusal::invalid("state"))? {
        proto::ApprovalState::Unspecified => None,
        proto::ApprovalState::Pending => Some(State::Pending),
        proto::ApprovalState::Approved => Some(State::Approved),
        proto::ApprovalState::Rejected => Some(State::Rejected),
        proto::ApprovalState::Expired => Some(State::Expired),
        proto::ApprovalState::Failed => Some(State::Failed),
    })
}

/// What a member of staff decides, checked.
pub(super) fn decision(
    staff: Staff,
    request: &proto::DecideApprovalRequest,
) -> Result<Deciding, Refusal> {
    let choice = match proto::ApprovalDecision::try_from(request.decision) {
        Ok(proto::ApprovalDecision::Approved) => Choice::Approved,
        Ok(proto::ApprovalDecision::Rejected) => Choice::Rejected,
        _ => return Err(Refusal::invalid("decision")),
    };
    let reason = bounded_text(&request.reason, "reason")?;
    if choice == Choice::Rejected && reason.is_empty() {
        return Err(Refusal::invalid("reason"));
    }
    Ok(Deciding {
        id: wire::id(&request.approval_id, "id")?,
        by: staff.id,
        choice,
        reason,
        digest: idempotency::digest(request),
    })
}

/// A request as staff see it.
pub(super) fn shown(approval: Approval) -> Result<proto::Approval, WalletError> {
    let action = action(approval.kind)?;
    let expires_at = approval.expires_at();
    let (decided_by, decided_at) = approval.decided.unzip();
    let state = match approval.state {
        State::Pending => proto::ApprovalState::Pending,
        State::Approved => proto::ApprovalState::Approved,
        State::Rejected => proto::ApprovalState::Rejected,
        State::Expired => proto::ApprovalState::Expired,
        State::Failed => proto::ApprovalState::Failed,
    };
    let id_or_empty = |id: Option<uuid::Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
    Ok(proto::Approval {
        id: approval.id.to_string(),
        action: action.into(),
        user_id: approval.user_id.to_string(),
        withdrawal_id: id_or_empty(approval.reference),
        amount_minor: approval.amount,
        remark: approval.remark,
        request_reason: approval.request_reason,
        requested_by: approval.requested_by.to_string(),
        requested_at: Some(wire::timestamp(approval.requested_at)),
        expires_at: Some(wire::timestamp(expires_at)),
        state: state.into(),
        decided_by: id_or_empty(decided_by),
        decided_at: decided_at.map(wire::timestamp),
        decision_reason: approval.decision_reason,
        transaction_id: id_or_empty(approval.transaction_id),
        failure: approval
            .failure
            .map(|failure| failure.reason.as_str().to_owned())
            .unwrap_or_default(),
    })
}

fn action(kind: MovementKind) -> Result<proto::ApprovalAction, WalletError> {
    match kind {
        MovementKind::Deposit => Ok(proto::ApprovalAction::Deposit),
        MovementKind::Chargeback => Ok(proto::ApprovalAction::Chargeback),
        MovementKind::RechargeDeduction => Ok(proto::ApprovalAction::RechargeDeduction),
        MovementKind::Membership => Ok(proto::ApprovalAction::Membership),
        MovementKind::StartUpGrant => Ok(proto::ApprovalAction::StartUpGrant),
        MovementKind::StartUpReturn => Ok(proto::ApprovalAction::StartUpReturn),
        MovementKind::WithdrawalPaid => Ok(proto::ApprovalAction::WithdrawalPaid),
        // The schema keeps what no member of staff asks for out.
        MovementKind::Withdraw
        | MovementKind::WithdrawalRejected
        | MovementKind::ExchangeDebit
        | MovementKind::ExchangeReturn
        | MovementKind::ExchangeCredit => Err(WalletError::Unreadable("kind of an approval")),
    }
}
