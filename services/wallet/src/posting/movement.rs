//! Commands that move money by a key: what staff post, what users withdraw, what exchange orders take and give.

use adfolio_kit::audit::Actor;
use adfolio_kit::identity::{Caller, IdempotencyKey, Staff, UserId};
use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::amount::amount_between;
use crate::destination::entity::Method;
use crate::destination::seal::Sealed;
use crate::ids::{ExchangeId, PaymentBatchId, ReferenceId, WithdrawalId};
use crate::outflow::{self, Exit, Outflow};

/// Characters of a remark at most.
const LONGEST_REMARK: usize = 500;

names! {
    /// What moves. The names are those of the books.
    MovementKind as "transaction_type" {
        /// Staff credit money.
        Deposit,
        /// A user asks for a withdrawal.
        Withdraw,
        /// A withdrawal left.
        WithdrawalPaid,
        /// A withdrawal came back.
        WithdrawalRejected,
        /// A disputed payment is taken back.
        Chargeback,
        /// A virtual recharge is taken back.
        RechargeDeduction,
        /// A membership fee.
        Membership,
        /// An exchange order takes money.
        ExchangeDebit,
        /// An exchange order gives back what it took.
        ExchangeReturn,
        /// An exchange order brings money.
        ExchangeCredit,
        /// Start-up funds are given.
        StartUpGrant,
        /// Start-up funds are returned.
        StartUpReturn,
        /// Money of the user becomes the guarantee.
        GuaranteeDeposit,
        /// The guarantee, or a part of it, is given back.
        GuaranteeReturn,
    }
}

impl MovementKind {
    /// The name in the audit log.
    pub fn audited_as(self) -> &'static str {
        match self {
            Self::Deposit => "wallet.deposit",
            Self::Chargeback => "wallet.chargeback",
            Self::RechargeDeduction => "wallet.recharge_deduction",
            Self::Membership => "wallet.membership",
            Self::StartUpGrant => "wallet.start_up_grant",
            Self::StartUpReturn => "wallet.start_up_return",
            Self::GuaranteeDeposit => "wallet.guarantee_deposit",
            Self::GuaranteeReturn => "wallet.guarantee_return",
            Self::WithdrawalPaid => "wallet.withdrawal_paid",
            Self::WithdrawalRejected => "wallet.withdrawal_rejected",
            Self::Withdraw | Self::ExchangeDebit | Self::ExchangeReturn | Self::ExchangeCredit => {
                ""
            }
        }
    }
}

/// A movement as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    pub kind: MovementKind,
    /// The key that makes a repeated command one command, with its scope.
    pub key: String,
    /// SHA-256 of what is asked for.
    pub digest: [u8; 32],
    /// How much; zero for a decision, which moves what was asked for.
    pub amount: Money,
    /// Shown to the user.
    pub remark: String,
    /// The member of staff who posts it, and what the audit log will say besides its figures.
    pub actor: Option<Actor>,
    /// Whether it may open the wallet, because the user is known to exist.
    pub opens_wallet: bool,
    /// The withdrawal or exchange order.
    pub reference: Option<ReferenceId>,
    /// What a return closes before its debit has arrived: the exchange order, or an attempt to debit it once more.
    pub closable: Option<ReferenceId>,
    /// The key of the debit that a return gives back.
    pub debit_key: Option<String>,
    /// What a user's withdrawal keeps besides its amount.
    pub withdrawal: Option<NewWithdrawal>,
    /// The payment batch that it is a part of: what is in a batch is paid by that alone.
    pub payment_batch: Option<PaymentBatchId>,
    /// How it leaves; none of what does not leave.
    pub outflow: Option<Outflow>,
}

/// What a withdrawal keeps besides its amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWithdrawal {
    /// Kept by the platform.
    pub fee: Money,
    pub method: Method,
    /// Where it goes.
    pub sealed: Sealed,
}

names! {
    /// A step of an exchange order.
    ExchangeStep {
        /// Takes money.
        Debit,
        /// Gives back what was taken. Before anything was taken it closes the order: a debit that comes later is refused.
        Return,
        /// Brings money.
        Credit,
        /// Takes money once more, after what was taken has been given back: the acceptor paid late.
        LateDebit,
        /// To a late debit what a return is to the first.
        LateReturn,
    }
}

