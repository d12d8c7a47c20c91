//! Imports as proposals: what a file brings is staged, added up and shown, and a second member of staff releases it.
//! What a network reports above a limit of the product waits likewise.
//!
//! | step | transaction |
//! |---|---|
//! | rows arrive | one for each batch: staged |
//! | the file ends | one: totals, what stands out, audit entry; `proposed`, or `released` at once where that is allowed |
//! | rows in which the gate found something go to [`quarantine`] | one for each batch |
//! | a second member decides | one: decision and audit entry |
//! | the rows of a released import are taken | one for each batch, its staged rows deleted, its users' logs written; after a crash [`sweep`] goes on |
//!
//! A proposal changes nothing but itself. The lock of an import's row precedes those of the [`intake`].

pub mod entity;
mod repo;

use adfolio_kit::audit::{self, Actor};
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::outbox;
use adfolio_kit::refusal::{Refusal, chain};
use adfolio_kit::signing_key::Kid;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tracing::warn;
use uuid::Uuid;

pub use entity::{Choice, Import, Notable, State, Tally, Totals};
pub use repo::{Beginning, End};

use super::entity::{Origin, Verdict as RowVerdict};
use super::import::Outcome;
use super::intake::{self, Intake, Times};
use super::row::Reported;
use crate::app::App;
use crate::error::PlanError;
use crate::gate::Found;
use crate::ids::{BatchId, ImportId};
use crate::{placement, quarantine, settlement, source};
use entity::{LIFETIME, Rejection, Taken, Verdict};

/// Rows of a released import that one transaction takes.
const TAKE_BATCH: i64 = 1_000;

/// Rows that could not be taken and are named.
const MOST_REJECTIONS: usize = 200;

/// A file that has not arrived for so long never will: longer than any import may take.
const READING_LIMIT: TimeDelta = TimeDelta::minutes(30);

/// Imports that one sweep goes on with.
const SWEEP_BATCH: i64 = 20;

/// Plans that an audit entry names.
const MOST_NAMED_PLANS: usize = 20;

/// Stages those rows of a file that would change anything, or wait in quarantine, by the verdict on each.
pub(super) async fn stage_in_tx(
    tx: &mut Tx,
    import: &Beginning,
    rows: &[Reported],
    verdicts: &[RowVerdict],
    found: &Found,
) -> Result<(), PlanError> {
    let changes = |verdict: &RowVerdict| {
        matches!(
            verdict,
            RowVerdict::Applied | RowVerdict::Restated | RowVerdict::Quarantined(_)
        )
    };
    let staged: Vec<&Reported> = rows
        .iter()
        .zip(verdicts)
        .filter_map(|(row, verdict)| changes(verdict).then_some(row))
        .collect();
    if staged.is_empty() {
        return Ok(());
    }
    repo::begin_in_tx(tx, import).await?;
    repo::stage_in_tx(tx, import.id, &staged, found).await
}

/// Ends the reading of a file; the outcome names the import that stands for it, which is an earlier one if the same was
/// proposed before. A repeated key answers what it did the first time.
pub(super) async fn end(
    app: &App,
    caller: &Caller,
    (import, once): (&Beginning, Once<Outcome>),
    end: End,
    plan_numbers: Vec<String>,
    mut outcome: Outcome,
) -> Result<Answer<Outcome>, PlanError> {
    let (import, caller) = (import.clone(), caller.clone());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let earlier = once.earlier_in_tx(tx).await?;
            super::repo::lock_source_in_tx(tx, &import.source).await?;
            // A file that brings nothing staged nothing, and is still an import.
            repo::begin_in_tx(tx, &import).await?;
            let known = match end.state {
                State::Proposed => repo::find_open_in_tx(tx, &end.request_sha256).await?,
                _ => None,
            };
            if earlier.is_some() || known.is_some() {
                let again = End {
                    state: State::Repeated,
                    ..end
                };
                repo::end_in_tx(tx, import.id, &again).await?;
                outcome.id = known;
                return match earlier {
                    Some(earlier) => Ok(earlier),
                    None => Ok(once.keep_in_tx(tx, outcome).await?),
                };
            }
            repo::end_in_tx(tx, import.id, &end).await?;
            if end.totals.plans == 0 && end.quarantined == 0 {
                repo::done_in_tx(tx, import.id, end.now).await?;
            }
            audit::Entry::new("plan.import_delivery", &import.source)
                .after(&audited_end(&import, &end, &plan_numbers))?
                .record_in_tx(tx, &caller, end.now)
                .await?;
            outcome.id = Some(import.id);
            Ok(once.keep_in_tx(tx, outcome).await?)
        })
    })
    .await
}

