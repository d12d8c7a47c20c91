//! A batch: its commands one after another against what was read for all of them, each accepted or refused by itself.
//! Later commands see what earlier ones did.

use std::collections::{BTreeMap, HashMap};

use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::command::Command;
use super::entity::{self, Effect, FirstUse, Found, Hold, Verdict, WithdrawalChange};
use super::movement::{Movement, NewWithdrawal};
use super::outcome::{Done, Refused};
use super::transaction::{Transaction, Wallet};
use crate::ids::{OrderId, ReferenceId, TransactionId, WithdrawalId};
use crate::outflow::Left;
use crate::property::entity::Property;
use crate::withdrawal::entity::{Status, Withdrawal};

/// A command with what its transactions need besides it.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    pub command: &'a Command,
    /// Ids of the transactions that it may write.
    pub ids: [Uuid; 2],
    pub traceparent: Option<&'a str>,
}

/// A row, and whether the batch has changed it.
#[derive(Clone, Debug)]
struct Kept<T> {
    row: T,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    AsRead,
    Changed,
    New,
}

impl<T> Kept<T> {
    fn as_read(row: T) -> Self {
        Self {
            row,
            state: State::AsRead,
        }
    }

    fn change(&mut self, row: T) {
        self.row = row;
        if self.state == State::AsRead {
            self.state = State::Changed;
        }
    }
}

/// A row that the batch writes.
#[derive(Debug)]
pub struct Changed<'a, K, T> {
    pub key: K,
    pub row: &'a T,
    pub is_new: bool,
}

/// A wallet with the revision of its row.
#[derive(Clone, Copy, Debug)]
pub struct Revised {
    pub wallet: Wallet,
    /// The row's version as it was read: what has changed since has another one.
    pub revision: i64,
}

/// A transaction with the command that it comes from.
#[derive(Debug)]
pub struct Entry<'a> {
    pub command: &'a Command,
    pub traceparent: Option<&'a str>,
    pub transaction: Transaction,
    /// Version of the order's delivery at that moment; none of a movement.
    pub order_version: Option<i64>,
    /// The wallet before and after.
    pub figures: [Property; 2],
    /// The withdrawal that it requests or decides.
    pub withdrawal: Option<Withdrawal>,
}

/// An exchange order, or an attempt to debit it once more, that is closed.
#[derive(Clone, Copy, Debug)]
pub struct ClosedExchange {
    pub exchange_id: ReferenceId,
    pub user_id: UserId,
    pub closed_at: DateTime<Utc>,
}

/// What the commands of a batch refer to, as it was read and as the batch leaves it.
#[derive(Debug, Default)]
pub struct Books<'a> {
    /// In order of id: so they are locked, and batches never deadlock.
    wallets: BTreeMap<UserId, Kept<Revised>>,
    holds: HashMap<OrderId, Kept<Hold>>,
    first_uses: HashMap<String, FirstUse>,
    withdrawals: HashMap<WithdrawalId, Kept<Withdrawal>>,
    closed_for: HashMap<ReferenceId, UserId>,
    /// What left the wallets that money shall leave.
    left: HashMap<UserId, Left>,
    entries: Vec<Entry<'a>>,
    closed: Vec<ClosedExchange>,
}

impl<'a> Books<'a> {
    pub fn read_wallet(&mut self, user_id: UserId, row: Revised) {
        self.wallets.insert(user_id, Kept::as_read(row));
    }

    pub fn read_hold(&mut self, order_id: OrderId, hold: Hold) {
        self.holds.insert(order_id, Kept::as_read(hold));
    }

    pub fn read_first_use(&mut self, key: String, first: FirstUse) {
        self.first_uses.insert(key, first);
    }

    pub fn read_withdrawal(&mut self, withdrawal: Withdrawal) {
        self.withdrawals
            .insert(withdrawal.id, Kept::as_read(withdrawal));
    }

