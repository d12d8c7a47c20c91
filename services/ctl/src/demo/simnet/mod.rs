//! `adfolioctl demo simnet`: a simulated network, for demonstrations and tests.
//!
//! It calls the API with a key as every network does, and serves what it is allotted to visitors who come and click like
//! those of a log. Whatever it reports is marked as simulated for ever.
//!
//! It keeps nothing: allotments that have not ended are listed again after a restart. Those that ended while it was down
//! go back to their plans.

mod supply;
mod world;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use adfolio_money::Micros;
use anyhow::{Context as _, bail};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use clap::Args;
use clap::builder::BoolishValueParser;
use http::Method;
use http::header::{CONTENT_TYPE, HeaderValue};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use self::world::{Slot, Wanted, World};
use crate::api::Api;
use crate::output::{complain, say};
use crate::placement::logs::{self, Priors};
use crate::services::Services;

/// Pause between two rounds.
const POLL: Duration = Duration::from_secs(5);

/// Rounds in a row without an answer after which it gives up.
const UNANSWERED_MAX: u32 = 60;

/// Allotments of a page.
const PAGE: usize = 500;

/// Runs a simulated network, which shows what it is allotted to the visitors of a log
#[derive(Args, Debug)]
pub struct Simnet {
    /// Address of the API, for example http://127.0.0.1:8080/api
    #[arg(long)]
    url: String,
    /// Log of impressions (CSV with a column `timestamp`): visitors come at its times of the week
    #[arg(long)]
    traffic: PathBuf,
    /// Beta distributions of click rates, by item; a placement has those of the item whose number ends its name
    #[arg(long)]
    prior: PathBuf,
    /// Visitors of a placement for each impression of the log
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    volume: u32,
    /// The same seed shows the same of the same allotments
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Must be 1: its reports charge plans for what nobody saw
    #[arg(long, env = "ADFOLIO_DEMO", default_value = "0", action = clap::ArgAction::Set, value_parser = BoolishValueParser::new())]
    demo: bool,
}

/// An allotment, as the API shows it.
#[derive(Clone, Debug, Deserialize)]
struct Allotment {
    #[serde(rename = "allotment_id")]
    id: String,
    plan_number: String,
    placement: String,
    placement_name: String,
    units: u64,
    price: Price,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    report_until: DateTime<Utc>,
}

#[derive(Clone, Debug, Deserialize)]
struct Price {
    model: Model,
    cost: String,
    revenue: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Model {
    Cpm,
    Cpc,
}

#[derive(Debug, Deserialize)]
struct Envelope<T> {
    data: T,
}

#[derive(Debug, Deserialize)]
struct Page {
    items: Vec<Allotment>,
    next: Option<String>,
}

/// What came of a report.
#[derive(Debug, Deserialize)]
struct Outcome {
    applied: u64,
    repeated: u64,
    held: Vec<Row>,
    quarantined: Vec<Row>,
    rejected: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Row {
    reason: String,
}

/// A line of a report.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(rename = "report_id")]
    id: String,
    revision: u32,
    plan_number: String,
    placement: String,
    time: DateTime<Utc>,
    impressions: u64,
    clicks: u64,
    spend: String,
    revenue: String,
}

/// The network at work.
struct Network {
    api: Api,
    key: HeaderValue,
    world: World,
    /// Allotments that are not reported yet, by id.
    open: BTreeMap<String, Allotment>,
    /// Those that are, until they are not listed any more.
    reported: HashSet<String>,
}

impl Simnet {
    /// Runs until an interrupt, or until the API has not answered for minutes.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        if !self.demo {
            bail!(
                "the simulated network runs only in a demonstration, with ADFOLIO_DEMO=1: its reports charge plans for \
                 what nobody saw"
            );
        }
        let priors = Priors::read(&self.prior)?;
        let times = logs::times(&self.traffic)?;
        let world = World::new(self.seed, self.volume, &times, &priors)?;
        let api = Api::new(&self.url)?;
        let mut key = HeaderValue::try_from(supply::register(services).await?)?;
        key.set_sensitive(true);
        say(&format!("the simulated network runs at {}", self.url));
        let mut network = Network {
            api,
            key,
            world,
            open: BTreeMap::new(),
            reported: HashSet::new(),
        };
        let mut unanswered = 0;
        loop {
            match network.round().await {
                Ok(()) => unanswered = 0,
                Err(error) => {
                    unanswered += 1;
                    if unanswered >= UNANSWERED_MAX {
                        return Err(error);
                    }
                    complain(&format!("{error:#}"));
                }
            }
            sleep(POLL).await;
        }
    }
}

