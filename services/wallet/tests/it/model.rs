//! Random commands against a pure model: the service decides like the model, and its books are the model's.

use std::collections::HashMap;

use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::wallet::v1::Property;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use uuid::Uuid;

use crate::helpers::{App, Ledger, keyed};

const USERS: usize = 4;
const ORDERS: usize = 12;

/// A command by places instead of ids, so that commands meet.
#[derive(Clone, Debug)]
enum Step {
    Deposit {
        user: usize,
        key: u8,
        amount: i64,
    },
    Hold {
        user: usize,
        order: usize,
        paid: i64,
        discount: i64,
    },
    Record {
        user: usize,
        order: usize,
        version: i64,
        consumed: i64,
        revenue: i64,
    },
    Release {
        user: usize,
        order: usize,
    },
    /// With the recorded totals changed by this much.
    Settle {
        user: usize,
        order: usize,
        off: i64,
        share: i64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let (user, order) = (0..USERS, 0..ORDERS);
    // Mostly the order's own user, as callers would have it.
    let owner = (user.clone(), order.clone(), prop::bool::weighted(0.95))
        .prop_map(|(user, order, own)| (if own { order % USERS } else { user }, order));
    prop_oneof![
        2 => (user, any::<u8>(), 1..2_000_i64).prop_map(|(user, key, amount)| Step::Deposit { user, key: key % 64, amount }),
        4 => (owner.clone(), 0..400_i64, prop_oneof![Just(0), 0..100_i64])
            .prop_map(|((user, order), paid, discount)| Step::Hold { user, order, paid, discount }),
        6 => (owner.clone(), 1..12_i64, 0..400_i64, 0..300_i64).prop_map(|((user, order), version, consumed, revenue)| {
            Step::Record { user, order, version, consumed, revenue }
        }),
        1 => owner.clone().prop_map(|(user, order)| Step::Release { user, order }),
        1 => (owner, prop_oneof![8 => Just(0), 1 => 1..3_i64], 0..100_i64)
            .prop_map(|((user, order), off, share)| Step::Settle { user, order, off, share }),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Held,
    Released,
    Settled,
}

#[derive(Clone, Debug)]
struct ModelHold {
    user: usize,
    state: State,
    paid: i64,
    discount: i64,
    version: i64,
    consumed: i64,
    revenue: i64,
    paid_back: i64,
    discount_back: i64,
    paid_back_at_settle: i64,
    share: i64,
}

impl ModelHold {
    fn open(&self) -> i64 {
        self.paid + self.discount - self.consumed - self.paid_back - self.discount_back
    }
}

/// The rules, once more and as plainly as possible.
#[derive(Default)]
struct Model {
    wallets: HashMap<usize, Property>,
    keys: HashMap<u8, (usize, i64)>,
    holds: HashMap<usize, ModelHold>,
}

/// What a caller sees: figures that the answer carries, or the reason of the refusal.
type Seen = Result<Vec<i64>, Reason>;

impl Model {
    fn apply(&mut self, step: &Step) -> Seen {
        match *step {
            Step::Deposit { user, key, amount } => self.deposit(user, key, amount),
            Step::Hold {
                user,
                order,
                paid,
                discount,
            } => self.hold(user, order, paid, discount),
            Step::Record {
                user,
                order,
                version,
                consumed,
                revenue,
            } => self.record(user, order, version, consumed, revenue),
            Step::Release { user, order } => self.release(user, order),
            Step::Settle {
                user,
                order,
                off,
                share,
            } => self.settle(user, order, off, share),
        }
    }

    fn deposit(&mut self, user: usize, key: u8, amount: i64) -> Seen {
        if let Some(first) = self.keys.get(&key) {
            return if *first == (user, amount) {
                Ok(vec![amount])
            } else {
                Err(Reason::IdempotencyKeyReused)
            };
        }
        self.keys.insert(key, (user, amount));
        self.wallets.entry(user).or_default().available_minor += amount;
        Ok(vec![amount])
    }

    fn hold(&mut self, user: usize, order: usize, paid: i64, discount: i64) -> Seen {
        if paid + discount == 0 {
            return Err(Reason::Validation);
        }
        let wallet = self.wallets.entry(user).or_default();
        if let Some(hold) = self.holds.get(&order) {
            if hold.user != user {
                return Err(Reason::IdempotencyKeyReused);
            }
            let closed = hold.state != State::Held;
            return if hold.paid + hold.discount == 0 {
                Err(Reason::PlanNotPuttable)
            } else if (hold.paid, hold.discount) != (paid, discount) {
                Err(Reason::IdempotencyKeyReused)
            } else if closed {
                Err(Reason::PlanNotPuttable)
            } else {
                Ok(vec![wallet.available_minor, wallet.to_be_consumed_minor])
            };
        }
        if paid > wallet.available_minor {
            return Err(Reason::InsufficientBalance);
        }
        wallet.available_minor -= paid;
        wallet.to_be_consumed_minor += paid + discount;
        wallet.discount_minor += discount;
        let seen = vec![wallet.available_minor, wallet.to_be_consumed_minor];
        self.holds
            .insert(order, new_hold(user, State::Held, paid, discount));
        Ok(seen)
    }

    fn record(
        &mut self,
        user: usize,
        order: usize,
        version: i64,
        consumed: i64,
        revenue: i64,
    ) -> Seen {
        let hold = self
            .holds
            .get_mut(&order)
            .filter(|hold| hold.user == user && hold.paid + hold.discount > 0);
        let hold = hold.ok_or(Reason::NotFound)?;
        if version <= hold.version {
            return Ok(vec![hold.version]);
        }
        if hold.state == State::Settled {
            return Err(Reason::PlanNotPuttable);
        }
        if consumed > hold.paid + hold.discount - hold.paid_back - hold.discount_back {
            return Err(Reason::Validation);
        }
        let wallet = self.wallets.entry(user).or_default();
        wallet.to_be_consumed_minor -= consumed - hold.consumed;
        wallet.to_be_settled_minor += revenue - hold.revenue;
        (hold.version, hold.consumed, hold.revenue) = (version, consumed, revenue);
        Ok(vec![version])
    }

    fn give_back(&mut self, order: usize) -> i64 {
        let hold = self.holds.get_mut(&order).expect("a hold");
        let wallet = self.wallets.entry(hold.user).or_default();
        let open = hold.open();
        if open == 0 {
            return 0;
        }
        let all = hold.paid_back + hold.discount_back + open;
        let discount = all * hold.discount / (hold.paid + hold.discount) - hold.discount_back;
        let paid = open - discount;
        hold.discount_back += discount;
        hold.paid_back += paid;
        wallet.available_minor += paid;
        wallet.to_be_consumed_minor -= open;
        wallet.discount_minor -= discount;
        paid
    }

    fn release(&mut self, user: usize, order: usize) -> Seen {
        let hold = self
            .holds
            .entry(order)
            .or_insert_with(|| new_hold(user, State::Released, 0, 0));
        if hold.user != user {
            return Err(Reason::NotFound);
        }
        if hold.state != State::Settled {
            hold.state = State::Released;
            self.give_back(order);
        }
        let hold = &self.holds[&order];
        Ok(vec![hold.paid_back, hold.discount_back])
    }

    /// What a settlement would name.
    fn recorded(&self, order: usize) -> (i64, i64) {
        self.holds
            .get(&order)
            .map_or((0, 0), |hold| (hold.consumed, hold.revenue))
    }

    fn settle(&mut self, user: usize, order: usize, off: i64, share: i64) -> Seen {
        let (consumed, revenue) = self.recorded(order);
        let hold = self
            .holds
            .get_mut(&order)
            .filter(|hold| hold.user == user && hold.paid + hold.discount > 0);
        let hold = hold.ok_or(Reason::NotFound)?;
        let same = off == 0;
        if hold.state == State::Settled {
            if !same || hold.share != share {
                return Err(Reason::IdempotencyKeyReused);
            }
            return Ok(vec![hold.revenue - hold.share, hold.paid_back_at_settle]);
        }
        if !same || share > revenue {
            return Err(Reason::Validation);
        }
        debug_assert_eq!((consumed, revenue), (hold.consumed, hold.revenue));
        hold.state = State::Settled;
        hold.share = share;
        let paid_back = self.give_back(order);
        self.holds
            .get_mut(&order)
            .expect("a hold")
            .paid_back_at_settle = paid_back;
        let wallet = self.wallets.entry(user).or_default();
        wallet.to_be_settled_minor -= revenue;
        wallet.available_minor += revenue - share;
        Ok(vec![revenue - share, paid_back])
    }
}

fn new_hold(user: usize, state: State, paid: i64, discount: i64) -> ModelHold {
    ModelHold {
        user,
        state,
        paid,
        discount,
        version: 0,
        consumed: 0,
        revenue: 0,
        paid_back: 0,
        discount_back: 0,
        paid_back_at_settle: 0,
        share: 0,
    }
}

/// The service's users and orders behind the model's places.
struct Actors {
    users: Vec<Uuid>,
    orders: Vec<Uuid>,
    round: usize,
}

async fn act(
    app: &App,
    ledger: &Ledger,
    actors: &Actors,
    recorded: (i64, i64),
    step: &Step,
) -> Seen {
    let figures = |figures: Property| vec![figures.available_minor, figures.to_be_consumed_minor];
    let id = |user: usize, order: usize| (actors.users[user], actors.orders[order]);
    let answer: Result<Vec<i64>, Refusal> = match *step {
        Step::Deposit { user, key, amount } => {
            let caller = keyed(&format!("{}-{key}", actors.round));
            app.deposit_as(&caller, actors.users[user], amount, "")
                .await
                .map(|entry| vec![entry.amount_minor])
        }
        Step::Hold {
            user,
            order,
            paid,
            discount,
        } => {
            let (user, order) = id(user, order);
            ledger.hold(user, order, paid, discount).await.map(figures)
        }
        Step::Record {
            user,
            order,
            version,
            consumed,
            revenue,
        } => {
            let (user, order) = id(user, order);
            ledger
                .record(user, order, version, consumed, revenue)
                .await
                .map(|version| vec![version])
        }
        Step::Release { user, order } => {
            let (user, order) = id(user, order);
            ledger
                .release(user, order)
                .await
                .map(|(paid, discount)| vec![paid, discount])
        }
        Step::Settle {
            user,
            order,
            off,
            share,
        } => {
            let (user, order) = id(user, order);
            let answer = ledger
                .settle(user, order, recorded.0 + off, recorded.1, share)
                .await;
            answer.map(|(out, back)| vec![out, back])
        }
    };
    answer.map_err(|refusal| refusal.reason)
}

/// One sequence after the other; sequences of different rounds share no user, so rounds run side by side, which fills
/// the batches.
async fn play(app: &App, round: usize, steps: Vec<Step>) {
    let actors = Actors {
        users: (0..USERS).map(|_| app.user()).collect(),
        orders: (0..ORDERS).map(|_| Uuid::now_v7()).collect(),
        round,
    };
    let (ledger, mut model) = (app.ledger(), Model::default());
    for (place, step) in steps.iter().enumerate() {
        let recorded = match *step {
            Step::Settle { order, .. } => model.recorded(order),
            _ => (0, 0),
        };
        let expected = model.apply(step);
        let seen = act(app, &ledger, &actors, recorded, step).await;
        assert_eq!(
            seen,
            expected,
            "round {round}, step {place}: {step:?}\nafter {:#?}",
            &steps[..place]
        );
    }
    for (place, user) in actors.users.iter().enumerate() {
        let expected = model.wallets.get(&place).copied().unwrap_or_default();
        assert_eq!(
            app.property(*user).await,
            expected,
            "round {round}, user {place}"
        );
        let lines = app.all_flow(*user).await;
        let available: i64 = lines
            .iter()
            .filter(|line| line.account == 1)
            .map(|line| line.amount_minor)
            .sum();
        assert_eq!(available, expected.available_minor);
    }
}

/// ADFOLIO_MODEL_ROUNDS sequences of 80 commands; more of them for a long run.
#[tokio::test]
async fn random_sequences_equal_the_model() {
    let rounds = std::env::var("ADFOLIO_MODEL_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(60);
    let app = App::spawn().await;
    let mut runner = TestRunner::new(Config::default());
    let sequences = prop::collection::vec(step(), 80);
    let rounds: Vec<(usize, Vec<Step>)> = (0..rounds)
        .map(|round| {
            (
                round,
                sequences
                    .new_tree(&mut runner)
                    .expect("a sequence")
                    .current(),
            )
        })
        .collect();
    for side_by_side in rounds.chunks(20) {
        let playing = side_by_side
            .iter()
            .map(|(round, steps)| play(&app, *round, steps.clone()));
        futures::future::join_all(playing).await;
    }
    app.assert_books_balance().await;
}
