//! Users, as staff see and change them.

use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::wallet::v1::{GetUserPropertyRequest, ResetPayPasswordRequest as ResetRequest};

use super::people::{AllSettings, around};
use crate::call::{Call, send};
use crate::dto::account::{Token, UserInfo};
use crate::dto::secret::to_message;
use crate::dto::staff::{
    HostTokenRequest, ResetPayPasswordRequest, UserDetail, UserListQuery, UserProfileRequest,
    UserStateRequest,
};
use crate::dto::wallet::Property;
use crate::dto::{ById, Decode, Empty, Page, page, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ANY_ROLE, Route, SUPPORT};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    [reading_routes(), changing_routes()].concat()
}

fn reading_routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/user/list",
            "listUsers",
            "Users, newest first. Contact data in full is for support and admins, and audited.",
            list,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::Forbidden]),
        Route::post(
            "/admin/user/detail",
            "getUserDetail",
            "A user with wallet and sessions. Contact data in full is for support and admins, and audited.",
            detail,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::NotFound]),
    ]
}

fn changing_routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/user/state",
            "setUserState",
            "Changes the state of an account.",
            set_state,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound])
        .says(Success::Update)
        .keyed(),
        Route::post(
            "/admin/user/profile",
            "setUserProfile",
            "Changes the given fields of a user's standing, for a reason.",
            set_profile,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound])
        .says(Success::Update),
        Route::post(
            "/admin/user/host_token",
            "createHostToken",
            "Issues a token for a user of a native host shell whose account is not open yet.",
            host_token,
        )
        .staff(SUPPORT)
        .fails(&[
            Reason::StoreAlreadyOpen,
            Reason::AccountDisabled,
            Reason::AccountCancelled,
            Reason::NotFound,
        ])
        .says(Success::Submission)
        .keyed(),
        Route::post(
            "/admin/pay_password/reset",
            "resetPayPassword",
            "Removes a user's transaction password and its lock.",
            reset_pay_password,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn list(call: Call, Query(query): Query<UserListQuery>) -> Result<Page<UserInfo>, Failure> {
    let message = auth::ListUsersRequest {
        query: query.query.unwrap_or_default(),
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let (response, entries) = futures::join!(
        async { send!(call.reading(), auth_admin.list_users, message).await },
        call.gateway.service_entries().get(call.lang)
    );
    let response = response?;
    let ids = response.items.iter().map(|user| user.id.clone());
    let mut settings = AllSettings::of(&call, ids.collect()).await?;
    Page::compose(response.items, response.next_cursor, |user| {
        let settings = settings.take(&user.id);
        UserInfo::from_proto(user, settings, &entries)
    })
}

async fn detail(call: Call, Json(request): Json<ById>) -> Result<UserDetail, Failure> {
    let user_id = request.id;
    let found = async {
        let user_id = user_id.clone();
        send!(
            call.reading(),
            auth_admin.get_user_detail,
            auth::GetUserDetailRequest { user_id }
        )
        .await
    };
    let property = async {
        let user_id = user_id.clone();
        send!(
            call.reading(),
            wallet_admin.get_user_property,
            GetUserPropertyRequest { user_id }
        )
        .await
    };
    let (found, property, settings, entries) = futures::join!(
        found,
        property,
        AllSettings::of(&call, vec![user_id.clone()]),
        call.gateway.service_entries().get(call.lang)
    );
    // auth decides whether the user exists.
    let found = found?;
    let user = present(found.user, "user")?;
    let property = present(property?.property, "property")?;
    let property = Property::from_proto(property, call.gateway.currency())?;
    let settings = settings?.take(&user.id);
    let user = UserInfo::from_proto(user, settings, &entries)?;
    Ok(UserDetail {
        user,
        property,
        sessions: Decode::decode(found.sessions, "sessions")?,
    })
}

async fn set_state(call: Call, Json(request): Json<UserStateRequest>) -> Result<UserInfo, Failure> {
    let message = auth::SetUserStateRequest {
        user_id: request.id,
        state: request.state.into(),
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), auth_admin.set_user_state, message).await?;
    let user = present(response.user, "user")?;
    // The event tells every replica. This one must know before the next request.
    call.gateway.sessions().forget(
        user.id
            .parse()
            .map_err(|_| Failure::broken_answer("user.id"))?,
    );
    Box::pin(around(&call, user)).await
}

async fn set_profile(
    call: Call,
    Json(request): Json<UserProfileRequest>,
) -> Result<UserInfo, Failure> {
    if request.deposit.is_some() {
        return Err(Refusal::invalid("deposit").into());
    }
    let message = auth::SetUserProfileRequest {
        user_id: request.id,
        credit_score: request.credit_score,
        shop_level: request.shop_level,
        vip: request.vip,
    };
    let response = send!(call.writing(), auth_admin.set_user_profile, message).await?;
    Box::pin(around(&call, present(response.user, "user")?)).await
}

async fn host_token(call: Call, Json(request): Json<HostTokenRequest>) -> Result<Token, Failure> {
    let message = auth::CreateHostTokenRequest {
        external_user_id: to_message(&request.external_user_id),
        lang: request
            .lang
            .map(|lang| lang.code().to_owned())
            .unwrap_or_default(),
        host_id: request.host_id.unwrap_or_default(),
    };
    Ok(Token {
        token: send!(call.writing(), auth_admin.create_host_token, message)
            .await?
            .token
            .into(),
    })
}

async fn reset_pay_password(
    call: Call,
    Json(request): Json<ResetPayPasswordRequest>,
) -> Result<Empty, Failure> {
    let message = ResetRequest {
        user_id: request.user_id,
        reason: request.reason.unwrap_or_default(),
    };
    send!(call.writing(), wallet_admin.reset_pay_password, message).await?;
    Ok(Empty {})
}
