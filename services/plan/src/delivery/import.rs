//! Importing a file: the stream feeds a thread that reads it, and its batches are staged one
//! transaction each. All good rows are proposed, bad ones are named. A repeated import changes
//! nothing, so an import that broke off is simply repeated. With an idempotency key the same file
//! answers its first proposal, whatever became of it since.

use std::sync::Arc;

use adfolio_kit::db;
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::signing_key::Kid;
use futures::{Stream, StreamExt};
use sha2::{Digest, Sha256};
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::entity::{Origin, Verdict};
use super::intake;
use super::mapping::Mapping;
use super::proposal::{self, Beginning, End, Notable, State, Tally, Totals};
use super::reader::{self, FILE_BATCH, Form, Piece, PieceReader};
use super::row::{self, Line};
use super::summary::Summary;
use crate::app::App;
use crate::error::PlanError;
use crate::ids::ImportId;
use crate::source;

/// The largest file.
const LARGEST_FILE: usize = 64 * 1024 * 1024;

/// The largest piece of it.
const LARGEST_PIECE: usize = 1024 * 1024;

/// Pieces and batches that wait for the next stage. This bounds an import's memory.
pub(super) const QUEUE_LENGTH: usize = 2;

/// What a file is and how it is read.
#[derive(Clone, Debug)]
pub struct Header {
    pub(super) form: Form,
    pub(super) source: String,
    pub(super) mapping: Arc<Mapping>,
    mapping_json: String,
    is_dry_run: bool,
    signature: Vec<u8>,
}

impl Header {
    /// A file of `form` from `source`, with the JSON of its mapping.
    pub fn new(form: Form, source: String, mapping_json: &str) -> Result<Self, Refusal> {
        if !source::is_name(&source) {
            return Err(Refusal::invalid("source").detail(source::NAME_FORM));
        }
        let mapping = Arc::new(Mapping::parse(mapping_json)?);
        Ok(Self {
            form,
            source,
            mapping,
            mapping_json: mapping_json.to_owned(),
            is_dry_run: false,
            signature: Vec::new(),
        })
    }

    /// Only to be looked at.
    #[must_use]
    pub fn dry_run(self, is_dry_run: bool) -> Self {
        Self { is_dry_run, ..self }
    }

    /// Signed by the source; empty for not.
    #[must_use]
    pub fn signed(self, signature: Vec<u8>) -> Self {
        Self { signature, ..self }
    }

    /// SHA-256 over everything that the same import has in common.
    fn request_digest(&self, sha256: [u8; 32]) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(sha256);
        digest.update(self.form.as_str());
        digest.update([0]);
        digest.update(&self.source);
        digest.update([0]);
        digest.update(&self.mapping_json);
        digest.finalize().into()
    }
}

/// What becomes of a file.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The import that stands for it: an earlier one where the same file waits already. None of a dry run.
    pub id: Option<ImportId>,
    /// Whether its rows are taken, or wait; of a dry run, whether they would.
    pub state: State,
    /// SHA-256 of the file.
    pub sha256: [u8; 32],
    /// What becomes of its rows: what became of them where they are taken, else what would.
    pub summary: Summary,
    /// What the rows add up to that change anything.
    pub totals: Totals,
    /// What stands out.
    pub notable: Vec<Notable>,
    /// The key that signed the file.
    pub signed_by: Option<Kid>,
}

