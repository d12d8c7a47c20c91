//! Who may report delivery, and with which keys files are signed.

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1 as plan;

use crate::call::{Call, send};
use crate::dto::Decode;
use crate::dto::source::{
    AddReportSourceKeyRequest, ReportSource, ReportSourceList, RevokeReportSourceKeyRequest,
    SaveReportSourceRequest,
};
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::{ADMIN, ANY_ROLE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/source/save",
            "saveReportSource",
            "Registers who may report as a source, and how, or changes it.",
            save,
        )
        .staff(ADMIN)
        .says(Success::Update),
        Route::post(
            "/admin/source/key/add",
            "addReportSourceKey",
            "Adds a key with which a source signs its files; from then on all of them must be signed.",
            add_key,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound])
        .says(Success::Update),
        Route::post(
            "/admin/source/key/revoke",
            "revokeReportSourceKey",
            "Revokes a key of a source; proposed files that it signed can no longer be released.",
            revoke_key,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update),
        Route::get(
            "/admin/source/list",
            "listReportSources",
            "Registered sources with their keys, by name.",
            list,
        )
        .staff(ANY_ROLE),
    ]
}

async fn save(
    call: Call,
    Json(request): Json<SaveReportSourceRequest>,
) -> Result<ReportSource, Failure> {
    let message = plan::SaveReportSourceRequest {
        source: request.source,
        channels: request.channels.into_iter().map(Into::into).collect(),
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), plan_admin.save_report_source, message).await?;
    ReportSource::decode(response.source, "source")
}

async fn add_key(
    call: Call,
    Json(request): Json<AddReportSourceKeyRequest>,
) -> Result<ReportSource, Failure> {
    let message = plan::AddReportSourceKeyRequest {
        source: request.source,
        public_key: request.public_key,
    };
    let response = send!(call.writing(), plan_admin.add_report_source_key, message).await?;
    ReportSource::decode(response.source, "source")
}

async fn revoke_key(
    call: Call,
    Json(request): Json<RevokeReportSourceKeyRequest>,
) -> Result<ReportSource, Failure> {
    let message = plan::RevokeReportSourceKeyRequest {
        kid: request.kid,
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), plan_admin.revoke_report_source_key, message).await?;
    ReportSource::decode(response.source, "source")
}

async fn list(call: Call, _: Nothing) -> Result<ReportSourceList, Failure> {
    let message = plan::ListReportSourcesRequest {};
    let response = send!(call.reading(), plan_admin.list_report_sources, message).await?;
    ReportSourceList::from_proto(response)
}
