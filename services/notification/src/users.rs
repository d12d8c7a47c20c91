//! The users, whom auth knows.

use std::collections::HashMap;
use std::time::Duration;

use adfolio_kit::client::{
    Channel, ClientOptions, RetryPolicy, call_with_retry, connect_to, outgoing,
};
use adfolio_kit::config::ConfigError;
use adfolio_kit::identity::Caller;
use adfolio_kit::tls::Tls;
use adfolio_proto::auth::v1::LookUpUsersRequest;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::error::NotificationError;

/// A look-up may take this long.
const LOOK_UP_LIMIT: Duration = Duration::from_secs(3);

/// Users of one look-up at most.
const LOOK_UP_BATCH: usize = 500;

/// Asks auth. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Users {
    directory: UserDirectoryServiceClient<Channel>,
}

impl Users {
    /// At this address. Nothing is connected yet.
    pub fn connect(url: &str, tls: Option<&Tls>) -> Result<Self, ConfigError> {
        let options = ClientOptions {
            call_limit: LOOK_UP_LIMIT,
        };
        Ok(Self {
            directory: UserDirectoryServiceClient::new(connect_to("auth", url, options, tls)?),
        })
    }

    /// Those of the users that exist, and since when. Reading only, so it is asked again when auth cannot be reached.
    pub async fn look_up(
        &self,
        caller: &Caller,
        users: &[Uuid],
    ) -> Result<HashMap<Uuid, Option<DateTime<Utc>>>, NotificationError> {
        let mut known = HashMap::with_capacity(users.len());
        for batch in users.chunks(LOOK_UP_BATCH) {
            let message = LookUpUsersRequest {
                user_ids: batch.iter().map(Uuid::to_string).collect(),
            };
            let answer = call_with_retry(RetryPolicy::within(caller.deadline), || {
                let mut directory = self.directory.clone();
                let request = outgoing(caller, message.clone(), LOOK_UP_LIMIT);
                async move { directory.look_up_users(request).await }
            })
            .await
            .map_err(|status| NotificationError::Users(Box::new(status)))?;
            known.extend(answer.into_inner().users.into_iter().filter_map(|user| {
                let since = user.created_at.and_then(|time| time.try_into().ok());
                Some((user.user_id.parse().ok()?, since))
            }));
        }
        Ok(known)
    }
}
