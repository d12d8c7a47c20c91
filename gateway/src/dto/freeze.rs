//! Freezes of wallets.

use adfolio_proto::wallet::v1 as wallet;
use secrecy::SecretString;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{PageLimit, Timestamp, wire_struct};

wire_struct! {
    /// A wallet that nothing leaves, because its owner has said so.
    pub struct Freeze = wallet::WalletFreeze {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e44")]
        pub id: String,
        /// Owner of the wallet.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
        pub user_id: String,
        /// Since when nothing leaves.
        pub frozen_at: Timestamp,
        /// What the owner said.
        #[schema(required = true)]
        pub reason: Option<String>,
        /// When the owner agreed to lift it.
        #[schema(required = true)]
        pub owner_agreed_at: Option<Timestamp>,
        /// When a member of staff agreed to lift it.
        #[schema(required = true)]
        pub staff_agreed_at: Option<Timestamp>,
        /// The member of staff.
        #[schema(required = true)]
        pub staff_id: Option<String>,
        /// What the member of staff said.
        #[schema(required = true)]
        pub staff_reason: Option<String>,
        /// When it was lifted; null while it lasts.
        #[schema(required = true)]
        pub lifted_at: Option<Timestamp>,
    }
}

/// Freezes the caller's wallet.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FreezeRequest {
    /// Why, up to 500 characters; staff see it.
    #[schema(example = "I did not log in from there", max_length = 500)]
    pub reason: Option<String>,
}

/// Freezes the wallet of the user whose mail has the link.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FreezeByMailRequest {
    /// The token of the link.
    #[schema(value_type = String, example = "mS3vDk0nqL7xYw1aB5cE9fGhJ2kPtR4uVzN6oQ8iXyI")]
    pub token: SecretString,
}

/// Agrees to lift a user's freeze.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct LiftFreezeRequest {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// How staff know that the owner asks for it, 1 to 500 characters; audited.
    #[schema(example = "Called back on the known number")]
    pub reason: String,
}

/// A page of freezes.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FreezeListQuery {
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}
