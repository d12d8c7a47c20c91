//! Reports that the [gate](crate::gate) holds back until staff decide on each of them.
//!
//! A report is held once, however often it is sent. A released one is taken as if it had just come, in the transaction
//! that releases it; a rejected revision is never taken, and a later one is judged by itself. Who imported a file never
//! decides on its rows, and above the amount of four eyes a release takes two.

pub mod entity;
mod repo;

use std::collections::{BTreeSet, HashMap, HashSet};

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::four_eyes;
use adfolio_kit::identity::Caller;
use adfolio_kit::metrics::{InState, record_saga};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

pub use entity::{Quarantined, State};

use crate::app::App;
use crate::delivery::entity::{Objection, Origin, Verdict};
use crate::delivery::intake::{self, Intake, Times};
use crate::delivery::proposal::{self, Choice};
use crate::delivery::row::Reported;
use crate::error::PlanError;
use crate::events;
use crate::gate::Found;
use crate::ids::{BatchId, ImportId, PlacementId, QuarantinedId};
use crate::settlement;

/// Reports that one call decides.
pub const MOST_DECIDED: usize = 100;

/// Objections to rows of a source: those of reports that are in quarantine, and those of what the gate found now.
pub async fn objections_in_tx(
    tx: &mut Tx,
    source: &str,
    rows: &[Reported],
    found: &Found,
) -> Result<HashMap<u64, Objection>, PlanError> {
    let ids: Vec<String> = rows.iter().map(|row| row.report_id.clone()).collect();
    let known = repo::of_reports_in_tx(tx, source, &ids).await?;
    let known: HashMap<(&str, i64), &Quarantined> = known
        .iter()
        .map(|known| ((known.row.report_id.as_str(), known.row.revision), known))
        .collect();
    let mut objections = HashMap::new();
    for row in rows {
        let objection = match known.get(&(row.report_id.as_str(), row.revision)) {
            Some(known) => known.objection(row),
            None => found.get(&row.line).map(|found| entity::objection(found)),
        };
        objections.extend(objection.map(|objection| (row.line, objection)));
    }
    Ok(objections)
}

/// Puts rows into quarantine, except those that are there already.
pub async fn add_in_tx(
    tx: &mut Tx,
    (source, origin, import): (&str, Origin, Option<ImportId>),
    rows: &[&Reported],
    (found, placements): (&Found, &HashMap<String, PlacementId>),
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    let new: Vec<Quarantined> = rows
        .iter()
        .filter_map(|row| {
            let findings = found.get(&row.line)?.clone();
            let placement = row.placement.as_ref();
            Some(Quarantined {
                id: QuarantinedId(Uuid::now_v7()),
                source: source.to_owned(),
                origin,
                import,
                row: (*row).clone(),
                placement: placement.and_then(|name| placements.get(name).copied()),
                findings,
                came_at: now,
                state: State::Waiting,
                approved: None,
                decided: None,
                reason: String::new(),
                is_alone: false,
                outcome: String::new(),
            })
        })
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let inserted: HashSet<QuarantinedId> = repo::insert_in_tx(tx, &new).await?;
    let inserted = new.iter().filter(|it| inserted.contains(&it.id));
    let (mut count, mut rules) = (0_i64, BTreeSet::new());
    for report in inserted {
        count = count.saturating_add(1);
        rules.extend(report.findings.iter().map(|finding| finding.rule.as_str()));
    }
    if count > 0 {
        events::reports_quarantined_in_tx(tx, (source, import), count, rules).await?;
    }
    Ok(())
}

/// Reports in quarantine older than `before`, newest first: those in `state`, or all.
pub async fn list(
    app: &App,
    state: Option<State>,
    before: Option<QuarantinedId>,
    fetch: i64,
) -> Result<Vec<Quarantined>, PlanError> {
    repo::list(&app.reads, state, before, fetch).await
}

/// How many reports wait for a decision, and for how long.
pub async fn waiting(app: &App) -> Result<Vec<InState>, PlanError> {
    repo::waiting(&app.pool, app.clock.now()).await
}

/// Sets the gauges of reports that wait for a decision.
pub async fn record_waiting(app: &App) -> Result<(), PlanError> {
    let found = waiting(app).await?;
    record_saga("quarantine", &["waiting"], &found);
    Ok(())
}

