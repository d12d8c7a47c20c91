//! A user's own sessions, and what was done to the account.

use adfolio_proto::auth::v1 as auth;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Money, Timestamp, wire_enum, wire_struct};
use crate::errors::Failure;

wire_struct! {
    /// A live session of the caller.
    pub struct OwnSession = auth::SessionSummary as session, current_id: &str {
        /// Opaque id; not the token.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
        pub id: String = (session.id.clone()),
        /// Whether it is the one that asks.
        pub current: bool = (session.id == current_id),
        /// When it was opened.
        pub created_at: Timestamp,
        /// When it was last used, to the minute.
        pub last_used_at: Timestamp = last_seen_at,
        /// When it expires unless used.
        pub expires_at: Timestamp,
        /// What the client that opened it said it was; null when it said nothing.
        #[schema(
            required = true,
            example = "Mozilla/5.0 (Linux; Android 15) Chrome/142.0 Mobile"
        )]
        pub user_agent: Option<String>,
        /// Address from which it was opened; null when nobody knows.
        #[schema(required = true, example = "192.0.2.7")]
        pub address: Option<String>,
    }
}

/// The caller's sessions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnSessionList {
    /// All live ones, newest first.
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

/// Ends one session of the caller, or all others.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EndSessionsRequest {
    /// One session; the caller's own is a logout.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
    pub id: Option<String>,
    /// All but the one that asks.
    pub others: Option<bool>,
}

wire_enum! {
    /// Whose doing something was.
    Actor = auth::Actor {
        /// A staff member's.
        Staff,
        /// Done from a session of the caller's own.
        User,
    }
}

wire_struct! {
    /// Something that was done to the caller's account.
    pub struct SecurityEntry = auth::SecurityEntry {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43")]
        pub id: String,
        /// When.
        pub time: Timestamp,
        /// What. Further actions may come.
        #[schema(example = "wallet.deposit")]
        pub action: String,
        /// How much money it was about; null when it was about none.
        #[schema(required = true, value_type = Option<Money>, example = "2000.00")]
        pub amount: Option<Money> = amount_minor,
        /// Whose doing.
        pub by: Actor,
    }
}
