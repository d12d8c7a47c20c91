//! What staff did.

use adfolio_proto::auth::v1 as auth;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{PageLimit, Timestamp, wire_struct};
use crate::errors::Failure;

/// A member of staff as the audit shows one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffName {
    /// The member.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
    pub id: String,
    /// Login name.
    #[schema(example = "admin")]
    pub username: String,
}

wire_struct! {
    /// One thing that a member of staff did.
    pub struct AuditEntry = auth::AuditEntry as entry {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40")]
        pub id: String,
        /// When.
        pub time: Timestamp,
        /// Who.
        pub staff: StaffName = (StaffName { id: entry.staff_id, username: entry.staff_username, }),
        /// What.
        #[schema(example = "wallet.deposit")]
        pub action: String,
        /// To what: an id or a code.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
        pub target: String,
        /// To whom; null when it was about no user.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
        pub user_id: Option<String>,
        /// Why.
        #[schema(required = true)]
        pub reason: Option<String>,
        /// What stood before; null when there was nothing.
        #[schema(required = true, value_type = Option<Object>)]
        pub before: Option<Map<String, Value>> = (object(&entry.before_json)?),
        /// What stood after; null when there is nothing.
        #[schema(required = true, value_type = Option<Object>, example = json!({"amount_minor": 200_000}))]
        pub after: Option<Map<String, Value>> = (object(&entry.after_json)?),
        /// The request at the edge (`X-Request-Id`).
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41")]
        pub request_id: String,
    }
}

fn object(json: &str) -> Result<Option<Map<String, Value>>, Failure> {
    if json.is_empty() {
        return Ok(None);
    }
    serde_json::from_str(json).map_err(|_| Failure::broken_answer("audit entry"))
}

/// Asks what staff did; all filters together.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AuditListQuery {
    /// Only this member's.
    pub staff_id: Option<String>,
    /// Only what was done to this user.
    pub user_id: Option<String>,
    /// Only this action, for example `wallet.deposit`.
    pub action: Option<String>,
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}
