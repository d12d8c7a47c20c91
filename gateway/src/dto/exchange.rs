//! Exchange orders.

use adfolio_proto::acceptor::v1 as acceptor;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::staff::UserName;
use super::{Money, MoneyInput, PageLimit, Timestamp, wire_enum, wire_struct};

wire_enum! {
    /// Kind of an acceptor.
    AcceptorKind = acceptor::AcceptorKind {
        /// A person.
        Personal,
        /// An enterprise.
        Enterprise,
    }
}

wire_enum! {
    /// Direction of an exchange.
    ExchangeDirection = acceptor::ExchangeDirection {
        /// Wallet money into the other currency.
        WalletToCurrency,
        /// The other currency into wallet money.
        CurrencyToWallet,
    }
}

wire_enum! {
    /// Status of an exchange order.
    ExchangeStatus = acceptor::ExchangeStatus {
        /// Open, waiting for the acceptor.
        Pending,
        /// Both sides have been paid.
        Completed,
        /// Cancelled; the amount was returned to the wallet.
        Cancelled,
        /// Not decided in time; the amount was returned to the wallet.
        Expired,
    }
}

wire_struct! {
    /// The acceptor of an exchange order.
    pub struct ExchangeAcceptor = acceptor::Acceptor {
        /// Its id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37")]
        pub id: String,
        /// Display name.
        #[schema(example = "Harbour Exchange Ltd")]
        pub name: String,
        /// Person or enterprise.
        pub kind: AcceptorKind,
    }
}

wire_struct! {
    /// An exchange order.
    pub struct ExchangeOrder = acceptor::Exchange {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3d")]
        pub id: String,
        /// The acceptor.
        pub acceptor: ExchangeAcceptor,
        /// The direction.
        pub direction: ExchangeDirection,
        /// The other currency, ISO 4217.
        #[schema(example = "EUR")]
        pub currency: String,
        /// Units of the other currency for one unit of wallet money, as decimal text.
        #[schema(example = "0.9235")]
        pub rate: String,
        /// Wallet amount.
        pub amount: Money = amount_minor,
        /// The amount in the other currency, as decimal text.
        #[schema(example = "92.35")]
        pub counter_amount: String,
        /// Its state.
        pub status: ExchangeStatus,
        /// When it was opened.
        pub create_time: Timestamp,
        /// When it expires if not decided.
        #[schema(required = true)]
        pub expire_time: Option<Timestamp>,
        /// When it ended.
        #[schema(required = true)]
        pub finish_time: Option<Timestamp>,
        /// Why it was cancelled.
        #[schema(required = true)]
        pub reason: Option<String>,
        /// What the wallet lacked when the order was to be completed although it had ended, because its payment came late;
        /// 0.00 if nothing.
        pub missing: Money = missing_minor,
    }
}

/// Opens an exchange order behind an acceptance code.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateExchangeRequest {
    /// The chosen kind of acceptor.
    pub kind: AcceptorKind,
    /// Acceptance code.
    #[schema(value_type = String, example = "DEMO-PERSONAL")]
    pub code: SecretString,
    /// Wallet amount, within the limits of the offer and the platform.
    pub amount: MoneyInput,
    /// MD5 of the transaction password, in hex.
    #[schema(
        value_type = String,
        pattern = "^[0-9a-fA-F]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub password: SecretString,
}

wire_struct! {
    /// A member of staff asked for the completion of an order that takes two.
    pub struct CompletionRequest = acceptor::CompletionRequest {
        /// The member of staff.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
        pub requested_by: String,
        /// When they asked.
        pub requested_at: Timestamp,
        /// The reason they gave; visible to staff only.
        #[schema(required = true)]
        pub reason: Option<String>,
    }
}

/// An exchange order with its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffExchangeOrder {
    /// The order.
    #[serde(flatten)]
    pub order: ExchangeOrder,
    /// Who asked for its completion; null where it takes one member of staff, or nobody has asked.
    #[schema(required = true)]
    pub completion_request: Option<CompletionRequest>,
    /// Its user.
    pub user: UserName,
}

/// Filters for the exchange orders of all users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffExchangeListQuery {
    /// Only this status.
    pub status: Option<ExchangeStatus>,
    /// Only those of this user.
    pub user_id: Option<String>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

wire_enum! {
    /// Decision on an exchange order.
    ExchangeDecision = acceptor::ExchangeDecision {
        /// Both sides have been paid.
        Completed,
        /// Cancelled.
        Cancelled,
    }
}

/// Decides an exchange order.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecideExchangeRequest {
    /// The order.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3d")]
    pub id: String,
    /// The decision.
    pub decision: ExchangeDecision,
    /// Reason, at most 500 characters; shown to the user if the order is cancelled.
    #[schema(example = "The acceptor confirmed the transfer")]
    pub reason: Option<String>,
}
