//! Every figure against the list that it opens and against the ledger, over random histories and in three time zones.

use adfolio_testkit::eventually;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::stack::Stack;

const ZONES: [&str; 3] = ["UTC", "Asia/Kathmandu", "America/St_Johns"];

/// Ranges of statistics: today, this week, this month, all.
const RANGES: std::ops::RangeInclusive<u8> = 1..=6;

/// Steps of a history.
const STEPS: usize = 20;

/// MD5 of 246810.
const PIN: &str = "b6af3f19458ec8e6faff8ee1e0440ecb";

/// Accounts of a wallet, and the figures that show their balances.
const ACCOUNTS: [(&str, &str); 4] = [
    ("available", "available_funds"),
    ("to_be_consumed", "to_be_consumed"),
    ("to_be_settled", "to_be_settled"),
    ("withdrawing", "withdrawing"),
];

/// One user's history, by two members of staff.
struct History<'a> {
    stack: &'a Stack,
    admin: &'a str,
    second: &'a str,
    user: String,
    token: String,
    product: String,
    coupons: Vec<String>,
    /// Acceptance codes: money out, money in.
    codes: [String; 2],
    plans: Vec<Value>,
    reports: Vec<Value>,
    random: StdRng,
}

#[tokio::test]
async fn figures_are_the_sums_of_the_lists_that_they_open() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let second = stack.second_admin().await;
    let product = stack.product(&admin).await;
    let histories = (1..=3).map(|seed| lives(&stack, (&admin, &second), &product, seed));
    futures::future::join_all(histories).await;
}

/// Takes random steps; after each of them everything adds up.
async fn lives(stack: &Stack, staff: (&str, &str), product: &str, seed: u64) {
    let mut history = History::begin(stack, staff, product, seed).await;
    for zone in ZONES.into_iter().cycle().take(STEPS) {
        history.step().await;
        history.adds_up(&[zone]).await;
    }
    history.adds_up(&ZONES).await;
}

impl<'a> History<'a> {
    async fn begin(
        stack: &'a Stack,
        (admin, second): (&'a str, &'a str),
        product: &str,
        seed: u64,
    ) -> Self {
        let (user, token) = stack.user(admin).await;
        let mut history = Self {
            stack,
            admin,
            second,
            user,
            token,
            product: product.to_owned(),
            coupons: Vec::new(),
            codes: Default::default(),
            plans: Vec::new(),
            reports: Vec::new(),
            random: StdRng::seed_from_u64(seed),
        };
        history.deposit("5000.00").await;
        history.prepare_ways_out().await;
        for (mode, value) in [("deduction", "33.33"), ("addition", "20.01")] {
            let coupon = history.coupon(mode, value).await;
            history.coupons.push(coupon);
        }
        history
    }

    async fn staff(&self, path: &str, body: Value) -> Value {
        self.stack.post(path, self.admin, &body).await.ok()
    }

    async fn mine(&self, path: &str) -> Value {
        self.stack.get(path, &self.token).await.ok()
    }

    async fn deposit(&self, amount: &str) {
        let body = json!({"user_id": self.user, "amount": amount, "remark": "transfer"});
        self.staff("/admin/wallet/deposit", body).await;
    }

    /// A transaction password, an address for withdrawals, and an acceptor.
    async fn prepare_ways_out(&mut self) {
        let own =
            async |path: &str, body: Value| self.stack.post(path, &self.token, &body).await.ok();
        let pin = json!({"password": PIN, "confirm_password": PIN});
        own("/set/password", pin).await;
        let address = json!({
            "kind": "wallet_address", "network": "TRC20", "address": "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
            "password": PIN,
        });
        own("/bank_card/edit", address).await;
        let acceptor = json!({"kind": "personal", "name": format!("Mary of {}", self.user)});
        let acceptor = self.staff("/admin/acceptor/create", acceptor).await;
        for (code, direction) in ["wallet_to_currency", "currency_to_wallet"]
            .iter()
            .enumerate()
        {
            let offer = json!({
                "acceptor_id": acceptor["id"], "direction": direction, "currency": "EUR", "rate": "0.93", "min": "1.00",
                "max": "900.00", "expires_at": chrono::Utc::now() + chrono::TimeDelta::days(1),
            });
            let made = self.staff("/admin/acceptance_code/create", offer).await;
            self.codes[code] = text(&made["code"]);
        }
    }

