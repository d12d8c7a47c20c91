//! Puts and their plans.

use std::time::Duration;

use chrono::Utc;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    super::{
        calls::{Answer, insist},
        check::QUIET_LIMIT,
        history::{Fate, Funds},
    },
    Customer, money,
};

/// The discount of a coupon.
const COUPON_WORTH: i64 = 500;

const POLL: Duration = Duration::from_millis(200);

/// A put plan.
pub struct Plan {
    pub id: String,
    pub number: String,
    paid: i64,
    discount: i64,
}

impl Customer {
    /// A put of the product; none if its caller went away.
    pub async fn put(&mut self, amount: i64) -> Option<Plan> {
        let body = json!({"product_id": self.stage.product_id, "amount": money(amount)});
        let key = self.key();
        let answer = self
            .ask_or_abandon(false, "/plan/order/put", &key, &body)
            .await;
        if answer.is_none() {
            self.history
                .puts
                .insert(key.clone(), (Fate::Unknown, amount));
        }
        Some(self.remember_put(key, &answer?, (amount, 0)))
    }

    /// A put of the product with a coupon granted by staff.
    pub async fn put_with_coupon(&mut self, amount: i64) -> Plan {
        let (product, coupon) = (self.product(), self.coupon().await);
        self.put_into(&product, &coupon, amount).await
    }

    /// A coupon from staff.
    pub async fn coupon(&mut self) -> Value {
        let grant = json!({"campaign_id": self.stage.campaign_id, "user_id": self.history.user_id});
        let coupon = self.staff_until_done("/admin/coupon/grant", &grant).await;
        let is_new = self
            .history
            .coupons
            .insert(coupon["id"].as_str().unwrap().to_owned());
        assert!(is_new, "two keys were told the same coupon");
        coupon["id"].clone()
    }

    /// The product as the target of a put.
    pub fn product(&self) -> Value {
        json!({"product_id": self.stage.product_id})
    }

    /// A plan pushed by staff as the target of a put.
    pub async fn pushed(&mut self, amount: i64) -> Value {
        let push = json!({
            "product_id": self.stage.product_id, "amount": money(amount), "put_content": "Video", "put_rule": "Evenly",
            "to": {"user_ids": [self.history.user_id]},
        });
        let pushed = self.staff_until_done("/admin/plan/push", &push).await;
        json!({"plan_id": pushed["items"][0]["plan_id"]})
    }

    /// A put with a coupon.
    pub async fn put_into(&mut self, target: &Value, coupon: &Value, amount: i64) -> Plan {
        let (answer, key) = self.ask_put(target, coupon, amount).await;
        self.remember_put(key, &answer, (amount - COUPON_WORTH, COUPON_WORTH))
    }

    /// Two concurrent puts of the product with one coupon: one of them gets it.
    pub async fn put_twice_with_a_coupon(&mut self, amount: i64) -> Plan {
        let mut body = self.product();
        body["user_coupon_id"] = self.coupon().await;
        body["amount"] = json!(money(amount));
        let (client, keys) = (self.client.clone(), [self.key(), self.key()]);
        let calls = keys
            .each_ref()
            .map(|key| (&client, "/plan/order/put", key.as_str(), &body));
        let (is_first, plan) = self.ask_for_one(calls).await;
        let [first, second] = keys;
        let (winner, loser) = if is_first {
            (first, second)
        } else {
            (second, first)
        };
        let paid = amount - COUPON_WORTH;
        self.history.puts.insert(loser, (Fate::Refused, paid));
        self.remember_put(winner, &Answer::Done(plan), (paid, COUPON_WORTH))
    }

    /// A put with a coupon that is refused for this reason.
    pub async fn be_refused(&mut self, target: &Value, coupon: &Value, amount: i64, why: &str) {
        let (answer, key) = self.ask_put(target, coupon, amount).await;
        match answer {
            Answer::Refused(reason) => assert_eq!(reason, why),
            Answer::Done(plan) => panic!("put against all rules: {plan}"),
        }
        self.history.puts.insert(key, (Fate::Refused, amount));
    }

    async fn ask_put(&mut self, target: &Value, coupon: &Value, amount: i64) -> (Answer, String) {
        let (client, key, mut body) = (self.client.clone(), self.key(), target.clone());
        body["user_coupon_id"] = coupon.clone();
        body["amount"] = json!(money(amount));
        let answer = self.ask(&client, "/plan/order/put", &key, &body).await;
        (answer, key)
    }

    /// The plan fails: money and coupon come back.
    pub async fn fail(&mut self, plan: &Plan) {
        self.finish(&plan.id, "put_failed").await;
        self.history.funds += Funds::held(-plan.paid, -plan.discount);
    }

    /// The most that a report of this spend may bring. What stands out takes a second admin.
    pub fn most_revenue(&self, amount: i64, spend: i64) -> i64 {
        match self.stage.second_admin {
            Some(_) => 2 * amount,
            None => (2 * amount).min(10 * spend),
        }
    }

