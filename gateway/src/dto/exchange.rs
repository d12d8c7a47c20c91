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
    /// Which way an exchange goes.
    ExchangeDirection = acceptor::ExchangeDirection {
        /// Wallet money into the other currency.
        WalletToCurrency,
        /// The other currency into wallet money.
        CurrencyToWallet,
    }
}

wire_enum! {
    /// Where an exchange order stands.
    ExchangeStatus = acceptor::ExchangeStatus {
        /// Open, waits for the acceptor.
        Pending,
        /// Both sides have their money.
        Completed,
        /// Called off; what the wallet gave came back.
        Cancelled,
        /// Nobody decided in time; what the wallet gave came back.
        Expired,
    }
}

wire_struct! {
    /// An acceptor as an exchange order shows one.
    pub struct ExchangeAcceptor = acceptor::Acceptor {
        /// Its id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37")]
        pub id: String,
        /// Name shown.
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
        /// With whom.
        pub acceptor: ExchangeAcceptor,
        /// Which way.
        pub direction: ExchangeDirection,
        /// The other currency, ISO 4217.
        #[schema(example = "EUR")]
        pub currency: String,
        /// Units of the other currency for one unit of wallet money, as decimal text.
        #[schema(example = "0.9235")]
        pub rate: String,
        /// The wallet's side.
        pub amount: Money = amount_minor,
        /// The other side, as decimal text in the other currency.
        #[schema(example = "92.35")]
        pub counter_amount: String,
        /// Where it stands.
        pub status: ExchangeStatus,
        /// When it was opened.
        pub create_time: Timestamp,
        /// When it expires unless decided.
        #[schema(required = true)]
        pub expire_time: Option<Timestamp>,
        /// When it ended.
        #[schema(required = true)]
        pub finish_time: Option<Timestamp>,
        /// Why it was cancelled.
        #[schema(required = true)]
        pub reason: Option<String>,
    }
}

/// Opens an exchange order behind an acceptance code.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateExchangeRequest {
    /// Kind of acceptor chosen.
    pub kind: AcceptorKind,
    /// Acceptance code.
    #[schema(value_type = String, example = "DEMO-PERSONAL")]
    pub code: SecretString,
    /// The wallet's side, within the offer's and the platform's limits.
    pub amount: MoneyInput,
    /// MD5 of the transaction password, in lower-case hex.
    #[schema(
        value_type = String,
        pattern = "^[0-9a-f]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub password: SecretString,
}

/// An exchange order with its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffExchangeOrder {
    /// The order.
    #[serde(flatten)]
    pub order: ExchangeOrder,
    /// Whose order.
    pub user: UserName,
}

/// Asks for exchange orders of all users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffExchangeListQuery {
    /// Only this status.
    pub status: Option<ExchangeStatus>,
    /// Only this user's.
    pub user_id: Option<String>,
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}

wire_enum! {
    /// What becomes of an exchange order.
    ExchangeDecision = acceptor::ExchangeDecision {
        /// Both sides have their money.
        Completed,
        /// Called off.
        Cancelled,
    }
}

/// Decides an exchange order.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecideExchangeRequest {
    /// The order.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3d")]
    pub id: String,
    /// What becomes of it.
    pub decision: ExchangeDecision,
    /// Why; shown to the user when cancelled, at most 500 characters.
    #[schema(example = "The acceptor confirmed the transfer")]
    pub reason: Option<String>,
}
