//! Importing a file: the stream feeds a reading thread, whose batches are taken one transaction each. All good rows land,
//! bad ones are named. A repeated import changes nothing, so one that broke off is simply made again.

use std::sync::Arc;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::import_delivery_request::Part;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tonic::Streaming;

use super::entity::{Batch, Verdict};
use super::mapping::Mapping;
use super::reader::{self, Form, Piece, PieceReader};
use super::repo;
use super::row::{self, Line, Reported};
use crate::app::App;
use crate::error::PlanError;
use crate::{order, settlement, statistics};

/// The largest file.
const LARGEST_FILE: usize = 64 * 1024 * 1024;

/// The largest piece of it.
const LARGEST_PIECE: usize = 1024 * 1024;

/// Pieces and batches that wait for the next stage: what bounds an import's memory.
const QUEUE_LENGTH: usize = 2;

/// Rejected rows that are named: enough to mend a file, and an answer well below the largest gRPC message.
const MOST_NAMED: usize = 20_000;

/// Reports that are looked at together when budget becomes free.
const REFILL_BATCH: i64 = 500;

/// Where these reports come from, as plans show it.
const ORIGIN: &str = "import";

/// What a file is and how it is read.
#[derive(Clone, Debug)]
struct Header {
    form: Form,
    source: String,
    mapping: Arc<Mapping>,
}

/// Imports a file from a stream: the header, then pieces.
pub async fn run(
    app: &App,
    mut stream: Streaming<proto::ImportDeliveryRequest>,
) -> Result<proto::ImportDeliveryResponse, PlanError> {
    let first = stream
        .message()
        .await
        .map_err(|_| broken_off())?
        .and_then(|message| message.part);
    let Some(Part::Header(header)) = first else {
        return Err(Refusal::invalid("file")
            .detail("the first message is not the header")
            .into());
    };
    let header = parse_header(&header)?;
    let (pieces, for_reader) = mpsc::channel(QUEUE_LENGTH);
    let (for_batches, batches) = mpsc::channel(QUEUE_LENGTH);
    let (form, mapping) = (header.form, Arc::clone(&header.mapping));
    tokio::task::spawn_blocking(move || {
        reader::read_file(form, PieceReader::new(for_reader), &mapping, &for_batches);
    });
    let ((), summary) =
        tokio::try_join!(feed(stream, pieces), take_batches(app, &header, batches))?;
    Ok(summary)
}

fn parse_header(header: &proto::ImportHeader) -> Result<Header, Refusal> {
    let form = match header.format() {
        proto::ImportFormat::Csv => Form::Csv,
        proto::ImportFormat::Jsonl => Form::JsonLines,
        proto::ImportFormat::Unspecified => return Err(Refusal::invalid("format")),
    };
    let is_letter =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    if !(1..=64).contains(&header.source.len()) || !header.source.bytes().all(is_letter) {
        return Err(Refusal::invalid("source").detail("1 to 64 of a-z, 0-9, '-' and '_'"));
    }
    let mapping = Arc::new(Mapping::parse(&header.mapping_json)?);
    Ok(Header {
        form,
        source: header.source.clone(),
        mapping,
    })
}

fn broken_off() -> PlanError {
    Refusal::invalid("file")
        .detail("the stream broke off")
        .into()
}

/// Hands the stream's pieces to the reading thread. However this ends early, the thread learns that the file is not whole.
async fn feed(
    mut stream: Streaming<proto::ImportDeliveryRequest>,
    pieces: Sender<Piece>,
) -> Result<(), PlanError> {
    let mut size: usize = 0;
    loop {
        let problem = match stream.message().await {
            Ok(None) => return Ok(()),
            Ok(Some(proto::ImportDeliveryRequest {
                part: Some(Part::Chunk(piece)),
            })) => {
                size = size.saturating_add(piece.len());
                if piece.len() <= LARGEST_PIECE && size <= LARGEST_FILE {
                    // Nobody listens any more only when the batches failed, and they say why.
                    if pieces.send(Ok(piece)).await.is_err() {
                        return Ok(());
                    }
                    continue;
                }
                Refusal::new(Reason::FileTooLarge).field("file").into()
            }
            Ok(Some(_)) => Refusal::invalid("file")
                .detail("a message is no piece of the file")
                .into(),
            Err(_) => broken_off(),
        };
        let _ = pieces.send(Err(())).await;
        return Err(problem);
    }
}

async fn take_batches(
    app: &App,
    header: &Header,
    mut batches: Receiver<reader::Batch>,
) -> Result<proto::ImportDeliveryResponse, PlanError> {
    let mut summary = proto::ImportDeliveryResponse::default();
    while let Some(batch) = batches.recv().await {
        match batch {
            reader::Batch::Lines(lines) => take_batch(app, header, lines, &mut summary).await?,
            reader::Batch::Unreadable(problem) => {
                return Err(Refusal::invalid("mapping").detail(problem).into());
            }
        }
    }
    Ok(summary)
}

