//! The types of the REST contract, and their conversions from and to the services' messages.
//!
//! A struct derives `Deserialize` if clients send it and `Serialize` if they receive it. The OpenAPI document is made
//! from the same structs. Outgoing `Option` fields are always present and nullable.

mod decode;
mod page;
mod scalar;
mod wire;

pub mod acceptor;
pub mod account;
pub mod announcement;
pub mod approval;
pub mod audit;
pub mod bank;
pub mod campaign;
pub mod checkpoint;
pub mod claim;
pub mod content;
pub mod content_version;
pub mod coupon;
pub mod day;
pub mod exchange;
pub mod feedback;
pub mod follow;
pub mod freeze;
pub mod import;
pub mod ledger;
pub mod network;
pub mod notification;
pub mod pace;
pub mod passkey;
pub mod password;
pub mod payment_batch;
pub mod plan;
pub mod platform;
pub mod product;
pub mod push;
pub mod quarantine;
pub mod report;
pub mod second_factor;
pub mod secret;
pub mod security;
pub mod source;
pub mod staff;
pub mod staff_account;
pub mod staff_plan;
pub mod statistics;
pub mod supply;
pub mod today;
pub mod user_page;
pub mod wallet;
pub mod withdrawal;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use decode::{Decode, non_empty, present};
pub use page::{Page, PageQuery, page};
pub use scalar::{
    DecimalInput, FineMoney, Money, MoneyInput, PageLimit, Timestamp, TimestampInput,
};
pub(crate) use wire::{wire_enum, wire_struct};

/// An empty object.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct Empty {}

/// Identifies one object.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ById {
    /// Its id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub id: String,
}
