//! The shapes of the REST contract, and how they come from the services' messages.
//!
//! A struct derives `Deserialize` when clients send it and `Serialize` when they receive it; the OpenAPI document is made
//! from the same structs. Outgoing `Option` fields are always present and nullable.

mod scalar;
mod wire;

pub mod acceptor;
pub mod account;
pub mod approval;
pub mod audit;
pub mod campaign;
pub mod content;
pub mod coupon;
pub mod exchange;
pub mod feedback;
pub mod follow;
pub mod notification;
pub mod password;
pub mod plan;
pub mod product;
pub mod secret;
pub mod security;
pub mod staff;
pub mod staff_plan;
pub mod statistics;
pub mod wallet;
pub mod withdrawal;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use scalar::{DecimalInput, Money, MoneyInput, PageLimit, Timestamp, TimestampInput};
pub(crate) use wire::wire_enum;

use crate::errors::Failure;

/// Nothing but the fact that it worked.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct Empty {}

/// Which part of a list is asked for.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct PageQuery {
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}

/// Names one thing.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ById {
    /// Its id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub id: String,
}

/// The page request that services understand.
pub fn page(
    cursor: Option<String>,
    limit: Option<PageLimit>,
) -> Option<adfolio_proto::common::v1::PageRequest> {
    Some(adfolio_proto::common::v1::PageRequest {
        cursor: cursor.unwrap_or_default(),
        limit: limit.map_or(0, PageLimit::get),
    })
}

impl PageQuery {
    /// The page request that services understand.
    pub fn into_page(self) -> Option<adfolio_proto::common::v1::PageRequest> {
        page(self.cursor, self.limit)
    }
}

/// Proto's empty text is the contract's null.
pub fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// A message field that a service must always set.
pub fn present<T>(value: Option<T>, name: &'static str) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::broken_answer(name))
}

/// Maps every item of a page.
pub fn each<T, U>(
    items: Vec<T>,
    map: impl FnMut(T) -> Result<U, Failure>,
) -> Result<Vec<U>, Failure> {
    items.into_iter().map(map).collect()
}
