//! Passkeys of staff: a login without a password, and a second factor.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;

use crate::call::{Call, send};
use crate::dto::passkey::{
    ConfirmWithPasskeyRequest, Passkey, PasskeyCeremony, PasskeyLoginRequest, Passkeys,
    RegisterPasskeyRequest, RemovePasskeyRequest,
};
use crate::dto::second_factor::FreshStaffSession;
use crate::dto::secret::{to_message, to_message_or_empty};
use crate::dto::staff_account::StaffSession;
use crate::dto::{Decode, Empty};
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::{ANY_ROLE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/passkey/login_options",
            "startPasskeyLogin",
            "Begins a login by passkey, which replaces user name, password and second factor. `UNAVAILABLE` where no \
             passkeys are configured, as everywhere here.",
            begin_login,
        ),
        Route::post(
            "/admin/passkey/login",
            "loginWithPasskey",
            "Opens a staff session for a passkey. The second factor is shown in it.",
            login,
        )
        .fails(&[Reason::BadCredentials, Reason::AccountDisabled])
        .says(Success::Login),
        Route::post(
            "/admin/passkey/registration",
            "startPasskeyRegistration",
            "Begins the registration of a passkey of the caller, who has at most ten.",
            begin_registration,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::Forbidden]),
        Route::post(
            "/admin/passkey/register",
            "registerPasskey",
            "Registers a passkey of the caller. The second factor counts as shown in the session.",
            register,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::Forbidden])
        .says(Success::Submission),
        Route::get(
            "/admin/passkeys",
            "listPasskeys",
            "The caller's passkeys.",
            list,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/passkey/remove",
            "removePasskey",
            "Removes a passkey of the caller. The last second factor is for another admin to reset.",
            remove,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::Forbidden, Reason::NotFound])
        .says(Success::Update),
        Route::post(
            "/admin/passkey/confirmation",
            "startPasskeyConfirmation",
            "Begins to show a passkey in the session.",
            begin_confirmation,
        )
        .staff(ANY_ROLE)
        .admits_one_time_password()
        .fails(&[Reason::NotFound]),
        Route::post(
            "/admin/passkey/confirm",
            "confirmWithPasskey",
            "Shows the second factor in the session by a passkey. The session is fresh for 15 minutes.",
            confirm,
        )
        .staff(ANY_ROLE)
        .admits_one_time_password()
        .fails(&[Reason::SecondFactorRequired]),
    ]
}

async fn begin_login(call: Call, _: Json<Empty>) -> Result<PasskeyCeremony, Failure> {
    let message = auth::StartPasskeyLoginRequest {};
    let begun = send!(call.writing(), auth_admin.start_passkey_login, message).await?;
    PasskeyCeremony::new(begun.ceremony, &begun.options)
}

async fn login(
    call: Call,
    Json(request): Json<PasskeyLoginRequest>,
) -> Result<StaffSession, Failure> {
    let message = auth::LoginWithPasskeyRequest {
        ceremony: to_message(&request.ceremony),
        credential: to_message(&request.credential),
        client_address: call.client_address.to_string(),
        device_token: to_message_or_empty(request.device_token.as_ref()),
    };
    let opened = send!(call.writing(), auth_admin.login_with_passkey, message).await?;
    StaffSession::from_proto(auth::StaffLoginResponse {
        token: opened.token,
        staff: opened.staff,
        device_token: opened.device_token,
    })
}

async fn begin_registration(call: Call, _: Json<Empty>) -> Result<PasskeyCeremony, Failure> {
    let message = auth::StartPasskeyRegistrationRequest {};
    let begun = send!(
        call.writing(),
        auth_admin.start_passkey_registration,
        message
    )
    .await?;
    PasskeyCeremony::new(begun.ceremony, &begun.options)
}

async fn register(
    call: Call,
    Json(request): Json<RegisterPasskeyRequest>,
) -> Result<Passkey, Failure> {
    let message = auth::RegisterPasskeyRequest {
        token: call.token()?.to_message(),
        ceremony: to_message(&request.ceremony),
        credential: to_message(&request.credential),
        name: request.name,
    };
    let response = send!(call.writing(), auth_admin.register_passkey, message).await?;
    forget(&call);
    Passkey::decode(response.passkey, "passkey")
}

async fn list(call: Call, _: Nothing) -> Result<Passkeys, Failure> {
    let message = auth::ListPasskeysRequest {};
    let response = send!(call.reading(), auth_admin.list_passkeys, message).await?;
    Ok(Passkeys {
        items: Vec::decode(response.items, "items")?,
    })
}

async fn remove(call: Call, Json(request): Json<RemovePasskeyRequest>) -> Result<Passkey, Failure> {
    let message = auth::RemovePasskeyRequest {
        passkey_id: request.passkey_id,
    };
    let response = send!(call.writing(), auth_admin.remove_passkey, message).await?;
    Passkey::decode(response.passkey, "passkey")
}

async fn begin_confirmation(call: Call, _: Json<Empty>) -> Result<PasskeyCeremony, Failure> {
    let message = auth::StartPasskeyConfirmationRequest {};
    let begun = send!(
        call.writing(),
        auth_admin.start_passkey_confirmation,
        message
    )
    .await?;
    PasskeyCeremony::new(begun.ceremony, &begun.options)
}

async fn confirm(
    call: Call,
    Json(request): Json<ConfirmWithPasskeyRequest>,
) -> Result<FreshStaffSession, Failure> {
    let message = auth::ConfirmWithPasskeyRequest {
        token: call.token()?.to_message(),
        ceremony: to_message(&request.ceremony),
        credential: to_message(&request.credential),
    };
    let response = send!(call.writing(), auth_admin.confirm_with_passkey, message).await?;
    forget(&call);
    FreshStaffSession::from_proto(auth::ConfirmSecondFactorResponse {
        fresh_until: response.fresh_until,
    })
}

/// What is remembered of the session is not fresh yet.
fn forget(call: &Call) {
    if let Some(staff) = call.caller.staff {
        call.gateway.sessions().forget(staff.id);
    }
}
