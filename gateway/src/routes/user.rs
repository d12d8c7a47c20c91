//! The caller's own profile.

use adfolio_proto::auth::v1::GetUserRequest;

use crate::call::{Call, read};
use crate::dto::account::UserInfo;
use crate::dto::present;
use crate::errors::Failure;
use crate::input::Nothing;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![Route::get("/user/info", "getUserInfo", "The caller's profile.", info).user()]
}

async fn info(call: Call, _: Nothing) -> Result<UserInfo, Failure> {
    let (response, entries) = futures::join!(
        async { read!(call, auth.get_user, GetUserRequest {}) },
        call.gateway.service_entries().get(call.lang)
    );
    UserInfo::compose(present(response?.user, "user")?, &entries)
}
