//! Requests of staff that wait for another member of staff.

use adfolio_kit::audit::Actor;
use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use crate::ids::{ApprovalId, ReferenceId, StaffId, TransactionId, WithdrawalId};
use crate::posting::command::{Action, Command};
use crate::posting::movement::{Movement, MovementKind};

/// A request older than this cannot be approved any more.
pub const LIFETIME: TimeDelta = TimeDelta::days(7);

names! {
    /// Where a request stands.
    State as "approval_state" {
        /// Waits for another member of staff.
        Pending,
        /// Approved and posted.
        Approved,
        /// Rejected; nothing was posted.
        Rejected,
        /// Nobody decided in time; nothing was posted.
        Expired,
        /// Approved when it could no longer be posted; nothing was.
        Failed,
    }
}

names! {
    /// What a second member of staff says.
    Choice {
        /// It is posted.
        Approved,
        /// It is not.
        Rejected,
    }
}

/// Whether a decision is still to be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nobody has decided yet.
    Now,
    /// The same member of staff has decided the same before.
    Before,
}

/// A request with the whole posting that was asked for.
#[derive(Clone, Debug)]
pub struct Approval {
    pub id: ApprovalId,
    pub kind: MovementKind,
    pub user_id: UserId,
    /// The withdrawal to pay.
    pub reference: Option<WithdrawalId>,
    /// How much; of a withdrawal all of it.
    pub amount: i64,
    /// What the user will be shown.
    pub remark: String,
    /// The key that the posting has had from the beginning.
    pub posting_key: String,
    /// SHA-256 of what was asked for.
    pub request_digest: Vec<u8>,
    /// Why it was asked for and by which call: what the audit log will say of the posting.
    pub request_reason: String,
    pub request_id: String,
    pub requested_by: StaffId,
    pub requested_at: DateTime<Utc>,
    pub state: State,
    /// Who decided, and when.
    pub decided: Option<(StaffId, DateTime<Utc>)>,
    pub decision_reason: String,
    pub transaction_id: Option<TransactionId>,
    pub failure: Option<Failure>,
}

/// Why an approved posting was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub reason: Reason,
    /// The offending input.
    pub field: Option<String>,
}

impl Failure {
    fn refusal(&self) -> Refusal {
        Refusal {
            field: self.field.clone(),
            ..Refusal::new(self.reason)
        }
    }
}

impl Approval {
    /// The posting exactly as it was asked for. Its user was known to exist then, so it may open the wallet.
    pub fn command(&self) -> Result<Command, BrokenDigest> {
        let movement = Movement {
            kind: self.kind,
            key: self.posting_key.clone(),
            digest: self
                .request_digest
                .as_slice()
                .try_into()
                .map_err(|_| BrokenDigest)?,
            // A paid withdrawal moves what was asked for.
            amount: match self.reference {
                Some(_) => Money::ZERO,
                None => Money::from_minor(self.amount),
            },
            remark: self.remark.clone(),
            actor: Some(Actor {
                staff_id: self.requested_by.0,
                reason: self.request_reason.clone(),
                request_id: self.request_id.clone(),
            }),
            opens_wallet: self.reference.is_none(),
            reference: self.reference.map(|id| ReferenceId(id.0)),
            debit_key: None,
            closable: None,
            withdrawal: None,
            payment_batch: None,
            outflow: None,
        };
        Ok(Command {
            user_id: self.user_id,
            action: Action::Move(Box::new(movement)),
        })
    }

    /// From then on it cannot be approved.
    pub fn expires_at(&self) -> DateTime<Utc> {
        // Out of range only some hundred thousand years from now.
        self.requested_at
            .checked_add_signed(LIFETIME)
            .unwrap_or(self.requested_at)
    }

    /// The answer to a repeat of the call that asked: the refusal, or none when the posting stands and answers itself.
    pub fn answer_to_repeat(&self, digest: &[u8]) -> Result<(), Refusal> {
        if self.request_digest != digest {
            return Err(Refusal::new(Reason::IdempotencyKeyReused));
        }
        match (self.state, &self.failure) {
            (State::Approved, _) => Ok(()),
            (State::Failed, Some(failure)) => Err(failure.refusal()),
            _ => Err(self.required()),
        }
    }

    /// The refusal of a posting that is kept for another member of staff.
    pub fn required(&self) -> Refusal {
        let state = self.state.as_str();
        Refusal::new(Reason::ApprovalRequired).detail(format!("approval {} is {state}", self.id))
    }

    /// Whether `by` may decide so now. The requester never may, and a decision stands.
    pub fn verdict(
        &self,
        by: StaffId,
        choice: Choice,
        now: DateTime<Utc>,
    ) -> Result<Verdict, Refusal> {
        if by == self.requested_by {
            return Err(Refusal::new(Reason::Forbidden)
                .field("requested_by")
                .detail("the requester cannot decide"));
        }
        if self.state == State::Pending && now < self.expires_at() {
            return Ok(Verdict::Now);
        }
        let is_theirs = self.decided.is_some_and(|(decider, _)| decider == by);
        match (self.state, choice, &self.failure) {
            (State::Approved, Choice::Approved, _) | (State::Rejected, Choice::Rejected, _)
                if is_theirs =>
            {
                Ok(Verdict::Before)
            }
            (State::Failed, Choice::Approved, Some(failure)) if is_theirs => Err(failure.refusal()),
            _ => Err(Refusal::new(Reason::NothingChanged)),
        }
    }