/// Reads a file from its pieces and proposes what it brings; takes it at once where that needs no second person. A file
/// that breaks off changes nothing. `encode` makes the answer that a key keeps.
pub async fn run(
    app: &App,
    caller: &Caller,
    header: Header,
    file: impl Stream<Item = Result<Vec<u8>, Refusal>> + Unpin,
    encode: fn(&Outcome) -> Vec<u8>,
) -> Result<Answer<Outcome>, PlanError> {
    source::admit_file(app, &header.source, &header.signature).await?;
    let (pieces, for_reader) = mpsc::channel(QUEUE_LENGTH);
    let (for_batches, batches) = mpsc::channel(QUEUE_LENGTH);
    let (form, mapping) = (header.form, Arc::clone(&header.mapping));
    tokio::task::spawn_blocking(move || {
        let batches = (FILE_BATCH, &for_batches);
        reader::read_file(form, PieceReader::new(for_reader), &mapping, batches);
    });
    let import = proposal::beginning(app, caller, header.source.clone(), Origin::Import);
    let (sha256, (summary, tally)) = tokio::try_join!(
        feed(file, pieces),
        stage_batches(app, &header, batches, &import)
    )?;
    let now = app.clock.now();
    let signer = source::signer(app, &header.source, sha256, &header.signature).await?;
    let (totals, mut notable) = (tally.totals()?, tally.notable());
    if let Some(key) = signer
        .as_ref()
        .filter(|key| key.is_new(import.staff_id, now))
    {
        notable.insert(0, Notable::new_key(key));
    }
    let signed_by = signer.map(|key| key.kid);
    let state = proposal::state_of(app, &totals, &notable);
    let outcome = Outcome {
        id: None,
        state,
        sha256,
        summary,
        totals,
        notable,
        signed_by,
    };
    if header.is_dry_run {
        return Ok(Answer::Made(outcome));
    }
    let request_sha256 = header.request_digest(sha256);
    let once = Once::keeping(caller, import.staff_id, request_sha256, encode);
    let end = End {
        state,
        sha256: Some(sha256),
        request_sha256,
        read: outcome.summary.read,
        quarantined: outcome.summary.quarantined_count,
        totals,
        notable: outcome.notable.clone(),
        signed_by: outcome.signed_by.clone(),
        now,
    };
    let plan_numbers = tally.plan_numbers().map(str::to_owned).collect();
    let answer = proposal::end(app, caller, (&import, once), end, plan_numbers, outcome).await?;
    match answer {
        Answer::Made(outcome) => Ok(Answer::Made(carry_out(app, caller, outcome).await?)),
        kept @ Answer::Kept(_) => Ok(kept),
    }
}

/// Moves what the gate found, and takes the rows of an import that is released already.
async fn carry_out(app: &App, caller: &Caller, mut outcome: Outcome) -> Result<Outcome, PlanError> {
    let Some(id) = outcome.id else {
        return Ok(outcome);
    };
    let quarantined = outcome.summary.quarantined_count;
    if quarantined > 0 {
        proposal::move_found_within(app, caller, id).await?;
    }
    if outcome.state == State::Released && (outcome.totals.plans > 0 || quarantined > 0) {
        proposal::take_within(app, caller, id).await?;
        outcome.summary.take(&proposal::find(app, id).await?);
    }
    Ok(outcome)
}

/// Hands the pieces to the reading thread, and answers the digest of the file. If this ends early, the thread learns that
/// the file is incomplete.
pub(super) async fn feed(
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

async fn stage_batches(
    app: &App,
    header: &Header,
    mut batches: Receiver<reader::Batch>,
    import: &Beginning,
) -> Result<(Summary, Tally), PlanError> {
    let (mut summary, mut tally) = (Summary::default(), Tally::default());
    while let Some(batch) = batches.recv().await {
        match batch {
            reader::Batch::Lines(lines) => {
                tally = stage_batch(app, header, lines, import, (&mut summary, tally)).await?;
            }
            reader::Batch::Unreadable(problem) => {
                return Err(Refusal::invalid("mapping").detail(problem).into());
            }
        }
    }
    Ok((summary, tally))
}

async fn stage_batch(
    app: &App,
    header: &Header,
    lines: Vec<Line>,
    import: &Beginning,
    (summary, mut tally): (&mut Summary, Tally),
) -> Result<Tally, PlanError> {
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
    let (import, is_dry_run) = (import.clone(), header.is_dry_run);
    let (examined, tally) = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let (examined, found) =
                intake::examine_in_tx(tx, &import.source, &rows, &mut tally, now).await?;
            if !is_dry_run {
                proposal::stage_in_tx(tx, &import, &rows, &examined, &found).await?;
            }
            let lines = rows.iter().map(|row| row.line);
            Ok::<_, PlanError>((lines.zip(examined).collect::<Vec<_>>(), tally))
        })
    })
    .await?;
    verdicts.extend(examined);
    verdicts.sort_by_key(|(line, _)| *line);
    for (line, verdict) in verdicts {
        summary.read = summary.read.saturating_add(1);
        summary.add(line, verdict);
    }
    Ok(tally)
}
