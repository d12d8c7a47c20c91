//! Staff accounts, licence keys and the audit log.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;

use crate::call::{Call, send};
use crate::dto::audit::{AuditEntry, AuditListQuery};
use crate::dto::secret::{to_message, to_message_or_empty};
use crate::dto::staff::{CreateLicenseRequest, License, LicenseList};
use crate::dto::staff_account::{
    CreateStaffRequest, ListedStaff, Staff, StaffLoginRequest, StaffSession,
};
use crate::dto::{Decode, Empty, Page, PageQuery, page};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ADMIN, ANY_ROLE, Route, SUPPORT};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    let mut routes = account_routes();
    routes.extend(super::staff::routes());
    routes.extend(log_routes());
    routes
}

fn account_routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/login",
            "staffLogin",
            "Opens a staff session.",
            login,
        )
        .fails(&[
            Reason::BadCredentials,
            Reason::AccountDisabled,
            Reason::SecondFactorRequired,
        ])
        .says(Success::Login),
        Route::post(
            "/admin/logout",
            "staffLogout",
            "Ends the staff session.",
            logout,
        )
        .staff(ANY_ROLE)
        .admits_one_time_password(),
        Route::post(
            "/admin/staff/create",
            "createStaff",
            "Creates a staff account.",
            create,
        )
        .staff(ADMIN)
        .fails(&[Reason::UsernameTaken])
        .says(Success::Submission)
        .keyed(),
        Route::get(
            "/admin/staff/list",
            "listStaff",
            "Staff accounts, newest first.",
            list,
        )
        .staff(ADMIN),
    ]
}

fn log_routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/license/create",
            "createLicenses",
            "Issues licence keys.",
            create_licenses,
        )
        .staff(SUPPORT)
        .says(Success::Submission)
        .keyed(),
        Route::get(
            "/admin/license/list",
            "listLicenses",
            "Licence keys, newest first.",
            licenses,
        )
        .staff(SUPPORT),
        Route::get(
            "/admin/audit/list",
            "listAudit",
            "The audit log, newest first.",
            audit,
        )
        .staff(ADMIN),
    ]
}

async fn login(
    call: Call,
    Json(request): Json<StaffLoginRequest>,
) -> Result<StaffSession, Failure> {
    let message = auth::StaffLoginRequest {
        username: request.username,
        password: to_message(&request.password),
        client_address: call.client_address.to_string(),
        code: to_message_or_empty(request.code.as_ref()),
        device_token: to_message_or_empty(request.device_token.as_ref()),
    };
    let response = send!(call.writing(), auth_admin.staff_login, message).await?;
    StaffSession::from_proto(response)
}

async fn logout(call: Call, _: Json<Empty>) -> Result<Empty, Failure> {
    let message = auth::StaffLogoutRequest {
        token: call.token()?.to_message(),
    };
    send!(call.writing(), auth_admin.staff_logout, message).await?;
    if let Some(staff) = call.caller.staff {
        call.gateway.sessions().forget(staff.id);
    }
    Ok(Empty {})
}

async fn create(call: Call, Json(request): Json<CreateStaffRequest>) -> Result<Staff, Failure> {
    let message = auth::CreateStaffRequest {
        username: request.username,
        password: to_message(&request.password),
        role: request.role.into(),
        second: None,
    };
    let response = send!(call.writing(), auth_admin.create_staff, message).await?;
    Staff::decode(response.staff, "staff")
}

async fn list(call: Call, Query(query): Query<PageQuery>) -> Result<Page<ListedStaff>, Failure> {
    let message = auth::ListStaffRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), auth_admin.list_staff, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn create_licenses(
    call: Call,
    Json(request): Json<CreateLicenseRequest>,
) -> Result<LicenseList, Failure> {
    let message = auth::CreateLicenseKeysRequest {
        count: request.count,
        note: request.note.unwrap_or_default(),
        activate: request.activate.unwrap_or(true),
        codes: Vec::new(),
    };
    let response = send!(call.writing(), auth_admin.create_license_keys, message).await?;
    LicenseList::from_proto(response)
}

async fn licenses(call: Call, Query(query): Query<PageQuery>) -> Result<Page<License>, Failure> {
    let message = auth::ListLicenseKeysRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), auth_admin.list_license_keys, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn audit(
    call: Call,
    Query(query): Query<AuditListQuery>,
) -> Result<Page<AuditEntry>, Failure> {
    let message = auth::ListAuditRequest {
        staff_id: query.staff_id.unwrap_or_default(),
        user_id: query.user_id.unwrap_or_default(),
        action: query.action.unwrap_or_default(),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), auth_admin.list_audit, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}