impl Movement {
    /// What staff post to a user's wallet. A call without a key is a posting of its own each time, so it gets `fresh`
    /// as its key: the posting may then still be repeated inside the service.
    pub fn by_staff(
        kind: MovementKind,
        user_id: UserId,
        (staff, caller): (Staff, &Caller),
        fresh: Uuid,
        amount: i64,
        remark: &str,
    ) -> Result<Self, Refusal> {
        let amount = amount_between(Money::from_minor(1), amount, "amount")?;
        let remark = bounded_text(remark, "remark")?;
        let mut digest = Sha256::new();
        // Deposits were the first kind: their digests have no kind in front.
        if kind != MovementKind::Deposit {
            digest.update(kind.as_str());
        }
        digest.update(user_id.0.as_bytes());
        digest.update(amount.minor().to_be_bytes());
        digest.update(remark.as_bytes());
        Ok(Self {
            key: staff_key(staff, caller.idempotency_key.as_ref(), fresh),
            amount,
            remark,
            actor: Some(Actor::calling(staff, caller)),
            ..Self::new(kind, digest.finalize().into())
        })
    }

    /// Under the key of a line of an account statement, which makes it one deposit whoever posts it. The digest says
    /// which line: two alike are two deposits.
    #[must_use]
    pub fn of_bank_line(mut self, key: &str) -> Self {
        let digest = Sha256::new().chain_update(self.digest).chain_update(key);
        self.digest = digest.finalize().into();
        key.clone_into(&mut self.key);
        self
    }

    /// A decision about a withdrawal; `kind` says which.
    pub fn decision(
        kind: MovementKind,
        withdrawal_id: WithdrawalId,
        (staff, caller): (Staff, &Caller),
        fresh: Uuid,
        reason: &str,
    ) -> Result<Self, Refusal> {
        let reason = bounded_text(reason, "reason")?;
        let is_rejection = kind == MovementKind::WithdrawalRejected;
        if is_rejection && reason.is_empty() {
            return Err(Refusal::invalid("reason"));
        }
        let mut digest = Sha256::new();
        digest.update(kind.as_str());
        digest.update(withdrawal_id.0.as_bytes());
        digest.update(reason.as_bytes());
        let mut actor = Actor::calling(staff, caller);
        if !reason.is_empty() {
            actor.reason.clone_from(&reason);
        }
        Ok(Self {
            key: staff_key(staff, caller.idempotency_key.as_ref(), fresh),
            // Why a withdrawal was paid is for the audit log alone.
            remark: if is_rejection { reason } else { String::new() },
            actor: Some(actor),
            reference: Some(ReferenceId(withdrawal_id.0)),
            ..Self::new(kind, digest.finalize().into())
        })
    }

    /// The payment of a withdrawal by its batch, whoever posts it.
    pub fn batch_payment(
        batch: PaymentBatchId,
        withdrawal_id: WithdrawalId,
        (staff, caller): (Staff, &Caller),
        reason: &str,
    ) -> Self {
        let kind = MovementKind::WithdrawalPaid;
        let mut digest = Sha256::new();
        digest.update(batch.0.as_bytes());
        digest.update(withdrawal_id.0.as_bytes());
        let mut actor = Actor::calling(staff, caller);
        reason.clone_into(&mut actor.reason);
        Self {
            key: format!("payment_batch:{batch}:{withdrawal_id}"),
            actor: Some(actor),
            reference: Some(ReferenceId(withdrawal_id.0)),
            payment_batch: Some(batch),
            ..Self::new(kind, digest.finalize().into())
        }
    }

    /// A user's cancellation of a withdrawal: a rejection without a reason, which staff cannot make.
    pub fn cancellation(user_id: UserId, withdrawal_id: WithdrawalId) -> Self {
        let mut digest = Sha256::new();
        digest.update(user_id.0.as_bytes());
        digest.update(withdrawal_id.0.as_bytes());
        Self {
            key: format!("withdraw_cancel:{withdrawal_id}"),
            reference: Some(ReferenceId(withdrawal_id.0)),
            ..Self::new(MovementKind::WithdrawalRejected, digest.finalize().into())
        }
    }

