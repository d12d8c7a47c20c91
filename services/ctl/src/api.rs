//! Calls of an installation's REST API.

use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, HeaderValue};
use http::request::Builder;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// Limit of a request.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// Longer answers are none of the API.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;

/// The API of an installation.
pub struct Api {
    base: String,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl Api {
    /// The API at an address, such as `https://adfolio.example/api`. Nothing is connected before the first call.
    pub fn new(base: &str) -> anyhow::Result<Self> {
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()
            .context("no trusted certificates on this machine")?
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Self {
            base: base.trim_end_matches('/').to_owned(),
            client: Client::builder(TokioExecutor::new()).build(connector),
        })
    }

    /// A request for a path, without its slash at the beginning.
    pub fn request(&self, method: Method, path: &str) -> Builder {
        Request::builder()
            .method(method)
            .uri(format!("{}/{path}", self.base))
            .header(CACHE_CONTROL, HeaderValue::from_static("no-cache"))
    }

    /// The text of an answer that is no refusal.
    pub async fn text(&self, request: Builder, body: Bytes) -> anyhow::Result<String> {
        let request = request.body(Full::new(body))?;
        let address = request.uri().to_string();
        let text = tokio::time::timeout(ANSWER_LIMIT, self.ask(request)).await;
        text.map_err(|_| anyhow!("no answer in time"))
            .flatten()
            .with_context(|| format!("cannot call {address}"))
    }

    async fn ask(&self, request: Request<Full<Bytes>>) -> anyhow::Result<String> {
        let (head, body) = self.client.request(request).await?.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|error| anyhow!(error))?.to_bytes();
        let text = String::from_utf8(body.to_vec()).context("not a text")?;
        if !head.status.is_success() {
            bail!("HTTP {}", head.status);
        }
        // A refusal is an envelope with another code.
        if let Ok(envelope) = serde_json::from_str::<Value>(&text)
            && envelope["code"] != 200
        {
            bail!("{}", envelope["msg"].as_str().unwrap_or("refused"));
        }
        Ok(text)
    }
}
