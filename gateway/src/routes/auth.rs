//! Registration, login, logout and the languages.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;

use super::profile::session;
use crate::call::{Call, send};
use crate::dto::account::{
    HostEntryRequest, Language, LanguageList, LoginRequest, OlderRegisterRequest, OlderSession,
    OpenStoreRequest, RegisterRequest, Session,
};
use crate::dto::secret::{to_message, to_message_or_empty};
use crate::dto::{Empty, present};
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::lang::Lang;
use crate::messages::Success;
use crate::route::Route;

const REGISTER_REASONS: &[Reason] = &[
    Reason::UsernameTaken,
    Reason::PasswordMismatch,
    Reason::LicenseNotFound,
    Reason::LicenseUsed,
];
const LOGIN_REASONS: &[Reason] = &[
    Reason::BadCredentials,
    Reason::AccountNotActivated,
    Reason::AccountDisabled,
    Reason::AccountCancelled,
];

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/auth/v2/register",
            "register",
            "Creates an account with an authorisation code.",
            register,
        )
        .fails(REGISTER_REASONS)
        .says(Success::Registration)
        .keyed(),
        Route::post("/auth/v2/login", "login", "Opens a session.", login)
            .fails(LOGIN_REASONS)
            .says(Success::Login),
        Route::post(
            "/auth/v2/host",
            "enterByHost",
            "Opens a session for an assertion that a registered host signed (JWT, EdDSA).",
            host,
        )
        .fails(&[
            Reason::AssertionRejected,
            Reason::AccountDisabled,
            Reason::AccountCancelled,
        ])
        .says(Success::Login),
        Route::get(
            "/auth/v2/lang",
            "listLanguages",
            "The languages of the interface.",
            languages,
        )
        .tagged(),
        Route::post(
            "/auth/login",
            "olderLogin",
            "Opens a session, in the older format.",
            older_login,
        )
        .fails(LOGIN_REASONS)
        .says(Success::Login),
        Route::post(
            "/auth/register",
            "olderRegister",
            "Creates an account, in the older format.",
            older_register,
        )
        .fails(REGISTER_REASONS)
        .says(Success::Registration)
        .keyed(),
        Route::post("/auth/logout", "logout", "Ends the session.", logout).user_in_any_state(),
        Route::post(
            "/opening_store",
            "openStore",
            "Opens the ad account with an authorisation code.",
            open_store,
        )
        .user_in_any_state()
        .fails(&[
            Reason::LicenseNotFound,
            Reason::LicenseUsed,
            Reason::StoreAlreadyOpen,
            Reason::AccountDisabled,
            Reason::AccountCancelled,
        ])
        .says(Success::Submission)
        .keyed(),
    ]
}

async fn register(call: Call, Json(request): Json<RegisterRequest>) -> Result<Session, Failure> {
    let message = auth::RegisterRequest {
        username: request.username,
        nickname: request.nickname.unwrap_or_default(),
        password: to_message(&request.password),
        confirm_password: to_message(&request.confirm_password),
        email: request.email,
        phone: request.phone,
        license_key: to_message(&request.license_key),
        older_form: false,
        client_address: call.client_address.to_string(),
        user_agent: call.user_agent.clone(),
    };
    let response = send!(call.writing(), auth.register, message).await?;
    session(&call, response.session).await
}

async fn older_register(
    call: Call,
    Json(request): Json<OlderRegisterRequest>,
) -> Result<OlderSession, Failure> {
    let message = auth::RegisterRequest {
        username: request.username,
        nickname: request.nickname.unwrap_or_default(),
        password: to_message(&request.password),
        confirm_password: to_message_or_empty(request.confirm_password.as_ref()),
        email: request.email.unwrap_or_default(),
        phone: request.phone.unwrap_or_default(),
        license_key: to_message(&request.license_key),
        older_form: true,
        client_address: call.client_address.to_string(),
        user_agent: call.user_agent.clone(),
    };
    let response = send!(call.writing(), auth.register, message).await?;
    Ok(present(response.session, "session")?.into())
}

async fn login(call: Call, Json(request): Json<LoginRequest>) -> Result<Session, Failure> {
    let opened = open_session(&call, request).await?;
    session(&call, Some(opened)).await
}

async fn older_login(
    call: Call,
    Json(request): Json<LoginRequest>,
) -> Result<OlderSession, Failure> {
    Ok(open_session(&call, request).await?.into())
}

async fn open_session(call: &Call, request: LoginRequest) -> Result<auth::Session, Failure> {
    let message = auth::LoginRequest {
        username: request.username,
        password: to_message(&request.password),
        client_address: call.client_address.to_string(),
        user_agent: call.user_agent.clone(),
        device_token: to_message_or_empty(request.device_token.as_ref()),
    };
    present(
        send!(call.writing(), auth.login, message).await?.session,
        "session",
    )
}

async fn host(call: Call, Json(request): Json<HostEntryRequest>) -> Result<Session, Failure> {
    let message = auth::AssertHostUserRequest {
        assertion: to_message(&request.assertion),
        client_address: call.client_address.to_string(),
        user_agent: call.user_agent.clone(),
    };
    let response = send!(call.writing(), auth.assert_host_user, message).await?;
    session(&call, response.session).await
}

async fn languages(_: Call, _: Nothing) -> Result<LanguageList, Failure> {
    let language = |lang: Lang| {
        let (name, native_name, locale) = lang.names();
        Language {
            code: lang,
            name,
            native_name,
            locale,
        }
    };
    Ok(LanguageList {
        default: Lang::default(),
        items: Lang::ALL.into_iter().map(language).collect(),
    })
}

async fn logout(call: Call, _: Json<Empty>) -> Result<Empty, Failure> {
    let message = auth::LogoutRequest {
        token: call.token()?.to_message(),
    };
    send!(call.writing(), auth.logout, message).await?;
    // The event tells every replica. This one must know before the next request.
    call.gateway.sessions().forget(call.user()?.0);
    Ok(Empty {})
}

async fn open_store(call: Call, Json(request): Json<OpenStoreRequest>) -> Result<Session, Failure> {
    let message = auth::OpenStoreRequest {
        code: to_message(&request.code),
        client_address: call.client_address.to_string(),
        user_agent: call.user_agent.clone(),
        token: call.token()?.to_message(),
    };
    let response = send!(call.writing(), auth.open_store, message).await?;
    // The token of this call is invalid now.
    call.gateway.sessions().forget(call.user()?.0);
    session(&call, response.session).await
}