/// What a member of staff says about reports.
#[derive(Clone, Debug)]
pub struct Decision {
    pub by: Uuid,
    pub ids: Vec<QuarantinedId>,
    pub choice: Choice,
    pub reason: String,
}

/// Decides reports: all of them, or none. Refuses APPROVAL_REQUIRED where a release takes two and this is the first.
pub async fn decide(
    app: &App,
    caller: &Caller,
    decision: Decision,
) -> Result<Vec<Quarantined>, PlanError> {
    let ids = decision.ids.clone();
    let approvers = require_others(app, caller, &decision).await?;
    let (shared, asking) = (app.clone(), caller.clone());
    let step = db::write_retrying(&app.pool, PlanError::database, move |tx| {
        let (app, caller) = (shared.clone(), asking.clone());
        let (decision, approvers) = (decision.clone(), approvers.clone());
        Box::pin(async move { decide_in_tx(tx, &app, &caller, &decision, &approvers).await })
    })
    .await?;
    match step {
        Step::Approved => Err(Refusal::new(Reason::ApprovalRequired)
            .detail("another member of staff releases these reports, too")
            .into()),
        Step::Decided(verdicts) => {
            settlement::wake(app);
            app.notifier.notify();
            verdicts.iter().for_each(intake::count);
            find_all(app, &ids).await
        }
    }
}

/// What a decision came to.
enum Step {
    /// It waits for a second member of staff.
    Approved,
    /// It is carried out; what became of the reports that it released.
    Decided(Vec<Verdict>),
}

/// Refuses who imported one of the reports, and who is no second person besides those that released them first. Answers
/// the latter.
async fn require_others(
    app: &App,
    caller: &Caller,
    decision: &Decision,
) -> Result<Vec<Uuid>, PlanError> {
    let known = find_all(app, &decision.ids).await?;
    let imports: BTreeSet<ImportId> = known.iter().filter_map(|report| report.import).collect();
    for import in imports {
        let staff = proposal::find(app, import).await?.staff_id;
        app.second_pair.require(caller, staff, decision.by).await?;
    }
    let approvers: BTreeSet<Uuid> = known
        .iter()
        .filter_map(|report| Some(report.approved?.0))
        .filter(|approver| *approver != decision.by)
        .collect();
    if decision.choice == Choice::Released {
        for approver in &approvers {
            let pair = app.second_pair.require(caller, *approver, decision.by);
            pair.await?;
        }
    }
    Ok(approvers.into_iter().collect())
}

async fn decide_in_tx(
    tx: &mut Tx,
    app: &App,
    caller: &Caller,
    decision: &Decision,
    approvers: &[Uuid],
) -> Result<Step, PlanError> {
    let now = app.clock.now();
    four_eyes::lock_in_tx(tx, decision.by, Uuid::nil()).await?;
    let mut open = Vec::new();
    for report in repo::lock_all_in_tx(tx, &decision.ids).await? {
        if report.may_be_decided(decision.by, decision.choice)? {
            open.push(report);
        }
    }
    let mut verdicts = Vec::new();
    let action = match decision.choice {
        Choice::Rejected => "plan.reject_quarantined",
        Choice::Released => {
            let takes_two = takes_two_in_tx(tx, app, decision, &open, now).await?;
            let is_second = |report: &Quarantined| {
                let approved = report.approved.map(|(approver, _)| approver);
                approved.is_some_and(|approver| approvers.contains(&approver))
            };
            if takes_two && !open.iter().all(is_second) {
                approve_in_tx(tx, caller, decision, &mut open, now).await?;
                return Ok(Step::Approved);
            }
            verdicts = release_in_tx(tx, app, decision, &mut open, now).await?;
            for report in &mut open {
                report.is_alone = !takes_two;
            }
            "plan.release_quarantined"
        }
    };
    for report in &mut open {
        report.state = match decision.choice {
            Choice::Released => State::Released,
            Choice::Rejected => State::Rejected,
        };
        report.decided = Some((decision.by, now));
        report.reason.clone_from(&decision.reason);
    }
    repo::save_in_tx(tx, &open).await?;
    record_in_tx(tx, caller, action, &open, now).await?;
    Ok(Step::Decided(verdicts))
}

