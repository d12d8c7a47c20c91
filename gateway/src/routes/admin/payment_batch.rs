//! Payment batches: withdrawals that the bank pays with one file.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_kit::{call, client};
use adfolio_proto::wallet::v1 as wallet;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;

use crate::call::{Call, send};
use crate::dto::payment_batch::{
    DecidePaymentBatchRequest, PayPaymentBatchRequest, PaymentBatch, PaymentBatchListQuery,
    PaymentFileQuery, ProposePaymentBatchRequest, TakeOutRequest,
};
use crate::dto::withdrawal::StaffWithdrawal;
use crate::dto::{Decode, Page, page, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{FINANCE, Route};

/// Limit of the calls that go through a whole batch.
const BATCH_LIMIT: Duration = Duration::from_secs(30);

const XML: &str = "application/xml";

const CSV: &str = "text/csv";

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/payment_batch/list",
            "listPaymentBatches",
            "Payment batches, newest first.",
            list,
        )
        .staff(FINANCE),
        Route::post(
            "/admin/payment_batch/propose",
            "proposePaymentBatch",
            "Gathers pending withdrawals for one payment file; from then on they are decided by the batch alone.",
            propose,
        )
        .staff(FINANCE)
        .fails(&[
            Reason::NotFound,
            Reason::NothingChanged,
            Reason::WalletFrozen,
        ])
        .says(Success::Submission),
        Route::post(
            "/admin/payment_batch/decide",
            "decidePaymentBatch",
            "Releases a proposed batch, by another person than the one who proposed it, or dissolves it.",
            decide,
        )
        .staff(FINANCE)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update),
        Route::get_whole(
            "/admin/payment_batch/pain001",
            "getPaymentFile",
            "The file of a released batch for the bank, as pain.001.001.09 of ISO 20022; audited.",
            XML,
            pain001,
        )
        .staff(FINANCE)
        .fails(&[Reason::NotFound, Reason::NothingChanged]),
        Route::get_whole(
            "/admin/payment_batch/csv",
            "getPaymentTable",
            "The payments of a released batch as CSV; audited.",
            CSV,
            table,
        )
        .staff(FINANCE)
        .fails(&[Reason::NotFound, Reason::NothingChanged]),
        Route::post(
            "/admin/payment_batch/pay",
            "payPaymentBatch",
            "Records that the bank has paid a released batch: every withdrawal in it is posted as paid.",
            pay,
        )
        .staff(FINANCE)
        .fails(&[
            Reason::NotFound,
            Reason::NothingChanged,
            Reason::WalletFrozen,
        ])
        .says(Success::Update),
        Route::post(
            "/admin/payment_batch/take_out",
            "takeOutOfPaymentBatch",
            "Takes a withdrawal that the bank did not pay out of its batch. Of a released one by two members of staff.",
            take_out,
        )
        .staff(FINANCE)
        .fails(&[
            Reason::NotFound,
            Reason::NothingChanged,
            Reason::ApprovalRequired,
        ])
        .says(Success::Update),
    ]
}

async fn list(
    call: Call,
    Query(query): Query<PaymentBatchListQuery>,
) -> Result<Page<PaymentBatch>, Failure> {
    let message = wallet::ListPaymentBatchesRequest {
        id: query.id.unwrap_or_default(),
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), bank_admin.list_payment_batches, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn propose(
    call: Call,
    Json(request): Json<ProposePaymentBatchRequest>,
) -> Result<PaymentBatch, Failure> {
    let message = wallet::ProposePaymentBatchRequest {
        withdrawal_ids: request.withdrawal_ids,
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), bank_admin.propose_payment_batch, message).await?;
    PaymentBatch::decode(response.batch, "batch")
}

async fn decide(
    call: Call,
    Json(request): Json<DecidePaymentBatchRequest>,
) -> Result<PaymentBatch, Failure> {
    let message = wallet::DecidePaymentBatchRequest {
        batch_id: request.id,
        decision: request.decision.into(),
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), bank_admin.decide_payment_batch, message).await?;
    PaymentBatch::decode(response.batch, "batch")
}

async fn pain001(call: Call, Query(query): Query<PaymentFileQuery>) -> Result<Response, Failure> {
    let format = wallet::PaymentFileFormat::Pain001;
    file(call, query, format, (XML, "xml")).await
}

async fn table(call: Call, Query(query): Query<PaymentFileQuery>) -> Result<Response, Failure> {
    let format = wallet::PaymentFileFormat::Csv;
    file(call, query, format, ("text/csv; charset=utf-8", "csv")).await
}

async fn file(
    call: Call,
    query: PaymentFileQuery,
    format: wallet::PaymentFileFormat,
    (media_type, extension): (&'static str, &str),
) -> Result<Response, Failure> {
    let message = wallet::GetPaymentFileRequest {
        batch_id: query.id.clone(),
        format: format.into(),
    };
    let limits = client::Call::repeated(&call.caller, BATCH_LIMIT).within(BATCH_LIMIT);
    let response = call!(
        call.gateway.services().bank_admin,
        get_payment_file,
        message,
        limits
    )
    .await?;
    let name = format!("attachment; filename=\"payments-{}.{extension}\"", query.id);
    let name = HeaderValue::from_str(&name)
        .map_err(|error| Failure::internal("name a payment file", &error))?;
    let mut answer = Response::new(Body::from(response.content));
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CONTENT_DISPOSITION, name);
    Ok(answer)
}

async fn pay(
    call: Call,
    Json(request): Json<PayPaymentBatchRequest>,
) -> Result<PaymentBatch, Failure> {
    let message = wallet::PayPaymentBatchRequest {
        batch_id: request.id,
        reason: request.reason,
    };
    // Each withdrawal is posted once, so a lost answer may be asked for again.
    let limits = client::Call::repeated(&call.caller, BATCH_LIMIT).within(BATCH_LIMIT);
    let response = call!(
        call.gateway.services().bank_admin,
        pay_payment_batch,
        message,
        limits
    )
    .await?;
    PaymentBatch::decode(response.batch, "batch")
}

async fn take_out(
    call: Call,
    Json(request): Json<TakeOutRequest>,
) -> Result<StaffWithdrawal, Failure> {
    let message = wallet::TakeOutOfPaymentBatchRequest {
        withdrawal_id: request.id,
        reason: request.reason,
    };
    let response = send!(
        call.writing(),
        bank_admin.take_out_of_payment_batch,
        message
    )
    .await?;
    super::withdrawal::named(&call, present(response.withdrawal, "withdrawal")?).await
}
