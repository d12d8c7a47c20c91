//! Importing a file: the stream feeds a thread that reads it, and its batches are taken one
//! transaction each. All good rows are stored, bad ones are named. A repeated import changes
//! nothing, so an import that broke off is simply repeated.

use std::sync::Arc;

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::{audit, db};
use futures::{Stream, StreamExt};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc::{self, Receiver, Sender};
use uuid::Uuid;

use super::entity::Verdict;
use super::intake::{self, FilePart, Import, Origin};
use super::mapping::Mapping;
use super::reader::{self, Form, Piece, PieceReader};
use super::repo;
use super::row::{self, Line};
use super::summary::Summary;
use crate::app::App;
use crate::error::PlanError;
use crate::ids::ImportId;

/// The largest file.
const LARGEST_FILE: usize = 64 * 1024 * 1024;

/// The largest piece of it.
const LARGEST_PIECE: usize = 1024 * 1024;

/// Pieces and batches that wait for the next stage. This bounds an import's memory.
const QUEUE_LENGTH: usize = 2;

/// What a file is and how it is read.
#[derive(Clone, Debug)]
pub struct Header {
    pub(super) form: Form,
    pub(super) source: String,
    pub(super) mapping: Arc<Mapping>,
}

impl Header {
    /// A file of `form` from `source`, with the JSON of its mapping.
    pub fn new(form: Form, source: String, mapping_json: &str) -> Result<Self, Refusal> {
        if !intake::is_source(&source) {
            return Err(Refusal::invalid("source").detail("1 to 64 of a-z, 0-9, '-' and '_'"));
        }
        let mapping = Arc::new(Mapping::parse(mapping_json)?);
        Ok(Self {
            form,
            source,
            mapping,
        })
    }
}

/// Imports a file from its pieces. The audit entry is written with the first batch.
pub async fn run(
    app: &App,
    caller: &Caller,
    header: Header,
    file: impl Stream<Item = Result<Vec<u8>, Refusal>> + Unpin,
) -> Result<Summary, PlanError> {
    let (pieces, for_reader) = mpsc::channel(QUEUE_LENGTH);
    let (for_batches, batches) = mpsc::channel(QUEUE_LENGTH);
    let (form, mapping) = (header.form, Arc::clone(&header.mapping));
    tokio::task::spawn_blocking(move || {
        reader::read_file(form, PieceReader::new(for_reader), &mapping, &for_batches);
    });
    let id = ImportId(app.ids.next());
    let file_part = first_part(app, caller, &header, id)?;
    let (sha256, summary) = tokio::try_join!(
        feed(file, pieces),
        take_batches(app, &header, batches, file_part)
    )?;
    let now = app.clock.now();
    db::write(&app.pool, move |tx| {
        Box::pin(repo::finish_import_in_tx(tx, id, sha256, now))
    })
    .await?;
    Ok(summary)
}

/// The first part of a file, still without its rows.
fn first_part(
    app: &App,
    caller: &Caller,
    header: &Header,
    id: ImportId,
) -> Result<FilePart, PlanError> {
    let began_at = app.clock.now();
    let entry = audit::Entry::new("plan.import_delivery", &header.source)
        .after(&json!({"import_id": id.to_string()}))?
        .event(caller, began_at)?;
    let import = Import {
        id,
        source: header.source.clone(),
        staff_id: caller.staff.map_or(Uuid::nil(), |staff| staff.id),
        request_id: caller.request_id.clone(),
        began_at,
    };
    Ok(FilePart { import, entry })
}

/// Hands the pieces to the reading thread, and answers the digest of the file. If this ends early, the thread learns that the file is
/// incomplete.
async fn feed(
    mut file: impl Stream<Item = Result<Vec<u8>, Refusal>> + Unpin,
    pieces: Sender<Piece>,
) -> Result<[u8; 32], PlanError> {
    let mut size: usize = 0;
    let mut digest = Sha256::new();
    while let Some(piece) = file.next().await {
        let problem = match piece {
            Ok(piece) => {
                size = size.saturating_add(piece.len());
                if piece.len() <= LARGEST_PIECE && size <= LARGEST_FILE {
                    digest.update(&piece);
                    // The receiver is gone only if a batch failed, which is then the answer.
                    if pieces.send(Ok(piece)).await.is_err() {
                        break;
                    }
                    continue;
                }
                Refusal::new(Reason::FileTooLarge).field("file")
            }
            Err(refusal) => refusal,
        };
        let _ = pieces.send(Err(())).await;
        return Err(problem.into());
    }
    Ok(digest.finalize().into())
}

async fn take_batches(
    app: &App,
    header: &Header,
    mut batches: Receiver<reader::Batch>,
    mut part: FilePart,
) -> Result<Summary, PlanError> {
    let mut summary = Summary::default();
    while let Some(batch) = batches.recv().await {
        match batch {
            reader::Batch::Lines(lines) => {
                take_batch(app, header, lines, &mut part, &mut summary).await?;
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
    part: &mut FilePart,
    summary: &mut Summary,
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
    let taken_part = FilePart {
        import: part.import.clone(),
        entry: part.entry.take(),
    };
    let taken = intake::take(app, &header.source, Origin::Import, rows, Some(taken_part)).await?;
    verdicts.extend(taken);
    verdicts.sort_by_key(|(line, _)| *line);
    for (line, verdict) in verdicts {
        summary.read = summary.read.saturating_add(1);
        summary.add(line, verdict);
    }
    Ok(())
}
