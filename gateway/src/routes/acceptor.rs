//! Foreign exchange.

use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as acceptor;

use crate::call::{Call, send};
use crate::dto::acceptor::{AcceptorDetail, AcceptorDetailRequest};
use crate::dto::exchange::{CreateExchangeRequest, ExchangeOrder};
use crate::dto::secret::to_message;
use crate::dto::{ById, Decode, Page, PageQuery};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/acceptor/detail",
            "getAcceptorDetail",
            "The acceptor and offer of an acceptance code, and the caller's pending exchange order.",
            detail,
        )
        .user()
        .fails(&[Reason::AcceptanceCodeError]),
        Route::get(
            "/acceptor/order/list",
            "listExchanges",
            "The caller's exchange orders, newest first.",
            list,
        )
        .user(),
        Route::post(
            "/acceptor/order/create",
            "createExchange",
            "Opens an exchange order behind an acceptance code.",
            create,
        )
        .user()
        .fails(&[
            Reason::AcceptanceCodeError,
            Reason::ExchangeLimit,
            Reason::ExchangeOpen,
            Reason::StartUpFundsNotReturned,
            Reason::WithdrawalCoolingOff,
            Reason::DayLimitReached,
            Reason::WalletFrozen,
            Reason::PayPasswordNotSet,
            Reason::PayPasswordLocked,
            Reason::WrongPayPassword,
            Reason::InsufficientBalance,
        ])
        .says(Success::Submission)
        .keyed(),
        Route::post(
            "/acceptor/order/cancel",
            "cancelExchange",
            "Cancels a pending exchange order.",
            cancel,
        )
        .user()
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn detail(
    call: Call,
    Json(request): Json<AcceptorDetailRequest>,
) -> Result<AcceptorDetail, Failure> {
    let message = acceptor::GetAcceptorDetailRequest {
        kind: request.kind.into(),
        code: to_message(&request.code),
    };
    let response = send!(call.reading(), acceptor.get_acceptor_detail, message).await?;
    AcceptorDetail::from_proto(response)
}

async fn list(call: Call, Query(query): Query<PageQuery>) -> Result<Page<ExchangeOrder>, Failure> {
    let message = acceptor::ListExchangesRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), acceptor.list_exchanges, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn create(
    call: Call,
    Json(request): Json<CreateExchangeRequest>,
) -> Result<ExchangeOrder, Failure> {
    let message = acceptor::CreateExchangeRequest {
        kind: request.kind.into(),
        code: to_message(&request.code),
        amount_minor: request.amount.minor(),
        password: to_message(&request.password),
    };
    let response = send!(call.writing(), acceptor.create_exchange, message).await?;
    ExchangeOrder::decode(response.exchange, "exchange")
}

async fn cancel(call: Call, Json(request): Json<ById>) -> Result<ExchangeOrder, Failure> {
    let message = acceptor::CancelExchangeRequest {
        exchange_id: request.id,
    };
    let response = send!(call.writing(), acceptor.cancel_exchange, message).await?;
    ExchangeOrder::decode(response.exchange, "exchange")
}
