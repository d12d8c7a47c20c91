//! Transactions: what a step leaves in the books, and the chain that it continues.

use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};

use super::command::Cause;
use super::entity::{Balances, Step};
use super::outcome::{Booked, Refused};
use crate::chain::details::Columns;
use crate::chain::entity::{Hash, Sealing};
use crate::flow::entity::{Account, FlowType};
use crate::ids::{ReferenceId, TransactionId};
use crate::property::entity::Property;

/// A user's wallet with the end of the user's chain.
#[derive(Clone, Copy, Debug)]
pub struct Wallet {
    pub figures: Property,
    /// Number of the last transaction; 0 before the first.
    pub seq: i64,
    /// Hash of the last transaction.
    pub chain_head: Hash,
    /// None before the first transaction.
    pub last_posted_at: Option<DateTime<Utc>>,
}

/// A transaction as it is written.
#[derive(Clone, Debug)]
pub struct Transaction {
    pub user_id: UserId,
    pub seq: i64,
    pub id: TransactionId,
    pub posted_at: DateTime<Utc>,
    pub step: Step,
    pub after: Balances,
    /// The hash of what the canonical text of the chain does not name.
    pub details: Hash,
    pub previous_hash: Hash,
    pub hash: Hash,
}

impl Wallet {
    /// Takes a step: the transaction that it becomes, with the next number and the next hash.
    pub fn book(
        &mut self,
        user_id: UserId,
        id: TransactionId,
        (step, cause): (Step, &Cause<'_>),
        now: DateTime<Utc>,
    ) -> Result<Transaction, Refused> {
        let figures = step.apply_to(&self.figures)?;
        let seq = self.seq.saturating_add(1);
        // Replicas' clocks differ a little; a user's time must not run back.
        let posted_at = self.last_posted_at.map_or(now, |last| last.max(now));
        let details = step.columns(cause).details().hash;
        let sealing = Sealing {
            user_id,
            seq,
            posted_at,
            id,
            kind: step.kind.as_str(),
            changes: step.change.to_array(),
            details: Some(&details),
        };
        let transaction = Transaction {
            user_id,
            seq,
            id,
            posted_at,
            step,
            after: figures.balances(),
            details,
            previous_hash: self.chain_head,
            hash: sealing.hash_after(&self.chain_head),
        };
        *self = Self {
            figures,
            seq,
            chain_head: transaction.hash,
            last_posted_at: Some(posted_at),
        };
        Ok(transaction)
    }
}

impl Step {
    /// What the books keep of it that the canonical text of the chain does not name.
    fn columns<'a>(&self, cause: &Cause<'a>) -> Columns<'a> {
        Columns {
            platform_account: self.platform_account().map(Account::as_str),
            platform_change: self.platform_change(),
            fee: self.fee,
            flow_type: self.flow_type().map(FlowType::as_str),
            order_id: cause.order_id,
            order_version: cause.order_version,
            reference: cause.reference,
            idempotency_key: cause.idempotency_key,
            request_digest: cause.request_digest,
            staff_id: cause.staff_id,
            remark: cause.remark,
        }
    }

    /// The platform's account that changes, if any.
    pub fn platform_account(&self) -> Option<Account> {
        let account = self.kind.platform_account();
        account.filter(|_| self.platform_change() != 0)
    }

    /// How the fund details show it: none where the account that this type is about does not change.
    pub fn flow_type(&self) -> Option<FlowType> {
        let flow_type = self.kind.flow_type()?;
        let change = match flow_type.account() {
            Account::ToBeConsumed => self.change.to_be_consumed,
            _ => self.change.available,
        };
        (change != 0).then_some(flow_type)
    }
}

impl Transaction {
    /// The part that answers to callers contain.
    pub fn booked(&self, reference: Option<ReferenceId>) -> Booked {
        Booked {
            id: self.id,
            posted_at: self.posted_at,
            available_after: self.after.available,
            hash: self.hash,
            reference,
        }
    }
}
