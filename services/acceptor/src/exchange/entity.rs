//! An exchange order and the ways its state can change.

use adfolio_kit::identity::{IdempotencyKey, UserId};
use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::saga::Lease;
use adfolio_money::Money;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::acceptance::entity::{Currency, Direction};
use crate::acceptance::rate::Rate;
use crate::acceptor::entity::Kind;
use crate::ids::{AcceptorId, AttemptId, ExchangeId, OfferId, StaffId};

/// How long after an order has ended otherwise it may still be completed.
const LATE_FOR: TimeDelta = TimeDelta::days(30);

names! {
    /// Where an order stands, as stored.
    State {
        /// Wallet is being asked for the money.
        Placing,
        /// Refused for good, but an earlier attempt may still debit the wallet: the money has to come back.
        Undoing,
        /// Refused, with nothing left behind.
        Refused,
        /// Open: the acceptor has to decide.
        Pending,
        /// Decided as completed; wallet is still to post.
        Completing,
        /// Decided as cancelled; wallet is still to post.
        Cancelling,
        /// Decided as expired; wallet is still to post.
        Expiring,
        /// Both sides have their money.
        Completed,
        /// Called off; what wallet gave is back.
        Cancelled,
        /// Not decided in time; what wallet gave is back.
        Expired,
    }
}

names! {
    /// Where an order stands, as shown. A decision shows once wallet has posted what follows from it.
    Status {
        /// Open.
        Pending,
        /// Both sides have their money.
        Completed,
        /// Called off.
        Cancelled,
        /// Not decided in time.
        Expired,
    }
}

names! {
    /// How an open order ends.
    Ending {
        /// Both sides have their money.
        Completed,
        /// Called off.
        Cancelled,
        /// Not decided in time.
        Expired,
    }
}

impl State {
    /// Whether nothing is left to be done.
    pub fn is_end(self) -> bool {
        matches!(
            self,
            Self::Refused | Self::Completed | Self::Cancelled | Self::Expired
        )
    }
}

impl Ending {
    fn decided(self) -> State {
        match self {
            Self::Completed => State::Completing,
            Self::Cancelled => State::Cancelling,
            Self::Expired => State::Expiring,
        }
    }

    fn ended(self) -> State {
        match self {
            Self::Completed => State::Completed,
            Self::Cancelled => State::Cancelled,
            Self::Expired => State::Expired,
        }
    }
}

names! {
    /// What wallet has to post for an order.
    Posting {
        /// Money leaves the available balance.
        Debit,
        /// The debit comes back.
        Return,
        /// Money comes in.
        Credit,
        /// Money leaves once more, for a late completion.
        LateDebit,
        /// The debit of a late completion comes back.
        LateReturn,
    }
}

/// What has to happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Post this, if anything, then the order is open.
    Open(Option<Posting>),
    /// Take back what a late attempt may have debited.
    Undo,
    /// Post this, if anything, then the order has ended.
    End(Ending, Option<Posting>),
    /// Nothing.
    Rest,
}

/// With whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterpart {
    pub id: AcceptorId,
    pub name: String,
    pub kind: Kind,
}

/// The keyed call that decided an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndingCall {
    /// Who called: the user or the member of staff.
    pub scope: Uuid,
    /// With which key.
    pub key: IdempotencyKey,
}

/// A completion of an order that had ended otherwise, because its payment came late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Late {
    /// How it had ended, and ends again if wallet refuses the money.
    pub from: Ending,
    /// When it had ended.
    pub ended_at: DateTime<Utc>,
    pub attempt: AttemptId,
}

/// A member of staff who asked for the completion, which takes another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub by: StaffId,
    pub at: DateTime<Utc>,
    pub reason: String,
}

/// What a completion by a member of staff is, as far as four eyes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Nobody has asked for it: it is theirs alone, or they are the first to ask.
    First,
    /// They asked for it themselves, and another one has not decided yet.
    Asked,
    /// They asked for it themselves, and another one has decided so.
    Granted,
    /// Another one asked for it.
    Second(StaffId),
}

