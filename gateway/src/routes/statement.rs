//! The statement: every transaction of a month as CSV, with the hash chain that proves it.

use std::time::Duration;

use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::Caller;
use adfolio_kit::{call, client};
use adfolio_proto::wallet::v1::{GetStatementRequest, GetStatementResponse, StatementRow};
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use chrono::{DateTime, SecondsFormat};
use futures::stream::{StreamExt, once, try_unfold};
use tonic::Streaming;
use tracing::warn;

use crate::call::Call;
use crate::dto::Money;
use crate::dto::wallet::StatementQuery;
use crate::errors::Failure;
use crate::input::Query;
use crate::route::Route;

/// Limit of a statement, including the time the client takes to read it.
const STATEMENT_LIMIT: Duration = Duration::from_mins(2);

const CSV: &str = "text/csv";

const COLUMNS: [&str; 20] = [
    "sequence",
    "time",
    "transaction_id",
    "type",
    "available_change",
    "to_be_consumed_change",
    "to_be_settled_change",
    "withdrawing_change",
    "available",
    "to_be_consumed",
    "to_be_settled",
    "withdrawing",
    "reference",
    "remark",
    "previous_hash",
    "hash",
    "user_id",
    "guarantee_change",
    "details",
    "undisclosed",
];

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get_whole(
            "/transaction_flow/statement",
            "getStatement",
            "Every transaction of a month as CSV; each row has its hash and the previous hash.",
            CSV,
            statement,
        )
        .user(),
    ]
}

async fn statement(call: Call, Query(query): Query<StatementQuery>) -> Result<Response, Failure> {
    let caller = Caller {
        deadline: Deadline::after(STATEMENT_LIMIT),
        ..call.caller
    };
    let month = query.month.into_text();
    let disposition = format!("attachment; filename=\"adfolio-statement-{month}.csv\"");
    let limits = client::Call::once(&caller, STATEMENT_LIMIT);
    let message = GetStatementRequest { month };
    let mut pieces = call!(
        call.gateway.services().wallet,
        get_statement,
        message,
        limits
    )
    .await?;
    // Before the first piece a refusal can still be an envelope.
    let first = pieces
        .message()
        .await?
        .ok_or_else(|| Failure::broken_answer("statement"))?;
    let first = written(&first, true)?;
    // The next piece is requested once the client has received the previous one, so nothing accumulates here.
    let rest = try_unfold(pieces, next);
    let body = Body::from_stream(once(async { Ok(first) }).chain(rest));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/csv; charset=utf-8"),
    );
    let disposition = HeaderValue::from_str(&disposition)
        .map_err(|error| Failure::internal("name a statement", &error))?;
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    Ok(response)
}

type Pieces = Streaming<GetStatementResponse>;

/// The next piece. If it fails, the response is aborted, so that it cannot be mistaken for complete.
async fn next(mut pieces: Pieces) -> Result<Option<(Bytes, Pieces)>, std::io::Error> {
    match pieces.message().await {
        Ok(None) => Ok(None),
        Ok(Some(piece)) => {
            let text = written(&piece, false)
                .map_err(|failure| std::io::Error::other(failure.refusal.to_string()))?;
            Ok(Some((text, pieces)))
        }
        Err(status) => {
            warn!(code = ?status.code(), "a statement was aborted");
            Err(std::io::Error::other(status))
        }
    }
}

/// A piece as CSV; the first has the header line.
fn written(piece: &GetStatementResponse, is_first: bool) -> Result<Bytes, Failure> {
    let broken = |error: csv::Error| Failure::internal("write a statement", &error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    if is_first {
        writer.write_record(COLUMNS).map_err(broken)?;
    }
    for row in &piece.rows {
        writer
            .write_record(fields(row, &piece.user_id)?)
            .map_err(broken)?;
    }
    let text = writer
        .into_inner()
        .map_err(|error| Failure::internal("write a statement", error.error()))?;
    Ok(text.into())
}

fn fields(row: &StatementRow, user_id: &str) -> Result<[String; 20], Failure> {
    let money = |minor: i64| Money::from_minor(minor).to_string();
    let time = row.time.as_ref().and_then(|time| {
        let nanos = u32::try_from(time.nanos).ok()?;
        DateTime::from_timestamp(time.seconds, nanos)
    });
    let time = time.ok_or_else(|| Failure::broken_answer("time"))?;
    Ok([
        row.sequence.to_string(),
        // To the microsecond, as in the hash.
        time.to_rfc3339_opts(SecondsFormat::Micros, true),
        row.transaction_id.clone(),
        row.r#type.clone(),
        money(row.available_change_minor),
        money(row.to_be_consumed_change_minor),
        money(row.to_be_settled_change_minor),
        money(row.withdrawing_change_minor),
        money(row.available_minor),
        money(row.to_be_consumed_minor),
        money(row.to_be_settled_minor),
        money(row.withdrawing_minor),
        inert(&row.reference),
        inert(&row.remark),
        hex::encode(&row.previous_hash),
        hex::encode(&row.hash),
        user_id.to_owned(),
        money(row.guarantee_change_minor),
        // Empty in version 1 of the chain.
        hex::encode(&row.details),
        hex::encode(&row.undisclosed),
    ])
}

/// A text that spreadsheets do not interpret as a formula.
fn inert(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}