/// What the audit log says of an import that was read.
fn audited_end(import: &Beginning, end: &End, plan_numbers: &[String]) -> serde_json::Value {
    json!({
        "import_id": import.id.to_string(),
        "state": end.state.as_str(),
        "sha256": end.sha256.map(hex::encode),
        "rows": end.read,
        "totals": audited_totals(&end.totals),
        "plan_numbers": plan_numbers.iter().take(MOST_NAMED_PLANS).collect::<Vec<_>>(),
        "notable": end.notable.len(),
        "quarantined": end.quarantined,
        "signed_by_kid": end.signed_by.as_ref().map(Kid::as_str),
    })
}

fn audited_totals(totals: &Totals) -> serde_json::Value {
    json!({
        "plans": totals.plans,
        "impressions": totals.impressions,
        "clicks": totals.clicks,
        "spend_micros": totals.spend.get(),
        "revenue_micros": totals.revenue.get(),
    })
}

/// Stages rows of a network that are above a limit, except those that wait already.
pub(super) async fn hold_in_tx(
    tx: &mut Tx,
    import: &Beginning,
    rows: &[&Reported],
    tally: &Tally,
) -> Result<(), PlanError> {
    let ids: Vec<String> = rows.iter().map(|row| row.report_id.clone()).collect();
    let waiting = repo::held_in_tx(tx, &import.source, &ids).await?;
    let waits = |row: &Reported| {
        waiting
            .iter()
            .any(|(id, revision)| *id == row.report_id && *revision == row.revision)
    };
    let new: Vec<&Reported> = rows.iter().copied().filter(|row| !waits(row)).collect();
    if new.is_empty() {
        return Ok(());
    }
    repo::begin_in_tx(tx, import).await?;
    repo::stage_in_tx(tx, import.id, &new, &Found::new()).await?;
    let end = End {
        state: State::Proposed,
        sha256: None,
        // Each batch of a network is an import of its own.
        request_sha256: digest_of_id(import.id),
        read: i64::try_from(new.len()).unwrap_or(i64::MAX),
        quarantined: 0,
        totals: tally.totals()?,
        notable: tally.notable(),
        signed_by: None,
        now: import.began_at,
    };
    repo::end_in_tx(tx, import.id, &end).await
}

fn digest_of_id(id: ImportId) -> [u8; 32] {
    let mut digest = [0; 32];
    digest[..16].copy_from_slice(id.0.as_bytes());
    digest
}