/// An exchange order.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Its id. Wallet knows it by this id, too.
    pub id: ExchangeId,
    pub user: UserId,
    pub acceptor: Counterpart,
    /// The offer that it came from.
    pub offer_id: OfferId,
    pub direction: Direction,
    pub currency: Currency,
    /// The offer's rate.
    pub rate: Rate,
    /// The wallet's side.
    pub amount: Money,
    /// The other side.
    pub counter_amount: String,
    pub state: State,
    /// Why it was cancelled.
    pub reason: String,
    pub created_at: DateTime<Utc>,
    /// When it expires unless decided.
    pub expires_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    /// The digest of the request: distinguishes a repeat from a reused key.
    pub request_digest: Vec<u8>,
    /// The first answer.
    pub answer: Option<Vec<u8>>,
    /// Why wallet refused the money: of a refused order, or of the last attempt to complete it late.
    pub refusal: Option<Refusal>,
    /// How it had ended, if it was to be completed late.
    pub late: Option<Late>,
    /// Who asked for the completion, if it takes two.
    pub asked: Option<Asked>,
    /// The keyed call that decided it.
    pub ending_call: Option<EndingCall>,
    /// The lease of the drive that may write. Attempts count from the present step on.
    pub lease: Lease,
}

impl Exchange {
    /// What is shown; none for what users never see.
    pub fn status(&self) -> Option<Status> {
        match self.state {
            State::Placing | State::Undoing | State::Refused => None,
            State::Pending | State::Completing | State::Cancelling | State::Expiring => {
                Some(Status::Pending)
            }
            State::Completed => Some(Status::Completed),
            State::Cancelled => Some(Status::Cancelled),
            State::Expired => Some(Status::Expired),
        }
    }

    /// What has to happen next.
    pub fn next_step(&self) -> Step {
        match self.state {
            State::Placing => Step::Open(self.opening()),
            State::Undoing => Step::Undo,
            State::Completing => self.end(Ending::Completed),
            State::Cancelling => self.end(Ending::Cancelled),
            State::Expiring => self.end(Ending::Expired),
            State::Refused
            | State::Pending
            | State::Completed
            | State::Cancelled
            | State::Expired => Step::Rest,
        }
    }

    /// The answer to the user who asked for it, once that is decided. A refusal is final before everything is given
    /// back.
    pub fn opening_outcome(&self) -> Option<Result<Vec<u8>, Refusal>> {
        match self.state {
            State::Placing => None,
            State::Undoing | State::Refused => Some(Err(self
                .refusal
                .clone()
                .unwrap_or_else(|| Refusal::new(Reason::ExchangeLimit)))),
            _ => self.answer.clone().map(Ok),
        }
    }

    /// What became of the call that decided it: the order once it has ended, or why a late completion was refused, which is
    /// final before everything is given back.
    pub fn decision_outcome(&self) -> Option<Result<Self, Refusal>> {
        let is_refused = !matches!(self.state, State::Completing | State::Completed);
        match &self.refusal {
            Some(refusal) if self.late.is_some() && is_refused => Some(Err(refusal.clone())),
            _ => self.has_ended().then(|| Ok(self.clone())),
        }
    }

    /// What the wallet lacked when the order was to be completed late; none once it is completed.
    pub fn missing(&self) -> Option<Money> {
        let refusal = self.refusal.as_ref().filter(|_| self.late.is_some());
        refusal.and_then(|refusal| refusal.missing)
    }

    /// Whether it has ended and wallet has posted everything.
    pub fn has_ended(&self) -> bool {
        self.finished_at.is_some()
    }

    /// Wallet has given the money, if it had to: the order is open.
    pub fn open(&mut self) {
        if self.state == State::Placing {
            self.state = State::Pending;
        }
    }

