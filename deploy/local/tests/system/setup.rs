//! The setup of all system tests: a stack, staff, products, advertisers with money.

use std::{env, path::PathBuf};

use adfolio_local::{Service, Stack, StackBuilder};
use serde_json::{Value, json};

use crate::client::{Client, Reply};

const ADMIN_PASSWORD: &str = "adfolio-admin";
const SECOND_ADMIN_PASSWORD: &str = "adfolio-admin2";

/// Every advertiser's password.
pub const PASSWORD: &str = "correct horse battery";

/// A builder of a stack. `ADFOLIO_TLS=1` runs these tests over mutual TLS, `ADFOLIO_PROGRAMS` names
/// a folder of programs other than those built with the tests.
pub fn builder() -> StackBuilder {
    builder_on(Stack::builder())
}

/// The same of a stack that is described further, such as one on a cluster.
pub fn builder_on(builder: StackBuilder) -> StackBuilder {
    let tls = env::var("ADFOLIO_TLS").is_ok_and(|value| value == "1");
    // One admin does nearly everything here.
    let builder = builder
        .tls(tls)
        .without_four_eyes()
        .without_second_factor()
        .two_admins(true);
    match other_programs() {
        Some(folder) => builder.programs(folder),
        None => builder,
    }
}

/// The folder of programs that were not built with the tests, if one is named.
pub fn other_programs() -> Option<PathBuf> {
    env::var_os("ADFOLIO_PROGRAMS").map(PathBuf::from)
}

/// The folder of the tested programs.
pub fn programs() -> PathBuf {
    let built = || Some(env::current_exe().ok()?.parent()?.parent()?.to_owned());
    other_programs().or_else(built).unwrap()
}

/// A running system and its admin.
pub struct System {
    pub stack: Stack,
    pub anyone: Client,
    pub admin: Client,
    pub admin_id: String,
}

impl System {
    /// Starts all services without demo data and logs the admin in.
    pub async fn start() -> Self {
        Self::start_from(builder()).await
    }

    /// The same with this builder.
    pub async fn start_from(builder: StackBuilder) -> Self {
        let stack = builder
            .services(Service::ALL)
            // Servers are killed here: acknowledged data must be on the disk.
            .durable(true)
            // The tests are a single client address that makes far more requests than a person.
            .extra_env(Service::Gateway, "FLOOD_LIMIT_PER_SECOND", "0")
            .extra_env(Service::Gateway, "FLOOD_LIMIT_SESSION_PER_SECOND", "0")
            .start()
            .await
            .expect("the stack starts");
        let anyone = Client::new(&stack.url());
        let login = log_in(&anyone, "admin", ADMIN_PASSWORD).await.ok();
        let admin = anyone.with_token(login["token"].as_str().unwrap());
        let admin_id = login["staff"]["id"].as_str().unwrap().to_owned();
        Self {
            stack,
            anyone,
            admin,
            admin_id,
        }
    }

    /// The second admin, where the stack has two.
    pub async fn second_admin(&self) -> Option<Client> {
        let login = log_in(&self.anyone, "admin2", SECOND_ADMIN_PASSWORD).await;
        let is_known = login.code == 200;
        is_known.then(|| {
            self.anyone
                .with_token(login.data["token"].as_str().unwrap())
        })
    }

    /// A new product that accepts puts from 10.00 to 100000.00.
    pub async fn product(&self, name: &str) -> String {
        self.product_for(name, "SEA").await
    }

    /// The same for a region.
    pub async fn product_for(&self, name: &str, region: &str) -> String {
        let product = json!({
            "name": name,
            "category": "Casual games",
            "description": "A puzzle game for the bus ride.",
            "game_description": "Match three, one thumb.",
            "content_types": ["video", "landing_page"],
            "put_min": "10.00",
            "put_max": "100000.00",
            "audience": {"regions": [region], "age_min": 18, "age_max": 45, "gender": "any"},
        });
        let created = self.admin.post("/admin/product/create", product).await.ok();
        created["id"].as_str().unwrap().to_owned()
    }

    /// A new advertiser, registered with a fresh licence key.
    pub async fn advertiser(&self, username: &str) -> Advertiser {
        let keys = self
            .admin
            .post("/admin/license/create", json!({"count": 1}))
            .await
            .ok();
        let session = self
            .anyone
            .post(
                "/auth/v2/register",
                json!({
                    "username": username,
                    "nickname": "Test",
                    "password": PASSWORD,
                    "confirm_password": PASSWORD,
                    "email": format!("{username}@example.com"),
                    "phone": "+6591234567",
                    "licenseKey": keys["items"][0]["code"],
                }),
            )
            .await
            .ok();
        let token = session["token"].as_str().unwrap();
        let id = session["user"]["id"].as_str().unwrap().to_owned();
        Advertiser {
            id,
            username: username.to_owned(),
            client: self.anyone.with_token(token),
        }
    }

    /// Credits a deposit; returns its line in the fund details.
    pub async fn deposit(&self, user_id: &str, amount: &str) -> Value {
        let body = json!({"user_id": user_id, "amount": amount, "remark": "bank transfer 4711"});
        self.admin.post("/admin/wallet/deposit", body).await.ok()
    }

    /// The books must balance now.
    pub async fn assert_reconciled(&self) {
        let report = self.admin.get("/admin/wallet/reconcile").await.ok();
        assert_eq!(report["ok"], true, "{report:#}");
    }
}

/// An advertiser and their session.
pub struct Advertiser {
    pub id: String,
    pub username: String,
    pub client: Client,
}

impl Advertiser {
    /// All lines of the fund details, newest first.
    pub async fn fund_details(&self) -> Vec<Value> {
        self.all_pages("/transaction_flow/list?limit=100").await
    }

    /// All plans, newest first.
    pub async fn plans(&self) -> Vec<Value> {
        self.all_pages("/plan/order/list?limit=100").await
    }

    async fn all_pages(&self, path: &str) -> Vec<Value> {
        const PAGES_MAX: usize = 1_000;
        let mut items = Vec::new();
        let mut cursor = String::new();
        for _ in 0..PAGES_MAX {
            let page = self.client.get(&format!("{path}{cursor}")).await.ok();
            items.extend(page["items"].as_array().unwrap().iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return items,
            }
        }
        panic!("more than {PAGES_MAX} pages of {path}");
    }
}

async fn log_in(anyone: &Client, username: &str, password: &str) -> Reply {
    let body = json!({"username": username, "password": password});
    anyone.post("/admin/login", body).await
}