    /// A report of what the plan delivered, from a file.
    pub async fn import(&mut self, plan: &Plan, spend: i64, revenue: i64) {
        let number = &plan.number;
        let csv = format!(
            "report_id,plan_number,time,impressions,clicks,spend,revenue\n{number}-1,{number},{},100,7,{},{}\n",
            Utc::now().to_rfc3339(),
            money(spend),
            money(revenue),
        );
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
            admin.try_import(csv.clone(), "chaos", &mapping)
        })
        .await;
        let Answer::Done(report) = answer else {
            panic!("an import was refused");
        };
        let known = report["applied"].as_i64().unwrap() + report["repeated"].as_i64().unwrap();
        assert_eq!(known, 1, "{report}");
        self.history.answered += 1;
        self.history.unavailable.extend(unavailable);
        if report["state"] == "proposed" {
            self.release(&report).await;
        }
    }

    /// The second admin releases an import that stands out, naming the limits that it passes.
    async fn release(&mut self, import: &Value) {
        let notable = import["notable"].as_array().unwrap();
        let rules: Vec<&str> = notable
            .iter()
            .map(|of| of["rule"].as_str().unwrap())
            .collect();
        let decision = json!({
            "import_id": import["import_id"], "decision": "released", "reason": format!("Agreed: {}", rules.join(", ")),
        });
        let second = self.stage.second_admin.clone().expect("a second admin");
        let key = self.key();
        let path = "/admin/delivery/import/decide";
        match self.ask(&second, path, &key, &decision).await {
            Answer::Done(decided) => assert_eq!(decided["state"], "released", "{decided}"),
            Answer::Refused(reason) => panic!("{path} was refused: {reason}"),
        }
    }

    /// Delivery ends and the plan is settled. `spend` and `revenue` are all that was reported.
    pub async fn settle(&mut self, plan: &Plan, spend: i64, revenue: i64) {
        self.finish(&plan.id, "put_finished").await;
        let body = json!({"id": plan.id});
        self.staff_until_done("/admin/plan/settle", &body).await;
        let amount = plan.paid + plan.discount;
        let returned = amount - spend;
        self.history.funds += Funds {
            // The coupon gets back its share of what was not consumed, rounded down.
            available: revenue + returned - returned * plan.discount / amount,
            to_be_consumed: -amount,
            ..Funds::default()
        };
    }

    /// The product's maximum: refused, or with enough money done once, returned, and not done again
    /// under its key.
    pub async fn put_as_much_as_possible(&mut self) {
        let client = self.client.clone();
        let key = self.key();
        let body = json!({"product_id": self.stage.product_id, "amount": "100000.00"});
        let first = self.ask(&client, "/plan/order/put", &key, &body).await;
        match first {
            Answer::Done(_) => {
                let plan = self.remember_put(key.clone(), &first, (10_000_000, 0));
                let other = json!({"product_id": self.stage.product_id, "amount": "20.00"});
                match self.ask(&client, "/plan/order/put", &key, &other).await {
                    Answer::Refused(reason) => assert_eq!(reason, "IDEMPOTENCY_KEY_REUSED"),
                    Answer::Done(_) => panic!("a reused key was answered with success"),
                }
                self.fail(&plan).await;
            }
            Answer::Refused(reason) => {
                assert_eq!(reason, "INSUFFICIENT_BALANCE");
                self.history.puts.insert(key, (Fate::Refused, 10_000_000));
            }
        }
    }

    /// Waits until the plan shows this many impressions.
    pub async fn wait_for_impressions(&mut self, plan: &Plan, impressions: i64) {
        let (client, body) = (self.client.clone(), json!({"id": plan.id}));
        let shown = async {
            loop {
                let key = self.key();
                let detail = self.ask(&client, "/plan/order/detail", &key, &body).await;
                match detail {
                    Answer::Done(detail) if detail["impressions"] == impressions => return,
                    Answer::Done(_) => tokio::time::sleep(POLL).await,
                    Answer::Refused(reason) => panic!("a plan is hidden: {reason}"),
                }
            }
        };
        let shown = timeout(QUIET_LIMIT, shown).await;
        assert!(shown.is_ok(), "{} shows no impressions", plan.number);
    }

    async fn finish(&mut self, id: &str, outcome: &str) {
        let body = json!({"id": id, "outcome": outcome, "reason": "chaos"});
        self.staff_until_done("/admin/plan/finish", &body).await;
    }

    fn remember_put(&mut self, key: String, answer: &Answer, (paid, discount): (i64, i64)) -> Plan {
        let plan = match answer {
            Answer::Done(plan) => plan,
            Answer::Refused(reason) => panic!("a put was refused: {reason}"),
        };
        let text = |field: &str| plan[field].as_str().unwrap().to_owned();
        let plan = Plan {
            id: text("id"),
            number: text("plan_number"),
            paid,
            discount,
        };
        let fate = (Fate::Done(plan.id.clone()), paid);
        self.history.puts.insert(key, fate);
        self.history.funds += Funds::held(paid, discount);
        plan
    }
}
