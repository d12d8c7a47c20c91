//! Foreign exchange acceptors.

use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1::GetAcceptorDetailRequest;

use crate::call::{Call, read};
use crate::dto::acceptor::{AcceptorDetail, AcceptorDetailRequest};
use crate::errors::Failure;
use crate::input::Json;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/acceptor/detail",
            "getAcceptorDetail",
            "What is behind an acceptance code.",
            detail,
        )
        .user()
        .fails(&[Reason::AcceptanceCodeError]),
    ]
}

async fn detail(
    call: Call,
    Json(request): Json<AcceptorDetailRequest>,
) -> Result<AcceptorDetail, Failure> {
    let message = GetAcceptorDetailRequest {
        kind: request.kind.into(),
        code: request.code,
    };
    AcceptorDetail::from_proto(read!(call, acceptor.get_acceptor_detail, message)?)
}
