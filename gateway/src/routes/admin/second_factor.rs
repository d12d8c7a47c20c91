//! The second factor of staff: set up, shown, reset.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;

use super::staff::ended;
use crate::call::{Call, send};
use crate::dto::Empty;
use crate::dto::second_factor::{
    ConfirmSecondFactorRequest, FreshStaffSession, ResetSecondFactorRequest, SecondFactor,
};
use crate::dto::secret::to_message;
use crate::dto::staff_account::Staff;
use crate::errors::Failure;
use crate::input::Json;
use crate::messages::Success;
use crate::route::{ADMIN, ANY_ROLE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/second_factor/enroll",
            "enrollSecondFactor",
            "Makes a second factor of the caller, which the first code activates. An active one is for another admin to reset.",
            enroll,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::Forbidden])
        .says(Success::Submission),
        Route::post(
            "/admin/second_factor/confirm",
            "confirmSecondFactor",
            "Shows the second factor in the session, which is fresh for 15 minutes, and activates it the first time.",
            confirm,
        )
        .staff(ANY_ROLE)
        .admits_one_time_password()
        .fails(&[Reason::NotFound, Reason::SecondFactorRequired]),
        Route::post(
            "/admin/second_factor/reset",
            "resetSecondFactor",
            "Removes the second factor of another member, who sets up another one; the member's sessions end.",
            reset,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update),
    ]
}

async fn enroll(call: Call, _: Json<Empty>) -> Result<SecondFactor, Failure> {
    let message = auth::EnrollSecondFactorRequest {};
    let response = send!(call.writing(), auth_admin.enroll_second_factor, message).await?;
    Ok(response.into())
}

async fn confirm(
    call: Call,
    Json(request): Json<ConfirmSecondFactorRequest>,
) -> Result<FreshStaffSession, Failure> {
    let message = auth::ConfirmSecondFactorRequest {
        token: call.token()?.to_message(),
        code: to_message(&request.code),
        client_address: call.client_address.to_string(),
    };
    let response = send!(call.writing(), auth_admin.confirm_second_factor, message).await?;
    if let Some(staff) = call.caller.staff {
        call.gateway.sessions().forget(staff.id);
    }
    FreshStaffSession::from_proto(response)
}

async fn reset(
    call: Call,
    Json(request): Json<ResetSecondFactorRequest>,
) -> Result<Staff, Failure> {
    let message = auth::ResetSecondFactorRequest {
        staff_id: request.staff_id,
        reason: request.reason,
    };
    let response = send!(call.writing(), auth_admin.reset_second_factor, message).await?;
    ended(&call, response.staff)
}
