//! The REST contract, as far as a benchmark needs it.

use adfolio_local::Stack;
use serde_json::{Value, json};

pub const CALLERS: usize = 32;

/// Calls it through nginx.
#[derive(Clone)]
pub struct Api {
    http: reqwest::Client,
    base: String,
}

impl Api {
    pub fn new(stack: &Stack) -> Self {
        Self::at(&stack.url())
    }

    pub fn at(url: &str) -> Self {
        Self {
            http: reqwest::Client::new(),
            base: format!("{url}/api"),
        }
    }

    pub async fn post(&self, path: &str, token: &str, key: Option<String>, body: Value) -> Value {
        let mut request = self
            .http
            .post(format!("{}{path}", self.base))
            .header("X-CT", token)
            .json(&body);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        Self::data(request).await
    }

    pub async fn get(&self, path: &str, token: &str) -> Value {
        Self::data(
            self.http
                .get(format!("{}{path}", self.base))
                .header("X-CT", token),
        )
        .await
    }

    /// A page of what a network is allotted, as it arrives.
    pub async fn allotments(&self, query: &str, key: &str) -> Vec<u8> {
        let url = format!("{}/network/allotments{query}", self.base);
        let request = self.http.get(url).header("X-Network-Key", key);
        request.send().await.unwrap().bytes().await.unwrap().into()
    }

    /// The bytes of an answer.
    pub async fn size(&self, path: &str, token: &str) -> usize {
        let request = self.http.get(format!("{}{path}", self.base));
        let answer = request.header("X-CT", token).send().await.unwrap();
        answer.bytes().await.unwrap().len()
    }

    pub async fn import(&self, admin: &str, csv: String, source: &str, mapping: &Value) -> Value {
        let file = reqwest::multipart::Part::text(csv)
            .file_name("reports.csv")
            .mime_str("text/csv")
            .unwrap();
        let form = reqwest::multipart::Form::new()
            .text("source", source.to_owned())
            .text("mapping", mapping.to_string())
            .part("file", file);
        let request = self
            .http
            .post(format!("{}/admin/delivery/import", self.base))
            .header("X-CT", admin);
        Self::data(request.multipart(form)).await
    }

    async fn data(request: reqwest::RequestBuilder) -> Value {
        let mut envelope: Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(envelope["code"], 200, "{envelope}");
        envelope["data"].take()
    }

    pub async fn admin(&self) -> String {
        let login = json!({"username": "admin", "password": "adfolio-admin"});
        text(&self.post("/admin/login", "", None, login).await["token"])
    }

    /// An advertiser with a million in the wallet: token and id.
    pub async fn advertiser(&self, admin: &str, username: &str) -> (String, String) {
        let keys = self
            .post("/admin/license/create", admin, None, json!({"count": 1}))
            .await;
        let registration = json!({
            "username": username, "password": "correct horse battery", "confirm_password": "correct horse battery",
            "email": format!("{username}@example.com"), "phone": "+6591234567", "licenseKey": keys["items"][0]["code"],
        });
        let session = self.post("/auth/v2/register", "", None, registration).await;
        let id = text(&session["user"]["id"]);
        let deposit = json!({"user_id": id, "amount": "1000000.00", "remark": "benchmark"});
        self.post("/admin/wallet/deposit", admin, None, deposit)
            .await;
        (text(&session["token"]), id)
    }

    pub async fn product(&self, admin: &str) -> String {
        let product = json!({
            "name": "Benchmark", "category": "Games", "description": "", "game_description": "",
            "content_types": ["video"], "put_min": "1.00", "put_max": "1000000.00",
            "audience": {"regions": [], "age_min": 18, "age_max": 65, "gender": "any"},
        });
        text(
            &self
                .post("/admin/product/create", admin, None, product)
                .await["id"],
        )
    }
}

/// Tokens of as many advertisers as there are concurrent callers.
pub async fn advertisers(api: &Api, admin: &str, name: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for number in 0..CALLERS {
        tokens.push(api.advertiser(admin, &format!("{name}-{number}")).await.0);
    }
    tokens
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
