//! The other services: auth, which knows the users.

use std::time::Duration;

use adfolio_kit::client::{
    Channel, ClientOptions, RetryPolicy, call_with_retry, connect_to, outgoing,
};
use adfolio_kit::config::ConfigError;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Refusal;
use adfolio_kit::tls::Tls;
use adfolio_proto::auth::v1::LookUpUsersRequest;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;

use crate::error::CouponError;

/// A look-up of a user may take this long.
const LOOK_UP_LIMIT: Duration = Duration::from_secs(3);

/// Clients of the other services. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peers {
    users: UserDirectoryServiceClient<Channel>,
}

impl Peers {
    /// Clients for the configured addresses. Nothing is connected yet.
    pub fn connect(auth_url: &str, tls: Option<&Tls>) -> Result<Self, ConfigError> {
        let options = ClientOptions {
            call_limit: LOOK_UP_LIMIT,
        };
        Ok(Self {
            users: UserDirectoryServiceClient::new(connect_to("auth", auth_url, options, tls)?),
        })
    }

    /// Refuses a user who does not exist.
    pub async fn check_user(&self, caller: &Caller, user: UserId) -> Result<(), CouponError> {
        let user_ids = vec![user.to_string()];
        let answer = call_with_retry(RetryPolicy::within(caller.deadline), || {
            let mut users = self.users.clone();
            let message = LookUpUsersRequest {
                user_ids: user_ids.clone(),
            };
            let request = outgoing(caller, message, LOOK_UP_LIMIT);
            async move { users.look_up_users(request).await }
        })
        .await
        .map_err(|status| CouponError::Auth(Box::new(status)))?;
        if answer.into_inner().users.is_empty() {
            return Err(Refusal::not_found("user_id").into());
        }
        Ok(())
    }
}
