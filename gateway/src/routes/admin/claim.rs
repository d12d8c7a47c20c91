//! Claims: two members of staff on one item see each other. They warn and block nobody, so they are not audited.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;

use crate::call::{Call, send};
use crate::dto::claim::{Claim, ClaimListQuery, ClaimRequest};
use crate::dto::{Empty, Page, page, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::route::{ANY_ROLE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/claim",
            "claimItem",
            "Says for two minutes that the caller works on an item, or says so again. Answers who holds the claim, which \
             is somebody else where they were first. It warns and blocks nobody, and is not audited.",
            claim,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::Forbidden]),
        Route::post(
            "/admin/claim/release",
            "releaseClaim",
            "Ends the caller's claim on an item, if there is one.",
            release,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::Forbidden]),
        Route::get(
            "/admin/claims",
            "listClaims",
            "Claims on items of one kind, newest first.",
            list,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::Forbidden]),
    ]
}

async fn claim(call: Call, Json(request): Json<ClaimRequest>) -> Result<Claim, Failure> {
    let message = auth::ClaimItemRequest {
        kind: request.kind.into(),
        item_id: request.id,
    };
    let response = send!(call.writing(), auth_admin.claim_item, message).await?;
    Claim::from_proto(present(response.claim, "claim")?, &own_id(&call))
}

async fn release(call: Call, Json(request): Json<ClaimRequest>) -> Result<Empty, Failure> {
    let message = auth::ReleaseClaimRequest {
        kind: request.kind.into(),
        item_id: request.id,
    };
    send!(call.writing(), auth_admin.release_claim, message).await?;
    Ok(Empty {})
}

async fn list(call: Call, Query(query): Query<ClaimListQuery>) -> Result<Page<Claim>, Failure> {
    let message = auth::ListClaimsRequest {
        kind: query.kind.into(),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), auth_admin.list_claims, message).await?;
    let own = own_id(&call);
    Page::compose(response.items, response.next_cursor, |item| {
        Claim::from_proto(item, &own)
    })
}

fn own_id(call: &Call) -> String {
    let staff = call.caller.staff;
    staff.map_or_else(String::new, |staff| staff.id.to_string())
}
