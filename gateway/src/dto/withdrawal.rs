//! Withdrawals and their destinations.

use adfolio_proto::wallet::v1 as wallet;
use adfolio_proto::wallet::v1::destination::Kind;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::staff::UserName;
use super::{Money, MoneyInput, PageLimit, Timestamp, secret, wire_enum, wire_struct};
use crate::errors::Failure;

wire_enum! {
    /// A withdrawal method.
    WithdrawalMethod = wallet::WithdrawalMethod {
        /// To the bound bank card.
        BankCard,
        /// To the bound wallet address.
        WalletAddress,
    }
}

wire_enum! {
    /// Status of a withdrawal.
    WithdrawalStatus = wallet::WithdrawalStatus {
        /// Waiting for a decision.
        Pending,
        /// The money has been paid out.
        Paid,
        /// Staff rejected it: the money was returned to the available funds.
        Rejected,
        /// Its user cancelled it: the money was returned to the available funds. As a filter it is refused; rejected ones
        /// include these.
        Cancelled,
    }
}

wire_struct! {
    /// A bank card.
    pub struct BankCard = wallet::BankCard {
        /// Name of the bank.
        #[schema(example = "North Sea Bank")]
        pub card_name: String,
        /// Name of the holder.
        #[serde(serialize_with = "secret::tell")]
        #[schema(value_type = String, example = "Ada Lovelace")]
        pub user_name: SecretString,
        /// Mobile number of the holder.
        #[serde(serialize_with = "secret::tell")]
        #[schema(value_type = String, example = "+4915112345678")]
        pub mobile: SecretString,
        /// Account number; masked to its last four characters except for finance staff.
        #[serde(serialize_with = "secret::tell")]
        #[schema(value_type = String, example = "****3000")]
        pub bank_account: SecretString,
        /// Name of the branch.
        #[schema(example = "Hamburg Harbour")]
        pub branch_name: String,
    }
}

wire_struct! {
    /// A wallet address.
    pub struct WalletAddress = wallet::WalletAddress {
        /// Its network.
        #[schema(example = "TRC20")]
        pub network: String,
        /// The address; masked to its first and last four characters except for finance staff.
        #[serde(serialize_with = "secret::tell")]
        #[schema(value_type = String, example = "TJRa****m9Zx")]
        pub address: SecretString,
    }
}

/// Destination of a withdrawal.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Destination {
    /// A bank card.
    BankCard(BankCard),
    /// A wallet address.
    WalletAddress(WalletAddress),
}

impl Destination {
    /// From a service's message; an empty one is none.
    pub fn from_proto(destination: Option<wallet::Destination>) -> Result<Option<Self>, Failure> {
        let kind = destination.and_then(|destination| destination.kind);
        kind.map(|kind| match kind {
            Kind::BankCard(card) => BankCard::from_proto(card).map(Self::BankCard),
            Kind::WalletAddress(address) => {
                WalletAddress::from_proto(address).map(Self::WalletAddress)
            }
        })
        .transpose()
    }
}

wire_struct! {
    /// The bound withdrawal destinations.
    pub struct Destinations = wallet::GetDestinationsResponse {
        /// The bank card; null without one.
        #[schema(required = true)]
        pub bank_card: Option<BankCard>,
        /// The wallet address; null without one.
        #[schema(required = true)]
        pub wallet_address: Option<WalletAddress>,
    }
}

/// Binds a bank card (`card_name`, `user_name`, `mobile`, `bank_account`, `branch_name`) or a wallet address
/// (`network`, `address`).
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BindRequest {
    /// Kind of destination.
    pub kind: WithdrawalMethod,
    /// Name of the bank.
    #[schema(example = "North Sea Bank")]
    pub card_name: Option<String>,
    /// Name of the holder.
    #[schema(value_type = Option<String>, example = "Ada Lovelace")]
    pub user_name: Option<SecretString>,
    /// Mobile number of the holder.
    #[schema(value_type = Option<String>, example = "+4915112345678")]
    pub mobile: Option<SecretString>,
    /// Account number.
    #[schema(value_type = Option<String>, example = "DE89370400440532013000")]
    pub bank_account: Option<SecretString>,
    /// Name of the branch.
    #[schema(example = "Hamburg Harbour")]
    pub branch_name: Option<String>,
    /// Network of a wallet address.
    pub network: Option<String>,
    /// The wallet address.
    #[schema(value_type = Option<String>)]
    pub address: Option<SecretString>,
    /// MD5 of the transaction password, in hex; needed once one is set.
    #[schema(
        value_type = Option<String>,
        pattern = "^[0-9a-fA-F]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub password: Option<SecretString>,
}

