//! A network at work during all faults: it fetches what it is allotted and reports it at once, in parts, twice or never.
//!
//! Acknowledged reports are remembered and compared with plan's books, from the reports to the ledger.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::{self, Write as _},
    time::Duration,
};

use adfolio_local::Service;
use adfolio_testkit::eventually;
use chrono::{DateTime, TimeDelta, Utc};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    books::database,
    calls::{Answer, insist},
};
use crate::client::Client;
use crate::impressions::cents;
use crate::setup::{Advertiser, System};

/// Rounds and postings are far more frequent than in operation, so that a short run has many of them.
pub const ENVIRONMENT: [(Service, &str, &str); 2] = [
    (Service::Plan, "ALLOTMENT_INTERVAL_SECONDS", "5"),
    (Service::Plan, "POSTING_PACE_SECONDS", "2"),
];

/// Plans that are placed, each with as much as a put may have.
const PLANS: usize = 5;

/// A plan's budget, in minor units.
const BUDGET: i64 = 10_000_000;

/// Where they can be placed; no other plan of a run can.
const COUNTRY: &str = "AT";

/// Pause between two rounds of the network.
const PAUSE: Duration = Duration::from_millis(500);

/// Orders of which more is charged and allotted than was put, or whose open allotments are not what they keep.
const OVER_ALLOTTED: &str = "
    SELECT count(*) FROM orders o
    WHERE o.charged_micros + o.allotted_micros > o.put_amount_minor * 10000
       OR o.allotted_micros <> (SELECT coalesce(sum(a.budget_micros - a.drawn_micros), 0) FROM allotments a
                                WHERE a.order_id = o.id AND a.state = 'open')";

/// Plans of an advertiser, and the network that they are placed on.
pub struct Supply {
    network: Client,
    admin: Client,
    advertiser: Advertiser,
    base_url: String,
    plans: Vec<String>,
    random: StdRng,
}

/// What the network has fetched and reported.
#[derive(Default)]
pub struct Told {
    fetched: HashSet<String>,
    /// Reports that it makes, by allotment.
    open: BTreeMap<String, Report>,
    /// Reports that were acknowledged, by allotment.
    acknowledged: BTreeMap<String, Report>,
    unanswered: usize,
    looks: usize,
}

#[derive(Clone, Debug)]
struct Report {
    revision: u32,
    plan_number: String,
    placement: String,
    time: DateTime<Utc>,
    /// Impressions that a later revision adds.
    later: i64,
    impressions: i64,
    clicks: i64,
    /// What a thousand impressions cost and earn, in minor units.
    price: (i64, i64),
}

impl Supply {
    /// A network with placements, and plans that can be placed on them alone.
    pub async fn prepare(system: &System, seed: u64) -> Self {
        let admin = &system.admin;
        let network =
            json!({"name": "Chaos", "source": "chaos-network", "report_delay_seconds": 5});
        let network = admin.post("/admin/network/create", network).await.ok();
        for (number, cost) in ["0.50", "1.00", "2.00", "4.00"].iter().enumerate() {
            let placement = json!({
                "network_id": network["id"], "name": format!("Chaos {number}"), "format": "banner",
                "countries": [COUNTRY],
            });
            let placement = admin.post("/admin/placement/create", placement).await.ok();
            let price = json!({
                "placement_id": placement["id"], "model": "cpm", "cost": cost, "revenue": "3.00",
                "valid_from": Utc::now() + TimeDelta::seconds(1),
            });
            admin.post("/admin/placement/price", price).await.ok();
        }
        let product = system.product_for("Placed", COUNTRY).await;
        let advertiser = system.advertiser("placed").await;
        let mut plans = Vec::new();
        for _ in 0..PLANS {
            system.deposit(&advertiser.id, &money(BUDGET)).await;
            let put = json!({"product_id": product, "amount": money(BUDGET)});
            let plan = advertiser.client.post("/plan/order/put", put).await.ok();
            plans.push(plan["id"].as_str().unwrap().to_owned());
        }
        Self {
            network: system
                .anyone
                .with_header("X-Network-Key", network["key"].as_str().unwrap()),
            admin: admin.clone(),
            advertiser,
            base_url: system.stack.database_base_url(),
            plans,
            random: StdRng::seed_from_u64(seed),
        }
    }

    /// Works until stopped.
    pub async fn work(mut self, stop: CancellationToken) -> (Self, Told) {
        let mut told = Told::default();
        while !stop.is_cancelled() {
            self.fetch(&mut told).await;
            self.report(&mut told).await;
            self.look(&mut told).await;
            let _ = timeout(PAUSE, stop.cancelled()).await;
        }
        (self, told)
    }

    async fn fetch(&mut self, told: &mut Told) {
        let path = "/network/allotments?limit=1000";
        let Some(page) = answer(self.network.try_get(path).await, told) else {
            return;
        };
        for item in page["items"].as_array().unwrap() {
            let id = item["allotment_id"].as_str().unwrap().to_owned();
            // One in eight is never reported: its budget goes back.
            if told.fetched.insert(id.clone()) && self.random.random_range(0..8) > 0 {
                let report = self.shown(item);
                told.open.insert(id, report);
            }
        }
    }