    /// Wallet has refused. An attempt that is `in_doubt` may have arrived or may yet arrive there, so the order must be
    /// closed.
    pub fn refuse(&mut self, refusal: Refusal, in_doubt: bool, now: DateTime<Utc>) {
        if self.state == State::Placing {
            self.refusal = Some(refusal);
            self.state = State::Undoing;
            if !in_doubt {
                self.undone(now);
            }
        }
    }

    /// Nothing is left behind of a refused order.
    pub fn undone(&mut self, now: DateTime<Utc>) {
        if self.state == State::Undoing {
            self.state = State::Refused;
            self.finished_at = Some(now);
        }
    }

    /// How it has ended without being completed, and when: none of any other order.
    fn given_up(&self) -> Option<(Ending, DateTime<Utc>)> {
        let ending = match self.state {
            State::Cancelled => Ending::Cancelled,
            State::Expired => Ending::Expired,
            _ => return None,
        };
        Some((ending, self.finished_at?))
    }

    /// Whether staff may complete it: it is open, or ended otherwise so lately that its payment may only be late.
    pub fn is_completable(&self, now: DateTime<Utc>) -> bool {
        self.state == State::Pending
            || self
                .given_up()
                .is_some_and(|(_, ended_at)| now.signed_duration_since(ended_at) < LATE_FOR)
    }

    /// Whether to complete it takes back that it was called off.
    pub fn is_called_off(&self) -> bool {
        self.state == State::Cancelled
    }

    /// What a completion by this member of staff is.
    pub fn completion_by(&self, staff: StaffId) -> Completion {
        let Some(asked) = &self.asked else {
            return Completion::First;
        };
        match self.state {
            State::Pending | State::Cancelled | State::Expired if asked.by == staff => {
                Completion::Asked
            }
            State::Completing | State::Completed if asked.by == staff => Completion::Granted,
            _ => Completion::Second(asked.by),
        }
    }

    /// Keeps that a member of staff asks for the completion. Only the first who asks.
    pub fn ask(&mut self, asked: Asked, now: DateTime<Utc>) -> Result<(), Refusal> {
        if !self.is_completable(now) || self.asked.is_some() {
            return Err(Refusal::new(Reason::NothingChanged));
        }
        self.asked = Some(asked);
        Ok(())
    }

    /// Decides how it ends. Only an open order can be decided, and only once.
    pub fn decide(
        &mut self,
        ending: Ending,
        reason: String,
        call: Option<EndingCall>,
    ) -> Result<(), Refusal> {
        if self.state != State::Pending {
            return Err(Refusal::new(Reason::NothingChanged));
        }
        self.state = ending.decided();
        self.reason = reason;
        self.ending_call = call;
        Ok(())
    }

    /// Completes it although it had ended otherwise. Wallet is still to be asked for the money.
    pub fn reopen(
        &mut self,
        attempt: AttemptId,
        call: Option<EndingCall>,
        now: DateTime<Utc>,
    ) -> Result<(), Refusal> {
        let (from, ended_at) = self
            .given_up()
            .filter(|_| self.is_completable(now))
            .ok_or_else(|| Refusal::new(Reason::NothingChanged))?;
        self.late = Some(Late {
            from,
            ended_at,
            attempt,
        });
        self.state = State::Completing;
        self.finished_at = None;
        self.refusal = None;
        self.ending_call = call;
        Ok(())
    }

    /// Wallet has refused the money of a late completion: the order ends as it had. An attempt that is `in_doubt` has to be
    /// taken back first. The call may be repeated once the money is there.
    pub fn refuse_late(&mut self, refusal: Refusal, in_doubt: bool, now: DateTime<Utc>) {
        let Some(late) = self.late.filter(|_| self.state == State::Completing) else {
            return;
        };
        self.refusal = Some(refusal);
        self.ending_call = None;
        self.state = late.from.decided();
        if !in_doubt {
            self.finish(late.from, now);
        }
    }

