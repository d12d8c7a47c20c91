//! Delivery reports that the gate holds back: staff list and decide them.

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1 as plan;

use crate::call::{Call, send};
use crate::dto::quarantine::{
    DecideQuarantineRequest, DecidedReports, QuarantineListQuery, QuarantinedReport,
};
use crate::dto::{Page, page};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ANY_ROLE, FINANCE_AND_OPERATOR, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/delivery/quarantine/list",
            "listQuarantinedReports",
            "Delivery reports that the gate holds back, newest first.",
            list,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/delivery/quarantine/decide",
            "decideQuarantinedReports",
            "Releases reports that the gate holds back, or rejects them. Who imported them never decides, and a release above \
             the amount of four eyes takes another member of staff.",
            decide,
        )
        .staff(FINANCE_AND_OPERATOR)
        .fails(&[
            Reason::NotFound,
            Reason::NothingChanged,
            Reason::ApprovalRequired,
        ])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn list(
    call: Call,
    Query(query): Query<QuarantineListQuery>,
) -> Result<Page<QuarantinedReport>, Failure> {
    let message = plan::ListQuarantinedReportsRequest {
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), plan_admin.list_quarantined_reports, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn decide(
    call: Call,
    Json(request): Json<DecideQuarantineRequest>,
) -> Result<DecidedReports, Failure> {
    let message = plan::DecideQuarantinedReportsRequest {
        ids: request.ids,
        decision: request.decision.into(),
        reason: request.reason,
    };
    let response = send!(
        call.writing(),
        plan_admin.decide_quarantined_reports,
        message
    )
    .await?;
    DecidedReports::from_proto(response)
}
