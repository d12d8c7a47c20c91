//! The journeys through every step of every saga, each made by advertisers of its own.

use std::{sync::Arc, time::Duration};

use adfolio_kit::{broker::Broker, config::BrokerArgs};
use adfolio_testkit::publish_event;
use chrono::Utc;
use rand::{SeedableRng as _, rngs::StdRng};
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tokio::{task::JoinSet, time::timeout};

use super::super::{
    books::database,
    check::{self, QUIET_LIMIT},
    customer::{Customer, Ending, Plan},
};
use crate::{client::Client, setup::System};

/// The product's maximum, and more than any advertiser here has.
const TOO_MUCH: i64 = 10_000_000;

/// The maximum of an acceptance code, and more than the exchanging advertiser has.
const TOO_MUCH_EXCHANGED: i64 = 50_000;

const POLL: Duration = Duration::from_millis(100);

/// What an advertiser does.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// Puts with and without a coupon; reports from a file and over the broker; settlements.
    Delivers,
    /// Puts that are refused, undone, or fail later; pushed plans.
    Fails,
    /// Exchange orders of each direction and outcome.
    Exchanges,
    /// Postings by staff, and withdrawals of both outcomes.
    Withdraws,
    /// Changes of login password and bank card, and announcements.
    Protects,
}

/// Roles and their initial money.
const ROLES: [(Role, i64); 5] = [
    (Role::Delivers, 5_000_000),
    (Role::Fails, 5_000_000),
    (Role::Exchanges, 30_000),
    (Role::Withdraws, 5_000_000),
    (Role::Protects, 5_000_000),
];

/// The advertisers and their surroundings.
pub struct Cast {
    customers: Vec<(Role, Customer)>,
    scene: Arc<Scene>,
    performance: usize,
}

struct Scene {
    anyone: Client,
    broker: Broker,
    acceptor_database: String,
    plan_database: String,
}

impl Cast {
    /// New advertisers.
    pub async fn prepare(system: &System) -> Self {
        let stage = Arc::new(super::super::prepare(system).await);
        let mut customers = Vec::new();
        for (role, funds) in ROLES {
            let name = format!("{role:?}").to_lowercase();
            let random = (StdRng::seed_from_u64(0), false);
            let customer = Customer::prepare(system, &stage, &name, funds, random).await;
            customers.push((role, customer));
        }
        let base_url = system.stack.database_base_url();
        let broker = BrokerArgs::new(system.stack.amqp_url(), "adfolio".to_owned());
        let scene = Scene {
            anyone: system.anyone.clone(),
            broker: Broker::new(&broker).unwrap(),
            acceptor_database: database(&base_url, "acceptor"),
            plan_database: database(&base_url, "plan"),
        };
        Self {
            customers,
            scene: Arc::new(scene),
            performance: 0,
        }
    }

    /// Every journey once, all advertisers in parallel.
    pub async fn play(&mut self) {
        self.performance += 1;
        let performance = self.performance;
        let mut playing = JoinSet::new();
        for (role, mut customer) in self.customers.drain(..) {
            let scene = Arc::clone(&self.scene);
            playing.spawn(async move {
                match role {
                    Role::Delivers => deliver(&mut customer, &scene).await,
                    Role::Fails => fail(&mut customer, &scene).await,
                    Role::Exchanges => exchange(&mut customer, &scene).await,
                    Role::Withdraws => withdraw(&mut customer).await,
                    Role::Protects => protect(&mut customer, &scene, performance).await,
                }
                (role, customer)
            });
        }
        while let Some(played) = playing.join_next().await {
            self.customers
                .push(played.expect("a journey does not go on"));
        }
    }

    /// How often the journeys were made.
    pub fn performances(&self) -> i64 {
        i64::try_from(self.performance).unwrap()
    }

    /// All answers match the databases.
    pub async fn compare(&self, system: &System) {
        for (_, customer) in &self.customers {
            check::compare(system, &customer.history).await;
        }
    }
}

async fn deliver(customer: &mut Customer, scene: &Scene) {
    let plan = customer.put_with_coupon(3_001).await;
    // Stands out, so the second admin releases it.
    customer.import(&plan, 200, 2_345).await;
    customer.settle(&plan, 200, 2_345).await;

    let plan = customer.put(2_000).await.unwrap();
    report(scene, &plan).await;
    customer.wait_for_impressions(&plan, 100).await;
    customer.settle(&plan, 25, 50).await;
}