    /// A user's own return of start-up funds; without a key of the caller's each call is one of its own.
    pub fn start_up_return(
        user_id: UserId,
        amount: i64,
        key: Option<&IdempotencyKey>,
        fresh: Uuid,
    ) -> Result<Self, Refusal> {
        let amount = amount_between(Money::from_minor(1), amount, "amount")?;
        let mut digest = Sha256::new();
        digest.update(user_id.0.as_bytes());
        digest.update(amount.minor().to_be_bytes());
        Ok(Self {
            key: format!("start_up_return:{user_id}:{}", marked(key, fresh)),
            amount,
            ..Self::new(MovementKind::StartUpReturn, digest.finalize().into())
        })
    }

    /// A user's withdrawal, by its id and the key of [`Movement::withdrawal_key`].
    pub fn withdrawal(
        (withdrawal_id, key): (WithdrawalId, String),
        digest: [u8; 32],
        amount: Money,
        withdrawal: NewWithdrawal,
        rules: outflow::Rules,
    ) -> Self {
        let exit = Exit::from(withdrawal.method);
        Self {
            key,
            amount,
            reference: Some(ReferenceId(withdrawal_id.0)),
            outflow: Some(Outflow { exit, rules }),
            withdrawal: Some(withdrawal),
            ..Self::new(MovementKind::Withdraw, digest)
        }
    }

    /// What a withdrawal asks for; never the password: the digest of one of a million would give it away.
    pub fn withdrawal_digest(user_id: UserId, amount: Money, method: &str) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(user_id.0.as_bytes());
        digest.update(amount.minor().to_be_bytes());
        digest.update(method);
        digest.finalize().into()
    }

    /// The key of a user's withdrawal; without one of the caller's each call is a withdrawal of its own.
    pub fn withdrawal_key(user_id: UserId, key: Option<&IdempotencyKey>, fresh: Uuid) -> String {
        format!("withdraw:{user_id}:{}", marked(key, fresh))
    }

    /// A step of an exchange order; a late one is keyed by its attempt.
    pub fn exchange(
        user_id: UserId,
        (exchange_id, attempt_id): (ExchangeId, Option<ReferenceId>),
        step: ExchangeStep,
        amount: i64,
        rules: outflow::Rules,
    ) -> Result<Self, Refusal> {
        let amount = amount_between(Money::from_minor(1), amount, "amount_minor")?;
        let kind = match step {
            ExchangeStep::Debit | ExchangeStep::LateDebit => MovementKind::ExchangeDebit,
            ExchangeStep::Return | ExchangeStep::LateReturn => MovementKind::ExchangeReturn,
            ExchangeStep::Credit => MovementKind::ExchangeCredit,
        };
        let closable = match (step, attempt_id) {
            (ExchangeStep::LateDebit | ExchangeStep::LateReturn, Some(attempt_id)) => attempt_id,
            (ExchangeStep::LateDebit | ExchangeStep::LateReturn, None) => {
                return Err(Refusal::invalid("attempt_id"));
            }
            _ => ReferenceId(exchange_id.0),
        };
        let key = |kind: MovementKind| format!("{}:{closable}", kind.as_str());
        let mut digest = Sha256::new();
        digest.update(user_id.0.as_bytes());
        digest.update(amount.minor().to_be_bytes());
        Ok(Self {
            key: key(kind),
            amount,
            reference: Some(ReferenceId(exchange_id.0)),
            closable: Some(closable),
            debit_key: (kind == MovementKind::ExchangeReturn)
                .then(|| key(MovementKind::ExchangeDebit)),
            outflow: (kind == MovementKind::ExchangeDebit).then_some(Outflow {
                exit: Exit::Exchange,
                rules,
            }),
            ..Self::new(kind, digest.finalize().into())
        })
    }

    fn new(kind: MovementKind, digest: [u8; 32]) -> Self {
        Self {
            kind,
            key: String::new(),
            digest,
            amount: Money::ZERO,
            remark: String::new(),
            actor: None,
            opens_wallet: false,
            reference: None,
            closable: None,
            debit_key: None,
            withdrawal: None,
            payment_batch: None,
            outflow: None,
        }
    }
}

