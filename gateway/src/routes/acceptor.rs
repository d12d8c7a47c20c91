//! Foreign exchange.

use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as acceptor;

use crate::call::{Call, read, write_call};
use crate::dto::acceptor::{AcceptorDetail, AcceptorDetailRequest};
use crate::dto::exchange::{CreateExchangeRequest, ExchangeOrder, ExchangePage};
use crate::dto::secret::to_message;
use crate::dto::{ById, PageQuery, present};
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
            "What is behind an acceptance code, and the caller's pending exchange order.",
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
    AcceptorDetail::from_proto(read!(call, acceptor.get_acceptor_detail, message)?)
}

async fn list(call: Call, Query(query): Query<PageQuery>) -> Result<ExchangePage, Failure> {
    let message = acceptor::ListExchangesRequest {
        page: query.into_page(),
    };
    ExchangePage::from_proto(read!(call, acceptor.list_exchanges, message)?)
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
    ExchangeOrder::from_proto(present(
        write_call!(call, acceptor.create_exchange, message)?.exchange,
        "exchange",
    )?)
}

async fn cancel(call: Call, Json(request): Json<ById>) -> Result<ExchangeOrder, Failure> {
    let message = acceptor::CancelExchangeRequest {
        exchange_id: request.id,
    };
    ExchangeOrder::from_proto(present(
        write_call!(call, acceptor.cancel_exchange, message)?.exchange,
        "exchange",
    )?)
}