    /// Approved: with the transaction that it became, or why it became none.
    pub fn approve(
        &mut self,
        by: (StaffId, DateTime<Utc>),
        reason: String,
        posted: Result<TransactionId, Refusal>,
    ) {
        (self.decided, self.decision_reason) = (Some(by), reason);
        match posted {
            Ok(transaction) => {
                (self.state, self.transaction_id) = (State::Approved, Some(transaction));
            }
            Err(refusal) => {
                self.state = State::Failed;
                self.failure = Some(Failure {
                    reason: refusal.reason,
                    field: refusal.field,
                });
            }
        }
    }

    pub fn reject(&mut self, by: (StaffId, DateTime<Utc>), reason: String) {
        (self.decided, self.decision_reason) = (Some(by), reason);
        self.state = State::Rejected;
    }

    /// The refusal that became of it, if its posting was refused.
    pub fn failed(&self) -> Option<Refusal> {
        self.failure.as_ref().map(Failure::refusal)
    }

    /// What the audit log says of it.
    pub fn audited(&self) -> serde_json::Value {
        json!({
            "state": self.state.as_str(), "action": self.kind.as_str(), "amount_minor": self.amount,
            "withdrawal_id": self.reference.map(|id| id.0), "remark": self.remark,
            "requested_by": self.requested_by.0, "transaction_id": self.transaction_id.map(|id| id.0),
            "failure": self.failure.as_ref().map(|failure| failure.reason.as_str()),
        })
    }

    /// What has just happened to it, as the audit log names it.
    pub fn audited_as(&self) -> &'static str {
        match self.state {
            State::Pending => "wallet.approval_requested",
            State::Approved => "wallet.approval_approved",
            State::Rejected => "wallet.approval_rejected",
            State::Expired => "wallet.approval_expired",
            State::Failed => "wallet.approval_failed",
        }
    }
}

/// The stored digest is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenDigest;

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ASKED: StaffId = StaffId(Uuid::from_u128(1));
    const OTHER: StaffId = StaffId(Uuid::from_u128(2));
    const THIRD: StaffId = StaffId(Uuid::from_u128(3));

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).expect("a time")
    }

    fn pending() -> Approval {
        Approval {
            id: ApprovalId(Uuid::from_u128(9)),
            kind: MovementKind::Deposit,
            user_id: UserId(Uuid::from_u128(8)),
            reference: None,
            amount: 500,
            remark: String::new(),
            posting_key: "k".to_owned(),
            request_digest: vec![7; 32],
            request_reason: String::new(),
            request_id: String::new(),
            requested_by: ASKED,
            requested_at: at(0),
            state: State::Pending,
            decided: None,
            decision_reason: String::new(),
            transaction_id: None,
            failure: None,
        }
    }

    #[test]
    fn whoever_asked_never_decides() {
        let mut approval = pending();
        for state in [State::Pending, State::Approved, State::Expired] {
            approval.state = state;
            for choice in [Choice::Approved, Choice::Rejected] {
                let refusal = approval
                    .verdict(ASKED, choice, at(1))
                    .expect_err("a refusal");
                assert_eq!(refusal.reason, Reason::Forbidden);
                assert_eq!(refusal.field.as_deref(), Some("requested_by"));
            }
        }
    }

    #[test]
    fn a_decision_stands_and_answers_its_decider_alone() {
        let mut approval = pending();
        let asked = |approval: &Approval, by, choice| {
            let verdict = approval.verdict(by, choice, at(1));
            verdict.map_err(|refusal| refusal.reason)
        };
        assert_eq!(asked(&approval, OTHER, Choice::Approved), Ok(Verdict::Now));
        approval.approve(
            (OTHER, at(1)),
            String::new(),
            Ok(TransactionId(Uuid::from_u128(5))),
        );
        assert_eq!(
            asked(&approval, OTHER, Choice::Approved),
            Ok(Verdict::Before)
        );
        for (by, choice) in [(OTHER, Choice::Rejected), (THIRD, Choice::Approved)] {
            assert_eq!(asked(&approval, by, choice), Err(Reason::NothingChanged));
        }
        let mut failed = pending();
        let refused = Refusal::new(Reason::InsufficientBalance).field("amount");
        failed.approve((OTHER, at(1)), String::new(), Err(refused.clone()));
        assert_eq!(
            failed.verdict(OTHER, Choice::Approved, at(1)),
            Err(refused.clone())
        );
        assert_eq!(failed.answer_to_repeat(&[7; 32]), Err(refused));
        assert_eq!(
            asked(&failed, THIRD, Choice::Approved),
            Err(Reason::NothingChanged)
        );
    }

    #[test]
    fn what_waited_for_a_week_cannot_be_approved() {
        let approval = pending();
        let end = approval.expires_at();
        let before = end - TimeDelta::microseconds(1);
        let verdict = |now| approval.verdict(OTHER, Choice::Approved, now);
        assert_eq!(verdict(before), Ok(Verdict::Now));
        assert_eq!(
            verdict(end).map_err(|refusal| refusal.reason),
            Err(Reason::NothingChanged)
        );
    }
}
