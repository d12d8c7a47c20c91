//! Reports as a stream: taken in batches of what has arrived. All good reports are stored, even if
//! the stream breaks off later; a repeated stream changes nothing.

use adfolio_kit::refusal::Refusal;
use futures::{Stream, StreamExt};

use super::entity::{Origin, Verdict};
use super::intake;
use super::report::Sent;
use super::row::Reported;
use super::summary::Summary;
use crate::app::App;
use crate::error::PlanError;
use crate::source;

/// Reports of a batch at most.
const BATCH: usize = 1_000;

/// Reports of a stream at most; then a network opens another one.
const MOST_REPORTS: i64 = 10_000_000;

/// A report and the network that sent it.
#[derive(Debug)]
pub struct FromNetwork {
    /// The network.
    pub source: String,
    /// The report.
    pub report: Sent,
}

/// The stream ended before its end.
#[derive(Clone, Copy, Debug)]
pub struct BrokenOff;

/// Takes a stream of reports until its end.
pub async fn run(
    app: &App,
    reports: impl Stream<Item = Result<FromNetwork, BrokenOff>>,
) -> Result<Summary, PlanError> {
    let refused = |detail: &str| Refusal::invalid("stream").detail(detail);
    let mut summary = Summary::default();
    let mut batches = std::pin::pin!(reports.ready_chunks(BATCH));
    while let Some(batch) = batches.next().await {
        let mut reports = Vec::with_capacity(batch.len());
        let mut broken_off = false;
        for report in batch {
            match report {
                Ok(report) => reports.push(report),
                Err(BrokenOff) => broken_off = true,
            }
        }
        take_batch(app, reports, &mut summary).await?;
        if broken_off {
            return Err(refused("the stream broke off").into());
        }
        if summary.read >= MOST_REPORTS {
            return Err(refused("the stream is too long").into());
        }
    }
    Ok(summary)
}

/// Takes reports that arrived together, source by source, in their order.
async fn take_batch(
    app: &App,
    reports: Vec<FromNetwork>,
    summary: &mut Summary,
) -> Result<(), PlanError> {
    let now = app.clock.now();
    let mut pending: Vec<Reported> = Vec::new();
    let mut pending_source = String::new();
    for FromNetwork { source, report } in reports {
        summary.read = summary.read.saturating_add(1);
        let place = summary.read.unsigned_abs();
        if !source::is_name(&source) {
            let reason = format!("source is not {}", source::NAME_FORM);
            summary.add(place, Verdict::Rejected(reason));
            continue;
        }
        if source != pending_source {
            flush(app, &pending_source, &mut pending, summary).await?;
            pending_source = source;
        }
        match report.read(&pending_source, place, now) {
            Ok(report) => pending.push(report),
            Err(reason) => summary.add(place, Verdict::Rejected(reason)),
        }
    }
    flush(app, &pending_source, &mut pending, summary).await
}

async fn flush(
    app: &App,
    source: &str,
    pending: &mut Vec<Reported>,
    summary: &mut Summary,
) -> Result<(), PlanError> {
    let rows = std::mem::take(pending);
    if rows.is_empty() {
        return Ok(());
    }
    for (place, verdict) in intake::take(app, (source, Origin::Network, false), rows).await? {
        summary.add(place, verdict);
    }
    Ok(())
}
