//! Reports that a network sends as lines of JSON. All good ones are taken at once, batch by batch, even if the rest breaks
//! off; a repeat changes nothing.

use std::sync::Arc;

use adfolio_kit::refusal::Refusal;
use futures::Stream;
use tokio::sync::mpsc::{self, Receiver};

use super::entity::{Origin, Verdict};
use super::import::{QUEUE_LENGTH, feed};
use super::intake;
use super::mapping::Mapping;
use super::reader::{self, Batch, Form, PieceReader, TAKEN_BATCH};
use super::row::{self, Line};
use super::summary::Summary;
use crate::app::App;
use crate::error::PlanError;

/// What became of a network's lines.
#[derive(Debug)]
pub struct Taken {
    /// SHA-256 of the lines.
    pub sha256: [u8; 32],
    pub summary: Summary,
}

/// Takes lines from their pieces.
pub async fn run(
    app: &App,
    source: &str,
    pieces: impl Stream<Item = Result<Vec<u8>, Refusal>> + Unpin,
) -> Result<Taken, PlanError> {
    let (for_reader, from_feed) = mpsc::channel(QUEUE_LENGTH);
    let (for_batches, batches) = mpsc::channel(QUEUE_LENGTH);
    let mapping = Arc::new(Mapping::plain());
    let reading = Arc::clone(&mapping);
    tokio::task::spawn_blocking(move || {
        reader::read_file(
            Form::JsonLines,
            PieceReader::new(from_feed),
            &reading,
            (TAKEN_BATCH, &for_batches),
        );
    });
    let (sha256, summary) = tokio::try_join!(
        feed(pieces, for_reader),
        take_batches(app, source, &mapping, batches)
    )?;
    Ok(Taken { sha256, summary })
}

async fn take_batches(
    app: &App,
    source: &str,
    mapping: &Mapping,
    mut batches: Receiver<Batch>,
) -> Result<Summary, PlanError> {
    let mut summary = Summary::default();
    while let Some(batch) = batches.recv().await {
        match batch {
            Batch::Lines(lines) => take_batch(app, source, mapping, lines, &mut summary).await?,
            Batch::Unreadable(problem) => {
                return Err(Refusal::invalid("file").detail(problem).into());
            }
        }
    }
    Ok(summary)
}

async fn take_batch(
    app: &App,
    source: &str,
    mapping: &Mapping,
    lines: Vec<Line>,
    summary: &mut Summary,
) -> Result<(), PlanError> {
    let now = app.clock.now();
    let mut verdicts: Vec<(u64, Verdict)> = Vec::with_capacity(lines.len());
    let mut rows = Vec::with_capacity(lines.len());
    for line in lines {
        match line {
            Line::Broken { line, reason } => verdicts.push((line, Verdict::Rejected(reason))),
            // Without an id of its own a repeat of it would count twice.
            Line::Row(raw) if !raw.has(super::mapping::Field::ReportId) => {
                let reason = "report_id is missing".to_owned();
                verdicts.push((raw.line, Verdict::Rejected(reason)));
            }
            Line::Row(raw) => match row::read(&raw, mapping, source, now) {
                Ok(reported) => rows.push(reported),
                Err(reason) => verdicts.push((raw.line, Verdict::Rejected(reason))),
            },
        }
    }
    if !rows.is_empty() {
        verdicts.extend(intake::take(app, (source, Origin::Network, true), rows).await?);
    }
    verdicts.sort_by_key(|(line, _)| *line);
    for (line, verdict) in verdicts {
        summary.read = summary.read.saturating_add(1);
        summary.add(line, verdict);
    }
    Ok(())
}
