//! Exchange orders under a model checker: the transitions are [`Exchange`]'s own, wallet is what it promises to be.

use std::collections::{BTreeMap, BTreeSet};

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::saga::Lease;
use adfolio_money::Money;
use adfolio_testkit::saga::{Checked, Next, Saga, Trouble};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Counterpart, Ending, Exchange, Late, Posting, State, Step};
use crate::acceptance::entity::{Currency, Direction};
use crate::acceptor::entity::Kind;
use crate::ids::{AcceptorId, AttemptId, ExchangeId, OfferId};

const AMOUNT: i64 = 100;

/// Enough for one debit, not for two.
const MONEY: i64 = 100;

/// Orders by user and direction.
#[derive(Debug)]
struct Orders {
    orders: Vec<(u8, Direction)>,
    /// What the checker must find.
    flaw: Option<Flaw>,
}

#[derive(Debug, PartialEq)]
enum Flaw {
    /// Acceptor takes a refused debit for certain although an earlier attempt may be under way.
    NoDoubt,
    /// Wallet refuses a return that meets no debit, and forgets it.
    WalletForgets,
    /// Wallet credits once more for a repeat.
    WalletRepeats,
}

/// What of an order changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Row {
    place: usize,
    state: State,
    is_refused: bool,
    late: Option<Late>,
    attempts: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Call {
    place: usize,
    posting: Posting,
    /// Of a late posting.
    attempt: Option<u128>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Answer {
    Done,
    Refused,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Wallet {
    available: BTreeMap<u8, i64>,
    /// How often each step of an order was posted.
    posted: BTreeMap<Call, i64>,
    /// Orders, and attempts to debit them once more, that are never debited.
    closed: BTreeSet<(usize, Option<u128>)>,
}

impl Wallet {
    /// How often it has posted this for an order, late attempts together.
    fn times(&self, place: usize, posting: Posting) -> i64 {
        let posted = self.posted.iter();
        posted
            .filter(|(call, _)| (call.place, call.posting) == (place, posting))
            .map(|(_, times)| times)
            .sum()
    }
}

impl Orders {
    /// The order as the service would read it.
    fn exchange(&self, row: &Row) -> Exchange {
        let (user, direction) = self.orders[row.place];
        let time = DateTime::<Utc>::UNIX_EPOCH;
        Exchange {
            id: ExchangeId(Uuid::nil()),
            user: UserId(Uuid::from_u128(user.into())),
            acceptor: Counterpart {
                id: AcceptorId(Uuid::nil()),
                name: String::new(),
                kind: Kind::Personal,
            },
            offer_id: OfferId(Uuid::nil()),
            direction,
            currency: Currency::parse("EUR").unwrap(),
            rate: "0.9".parse().unwrap(),
            amount: Money::from_minor(AMOUNT),
            counter_amount: String::new(),
            state: row.state,
            reason: String::new(),
            created_at: time,
            expires_at: time,
            finished_at: row.state.is_end().then_some(time),
            request_digest: Vec::new(),
            answer: Some(Vec::new()),
            refusal: row.is_refused.then(refusal),
            late: row.late,
            asked: None,
            ending_call: None,
            lease: Lease {
                token: Uuid::nil(),
                attempts: row.attempts,
            },
        }
    }
}

impl Saga for Orders {
    type Row = Row;
    type Call = Call;
    type Answer = Answer;
    type Peers = Wallet;

    fn beginning(&self) -> (Vec<Row>, Wallet) {
        let rows = (0..self.orders.len()).map(|place| Row {
            place,
            state: State::Placing,
            is_refused: false,
            late: None,
            attempts: 0,
        });
        let wallet = Wallet {
            available: self.orders.iter().map(|(user, _)| (*user, MONEY)).collect(),
            ..Wallet::default()
        };
        (rows.collect(), wallet)
    }

    fn next(&self, row: &Row, calls: usize) -> Next<Call> {
        let posting = match self.exchange(row).next_step() {
            Step::Rest => return Next::Rest,
            Step::Open(posting) | Step::End(_, posting) => posting,
            Step::Undo => Some(Posting::Return),
        };
        match posting {
            Some(posting) if calls == 0 => Next::Call(Call {
                place: row.place,
                posting,
                attempt: row
                    .late
                    .filter(|_| [Posting::LateDebit, Posting::LateReturn].contains(&posting))
                    .map(|late| late.attempt.0.as_u128()),
            }),
            _ => Next::Write,
        }
    }

    fn claimed(&self, row: &mut Row) {
        // More than two drives are as good as two.
        row.attempts = 2.min(row.attempts + 1);
    }

    fn perform(&self, wallet: &mut Wallet, call: &Call) -> Answer {
        let may_repeat = self.flaw == Some(Flaw::WalletRepeats) && call.posting == Posting::Credit;
        if wallet.posted.contains_key(call) && !may_repeat {
            return Answer::Done;
        }
        let debit = match call.posting {
            Posting::Return => Some(Posting::Debit),
            Posting::LateReturn => Some(Posting::LateDebit),
            Posting::Debit | Posting::LateDebit | Posting::Credit => None,
        };
        let has_debit = debit.is_none_or(|posting| {
            let debit = Call {
                posting,
                ..call.clone()
            };
            wallet.posted.contains_key(&debit)
        });
        let closable = (call.place, call.attempt);
        if !has_debit {
            if self.flaw != Some(Flaw::WalletForgets) {
                wallet.closed.insert(closable);
            }
            return Answer::Done;
        }
        if wallet.closed.contains(&closable) {
            return Answer::Refused;
        }
        let (user, _) = self.orders[call.place];
        let available = wallet.available.get_mut(&user).unwrap();
        let change = change(call.posting);
        if *available + change < 0 {
            return Answer::Refused;
        }
        *available += change;
        *wallet.posted.entry(call.clone()).or_default() += 1;
        Answer::Done
    }

    fn written(&self, row: &Row, answer: Option<&Answer>, in_doubt: bool) -> Row {
        let mut exchange = self.exchange(row);
        let now = exchange.created_at;
        match (exchange.next_step(), answer) {
            (Step::End(_, Some(Posting::LateDebit)), Some(Answer::Refused)) => {
                let in_doubt = in_doubt || exchange.lease.is_repeated();
                let in_doubt = in_doubt && self.flaw != Some(Flaw::NoDoubt);
                exchange.refuse_late(refusal(), in_doubt, now);
            }
            (Step::Open(_), Some(Answer::Refused)) => {
                let in_doubt = in_doubt || exchange.lease.is_repeated();
                exchange.refuse(refusal(), in_doubt && self.flaw != Some(Flaw::NoDoubt), now);
            }
            (Step::Open(_), _) => exchange.open(),
            // Whatever wallet says instead, it is asked again.
            (Step::Undo | Step::End(..), Some(Answer::Refused)) | (Step::Rest, _) => {}
            (Step::Undo, _) => exchange.undone(now),
            (Step::End(ending, _), _) => exchange.finish(ending, now),
        }
        Row {
            place: row.place,
            state: exchange.state,
            is_refused: exchange.refusal.is_some(),
            late: exchange.late,
            attempts: row.attempts,
        }
    }

    fn decisions(&self, row: &Row) -> Vec<Row> {
        // An expiry is a cancellation by another name.
        let endings = [Ending::Completed, Ending::Cancelled];
        let decided = endings.into_iter().filter_map(|ending| {
            let mut exchange = self.exchange(row);
            exchange.decide(ending, String::new(), None).ok()?;
            Some(Row {
                state: exchange.state,
                attempts: 0,
                ..row.clone()
            })
        });
        // A completion that comes late.
        let most = if self.orders.len() == 1 { 2 } else { 1 };
        let attempt = row.late.map_or(1, |late| late.attempt.0.as_u128() + 1);
        let reopened = Some(attempt).filter(|id| *id <= most).and_then(|id| {
            let mut exchange = self.exchange(row);
            let now = exchange.created_at;
            exchange
                .reopen(AttemptId(Uuid::from_u128(id)), None, now)
                .ok()?;
            Some(Row {
                state: exchange.state,
                is_refused: exchange.refusal.is_some(),
                late: exchange.late,
                attempts: 0,
                ..row.clone()
            })
        });
        decided.chain(reopened).collect()
    }

    fn is_safe(&self, rows: &[Row], wallet: &Wallet) -> bool {
        let is_kept = |(user, available): (&u8, &i64)| {
            let own = wallet
                .posted
                .iter()
                .filter(|(call, _)| self.orders[call.place].0 == *user);
            let moved = own.map(|(call, times)| change(call.posting) * times);
            *available >= 0 && *available == MONEY + moved.sum::<i64>()
        };
        let is_true = |row: &Row| {
            let times = |posting| wallet.times(row.place, posting);
            let late = times(Posting::LateDebit) - times(Posting::LateReturn);
            let taken = times(Posting::Debit) - times(Posting::Return) + late;
            let is_debited = i64::from(self.orders[row.place].1 == Direction::WalletToCurrency);
            match row.state {
                State::Pending => (taken, times(Posting::Credit)) == (is_debited, 0),
                State::Completed => (taken, times(Posting::Credit)) == (is_debited, 1 - is_debited),
                State::Cancelled | State::Expired | State::Refused => {
                    (taken, times(Posting::Credit)) == (0, 0)
                }
                State::Placing
                | State::Undoing
                | State::Completing
                | State::Cancelling
                | State::Expiring => true,
            }
        };
        wallet.available.iter().all(is_kept) && rows.iter().all(is_true)
    }

    fn has_ended(&self, rows: &[Row], _: &Wallet) -> bool {
        rows.iter()
            .all(|row| self.exchange(row).next_step() == Step::Rest)
    }
}

/// What a posting changes of the available balance.
fn change(posting: Posting) -> i64 {
    match posting {
        Posting::Debit | Posting::LateDebit => -AMOUNT,
        Posting::Return | Posting::LateReturn | Posting::Credit => AMOUNT,
    }
}

fn refusal() -> Refusal {
    Refusal::new(Reason::InsufficientBalance)
}

fn checked(orders: &[(u8, Direction)], flaw: Option<Flaw>, trouble: Trouble) -> Checked<Orders> {
    Checked {
        saga: Orders {
            orders: orders.to_vec(),
            flaw,
        },
        trouble,
    }
}

#[test]
fn an_order_ends_well_whatever_happens() {
    for direction in [Direction::WalletToCurrency, Direction::CurrencyToWallet] {
        let moments = checked(&[(1, direction)], None, Trouble::MUCH).check();
        println!("one order, {direction:?}: {moments} moments");
    }
}

#[test]
fn two_users_exchange_at_once() {
    let orders = [
        (1, Direction::WalletToCurrency),
        (2, Direction::CurrencyToWallet),
    ];
    let moments = checked(&orders, None, Trouble::SOME).check();
    println!("two users: {moments} moments");
}

#[test]
fn two_orders_want_the_same_money() {
    let orders = [
        (1, Direction::WalletToCurrency),
        (1, Direction::WalletToCurrency),
    ];
    let trouble = Trouble {
        crashes: 1,
        ..Trouble::SOME
    };
    let moments = checked(&orders, None, trouble).check();
    println!("one user, money for one: {moments} moments");
}

#[test]
fn broken_promises_are_found() {
    for (flaw, directions) in [
        // Money that comes in meanwhile lets the late debit through.
        (
            Flaw::NoDoubt,
            [Direction::WalletToCurrency, Direction::WalletToCurrency],
        ),
        (
            Flaw::WalletForgets,
            [Direction::WalletToCurrency, Direction::WalletToCurrency],
        ),
        (
            Flaw::WalletRepeats,
            [Direction::CurrencyToWallet, Direction::CurrencyToWallet],
        ),
    ] {
        let name = format!("{flaw:?}");
        let orders = directions.map(|direction| (1, direction));
        assert!(
            checked(&orders, Some(flaw), Trouble::SOME).has_counterexample(),
            "{name} was not found"
        );
    }
}