    /// A report of an allotment; for one in four, a later revision adds the rest.
    fn shown(&mut self, item: &Value) -> Report {
        let units = item["units"].as_i64().unwrap();
        let shown = self.random.random_range(units / 2..=units);
        let later = match self.random.random_range(0..4) {
            0 => shown / 3,
            _ => 0,
        };
        let price = |name: &str| {
            let price = cents(item["price"][name].as_str().unwrap());
            i64::try_from(price).unwrap()
        };
        Report {
            revision: 1,
            plan_number: item["plan_number"].as_str().unwrap().to_owned(),
            placement: item["placement"].as_str().unwrap().to_owned(),
            time: item["from"].as_str().unwrap().parse().unwrap(),
            later,
            impressions: shown - later,
            clicks: self.clicks(shown - later),
            price: (price("cost"), price("revenue")),
        }
    }

    /// About one of a hundred impressions.
    fn clicks(&mut self, impressions: i64) -> i64 {
        let clicks = (0..impressions).filter(|_| self.random.random_range(0..100) == 0);
        i64::try_from(clicks.count()).unwrap()
    }

    /// Sends the reports of allotments that have begun, sometimes twice. The next round repeats what got no answer.
    async fn report(&mut self, told: &mut Told) {
        let now = Utc::now();
        let begun: Vec<(String, Report)> = told
            .open
            .iter()
            .filter(|(_, report)| report.time <= now)
            .map(|(id, report)| (id.clone(), report.clone()))
            .collect();
        if begun.is_empty() {
            return;
        }
        let mut lines = String::new();
        for (id, report) in &begun {
            writeln!(lines, "{}", report.line(id)).unwrap();
        }
        for _ in 0..self.random.random_range(1..=2) {
            let sent = self.network.try_post_lines("/network/reports", &lines);
            let Some(outcome) = answer(sent.await, told) else {
                return;
            };
            for kind in ["rejected", "held", "quarantined"] {
                assert_eq!(outcome[kind], json!([]), "{outcome:#}\n{lines}");
            }
        }
        for (id, report) in begun {
            told.open.remove(&id);
            if report.later > 0 {
                let more = self.clicks(report.later);
                let whole = Report {
                    revision: report.revision + 1,
                    impressions: report.impressions + report.later,
                    clicks: report.clicks + more,
                    later: 0,
                    ..report.clone()
                };
                told.open.insert(id.clone(), whole);
            }
            told.acknowledged.insert(id, report);
        }
    }

    /// Nothing may be over-allotted at any look. PostgreSQL may be down at some.
    async fn look(&self, told: &mut Told) {
        if let Ok(Ok(found)) = timeout(Duration::from_secs(5), self.over_allotted()).await {
            assert_eq!(found, 0, "more is allotted than was put");
            told.looks += 1;
        }
    }

    async fn over_allotted(&self) -> Result<i64, sqlx::Error> {
        let mut connection = self.plan_database().await?;
        sqlx::query_scalar(OVER_ALLOTTED)
            .fetch_one(&mut connection)
            .await
    }

    async fn plan_database(&self) -> Result<PgConnection, sqlx::Error> {
        PgConnection::connect(&database(&self.base_url, "plan")).await
    }

    /// After the last fault: tells the rest, ends and settles the plans, and compares reports, placements, plans and
    /// wallet.
    pub async fn conclude(&mut self, told: &mut Told) {
        eventually_told(self, told).await;
        for id in self.plans.clone() {
            let body =
                json!({"id": id, "outcome": "put_finished", "reason": "The faults are over"});
            self.staff("/admin/plan/finish", &body).await;
        }
        eventually("what was not reported is given back", || async {
            self.counted("SELECT count(*) FROM allotments WHERE state = 'open'")
                .await
                == 0
        })
        .await;
        for id in self.plans.clone() {
            self.staff("/admin/plan/settle", &json!({"id": id})).await;
        }
        assert_eq!(self.over_allotted().await.unwrap(), 0);
        assert_eq!(
            self.counted("SELECT count(*) FROM orders WHERE allotted_micros <> 0")
                .await,
            0
        );
        self.compare(told).await;
    }

    async fn staff(&self, path: &str, body: &Value) {
        let (answer, _) = insist(path, || self.admin.try_post(path, body)).await;
        assert!(matches!(answer, Answer::Done(_)), "{path} was refused");
    }

    async fn counted(&self, query: &'static str) -> i64 {
        let mut connection = self.plan_database().await.unwrap();
        sqlx::query_scalar(query)
            .fetch_one(&mut connection)
            .await
            .unwrap()
    }

