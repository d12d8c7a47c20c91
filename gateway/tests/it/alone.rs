//! Each role alone: hundreds of random calls, most of them plausible, by one person who means harm and holds one account,
//! every account that it can make or take over, and a user's account of its own. What comes of them is compared with what
//! one person may reach: no more money than one may move in a day, no revenue, nothing of the victim's changed, and no act
//! without a trace.

use std::collections::{BTreeMap, BTreeSet};

use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::StaffRole;
use adfolio_notification::MailArgs;
use adfolio_testkit::eventually;
use axum::http::Method;
use chrono::{TimeDelta, Utc};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::stack::{PASSWORD, Reply, Stack};

/// What one member of staff moves alone in a day, by member and by beneficiary, in minor units.
const ALONE: i64 = 100_000;

/// MD5 of 246810.
const PIN: &str = "b6af3f19458ec8e6faff8ee1e0440ecb";

const CALLS: usize = 300;

const AMOUNTS: [&str; 7] = [
    "1.00",
    "120.00",
    "400.00",
    "999.99",
    "1000.00",
    "1000.01",
    "900000.00",
];

/// Calls that change nothing of the business, and those that end the session.
const LEFT_OUT: &[&str] = &[
    "/admin/claim",
    "/admin/claim/release",
    "/admin/login",
    "/admin/logout",
    // Begins a ceremony, which changes nothing.
    "/admin/passkey/registration",
    "/admin/plan/detail",
    "/admin/user/detail",
    "/auth/logout",
];

/// A user, and what they have.
struct User {
    id: String,
    token: String,
}

/// Two users' money, set up by honest staff, and what waits for a decision.
struct World {
    stack: Stack,
    admin: String,
    second: String,
    victim: User,
    /// The attacker's own account of a user.
    accomplice: User,
}

/// An account of staff that the attacker holds.
#[derive(Clone)]
struct Account {
    username: String,
    token: String,
}

/// What the attacker holds.
struct Attacker {
    random: StdRng,
    accounts: Vec<Account>,
    staff: BTreeSet<String>,
    /// Known ids by the list that shows them.
    known: BTreeMap<&'static str, Vec<Value>>,
    /// Request ids of successful calls of staff, by path and what they were about. A repeat changes nothing, and leaves no
    /// trace of its own.
    done: BTreeMap<(String, String), Vec<String>>,
}

impl World {
    async fn build() -> Self {
        let four_eyes = FourEyesArgs::above("1000.00".parse().unwrap());
        let stack = Stack::start_with_four_eyes(four_eyes, MailArgs::default(), |_| {}).await;
        let admin = stack.admin().await;
        let second = stack.second_admin().await;
        let user = async || {
            let (id, token) = stack.user(&admin).await;
            let pin = json!({"password": PIN, "confirm_password": PIN});
            stack.post("/set/password", &token, &pin).await.ok();
            User { id, token }
        };
        let (victim, accomplice) = (user().await, user().await);
        let world = Self {
            stack,
            admin,
            second,
            victim,
            accomplice,
        };
        for user in [&world.victim, &world.accomplice] {
            world.set_up(user).await;
        }
        world
    }

    /// Money, a destination, a running plan; a withdrawal, an exchange order, a file and a deposit that wait.
    async fn set_up(&self, user: &User) {
        let Self { stack, admin, .. } = self;
        self.deposit(user, "9000.00").await;
        let card = json!({
            "kind": "bank_card", "bank_account": "DE89370400440532013000", "card_name": "North Sea Bank",
            "branch_name": "Hamburg", "user_name": "Ada Byron", "mobile": "+4915112345678", "password": PIN,
        });
        stack.post("/bank_card/edit", &user.token, &card).await.ok();
        let product = stack.product(admin).await;
        let put = json!({"product_id": product, "amount": "100.00"});
        let plan = stack.post("/plan/order/put", &user.token, &put).await.ok();
        for amount in ["1500.00", "40.00"] {
            let body = json!({"method": "bank_card", "amount": amount, "password": PIN});
            stack.post("/user/withdraw", &user.token, &body).await.ok();
        }
        let acceptor = json!({"kind": "enterprise", "name": "Harbour Exchange", "rating": 4.8});
        let acceptor = stack
            .post("/admin/acceptor/create", admin, &acceptor)
            .await
            .ok();
        let offer = json!({
            "acceptor_id": acceptor["id"], "direction": "wallet_to_currency", "currency": "EUR", "rate": "0.9235",
            "min": "10.00", "max": "5000.00", "expires_at": Utc::now() + TimeDelta::days(1),
        });
        let code = stack
            .post("/admin/acceptance_code/create", admin, &offer)
            .await
            .ok();
        let order = json!({"kind": "enterprise", "code": code["code"], "amount": "1200.00", "password": PIN});
        stack
            .post("/acceptor/order/create", &user.token, &order)
            .await
            .ok();
        let row = report(&plan["plan_number"], "honest", "1.00", "2.00");
        import(stack, admin, &row).await.ok();
        self.ask_for_deposit(user, "3000.00").await;
    }