async fn take_batch(
    app: &App,
    header: &Header,
    lines: Vec<Line>,
    summary: &mut proto::ImportDeliveryResponse,
) -> Result<(), PlanError> {
    let now = app.clock.now();
    let mut verdicts: Vec<(u64, Verdict)> = Vec::with_capacity(lines.len());
    let mut rows = Vec::with_capacity(lines.len());
    for line in lines {
        match line {
            Line::Broken { line, reason } => verdicts.push((line, Verdict::Rejected(reason))),
            Line::Row(raw) => match row::read(&raw, &header.mapping, &header.source, now) {
                Ok(reported) => rows.push(reported),
                Err(reason) => verdicts.push((raw.line, Verdict::Rejected(reason))),
            },
        }
    }
    let (rows, source, delay) = (
        Arc::new(rows),
        header.source.clone(),
        app.rules.settlement_delay,
    );
    let taken = db::write_retrying(&app.pool, PlanError::database, move |tx| {
        let (rows, source) = (Arc::clone(&rows), source.clone());
        Box::pin(async move { take_rows_in_tx(tx, &source, &rows, now, delay).await })
    })
    .await?;
    settlement::wake(app);
    app.relay.wake();
    verdicts.extend(taken);
    verdicts.sort_by_key(|(line, _)| *line);
    for (line, verdict) in verdicts {
        count(summary, line, verdict);
    }
    Ok(())
}

/// Takes rows in the order of the file: reports, plans, roll-ups, events and work for the ledger in one transaction.
async fn take_rows_in_tx(
    tx: &mut Tx,
    source: &str,
    rows: &[Reported],
    now: DateTime<Utc>,
    settlement_delay: TimeDelta,
) -> Result<Vec<(u64, Verdict)>, PlanError> {
    repo::lock_source_in_tx(tx, source).await?;
    let mut numbers: Vec<String> = rows.iter().map(|row| row.plan_number.clone()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let ids = repo::ids_of_numbers_in_tx(tx, &numbers).await?;
    let orders = order::repo::lock_many_in_tx(tx, &ids).await?;
    let report_ids: Vec<String> = rows.iter().map(|row| row.report_id.clone()).collect();
    let known = repo::known_in_tx(tx, source, &report_ids).await?;
    let mut batch = Batch::new(orders, known);
    let mut verdicts = Vec::with_capacity(rows.len());
    for row in rows {
        verdicts.push((row.line, batch.take(source, row.clone())?));
    }
    let changed = batch.changed_reports();
    if changed.is_empty() {
        return Ok(verdicts);
    }
    repo::upsert_in_tx(tx, &changed, ORIGIN, now).await?;
    refill_in_tx(tx, &mut batch).await?;
    let outcome = batch.finish(ORIGIN, now, settlement_delay)?;
    statistics::roll_up_in_tx(tx, &outcome.changes).await?;
    repo::save_orders_in_tx(tx, &outcome.orders, ORIGIN).await?;
    let order_of = |id| outcome.orders.iter().find(|order| order.id == id);
    let steps = outcome
        .steps
        .iter()
        .filter_map(|(id, step)| order_of(*id).map(|order| (order, step.clone())));
    order::record_in_tx(tx, &steps.collect::<Vec<_>>()).await?;
    let changed_ids: Vec<_> = outcome.orders.iter().map(|order| order.id).collect();
    settlement::enqueue_in_tx(tx, &changed_ids).await?;
    Ok(verdicts)
}

/// Gives budget that restatements freed to reports that were over it.
async fn refill_in_tx(tx: &mut Tx, batch: &mut Batch) -> Result<(), PlanError> {
    for order_id in batch.plans_to_refill()? {
        loop {
            let candidates = repo::not_charged_in_tx(tx, order_id, REFILL_BATCH).await?;
            let changed = batch.refill(order_id, candidates)?;
            if changed.is_empty() {
                break;
            }
            repo::update_charged_in_tx(tx, &changed).await?;
        }
    }
    Ok(())
}

fn count(summary: &mut proto::ImportDeliveryResponse, line: u64, verdict: Verdict) {
    summary.read = summary.read.saturating_add(1);
    let (name, counter) = match verdict {
        Verdict::Applied => ("applied", &mut summary.applied),
        Verdict::Repeated => ("repeated", &mut summary.repeated_rows),
        Verdict::Restated => ("restated", &mut summary.restated),
        Verdict::Rejected(reason) => {
            if summary.rejected.len() < MOST_NAMED {
                let line = i64::try_from(line).unwrap_or(i64::MAX);
                summary.rejected.push(proto::RejectedRow { line, reason });
            }
            ("rejected", &mut summary.rejected_count)
        }
    };
    *counter = counter.saturating_add(1);
    metrics::counter!("plan_delivery_rows_total", "verdict" => name).increment(1);
}
