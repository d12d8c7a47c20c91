//! The gateway with the real services behind it, in this process.

use std::collections::BTreeMap;
use std::sync::Mutex;

use adfolio_auth::SecondFactorPolicy;
use adfolio_gateway::config::GatewayConfig;
use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::shutdown::Shutdown;
use adfolio_notification::MailArgs;
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::{
    CreateStaffRequest, Founder, SetUserStateRequest, StaffRole as ProtoRole, UserState,
};
use adfolio_testkit::{TestBroker, TestDatabase, eventually, free_listener};
use reqwest::Method;
use reqwest::header::HeaderMap;
use reqwest::multipart::Form;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::services::{Ending, Services};

pub const PASSWORD: &str = "correct horse battery";

/// The second founder's name.
const SECOND_ADMIN: &str = "admin2";

/// Everything that runs. Dropping it ends it.
pub struct Stack {
    pub services: Services,
    pub gateway: String,
    http: reqwest::Client,
    seen: Mutex<Vec<Seen>>,
    _gateway: Ending,
    _broker: TestBroker,
}

/// A call that was made, and its envelope.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Below the base path, without a query.
    pub path: String,
    pub method: Method,
    /// The session that it was called in.
    pub token: Option<String>,
    /// What was sent, unless it is no JSON.
    pub body: Value,
    pub reply: Reply,
}

/// An answer of the gateway.
#[derive(Clone, Debug)]
pub struct Reply {
    pub http: u16,
    pub headers: HeaderMap,
    pub code: i64,
    pub msg: String,
    pub data: Value,
}

impl Reply {
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!((self.http, self.code), (200, 200), "{self:?}");
        self.data
    }

    pub fn reason(&self) -> &str {
        self.data["reason"].as_str().unwrap_or("OK")
    }

    #[track_caller]
    pub fn refused(self, code: i64, reason: &str) -> Value {
        assert_eq!((self.code, self.reason()), (code, reason), "{self:?}");
        assert_eq!(self.http, 200, "{self:?}");
        self.data
    }
}

impl Stack {
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// With changes to the gateway's configuration.
    pub async fn start_with(change: impl FnOnce(&mut GatewayConfig)) -> Self {
        let optional = SecondFactorPolicy::Optional;
        let (four_eyes, mail) = (FourEyesArgs::off(), MailArgs::default());
        Self::start_configured(change, optional, (four_eyes, mail), |_| {}).await
    }

    /// With what takes two members of staff, where mail goes, and changes to wallet's configuration.
    pub async fn start_with_four_eyes(
        four_eyes: FourEyesArgs,
        mail: MailArgs,
        change: impl FnOnce(&mut adfolio_wallet::Config),
    ) -> Self {
        let optional = SecondFactorPolicy::Optional;
        Self::start_configured(|_| {}, optional, (four_eyes, mail), change).await
    }

    /// With whether staff need a second factor.
    pub async fn start_with_second_factor(policy: SecondFactorPolicy) -> Self {
        let (four_eyes, mail) = (FourEyesArgs::off(), MailArgs::default());
        Self::start_configured(|_| {}, policy, (four_eyes, mail), |_| {}).await
    }

    /// The user's sessions began that much earlier, as an interval of PostgreSQL.
    pub async fn grow_older(&self, user_id: &str, interval: &str) {
        let query = "UPDATE sessions SET created_at = created_at - $2::text::interval WHERE user_id = $1::text::uuid";
        sqlx::query(query)
            .bind(user_id)
            .bind(interval)
            .execute(&self.services.databases["auth"].pool())
            .await
            .unwrap();
    }