    async fn compare(&self, told: &Told) {
        let mut by_placement: BTreeMap<(String, String), Sums> = BTreeMap::new();
        let mut by_plan: BTreeMap<String, Sums> = BTreeMap::new();
        for report in told.acknowledged.values() {
            let sums = report.sums();
            let place = (report.plan_number.clone(), report.placement.clone());
            by_placement.entry(place).or_default().add(sums);
            by_plan
                .entry(report.plan_number.clone())
                .or_default()
                .add(sums);
        }
        for query in [
            "SELECT o.plan_number, r.placement_id::text, sum(r.impressions)::bigint, sum(r.clicks)::bigint,
                    sum(r.spend_micros)::bigint, sum(r.revenue_micros)::bigint
             FROM delivery_reports r JOIN orders o ON o.id = r.order_id WHERE r.placement_id IS NOT NULL GROUP BY 1, 2",
            "SELECT o.plan_number, p.placement_id::text, p.impressions, p.clicks, p.charged_micros, p.revenue_micros
             FROM order_placements p JOIN orders o ON o.id = p.order_id",
        ] {
            let mut connection = self.plan_database().await.unwrap();
            let rows: Vec<(String, String, i64, i64, i64, i64)> = sqlx::query_as(query)
                .fetch_all(&mut connection)
                .await
                .unwrap();
            let known: BTreeMap<(String, String), Sums> = rows
                .into_iter()
                .map(|(plan, placement, impressions, clicks, spend, revenue)| {
                    let sums = Sums {
                        impressions,
                        clicks,
                        spend,
                        revenue,
                    };
                    ((plan, placement), sums)
                })
                .collect();
            assert_eq!(known, by_placement, "{query}");
        }
        let (mut spent, mut earned) = (0, 0);
        for plan in self.advertiser.plans().await {
            let sums = by_plan
                .get(plan["plan_number"].as_str().unwrap())
                .copied()
                .unwrap_or_default();
            assert_eq!(plan["status"], "settled", "{plan:#}");
            let shown = (&plan["consumed"], &plan["revenue"]);
            let told = (money(minor(sums.spend)), money(minor(sums.revenue)));
            assert_eq!(shown, (&json!(told.0), &json!(told.1)), "{plan:#}");
            spent += minor(sums.spend);
            earned += minor(sums.revenue);
        }
        let property = self.advertiser.client.get("/user/property").await.ok();
        let put = BUDGET * i64::try_from(PLANS).unwrap();
        assert_eq!(property["available_funds"], money(put - spent + earned));
        assert_eq!(property["to_be_consumed"], "0.00");
    }
}

/// Sends the remaining reports, now that there are no more faults.
async fn eventually_told(supply: &mut Supply, told: &mut Told) {
    const ROUNDS: usize = 60;
    for _ in 0..ROUNDS {
        supply.report(told).await;
        if told.open.is_empty() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
    panic!("reports get no answer: {:?}", told.open);
}

/// The data of a success; none if a fault cost the answer. Panics on any other refusal.
fn answer(outcome: Result<crate::client::Reply, String>, told: &mut Told) -> Option<Value> {
    match outcome {
        Ok(reply) if reply.code == 200 => Some(reply.data),
        Ok(reply) if reply.code != 500 => panic!("the network is refused: {reply:?}"),
        _ => {
            told.unanswered += 1;
            None
        }
    }
}

/// Sums of reports, amounts in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    impressions: i64,
    clicks: i64,
    spend: i64,
    revenue: i64,
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.impressions += other.impressions;
        self.clicks += other.clicks;
        self.spend += other.spend;
        self.revenue += other.revenue;
    }
}

impl Report {
    /// A minor unit of a thousand impressions is ten millionths of one.
    fn sums(&self) -> Sums {
        Sums {
            impressions: self.impressions,
            clicks: self.clicks,
            spend: self.impressions * self.price.0 * 10,
            revenue: self.impressions * self.price.1 * 10,
        }
    }

    fn line(&self, id: &str) -> Value {
        let sums = self.sums();
        json!({
            "report_id": id, "revision": self.revision, "plan_number": self.plan_number, "placement": self.placement,
            "time": self.time, "impressions": self.impressions, "clicks": self.clicks,
            "spend": micros(sums.spend), "revenue": micros(sums.revenue),
        })
    }
}

impl fmt::Display for Told {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} allotments fetched, {} reported, {} calls unanswered, nothing over-allotted at {} looks",
            self.fetched.len(),
            self.acknowledged.len(),
            self.unanswered,
            self.looks
        )
    }
}

impl Told {
    /// A run must have placed plans in spite of its faults.
    pub fn assert_worked(&self) {
        assert!(
            self.acknowledged.len() > 20 && self.looks > 10,
            "the network hardly worked: {self}"
        );
    }
}

fn money(minor: i64) -> String {
    format!("{}.{:02}", minor / 100, minor % 100)
}

fn micros(micros: i64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// Millionths in minor units, rounded half to even.
fn minor(micros: i64) -> i64 {
    let (whole, rest) = (micros / 10_000, micros % 10_000);
    match rest.cmp(&5_000) {
        std::cmp::Ordering::Less => whole,
        std::cmp::Ordering::Greater => whole + 1,
        std::cmp::Ordering::Equal => whole + whole % 2,
    }
}
