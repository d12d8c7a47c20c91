//! A user's own sessions and security log.

use adfolio_proto::auth::v1 as auth;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Money, Timestamp, wire_enum, wire_struct};
use crate::errors::Failure;

wire_struct! {
    /// An active session of the caller.
    pub struct OwnSession = auth::SessionSummary as session, current_id: &str {
        /// Opaque id; not the token.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
        pub id: String = (session.id.clone()),
        /// Whether it is the current session.
        pub current: bool = (session.id == current_id),
        /// When it was opened.
        pub created_at: Timestamp,
        /// When it was last used, to the minute.
        pub last_used_at: Timestamp = last_seen_at,
        /// When it expires if not used.
        pub expires_at: Timestamp,
        /// `User-Agent` of the client that opened the session; null if it sent none.
        #[schema(
            required = true,
            example = "Mozilla/5.0 (Linux; Android 15) Chrome/142.0 Mobile"
        )]
        pub user_agent: Option<String>,
        /// IP address that opened the session; null if unknown.
        #[schema(required = true, example = "192.0.2.7")]
        pub address: Option<String>,
    }
}

/// The caller's sessions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnSessionList {
    /// The active sessions, newest first.
    pub items: Vec<OwnSession>,
}

impl OwnSessionList {
    /// From a service's message.
    pub fn from_proto(response: auth::ListSessionsResponse) -> Result<Self, Failure> {
        let current_id = response.current_id;
        let sessions = response.items.into_iter();
        let items = sessions.map(|session| OwnSession::from_proto(session, &current_id));
        Ok(Self {
            items: items.collect::<Result<_, _>>()?,
        })
    }
}

/// Ends one session of the caller, or all except the current one.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EndSessionsRequest {
    /// Id of one session. The current one is logged out.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
    pub id: Option<String>,
    /// All sessions except the current one.
    pub others: Option<bool>,
}

wire_enum! {
    /// Who performed an action.
    Actor = auth::Actor {
        /// By a member of staff.
        Staff,
        /// From one of the caller's own sessions.
        User,
    }
}

wire_struct! {
    /// An entry of the security log of the caller's account.
    pub struct SecurityEntry = auth::SecurityEntry {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43")]
        pub id: String,
        /// When.
        pub time: Timestamp,
        /// The action. More actions may be added.
        #[schema(example = "wallet.deposit")]
        pub action: String,
        /// Amount concerned; null if none.
        #[schema(required = true, value_type = Option<Money>, example = "2000.00")]
        pub amount: Option<Money> = amount_minor,
        /// Who performed it.
        pub by: Actor,
        /// Why, as staff wrote it; null of the caller's own actions.
        #[schema(required = true, example = "Statement of May, page 3")]
        pub reason: Option<String>,
    }
}