    pub fn read_closed_exchange(&mut self, exchange_id: ReferenceId, user_id: UserId) {
        self.closed_for.insert(exchange_id, user_id);
    }

    pub fn read_left(&mut self, left: HashMap<UserId, Left>) {
        self.left = left;
    }

    pub fn has_wallet(&self, user_id: UserId) -> bool {
        self.wallets.contains_key(&user_id)
    }

    /// What the batch has written to the books so far, in order.
    pub fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    pub fn closed_exchanges(&self) -> &[ClosedExchange] {
        &self.closed
    }

    /// The wallets that the batch writes, in order of id.
    pub fn changed_wallets(&self) -> impl Iterator<Item = Changed<'_, UserId, Revised>> {
        changed(self.wallets.iter())
    }

    pub fn changed_holds(&self) -> impl Iterator<Item = Changed<'_, OrderId, Hold>> {
        changed(self.holds.iter())
    }

    pub fn changed_withdrawals(
        &self,
    ) -> impl Iterator<Item = Changed<'_, WithdrawalId, Withdrawal>> {
        changed(self.withdrawals.iter())
    }

    /// Takes in the next command: what became of it.
    pub fn post(&mut self, item: Item<'a>, now: DateTime<Utc>) -> Result<Done, Refused> {
        let command = item.command;
        let movement = command.as_movement();
        let found = Found {
            wallet: self.figures(command.user_id),
            hold: command
                .order_id()
                .and_then(|id| self.holds.get(&id))
                .map(|kept| &kept.row),
            first_use: movement.and_then(|it| self.first_uses.get(&it.key)),
            withdrawal: movement
                .and_then(|it| it.reference)
                .and_then(|id| self.withdrawals.get(&WithdrawalId(id.0)))
                .map(|kept| &kept.row),
            debit: movement
                .and_then(|it| it.debit_key.as_ref())
                .and_then(|key| self.first_uses.get(key)),
            closed_for: movement
                .and_then(|it| it.closable)
                .and_then(|id| self.closed_for.get(&id))
                .copied(),
            left: self.left.get(&command.user_id).copied().unwrap_or_default(),
        };
        match entity::decide(command, &found, now)? {
            Verdict::Repeated => {
                let property = found.wallet.copied().unwrap_or_default();
                let booked = found.first_use.map(|first| first.booked.clone());
                Ok(Done::new(property, found.hold.copied(), booked).repeated())
            }
            Verdict::Applied(effect) => self.apply(item, effect, now),
        }
    }

    fn figures(&self, user_id: UserId) -> Option<&Property> {
        let kept = self.wallets.get(&user_id)?;
        Some(&kept.row.wallet.figures)
    }

    fn apply(
        &mut self,
        item: Item<'a>,
        effect: Effect,
        now: DateTime<Utc>,
    ) -> Result<Done, Refused> {
        let user_id = item.command.user_id;
        let movement = item.command.as_movement();
        let reference = movement.and_then(|movement| movement.reference);
        let mut revised = self
            .wallets
            .get(&user_id)
            .map(|kept| kept.row)
            .ok_or(Refused::NoWallet)?;
        let order_version = effect.hold.map(|hold| hold.version);
        let cause = item.command.cause(order_version);
        let mut booked = None;
        let mut entries = Vec::with_capacity(effect.steps.len());
        for (step, id) in effect.steps.into_iter().zip(item.ids) {
            let before = revised.wallet.figures;
            let transaction =
                revised
                    .wallet
                    .book(user_id, TransactionId(id), (step, &cause), now)?;
            booked = Some(transaction.booked(reference));
            entries.push(Entry {
                command: item.command,
                traceparent: item.traceparent,
                order_version,
                figures: [before, revised.wallet.figures],
                withdrawal: None,
                transaction,
            });
        }
        // From here on nothing is refused.
        if let (Some(movement), Some(entry)) = (movement, entries.last_mut()) {
            self.keep_first_use(movement, &entry.transaction);
            if let Some(outflow) = movement.outflow {
                let left = self.left.entry(user_id).or_default();
                left.add(outflow.exit, entry.transaction.step.amount, now);
            }
            entry.withdrawal = effect
                .withdrawal
                .and_then(|change| self.change_withdrawal(change, movement, &entry.transaction));
        }
        if let Some(kept) = self.wallets.get_mut(&user_id) {
            kept.change(revised);
        }
        if let (Some(order_id), Some(hold)) = (item.command.order_id(), effect.hold) {
            keep(&mut self.holds, order_id, hold);
        }
        let closable = movement.and_then(|it| it.closable);
        if let (true, Some(exchange_id)) = (effect.closes_exchange, closable) {
            self.closed_for.insert(exchange_id, user_id);
            self.closed.push(ClosedExchange {
                exchange_id,
                user_id,
                closed_at: now,
            });
        }
        self.entries.append(&mut entries);
        Ok(Done::new(revised.wallet.figures, effect.hold, booked))
    }

    fn keep_first_use(&mut self, movement: &Movement, transaction: &Transaction) {
        let first = FirstUse {
            user_id: transaction.user_id,
            digest: movement.digest,
            available_change: transaction.step.change.available,
            booked: transaction.booked(movement.reference),
        };
        self.first_uses.insert(movement.key.clone(), first);
    }

    /// The withdrawal as the transaction leaves it.
    fn change_withdrawal(
        &mut self,
        change: WithdrawalChange,
        movement: &Movement,
        transaction: &Transaction,
    ) -> Option<Withdrawal> {
        let id = WithdrawalId(movement.reference?.0);
        let at = transaction.posted_at;
        let withdrawal = match change {
            WithdrawalChange::Requested => {
                let asked: &NewWithdrawal = movement.withdrawal.as_ref()?;
                Withdrawal {
                    id,
                    user_id: transaction.user_id,
                    amount: transaction.step.amount,
                    fee: asked.fee.minor(),
                    method: asked.method,
                    status: Status::Pending,
                    reason: String::new(),
                    requested_at: at,
                    decided_at: None,
                    sealed: asked.sealed.clone(),
                    payment_batch_id: None,
                    take_out_asked_by: None,
                }
            }
            WithdrawalChange::Decided(status) => Withdrawal {
                status,
                reason: movement.remark.clone(),
                decided_at: Some(at),
                ..self.withdrawals.get(&id)?.row.clone()
            },
        };
        keep(&mut self.withdrawals, id, withdrawal.clone());
        Some(withdrawal)
    }
}

