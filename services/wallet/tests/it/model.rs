//! Random commands against a pure model: the service decides like the model, and its books are the model's.

use std::collections::HashMap;

use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::wallet::v1::{ExchangeStep, WithdrawalDecision, WithdrawalMethod};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use uuid::Uuid;

use crate::helpers::{Ledger, PIN, StaffPosting, Wallet, address, keyed, user_keyed};

const USERS: usize = 4;
const ORDERS: usize = 12;
const EXCHANGES: usize = 10;

/// Terms of withdrawals to wallet addresses, as configured by default.
const WITHDRAWAL_MIN: i64 = 200;
const WITHDRAWAL_FEE: i64 = 100;

/// A command by places instead of ids, so that commands meet.
#[derive(Clone, Debug)]
enum Step {
    Staff {
        posting: StaffPosting,
        user: usize,
        key: u8,
        amount: i64,
    },
    Exchange {
        step: ExchangeStep,
        user: usize,
        exchange: usize,
        amount: i64,
    },
    Withdraw {
        user: usize,
        key: u8,
        amount: i64,
    },
    /// The withdrawal by its place among those so far.
    Decide {
        place: usize,
        key: u8,
        paid: bool,
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
    let posting = prop::sample::select(vec![
        StaffPosting::Chargeback,
        StaffPosting::Deduction,
        StaffPosting::Membership,
        StaffPosting::Grant,
        StaffPosting::Return,
        StaffPosting::Return,
        StaffPosting::GuaranteeDeposit,
        StaffPosting::GuaranteeDeposit,
        StaffPosting::GuaranteeReturn,
    ]);
    let exchange_step = prop::sample::select(vec![
        ExchangeStep::Debit,
        ExchangeStep::Debit,
        ExchangeStep::Return,
        ExchangeStep::Credit,
    ]);
    // Mostly the order's own user, as callers would have it.
    let owner = (user.clone(), order.clone(), prop::bool::weighted(0.95))
        .prop_map(|(user, order, own)| (if own { order % USERS } else { user }, order));
    prop_oneof![
        2 => (user.clone(), any::<u8>(), 1..2_000_i64)
            .prop_map(|(user, key, amount)| staff_step(StaffPosting::Deposit, user, key, amount)),
        2 => (posting, user.clone(), any::<u8>(), 1..400_i64)
            .prop_map(|(posting, user, key, amount)| staff_step(posting, user, key, amount)),
        3 => (exchange_step, user.clone(), 0..EXCHANGES, 1..3_i64, prop::bool::weighted(0.9)).prop_map(
            |(step, user, exchange, hundreds, own)| Step::Exchange {
                step,
                user: if own { exchange % USERS } else { user },
                exchange,
                amount: hundreds * 100,
            }),
        // Few, for each costs an argon2.
        1 => (user, any::<u8>(), 150..600_i64)
            .prop_map(|(user, key, amount)| Step::Withdraw { user, key: key % 16, amount }),
        1 => (0..4_usize, any::<u8>(), any::<bool>())
            .prop_map(|(place, key, paid)| Step::Decide { place, key: key % 64, paid }),
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

fn staff_step(posting: StaffPosting, user: usize, key: u8, amount: i64) -> Step {
    Step::Staff {
        posting,
        user,
        key: key % 64,
        amount,
    }
}

/// Available, to be consumed, to be settled, withdrawing, guarantee, discount, start-up funds: the row of `wallets`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
struct Figures {
    available: i64,
    to_be_consumed: i64,
    to_be_settled: i64,
    withdrawing: i64,
    guarantee: i64,
    discount_total: i64,
    start_up_outstanding: i64,
}

/// What staff used a key for, and what was answered.
#[derive(Clone, Debug, PartialEq)]
enum Used {
    Posting(StaffPosting, usize, i64, Vec<i64>),
    Decision(usize, bool),
}

#[derive(Clone, Debug)]
struct ModelWithdrawal {
    user: usize,
    amount: i64,
    /// 1 waits, 2 paid, 3 rejected.
    status: i64,
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
    wallets: [Figures; USERS],
    keys: HashMap<u8, Used>,
    holds: HashMap<usize, ModelHold>,
    exchanges: HashMap<(usize, i32), (usize, i64)>,
    /// Exchange orders that were returned before they were debited, and whose they were.
    closed: HashMap<usize, usize>,
    withdrawals: Vec<ModelWithdrawal>,
    withdrawal_keys: HashMap<(usize, u8), (i64, usize)>,
}

/// What a caller sees: figures that the answer carries, or the reason of the refusal.
type Seen = Result<Vec<i64>, Reason>;

impl Model {
    fn apply(&mut self, step: &Step) -> Seen {
        match *step {
            Step::Staff {
                posting,
                user,
                key,
                amount,
            } => self.staff(posting, user, key, amount),
            Step::Exchange {
                step,
                user,
                exchange,
                amount,
            } => self.exchange(step, user, exchange, amount),
            Step::Withdraw { user, key, amount } => self.withdraw(user, key, amount),
            Step::Decide { place, key, paid } => self.decide(place, key, paid),
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

    fn staff(&mut self, posting: StaffPosting, user: usize, key: u8, amount: i64) -> Seen {
        let is_guarantee = matches!(
            posting,
            StaffPosting::GuaranteeDeposit | StaffPosting::GuaranteeReturn
        );
        match self.keys.get(&key) {
            Some(Used::Posting(kind, whose, how_much, answer))
                if (*kind, *whose, *how_much) == (posting, user, amount) =>
            {
                return Ok(if is_guarantee {
                    self.guarantee(user)
                } else {
                    answer.clone()
                });
            }
            Some(_) => return Err(Reason::IdempotencyKeyReused),
            None => {}
        }
        let wallet = &mut self.wallets[user];
        let change = match posting {
            StaffPosting::Deposit | StaffPosting::Grant | StaffPosting::GuaranteeReturn => amount,
            _ => -amount,
        };
        if posting == StaffPosting::Return && amount > wallet.start_up_outstanding {
            return Err(Reason::AmountOutOfRange);
        }
        if wallet.available + change < 0 {
            return Err(Reason::InsufficientBalance);
        }
        if is_guarantee {
            let lent = wallet.start_up_outstanding;
            if wallet.guarantee - change < 0 {
                return Err(Reason::InsufficientBalance);
            }
            if change < 0 && wallet.available + change < lent {
                return Err(Reason::StartUpFundsNotReturned);
            }
            wallet.guarantee -= change;
        }
        wallet.available += change;
        if matches!(posting, StaffPosting::Grant | StaffPosting::Return) {
            wallet.start_up_outstanding += change;
        }
        let answer = if is_guarantee {
            self.guarantee(user)
        } else {
            vec![change, wallet.available]
        };
        let content = Used::Posting(posting, user, amount, answer.clone());
        self.keys.insert(key, content);
        Ok(answer)
    }

    /// What a change of the guarantee answers, and a repeat of it.
    fn guarantee(&self, user: usize) -> Vec<i64> {
        let wallet = &self.wallets[user];
        vec![wallet.guarantee, wallet.available]
    }

    fn exchange(&mut self, step: ExchangeStep, user: usize, exchange: usize, amount: i64) -> Seen {
        let wallet = &mut self.wallets[user];
        if let Some(first) = self.exchanges.get(&(exchange, step.into())) {
            return if *first == (user, amount) {
                Ok(vec![wallet.available])
            } else {
                Err(Reason::IdempotencyKeyReused)
            };
        }
        if step == ExchangeStep::Return {
            match self.exchanges.get(&(exchange, ExchangeStep::Debit.into())) {
                Some((owner, _)) if *owner != user => return Err(Reason::NotFound),
                Some((_, debited)) if *debited != amount => {
                    return Err(Reason::IdempotencyKeyReused);
                }
                Some(_) => {}
                None => {
                    return if *self.closed.entry(exchange).or_insert(user) == user {
                        Ok(vec![wallet.available])
                    } else {
                        Err(Reason::NotFound)
                    };
                }
            }
        } else if self.closed.contains_key(&exchange) {
            return Err(Reason::PlanNotPuttable);
        }
        let change = if step == ExchangeStep::Debit {
            -amount
        } else {
            amount
        };
        if wallet.available + change < 0 {
            return Err(Reason::InsufficientBalance);
        }
        if step == ExchangeStep::Debit && wallet.start_up_outstanding > 0 {
            return Err(Reason::StartUpFundsNotReturned);
        }
        wallet.available += change;
        self.exchanges
            .insert((exchange, step.into()), (user, amount));
        Ok(vec![wallet.available])
    }

    fn withdraw(&mut self, user: usize, key: u8, amount: i64) -> Seen {
        if let Some((first, place)) = self.withdrawal_keys.get(&(user, key)) {
            return if *first == amount {
                Ok(self.withdrawal(*place))
            } else {
                Err(Reason::IdempotencyKeyReused)
            };
        }
        let wallet = &mut self.wallets[user];
        if amount > wallet.available {
            return Err(Reason::InsufficientBalance);
        }
        if amount < WITHDRAWAL_MIN {
            return Err(Reason::AmountOutOfRange);
        }
        if wallet.start_up_outstanding > 0 {
            return Err(Reason::StartUpFundsNotReturned);
        }
        wallet.available -= amount;
        wallet.withdrawing += amount;
        let place = self.withdrawals.len();
        self.withdrawals.push(ModelWithdrawal {
            user,
            amount,
            status: 1,
        });
        self.withdrawal_keys.insert((user, key), (amount, place));
        Ok(self.withdrawal(place))
    }

    fn withdrawal(&self, place: usize) -> Vec<i64> {
        let withdrawal = &self.withdrawals[place];
        vec![withdrawal.status, withdrawal.amount, WITHDRAWAL_FEE]
    }

    fn decide(&mut self, place: usize, key: u8, paid: bool) -> Seen {
        if place >= self.withdrawals.len() {
            return Err(Reason::NotFound);
        }
        let used = Used::Decision(place, paid);
        match self.keys.get(&key) {
            Some(first) if *first == used => return Ok(self.withdrawal(place)),
            Some(_) => return Err(Reason::IdempotencyKeyReused),
            None => {}
        }
        let withdrawal = &mut self.withdrawals[place];
        if withdrawal.status != 1 {
            return Err(Reason::NothingChanged);
        }
        let wallet = &mut self.wallets[withdrawal.user];
        wallet.withdrawing -= withdrawal.amount;
        if paid {
            withdrawal.status = 2;
        } else {
            withdrawal.status = 3;
            wallet.available += withdrawal.amount;
        }
        self.keys.insert(key, used);
        Ok(self.withdrawal(place))
    }

    fn hold(&mut self, user: usize, order: usize, paid: i64, discount: i64) -> Seen {
        if paid + discount == 0 {
            return Err(Reason::Validation);
        }
        let wallet = &mut self.wallets[user];
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
                Ok(vec![wallet.available, wallet.to_be_consumed])
            };
        }
        if paid > wallet.available {
            return Err(Reason::InsufficientBalance);
        }
        wallet.available -= paid;
        wallet.to_be_consumed += paid + discount;
        wallet.discount_total += discount;
        let seen = vec![wallet.available, wallet.to_be_consumed];
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
        let wallet = &mut self.wallets[user];
        wallet.to_be_consumed -= consumed - hold.consumed;
        wallet.to_be_settled += revenue - hold.revenue;
        (hold.version, hold.consumed, hold.revenue) = (version, consumed, revenue);
        Ok(vec![version])
    }

    fn give_back(&mut self, order: usize) -> i64 {
        let hold = self.holds.get_mut(&order).expect("a hold");
        let wallet = &mut self.wallets[hold.user];
        let open = hold.open();
        if open == 0 {
            return 0;
        }
        let all = hold.paid_back + hold.discount_back + open;
        let discount = all * hold.discount / (hold.paid + hold.discount) - hold.discount_back;
        let paid = open - discount;
        hold.discount_back += discount;
        hold.paid_back += paid;
        wallet.available += paid;
        wallet.to_be_consumed -= open;
        wallet.discount_total -= discount;
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
        let wallet = &mut self.wallets[user];
        wallet.to_be_settled -= revenue;
        wallet.available += revenue - share;
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
    exchanges: Vec<Uuid>,
    withdrawals: Vec<String>,
    round: usize,
}

impl Actors {
    /// Users who may withdraw. All have the password whose hash is given, which costs less than to hash it for each.
    async fn new(stack: &Wallet, round: usize, hash: &str) -> Self {
        let users: Vec<Uuid> = (0..USERS).map(|_| stack.user()).collect();
        for user in &users {
            stack
                .bind(*user, address("TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"), "")
                .await
                .expect("an address");
            sqlx::query("INSERT INTO pay_passwords (user_id, hash) VALUES ($1, $2)")
                .bind(user)
                .bind(hash)
                .execute(&stack.pool())
                .await
                .expect("a password");
        }
        Self {
            users,
            orders: (0..ORDERS).map(|_| Uuid::now_v7()).collect(),
            exchanges: (0..EXCHANGES).map(|_| Uuid::now_v7()).collect(),
            withdrawals: Vec::new(),
            round,
        }
    }

    /// The users' rows as they stand.
    async fn figures(&self, stack: &Wallet) -> Vec<Figures> {
        sqlx::query_as(
            "SELECT available, to_be_consumed, to_be_settled, withdrawing, guarantee, discount_total,
                    start_up_outstanding
             FROM unnest($1::uuid[]) WITH ORDINALITY AS u (user_id, place) JOIN wallets USING (user_id) ORDER BY place",
        )
        .bind(&self.users)
        .fetch_all(&stack.pool())
        .await
        .expect("figures")
    }
}

async fn act(
    stack: &Wallet,
    ledger: &Ledger,
    actors: &mut Actors,
    recorded: (i64, i64),
    step: &Step,
) -> Seen {
    let answer: Result<Vec<i64>, Refusal> = match *step {
        Step::Staff {
            posting,
            user,
            key,
            amount,
        } => {
            let caller = keyed(&format!("{}-{key}", actors.round));
            stack
                .post_as(&caller, posting, actors.users[user], amount)
                .await
                .map(|entry| vec![entry.amount_minor, entry.balance_after_minor])
        }
        Step::Exchange {
            step,
            user,
            exchange,
            amount,
        } => ledger
            .exchange(actors.users[user], actors.exchanges[exchange], step, amount)
            .await
            .map(|figures| vec![figures.available_minor]),
        Step::Withdraw { user, key, amount } => {
            let caller = user_keyed(actors.users[user], &format!("{}-{key}", actors.round));
            let answer = stack
                .withdraw_by(&caller, amount, WithdrawalMethod::WalletAddress, PIN)
                .await;
            answer.map(|withdrawal| {
                if !actors.withdrawals.contains(&withdrawal.id) {
                    actors.withdrawals.push(withdrawal.id.clone());
                }
                seen(&withdrawal)
            })
        }
        Step::Decide { place, key, paid } => {
            let caller = keyed(&format!("{}-{key}", actors.round));
            let unknown = Uuid::nil().to_string();
            let id = actors.withdrawals.get(place).unwrap_or(&unknown);
            let decision = if paid {
                WithdrawalDecision::Paid
            } else {
                WithdrawalDecision::Rejected
            };
            let answer = stack.decide(&caller, id, decision, "because").await;
            answer.map(|withdrawal| seen(&withdrawal))
        }
        _ => act_on_order(ledger, actors, recorded, step).await,
    };
    answer.map_err(|refusal| refusal.reason)
}

fn seen(withdrawal: &adfolio_proto::wallet::v1::Withdrawal) -> Vec<i64> {
    let status = i64::from(withdrawal.status);
    vec![status, withdrawal.amount_minor, withdrawal.fee_minor]
}

async fn act_on_order(
    ledger: &Ledger,
    actors: &Actors,
    recorded: (i64, i64),
    step: &Step,
) -> Result<Vec<i64>, Refusal> {
    let id = |user: usize, order: usize| (actors.users[user], actors.orders[order]);
    match *step {
        Step::Hold {
            user,
            order,
            paid,
            discount,
        } => {
            let (user, order) = id(user, order);
            let answer = ledger.hold(user, order, paid, discount).await;
            answer.map(|figures| vec![figures.available_minor, figures.to_be_consumed_minor])
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
                .map(|returned| vec![returned.paid, returned.discount])
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
            answer.map(|settled| vec![settled.paid_out, settled.returned])
        }
        _ => unreachable!("not about an order"),
    }
}

/// A command that finds the service too busy is given so often at most.
const REPEATS_MAX: u32 = 5;

/// One sequence after the other; sequences of different rounds share no user, so rounds run side by side, which fills
/// the batches. After each step the figures of every user of the round are the model's.
async fn play(stack: &Wallet, round: usize, steps: Vec<Step>, hash: &str) {
    let mut actors = Actors::new(stack, round, hash).await;
    let (ledger, mut model) = (stack.ledger(), Model::default());
    for (place, step) in steps.iter().enumerate() {
        let recorded = match *step {
            Step::Settle { order, .. } => model.recorded(order),
            _ => (0, 0),
        };
        let expected = model.apply(step);
        let mut seen = act(stack, &ledger, &mut actors, recorded, step).await;
        // Nobody knows whether a call had its effect that a busy machine let fall; every command is repeatable.
        for _ in 1..REPEATS_MAX {
            if seen != Err(Reason::Unavailable) {
                break;
            }
            seen = act(stack, &ledger, &mut actors, recorded, step).await;
        }
        assert_eq!(
            seen,
            expected,
            "round {round}, step {place}: {step:?}\nafter {:#?}",
            &steps[..place]
        );
        assert_eq!(
            actors.figures(stack).await,
            model.wallets,
            "round {round}, step {place}: {step:?}"
        );
    }
    for (place, user) in actors.users.iter().enumerate() {
        let lines = stack.all_flow(*user).await;
        let available: i64 = lines
            .iter()
            .filter(|line| line.account == 1)
            .map(|line| line.amount_minor)
            .sum();
        assert_eq!(
            available, model.wallets[place].available,
            "round {round}, user {place}"
        );
    }
}

/// Sequences after which the books are proven and the next ones find a wallet of their own: a proof reads everything, and
/// has to end within the time of a call.
const ROUNDS_PER_WALLET: usize = 250;

/// ADFOLIO_MODEL_ROUNDS sequences of 80 commands, 10,000 commands in all; more of them for a long run.
#[tokio::test]
async fn random_sequences_equal_the_model() {
    let rounds = std::env::var("ADFOLIO_MODEL_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(125);
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
    for (place, of_one_wallet) in rounds.chunks(ROUNDS_PER_WALLET).enumerate() {
        play_in_one_wallet(of_one_wallet).await;
        let equal = place * ROUNDS_PER_WALLET + of_one_wallet.len();
        println!("{equal} sequences equal the model, and the books balance");
    }
}

async fn play_in_one_wallet(rounds: &[(usize, Vec<Step>)]) {
    let stack = Wallet::spawn().await;
    let first = stack.user();
    stack
        .set_password(first, PIN, "")
        .await
        .expect("a password");
    let hash: String = sqlx::query_scalar("SELECT hash FROM pay_passwords WHERE user_id = $1")
        .bind(first)
        .fetch_one(&stack.pool())
        .await
        .expect("a hash");
    for side_by_side in rounds.chunks(40) {
        let playing = side_by_side
            .iter()
            .map(|(round, steps)| play(&stack, *round, steps.clone(), &hash));
        futures::future::join_all(playing).await;
    }
    stack.assert_books_balance().await;
}