    async fn ask_for_deposit(&self, user: &User, amount: &str) {
        let deposit = json!({"user_id": user.id, "amount": amount, "remark": "transfer"});
        self.stack
            .post("/admin/wallet/deposit", &self.admin, &deposit)
            .await
            .refused(400, "APPROVAL_REQUIRED");
    }

    async fn deposit(&self, user: &User, amount: &str) {
        self.ask_for_deposit(user, amount).await;
        let waiting = self
            .stack
            .get("/admin/approval/list?state=pending", &self.second)
            .await
            .ok();
        let approve =
            json!({"id": waiting["items"][0]["id"], "decision": "approved", "reason": "seen"});
        self.stack
            .post("/admin/approval/decide", &self.second, &approve)
            .await
            .ok();
    }

    fn pool(&self, service: &str) -> PgPool {
        self.stack.services.databases[service].pool()
    }
}

fn report(plan_number: &Value, id: &str, spend: &str, revenue: &str) -> Value {
    json!({
        "report_id": id, "plan_number": plan_number, "time": Utc::now(), "impressions": 1000, "clicks": 7, "spend": spend,
        "revenue": revenue,
    })
}

async fn import(stack: &Stack, token: &str, row: &Value) -> Reply {
    let same: Value = row
        .as_object()
        .unwrap()
        .keys()
        .map(|key| (key.clone(), json!(key)))
        .collect();
    let file = Part::text(row.to_string()).file_name("reports.jsonl");
    let form = Form::new()
        .text("source", "network-a")
        .text("mapping", same.to_string())
        .part("file", file);
    stack.post_form("/admin/delivery/import", token, form).await
}

impl Attacker {
    async fn with(world: &World, role: StaffRole, seed: u64) -> Self {
        let mut attacker = Self::nobody(seed);
        let username = format!("{role}-{}", Uuid::new_v4().simple());
        let body = json!({"username": username, "password": PASSWORD, "role": role.as_str()});
        let made = world
            .stack
            .post("/admin/staff/create", &world.admin, &body)
            .await
            .ok();
        attacker
            .staff
            .insert(made["id"].as_str().unwrap().to_owned());
        let token = world.stack.log_in(&username, PASSWORD).await;
        attacker.accounts.push(Account { username, token });
        attacker
    }

    fn nobody(seed: u64) -> Self {
        Self {
            random: StdRng::seed_from_u64(seed),
            accounts: Vec::new(),
            staff: BTreeSet::new(),
            known: BTreeMap::new(),
            done: BTreeMap::new(),
        }
    }

    fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        among.choose(&mut self.random).unwrap()
    }

    /// Looks at every list that its accounts are shown.
    async fn look_around(&mut self, world: &World) {
        for (name, path) in [
            ("approval", "/admin/approval/list?state=pending&limit=100"),
            ("withdrawal", "/admin/withdraw/list?limit=100"),
            ("exchange", "/admin/exchange/list?limit=100"),
            ("plan", "/admin/plan/list?limit=100"),
            ("import", "/admin/delivery/imports?limit=100"),
            ("quarantine", "/admin/delivery/quarantine/list?limit=100"),
            ("campaign", "/admin/coupon/campaign/list?limit=100"),
            ("staff", "/admin/staff/list?limit=100"),
        ] {
            for Account { token, .. } in self.accounts.clone() {
                let reply = world.stack.get(path, &token).await;
                if let Some(items) = reply.data["items"].as_array() {
                    self.known.insert(name, items.clone());
                }
            }
        }
    }

    /// An id, or another field, of something that it knows.
    fn known(&mut self, list: &'static str, field: &str) -> Value {
        let items = self.known.get(list).cloned().unwrap_or_default();
        match items.choose(&mut self.random) {
            Some(item) => item[field].clone(),
            None => json!(Uuid::now_v7()),
        }
    }

    async fn act(&mut self, world: &World, bodies: &[(String, Value)]) {
        let (path, example) = self.pick(bodies).clone();
        let at = self.random.random_range(0..self.accounts.len());
        let Account { username, token } = self.accounts[at].clone();
        let mut body = example;
        if path == "/admin/user/profile"
            && let Some(fields) = body.as_object_mut()
        {
            // Always refused: the wallet has it.
            fields.remove("deposit");
        }
        let fields: Vec<String> = body
            .as_object()
            .map(|fields| fields.keys().cloned().collect())
            .unwrap_or_default();
        for field in fields {
            if let Some(value) = self.value(world, &path, &field) {
                body[&field] = value;
            }
        }
        let reply = if path == "/admin/delivery/import" {
            let number = self.known("plan", "plan_number");
            let revenue = *self.pick(&["2.00", "90.00", "900000000"]);
            let row = report(&number, &Uuid::new_v4().to_string(), "1.00", revenue);
            import(&world.stack, &token, &row).await
        } else {
            world.stack.post(&path, &token, &body).await
        };
        if reply.reason() == "SESSION_EXPIRED" {
            // It ended its own sessions, or changed its own role.
            self.accounts[at].token = world.stack.log_in(&username, PASSWORD).await;
        }
        if reply.code != 200 {
            return;
        }
        let request_id = reply.headers["x-request-id"].to_str().unwrap().to_owned();
        let about = ["id", "user_id", "staff_id"].map(|field| body[field].to_string());
        let acts = self.done.entry((path.clone(), about.concat()));
        acts.or_default().push(request_id);
        self.take_over(world, &path, &body, &reply.data).await;
    }

    /// A plausible value of a field; none for the example's.
    fn value(&mut self, world: &World, path: &str, field: &str) -> Option<Value> {
        let area = path.trim_start_matches("/admin/").split('/').next()?;
        Some(match (area, field) {
            ("wallet" | "coupon" | "pay_password", "user_id") | ("user", "id" | "user_id") => {
                let users = [&world.victim.id, &world.accomplice.id];
                json!(self.pick(&users))
            }
            ("approval", "id") => self.known("approval", "id"),
            ("withdraw", "id") => self.known("withdrawal", "id"),
            ("exchange", "id") => self.known("exchange", "id"),
            ("plan", "id") => self.known("plan", "id"),
            ("coupon", "id" | "campaign_id") => self.known("campaign", "id"),
            ("delivery", "import_id") => self.known("import", "import_id"),
            ("delivery", "ids") => json!([self.known("quarantine", "id")]),
            (_, "staff_id") => self.known("staff", "id"),
            (_, "amount" | "value" | "put_max") => json!(self.pick(&AMOUNTS)),
            ("approval", "decision") => json!("approved"),
            ("exchange", "decision") => json!("completed"),
            ("withdraw", "decision") => json!("paid"),
            (_, "decision") => json!("released"),
            // Names the limits that stand in its way.
            (_, "reason") => {
                json!("return_on_spend revenue_without_spend return_on_budget revenue_per_thousand")
            }
            (_, "role") => json!("admin"),
            ("user", "state") => json!("disabled"),
            (_, "state") => json!("active"),
            (_, "action") if path == "/admin/wallet/guarantee" => {
                json!(self.pick(&["deposit", "return"]))
            }
            (_, "action") => json!("grant"),
            (_, "username") => json!(format!("puppet{}", Uuid::new_v4().simple())),
            ("staff", "password" | "new_password") => json!(PASSWORD),
            _ => return None,
        })
    }

    /// The attacker holds the accounts that it makes, and those whose password it resets.
    async fn take_over(&mut self, world: &World, path: &str, body: &Value, data: &Value) {
        let (username, id) = match path {
            "/admin/staff/create" => (body["username"].clone(), data["id"].clone()),
            "/admin/staff/password" if data["one_time_password"].is_string() => {
                let staff = self.known.get("staff").cloned().unwrap_or_default();
                let Some(owner) = staff.iter().find(|it| it["id"] == body["staff_id"]) else {
                    return;
                };
                let (username, once) = (&owner["username"], &data["one_time_password"]);
                let token = world
                    .stack
                    .log_in(username.as_str().unwrap(), once.as_str().unwrap())
                    .await;
                let change = json!({"old_password": once, "new_password": PASSWORD});
                world
                    .stack
                    .post("/admin/staff/password", &token, &change)
                    .await
                    .ok();
                (username.clone(), owner["id"].clone())
            }
            _ => return,
        };
        let login = json!({"username": username, "password": PASSWORD});
        let request = world.stack.request(Method::POST, "/admin/login", None);
        let reply = world.stack.send(request.json(&login)).await;
        if let Some(token) = reply.data["token"].as_str() {
            self.accounts.push(Account {
                username: username.as_str().unwrap().to_owned(),
                token: token.to_owned(),
            });
            self.staff.insert(id.as_str().unwrap().to_owned());
        }
    }
}

