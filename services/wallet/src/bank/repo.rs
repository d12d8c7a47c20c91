//! The SQL of account statements. Where a line stands says the view `bank_line_states`.

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::metrics::COUNTED_AT_MOST;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, NaiveDate, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::entity::{Counts, Format, Line, LineState, Statement};
use crate::ids::{ApprovalId, BankLineId, BankStatementId, StaffId, TransactionId, WithdrawalId};

/// Reads statements with the counts of their lines: `statements!("WHERE …", arguments)`.
macro_rules! statements {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query!(
            r#"SELECT s.id, s.name, s.format AS "format!: Format", s.reference, s.digest, s.parsed_lines, s.uploaded_by,
                      s.uploaded_at, counted.lines AS "lines!", counted.first_day, counted.last_day,
                      counted.paid_in AS "paid_in!", counted.open AS "open!", counted.waiting AS "waiting!",
                      counted.credited AS "credited!", counted.aside AS "aside!"
               FROM bank_statements s
               CROSS JOIN LATERAL (
                   SELECT count(*) AS lines, min(booked_on) AS first_day, max(booked_on) AS last_day,
                          coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS paid_in,
                          count(*) FILTER (WHERE state = 'open') AS open,
                          count(*) FILTER (WHERE state = 'waiting') AS waiting,
                          count(*) FILTER (WHERE state = 'credited') AS credited,
                          count(*) FILTER (WHERE state = 'aside') AS aside
                   FROM bank_line_states l WHERE l.statement_id = s.id
               ) AS counted "# + $rest
            $(, $argument)*
        )
        .map(|row| Statement {
            id: BankStatementId(row.id),
            name: row.name,
            format: row.format,
            reference: row.reference,
            digest: row.digest,
            parsed_lines: row.parsed_lines,
            uploaded_by: StaffId(row.uploaded_by),
            uploaded_at: row.uploaded_at,
            counts: Counts {
                lines: row.lines,
                days: row.first_day.zip(row.last_day),
                paid_in: row.paid_in,
                open: row.open,
                waiting: row.waiting,
                credited: row.credited,
                aside: row.aside,
            },
        })
    };
}

/// Reads lines: `lines!("WHERE …", arguments)`.
macro_rules! lines {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query!(
            r#"SELECT l.id AS "id!", l.statement_id AS "statement_id!", l.place AS "place!", l.line AS "line!",
                      l.booked_on AS "booked_on!", l.amount AS "amount!", l.text AS "text!", l.party AS "party!",
                      l.bank_reference AS "bank_reference!", l.matched_user_id, w.id AS "withdrawal_id?",
                      l.posting_key AS "posting_key!", l.state AS "state!: LineState",
                      coalesce(l.is_refused, false) AS "is_refused!", l.user_id, l.transaction_id, l.approval_id,
                      EXISTS (
                          SELECT FROM bank_lines other
                          WHERE other.matched_user_id = l.matched_user_id AND other.booked_on = l.booked_on
                            AND other.amount = l.amount AND other.statement_id <> l.statement_id
                      ) AS "is_similar!", l.aside_by, l.aside_reason AS "aside_reason!"
               FROM bank_line_states l LEFT JOIN withdrawals w ON w.id = l.withdrawal_id "# + $rest
            $(, $argument)*
        )
        .map(|row| Line {
            id: BankLineId(row.id),
            statement_id: BankStatementId(row.statement_id),
            place: row.place,
            number: row.line,
            booked_on: row.booked_on,
            amount: row.amount,
            text: row.text,
            party: row.party,
            bank_reference: row.bank_reference,
            matched_user_id: row.matched_user_id.map(UserId),
            withdrawal_id: row.withdrawal_id.map(WithdrawalId),
            posting_key: row.posting_key,
            state: row.state,
            is_refused: row.is_refused,
            user_id: row.user_id.map(UserId),
            transaction_id: row.transaction_id.map(TransactionId),
            approval_id: row.approval_id.map(ApprovalId),
            is_similar: row.is_similar,
            aside_by: row.aside_by.map(StaffId),
            aside_reason: row.aside_reason,
        })
    };
}

/// The statement of a file, if it is kept.
pub(super) async fn find_by_digest(
    pool: &Pool,
    digest: &[u8],
) -> Result<Option<Statement>, sqlx::Error> {
    statements!("WHERE s.digest = $1", digest)
        .fetch_optional(pool)
        .await
}

pub(super) async fn find(
    pool: &Pool,
    id: BankStatementId,
) -> Result<Option<Statement>, sqlx::Error> {
    statements!("WHERE s.id = $1", id.0)
        .fetch_optional(pool)
        .await
}

/// A page of statements, newest first.
pub(super) async fn list(
    pool: &Pool,
    before: Option<BankStatementId>,
    limit: i64,
) -> Result<Vec<Statement>, sqlx::Error> {
    statements!(
        "WHERE s.id < $1 ORDER BY s.id DESC LIMIT $2",
        bound(before),
        limit
    )
    .fetch_all(pool)
    .await
}

