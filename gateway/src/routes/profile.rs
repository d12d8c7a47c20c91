//! A user's profile, composed of the answers of several services.
//!
//! A missing part is logged and shown as null or false if the answer is useful without it: after a login, after a
//! completed change, and for the operator that a user follows. A request for the profile itself fails with
//! UNAVAILABLE instead, because it must not claim that there is no transaction password.

use std::future::Future;
use std::time::Duration;

use adfolio_proto::auth::v1 as auth;
use adfolio_proto::plan::v1::GetCurrentOperatorRequest;
use adfolio_proto::wallet::v1::GetPropertyRequest;
use tracing::warn;

use crate::auth::Token;
use crate::call::{Call, send};
use crate::dto::account::{Session, Settings, UserInfo};
use crate::dto::secret::if_told;
use crate::dto::{Decode, Money, non_empty, present};
use crate::errors::Failure;
use crate::recent::Profile;

/// How long an answer waits for an optional part.
const PART_LIMIT: Duration = Duration::from_secs(1);

/// An optional part of an answer.
pub async fn spare<T>(
    what: &'static str,
    part: impl Future<Output = Result<T, impl Into<Failure>>>,
) -> Option<T> {
    match tokio::time::timeout(PART_LIMIT, part).await {
        Ok(Ok(value)) => Some(value),
        Ok(Err(error)) => {
            let failure: Failure = error.into();
            warn!(what, reason = %failure.refusal.reason, "an optional part of an answer is unavailable");
            None
        }
        Err(_) => {
            warn!(what, "an optional part of an answer timed out");
            None
        }
    }
}

/// The caller's profile. What auth, wallet and plan answered a moment ago is used again; see [`crate::recent`].
pub async fn own(call: &Call) -> Result<UserInfo, Failure> {
    let (profile, entries) = futures::join!(
        call.gateway.recent().profile(call.user()?, || ask(call)),
        call.gateway.service_entries().get(call.lang)
    );
    let Profile { user, settings, .. } = profile?;
    UserInfo::from_proto(user, settings, &entries)
}

/// The parts of a profile that several services know.
async fn ask(call: &Call) -> Result<Profile, Failure> {
    let user = async { send!(call.reading(), auth.get_user, auth::GetUserRequest {}).await };
    let (user, settings, operator) = futures::join!(user, settings(call), operator(call));
    let user = present(user?.user, "user")?;
    Ok(Profile {
        user,
        is_whole: operator.is_some(),
        settings: Settings {
            operator_id: operator.flatten(),
            ..settings?
        },
    })
}

/// The caller's profile with auth's answer, without unavailable parts.
pub async fn around(call: &Call, user: auth::User) -> Result<UserInfo, Failure> {
    let (settings, operator, entries) = futures::join!(
        spare("wallet settings", settings(call)),
        operator(call),
        call.gateway.service_entries().get(call.lang)
    );
    let settings = Settings {
        operator_id: operator.flatten(),
        ..settings.unwrap_or_default()
    };
    UserInfo::from_proto(user, settings, &entries)
}

/// A new session. Only auth can make it fail.
pub async fn session(call: &Call, opened: Option<auth::Session>) -> Result<Session, Failure> {
    let opened = present(opened, "session")?;
    let user = present(opened.user, "user")?;
    let mut call = call.clone();
    // The other services believe only what auth says of the new session; without it their parts are missing.
    let token = Token::parse(&opened.token).ok_or_else(|| Failure::broken_answer("token"))?;
    let sessions = call.gateway.sessions().clone();
    let verified = sessions.new_user(&token, &call.caller);
    if let Some(verified) = spare("identity of a new session", verified).await {
        verified.identify(&mut call.caller);
    }
    Ok(Session {
        token: opened.token.into(),
        device_token: if_told(opened.device_token),
        expires_at: Decode::decode(opened.expires_at, "expires_at")?,
        user: around(&call, user).await?,
    })
}

async fn settings(call: &Call) -> Result<Settings, Failure> {
    let response = send!(call.reading(), wallet.get_property, GetPropertyRequest {}).await?;
    let property = present(response.property, "property")?;
    Ok(Settings {
        operator_id: None,
        has_pay_password: property.has_pay_password,
        has_bank_card: property.has_bank_card,
        guarantee: Some(Money::from_minor(property.guarantee_minor)),
    })
}

/// The operator followed, if any; none at all if plan did not answer.
async fn operator(call: &Call) -> Option<Option<String>> {
    let response = async {
        send!(
            call.reading(),
            plan.get_current_operator,
            GetCurrentOperatorRequest {}
        )
        .await
    };
    let response = spare("operator followed", response).await?;
    Some(non_empty(response.operator_id))
}
