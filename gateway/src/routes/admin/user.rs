//! Users, as staff see and change them.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::wallet::v1::{GetUserPropertyRequest, ResetPayPasswordRequest as ResetRequest};

use super::people::{AllSettings, around};
use crate::call::{Call, read, write_call};
use crate::dto::account::{Token, UserInfo};
use crate::dto::secret::to_message;
use crate::dto::staff::{
    HostTokenRequest, ResetPayPasswordRequest, UserDetail, UserListQuery, UserPage,
    UserProfileRequest, UserStateRequest,
};
use crate::dto::wallet::Property;
use crate::dto::{ById, Empty, MoneyInput, each, non_empty, page, present};
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
            "Users, newest first.",
            list,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/user/detail",
            "getUserDetail",
            "A user with wallet and sessions.",
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
            "Moves an account to another state.",
            set_state,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound])
        .says(Success::Update)
        .keyed(),
        Route::post(
            "/admin/user/profile",
            "setUserProfile",
            "Changes what is given of a user's standing.",
            set_profile,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound])
        .says(Success::Update),
        Route::post(
            "/admin/user/host_token",
            "createHostToken",
            "A token for a user of a native host shell.",
            host_token,
        )
        .staff(SUPPORT)
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

async fn list(call: Call, Query(query): Query<UserListQuery>) -> Result<UserPage, Failure> {
    let message = auth::ListUsersRequest {
        query: query.query.unwrap_or_default(),
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let (response, entries) = futures::join!(
        async { read!(call, auth_admin.list_users, message) },
        call.gateway.service_entries().get(call.lang)
    );
    let response = response?;
    let ids = response.items.iter().map(|user| user.id.clone());
    let mut settings = AllSettings::of(&call, ids.collect()).await?;
    Ok(UserPage {
        items: each(response.items, |user| {
            let settings = settings.take(&user.id);
            UserInfo::compose(user, settings, &entries)
        })?,
        next_cursor: non_empty(response.next_cursor),
    })
}

async fn detail(call: Call, Json(request): Json<ById>) -> Result<UserDetail, Failure> {
    let user_id = request.id;
    let found = async {
        let user_id = user_id.clone();
        read!(
            call,
            auth_admin.get_user_detail,
            auth::GetUserDetailRequest { user_id }
        )
    };
    let property = async {
        let user_id = user_id.clone();
        read!(
            call,
            wallet_admin.get_user_property,
            GetUserPropertyRequest { user_id }
        )
    };
    let (found, property, settings, entries) = futures::join!(
        found,
        property,
        AllSettings::of(&call, vec![user_id.clone()]),
        call.gateway.service_entries().get(call.lang)
    );
    // Whether there is such a user is for auth to say.
    let found = found?;
    let user = present(found.user, "user")?;
    let property = Property::from_proto(
        &present(property?.property, "property")?,
        call.gateway.currency(),
    )?;
    let settings = settings?.take(&user.id);
    let user = UserInfo::compose(user, settings, &entries)?;
    UserDetail::compose(user, property, found.sessions)
}

async fn set_state(call: Call, Json(request): Json<UserStateRequest>) -> Result<UserInfo, Failure> {
    let message = auth::SetUserStateRequest {
        user_id: request.id,
        state: request.state.into(),
        reason: request.reason.unwrap_or_default(),
    };
    let user = present(
        write_call!(call, auth_admin.set_user_state, message)?.user,
        "user",
    )?;
    // The event says the same to every replica; here it must hold for the very next request.
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
    let message = auth::SetUserProfileRequest {
        user_id: request.id,
        credit_score: request.credit_score,
        shop_level: request.shop_level,
        deposit_minor: request.deposit.map(MoneyInput::minor),
        vip: request.vip,
    };
    let response = write_call!(call, auth_admin.set_user_profile, message)?;
    Box::pin(around(&call, present(response.user, "user")?)).await
}

async fn host_token(call: Call, Json(request): Json<HostTokenRequest>) -> Result<Token, Failure> {
    let message = auth::CreateHostTokenRequest {
        external_user_id: to_message(&request.external_user_id),
        lang: request
            .lang
            .map(|lang| lang.code().to_owned())
            .unwrap_or_default(),
    };
    Ok(Token {
        token: write_call!(call, auth_admin.create_host_token, message)?
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
    write_call!(call, wallet_admin.reset_pay_password, message)?;
    Ok(Empty {})
}