/// Keeps a statement. False if its file is kept already.
pub(super) async fn insert_in_tx(tx: &mut Tx, statement: &Statement) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "INSERT INTO bank_statements (id, name, format, reference, digest, parsed_lines, uploaded_by, uploaded_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (digest) DO NOTHING",
        statement.id.0,
        statement.name,
        statement.format as Format,
        statement.reference,
        statement.digest,
        statement.parsed_lines,
        statement.uploaded_by.0,
        statement.uploaded_at,
    )
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// The columns of the lines that are kept, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct NewLines {
    pub(super) ids: Vec<Uuid>,
    pub(super) lines: Vec<i32>,
    pub(super) identities: Vec<Vec<u8>>,
    pub(super) days: Vec<NaiveDate>,
    pub(super) amounts: Vec<i64>,
    pub(super) texts: Vec<String>,
    pub(super) parties: Vec<String>,
    pub(super) references: Vec<String>,
    pub(super) users: Vec<Option<Uuid>>,
    pub(super) withdrawals: Vec<Option<Uuid>>,
    pub(super) keys: Vec<String>,
}

/// Keeps the lines that no earlier file had brought; how many.
pub(super) async fn insert_lines_in_tx(
    tx: &mut Tx,
    statement: BankStatementId,
    new: &NewLines,
) -> Result<u64, sqlx::Error> {
    let inserted = sqlx::query!(
        "INSERT INTO bank_lines (statement_id, place, id, line, identity, booked_on, amount, text, party, bank_reference,
                                 matched_user_id, withdrawal_id, posting_key)
         SELECT $1, place, id, line, identity, booked_on, amount, text, party, bank_reference, user_id, withdrawal_id, key
         FROM unnest($2::uuid[], $3::integer[], $4::bytea[], $5::date[], $6::bigint[], $7::text[], $8::text[], $9::text[],
                     $10::uuid[], $11::uuid[], $12::text[]) WITH ORDINALITY
              AS new (id, line, identity, booked_on, amount, text, party, bank_reference, user_id, withdrawal_id, key, place)
         ORDER BY identity
         ON CONFLICT (identity) DO NOTHING",
        statement.0,
        &new.ids,
        &new.lines,
        &new.identities,
        &new.days,
        &new.amounts,
        &new.texts,
        &new.parties,
        &new.references,
        &new.users as &[Option<Uuid>],
        &new.withdrawals as &[Option<Uuid>],
        &new.keys,
    )
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected())
}

/// A page of the lines of a statement, behind `after`, in the order of the file.
pub(super) async fn list_lines(
    pool: &Pool,
    statement: BankStatementId,
    state: Option<LineState>,
    after: i32,
    limit: i64,
) -> Result<Vec<Line>, sqlx::Error> {
    lines!(
        "WHERE l.statement_id = $1 AND l.place > $2 AND ($3::text IS NULL OR l.state = $3)
         ORDER BY l.place LIMIT $4",
        statement.0,
        after,
        state.map(LineState::as_str),
        limit
    )
    .fetch_all(pool)
    .await
}

pub(super) async fn find_line(
    connection: &mut PgConnection,
    id: BankLineId,
) -> Result<Option<Line>, sqlx::Error> {
    lines!("WHERE l.id = $1", id.0)
        .fetch_optional(connection)
        .await
}

/// Locks a line against others that decide about it.
pub(super) async fn lock_line_in_tx(tx: &mut Tx, id: BankLineId) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT FROM bank_lines WHERE id = $1 FOR UPDATE", id.0)
        .execute(tx)
        .await
        .map(|_| ())
}

/// Gives a line another key for its deposit, unless that has happened meanwhile.
pub(super) async fn renew_key(
    pool: &Pool,
    id: BankLineId,
    (old, new): (&str, &str),
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE bank_lines SET posting_key = $3 WHERE id = $1 AND posting_key = $2",
        id.0,
        old,
        new
    )
    .execute(pool)
    .await
    .map(|_| ())
}

/// Sets a line aside, or takes that back.
pub(super) async fn set_aside_in_tx(
    tx: &mut Tx,
    id: BankLineId,
    aside: Option<(StaffId, DateTime<Utc>)>,
    reason: &str,
) -> Result<(), sqlx::Error> {
    let (by, at) = aside.unzip();
    sqlx::query!(
        "UPDATE bank_lines SET aside_by = $2, aside_at = $3, aside_reason = $4 WHERE id = $1",
        id.0,
        by.map(|by| by.0),
        at,
        reason
    )
    .execute(tx)
    .await
    .map(|_| ())
}

/// Counts open lines of statements that were uploaded since a time, with the time of the oldest upload.
pub(super) async fn count_open(
    pool: &Pool,
    since: DateTime<Utc>,
) -> Result<(i64, Option<DateTime<Utc>>), sqlx::Error> {
    sqlx::query!(
        r#"SELECT count(*) AS "count!", min(uploaded_at) AS oldest_at
           FROM (SELECT s.uploaded_at
                 FROM bank_statements s JOIN bank_line_states l ON l.statement_id = s.id
                 WHERE s.uploaded_at >= $1 AND l.state = 'open' LIMIT $2) AS waiting"#,
        since,
        COUNTED_AT_MOST
    )
    .map(|row| (row.count, row.oldest_at))
    .fetch_one(pool)
    .await
}