    /// Wallet has posted what follows from the decision.
    pub fn finish(&mut self, ending: Ending, now: DateTime<Utc>) {
        if self.state != ending.decided() {
            return;
        }
        self.state = ending.ended();
        self.finished_at = Some(now);
        match (ending, self.late) {
            (Ending::Completed, _) => self.reason.clear(),
            (_, Some(late)) => self.finished_at = Some(late.ended_at),
            // Who asked for the completion before does not count for a late one.
            (_, None) => self.asked = None,
        }
    }

    fn opening(&self) -> Option<Posting> {
        match self.direction {
            Direction::WalletToCurrency => Some(Posting::Debit),
            Direction::CurrencyToWallet => None,
        }
    }

    fn end(&self, ending: Ending) -> Step {
        let is_late = self.late.is_some();
        let posting = match (self.direction, ending) {
            (Direction::WalletToCurrency, Ending::Completed) => {
                is_late.then_some(Posting::LateDebit)
            }
            (Direction::WalletToCurrency, Ending::Cancelled | Ending::Expired) if is_late => {
                Some(Posting::LateReturn)
            }
            (Direction::WalletToCurrency, Ending::Cancelled | Ending::Expired) => {
                Some(Posting::Return)
            }
            (Direction::CurrencyToWallet, Ending::Completed) => Some(Posting::Credit),
            (Direction::CurrencyToWallet, Ending::Cancelled | Ending::Expired) => None,
        };
        Step::End(ending, posting)
    }
}

/// How the answers that orders keep for repeats are encoded. A drive writes them, maybe in another process than the
/// call's.
#[derive(Clone, Copy, Debug)]
pub struct Answers {
    /// Of the call that opened the order.
    pub opened: fn(&Exchange) -> Vec<u8>,
    /// Of the call that decided how it ends.
    pub ended: fn(&Exchange) -> Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(direction: Direction) -> Exchange {
        let now = Utc::now();
        Exchange {
            id: ExchangeId(Uuid::now_v7()),
            user: UserId(Uuid::now_v7()),
            acceptor: Counterpart {
                id: AcceptorId(Uuid::now_v7()),
                name: "Ada".to_owned(),
                kind: Kind::Personal,
            },
            offer_id: OfferId(Uuid::now_v7()),
            direction,
            currency: Currency::parse("EUR").unwrap(),
            rate: "0.9".parse().unwrap(),
            amount: Money::from_minor(1_000),
            counter_amount: "9.00".to_owned(),
            state: State::Placing,
            reason: String::new(),
            created_at: now,
            expires_at: now,
            finished_at: None,
            request_digest: Vec::new(),
            answer: None,
            refusal: None,
            late: None,
            asked: None,
            ending_call: None,
            lease: Lease::first(Uuid::now_v7()),
        }
    }

