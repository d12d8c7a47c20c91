//! What this service asks other services.

use std::time::Duration;

use adfolio_kit::call;
use adfolio_kit::client::{Call, Channel, ClientOptions, connect_to};
use adfolio_kit::config::ConfigError;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::tls::Tls;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::auth::v1::{CountActiveUsersRequest, GetMailRecipientRequest};
use secrecy::SecretString;
use uuid::Uuid;

use crate::mail::Kept;

/// Limit of one question.
const ASK_LIMIT: Duration = Duration::from_secs(3);

/// Limit of a question with its repetitions.
const ASK_LIMIT_IN_ALL: Duration = Duration::from_secs(8);

/// Where mail to a user goes. No Debug: an address is not for logs.
pub struct Recipient {
    /// Empty for a user without one.
    pub email: String,
    pub lang: String,
    /// The code that the mail brings.
    pub email_code: Option<SecretString>,
}

/// How many users are active.
#[derive(Clone, Copy, Debug)]
pub struct ActiveUsers {
    pub users: i64,
    /// Whether there are more: auth counts no further.
    pub more: bool,
}

/// Auth's directory, as far as mail and announcements need it.
#[derive(Clone, Debug)]
pub struct Directory {
    client: UserDirectoryServiceClient<Channel>,
}

impl Directory {
    /// The directory at auth's address, not yet connected.
    pub fn connect(auth_url: &str, tls: Option<&Tls>) -> Result<Self, ConfigError> {
        let options = ClientOptions {
            call_limit: ASK_LIMIT,
        };
        let channel = connect_to("auth", auth_url, options, tls)?;
        Ok(Self {
            client: UserDirectoryServiceClient::new(channel),
        })
    }

    /// How many users are active.
    pub async fn active_users(&self, caller: &Caller) -> Result<ActiveUsers, CoreError> {
        let caller = &caller.without_identity();
        let call = Call::repeated(caller, ASK_LIMIT);
        let answer = call!(
            self.client,
            count_active_users,
            CountActiveUsersRequest {},
            call
        )
        .await
        .map_err(|status| CoreError::from_peer("auth", status))?;
        Ok(ActiveUsers {
            users: answer.users,
            more: answer.more,
        })
    }

    /// Where mail to a user goes, with what auth keeps for it. A refusal: nowhere.
    pub async fn recipient(
        &self,
        user: UserId,
        kept: Option<Kept>,
    ) -> Result<Recipient, CoreError> {
        let text = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
        let request = GetMailRecipientRequest {
            user_id: user.to_string(),
            former_email_id: text(kept.and_then(Kept::former_email)),
            email_code_id: text(kept.and_then(Kept::email_code)),
        };
        let caller = Caller {
            deadline: Deadline::after(ASK_LIMIT_IN_ALL),
            ..Caller::system()
        };
        let call = Call::repeated(&caller, ASK_LIMIT);
        let answer = call!(self.client, get_mail_recipient, request, call)
            .await
            .map_err(|status| CoreError::from_peer("auth", status))?;
        Ok(Recipient {
            email: answer.email,
            lang: answer.lang,
            email_code: Some(answer.email_code)
                .filter(|code| !code.is_empty())
                .map(Into::into),
        })
    }
}
