//! The caller's profile and login password.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;

use super::profile;
use crate::call::{Call, send};
use crate::dto::account::{ConfirmEmailRequest, EditProfileRequest, EmailCode, UserInfo};
use crate::dto::password::{ChangePasswordRequest, Fresh, StepUpRequest};
use crate::dto::secret::to_message;
use crate::dto::{Empty, present};
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/user/info", "getUser", "The caller's profile.", info).user(),
        Route::post(
            "/user/info/edit",
            "editUser",
            "Changes the given fields of the caller's profile.",
            edit,
        )
        .user()
        .fails(&[
            Reason::NothingChanged,
            Reason::NotFound,
            Reason::StepUpRequired,
        ])
        .says(Success::Update),
        Route::post(
            "/user/email/code",
            "sendEmailCode",
            "Mails a code to the caller's e-mail address, which confirms it. An older code is worthless then.",
            send_email_code,
        )
        .user()
        .fails(&[Reason::NothingChanged]),
        Route::post(
            "/user/email/confirm",
            "confirmEmail",
            "Confirms the caller's e-mail address with the code that was mailed to it. A confirmed address stays so.",
            confirm_email,
        )
        .user()
        .fails(&[Reason::EmailCodeInvalid])
        .says(Success::Update),
        Route::post(
            "/user/step_up",
            "stepUp",
            "Makes the session fresh for 15 minutes, with the login password.",
            step_up,
        )
        .user()
        .fails(&[Reason::WrongPassword, Reason::StepUpRequired]),
        Route::post(
            "/update/password",
            "changePassword",
            "Changes the login password and ends every session of the caller.",
            change_password,
        )
        .user()
        .fails(&[
            Reason::PasswordMismatch,
            Reason::WrongPassword,
            Reason::PasswordUnchanged,
        ])
        .says(Success::PasswordChange),
    ]
}

async fn info(call: Call, _: Nothing) -> Result<UserInfo, Failure> {
    profile::own(&call).await
}

async fn edit(call: Call, Json(request): Json<EditProfileRequest>) -> Result<UserInfo, Failure> {
    let user_id = call.user()?;
    if let Some(file_id) = request
        .avatar_file_id
        .as_deref()
        .filter(|id| !id.is_empty())
    {
        let uploads = call.gateway.uploads();
        uploads
            .require_owned(user_id, file_id, "avatar_file_id")
            .await?;
    }
    let message = auth::EditProfileRequest {
        nickname: request.nickname,
        email: request.email,
        phone: request.phone,
        avatar_file_id: request.avatar_file_id,
        lang: request.lang.map(|lang| lang.code().to_owned()),
    };
    let call = if message.email.is_some() || message.phone.is_some() {
        call.refreshed().await?
    } else {
        call
    };
    let response = send!(call.writing(), auth.edit_profile, message).await?;
    // The cached session has the old language.
    call.gateway.sessions().forget(user_id.0);
    profile::around(&call, present(response.user, "user")?).await
}

async fn send_email_code(call: Call, _: Nothing) -> Result<EmailCode, Failure> {
    let message = auth::SendEmailCodeRequest {};
    let response = send!(call.writing(), auth.send_email_code, message).await?;
    EmailCode::from_proto(response)
}

async fn confirm_email(
    call: Call,
    Json(request): Json<ConfirmEmailRequest>,
) -> Result<UserInfo, Failure> {
    let message = auth::ConfirmEmailRequest {
        code: to_message(&request.code),
    };
    let response = send!(call.writing(), auth.confirm_email, message).await?;
    profile::around(&call, present(response.user, "user")?).await
}

async fn step_up(call: Call, Json(request): Json<StepUpRequest>) -> Result<Fresh, Failure> {
    let message = auth::StepUpRequest {
        token: call.token()?.to_message(),
        password: to_message(&request.password),
        client_address: call.client_address.to_string(),
    };
    let response = send!(call.writing(), auth.step_up, message).await?;
    call.gateway.sessions().forget(call.user()?.0);
    Fresh::from_proto(response)
}

async fn change_password(
    call: Call,
    Json(request): Json<ChangePasswordRequest>,
) -> Result<Empty, Failure> {
    let message = auth::ChangePasswordRequest {
        old_password: to_message(&request.old_password),
        new_password: to_message(&request.new_password),
        confirm_password: to_message(&request.confirm_password),
        client_address: call.client_address.to_string(),
        token: call.token()?.to_message(),
    };
    send!(call.writing(), auth.change_password, message).await?;
    // The event tells every replica. This one must know before the next request.
    call.gateway.sessions().forget(call.user()?.0);
    Ok(Empty {})
}