    async fn start_configured(
        change: impl FnOnce(&mut GatewayConfig),
        second_factor: SecondFactorPolicy,
        (four_eyes, mail): (FourEyesArgs, MailArgs),
        change_wallet: impl FnOnce(&mut adfolio_wallet::Config),
    ) -> Self {
        let broker = TestBroker::namespace();
        let services = Services::start_with(&broker, second_factor, four_eyes, mail, change_wallet);
        let services = Box::pin(services).await;
        let mut config = services.gateway_config();
        config.broker = broker.args();
        change(&mut config);
        let listener = free_listener().await;
        let gateway = format!("http://{}", listener.local_addr().unwrap());
        let ending = Shutdown::manual();
        let task = tokio::spawn(adfolio_gateway::run(config, listener, ending.clone()));
        let http = reqwest::Client::builder().build().unwrap();
        Self {
            services,
            gateway,
            http,
            seen: Mutex::default(),
            _gateway: Ending {
                shutdown: ending,
                task,
            },
            _broker: broker,
        }
    }

    /// A request to the gateway, to be changed further and sent with [`Stack::send`].
    pub fn request(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
    ) -> reqwest::RequestBuilder {
        let request = self
            .http
            .request(method, format!("{}/api{path}", self.gateway));
        match token {
            Some(token) => request.header("X-CT", token),
            None => request,
        }
    }

