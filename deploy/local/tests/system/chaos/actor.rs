//! One advertiser, and the staff who serve them: journey after journey through every saga, each call repeated with its key
//! until it is answered.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use chrono::Utc;
use md5::{Digest as _, Md5};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::history::{Fate, Funds, History};
use crate::{
    client::{Client, Reply},
    impressions::decimal,
    setup::System,
};

/// Between two attempts of one call while something is down.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// A call that has not been answered after so many attempts (two minutes and more) will not be.
const ATTEMPTS_MAX: usize = 600;

/// Of so many calls that may be abandoned, one is.
const ABANDON_ONE_IN: u32 = 15;

/// Of so many calls that were answered with success, one is made again.
const REPEAT_ONE_IN: u32 = 10;

/// What a coupon takes off.
const COUPON_WORTH: i64 = 500;

const FUNDS: i64 = 100_000_000;

/// What all actors share.
pub struct Stage {
    pub product_id: String,
    pub campaign_id: String,
    /// Acceptance codes: out of the wallet, into the wallet.
    pub codes: [String; 2],
    /// How long an actor waits between two journeys.
    pub pause: Duration,
}

impl Stage {
    /// With actors who wait so long between two journeys.
    pub fn with_pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }
}

pub struct Actor {
    client: Client,
    admin: Client,
    admin_id: String,
    stage: Arc<Stage>,
    number: usize,
    calls: usize,
    random: StdRng,
    pin: String,
    history: History,
}

/// How a call ended.
enum Answer {
    Done(Value),
    Refused(String),
}

impl Actor {
    /// A new advertiser with money, a transaction password and a bank card.
    pub async fn prepare(system: &System, stage: &Arc<Stage>, number: usize, seed: u64) -> Self {
        let advertiser = system.advertiser(&format!("chaos-{number}")).await;
        system.deposit(&advertiser.id, &money(FUNDS)).await;
        let pin = hex::encode(Md5::digest("271828"));
        let client = advertiser.client.clone();
        let password = json!({"password": pin, "confirm_password": pin});
        client.post("/set/password", password).await.ok();
        let card = json!({
            "kind": "bank_card", "card_name": "North Sea Bank", "user_name": "Ada Lovelace", "mobile": "+4915112345678",
            "bank_account": "DE89370400440532013000", "branch_name": "Hamburg", "password": pin,
        });
        client.post("/bank_card/edit", card).await.ok();
        let history = History {
            user_id: advertiser.id,
            client: client.clone(),
            funds: Funds::available(FUNDS),
            postings: HashMap::new(),
            puts: HashMap::new(),
            exchanges: HashMap::new(),
            coupons: HashSet::new(),
            withdrawals: HashSet::new(),
            answered: 0,
            unavailable: 0,
        };
        Self {
            client,
            admin: system.admin.clone(),
            admin_id: system.admin_id.clone(),
            stage: Arc::clone(stage),
            number,
            calls: 0,
            random: StdRng::seed_from_u64(seed.wrapping_add(u64::try_from(number).unwrap())),
            pin,
            history,
        }
    }

    /// Goes on until told to stop, ends the journey under way, and answers what it remembers.
    pub async fn act(mut self, stop: CancellationToken) -> History {
        while !stop.is_cancelled() {
            match self.random.random_range(0..100) {
                0..20 => self.staff_post().await,
                20..55 => self.put().await,
                55..65 => self.put_with_coupon().await,
                65..80 => self.withdraw().await,
                80..95 => self.exchange().await,
                _ => self.ask_too_much().await,
            }
            let _ = tokio::time::timeout(self.stage.pause, stop.cancelled()).await;
        }
        self.history
    }

    /// A deposit or a chargeback.
    async fn staff_post(&mut self) {
        let amount = self.amount();
        let (path, effect) = if self.random.random_bool(0.7) {
            ("/admin/wallet/deposit", amount)
        } else {
            ("/admin/wallet/chargeback", -amount)
        };
        let body =
            json!({"user_id": self.history.user_id, "amount": money(amount), "remark": "chaos"});
        let key = self.key();
        let fate = self.ask_or_abandon(true, path, &key, &body).await;
        self.remember_posting(
            format!("deposit:{}:key:{key}", self.admin_id),
            fate,
            Funds::available(effect),
        );
    }