impl Network {
    async fn round(&mut self) -> anyhow::Result<()> {
        self.fetch().await?;
        self.report().await
    }

    /// Takes over all allotments that have not ended.
    async fn fetch(&mut self) -> anyhow::Result<()> {
        let mut listed = HashSet::new();
        let mut path = format!("network/allotments?limit={PAGE}");
        loop {
            let request = self.api.request(Method::GET, &path);
            let page: Page = self.call(request, Bytes::new()).await?;
            let count = page.items.len();
            for item in page.items {
                listed.insert(item.id.clone());
                if !self.reported.contains(&item.id) {
                    self.open.insert(item.id.clone(), item);
                }
            }
            match page.next {
                Some(next) if count == PAGE => {
                    path = format!("network/allotments?limit={PAGE}&after={next}");
                }
                _ => break,
            }
        }
        self.reported.retain(|id| listed.contains(id));
        Ok(())
    }

    /// Shows and reports what has ended. Only then everything is known that shares a placement's visitors.
    async fn report(&mut self) -> anyhow::Result<()> {
        let now = Utc::now();
        self.open
            .retain(|_, allotment| allotment.report_until > now);
        let mut slots: BTreeMap<Slot, Vec<Allotment>> = BTreeMap::new();
        for allotment in self.open.values().filter(|allotment| allotment.to <= now) {
            let slot = Slot {
                placement: allotment.placement_name.clone(),
                from: allotment.from,
                to: allotment.to,
            };
            slots.entry(slot).or_default().push(allotment.clone());
        }
        for (slot, mut allotments) in slots {
            allotments.sort_by(|left, right| left.plan_number.cmp(&right.plan_number));
            let lines = self.lines(&slot, &allotments)?;
            let request = self
                .api
                .request(Method::POST, "network/reports")
                .header(CONTENT_TYPE, "application/x-ndjson");
            let outcome: Outcome = self.call(request, lines.into()).await?;
            tell(&slot, &outcome);
            for allotment in allotments {
                self.open.remove(&allotment.id);
                self.reported.insert(allotment.id);
            }
        }
        Ok(())
    }

    /// The reports of a placement's allotments.
    fn lines(&self, slot: &Slot, allotments: &[Allotment]) -> anyhow::Result<String> {
        let wanted: Vec<Wanted> = allotments
            .iter()
            .map(|allotment| match allotment.price.model {
                Model::Cpm => Wanted::Impressions(allotment.units),
                Model::Cpc => Wanted::Clicks(allotment.units),
            })
            .collect();
        let mut lines = String::new();
        for (allotment, shown) in allotments.iter().zip(self.world.show(slot, &wanted)) {
            let price = &allotment.price;
            let (units, per) = match price.model {
                Model::Cpm => (shown.impressions, 1_000),
                Model::Cpc => (shown.clicks, 1),
            };
            let units = i64::try_from(units)?;
            let amount = |price: &str| -> anyhow::Result<String> {
                let price: Micros = price.parse()?;
                Ok(price.ratio_half_even(units, per)?.to_string())
            };
            let report = Report {
                id: allotment.id.clone(),
                revision: 1,
                plan_number: allotment.plan_number.clone(),
                placement: allotment.placement.clone(),
                time: allotment.from,
                impressions: shown.impressions,
                clicks: shown.clicks,
                spend: amount(&price.cost)?,
                revenue: amount(&price.revenue)?,
            };
            lines.push_str(&serde_json::to_string(&report)?);
            lines.push('\n');
        }
        Ok(lines)
    }

    async fn call<T: for<'de> Deserialize<'de>>(
        &self,
        request: http::request::Builder,
        body: Bytes,
    ) -> anyhow::Result<T> {
        let request = request.header("x-network-key", self.key.clone());
        let text = self.api.text(request, body).await?;
        let envelope: Envelope<T> =
            serde_json::from_str(&text).context("not an answer of the API")?;
        Ok(envelope.data)
    }
}

/// Says what came of a report.
fn tell(slot: &Slot, outcome: &Outcome) {
    say(&format!(
        "{}, until {}: {} applied, {} known, {} held, {} quarantined, {} rejected",
        slot.placement,
        slot.to.format("%H:%M:%S"),
        outcome.applied,
        outcome.repeated,
        outcome.held.len(),
        outcome.quarantined.len(),
        outcome.rejected.len()
    ));
    let problems = [&outcome.held, &outcome.quarantined, &outcome.rejected];
    let reasons: HashSet<&str> = problems
        .into_iter()
        .flatten()
        .map(|row| row.reason.as_str())
        .collect();
    for reason in reasons {
        complain(&format!("{}: {reason}", slot.placement));
    }
}