/// Decides a proposal. The rows of a released one are taken as far as the caller's time allows, and by [`sweep`] after
/// that.
pub async fn decide(
    app: &App,
    caller: &Caller,
    by: Uuid,
    id: ImportId,
    choice: Choice,
    reason: String,
) -> Result<Import, PlanError> {
    let known = find(app, id).await?;
    app.second_pair.require(caller, known.staff_id, by).await?;
    let (now, asking) = (app.clock.now(), caller.clone());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let import = repo::lock_in_tx(tx, id).await?;
            let mut import = import.ok_or_else(|| Refusal::not_found("import_id"))?;
            if import.verdict(by, choice, &reason, now)? == Verdict::Before {
                return Ok(());
            }
            if choice == Choice::Released
                && let Some(kid) = &import.signed_by
                && !source::is_valid_key_in_tx(tx, kid).await?
            {
                let refusal = Refusal::invalid("import_id");
                return Err(refusal.detail("the key that signed it was revoked").into());
            }
            import.state = choice.state();
            import.decided = Some((by, now));
            import.decision_reason.clone_from(&reason);
            repo::decide_in_tx(tx, &import).await?;
            let action = match choice {
                Choice::Released => "plan.release_delivery",
                Choice::Rejected => "plan.reject_delivery",
            };
            audit::Entry::new(action, import.id)
                .reason(reason)
                .before(&json!({"state": State::Proposed.as_str()}))?
                .after(&audited(&import))?
                .record_in_tx(tx, &asking, now)
                .await?;
            Ok::<_, PlanError>(())
        })
    })
    .await?;
    if choice == Choice::Released {
        take_within(app, caller, id).await?;
    }
    find(app, id).await
}

/// What the audit log says of a decided import.
fn audited(import: &Import) -> serde_json::Value {
    json!({
        "state": import.state.as_str(),
        "source": import.source,
        "proposed_by": import.staff_id.to_string(),
        "sha256": import.sha256.as_ref().map(hex::encode),
        "totals": audited_totals(&import.totals),
        "notable": import.notable,
        "signed_by_kid": import.signed_by.as_ref().map(Kid::as_str),
    })
}

/// Takes the rows of a released import as far as the caller's time allows.
pub(super) async fn take_within(app: &App, caller: &Caller, id: ImportId) -> Result<(), PlanError> {
    while_awaited(caller, take_all(app, id)).await
}

/// Works until it is done or the caller must be answered. A batch that is under way then commits or not; the sweep goes on
/// with the rest.
async fn while_awaited(
    caller: &Caller,
    work: impl Future<Output = Result<(), PlanError>>,
) -> Result<(), PlanError> {
    let left = caller
        .deadline
        .remaining()
        .saturating_sub(settlement::ANSWER_RESERVE);
    tokio::time::timeout(left, work).await.unwrap_or(Ok(()))
}

async fn take_all(app: &App, id: ImportId) -> Result<(), PlanError> {
    while take_next(app, id).await? {}
    Ok(())
}

/// Takes the next rows of a released import; answers whether there may be more.
async fn take_next(app: &App, id: ImportId) -> Result<bool, PlanError> {
    let (now, times) = (app.clock.now(), Times::from(&app.rules));
    let batch = BatchId(app.ids.next());
    let taken = db::write_retrying(&app.pool, PlanError::database, move |tx| {
        Box::pin(take_next_in_tx(tx, (id, batch), now, times))
    })
    .await?;
    settlement::wake(app);
    app.notifier.notify();
    for verdict in taken.iter().flatten() {
        intake::count(verdict);
    }
    Ok(taken.is_some())
}

async fn take_next_in_tx(
    tx: &mut Tx,
    (id, batch): (ImportId, BatchId),
    now: DateTime<Utc>,
    times: Times,
) -> Result<Option<Vec<RowVerdict>>, PlanError> {
    let import = repo::lock_in_tx(tx, id).await?;
    let Some(import) = import.filter(|import| import.state == State::Released && !import.is_done)
    else {
        return Ok(None);
    };
    let rows = repo::next_in_tx(tx, id, TAKE_BATCH).await?;
    let Some(last) = rows.last() else {
        if move_found_in_tx(tx, import, now).await? {
            return Ok(Some(Vec::new()));
        }
        repo::done_in_tx(tx, id, now).await?;
        return Ok(None);
    };
    let up_to_line = i64::try_from(last.line).unwrap_or(i64::MAX);
    let intake = Intake {
        source: &import.source,
        origin: import.origin,
        batch,
        import: Some(id),
        held_as: id,
        times,
        allotted_only: false,
        is_reviewed: true,
    };
    let verdicts = intake::take_in_tx(tx, &intake, &rows, now).await?;
    let mut taken = import.taken.clone();
    for (line, verdict) in &verdicts {
        taken.add(*line, verdict);
    }
    repo::taken_in_tx(tx, id, up_to_line, &taken).await?;
    log_for_users_in_tx(tx, &import, batch, now).await?;
    Ok(Some(
        verdicts.into_iter().map(|(_, verdict)| verdict).collect(),
    ))
}