    /// A put, and what becomes of its plan: it stays, fails, or delivers and is settled.
    async fn put(&mut self) {
        let amount = 1_000 + self.amount();
        let body = json!({"product_id": self.stage.product_id, "amount": money(amount)});
        let key = self.key();
        let plan = match self
            .ask_or_abandon(false, "/plan/order/put", &key, &body)
            .await
        {
            Some(Answer::Done(plan)) => plan,
            Some(Answer::Refused(reason)) => panic!("a put was refused: {reason}"),
            None => {
                self.history.puts.insert(key, (Fate::Unknown, amount));
                return;
            }
        };
        let id = plan["id"].as_str().unwrap().to_owned();
        self.history
            .puts
            .insert(key, (Fate::Done(id.clone()), amount));
        self.history.funds += Funds::held(amount, 0);
        match self.random.random_range(0..3) {
            0 => {}
            1 => {
                self.finish(&id, "put_failed").await;
                self.history.funds += Funds::held(-amount, 0);
            }
            _ => self.deliver(&plan, amount).await,
        }
    }

    async fn deliver(&mut self, plan: &Value, amount: i64) {
        let spend = self.random.random_range(1..amount);
        let revenue = self.random.random_range(1..2 * amount);
        let number = plan["plan_number"].as_str().unwrap();
        let csv = format!(
            "report_id,plan_number,time,impressions,clicks,spend,revenue\n{number}-1,{number},{},100,7,{},{}\n",
            Utc::now().to_rfc3339(),
            money(spend),
            money(revenue),
        );
        self.import(&csv).await;
        let id = plan["id"].as_str().unwrap().to_owned();
        self.finish(&id, "put_finished").await;
        let body = json!({"id": id});
        self.staff_until_done("/admin/plan/settle", &body).await;
        self.history.funds += Funds {
            available: revenue + amount - spend,
            to_be_consumed: -amount,
            ..Funds::default()
        };
    }

    async fn finish(&mut self, id: &str, outcome: &str) {
        let body = json!({"id": id, "outcome": outcome, "reason": "chaos"});
        self.staff_until_done("/admin/plan/finish", &body).await;
    }

    /// A coupon from staff, used up by a put that pays the rest.
    async fn put_with_coupon(&mut self) {
        let grant = json!({"campaign_id": self.stage.campaign_id, "user_id": self.history.user_id});
        let coupon = self.staff_until_done("/admin/coupon/grant", &grant).await;
        let is_new = self
            .history
            .coupons
            .insert(coupon["id"].as_str().unwrap().to_owned());
        assert!(is_new, "two keys were told the same coupon");
        let amount = 1_000 + self.amount();
        let body = json!({
            "product_id": self.stage.product_id, "amount": money(amount), "user_coupon_id": coupon["id"],
        });
        let paid = amount - COUPON_WORTH;
        let (key, plan) = self.put_once_or_twice(&body, paid).await;
        let id = plan["id"].as_str().unwrap().to_owned();
        self.history
            .puts
            .insert(key, (Fate::Done(id.clone()), paid));
        self.history.funds += Funds::held(paid, COUPON_WORTH);
        if self.random.random_bool(0.5) {
            self.finish(&id, "put_failed").await;
            self.history.funds += Funds::held(-paid, -COUPON_WORTH);
        }
    }

    /// A put with a coupon; at times two at once, of which one gets it. Answers the one that did, with its key.
    async fn put_once_or_twice(&mut self, body: &Value, paid: i64) -> (String, Value) {
        let path = "/plan/order/put";
        let client = self.client.clone();
        let keys = [self.key(), self.key()];
        if self.random.random_bool(0.7) {
            let [key, _] = keys;
            let Answer::Done(plan) = self.ask(&client, path, &key, body).await else {
                panic!("a put with a coupon was refused");
            };
            return (key, plan);
        }
        let puts = keys
            .each_ref()
            .map(|key| (&client, path, key.as_str(), body));
        let (first, plan) = self.ask_both(puts).await;
        let [winner, loser] = if first {
            keys
        } else {
            let [one, other] = keys;
            [other, one]
        };
        self.history.puts.insert(loser, (Fate::Refused, paid));
        (winner, plan)
    }