    async fn coupon(&self, mode: &str, value: &str) -> String {
        let body = json!({
            "name": format!("{mode} of {}", self.user), "type": "fixed_amount", "mode": mode, "value": value,
            "amount_requirement": "0.00", "kind": "staff", "valid_days": 30, "total": 1,
        });
        let path = "/admin/coupon/campaign/create";
        let campaign = self.staff(path, body).await;
        let grant = json!({"campaign_id": campaign["id"], "user_id": self.user});
        let granted = self.staff("/admin/coupon/grant", grant).await;
        text(&granted["id"])
    }

    /// Does something at random that is possible now.
    async fn step(&mut self) {
        match self.random.random_range(0..13) {
            0..3 => self.put().await,
            3..7 => self.report().await,
            7 => self.restate().await,
            8 => self.end("put_failed").await,
            9 => self.withdraw().await,
            10 => self.exchange().await,
            11 => self.cancel().await,
            _ => self.finish_or_settle().await,
        }
    }

    /// A withdrawal that staff pay or reject, that its user cancels, or that stays.
    async fn withdraw(&mut self) {
        let amount = self.random.random_range(1_000..9_000);
        let body = json!({"amount": money(amount), "method": "wallet_address", "password": PIN});
        let reply = self.stack.post("/user/withdraw", &self.token, &body).await;
        if reply.reason() == "INSUFFICIENT_BALANCE" {
            return;
        }
        let id = reply.ok()["id"].clone();
        match self.random.random_range(0..4) {
            0 => {}
            1 => {
                let path = "/user/withdraw/cancel";
                let cancelled = self.stack.post(path, &self.token, &json!({"id": id})).await;
                cancelled.ok();
            }
            other => {
                let decision = if other == 2 { "paid" } else { "rejected" };
                let body = json!({"id": id, "decision": decision, "reason": "seen"});
                self.staff("/admin/withdraw/decide", body).await;
            }
        }
    }

    /// An exchange that staff complete, that its user cancels, or that staff complete after that.
    async fn exchange(&mut self) {
        let amount = self.random.random_range(1_000..9_000);
        let is_incoming = self.random.random_bool(0.5);
        let body = json!({
            "kind": "personal", "code": self.codes[usize::from(is_incoming)], "amount": money(amount), "password": PIN,
        });
        let path = "/acceptor/order/create";
        let reply = self.stack.post(path, &self.token, &body).await;
        if reply.reason() == "INSUFFICIENT_BALANCE" {
            return;
        }
        let id = reply.ok()["id"].clone();
        let how = self.random.random_range(0..3);
        if how > 0 {
            let path = "/acceptor/order/cancel";
            let cancelled = self.stack.post(path, &self.token, &json!({"id": id})).await;
            cancelled.ok();
        }
        if how < 2 {
            let body = json!({"id": id, "decision": "completed", "reason": "paid"});
            let path = "/admin/exchange/decide";
            let decided = self.stack.post(path, self.admin, &body).await.ok();
            // Money that its owner has called back takes two people.
            if decided["completion_request"].is_object() {
                self.stack.post(path, self.second, &body).await.ok();
            }
        }
    }

    /// Calls a plan back that is not delivered yet.
    async fn cancel(&mut self) {
        let Some(plan) = self.in_status(&["matching"]).await else {
            return;
        };
        let body = json!({"plan_id": plan["id"]});
        let path = "/plan/order/cancel";
        self.stack.post(path, &self.token, &body).await.ok();
    }

    async fn put(&mut self) {
        let amount = self.random.random_range(10_000..60_000);
        let mut body = json!({"product_id": self.product, "amount": money(amount)});
        if self.random.random_bool(0.4)
            && let Some(coupon) = self.coupons.pop()
        {
            body["user_coupon_id"] = json!(coupon);
        }
        let reply = self.stack.post("/plan/order/put", &self.token, &body).await;
        if reply.reason() != "INSUFFICIENT_BALANCE" {
            let plan = reply.ok();
            self.plans.push(plan);
        }
    }

    async fn in_status(&mut self, statuses: &[&str]) -> Option<Value> {
        let plans = self.all("/plan/order/list?").await;
        let fitting: Vec<Value> = plans
            .into_iter()
            .filter(|plan| statuses.contains(&plan["status"].as_str().unwrap()))
            .collect();
        fitting.choose(&mut self.random).cloned()
    }

    async fn report(&mut self) {
        let open = ["matching", "putting", "put_finished", "waiting_settlement"];
        let Some(plan) = self.in_status(&open).await else {
            return;
        };
        // Up to half of the budget, in thousandths of a cent.
        let spend = self
            .random
            .random_range(0..cents(&plan["put_amount"]) * 500);
        let revenue = spend * self.random.random_range(0..15) / 10;
        let report = json!({
            "report_id": format!("{}-{}", self.user, self.reports.len()), "plan_number": plan["plan_number"], "revision": 1,
            "time": plan["put_time"], "impressions": self.random.random_range(10_000..20_000), "clicks": 7,
            "spend": fine(spend), "revenue": fine(revenue),
        });
        self.import(&report).await;
        self.reports.push(report);
    }

