//! Alerts that fire, as Prometheus tells them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::config::ConfigError;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use moka::future::Cache;
use serde::Deserialize;
use tokio::time::timeout;
use tracing::warn;

use crate::https;

/// Where Prometheus lists alerts (HTTP API v1).
const PATH: &str = "api/v1/alerts";

/// The longest wait for the whole answer.
const LIMIT: Duration = Duration::from_secs(2);

/// How long an answer, or its absence, is kept: Prometheus evaluates its rules no more often, and many desks that look
/// ask it once.
const KEPT_FOR: Duration = Duration::from_secs(10);

/// The largest answer that is read.
const SIZE_MAX: usize = 4 * 1024 * 1024;

/// An alert that fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// Its name in the rules, as in the runbook.
    pub name: String,
    /// Whether it wakes somebody.
    pub is_page: bool,
    /// What is wrong.
    pub summary: String,
    /// Since when its condition holds.
    pub since: DateTime<Utc>,
}

/// Reads alerts. Cheap to clone.
#[derive(Clone)]
pub struct Alerts(Option<Arc<Source>>);

struct Source {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    uri: Uri,
    recent: Cache<(), Option<Arc<[Alert]>>>,
}

impl fmt::Debug for Alerts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = self.0.as_ref().map(|source| &source.uri);
        formatter.debug_tuple("Alerts").field(&uri).finish()
    }
}

impl Alerts {
    /// Of the Prometheus at this base address; of none if it is empty. Nothing is connected yet.
    pub fn of(url: &str) -> Result<Self, ConfigError> {
        let url = url.trim();
        if url.is_empty() {
            return Ok(Self(None));
        }
        let invalid = ConfigError::Invalid {
            name: "ALERTS_URL",
            expected: "an address such as http://prometheus:9090",
        };
        let Some(uri) = uri_of(url) else {
            return Err(invalid);
        };
        let client = https::client().map_err(|_| ConfigError::Invalid {
            name: "ALERTS_URL",
            expected: "usable: the system has no certificates",
        })?;
        Ok(Self(Some(Arc::new(Source {
            client,
            uri,
            recent: Cache::builder()
                .max_capacity(1)
                .time_to_live(KEPT_FOR)
                .build(),
        }))))
    }

    /// Whether there is a Prometheus to ask.
    pub fn are_configured(&self) -> bool {
        self.0.is_some()
    }

    /// The alerts that fire, those that wake somebody first and the oldest first among them; none while Prometheus does
    /// not answer, or if there is none.
    pub async fn firing(&self) -> Option<Arc<[Alert]>> {
        let source = self.0.as_ref()?;
        source.recent.get_with((), source.ask()).await
    }
}

impl Source {
    async fn ask(&self) -> Option<Arc<[Alert]>> {
        match timeout(LIMIT, self.read()).await {
            Ok(Ok(body)) => match parse(&body) {
                Ok(alerts) => return Some(alerts.into()),
                Err(error) => warn!(%error, "Prometheus answers something else than alerts"),
            },
            Ok(Err(error)) => warn!(error, "alerts cannot be read"),
            Err(_) => warn!("Prometheus does not answer in time"),
        }
        None
    }

    async fn read(&self) -> Result<Bytes, Box<dyn std::error::Error + Send + Sync>> {
        let request = Request::get(self.uri.clone()).body(Full::default())?;
        let response = self.client.request(request).await?;
        if response.status() != StatusCode::OK {
            return Err(format!("Prometheus answers {}", response.status()).into());
        }
        let body = Limited::new(response.into_body(), SIZE_MAX);
        Ok(body.collect().await?.to_bytes())
    }
}

/// The address of the list below a base address, which may have a path.
fn uri_of(base: &str) -> Option<Uri> {
    let uri: Uri = format!("{}/{PATH}", base.trim_end_matches('/'))
        .parse()
        .ok()?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    (is_http && uri.host().is_some() && uri.query().is_none()).then_some(uri)
}

#[derive(Deserialize)]
struct Answer {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    alerts: Vec<Told>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    labels: Labels,
    #[serde(default)]
    annotations: Annotations,
    state: String,
    active_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Labels {
    alertname: String,
    #[serde(default)]
    severity: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Annotations {
    summary: String,
}

fn parse(body: &[u8]) -> serde_json::Result<Vec<Alert>> {
    let Answer { data } = serde_json::from_slice(body)?;
    let firing = data
        .alerts
        .into_iter()
        .filter(|told| told.state == "firing");
    let mut alerts: Vec<Alert> = firing
        .map(|told| Alert {
            is_page: told.labels.severity == "page",
            summary: told.annotations.summary,
            since: told.active_at,
            name: told.labels.alertname,
        })
        .collect();
    alerts.sort_by(|one, other| {
        let order = |alert: &Alert| (!alert.is_page, alert.since);
        order(one)
            .cmp(&order(other))
            .then_with(|| one.name.cmp(&other.name))
    });
    Ok(alerts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_base() {
        for (base, expected) in [
            (
                "http://prometheus:9090",
                "http://prometheus:9090/api/v1/alerts",
            ),
            (
                "https://a.example/prometheus/",
                "https://a.example/prometheus/api/v1/alerts",
            ),
        ] {
            assert_eq!(uri_of(base).unwrap(), expected);
        }
        for wrong in [
            "prometheus:9090",
            "ftp://a.example",
            "http://a.example?x=1",
            "/a",
            "http://",
        ] {
            assert_eq!(uri_of(wrong), None, "{wrong}");
            assert!(Alerts::of(wrong).is_err());
        }
        assert!(!Alerts::of(" ").unwrap().are_configured());
    }

    #[test]
    fn what_fires_is_read_pages_first() {
        // As Prometheus 3.5 answers, shortened.
        let body = br#"{"status": "success", "data": {"alerts": [
            {"labels": {"alertname": "SourceSilent", "severity": "ticket", "source": "a"},
             "annotations": {"summary": "a is silent"}, "state": "firing",
             "activeAt": "2026-11-29T08:00:00.123456789Z", "value": "1e+00"},
            {"labels": {"alertname": "PutStuck", "severity": "page"}, "annotations": {"summary": "A put is stuck"},
             "state": "pending", "activeAt": "2026-11-29T09:00:00Z", "value": "61"},
            {"labels": {"alertname": "BooksDoNotBalance", "severity": "page"}, "annotations": {},
             "state": "firing", "activeAt": "2026-11-29T09:30:00Z", "value": "1"}]}}"#;
        let alerts = parse(body).unwrap();
        let names: Vec<_> = alerts
            .iter()
            .map(|alert| (&*alert.name, alert.is_page))
            .collect();
        assert_eq!(
            names,
            [("BooksDoNotBalance", true), ("SourceSilent", false)]
        );
        assert_eq!(alerts[1].summary, "a is silent");
        assert_eq!(alerts[1].since.timestamp(), 1_795_939_200);
        parse(b"<html>").unwrap_err();
    }
}
