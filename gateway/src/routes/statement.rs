//! The statement of a month: every transaction as CSV, with the hash chain that proves it, and what moved the available
//! funds as a PDF.

use std::time::Duration;

use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::spreadsheet::inert;
use adfolio_kit::wire::timestamp;
use adfolio_kit::{call, client};
use adfolio_proto::auth::v1::GetUserRequest;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::wallet::v1::{
    GetStatementRequest, GetStatementResponse, GetUserStatementRequest, ListFlowRequest,
    StatementRow, WalletAccount,
};
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, Utc};
use futures::stream::{Stream, StreamExt, once, try_unfold};
use tonic::Status;
use tracing::warn;

use super::wallet::name_plans;
use crate::call::{Call, send};
use crate::dto::wallet::{FlowEntry, FlowPage, Month, StatementQuery};
use crate::dto::{Money, present};
use crate::errors::Failure;
use crate::input::Query;
use crate::pdf::statement::Statement;
use crate::route::Route;

/// Limit of a statement, including the time the client takes to read it.
const STATEMENT_LIMIT: Duration = Duration::from_mins(2);

/// The content type of a statement.
pub const CSV: &str = "text/csv";

const PDF: &str = "application/pdf";

/// Entries of a PDF at most; it is made in memory.
const ENTRIES_MAX: usize = 10_000;

/// Entries that wallet is asked for at once.
const PAGE: u32 = 100;

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
        Route::get_whole(
            "/transaction_flow/statement/pdf",
            "getStatementDocument",
            "What moved the available funds in a month, with the balances before and after, as PDF in the caller's language \
             and time zone.",
            PDF,
            document,
        )
        .user()
        .fails(&[Reason::FileTooLarge]),
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
    let pieces = call!(
        call.gateway.services().wallet,
        get_statement,
        message,
        limits
    )
    .await?;
    answer(&disposition, pieces).await
}

/// The statement of any user, for staff.
pub async fn of_user(call: Call, user_id: String, month: Month) -> Result<Response, Failure> {
    let caller = Caller {
        deadline: Deadline::after(STATEMENT_LIMIT),
        ..call.caller
    };
    let month = month.into_text();
    let limits = client::Call::once(&caller, STATEMENT_LIMIT);
    let disposition = format!("attachment; filename=\"adfolio-statement-{month}.csv\"");
    let message = GetUserStatementRequest { user_id, month };
    let pieces = call!(
        call.gateway.services().wallet_admin,
        get_user_statement,
        message,
        limits
    )
    .await?;
    let pieces = pieces.map(|answer| answer.map(|answer| answer.piece.unwrap_or_default()));
    answer(&disposition, pieces).await
}

/// A statement that is sent as it comes.
async fn answer(
    disposition: &str,
    mut pieces: impl Stream<Item = Result<GetStatementResponse, Status>> + Send + Unpin + 'static,
) -> Result<Response, Failure> {
    // Before the first piece a refusal can still be an envelope.
    let first = pieces
        .next()
        .await
        .ok_or_else(|| Failure::broken_answer("statement"))??;
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
    let disposition = HeaderValue::from_str(disposition)
        .map_err(|error| Failure::internal("name a statement", &error))?;
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    Ok(response)
}

async fn document(call: Call, Query(query): Query<StatementQuery>) -> Result<Response, Failure> {
    let call = Call {
        caller: Caller {
            deadline: Deadline::after(STATEMENT_LIMIT),
            ..call.caller
        },
        ..call
    };
    let user = send!(call.reading(), auth.get_user, GetUserRequest {}).await?;
    let user = present(user.user, "user")?;
    let (lang, zone) = (call.lang, call.caller.time_zone);
    let opening = opening(&call, &query.month).await?;
    let month = query.month.into_text();
    let entries = entries(&call, &month).await?;
    let amounts = entries.iter().map(|entry| entry.amount.minor());
    let closing = Money::sum([opening].into_iter().chain(amounts))?.minor();
    let said = entries.last().map(|last| last.balance_after.minor());
    if said.is_some_and(|said| said != closing) {
        return Err(Failure::broken_answer("entries"));
    }
    let disposition = format!("attachment; filename=\"adfolio-statement-{month}.pdf\"");
    let statement = Statement {
        lang,
        zone,
        month,
        currency: call.gateway.currency().to_owned(),
        username: user.username,
        user_id: user.id,
        drawn_up: Utc::now(),
        opening,
        closing,
        entries,
    };
    let print = tokio::task::spawn_blocking(move || statement.print());
    let printed = print
        .await
        .map_err(|error| Failure::internal("print a statement", &error))??;
    let mut response = Response::new(Body::from(printed));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PDF));
    let disposition = HeaderValue::from_str(&disposition)
        .map_err(|error| Failure::internal("name a statement", &error))?;
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    Ok(response)
}

/// The available funds before a month: those after the last entry of before.
async fn opening(call: &Call, month: &Month) -> Result<i64, Failure> {
    let first_day = month.first_day();
    let first_day = first_day.ok_or_else(|| Refusal::invalid("month"))?;
    let start = call.caller.time_zone.start_of_day(first_day);
    let message = ListFlowRequest {
        account: WalletAccount::Available.into(),
        to: Some(timestamp(start)),
        page: Some(PageRequest {
            limit: 1,
            ..PageRequest::default()
        }),
        ..ListFlowRequest::default()
    };
    let response = send!(call.reading(), wallet.list_flow, message).await?;
    let last = response.items.first();
    Ok(last.map_or(0, |entry| entry.balance_after_minor))
}

/// The entries of the available funds in a month, oldest first, with the names of their plans.
async fn entries(call: &Call, month: &str) -> Result<Vec<FlowEntry>, Failure> {
    let (mut entries, mut cursor) = (Vec::new(), String::new());
    loop {
        let message = ListFlowRequest {
            account: WalletAccount::Available.into(),
            month: month.to_owned(),
            page: Some(PageRequest {
                limit: PAGE,
                cursor,
            }),
            ..ListFlowRequest::default()
        };
        let response = send!(call.reading(), wallet.list_flow, message).await?;
        let mut page = FlowPage::from_proto(response)?;
        name_plans(call, &mut page.items).await;
        entries.append(&mut page.items);
        if entries.len() > ENTRIES_MAX {
            return Err(Refusal::new(Reason::FileTooLarge).into());
        }
        match page.next_cursor {
            Some(next) => cursor = next,
            None => break,
        }
    }
    entries.reverse();
    Ok(entries)
}

/// The next piece. If it fails, the response is aborted, so that it cannot be mistaken for complete.
async fn next<S>(mut pieces: S) -> Result<Option<(Bytes, S)>, std::io::Error>
where
    S: Stream<Item = Result<GetStatementResponse, Status>> + Unpin,
{
    match pieces.next().await {
        None => Ok(None),
        Some(Ok(piece)) => {
            let text = written(&piece, false)
                .map_err(|failure| std::io::Error::other(failure.refusal.to_string()))?;
            Ok(Some((text, pieces)))
        }
        Some(Err(status)) => {
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