impl BindRequest {
    /// To a service's message. A failure names the first field that the kind requires and that is missing.
    pub fn into_proto(self) -> Result<wallet::BindDestinationRequest, Failure> {
        let needed = |value: Option<String>, name| value.ok_or_else(|| Failure::invalid(name));
        let needed_secret = |value: Option<SecretString>, name| {
            needed(value.as_ref().map(secret::to_message), name)
        };
        let kind = match self.kind {
            WithdrawalMethod::BankCard => Kind::BankCard(wallet::BankCard {
                card_name: needed(self.card_name, "card_name")?,
                user_name: needed_secret(self.user_name, "user_name")?,
                mobile: needed_secret(self.mobile, "mobile")?,
                bank_account: needed_secret(self.bank_account, "bank_account")?,
                branch_name: needed(self.branch_name, "branch_name")?,
            }),
            WithdrawalMethod::WalletAddress => Kind::WalletAddress(wallet::WalletAddress {
                network: needed(self.network, "network")?,
                address: needed_secret(self.address, "address")?,
            }),
        };
        Ok(wallet::BindDestinationRequest {
            destination: Some(wallet::Destination { kind: Some(kind) }),
            password: secret::to_message_or_empty(self.password.as_ref()),
        })
    }
}

/// Requests a withdrawal.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct WithdrawRequest {
    /// Amount taken from the available funds, fee included.
    pub amount: MoneyInput,
    /// How.
    pub method: WithdrawalMethod,
    /// MD5 of the transaction password, in hex.
    #[schema(
        value_type = String,
        pattern = "^[0-9a-fA-F]{32}$",
        example = "5f4dcc3b5aa765d61d8327deb882cf99"
    )]
    pub password: SecretString,
}

wire_struct! {
    /// A withdrawal.
    pub struct Withdrawal = wallet::Withdrawal as withdrawal {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3e")]
        pub id: String,
        /// Amount taken from the available funds, fee included.
        pub amount: Money = amount_minor,
        /// Fee, part of the amount.
        pub fee: Money = fee_minor,
        /// How.
        pub method: WithdrawalMethod,
        /// Its state.
        pub status: WithdrawalStatus,
        /// Why it was rejected.
        #[schema(required = true)]
        pub reason: Option<String>,
        /// When it was requested.
        pub time: Timestamp,
        /// When it was decided.
        #[schema(required = true)]
        pub decided_at: Option<Timestamp>,
        /// Destination that was bound at the time of the request.
        #[schema(required = true)]
        pub destination: Option<Destination> = (Destination::from_proto(withdrawal.destination)?),
    }
}

/// A withdrawal with its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffWithdrawal {
    /// The withdrawal.
    #[serde(flatten)]
    pub withdrawal: Withdrawal,
    /// Its user.
    pub user: UserName,
    /// The payment batch that decides about it.
    #[schema(required = true)]
    pub payment_batch_id: Option<String>,
    /// Who asked to take it out of a released batch, which another member of staff must confirm.
    #[schema(required = true)]
    pub take_out_asked_by: Option<String>,
}

/// Filters for the caller's withdrawals.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct WithdrawalListQuery {
    /// Only the withdrawal with this id.
    #[schema(max_length = 64, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3e")]
    pub id: Option<String>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Filters for the withdrawals of all users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffWithdrawalListQuery {
    /// Only this status.
    pub status: Option<WithdrawalStatus>,
    /// Only those of this user.
    pub user_id: Option<String>,
    /// Only those in this payment batch; not with another filter.
    pub payment_batch_id: Option<String>,
    /// Only the withdrawal with this id; not with another filter.
    pub id: Option<String>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

wire_enum! {
    /// Decision on a withdrawal.
    WithdrawalDecision = wallet::WithdrawalDecision {
        /// The money has been paid out.
        Paid,
        /// The money is returned.
        Rejected,
    }
}

/// Decides a withdrawal.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecideWithdrawalRequest {
    /// The withdrawal.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3e")]
    pub id: String,
    /// The decision.
    pub decision: WithdrawalDecision,
    /// Reason, at most 500 characters; required for a rejection and then shown to the user.
    #[schema(example = "Transferred on 2026-11-21")]
    pub reason: Option<String>,
}
