//! A user's own sessions, and what was done to the account.

use adfolio_proto::auth::v1 as auth;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Money, Timestamp, each, non_empty, wire_enum};
use crate::errors::Failure;

/// A live session of the caller.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnSession {
    /// Opaque id; not the token.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
    pub id: String,
    /// Whether it is the one that asks.
    pub current: bool,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_used_at: Timestamp,
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

/// The caller's sessions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnSessionList {
    /// All live ones, newest first.
    pub items: Vec<OwnSession>,
}

impl OwnSessionList {
    /// From a service's message.
    pub fn from_proto(response: auth::ListSessionsResponse) -> Result<Self, Failure> {
        let current = response.current_id;
        let session = |session: auth::SessionSummary| {
            Ok(OwnSession {
                current: session.id == current,
                id: session.id,
                created_at: Timestamp::required(session.created_at, "created_at")?,
                last_used_at: Timestamp::required(session.last_seen_at, "last_seen_at")?,
                expires_at: Timestamp::required(session.expires_at, "expires_at")?,
                user_agent: non_empty(session.user_agent),
                address: non_empty(session.address),
            })
        };
        Ok(Self {
            items: each(response.items, session)?,
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

/// Something that was done to the caller's account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SecurityEntry {
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
    pub amount: Option<Money>,
    /// Whose doing.
    pub by: Actor,
}

impl SecurityEntry {
    /// From a service's message.
    pub fn from_proto(entry: auth::SecurityEntry) -> Result<Self, Failure> {
        Ok(Self {
            id: entry.id,
            time: Timestamp::required(entry.time, "time")?,
            action: entry.action,
            amount: entry.amount_minor.map(Money::from_minor),
            by: Actor::from_wire(entry.by)?,
        })
    }
}

/// A page of what was done to the caller's account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SecurityPage {
    /// The entries, newest first.
    pub items: Vec<SecurityEntry>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

impl SecurityPage {
    /// From a service's message.
    pub fn from_proto(response: auth::ListSecurityLogResponse) -> Result<Self, Failure> {
        Ok(Self {
            items: each(response.items, SecurityEntry::from_proto)?,
            next_cursor: non_empty(response.next_cursor),
        })
    }
}
