//! Account statements: who has paid in, as the platform's bank says.
//!
//! A file is read whole and kept only without a fault. Each line is one payment, whatever files tell of it, and is
//! credited at most once: its deposit has a key of the line, so what became of it stands in the books and the approvals,
//! and nowhere else. A payer is found by the payment reference in the text; nobody is credited before a person says so.

mod camt;
pub mod entity;
mod repo;
mod table;

use std::collections::{BTreeSet, HashMap};

use adfolio_kit::audit;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::payment_reference;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::wire;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::approval;
use crate::error::WalletError;
use crate::ids::{BankLineId, BankStatementId, StaffId};
use crate::posting::movement::{Movement, MovementKind, bounded_text};
use entity::{
    Counts, Fault, File, Format, LARGEST_FILE, Line, LineState, Ours, Statement, identities,
    posting_key,
};
use repo::NewLines;

/// Characters of a file's name at most.
const LONGEST_NAME: usize = 200;

/// Lines of statements that were uploaded before are not counted: each line is looked up in the books, so counting those
/// of all years would take ever longer. The list of statements has them.
const WAITS_AT_MOST: TimeDelta = TimeDelta::days(90);

/// A file as it was uploaded.
#[derive(Debug)]
pub struct Upload {
    pub name: String,
    pub format: Format,
    pub content: Vec<u8>,
    /// For CSV: which column has what, as JSON.
    pub mapping: String,
}

/// What became of a file.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing was kept.
    Faulty(Vec<Fault>),
    Kept {
        statement: Statement,
        /// Whether an earlier call has kept it.
        is_repeat: bool,
    },
}

/// How many lines wait for staff, and since when the oldest.
pub async fn waiting(
    app: &App,
    now: DateTime<Utc>,
) -> Result<(i64, Option<DateTime<Utc>>), sqlx::Error> {
    repo::count_open(&app.pool, now - WAITS_AT_MOST).await
}

/// Reads a file and keeps its lines, and answers the columns of a table beside.
pub async fn keep(
    app: &App,
    caller: &Caller,
    staff: Staff,
    upload: Upload,
) -> Result<(Outcome, Vec<String>), WalletError> {
    let name = wire::line(&upload.name, LONGEST_NAME, "name")?;
    if upload.content.is_empty() {
        return Err(Refusal::invalid("file").into());
    }
    if upload.content.len() > LARGEST_FILE {
        return Err(Refusal::new(Reason::FileTooLarge).field("file").into());
    }
    let digest = Sha256::digest(&upload.content).to_vec();
    if let Some(statement) = repo::find_by_digest(&app.pool, &digest).await? {
        let is_repeat = true;
        return Ok((
            Outcome::Kept {
                statement,
                is_repeat,
            },
            Vec::new(),
        ));
    }
    let bank = app.bank.clone();
    let account = bank.account()?.to_owned();
    let format = upload.format;
    let reading = tokio::task::spawn_blocking(move || {
        let ours = Ours {
            account: &account,
            currency: &bank.currency,
        };
        read(&upload, ours)
    });
    let (read, columns) = reading.await.map_err(|_| CoreError::Corrupt("bank file"))?;
    let file = match read {
        Ok(file) => file,
        Err(faults) => return Ok((Outcome::Faulty(faults), columns)),
    };
    let payers = payers(app, caller, &file).await?;
    let statement = Statement {
        id: BankStatementId(app.ids.next()),
        name,
        format,
        reference: file.reference.clone(),
        digest: digest.clone(),
        parsed_lines: i32::try_from(file.lines.len()).unwrap_or(i32::MAX),
        uploaded_by: StaffId(staff.id),
        uploaded_at: app.clock.now(),
        counts: Counts::default(),
    };
    let lines = new_lines(app, &file, &payers);
    let caller = caller.clone();
    let is_new = app
        .write(move |tx| {
            Box::pin(async move {
                if !repo::insert_in_tx(tx, &statement).await? {
                    return Ok::<_, WalletError>(false);
                }
                let kept = repo::insert_lines_in_tx(tx, statement.id, &lines).await?;
                let entry = audit::Entry::new("wallet.bank_statement_kept", statement.id);
                let entry = entry.after(&json!({
                    "name": statement.name,
                    "sha256": hex::encode(&statement.digest),
                    "lines": kept,
                    "known_lines": u64::try_from(statement.parsed_lines).unwrap_or(0).saturating_sub(kept),
                }))?;
                entry.record_in_tx(tx, &caller, statement.uploaded_at).await?;
                Ok(true)
            })
        })
        .await?;
    let statement = repo::find_by_digest(&app.pool, &digest)
        .await?
        .ok_or(CoreError::Corrupt("bank statement"))?;
    let is_repeat = !is_new;
    Ok((
        Outcome::Kept {
            statement,
            is_repeat,
        },
        columns,
    ))
}

/// The lines of a file or its faults, and the columns of a table.
fn read(upload: &Upload, ours: Ours<'_>) -> (Result<File, Vec<Fault>>, Vec<String>) {
    let text = match entity::text(&upload.content) {
        Ok(text) => text,
        Err(faults) => return (Err(faults.into_vec()), Vec::new()),
    };
    let (file, columns) = match upload.format {
        Format::Camt053 => (camt::read(text, ours), Vec::new()),
        Format::Csv => (
            table::read(text, &upload.mapping, ours),
            table::columns(text),
        ),
    };
    (file.map_err(entity::Faults::into_vec), columns)
}

/// The users whose payment references stand in a file, by reference.
async fn payers(
    app: &App,
    caller: &Caller,
    file: &File,
) -> Result<HashMap<String, UserId>, WalletError> {
    let incoming = file.lines.iter().filter(|line| line.amount > 0);
    let references: BTreeSet<String> = incoming
        .filter_map(|line| payment_reference::find_in(&line.text))
        .collect();
    let references: Vec<String> = references.into_iter().collect();
    Ok(app.users.payers(caller, &references).await?)
}