/// Whether a release takes two members of staff: with what this one released alone before, and what anybody released alone
/// of these sources.
async fn takes_two_in_tx(
    tx: &mut Tx,
    app: &App,
    decision: &Decision,
    open: &[Quarantined],
    now: DateTime<Utc>,
) -> Result<bool, PlanError> {
    let sources: Vec<String> = open.iter().map(|report| report.source.clone()).collect();
    let since = four_eyes::counted_since(now);
    let alone = repo::sum_alone_in_tx(tx, decision.by, &sources, since).await?;
    let amount = entity::amount_of(open.iter())?;
    Ok(app.rules.release.threshold.is_exceeded_after(alone, amount))
}

/// Keeps that a first member of staff releases reports. Who did so before stays the first.
async fn approve_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    decision: &Decision,
    open: &mut Vec<Quarantined>,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    open.retain(|report| report.state == State::Waiting);
    for report in &mut *open {
        report.state = State::Approved;
        report.approved = Some((decision.by, now));
        report.reason.clone_from(&decision.reason);
    }
    repo::save_in_tx(tx, open).await?;
    record_in_tx(tx, caller, "plan.approve_quarantined", open, now).await
}

/// Takes reports as if they had just come, and notes what becomes of each.
async fn release_in_tx(
    tx: &mut Tx,
    app: &App,
    decision: &Decision,
    open: &mut [Quarantined],
    now: DateTime<Utc>,
) -> Result<Vec<Verdict>, PlanError> {
    // Sources in order of name, as everywhere; of one report the earlier revision first.
    open.sort_by(|a, b| {
        let key = |report: &Quarantined| (report.source.clone(), report.import);
        let row = |report: &Quarantined| (report.row.report_id.clone(), report.row.revision);
        (key(a), row(a)).cmp(&(key(b), row(b)))
    });
    let mut verdicts = Vec::with_capacity(open.len());
    for group in open.chunk_by_mut(|a, b| (&a.source, a.import) == (&b.source, b.import)) {
        let Some(first) = group.first() else { continue };
        let (source, import) = (first.source.clone(), first.import);
        let batch = BatchId(app.ids.next());
        let intake = Intake {
            source: &source,
            origin: first.origin,
            batch,
            import,
            held_as: ImportId(app.ids.next()),
            times: Times::from(&app.rules),
            allotted_only: false,
            is_reviewed: false,
        };
        let rows: Vec<Reported> = group.iter().map(|report| report.row.clone()).collect();
        let taken = intake::take_in_tx(tx, &intake, &rows, now).await?;
        for (report, (_, verdict)) in group.iter_mut().zip(taken) {
            report.outcome = entity::outcome(&verdict);
            verdicts.push(verdict);
        }
        if let Some(import) = import {
            let by = (decision.by, decision.reason.as_str());
            proposal::log_in_tx(tx, (import, &source), by, batch, now).await?;
        }
    }
    Ok(verdicts)
}

async fn record_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    action: &'static str,
    reports: &[Quarantined],
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    for report in reports {
        audit::Entry::new(action, report.id)
            .reason(report.reason.clone())
            .after(&audited(report))?
            .record_in_tx(tx, caller, now)
            .await?;
    }
    Ok(())
}

fn audited(report: &Quarantined) -> serde_json::Value {
    let row = &report.row;
    json!({
        "state": report.state.as_str(),
        "source": report.source,
        "import_id": report.import.map(|id| id.to_string()),
        "report_id": row.report_id,
        "revision": row.revision,
        "plan_number": row.plan_number,
        "spend_micros": row.spend.get(),
        "revenue_micros": row.revenue.get(),
        "rules": report.findings.iter().map(|finding| &finding.rule).collect::<Vec<_>>(),
        "outcome": report.outcome,
    })
}

/// The reports with these ids in their order, or NOT_FOUND of `ids`.
async fn find_all(app: &App, ids: &[QuarantinedId]) -> Result<Vec<Quarantined>, PlanError> {
    let found = repo::find_all(&app.pool, ids).await?;
    let mut by_id: HashMap<QuarantinedId, Quarantined> =
        found.into_iter().map(|found| (found.id, found)).collect();
    let all = ids.iter().map(|id| by_id.remove(id));
    let all: Option<Vec<Quarantined>> = all.collect();
    all.ok_or_else(|| Refusal::not_found("ids").into())
}