/// Every POST with this kind of token, with the example that the OpenAPI document gives.
fn bodies_of(token: &str) -> Vec<(String, Value)> {
    let document: Value = serde_json::from_str(include_str!("../../openapi.json")).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let calls = paths.iter().filter_map(|(path, of)| {
        let post = of.get("post")?;
        let is_asked_for = post["security"][0].get(token).is_some();
        let body = &post["requestBody"]["content"]["application/json"]["example"];
        (is_asked_for && !LEFT_OUT.contains(&path.as_str())).then(|| (path.clone(), body.clone()))
    });
    calls.collect()
}

/// What the books say that somebody's accounts did to a user, in minor units.
async fn moved_by(world: &World, staff: &BTreeSet<String>, user: &User) -> i64 {
    let staff: Vec<Uuid> = staff.iter().map(|id| id.parse().unwrap()).collect();
    sqlx::query_scalar(
        "SELECT coalesce(sum(greatest(abs(available_change), abs(withdrawing_change))), 0)::bigint
         FROM transactions WHERE user_id = $1::text::uuid AND staff_id = ANY ($2)",
    )
    .bind(&user.id)
    .bind(staff)
    .fetch_one(&world.pool("wallet"))
    .await
    .unwrap()
}

/// Revenue in the books of a user.
async fn revenue_of(world: &World, user: &User) -> i64 {
    sqlx::query_scalar(
        "SELECT coalesce(sum(to_be_settled_change), 0)::bigint FROM transactions
         WHERE user_id = $1::text::uuid AND type IN ('accrue', 'settle')",
    )
    .bind(&user.id)
    .fetch_one(&world.pool("wallet"))
    .await
    .unwrap()
}

async fn exchanged(world: &World, user: &User) -> i64 {
    sqlx::query_scalar(
        "SELECT coalesce(sum(amount_minor), 0)::bigint FROM exchanges
         WHERE user_id = $1::text::uuid AND state = 'completed'",
    )
    .bind(&user.id)
    .fetch_one(&world.pool("acceptor"))
    .await
    .unwrap()
}

async fn traced(world: &World) -> BTreeSet<String> {
    let ids: Vec<String> = sqlx::query_scalar("SELECT request_id FROM audit_log")
        .fetch_all(&world.pool("auth"))
        .await
        .unwrap();
    ids.into_iter().collect()
}