/// All postings of a member of staff share one scope of keys; it bears the name of the first kind there was.
fn staff_key(staff: Staff, key: Option<&IdempotencyKey>, fresh: Uuid) -> String {
    format!("deposit:{}:{}", staff.id, marked(key, fresh))
}

/// The marks keep a caller's key and a made-up one apart.
fn marked(key: Option<&IdempotencyKey>, fresh: Uuid) -> String {
    key.map_or_else(|| format!("new:{fresh}"), |key| format!("key:{key}"))
}

/// A text that people read, trimmed.
pub fn bounded_text(text: &str, field: &'static str) -> Result<String, Refusal> {
    let text = text.trim();
    if text.chars().count() > LONGEST_REMARK || text.contains('\0') {
        return Err(Refusal::invalid(field));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use adfolio_kit::identity::StaffRole;

    use super::*;
    use crate::posting::amount::LARGEST_AMOUNT;

    fn staff() -> Staff {
        Staff {
            id: Uuid::from_u128(7),
            role: StaffRole::Finance,
        }
    }

    fn posting(
        kind: MovementKind,
        user: u128,
        amount: i64,
        remark: &str,
    ) -> Result<Movement, Refusal> {
        let caller = Caller::system().with_key(Some("k".parse().expect("a key")));
        let id = Uuid::from_u128(user);
        Movement::by_staff(kind, UserId(id), (staff(), &caller), id, amount, remark)
    }

    fn field(outcome: Result<Movement, Refusal>) -> String {
        outcome.expect_err("a refusal").field.expect("a field")
    }

    #[test]
    fn amounts_and_remarks_are_bounded() {
        let deposit = |amount, remark: &str| posting(MovementKind::Deposit, 1, amount, remark);
        for amount in [i64::MIN, -1, 0, LARGEST_AMOUNT.minor() + 1, i64::MAX] {
            assert_eq!(field(deposit(amount, "")), "amount");
        }
        assert!(deposit(LARGEST_AMOUNT.minor(), "").is_ok());
        assert!(deposit(5, &"ü".repeat(500)).is_ok());
        assert_eq!(field(deposit(5, &"ü".repeat(501))), "remark");
        assert_eq!(field(deposit(5, "a\0b")), "remark");
        assert_eq!(
            deposit(5, " a ").expect("fits").remark,
            deposit(5, "a").expect("fits").remark
        );
    }

    #[test]
    fn keys_are_scoped_by_staff_and_digests_tell_requests_apart() {
        let parts = |kind, user, amount, remark: &str| {
            let movement = posting(kind, user, amount, remark).expect("a posting");
            (movement.key, movement.digest)
        };
        let first = parts(MovementKind::Deposit, 1, 5, "a");
        assert_eq!(first, parts(MovementKind::Deposit, 1, 5, "a"));
        for other in [
            parts(MovementKind::Deposit, 2, 5, "a"),
            parts(MovementKind::Deposit, 1, 6, "a"),
            parts(MovementKind::Deposit, 1, 5, "b"),
            parts(MovementKind::Chargeback, 1, 5, "a"),
            parts(MovementKind::Membership, 1, 5, "a"),
        ] {
            assert_eq!(first.0, other.0);
            assert_ne!(first.1, other.1);
        }
    }

    #[test]
    fn a_rejection_needs_a_reason() {
        let caller = Caller::system();
        let decide = |kind, reason| {
            let id = Uuid::from_u128(3);
            Movement::decision(kind, WithdrawalId(id), (staff(), &caller), id, reason)
        };
        assert!(decide(MovementKind::WithdrawalRejected, "  ").is_err());
        assert!(decide(MovementKind::WithdrawalPaid, "").is_ok());
        let rejected = decide(MovementKind::WithdrawalRejected, "wrong bank").expect("a decision");
        assert_eq!(rejected.remark, "wrong bank");
    }
}