    async fn withdraw(&mut self) {
        let amount = 1_000 + self.amount();
        let body = json!({"amount": money(amount), "method": "bank_card", "password": self.pin});
        let key = self.key();
        let fate = self
            .ask_or_abandon(false, "/user/withdraw", &key, &body)
            .await;
        let id = match &fate {
            Some(Answer::Done(withdrawal)) => Some(withdrawal["id"].as_str().unwrap().to_owned()),
            _ => None,
        };
        self.remember_posting(
            format!("withdraw:{}:key:{key}", self.history.user_id),
            fate,
            Funds::withdrawing(amount),
        );
        let Some(id) = id else { return };
        assert!(
            self.history.withdrawals.insert(id.clone()),
            "two keys were told the same withdrawal"
        );
        let (decision, effect) = match self.random.random_range(0..3) {
            0 => return,
            1 => (
                "paid",
                Funds {
                    withdrawing: -amount,
                    ..Funds::default()
                },
            ),
            _ => ("rejected", Funds::withdrawing(-amount)),
        };
        let body = json!({"id": id, "decision": decision, "reason": "chaos"});
        let key = self.key();
        let admin = self.admin.clone();
        let answer = self
            .ask(&admin, "/admin/withdraw/decide", &key, &body)
            .await;
        self.remember_posting(
            format!("deposit:{}:key:{key}", self.admin_id),
            Some(answer),
            effect,
        );
    }

    /// An exchange order of either direction, to its end.
    async fn exchange(&mut self) {
        let is_outgoing = self.random.random_bool(0.6);
        let amount = 100 + self.random.random_range(0..40_000);
        let body = json!({
            "kind": "personal", "code": self.stage.codes[usize::from(!is_outgoing)], "amount": money(amount),
            "password": self.pin,
        });
        let (client, key) = (self.client.clone(), self.key());
        let created = self
            .ask(&client, "/acceptor/order/create", &key, &body)
            .await;
        let Answer::Done(order) = created else {
            panic!("an exchange order was refused");
        };
        let id = order["id"].as_str().unwrap().to_owned();
        if self.random.random_bool(0.25) {
            self.decide_twice(id, is_outgoing, amount).await;
            return;
        }
        let is_completed = self.random.random_bool(0.5);
        let ended = if is_completed || self.random.random_bool(0.5) {
            let decision = if is_completed {
                "completed"
            } else {
                "cancelled"
            };
            let body = json!({"id": id, "decision": decision, "reason": "chaos"});
            self.staff_until_done("/admin/exchange/decide", &body).await
        } else {
            let (key, body) = (self.key(), json!({"id": id}));
            match self
                .ask(&client, "/acceptor/order/cancel", &key, &body)
                .await
            {
                Answer::Done(order) => order,
                Answer::Refused(reason) => panic!("a cancellation was refused: {reason}"),
            }
        };
        let status = if is_completed {
            "completed"
        } else {
            "cancelled"
        };
        assert_eq!(ended["status"], status, "{ended}");
        self.remember_exchange(id, is_completed, is_outgoing, amount);
    }

    /// Staff complete an order while its user cancels it: one of them does.
    async fn decide_twice(&mut self, id: String, is_outgoing: bool, amount: i64) {
        let complete = json!({"id": id, "decision": "completed", "reason": "chaos"});
        let cancel = json!({"id": id});
        let (client, admin) = (self.client.clone(), self.admin.clone());
        let keys = [self.key(), self.key()];
        let (is_completed, ended) = self
            .ask_both([
                (&admin, "/admin/exchange/decide", &keys[0], &complete),
                (&client, "/acceptor/order/cancel", &keys[1], &cancel),
            ])
            .await;
        let status = if is_completed {
            "completed"
        } else {
            "cancelled"
        };
        assert_eq!(ended["status"], status, "{ended}");
        self.remember_exchange(id, is_completed, is_outgoing, amount);
    }

    fn remember_exchange(
        &mut self,
        id: String,
        is_completed: bool,
        is_outgoing: bool,
        amount: i64,
    ) {
        let status = if is_completed {
            "completed"
        } else {
            "cancelled"
        };
        let is_new = self.history.exchanges.insert(id, status).is_none();
        assert!(is_new, "two keys were told the same exchange order");
        if is_completed {
            self.history.funds += Funds::available(if is_outgoing { -amount } else { amount });
        }
    }

