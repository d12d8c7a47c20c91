//! A dry run of an import: reads a whole file by the same steps, up to where the database would be
//! used.

use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};
use tokio::sync::mpsc;

use super::import::Header;
use super::reader::{self, Batch, FILE_BATCH, Form, PieceReader};
use super::row::{self, Line};

/// The source that a dry run names.
const SOURCE: &str = "dry-run";

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
pub struct DryRun {
    /// Lines of the rows that have the form of a report.
    pub taken: Vec<u64>,
    /// The others, and why.
    pub rejected: Vec<(u64, String)>,
    /// Why the rest of the file cannot be read.
    pub unreadable: Option<String>,
}

/// Reads `file` in pieces of `piece_bytes`. Blocks: do not call it on a runtime's thread.
pub fn dry_run(
    form: Form,
    mapping_json: &str,
    file: &[u8],
    piece_bytes: usize,
    now: DateTime<Utc>,
) -> Result<DryRun, Refusal> {
    let Header {
        form,
        source,
        mapping,
        ..
    } = Header::new(form, SOURCE.to_owned(), mapping_json)?;
    let pieces = file.chunks(piece_bytes.max(1));
    let (give, taken) = mpsc::channel(pieces.len().max(1));
    for piece in pieces {
        // There is room for all of them.
        let _ = give.try_send(Ok(piece.to_vec()));
    }
    drop(give);
    // A line has at least one byte, and the last lines are a batch, too.
    let batches_max = file.len().div_ceil(FILE_BATCH).saturating_add(2);
    let (give, mut batches) = mpsc::channel(batches_max);
    reader::read_file(form, PieceReader::new(taken), &mapping, (FILE_BATCH, &give));
    drop(give);

    let mut outcome = DryRun {
        taken: Vec::new(),
        rejected: Vec::new(),
        unreadable: None,
    };
    while let Some(batch) = batches.blocking_recv() {
        match batch {
            Batch::Unreadable(problem) => outcome.unreadable = Some(problem),
            Batch::Lines(lines) => {
                for line in lines {
                    match line {
                        Line::Broken { line, reason } => outcome.rejected.push((line, reason)),
                        Line::Row(raw) => match row::read(&raw, &mapping, &source, now) {
                            Ok(report) => outcome.taken.push(report.line),
                            Err(reason) => outcome.rejected.push((raw.line, reason)),
                        },
                    }
                }
            }
        }
    }
    Ok(outcome)
}
