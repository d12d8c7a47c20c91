//! Proxy operators that users follow.

use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Timestamp, each, non_empty};
use crate::errors::Failure;

/// One stretch of following an operator.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Follow {
    /// The operator.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
    pub operator_id: String,
    /// Their name.
    #[schema(example = "North Sea Media")]
    pub operator_name: String,
    /// Since when.
    pub followed_at: Timestamp,
    /// Until when; null while it lasts.
    #[schema(required = true)]
    pub ended_at: Option<Timestamp>,
}

impl Follow {
    /// From a service's message.
    pub fn from_proto(follow: plan::FollowRecord) -> Result<Self, Failure> {
        Ok(Self {
            operator_id: follow.operator_id,
            operator_name: follow.operator_name,
            followed_at: Timestamp::required(follow.followed_at, "followed_at")?,
            ended_at: Timestamp::optional(follow.ended_at)?,
        })
    }
}

/// A page of follows.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FollowPage {
    /// The follows, newest first.
    pub items: Vec<Follow>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
    /// Whom the caller follows now; null for nobody.
    #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
    pub current_operator_id: Option<String>,
}

impl FollowPage {
    /// From a service's message.
    pub fn from_proto(response: plan::ListFollowsResponse) -> Result<Self, Failure> {
        Ok(Self {
            items: each(response.items, Follow::from_proto)?,
            next_cursor: non_empty(response.next_cursor),
            current_operator_id: non_empty(response.current_operator_id),
        })
    }
}

/// Follows an operator instead of the one followed now.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FollowRequest {
    /// The operator.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
    pub operator_id: String,
}