    pub async fn send(&self, request: reqwest::RequestBuilder) -> Reply {
        let request = request.build().unwrap();
        let path = request.url().path().trim_start_matches("/api").to_owned();
        let method = request.method().clone();
        let token = request.headers().get("X-CT");
        let token = token.map(|token| token.to_str().unwrap().to_owned());
        let body = request.body().and_then(|body| body.as_bytes());
        let body = body.and_then(|body| serde_json::from_slice(body).ok());
        let response = self.http.execute(request).await;
        let response = response.expect("the gateway answers");
        let (http, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let envelope: Value = serde_json::from_str(&text)
            .unwrap_or_else(|_| panic!("HTTP {http} without an envelope: {text}"));
        let reply = Reply {
            http,
            headers,
            code: envelope["code"].as_i64().unwrap(),
            msg: envelope["msg"].as_str().unwrap().to_owned(),
            data: envelope["data"].clone(),
        };
        let seen = Seen {
            path,
            method,
            token,
            body: body.unwrap_or_default(),
            reply: reply.clone(),
        };
        self.seen.lock().unwrap().push(seen);
        reply
    }

    /// Sends a request whose success is a stream without an end, which is left at once.
    pub async fn send_or_leave(&self, request: reqwest::RequestBuilder) -> Reply {
        let whole = request.try_clone().unwrap();
        let response = request.send().await.expect("the gateway answers");
        let headers = response.headers().clone();
        if headers["content-type"] != "text/event-stream" {
            return self.send(whole).await;
        }
        Reply {
            http: response.status().as_u16(),
            headers,
            code: 200,
            msg: String::new(),
            data: Value::Null,
        }
    }

    /// Every call that was made so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// A call whose answer is no envelope.
    pub async fn raw(&self, path: &str, token: &str) -> reqwest::Response {
        let request = self.request(Method::GET, path, Some(token));
        request.send().await.expect("the gateway answers")
    }

    /// A call without a token.
    pub async fn post_open(&self, path: &str, body: &Value) -> Reply {
        self.send(self.request(Method::POST, path, None).json(body))
            .await
    }

    /// A call with a form.
    pub async fn post_form(&self, path: &str, token: &str, form: Form) -> Reply {
        self.send(
            self.request(Method::POST, path, Some(token))
                .multipart(form),
        )
        .await
    }

    pub async fn get(&self, path: &str, token: &str) -> Reply {
        self.send(self.request(Method::GET, path, Some(token)))
            .await
    }

    pub async fn post(&self, path: &str, token: &str, body: &Value) -> Reply {
        self.send(self.request(Method::POST, path, Some(token)).json(body))
            .await
    }

    pub async fn post_keyed(&self, path: &str, token: &str, key: &str, body: &Value) -> Reply {
        self.send(
            self.request(Method::POST, path, Some(token))
                .header("Idempotency-Key", key)
                .json(body),
        )
        .await
    }

    /// The first admin, made with a second founder as the operator's command line makes them, and their token.
    pub async fn admin(&self) -> String {
        let message = CreateStaffRequest {
            username: "admin".to_owned(),
            password: PASSWORD.to_owned(),
            role: ProtoRole::Admin.into(),
            second: Some(Founder {
                username: SECOND_ADMIN.to_owned(),
                password: PASSWORD.to_owned(),
            }),
        };
        let request = outgoing(
            &Caller::system(),
            message,
            std::time::Duration::from_secs(10),
        );
        self.auth_admin().create_staff(request).await.unwrap();
        self.staff_token("admin").await
    }

    /// A member of staff with a role, and their token.
    pub async fn staff(&self, admin: &str, role: StaffRole) -> String {
        let username = format!("{role}-{}", Uuid::new_v4().simple());
        let body = json!({"username": username, "password": PASSWORD, "role": role.as_str()});
        self.post("/admin/staff/create", admin, &body).await.ok();
        self.staff_token(&username).await
    }

    /// A token of the second founder.
    pub async fn second_admin(&self) -> String {
        self.staff_token(SECOND_ADMIN).await
    }

    async fn staff_token(&self, username: &str) -> String {
        self.log_in(username, PASSWORD).await
    }

    /// A token of a member of staff.
    pub async fn log_in(&self, username: &str, password: &str) -> String {
        let body = json!({"username": username, "password": password});
        let data = self
            .send(self.request(Method::POST, "/admin/login", None).json(&body))
            .await
            .ok();
        data["token"].as_str().unwrap().to_owned()
    }

    /// A registered user: id and token.
    pub async fn user(&self, admin: &str) -> (String, String) {
        let licenses = self
            .post("/admin/license/create", admin, &json!({"count": 1}))
            .await
            .ok();
        let username = format!("user{}", Uuid::new_v4().simple());
        let body = json!({
            "username": &username[..20],
            "password": PASSWORD,
            "confirm_password": PASSWORD,
            "email": "ada@example.com",
            "phone": "+4915112345678",
            "licenseKey": licenses["items"][0]["code"],
        });
        let data = self
            .send(
                self.request(Method::POST, "/auth/v2/register", None)
                    .json(&body),
            )
            .await
            .ok();
        (
            data["user"]["id"].as_str().unwrap().to_owned(),
            data["token"].as_str().unwrap().to_owned(),
        )
    }

    /// A product that can be put.
    pub async fn product(&self, admin: &str) -> String {
        let data = self
            .post("/admin/product/create", admin, &product("Puzzle Harbour"))
            .await
            .ok();
        data["id"].as_str().unwrap().to_owned()
    }

    /// Changes a user's state behind the gateway's back, as another replica would.
    pub async fn set_state(&self, user: &str, state: UserState) {
        let message = SetUserStateRequest {
            user_id: user.to_owned(),
            state: state.into(),
            reason: "test".to_owned(),
        };
        let caller = Caller::staff(Uuid::now_v7(), StaffRole::Support);
        let caller = self.services.identity.signed(caller, None);
        self.auth_admin()
            .set_user_state(outgoing(
                &caller,
                message,
                std::time::Duration::from_secs(10),
            ))
            .await
            .unwrap();
    }

    fn auth_admin(&self) -> AuthAdminServiceClient<Channel> {
        AuthAdminServiceClient::new(self.services.auth.channel())
    }

    /// Waits until a token is answered like this.
    pub async fn eventually_answers(&self, path: &str, token: &str, code: i64) {
        eventually("the token is answered as it should", || async {
            self.get(path, token).await.code == code
        })
        .await;
    }

    /// All rows of all tables, by database and table, as their number and a checksum, but for [`PASSING`].
    pub async fn rows(&self) -> BTreeMap<String, String> {
        let mut rows = BTreeMap::new();
        for (name, database) in &self.services.databases {
            for table in tables_of(database).await {
                let place = format!("{name}.{table}");
                let passing = PASSING.iter().find(|(passing, ..)| *passing == place);
                let passing = passing.map_or(&[] as &[&str], |(_, columns, _)| columns);
                let source = format!("\"{table}\" AS t");
                rows.insert(place, checksum(database, &source, passing).await);
            }
        }
        rows
    }

    /// The rows of one table of a service, as [`Stack::rows`] has them, without those of a user.
    pub async fn rows_but_of(&self, user: &str, service: &str, table: &str) -> String {
        let others = format!("{table} AS t WHERE t.user_id <> '{user}'");
        checksum(&self.services.databases[service], &others, &[]).await
    }

    /// The same once the events of all users who registered and of all acts of staff have had their effect elsewhere.
    pub async fn rows_after(&self, users: i64, acts: i64) -> BTreeMap<String, String> {
        eventually("what was done before is known everywhere", || async {
            let inboxes = count(&self.services.databases["notification"], "unread_counters").await;
            let audited = count(&self.services.databases["auth"], "audit_log").await;
            (inboxes, audited) == (users, acts)
        })
        .await;
        self.rows_at_rest().await
    }

    /// The same once every event has arrived and every audit entry is sealed, and five looks find the same.
    pub async fn rows_at_rest(&self) -> BTreeMap<String, String> {
        let looks = Mutex::new((BTreeMap::new(), 0));
        eventually("nothing changes any more", || async {
            let mut left = 0;
            for database in self.services.databases.values() {
                let tables = tables_of(database).await;
                for (table, waiting) in WAITING {
                    if tables.iter().any(|name| name == table) {
                        left += count(database, waiting).await;
                    }
                }
            }
            let rows = self.rows().await;
            let mut looks = looks.lock().unwrap();
            let same = left == 0 && looks.0 == rows;
            *looks = (rows.clone(), if same { looks.1 + 1 } else { 0 });
            (looks.1 >= 5).then_some(rows)
        })
        .await
    }
}

/// What is worked off in the background where a table exists.
const WAITING: [(&str, &str); 3] = [
    ("outbox", "unsent_events"),
    ("audit_unsealed", "audit_unsealed"),
    ("unsealed_batches", "unsealed_batches"),
];

/// What changes without anybody's doing, as table, columns and reason.
const PASSING: &[(&str, &[&str], &str)] = &[(
    "auth.sessions",
    &["last_seen_at", "expires_at"],
    "a session that is used lasts longer",
)];

/// Of the rows `t` of a source.
async fn checksum(database: &TestDatabase, source: &str, without: &[&str]) -> String {
    let statement = format!(
        "SELECT count(*) || ' rows, ' || md5(coalesce(string_agg(line, chr(10) ORDER BY line), ''))
         FROM (SELECT (to_jsonb(t) - $1::text[])::text AS line FROM {source}) AS lines"
    );
    sqlx::query_scalar(sqlx::AssertSqlSafe(statement))
        .bind(without)
        .fetch_one(&database.pool())
        .await
        .unwrap()
}

/// A product as staff create it.
pub fn product(name: &str) -> Value {
    json!({
        "name": name,
        "category": "Games",
        "description": "A calm puzzle game by the sea.",
        "game_description": "",
        "content_types": ["video", "landing_page"],
        "put_min": "100.00",
        "put_max": 5000,
        "audience": {"regions": ["DE"], "age_min": 18, "age_max": 55, "gender": "any"},
    })
}

/// Without the outbox's parts, which come and go by the hour, and its position, which follows what is sent.
async fn tables_of(database: &TestDatabase) -> Vec<String> {
    sqlx::query_scalar(
        r"SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'outbox\_%' ORDER BY 1",
    )
    .fetch_all(&database.pool())
    .await
    .unwrap()
}

async fn count(database: &TestDatabase, table: &str) -> i64 {
    let statement = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM \"{table}\""));
    sqlx::query_scalar(statement)
        .fetch_one(&database.pool())
        .await
        .unwrap()
}
