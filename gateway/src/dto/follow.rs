//! Proxy operators that users follow.

use adfolio_proto::plan::v1 as plan;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Timestamp, wire_struct};

wire_struct! {
    /// A period of following an operator.
    pub struct Follow = plan::FollowRecord {
        /// The operator.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
        pub operator_id: String,
        /// Their name.
        #[schema(example = "North Sea Media")]
        pub operator_name: String,
        /// When following began.
        pub followed_at: Timestamp,
        /// When it ended; null while it lasts.
        #[schema(required = true)]
        pub ended_at: Option<Timestamp>,
    }
}

wire_struct! {
    /// A page of follows.
    pub struct FollowPage = plan::ListFollowsResponse {
        /// The periods, newest first.
        pub items: Vec<Follow>,
        /// Cursor of the next page; null on the last page.
        #[schema(required = true)]
        pub next_cursor: Option<String>,
        /// The operator the caller follows; null if none.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
        pub current_operator_id: Option<String>,
    }
}

/// Follows an operator instead of the current one.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FollowRequest {
    /// The operator.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
    pub operator_id: String,
}