fn keep<K: std::hash::Hash + Eq, T>(rows: &mut HashMap<K, Kept<T>>, key: K, row: T) {
    if let Some(kept) = rows.get_mut(&key) {
        kept.change(row);
    } else {
        let state = State::New;
        rows.insert(key, Kept { row, state });
    }
}

fn changed<'k, K: Copy + 'k, T: 'k>(
    rows: impl Iterator<Item = (&'k K, &'k Kept<T>)>,
) -> impl Iterator<Item = Changed<'k, K, T>> {
    rows.filter(|(_, kept)| kept.state != State::AsRead)
        .map(|(key, kept)| Changed {
            key: *key,
            row: &kept.row,
            is_new: kept.state == State::New,
        })
}

#[cfg(test)]
mod tests {
    use adfolio_money::Money;

    use super::*;
    use crate::posting::entity::HoldState;
    use crate::posting::movement::MovementKind;

    const USER: UserId = UserId(Uuid::from_u128(1));
    const ORDER: OrderId = OrderId(Uuid::from_u128(2));

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).expect("a time")
    }

    fn books(available: i64) -> Books<'static> {
        let figures = Property {
            available,
            ..Property::default()
        };
        let wallet = Wallet {
            figures,
            seq: 0,
            chain_head: [0; 32],
            last_posted_at: None,
        };
        let mut books = Books::default();
        books.read_wallet(
            USER,
            Revised {
                wallet,
                revision: 7,
            },
        );
        books
    }

    fn hold(paid: i64) -> Command {
        Command::hold(USER, ORDER, paid, 0).expect("a hold")
    }

    fn deposit(key: &str, amount: i64) -> Command {
        let movement = Movement {
            kind: MovementKind::Deposit,
            key: key.to_owned(),
            digest: [u8::try_from(amount).expect("a small amount"); 32],
            amount: Money::from_minor(amount),
            remark: String::new(),
            actor: None,
            opens_wallet: false,
            reference: None,
            debit_key: None,
            closable: None,
            withdrawal: None,
            payment_batch: None,
            outflow: None,
        };
        Command::movement(USER, movement)
    }

    fn post<'a>(books: &mut Books<'a>, commands: &'a [Command]) -> Vec<Result<Done, Refused>> {
        let post = |(place, command): (u128, &'a Command)| {
            let ids = [0, 1].map(|step| Uuid::from_u128(place * 2 + step + 100));
            let traceparent = None;
            books.post(
                Item {
                    command,
                    ids,
                    traceparent,
                },
                at(9),
            )
        };
        (0..).zip(commands).map(post).collect()
    }

    #[test]
    fn later_commands_see_what_earlier_ones_did() {
        let commands = [
            hold(50),
            deposit("a", 100),
            hold(50),
            hold(50),
            Command::record_delivery(USER, ORDER, 1, 20, 5).expect("a report"),
            Command::release(USER, ORDER),
            Command::release(USER, ORDER),
            hold(50),
        ];
        let mut books = books(10);
        let outcomes = post(&mut books, &commands);
        let told: Vec<Result<(bool, i64), Refused>> = outcomes
            .into_iter()
            .map(|outcome| outcome.map(|done| (done.is_repeat, done.property.available)))
            .collect();
        assert_eq!(
            told,
            [
                Err(Refused::InsufficientBalance(40)),
                Ok((false, 110)),
                Ok((false, 60)),
                Ok((true, 60)),
                Ok((false, 60)),
                Ok((false, 90)),
                Ok((true, 90)),
                Err(Refused::OrderClosed),
            ]
        );
        let kinds: Vec<(i64, &str)> = books
            .entries()
            .iter()
            .map(|entry| (entry.transaction.seq, entry.transaction.step.kind.as_str()))
            .collect();
        assert_eq!(
            kinds,
            [
                (1, "deposit"),
                (2, "hold"),
                (3, "consume"),
                (4, "accrue"),
                (5, "release")
            ]
        );
        let hold = books.changed_holds().next().expect("the hold");
        assert!(hold.is_new && hold.row.state == HoldState::Released);
        let wallet = books.changed_wallets().next().expect("the wallet");
        assert_eq!((wallet.row.revision, wallet.row.wallet.seq), (7, 5));
        for pair in books.entries().windows(2) {
            assert_eq!(pair[0].transaction.hash, pair[1].transaction.previous_hash);
        }
    }

    #[test]
    fn a_key_posts_once_in_a_batch_too() {
        let commands = [deposit("a", 5), deposit("a", 5), deposit("a", 6)];
        let mut books = books(0);
        let outcomes = post(&mut books, &commands);
        let first = outcomes[0].as_ref().expect("a deposit");
        let second = outcomes[1].as_ref().expect("the same deposit");
        assert_eq!(first.transaction, second.transaction);
        assert!(second.is_repeat && second.property.available == 5);
        assert_eq!(outcomes[2].as_ref().err(), Some(&Refused::KeyReused));
        assert_eq!(books.entries().len(), 1);
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let commands = [
            hold(11),
            Command::settle(USER, ORDER, 1, 1, 0).expect("a settlement"),
        ];
        let mut books = books(10);
        assert!(post(&mut books, &commands).iter().all(Result::is_err));
        assert_eq!(books.changed_wallets().count(), 0);
        assert_eq!(books.changed_holds().count(), 0);
    }
}