    #[test]
    fn wallet_posts_at_the_opening_or_at_the_end_by_the_direction() {
        for (direction, opening, endings) in [
            (
                Direction::WalletToCurrency,
                Some(Posting::Debit),
                [None, Some(Posting::Return), Some(Posting::Return)],
            ),
            (
                Direction::CurrencyToWallet,
                None,
                [Some(Posting::Credit), None, None],
            ),
        ] {
            for (ending, posting) in Ending::ALL.iter().zip(endings) {
                let mut order = exchange(direction);
                assert_eq!(order.next_step(), Step::Open(opening));
                order.open();
                assert_eq!(
                    (order.next_step(), order.status()),
                    (Step::Rest, Some(Status::Pending))
                );
                order.decide(*ending, String::new(), None).unwrap();
                assert_eq!(order.next_step(), Step::End(*ending, posting));
                assert_eq!(order.status(), Some(Status::Pending));
                order.finish(*ending, Utc::now());
                assert!(order.has_ended());
                assert_eq!(
                    order.status().map(Status::as_str),
                    Some(ending.as_str()),
                    "{direction:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_decided_stays_decided() {
        let mut order = exchange(Direction::WalletToCurrency);
        let nothing_changed = Err(Refusal::new(Reason::NothingChanged));
        assert_eq!(
            order.decide(Ending::Cancelled, String::new(), None),
            nothing_changed
        );
        order.open();
        order.decide(Ending::Expired, String::new(), None).unwrap();
        for ending in Ending::ALL {
            assert_eq!(order.decide(*ending, String::new(), None), nothing_changed);
        }
        order.finish(Ending::Completed, Utc::now());
        assert!(!order.has_ended(), "another ending than the decided one");
    }

    #[test]
    fn what_had_ended_otherwise_is_completed_late_or_ends_as_it_had() {
        let (ended, refusal) = (Utc::now(), Refusal::new(Reason::InsufficientBalance));
        let now = ended + TimeDelta::days(29);
        for (from, in_doubt) in [
            (Ending::Cancelled, true),
            (Ending::Cancelled, false),
            (Ending::Expired, true),
            (Ending::Expired, false),
        ] {
            let mut order = exchange(Direction::WalletToCurrency);
            order.open();
            order.decide(from, "no".to_owned(), None).unwrap();
            order.finish(from, ended);
            let first = AttemptId(Uuid::now_v7());
            order.reopen(first, None, now).unwrap();
            assert_eq!(
                order.next_step(),
                Step::End(Ending::Completed, Some(Posting::LateDebit))
            );
            order.refuse_late(refusal.clone(), in_doubt, now);
            let outcome = order.decision_outcome();
            assert!(outcome.is_some_and(|outcome| outcome.is_err_and(|why| why == refusal)));
            if in_doubt {
                let back = Step::End(from, Some(Posting::LateReturn));
                assert_eq!((order.next_step(), order.has_ended()), (back, false));
                order.finish(from, now);
            }
            assert_eq!(order.state, from.ended());
            assert_eq!(
                (order.finished_at, &*order.reason),
                (Some(ended), "no"),
                "as it was"
            );
            order.reopen(AttemptId(Uuid::now_v7()), None, now).unwrap();
            assert!(order.late.is_some_and(|late| late.attempt != first));
            order.finish(Ending::Completed, now);
            assert_eq!(order.state, State::Completed);
            assert_eq!((order.missing(), &*order.reason), (None, ""));
            assert!(order.reopen(first, None, now).is_err());
        }
    }

    #[test]
    fn only_what_ended_lately_is_completed_late() {
        let ended = Utc::now();
        for ending in Ending::ALL {
            for (days, is_late) in [(0, true), (29, true), (30, false), (3_000, false)] {
                let mut order = exchange(Direction::CurrencyToWallet);
                order.open();
                order.decide(*ending, String::new(), None).unwrap();
                order.finish(*ending, ended);
                let now = ended + TimeDelta::days(days);
                let reopened = order.reopen(AttemptId(Uuid::now_v7()), None, now);
                assert_eq!(
                    reopened.is_ok(),
                    is_late && *ending != Ending::Completed,
                    "{ending:?} {days}"
                );
            }
        }
    }

    #[test]
    fn a_refusal_in_doubt_has_to_be_undone() {
        let refusal = Refusal::new(Reason::InsufficientBalance);
        let mut clear = exchange(Direction::WalletToCurrency);
        clear.refuse(refusal.clone(), false, Utc::now());
        assert_eq!((clear.next_step(), clear.status()), (Step::Rest, None));
        let mut doubtful = exchange(Direction::WalletToCurrency);
        doubtful.refuse(refusal.clone(), true, Utc::now());
        assert_eq!(doubtful.next_step(), Step::Undo);
        assert_eq!(doubtful.opening_outcome(), Some(Err(refusal)));
        doubtful.undone(Utc::now());
        assert_eq!(doubtful.next_step(), Step::Rest);
    }
}