    /// Says a report again, with other money.
    async fn restate(&mut self) {
        if self.reports.is_empty() {
            return;
        }
        let index = self.random.random_range(0..self.reports.len());
        let spend = self.random.random_range(0..5_000_000);
        let mut report = self.reports[index].clone();
        report["revision"] = json!(report["revision"].as_i64().unwrap() + 1);
        report["spend"] = json!(fine(spend));
        report["revenue"] = json!(fine(spend / 2));
        self.import(&report).await;
        self.reports[index] = report;
    }

    async fn import(&self, report: &Value) {
        let part = Part::text(report.to_string()).file_name("reports.jsonl");
        let fields = [
            "report_id",
            "revision",
            "plan_number",
            "time",
            "impressions",
            "clicks",
            "spend",
            "revenue",
        ];
        let mapping: serde_json::Map<String, Value> = fields
            .map(|field| (field.to_owned(), json!(field)))
            .into_iter()
            .collect();
        let form = Form::new()
            .text("source", format!("net-{}", self.user))
            .text("mapping", Value::Object(mapping).to_string())
            .part("file", part);
        let path = "/admin/delivery/import";
        let imported = self.stack.post_form(path, self.admin, form).await.ok();
        if imported["state"] != "proposed" {
            return;
        }
        let rules = imported["notable"].as_array().unwrap().iter();
        let named: Vec<String> = rules.map(|notable| text(&notable["rule"])).collect();
        let body = json!({
            "import_id": imported["import_id"], "decision": "released", "reason": format!("seen: {}", named.join(", ")),
        });
        let path = "/admin/delivery/import/decide";
        self.stack.post(path, self.second, &body).await.ok();
    }

    async fn end(&mut self, outcome: &str) {
        // Only what was not delivered can fail.
        let Some(plan) = self.in_status(&["matching"]).await else {
            return;
        };
        let body = json!({"id": plan["id"], "outcome": outcome, "reason": "over"});
        self.staff("/admin/plan/finish", body).await;
    }

    async fn finish_or_settle(&mut self) {
        let Some(plan) = self
            .in_status(&["putting", "put_finished", "waiting_settlement"])
            .await
        else {
            return;
        };
        if plan["status"] == "putting" {
            let body = json!({"id": plan["id"], "outcome": "put_finished", "reason": "over"});
            self.staff("/admin/plan/finish", body).await;
            return;
        }
        let body = json!({"id": plan["id"]});
        let path = "/admin/plan/settle";
        eventually("it waits for settlement", || async {
            let reply = self.stack.post(path, self.admin, &body).await;
            reply.reason() != "UNAVAILABLE"
        })
        .await;
        self.stack.post(path, self.second, &body).await.ok();
    }

    /// All pages of a list.
    async fn all(&self, path: &str) -> Vec<Value> {
        let (mut items, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.mine(&format!("{path}&limit=7{cursor}")).await;
            items.extend(page["items"].as_array().unwrap().iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return items,
            }
        }
    }

    /// After every step in one zone, in turn; in the end in all of them.
    async fn adds_up(&self, zones: &[&str]) {
        let property = self.at_rest().await;
        self.open_figures_add_up(&property).await;
        for zone in zones {
            for range in RANGES {
                self.paid_figures_add_up(range, zone).await;
            }
        }
        self.accounts_add_up(&property).await;
        self.months_add_up(&property).await;
        self.plans_add_up().await;
    }

    /// The balances, once wallet has what plan knows.
    async fn at_rest(&self) -> Value {
        eventually("wallet and plan show the same", || async {
            let property = self.mine("/user/property").await;
            let consumed = self.mine("/plan/order/list?figure=to_be_consumed").await;
            let settled = self.mine("/plan/order/list?figure=to_be_settled").await;
            let same = property["to_be_consumed"] == consumed["sum"]
                && property["to_be_settled"] == settled["sum"];
            same.then_some(property)
        })
        .await
    }

    async fn open_figures_add_up(&self, property: &Value) {
        for (figure, part) in [
            ("to_be_consumed", "to_be_consumed"),
            ("to_be_settled", "revenue"),
        ] {
            let plans = self.all(&format!("/plan/order/list?figure={figure}")).await;
            let sum: i64 = plans.iter().map(|plan| cents(&plan[part])).sum();
            assert_eq!(sum, cents(&property[figure]), "{figure}");
            assert!(plans.iter().all(|plan| cents(&plan[part]) != 0), "{figure}");
        }
    }