/// Moves rows of an import that was read to its end into quarantine, as far as the caller's time allows, and by [`sweep`]
/// after that. They wait there for decisions of their own, whatever becomes of the import.
pub(super) async fn move_found_within(
    app: &App,
    caller: &Caller,
    id: ImportId,
) -> Result<(), PlanError> {
    while_awaited(caller, move_found(app, id)).await
}

async fn move_found(app: &App, id: ImportId) -> Result<(), PlanError> {
    let now = app.clock.now();
    let step = || {
        db::write(&app.pool, move |tx| {
            Box::pin(async move {
                match repo::lock_in_tx(tx, id).await? {
                    Some(import) => move_found_in_tx(tx, import, now).await,
                    None => Ok(false),
                }
            })
        })
    };
    while step().await? {}
    app.notifier.notify();
    Ok(())
}

/// Moves the next rows in which the gate found something; answers whether there were any.
async fn move_found_in_tx(
    tx: &mut Tx,
    import: Import,
    now: DateTime<Utc>,
) -> Result<bool, PlanError> {
    if !matches!(import.state, State::Proposed | State::Released) {
        return Ok(false);
    }
    let (rows, found) = repo::next_found_in_tx(tx, import.id, TAKE_BATCH).await?;
    let Some(last) = rows.last() else {
        return Ok(false);
    };
    let up_to_line = i64::try_from(last.line).unwrap_or(i64::MAX);
    let names = rows.iter().filter_map(|row| row.placement.clone());
    let names: Vec<String> = names.collect();
    let placements = placement::named_in_tx(tx, &import.source, &names).await?;
    let brought = (import.source.as_str(), import.origin, Some(import.id));
    let moved: Vec<&Reported> = rows.iter().collect();
    quarantine::add_in_tx(tx, brought, &moved, (&found, &placements), now).await?;
    let count = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    repo::moved_in_tx(tx, import.id, up_to_line, count).await?;
    Ok(true)
}

/// Enters into the log of each user whose plans these reports changed that staff imported them, once for each import.
/// What nobody's hand brought is not in it.
async fn log_for_users_in_tx(
    tx: &mut Tx,
    import: &Import,
    batch: BatchId,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    let staff_id = import.decided.map_or(import.staff_id, |(by, _)| by);
    if staff_id.is_nil() {
        return Ok(());
    }
    let by = (staff_id, import.decision_reason.as_str());
    log_in_tx(tx, (import.id, &import.source), by, batch, now).await
}

/// The same with the member of staff who released these reports, and why.
pub async fn log_in_tx(
    tx: &mut Tx,
    (import, source): (ImportId, &str),
    (staff_id, reason): (Uuid, &str),
    batch: BatchId,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    let users = repo::add_users_in_tx(tx, import, batch).await?;
    let events = users.into_iter().map(|user| {
        let actor = Actor {
            staff_id,
            reason: reason.to_owned(),
            request_id: String::new(),
        };
        audit::Entry::new("plan.import_applied", import)
            .user(user)
            .after(&json!({"source": source}))?
            .event_by(actor, now)
    });
    let events = events.collect::<Result<Vec<_>, _>>()?;
    Ok(outbox::enqueue_in_tx(tx, &events).await?)
}

