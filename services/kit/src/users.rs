//! The user directory: auth's answer to which users exist.

use std::collections::HashMap;
use std::time::Duration;

use adfolio_proto::auth::v1::LookUpUsersRequest;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use chrono::{DateTime, Utc};

use crate::call;
use crate::client::{Call, Channel, ClientOptions, connect_to};
use crate::config::ConfigError;
use crate::error::CoreError;
use crate::identity::{Caller, UserId};
use crate::refusal::Refusal;
use crate::tls::Tls;

/// Limit of a look-up.
const LOOK_UP_LIMIT: Duration = Duration::from_secs(3);

/// Most users of a look-up: auth's own limit.
const LOOK_UP_BATCH: usize = 500;

/// A user who exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownUser {
    /// When the account was created; none if auth does not tell.
    pub created_at: Option<DateTime<Utc>>,
}

/// A client of auth's directory. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Users {
    directory: UserDirectoryServiceClient<Channel>,
}

impl Users {
    /// The directory at auth's address, not yet connected.
    pub fn connect(auth_url: &str, tls: Option<&Tls>) -> Result<Self, ConfigError> {
        let options = ClientOptions {
            call_limit: LOOK_UP_LIMIT,
        };
        let channel = connect_to("auth", auth_url, options, tls)?;
        Ok(Self {
            directory: UserDirectoryServiceClient::new(channel),
        })
    }

    /// The existing ones of `users`.
    pub async fn look_up(
        &self,
        caller: &Caller,
        users: &[UserId],
    ) -> Result<HashMap<UserId, KnownUser>, CoreError> {
        let caller = &caller.without_identity();
        let mut known = HashMap::with_capacity(users.len());
        for batch in users.chunks(LOOK_UP_BATCH) {
            let request = LookUpUsersRequest {
                user_ids: batch.iter().map(UserId::to_string).collect(),
                ..LookUpUsersRequest::default()
            };
            let call = Call::repeated(caller, LOOK_UP_LIMIT);
            let answer = call!(self.directory, look_up_users, request, call)
                .await
                .map_err(|status| CoreError::from_peer("auth", status))?;
            known.extend(answer.users.into_iter().filter_map(|user| {
                let created_at = user.created_at.and_then(|time| time.try_into().ok());
                Some((user.user_id.parse().ok()?, KnownUser { created_at }))
            }));
        }
        Ok(known)
    }

    /// The existing users of these payment references, by reference.
    pub async fn payers(
        &self,
        caller: &Caller,
        references: &[String],
    ) -> Result<HashMap<String, UserId>, CoreError> {
        let caller = &caller.without_identity();
        let mut payers = HashMap::with_capacity(references.len());
        for batch in references.chunks(LOOK_UP_BATCH) {
            let request = LookUpUsersRequest {
                payment_references: batch.to_vec(),
                ..LookUpUsersRequest::default()
            };
            let call = Call::repeated(caller, LOOK_UP_LIMIT);
            let answer = call!(self.directory, look_up_users, request, call)
                .await
                .map_err(|status| CoreError::from_peer("auth", status))?;
            payers.extend(
                answer
                    .users
                    .into_iter()
                    .filter_map(|user| Some((user.payment_reference, user.user_id.parse().ok()?))),
            );
        }
        Ok(payers)
    }

    /// NOT_FOUND of `field` unless all of `users` exist.
    pub async fn require(
        &self,
        caller: &Caller,
        users: &[UserId],
        field: &'static str,
    ) -> Result<(), CoreError> {
        let known = self.look_up(caller, users).await?;
        if users.iter().all(|user| known.contains_key(user)) {
            Ok(())
        } else {
            Err(Refusal::not_found(field).into())
        }
    }
}