    async fn paid_figures_add_up(&self, range: u8, zone: &str) {
        let query = format!("type={range}&user_time_zone={zone}");
        let statistics = self
            .mine(&format!("/ad/order/data_statistics/list?{query}"))
            .await;
        for figure in ["invested", "delivery_orders"] {
            let path = format!("/plan/order/list?figure={figure}&{query}");
            let sum = self.mine(&path).await["sum"].clone();
            assert_eq!(sum, statistics[figure], "{path}");
            let plans = self.all(&path).await;
            let invested: i64 = plans.iter().map(|plan| cents(&plan["put_amount"])).sum();
            assert_eq!(invested, cents(&statistics["invested"]), "{path}");
            assert_eq!(json!(plans.len()), statistics["delivery_orders"], "{path}");
        }
        let property = self.mine("/user/property").await;
        assert_eq!(
            statistics["to_be_consumed"], property["to_be_consumed"],
            "{query}"
        );
        let series = statistics["series"].as_array().unwrap();
        let impressions: i64 = series
            .iter()
            .map(|point| point["impressions"].as_i64().unwrap())
            .sum();
        assert_eq!(json!(impressions), statistics["impressions"], "{query}");
    }

    async fn accounts_add_up(&self, property: &Value) {
        for (account, figure) in ACCOUNTS {
            let lines = self
                .all(&format!("/transaction_flow/list?account={account}"))
                .await;
            assert!(lines.iter().all(|line| line["account"] == account));
            let sum: i64 = lines.iter().map(|line| cents(&line["amount"])).sum();
            assert_eq!(sum, cents(&property[figure]), "{account}");
        }
        let lines = self.all("/transaction_flow/list?").await;
        let sum: i64 = lines.iter().map(|line| cents(&line["amount"])).sum();
        assert_eq!(sum, cents(&property["total_assets"]));
    }

    async fn months_add_up(&self, property: &Value) {
        let months = self.mine("/transaction_flow/monthly?months=2").await;
        let mut net = 0;
        for month in months["items"].as_array().unwrap() {
            let by_type = month["by_type"].as_object().unwrap();
            let sum: i64 = by_type.values().map(cents).sum();
            assert_eq!(sum, cents(&month["net"]), "{month}");
            let of = |name: &str| cents(&month[name]);
            assert_eq!(of("income") - of("expense"), sum, "{month}");
            let named = of("deposits") + of("revenue") - of("spent") - of("withdrawn") + of("lent");
            let exchanged = by_type.get("exchange").map_or(0, cents);
            assert_eq!(named + exchanged, sum, "{month}");
            net += sum;
        }
        assert_eq!(net, cents(&property["available_funds"]));
    }

    /// What a plan says it brings is what the wallet's lines of it say, once it has ended.
    async fn plans_add_up(&self) {
        for plan in &self.plans {
            let body = json!({"id": plan["id"]});
            let detail = self
                .stack
                .post("/plan/order/detail", &self.token, &body)
                .await
                .ok();
            let flow = detail["flow"].as_array().unwrap();
            let sum = |account: &str| -> i64 {
                let lines = flow.iter().filter(|line| line["account"] == account);
                lines.map(|line| cents(&line["amount"])).sum()
            };
            let of = |name: &str| cents(&detail[name]);
            if ["settled", "put_failed"].contains(&detail["status"].as_str().unwrap()) {
                assert_eq!(sum("available"), of("result"), "{detail}");
            }
            assert_eq!(of("result"), of("profit") + of("coupon_share"), "{detail}");
            assert!(of("coupon_share") <= of("discount_amount"), "{detail}");
            let earned: Vec<_> = flow
                .iter()
                .filter(|line| line["type"] == "profit_sharing" && line["transfer"] == false)
                .collect();
            let earned: i64 = earned.iter().map(|line| cents(&line["amount"])).sum();
            assert_eq!(earned, of("revenue"), "{detail}");
            let path = format!("/plan/order/reports?plan_id={}", text(&plan["id"]));
            let totals = self.mine(&path).await["totals"].clone();
            assert_eq!(totals["revenue"], detail["revenue"], "{detail}");
            assert_eq!(totals["spend"], detail["consumed"], "{detail}");
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// An amount of the contract in minor units.
fn cents(amount: &Value) -> i64 {
    let digits = amount.as_str().unwrap().replace('.', "");
    digits.parse().unwrap()
}

fn money(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// Thousandths of a cent as an amount.
fn fine(thousandths: i64) -> String {
    format!("{}.{:05}", thousandths / 100_000, thousandths % 100_000)
}
