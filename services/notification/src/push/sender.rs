//! The request to a push service (RFC 8030), encrypted so that only the browser reads it (RFC 8291).

use std::time::Duration;

use adfolio_kit::refusal::chain;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::header::{AUTHORIZATION, RETRY_AFTER};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Serialize;
use tracing::{error, warn};
use web_push_native::WebPushBuilder;

use super::entity::{Outcome, Push};
use super::vapid::VapidKey;
use crate::lang::Lang;
use crate::notice::{self, Kind};
use crate::text::Catalogues;

/// The longest wait for the head of an answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(15);

/// Bytes of a text that a message has at most. All of a message must fit into one record of 4096 bytes.
const TEXT_MAX: usize = 1500;

/// What the browser's service worker shows, and where a tap leads.
#[derive(Serialize)]
struct Payload<'a> {
    /// The same in every attempt, so that a message that arrives twice is shown once.
    id: String,
    title: &'a str,
    body: &'a str,
    /// As in the inbox.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target<'a>>,
    time: DateTime<Utc>,
}

#[derive(Serialize)]
struct Target<'a> {
    kind: &'static str,
    id: &'a str,
}

/// Sends messages. It follows no redirect, so it reaches no other host than the one that was checked.
#[derive(Clone)]
pub struct Sender {
    key: VapidKey,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl Sender {
    /// Trusts the certificates of the system.
    pub fn new(key: VapidKey) -> std::io::Result<Self> {
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()?
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Self {
            key,
            client: Client::builder(TokioExecutor::new()).build(connector),
        })
    }

    /// The public half of its key.
    pub fn public_key(&self) -> &[u8] {
        self.key.public()
    }

    /// Sends a message. What a push service says is not logged: it repeats the address of the browser.
    pub async fn send(&self, push: &Push, catalogues: &Catalogues, now: DateTime<Utc>) -> Outcome {
        let Some(request) = self.request(push, catalogues, now) else {
            error!(id = %push.id, "push message cannot be written");
            return Outcome::Never;
        };
        match tokio::time::timeout(ANSWER_LIMIT, self.client.request(request)).await {
            Ok(Ok(response)) => {
                let outcome = meaning(&response);
                if outcome != Outcome::Sent && outcome != Outcome::Gone {
                    warn!(id = %push.id, status = %response.status(), "push message was not taken");
                }
                outcome
            }
            Ok(Err(failure)) => {
                warn!(id = %push.id, error = chain(&failure), "push service cannot be reached");
                Outcome::Again(Duration::ZERO)
            }
            Err(_) => {
                warn!(id = %push.id, "push service takes too long");
                Outcome::Again(Duration::ZERO)
            }
        }
    }

    fn request(
        &self,
        push: &Push,
        catalogues: &Catalogues,
        now: DateTime<Utc>,
    ) -> Option<Request<Full<Bytes>>> {
        let lang = Lang::of_caller(&push.lang);
        let rendered = catalogues.render(lang, &push.template, &push.params);
        let (kind, target) = notice::about(&push.source_key);
        let payload = Payload {
            id: push.id.to_string(),
            title: cut(&rendered.title),
            body: cut(&rendered.content),
            kind: kind.as_str(),
            target: target.as_ref().map(|target| Target {
                kind: target.kind.as_str(),
                id: &target.id,
            }),
            time: push.occurred_at,
        };
        let left = push.give_up_at.signed_duration_since(now).to_std();
        let browser = &push.browser;
        let endpoint: Uri = browser.endpoint.as_str().parse().ok()?;
        let request = WebPushBuilder::new(endpoint, browser.key, browser.auth)
            .with_valid_duration(left.unwrap_or_default())
            .build(serde_json::to_vec(&payload).ok()?)
            .ok()?;
        let (mut parts, body) = request.into_parts();
        let authorization = self.key.authorization(&browser.endpoint, now).ok()?;
        parts
            .headers
            .insert(AUTHORIZATION, authorization.parse().ok()?);
        let urgency = if kind == Kind::Security {
            "high"
        } else {
            "normal"
        };
        parts.headers.insert("Urgency", urgency.parse().ok()?);
        Some(Request::from_parts(parts, Full::from(body)))
    }
}

/// What an answer means for the message (RFC 8030, section 5; RFC 8292, section 4.2).
fn meaning<B>(response: &Response<B>) -> Outcome {
    match response.status() {
        status if status.is_success() => Outcome::Sent,
        StatusCode::NOT_FOUND | StatusCode::GONE => Outcome::Gone,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
            Outcome::Again(retry_after(response))
        }
        status if status.is_server_error() => Outcome::Again(retry_after(response)),
        _ => Outcome::Never,
    }
}

/// The wait that the service asks for in seconds; dates are not read, its own wait is as good then.
fn retry_after<B>(response: &Response<B>) -> Duration {
    let header = response.headers().get(RETRY_AFTER);
    let seconds = header.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

/// The beginning of a text that fits into a message.
fn cut(text: &str) -> &str {
    let end = text.floor_char_boundary(TEXT_MAX);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, retry_after: Option<&str>) -> Outcome {
        let mut builder = Response::builder().status(status);
        if let Some(value) = retry_after {
            builder = builder.header(RETRY_AFTER, value);
        }
        meaning(&builder.body(()).unwrap())
    }

    #[test]
    fn answers_say_what_to_do() {
        assert_eq!(answer(201, None), Outcome::Sent);
        assert_eq!(answer(202, None), Outcome::Sent);
        assert_eq!(answer(404, None), Outcome::Gone);
        assert_eq!(answer(410, None), Outcome::Gone);
        assert_eq!(
            answer(429, Some("120")),
            Outcome::Again(Duration::from_mins(2))
        );
        assert_eq!(answer(503, None), Outcome::Again(Duration::ZERO));
        assert_eq!(answer(503, Some("soon")), Outcome::Again(Duration::ZERO));
        for status in [301, 400, 401, 403, 413] {
            assert_eq!(answer(status, None), Outcome::Never, "{status}");
        }
    }

    #[test]
    fn long_texts_end_between_characters() {
        let text = "ü".repeat(TEXT_MAX);
        assert_eq!(cut(&text).len(), TEXT_MAX);
        let text = format!("a{}", "ü".repeat(TEXT_MAX));
        assert_eq!(cut(&text).len(), TEXT_MAX - 1);
        assert_eq!(cut("short"), "short");
    }
}
