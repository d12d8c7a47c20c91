//! A client of the REST contract that reports its answers.

use std::time::Duration;

use reqwest::{Method, multipart};
use serde_json::Value;

/// Longer than the gateway's own deadline, so that a test sees the gateway's answer and not its own
/// timeout.
const CALL_LIMIT: Duration = Duration::from_secs(30);

/// An answer of the gateway: its HTTP status and its envelope.
#[derive(Debug, Clone)]
pub struct Reply {
    pub http_status: u16,
    pub code: i64,
    pub msg: String,
    pub data: Value,
}

impl Reply {
    /// The data of a success; anything else fails the test with the whole answer.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.code, 200, "expected success, got {self:?}");
        assert!(!self.msg.is_empty(), "an answer without words: {self:?}");
        self.data
    }

    /// The reason of a failure, empty for a success.
    pub fn reason(&self) -> &str {
        self.data["reason"].as_str().unwrap_or_default()
    }
}

/// A caller: a URL, an optional token, a time zone.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    token: Option<String>,
    time_zone: Option<String>,
    headers: Vec<(&'static str, String)>,
}

impl Client {
    /// A caller without a token. `url` is nginx's URL.
    pub fn new(url: &str) -> Self {
        let http = reqwest::Client::builder()
            .timeout(CALL_LIMIT)
            .build()
            .unwrap();
        Self {
            http,
            base: format!("{url}/api"),
            token: None,
            time_zone: None,
            headers: Vec::new(),
        }
    }

    /// The same caller with a token.
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// The same caller in a time zone.
    pub fn in_time_zone(&self, time_zone: &str) -> Self {
        Self {
            time_zone: Some(time_zone.to_owned()),
            ..self.clone()
        }
    }

    /// The same caller with an additional header.
    pub fn with_header(&self, name: &'static str, value: &str) -> Self {
        let mut caller = self.clone();
        caller.headers.push((name, value.to_owned()));
        caller
    }

    /// A GET call. `path` may carry a query.
    pub async fn get(&self, path: &str) -> Reply {
        self.try_send(self.request(Method::GET, path))
            .await
            .expect("the gateway answers")
    }

    /// A GET call; an error if no envelope came back.
    pub async fn try_get(&self, path: &str) -> Result<Reply, String> {
        self.try_send(self.request(Method::GET, path)).await
    }

    /// A POST call.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.try_post(path, &body)
            .await
            .expect("the gateway answers")
    }

    /// A POST call without a key; an error if no envelope came back.
    pub async fn try_post(&self, path: &str, body: &Value) -> Result<Reply, String> {
        self.try_send(self.request(Method::POST, path).json(body))
            .await
    }

    /// A POST call with JSON lines.
    pub async fn post_lines(&self, path: &str, lines: &str) -> Reply {
        self.try_post_lines(path, lines)
            .await
            .expect("the gateway answers")
    }

    /// A POST call with JSON lines; an error if no envelope came back.
    pub async fn try_post_lines(&self, path: &str, lines: &str) -> Result<Reply, String> {
        let request = self.request(Method::POST, path);
        let request = request.header("Content-Type", "application/x-ndjson");
        self.try_send(request.body(lines.to_owned())).await
    }

    /// Opens the event stream, which has no time limit. An error if it was refused.
    pub async fn try_stream(&self) -> Result<reqwest::Response, String> {
        const AN_HOUR: Duration = Duration::from_hours(1);
        let request = self.request(Method::GET, "/stream").timeout(AN_HOUR);
        let response = request.send().await.map_err(|error| format!("{error:?}"))?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(format!("{response:?}"))
        }
    }

    /// A POST call with an idempotency key; an error if no envelope came back, as during a crash.
    pub async fn try_post_keyed(
        &self,
        path: &str,
        key: &str,
        body: &Value,
    ) -> Result<Reply, String> {
        self.try_send(
            self.request(Method::POST, path)
                .header("Idempotency-Key", key)
                .json(body),
        )
        .await
    }

    /// A POST call with an idempotency key.
    pub async fn post_keyed(&self, path: &str, key: &str, body: Value) -> Reply {
        self.try_post_keyed(path, key, &body)
            .await
            .expect("the gateway answers")
    }

    /// Imports delivery reports from a file's text.
    pub async fn import(&self, csv: String, source: &str, mapping: &Value) -> Reply {
        self.try_import(csv, source, mapping)
            .await
            .expect("the gateway answers")
    }

    /// Imports delivery reports from a file's text; an error if no envelope came back.
    pub async fn try_import(
        &self,
        csv: String,
        source: &str,
        mapping: &Value,
    ) -> Result<Reply, String> {
        let file = multipart::Part::text(csv)
            .file_name("reports.csv")
            .mime_str("text/csv")
            .unwrap();
        let form = multipart::Form::new()
            .text("source", source.to_owned())
            .text("mapping", mapping.to_string())
            .part("file", file);
        let request = self
            .request(Method::POST, "/admin/delivery/import")
            .multipart(form);
        self.try_send(request).await
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let mut request = self.http.request(method, format!("{}{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("X-CT", token);
        }
        if let Some(time_zone) = &self.time_zone {
            request = request.header("X-TZ", time_zone);
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        request
    }

    async fn try_send(&self, request: reqwest::RequestBuilder) -> Result<Reply, String> {
        let response = request.send().await.map_err(|error| format!("{error:?}"))?;
        let http_status = response.status().as_u16();
        let text = response
            .text()
            .await
            .map_err(|error| format!("{error:?}"))?;
        let envelope: Value = serde_json::from_str(&text)
            .map_err(|_| format!("HTTP {http_status} without envelope: {text}"))?;
        Ok(Reply {
            http_status,
            code: envelope["code"]
                .as_i64()
                .ok_or_else(|| format!("no code in {text}"))?,
            msg: envelope["msg"].as_str().unwrap_or_default().to_owned(),
            data: envelope.get("data").cloned().unwrap_or(Value::Null),
        })
    }
}