    /// More than there is: refused, and nothing happens.
    async fn ask_too_much(&mut self) {
        let client = self.client.clone();
        let key = self.key();
        let body = json!({"product_id": self.stage.product_id, "amount": "100000.00"});
        // Ten of them at the most fit into the wallet's beginnings, so ask for what nobody can pay.
        let too_much =
            json!({"user_id": self.history.user_id, "amount": "900000000.00", "remark": "chaos"});
        let admin = self.admin.clone();
        let answer = self
            .ask(&admin, "/admin/wallet/chargeback", &key, &too_much)
            .await;
        let Answer::Refused(reason) = answer else {
            panic!("more was charged back than there is");
        };
        assert_eq!(reason, "INSUFFICIENT_BALANCE");
        let ledger_key = format!("deposit:{}:key:{key}", self.admin_id);
        self.history
            .postings
            .insert(ledger_key, (Fate::Refused, Funds::default()));
        // The same key with something else is a mistake, whatever became of the first.
        let key = self.key();
        let first = self.ask(&client, "/plan/order/put", &key, &body).await;
        match first {
            Answer::Done(plan) => {
                let id = plan["id"].as_str().unwrap().to_owned();
                self.history.funds += Funds::held(10_000_000, 0);
                self.history
                    .puts
                    .insert(key.clone(), (Fate::Done(id.clone()), 10_000_000));
                let other = json!({"product_id": self.stage.product_id, "amount": "20.00"});
                match self.ask(&client, "/plan/order/put", &key, &other).await {
                    Answer::Refused(reason) => assert_eq!(reason, "IDEMPOTENCY_KEY_REUSED"),
                    Answer::Done(_) => panic!("a reused key was answered with success"),
                }
                self.finish(&id, "put_failed").await;
                self.history.funds += Funds::held(-10_000_000, 0);
            }
            Answer::Refused(reason) => {
                assert_eq!(reason, "INSUFFICIENT_BALANCE");
                self.history.puts.insert(key, (Fate::Refused, 10_000_000));
            }
        }
    }

    fn remember_posting(&mut self, key: String, answer: Option<Answer>, effect: Funds) {
        let fate = match answer {
            Some(Answer::Done(_)) => {
                self.history.funds += effect;
                Fate::Done(())
            }
            Some(Answer::Refused(reason)) => panic!("{key} was refused: {reason}"),
            None => Fate::Unknown,
        };
        self.history.postings.insert(key, (fate, effect));
    }

    /// A call of staff that must succeed, whatever is down meanwhile.
    async fn staff_until_done(&mut self, path: &str, body: &Value) -> Value {
        let (admin, key) = (self.admin.clone(), self.key());
        match self.ask(&admin, path, &key, body).await {
            Answer::Done(data) => data,
            Answer::Refused(reason) => panic!("{path} was refused: {reason}"),
        }
    }

    /// Asks until there is an answer; or, sometimes, only once, without waiting for more. None when nothing is known.
    async fn ask_or_abandon(
        &mut self,
        as_staff: bool,
        path: &str,
        key: &str,
        body: &Value,
    ) -> Option<Answer> {
        let client = if as_staff { &self.admin } else { &self.client }.clone();
        if !self.random.random_ratio(1, ABANDON_ONE_IN) {
            return Some(self.ask(&client, path, key, body).await);
        }
        let patience = Duration::from_millis(self.random.random_range(1..200));
        let _ = tokio::time::timeout(patience, client.try_post_keyed(path, key, body)).await;
        None
    }

    /// Asks until there is an answer; and at times once more, which must be answered the same.
    async fn ask(&mut self, client: &Client, path: &str, key: &str, body: &Value) -> Answer {
        let call = || client.try_post_keyed(path, key, body);
        let (answer, unavailable) = insist(path, call).await;
        self.history.answered += 1;
        self.history.unavailable += unavailable;
        if let Answer::Done(first) = &answer
            && self.random.random_ratio(1, REPEAT_ONE_IN)
        {
            let (repeated, unavailable) = insist(path, call).await;
            self.history.unavailable += unavailable;
            match repeated {
                Answer::Done(second) => {
                    let (first, second) = (without_names(first.clone()), without_names(second));
                    assert_eq!(second, first, "{path} was answered anew");
                }
                Answer::Refused(reason) => panic!("{path} was done, and refused again: {reason}"),
            }
        }
        answer
    }

