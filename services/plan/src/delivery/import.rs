//! Importing a file: the stream feeds a reading thread, whose batches are taken one transaction each. All good rows land,
//! bad ones are named. A repeated import changes nothing, so one that broke off is simply made again.

use std::sync::Arc;

use adfolio_kit::audit;
use adfolio_kit::identity::Caller;
use adfolio_kit::outbox::Event;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::import_delivery_request::Part;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tonic::Streaming;

use super::entity::Verdict;
use super::intake::{self, Origin};
use super::mapping::Mapping;
use super::reader::{self, Form, Piece, PieceReader};
use super::row::{self, Line};
use crate::app::App;
use crate::error::PlanError;

/// The largest file.
const LARGEST_FILE: usize = 64 * 1024 * 1024;

/// The largest piece of it.
const LARGEST_PIECE: usize = 1024 * 1024;

/// Pieces and batches that wait for the next stage: what bounds an import's memory.
const QUEUE_LENGTH: usize = 2;

/// Rejected rows that are named: enough to mend a file, and an answer well below the largest gRPC message.
pub(super) const MOST_NAMED: usize = 20_000;

/// What a file is and how it is read.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) form: Form,
    pub(super) source: String,
    pub(super) mapping: Arc<Mapping>,
}

/// Imports a file from a stream: the header, then pieces. That staff imported it is announced with the first batch.
pub async fn run(
    app: &App,
    caller: &Caller,
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
    let act =
        audit::Entry::new("plan.import_delivery", &header.source).event(caller, app.clock.now())?;
    let ((), summary) = tokio::try_join!(
        feed(stream, pieces),
        take_batches(app, &header, batches, act)
    )?;
    Ok(summary)
}

/// Checks what the first message says.
pub(super) fn parse_header(header: &proto::ImportHeader) -> Result<Header, Refusal> {
    let form = match header.format() {
        proto::ImportFormat::Csv => Form::Csv,
        proto::ImportFormat::Jsonl => Form::JsonLines,
        proto::ImportFormat::Unspecified => return Err(Refusal::invalid("format")),
    };
    if !intake::is_source(&header.source) {
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
    mut act: Option<Event>,
) -> Result<proto::ImportDeliveryResponse, PlanError> {
    let mut summary = proto::ImportDeliveryResponse::default();
    while let Some(batch) = batches.recv().await {
        match batch {
            reader::Batch::Lines(lines) => {
                take_batch(app, header, lines, &mut act, &mut summary).await?;
            }
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
    act: &mut Option<Event>,
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
    let taken = intake::take(app, &header.source, Origin::Import, rows, act.take()).await?;
    verdicts.extend(taken);
    verdicts.sort_by_key(|(line, _)| *line);
    for (line, verdict) in verdicts {
        count(summary, line, verdict);
    }
    Ok(())
}

fn count(summary: &mut proto::ImportDeliveryResponse, line: u64, verdict: Verdict) {
    summary.read = summary.read.saturating_add(1);
    let counter = match verdict {
        Verdict::Applied => &mut summary.applied,
        Verdict::Repeated => &mut summary.repeated_rows,
        Verdict::Restated => &mut summary.restated,
        Verdict::Rejected(reason) => {
            if summary.rejected.len() < MOST_NAMED {
                let line = i64::try_from(line).unwrap_or(i64::MAX);
                summary.rejected.push(proto::RejectedRow { line, reason });
            }
            &mut summary.rejected_count
        }
    };
    *counter = counter.saturating_add(1);
}
