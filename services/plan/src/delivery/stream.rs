//! Reports as a gRPC stream: taken in batches of what has arrived. All good ones land, also when the stream breaks off later;
//! a stream that is sent again changes nothing.

use adfolio_kit::refusal::Refusal;
use adfolio_proto::plan::v1 as proto;
use futures::StreamExt;
use tonic::Streaming;

use super::entity::Verdict;
use super::import::MOST_NAMED;
use super::intake::{self, Origin};
use super::report::Sent;
use super::row::Reported;
use crate::app::App;
use crate::error::PlanError;

/// Reports of a batch at most.
const BATCH: usize = 1_000;

/// Reports of a stream at most; a network opens another one then.
const MOST_REPORTS: i64 = 10_000_000;

/// Takes a stream of reports until its end.
pub async fn run(
    app: &App,
    stream: Streaming<proto::ReportDeliveryRequest>,
) -> Result<proto::ReportDeliveryResponse, PlanError> {
    let mut summary = proto::ReportDeliveryResponse::default();
    let mut batches = stream.ready_chunks(BATCH);
    while let Some(batch) = batches.next().await {
        let mut reports = Vec::with_capacity(batch.len());
        let mut broken_off = false;
        for message in batch {
            match message {
                Ok(report) => reports.push(report),
                Err(_) => broken_off = true,
            }
        }
        take_batch(app, reports, &mut summary).await?;
        if broken_off {
            return Err(Refusal::invalid("stream")
                .detail("the stream broke off")
                .into());
        }
        if summary.read >= MOST_REPORTS {
            return Err(Refusal::invalid("stream")
                .detail("the stream is too long")
                .into());
        }
    }
    Ok(summary)
}

/// Takes reports that arrived together, source by source, in their order.
async fn take_batch(
    app: &App,
    reports: Vec<proto::ReportDeliveryRequest>,
    summary: &mut proto::ReportDeliveryResponse,
) -> Result<(), PlanError> {
    let now = app.clock.now();
    let mut pending: Vec<Reported> = Vec::new();
    let mut pending_source = String::new();
    for message in reports {
        summary.read = summary.read.saturating_add(1);
        let place = summary.read.unsigned_abs();
        let source = message.source.clone();
        if !intake::is_source(&source) {
            let reason = "source is not 1 to 64 of a-z, 0-9, '-' and '_'".to_owned();
            note(summary, place, Verdict::Rejected(reason));
            continue;
        }
        if source != pending_source {
            flush(app, &pending_source, &mut pending, summary).await?;
            pending_source = source;
        }
        match Sent::from(message).read(&pending_source, place, now) {
            Ok(report) => pending.push(report),
            Err(reason) => note(summary, place, Verdict::Rejected(reason)),
        }
    }
    flush(app, &pending_source, &mut pending, summary).await
}

async fn flush(
    app: &App,
    source: &str,
    pending: &mut Vec<Reported>,
    summary: &mut proto::ReportDeliveryResponse,
) -> Result<(), PlanError> {
    let rows = std::mem::take(pending);
    if rows.is_empty() {
        return Ok(());
    }
    for (place, verdict) in intake::take(app, source, Origin::Network, rows, None).await? {
        note(summary, place, verdict);
    }
    Ok(())
}

fn note(summary: &mut proto::ReportDeliveryResponse, place: u64, verdict: Verdict) {
    let counter = match verdict {
        Verdict::Applied => &mut summary.applied,
        Verdict::Repeated => &mut summary.repeated_reports,
        Verdict::Restated => &mut summary.restated,
        Verdict::Rejected(reason) => {
            if summary.rejected.len() < MOST_NAMED {
                let line = i64::try_from(place).unwrap_or(i64::MAX);
                summary.rejected.push(proto::RejectedRow { line, reason });
            }
            &mut summary.rejected_count
        }
    };
    *counter = counter.saturating_add(1);
}
