//! Acceptors and acceptance codes.

use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1 as acceptor;

use crate::call::{Call, send};
use crate::dto::acceptor::{
    AcceptanceCode, Acceptor, CreateAcceptanceCodeRequest, CreateAcceptorRequest, rating_tenths,
};
use crate::dto::{Decode, Page, PageQuery};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ANY_ROLE, FINANCE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/acceptor/create",
            "createAcceptor",
            "Creates an acceptor.",
            create,
        )
        .staff(FINANCE)
        .says(Success::Submission)
        .keyed(),
        Route::get(
            "/admin/acceptor/list",
            "listAcceptors",
            "Acceptors, newest first.",
            list,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/acceptance_code/create",
            "createAcceptanceCode",
            "Issues an acceptance code.",
            create_code,
        )
        .staff(FINANCE)
        .fails(&[Reason::NotFound])
        .says(Success::Submission)
        .keyed(),
    ]
}

async fn create(
    call: Call,
    Json(request): Json<CreateAcceptorRequest>,
) -> Result<Acceptor, Failure> {
    let rating_tenths = match &request.rating {
        Some(rating) => rating_tenths(rating).ok_or_else(|| Failure::invalid("rating"))?,
        None => 0,
    };
    let message = acceptor::CreateAcceptorRequest {
        kind: request.kind.into(),
        name: request.name,
        rating_tenths,
    };
    let response = send!(call.writing(), acceptor_admin.create_acceptor, message).await?;
    Acceptor::decode(response.acceptor, "acceptor")
}

async fn list(call: Call, Query(query): Query<PageQuery>) -> Result<Page<Acceptor>, Failure> {
    let message = acceptor::ListAcceptorsRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), acceptor_admin.list_acceptors, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn create_code(
    call: Call,
    Json(request): Json<CreateAcceptanceCodeRequest>,
) -> Result<AcceptanceCode, Failure> {
    let message = acceptor::CreateAcceptanceCodeRequest {
        acceptor_id: request.acceptor_id,
        user_id: request.user_id.unwrap_or_default(),
        offer: Some(acceptor::Offer {
            id: String::new(),
            direction: request.direction.into(),
            currency: request.currency,
            rate: request.rate.as_str().to_owned(),
            min_minor: request.min.minor(),
            max_minor: request.max.minor(),
            expires_at: Some(request.expires_at.into_proto()),
        }),
        code: String::new(),
    };
    let response = send!(
        call.writing(),
        acceptor_admin.create_acceptance_code,
        message
    )
    .await?;
    AcceptanceCode::from_proto(response)
}