async fn attacks(role: StaffRole) {
    let seed =
        std::env::var("ALONE_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    println!("{role} alone, ALONE_SEED={seed}");
    let world = World::build().await;
    let mut attacker = Attacker::with(&world, role, seed).await;
    let bodies = bodies_of("staffToken");
    assert!(bodies.len() > 35, "the document is read");
    for call in 0..CALLS {
        if call % 20 == 0 {
            attacker.look_around(&world).await;
        }
        attacker.act(&world, &bodies).await;
    }
    println!(
        "{} accounts, {} calls succeeded",
        attacker.staff.len(),
        attacker.done.len()
    );
    let may_move = matches!(role, StaffRole::Finance | StaffRole::Admin);
    let most = if may_move { ALONE } else { 0 };
    let mut in_all = 0;
    for user in [&world.victim, &world.accomplice] {
        let moved = moved_by(&world, &attacker.staff, user).await;
        in_all += moved;
        assert!(moved <= most, "{role} moved {moved}");
        assert!(
            exchanged(&world, user).await <= most,
            "{role} let an order out"
        );
        assert_eq!(revenue_of(&world, user).await, 0, "{role} made revenue");
    }
    // Otherwise the calls were not plausible.
    assert_eq!(in_all > 0, may_move, "{role} moved {in_all}");
    every_act_has_a_trace(&world, &attacker).await;
}

async fn every_act_has_a_trace(world: &World, attacker: &Attacker) {
    eventually("every act has a trace", || async {
        let traced = traced(world).await;
        let untraced = attacker
            .done
            .iter()
            .filter(|(_, ids)| !ids.iter().any(|id| traced.contains(id)));
        let hidden: BTreeSet<&str> = untraced.map(|((path, _), _)| path.as_str()).collect();
        println!("no trace yet of {hidden:?}");
        hidden.is_empty()
    })
    .await;
}

#[tokio::test]
async fn support_alone_moves_no_money() {
    attacks(StaffRole::Support).await;
}

#[tokio::test]
async fn an_operator_alone_makes_no_revenue() {
    attacks(StaffRole::Operator).await;
}

#[tokio::test]
async fn finance_alone_moves_what_one_may() {
    attacks(StaffRole::Finance).await;
}

#[tokio::test]
async fn an_admin_alone_moves_what_one_may() {
    attacks(StaffRole::Admin).await;
}

/// A session without the login password and without the transaction password, a day after it was opened.
#[tokio::test]
async fn a_stolen_session_takes_nothing_out() {
    let world = World::build().await;
    let victim = &world.victim;
    let before = what_counts(&world).await;
    world.stack.grow_older(&victim.id, "25 hours").await;
    let mut thief = Attacker::nobody(rand::random());
    let bodies = bodies_of("userToken");
    assert!(bodies.len() > 15, "the document is read");
    for _ in 0..CALLS {
        let (path, mut body) = thief.pick(&bodies).clone();
        // The examples know the password, the thief does not.
        let guess = json!("staple battery horse");
        for (field, value) in [
            ("amount", json!(thief.pick(&AMOUNTS))),
            ("id", json!(victim.id)),
            ("old_password", guess.clone()),
            ("password", guess),
        ] {
            let is_pin = field == "password" && path != "/user/step_up";
            if let (Some(at), false) = (body.get_mut(field), is_pin) {
                *at = value;
            }
        }
        world.stack.post(&path, &victim.token, &body).await;
    }
    assert_eq!(what_counts(&world).await, before);
}

/// Of the victim: what left, where money goes, the transaction password, the login password and the contacts.
async fn what_counts(world: &World) -> (i64, Vec<u8>, String, String) {
    let user: Uuid = world.victim.id.parse().unwrap();
    let (wallet, auth) = (world.pool("wallet"), world.pool("auth"));
    let left = sqlx::query_scalar(
        "SELECT count(*) FROM transactions WHERE user_id = $1 AND type IN ('withdraw', 'exchange_debit')",
    );
    let sealed = sqlx::query_scalar("SELECT sealed FROM destinations WHERE user_id = $1");
    let hash = sqlx::query_scalar("SELECT hash FROM pay_passwords WHERE user_id = $1");
    let contacts =
        sqlx::query_scalar("SELECT password_hash || email || phone FROM users WHERE id = $1");
    (
        left.bind(user).fetch_one(&wallet).await.unwrap(),
        sealed.bind(user).fetch_one(&wallet).await.unwrap(),
        hash.bind(user).fetch_one(&wallet).await.unwrap(),
        contacts.bind(user).fetch_one(&auth).await.unwrap(),
    )
}