/// A report as published by a network's adapter: spend 0.25, revenue 0.50.
async fn report(scene: &Scene, plan: &Plan) {
    let report = json!({
        "source": "network", "reports": [{
            "reportId": format!("{}-1", plan.number), "revision": "1", "planNumber": plan.number,
            "time": Utc::now().to_rfc3339(), "impressions": "100", "clicks": "1", "spend": "0.25", "revenue": "0.50",
        }],
    });
    let event = "adfolio.delivery.v1.DeliveryReported";
    publish_event(&scene.broker, event, "", &report).await;
}

async fn fail(customer: &mut Customer, scene: &Scene) {
    // Refused by wallet once the coupon is held; then a smaller amount with the same coupon.
    let (product, coupon) = (customer.product(), customer.coupon().await);
    customer
        .be_refused(&product, &coupon, TOO_MUCH, "INSUFFICIENT_BALANCE")
        .await;
    until_undone(customer, scene).await;
    let plan = customer.put_into(&product, &coupon, 1_500).await;

    // Refused by coupon, because it is used by now; then with another one, which coupon must learn
    // of.
    let pushed = customer.pushed(1_200).await;
    customer
        .be_refused(&pushed, &coupon, 1_200, "COUPON_NOT_USABLE")
        .await;
    until_undone(customer, scene).await;
    let other = customer.coupon().await;
    let second = customer.put_into(&pushed, &other, 1_200).await;
    customer.fail(&plan).await;
    customer.fail(&second).await;
}

/// A refusal is answered before everything is returned.
async fn until_undone(customer: &Customer, scene: &Scene) {
    let unfinished = "SELECT EXISTS (SELECT FROM puts WHERE user_id = $1::uuid AND state IN ('driving', 'undoing'))";
    let user = &customer.history.user_id;
    let until = until(&scene.plan_database, unfinished, user, false).await;
    assert!(until, "a refused put of {user} is not undone");
}

/// Whether the query about an id yields this answer in time.
async fn until(url: &str, query: &'static str, id: &str, answer: bool) -> bool {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let asking = async {
        loop {
            let asked = sqlx::query_scalar::<_, bool>(query).bind(id);
            if asked.fetch_one(&mut connection).await.unwrap() == answer {
                return;
            }
            tokio::time::sleep(POLL).await;
        }
    };
    timeout(QUIET_LIMIT, asking).await.is_ok()
}

async fn exchange(customer: &mut Customer, scene: &Scene) {
    for (is_outgoing, ending) in [
        (true, Ending::Completed),
        (false, Ending::Completed),
        (true, Ending::Cancelled),
        (true, Ending::CancelledByUser),
        (true, Ending::Expired),
    ] {
        let order = customer.exchange(is_outgoing, 1_000).await;
        if ending == Ending::Expired {
            expire(scene, &order.id).await;
        }
        customer.end_exchange(order, ending).await;
    }
    customer.exchange_too_much(TOO_MUCH_EXCHANGED).await;
}

/// Lets an order expire, and waits until that has ended it.
async fn expire(scene: &Scene, order: &str) {
    let mut connection = PgConnection::connect(&scene.acceptor_database)
        .await
        .unwrap();
    sqlx::query("UPDATE exchanges SET expires_at = created_at WHERE id = $1::uuid")
        .bind(order)
        .execute(&mut connection)
        .await
        .unwrap();
    let expired = "SELECT state = 'expired' FROM exchanges WHERE id = $1::uuid";
    let is_expired = until(&scene.acceptor_database, expired, order, true).await;
    assert!(is_expired, "{order} does not expire");
}

async fn withdraw(customer: &mut Customer) {
    customer.staff_post("deposit", 5_000).await;
    customer.staff_post("chargeback", -100).await;
    customer.staff_post("membership", -100).await;
    customer.be_charged_back_too_much().await;
    for is_paid in [true, false] {
        let id = customer.withdraw(1_000).await.unwrap();
        customer.decide_withdrawal(&id, 1_000, is_paid).await;
    }
}

async fn protect(customer: &mut Customer, scene: &Scene, performance: usize) {
    customer
        .change_card(&format!("Hamburg {performance}"))
        .await;
    customer
        .change_password(
            &scene.anyone,
            &format!("an even longer staple {performance}"),
        )
        .await;
    let announcement = json!({
        "category": "activity", "to": "all", "title": {"en": "Crash points"}, "content": {"en": "Nothing is lost."},
    });
    customer
        .staff_until_done("/admin/notification/create", &announcement)
        .await;
}
