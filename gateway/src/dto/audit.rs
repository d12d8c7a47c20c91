//! The audit log.

use adfolio_proto::auth::v1 as auth;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{PageLimit, Timestamp, wire_struct};
use crate::errors::Failure;

/// A member of staff by name.
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
    /// An entry of the audit log.
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
        /// The object of the action: an id or a code.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
        pub target: String,
        /// The user concerned; null if none.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
        pub user_id: Option<String>,
        /// Why.
        #[schema(required = true)]
        pub reason: Option<String>,
        /// The object before the action; null if none.
        #[schema(required = true, value_type = Option<Object>)]
        pub before: Option<Map<String, Value>> = (object(&entry.before_json)?),
        /// The object after the action; null if none.
        #[schema(required = true, value_type = Option<Object>, example = json!({"amount_minor": 200_000}))]
        pub after: Option<Map<String, Value>> = (object(&entry.after_json)?),
        /// Id of the HTTP request (`X-Request-Id`).
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

/// Filters for the audit log. An entry must match all of them.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AuditListQuery {
    /// Only entries of this member of staff.
    pub staff_id: Option<String>,
    /// Only entries about this user.
    pub user_id: Option<String>,
    /// Only entries with this action, for example `wallet.deposit`.
    pub action: Option<String>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}
