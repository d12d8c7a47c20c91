//! An advertiser, and the staff who serve them: every journey through the sagas. Each call is
//! repeated with its key until it is answered, and recorded with its answer.

mod plans;
mod wallet;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use md5::{Digest as _, Md5};
use rand::{RngExt as _, rngs::StdRng};
use serde_json::{Value, json};

pub use plans::Plan;
pub use wallet::Ending;

use super::{
    calls::{Answer, insist},
    history::{Funds, History},
};
use crate::{
    client::Client,
    impressions::decimal,
    setup::{PASSWORD, System},
};

/// One of this many abandonable calls is abandoned.
const ABANDON_ONE_IN: u32 = 15;

/// One of this many successful calls is repeated.
const REPEAT_ONE_IN: u32 = 10;

/// What all advertisers share.
pub struct Stage {
    pub product_id: String,
    pub campaign_id: String,
    /// Acceptance codes: out of the wallet, into the wallet.
    pub codes: [String; 2],
    /// Who releases what the first admin imports, where the system has two.
    pub second_admin: Option<Client>,
    /// How long an actor waits between two journeys.
    pub pause: Duration,
    /// Whether actors abandon some calls, and repeat some that were answered.
    pub is_restless: bool,
}

impl Stage {
    /// With actors who pause this long between two journeys.
    pub fn with_pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// With actors who make each call once and wait for its answer.
    pub fn with_patience(self) -> Self {
        Self {
            is_restless: false,
            ..self
        }
    }
}

pub struct Customer {
    pub history: History,
    pub random: StdRng,
    client: Client,
    admin: Client,
    admin_id: String,
    stage: Arc<Stage>,
    name: String,
    calls: usize,
    password: String,
    pin: String,
    is_restless: bool,
}

impl Customer {
    /// A new advertiser with money, a transaction password and a bank card. A restless one abandons
    /// some calls, and repeats some that were answered.
    pub async fn prepare(
        system: &System,
        stage: &Arc<Stage>,
        name: &str,
        funds: i64,
        (random, is_restless): (StdRng, bool),
    ) -> Self {
        let advertiser = system.advertiser(name).await;
        system.deposit(&advertiser.id, &money(funds)).await;
        let pin = hex::encode(Md5::digest("271828"));
        let client = advertiser.client.clone();
        let password = json!({"password": pin, "confirm_password": pin});
        client.post("/set/password", password).await.ok();
        client
            .post("/bank_card/edit", card(&pin, "Hamburg"))
            .await
            .ok();
        let history = History {
            user_id: advertiser.id,
            client: client.clone(),
            funds: Funds::available(funds),
            postings: HashMap::new(),
            puts: HashMap::new(),
            exchanges: HashMap::new(),
            coupons: HashSet::new(),
            withdrawals: HashSet::new(),
            answered: 0,
            unavailable: Vec::new(),
        };
        Self {
            history,
            random,
            client,
            admin: system.admin.clone(),
            admin_id: system.admin_id.clone(),
            stage: Arc::clone(stage),
            name: name.to_owned(),
            calls: 0,
            password: PASSWORD.to_owned(),
            pin,
            is_restless,
        }
    }

    /// A call of staff that must succeed, whatever is down meanwhile.
    pub async fn staff_until_done(&mut self, path: &str, body: &Value) -> Value {
        let (admin, key) = (self.admin.clone(), self.key());
        match self.ask(&admin, path, &key, body).await {
            Answer::Done(data) => data,
            Answer::Refused(reason) => panic!("{path} was refused: {reason}"),
        }
    }

    /// Repeats the call until it is answered; sometimes makes it only once and does not wait. None
    /// if the outcome is unknown.
    async fn ask_or_abandon(
        &mut self,
        as_staff: bool,
        path: &str,
        key: &str,
        body: &Value,
    ) -> Option<Answer> {
        let client = if as_staff { &self.admin } else { &self.client }.clone();
        if !self.is_restless || !self.random.random_ratio(1, ABANDON_ONE_IN) {
            return Some(self.ask(&client, path, key, body).await);
        }
        let patience = Duration::from_millis(self.random.random_range(1..200));
        let _ = tokio::time::timeout(patience, client.try_post_keyed(path, key, body)).await;
        None
    }

    /// Repeats the call until it is answered. A restless actor sometimes makes it once more and
    /// expects the same answer.
    async fn ask(&mut self, client: &Client, path: &str, key: &str, body: &Value) -> Answer {
        let call = || client.try_post_keyed(path, key, body);
        let (answer, unavailable) = insist(path, call).await;
        self.history.answered += 1;
        self.history.unavailable.extend(unavailable);
        if let Answer::Done(first) = &answer
            && self.is_restless
            && self.random.random_ratio(1, REPEAT_ONE_IN)
        {
            let (repeated, unavailable) = insist(path, call).await;
            self.history.unavailable.extend(unavailable);
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

    /// Two concurrent calls of which exactly one succeeds: whether it was the first, and the
    /// successful answer.
    async fn ask_for_one(&mut self, calls: [(&Client, &str, &str, &Value); 2]) -> (bool, Value) {
        let [path, other_path] = calls.map(|(_, path, ..)| path);
        match self.ask_both(calls).await {
            [Answer::Done(data), Answer::Refused(_)] => (true, data),
            [Answer::Refused(_), Answer::Done(data)] => (false, data),
            [Answer::Done(one), Answer::Done(other)] => {
                panic!("both of {path} and {other_path} succeeded: {one} and {other}")
            }
            [Answer::Refused(one), Answer::Refused(other)] => {
                panic!("neither of {path} and {other_path} succeeded: {one} and {other}")
            }
        }
    }

    /// Two concurrent calls and their answers.
    async fn ask_both(&mut self, calls: [(&Client, &str, &str, &Value); 2]) -> [Answer; 2] {
        let asked = calls.map(|(client, path, key, body)| {
            insist(path, move || client.try_post_keyed(path, key, body))
        });
        let [one, other] = asked;
        let ((one, waited), (other, waited_too)) = tokio::join!(one, other);
        self.history.answered += 2;
        self.history.unavailable.extend(waited);
        self.history.unavailable.extend(waited_too);
        [one, other]
    }

    fn key(&mut self) -> String {
        self.calls += 1;
        format!("{}-{}", self.name, self.calls)
    }
}

fn card(pin: &str, branch: &str) -> Value {
    json!({
        "kind": "bank_card", "card_name": "North Sea Bank", "user_name": "Ada Lovelace", "mobile": "+4915112345678",
        "bank_account": "DE89370400440532013000", "branch_name": branch, "password": pin,
    })
}

/// The owner without the name, which comes from auth and is left out while auth is down.
fn without_names(mut data: Value) -> Value {
    if let Some(user) = data["user"].as_object_mut() {
        user.remove("username");
    }
    data
}

fn money(minor: i64) -> String {
    decimal(i128::from(minor))
}
