//! The life of staff accounts: confirmation, state, role, password and sessions.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;

use crate::call::{Call, send};
use crate::dto::Decode;
use crate::dto::secret::to_message;
use crate::dto::staff_account::{
    ConfirmStaffRequest, EndStaffSessionsRequest, Staff, StaffPassword, StaffPasswordRequest,
    StaffRoleRequest, StaffStateRequest,
};
use crate::errors::Failure;
use crate::input::Json;
use crate::messages::Success;
use crate::route::{ADMIN, ANY_ROLE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/staff/confirm",
            "confirmStaff",
            "Confirms that another person than its maker holds an account, which then decides about the maker's others.",
            confirm,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update),
        Route::post(
            "/admin/staff/state",
            "setStaffState",
            "Disables another member's account, or makes it active again; the member's sessions end.",
            set_state,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update)
        .keyed(),
        Route::post(
            "/admin/staff/role",
            "setStaffRole",
            "Changes the role of another member; the member's sessions end.",
            set_role,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update)
        .keyed(),
        Route::post(
            "/admin/staff/password",
            "changeStaffPassword",
            "Changes one's own password, or gives another member a one-time password; the member's sessions end.",
            password,
        )
        .staff(ANY_ROLE)
        .admits_one_time_password()
        .fails(&[
            Reason::Forbidden,
            Reason::NotFound,
            Reason::WrongPassword,
            Reason::PasswordUnchanged,
            Reason::PasswordChangeRequired,
        ])
        .says(Success::Update),
        Route::post(
            "/admin/staff/sessions/end",
            "endStaffSessions",
            "Ends every session of a member: an admin for anybody, the others for themselves.",
            end_sessions,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::Forbidden, Reason::NotFound])
        .says(Success::Update),
    ]
}

async fn confirm(call: Call, Json(request): Json<ConfirmStaffRequest>) -> Result<Staff, Failure> {
    let message = auth::ConfirmStaffRequest {
        staff_id: request.staff_id,
        reason: request.reason,
    };
    let response = send!(call.writing(), auth_admin.confirm_staff, message).await?;
    Staff::decode(response.staff, "staff")
}

async fn set_state(call: Call, Json(request): Json<StaffStateRequest>) -> Result<Staff, Failure> {
    let message = auth::SetStaffStateRequest {
        staff_id: request.staff_id,
        state: request.state.into(),
        reason: request.reason,
    };
    let response = send!(call.writing(), auth_admin.set_staff_state, message).await?;
    ended(&call, response.staff)
}

async fn set_role(call: Call, Json(request): Json<StaffRoleRequest>) -> Result<Staff, Failure> {
    let message = auth::SetStaffRoleRequest {
        staff_id: request.staff_id,
        role: request.role.into(),
        reason: request.reason,
    };
    let response = send!(call.writing(), auth_admin.set_staff_role, message).await?;
    ended(&call, response.staff)
}

async fn password(
    call: Call,
    Json(request): Json<StaffPasswordRequest>,
) -> Result<StaffPassword, Failure> {
    let Some(staff_id) = request.staff_id else {
        let old = request.old_password;
        let old = old.ok_or_else(|| Failure::invalid("old_password"))?;
        let new = request.new_password;
        let new = new.ok_or_else(|| Failure::invalid("new_password"))?;
        let message = auth::ChangeStaffPasswordRequest {
            old_password: to_message(&old),
            new_password: to_message(&new),
            client_address: call.client_address.to_string(),
            token: call.token()?.to_message(),
        };
        let response = send!(call.writing(), auth_admin.change_staff_password, message).await?;
        return Ok(StaffPassword {
            staff: ended(&call, response.staff)?,
            one_time_password: None,
        });
    };
    if request.old_password.is_some() || request.new_password.is_some() {
        return Err(Failure::invalid("staff_id"));
    }
    let message = auth::ResetStaffPasswordRequest {
        staff_id,
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), auth_admin.reset_staff_password, message).await?;
    Ok(StaffPassword {
        staff: ended(&call, response.staff)?,
        one_time_password: Some(response.one_time_password.into()),
    })
}

async fn end_sessions(
    call: Call,
    Json(request): Json<EndStaffSessionsRequest>,
) -> Result<Staff, Failure> {
    let message = auth::EndStaffSessionsRequest {
        staff_id: request.staff_id,
    };
    let response = send!(call.writing(), auth_admin.end_staff_sessions, message).await?;
    ended(&call, response.staff)
}

/// A member whose sessions have ended. The event tells every replica. This one must know before the next request.
pub(super) fn ended(call: &Call, staff: Option<auth::Staff>) -> Result<Staff, Failure> {
    let staff = Staff::decode(staff, "staff")?;
    let id = staff.id.parse();
    call.gateway
        .sessions()
        .forget(id.map_err(|_| Failure::broken_answer("staff.id"))?);
    Ok(staff)
}