fn new_lines(app: &App, file: &File, payers: &HashMap<String, UserId>) -> NewLines {
    let mut new = NewLines::default();
    for (line, identity) in file.lines.iter().zip(identities(&file.lines)) {
        let id = BankLineId(app.ids.next());
        let reference = payment_reference::find_in(&line.text).filter(|_| line.amount > 0);
        let user = reference.and_then(|reference| payers.get(&reference));
        new.ids.push(id.0);
        new.lines.push(i32::try_from(line.line).unwrap_or(i32::MAX));
        new.identities.push(identity.to_vec());
        new.days.push(line.booked_on);
        new.amounts.push(line.amount);
        new.texts.push(line.text.clone());
        new.parties.push(line.party.clone());
        new.references.push(line.bank_reference.clone());
        new.users.push(user.map(|user| user.0));
        new.withdrawals.push(line.withdrawal_id().map(|id| id.0));
        new.keys.push(posting_key(id, app.ids.next()));
    }
    new
}

/// The statement with this id, if there is one.
pub async fn find_statement(
    app: &App,
    id: BankStatementId,
) -> Result<Option<Statement>, WalletError> {
    Ok(repo::find(&app.pool, id).await?)
}

/// Statements, newest first.
pub async fn list(
    app: &App,
    before: Option<BankStatementId>,
    limit: i64,
) -> Result<Vec<Statement>, WalletError> {
    Ok(repo::list(&app.reads, before, limit).await?)
}

/// The lines of a statement behind the place `after`.
pub async fn list_lines(
    app: &App,
    statement: BankStatementId,
    state: Option<LineState>,
    after: i32,
    limit: i64,
) -> Result<Vec<Line>, WalletError> {
    Ok(repo::list_lines(&app.reads, statement, state, after, limit).await?)
}

/// Credits what a line says was paid in: to the matched user, or to the named one where nobody was matched.
pub async fn credit(
    app: &App,
    caller: &Caller,
    staff: Staff,
    id: BankLineId,
    named: Option<UserId>,
) -> Result<Line, WalletError> {
    let mut line = find(app, id).await?;
    let user_id = match (line.matched_user_id, named) {
        (Some(matched), None) => matched,
        (Some(matched), Some(named)) if matched == named => matched,
        (None, Some(named)) => named,
        _ => return Err(Refusal::invalid("user_id").into()),
    };
    match line.state {
        LineState::Credited if line.user_id == Some(user_id) => return Ok(line),
        LineState::Credited | LineState::Aside | LineState::PaidOut => {
            return Err(Refusal::new(Reason::NothingChanged).field("id").into());
        }
        LineState::Open | LineState::Waiting => {}
    }
    if line.is_refused {
        let next = posting_key(id, app.ids.next());
        repo::renew_key(&app.pool, id, (&line.posting_key, &next)).await?;
        line = find(app, id).await?;
    }
    let by = (staff, caller);
    let fresh = app.ids.next();
    let deposit = MovementKind::Deposit;
    let movement = Movement::by_staff(deposit, user_id, by, fresh, line.amount, &line.remark())?;
    let movement = movement.of_bank_line(&line.posting_key);
    let amount = movement.amount;
    match approval::post_or_ask(app, caller, staff, (user_id, movement, amount)).await {
        Ok(_) => find(app, id).await,
        // Somebody else credits it to another user at this moment.
        Err(error) if error.reason() == Some(Reason::IdempotencyKeyReused) => {
            Err(Refusal::new(Reason::NothingChanged).field("id").into())
        }
        Err(error) => Err(error),
    }
}

/// Sets a line aside that nobody is to be credited for, or takes that back.
pub async fn set_aside(
    app: &App,
    caller: &Caller,
    staff: Staff,
    (id, is_aside): (BankLineId, bool),
    reason: &str,
) -> Result<Line, WalletError> {
    let reason = bounded_text(reason, "reason")?;
    if reason.is_empty() {
        return Err(Refusal::invalid("reason").into());
    }
    let (caller, now) = (caller.clone(), app.clock.now());
    app.write(move |tx| {
        Box::pin(async move {
            repo::lock_line_in_tx(tx, id).await?;
            let line = repo::find_line(tx, id).await?;
            let line = line.ok_or_else(|| Refusal::not_found("id"))?;
            let expected = if is_aside {
                LineState::Open
            } else {
                LineState::Aside
            };
            if line.state != expected {
                return Err(Refusal::new(Reason::NothingChanged).into());
            }
            let aside = is_aside.then_some((StaffId(staff.id), now));
            let kept = if is_aside { reason.as_str() } else { "" };
            repo::set_aside_in_tx(tx, id, aside, kept).await?;
            let action = if is_aside {
                "wallet.bank_line_set_aside"
            } else {
                "wallet.bank_line_reopened"
            };
            let entry = audit::Entry::new(action, id).reason(reason.clone());
            let entry =
                entry.after(&json!({ "amount": line.amount, "booked_on": line.booked_on }))?;
            entry.record_in_tx(tx, &caller, now).await?;
            let line = repo::find_line(tx, id).await?;
            Ok(line.ok_or(CoreError::Corrupt("bank line"))?)
        })
    })
    .await
}

async fn find(app: &App, id: BankLineId) -> Result<Line, WalletError> {
    let mut connection = app.pool.acquire_to_read().await?;
    let found = repo::find_line(&mut connection, id).await?;
    Ok(found.ok_or_else(|| Refusal::not_found("id"))?)
}