impl Taken {
    fn add(&mut self, line: u64, verdict: &RowVerdict) {
        let counter = match verdict {
            RowVerdict::Applied => &mut self.applied,
            RowVerdict::Repeated => &mut self.repeated,
            RowVerdict::Restated => &mut self.restated,
            RowVerdict::Quarantined(_) => &mut self.quarantined,
            RowVerdict::Held(reason) | RowVerdict::Rejected(reason) => {
                if self.rejections.len() < MOST_REJECTIONS {
                    self.rejections.push(Rejection {
                        line: i64::try_from(line).unwrap_or(i64::MAX),
                        reason: reason.clone(),
                    });
                }
                &mut self.rejected
            }
        };
        *counter = counter.saturating_add(1);
    }
}

/// One import, or NOT_FOUND.
pub async fn find(app: &App, id: ImportId) -> Result<Import, PlanError> {
    let import = repo::find(&app.pool, id).await?;
    import.ok_or_else(|| Refusal::not_found("import_id").into())
}

/// How many imports wait for a decision, and since when the oldest does.
pub async fn waiting(app: &App) -> Result<(i64, Option<DateTime<Utc>>), PlanError> {
    repo::count_proposed(&app.pool).await
}

/// Imports older than `before`, newest first: those in `state`, or all that somebody may look at.
pub async fn list(
    app: &App,
    state: Option<State>,
    before: Option<ImportId>,
    fetch: i64,
) -> Result<Vec<Import>, PlanError> {
    let states = match state {
        Some(state) => vec![state],
        None => vec![
            State::Proposed,
            State::Released,
            State::Rejected,
            State::Expired,
        ],
    };
    repo::list(&app.reads, &states, before, fetch).await
}

/// Goes on with released imports, ends those that nobody waits for, and clears what they staged.
pub async fn sweep(app: &App) -> Result<(), PlanError> {
    let now = app.clock.now();
    let before = |age: TimeDelta| now.checked_sub_signed(age).unwrap_or(now);
    let (proposed_before, read_before) = (before(LIFETIME), before(READING_LIMIT));
    db::write(&app.pool, move |tx| {
        Box::pin(repo::give_up_in_tx(tx, proposed_before, read_before))
    })
    .await?;
    for id in repo::with_found(&app.pool, SWEEP_BATCH).await? {
        if let Err(error) = move_found(app, id).await {
            warn!(import = %id, error = chain(&error), "rows go to quarantine later");
        }
    }
    for (id, state) in repo::undone(&app.pool, SWEEP_BATCH).await? {
        let outcome = match state {
            State::Released => take_all(app, id).await,
            _ => clear(app, id).await,
        };
        if let Err(error) = outcome {
            warn!(import = %id, error = chain(&error), "import goes on later");
        }
    }
    Ok(())
}

async fn clear(app: &App, id: ImportId) -> Result<(), PlanError> {
    let now = app.clock.now();
    loop {
        let more = db::write(&app.pool, move |tx| {
            Box::pin(async move {
                let more = repo::clear_in_tx(tx, id).await?;
                if !more {
                    repo::done_in_tx(tx, id, now).await?;
                }
                Ok::<_, PlanError>(more)
            })
        })
        .await?;
        if !more {
            return Ok(());
        }
    }
}

/// Where a file's import stands at its end.
pub(super) fn state_of(app: &App, totals: &Totals, notable: &[Notable]) -> State {
    if totals.plans == 0 || app.rules.release.passes(totals, notable) {
        // Nothing new, or nothing that needs a second person.
        State::Released
    } else {
        State::Proposed
    }
}

/// Whose import it is.
pub(super) fn beginning(app: &App, caller: &Caller, source: String, origin: Origin) -> Beginning {
    Beginning {
        id: ImportId(app.ids.next()),
        source,
        origin,
        staff_id: caller.staff.map_or(Uuid::nil(), |staff| staff.id),
        request_id: caller.request_id.clone(),
        began_at: app.clock.now(),
    }
}