    /// Two calls at once, of which exactly one succeeds: whether the first did, and what the successful one was answered.
    async fn ask_both(&mut self, calls: [(&Client, &str, &str, &Value); 2]) -> (bool, Value) {
        let asked = calls.map(|(client, path, key, body)| {
            insist(path, move || client.try_post_keyed(path, key, body))
        });
        let answers = futures::future::join_all(asked).await;
        self.history.answered += answers.len();
        self.history.unavailable += answers.iter().map(|(_, count)| count).sum::<usize>();
        let mut answers = answers.into_iter().map(|(answer, _)| answer);
        match (answers.next().unwrap(), answers.next().unwrap()) {
            (Answer::Done(data), Answer::Refused(_)) => (true, data),
            (Answer::Refused(_), Answer::Done(data)) => (false, data),
            (Answer::Done(one), Answer::Done(other)) => {
                panic!(
                    "both of {} and {} succeeded: {one} and {other}",
                    calls[0].1, calls[1].1
                )
            }
            (Answer::Refused(one), Answer::Refused(other)) => {
                panic!(
                    "neither of {} and {} succeeded: {one} and {other}",
                    calls[0].1, calls[1].1
                )
            }
        }
    }

    async fn import(&mut self, csv: &str) {
        let columns = [
            "report_id",
            "plan_number",
            "time",
            "impressions",
            "clicks",
            "spend",
            "revenue",
        ];
        let mapping: Value = columns.iter().map(|name| (*name, *name)).collect();
        let admin = &self.admin;
        let (answer, unavailable) = insist("an import", || {
            admin.try_import(csv.to_owned(), "chaos", &mapping)
        })
        .await;
        let Answer::Done(report) = answer else {
            panic!("an import was refused");
        };
        let known = report["applied"].as_i64().unwrap() + report["repeated"].as_i64().unwrap();
        assert_eq!(known, 1, "{report}");
        self.history.answered += 1;
        self.history.unavailable += unavailable;
    }

    fn key(&mut self) -> String {
        self.calls += 1;
        format!("chaos-{}-{}", self.number, self.calls)
    }

    /// From 0.01 to 99.99.
    fn amount(&mut self) -> i64 {
        self.random.random_range(1..10_000)
    }
}

/// Repeats a call until it is answered; says too how many attempts an outage cost. Only an outage, or too much at once, is a
/// reason to ask again.
async fn insist<F: Future<Output = Result<Reply, String>> + Send>(
    what: &str,
    call: impl Fn() -> F + Send,
) -> (Answer, usize) {
    let mut pause = tokio::time::interval(RETRY_PAUSE);
    let mut unavailable = 0;
    let mut last = None;
    for _ in 0..ATTEMPTS_MAX {
        pause.tick().await;
        let outcome = call().await;
        match &outcome {
            Ok(reply) if reply.code == 200 => {
                return (Answer::Done(reply.data.clone()), unavailable);
            }
            Ok(reply) if reply.reason() == "TOO_MANY_ATTEMPTS" => {}
            Ok(reply) if reply.code == 400 => {
                return (Answer::Refused(reply.reason().to_owned()), unavailable);
            }
            Ok(reply) if reply.reason() != "UNAVAILABLE" => panic!("{what}: {reply:?}"),
            // Or the connection broke: the outcome is unknown, the key makes asking again safe.
            Ok(_) | Err(_) => unavailable += 1,
        }
        last = Some(outcome);
    }
    panic!("{what} was not answered after {ATTEMPTS_MAX} attempts; last: {last:?}");
}

/// Whose it is, without the name: that comes from auth, and is left out while auth is down.
fn without_names(mut data: Value) -> Value {
    if let Some(user) = data["user"].as_object_mut() {
        user.remove("username");
    }
    data
}

fn money(minor: i64) -> String {
    decimal(i128::from(minor))
}
