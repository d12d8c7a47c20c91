//! Users, as staff see and change them.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::wallet::v1::GetUserPropertyRequest;

use crate::call::{Call, read, write_call};
use crate::dto::account::{Token, UserInfo};
use crate::dto::staff::{HostTokenRequest, UserDetail, UserListQuery, UserPage, UserStateRequest};
use crate::dto::wallet::Property;
use crate::dto::{ById, each, non_empty, page, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ANY_ROLE, Route, SUPPORT};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
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
        Route::post(
            "/admin/user/state",
            "setUserState",
            "Moves an account to another state.",
            set_state,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update)
        .keyed(),
        Route::post(
            "/admin/user/host_token",
            "createHostToken",
            "A token for a user of a native host shell.",
            host_token,
        )
        .staff(SUPPORT)
        .fails(&[Reason::AccountDisabled, Reason::AccountCancelled])
        .says(Success::Submission)
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
    Ok(UserPage {
        items: each(response.items, |user| UserInfo::compose(user, &entries))?,
        next_cursor: non_empty(response.next_cursor),
    })
}

async fn detail(call: Call, Json(request): Json<ById>) -> Result<UserDetail, Failure> {
    let found = read!(
        call,
        auth_admin.get_user_detail,
        auth::GetUserDetailRequest {
            user_id: request.id
        }
    )?;
    let user = present(found.user, "user")?;
    let property = read!(
        call,
        wallet_admin.get_user_property,
        GetUserPropertyRequest {
            user_id: user.id.clone()
        }
    )?;
    let property = Property::from_proto(
        &present(property.property, "property")?,
        call.gateway.currency(),
    )?;
    let entries = call.gateway.service_entries().get(call.lang).await;
    UserDetail::compose(UserInfo::compose(user, &entries)?, property, found.sessions)
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
    let entries = call.gateway.service_entries().get(call.lang).await;
    UserInfo::compose(user, &entries)
}

async fn host_token(call: Call, Json(request): Json<HostTokenRequest>) -> Result<Token, Failure> {
    let message = auth::CreateHostTokenRequest {
        external_user_id: request.external_user_id,
        lang: request
            .lang
            .map(|lang| lang.code().to_owned())
            .unwrap_or_default(),
    };
    Ok(Token {
        token: write_call!(call, auth_admin.create_host_token, message)?.token,
    })
}
