//! Who may report delivery, and with which keys files are signed.

use adfolio_proto::plan::v1 as plan;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Timestamp, wire_enum, wire_struct};

wire_enum! {
    /// How reports arrive.
    ReportChannel = plan::ReportChannel {
        /// Files that staff import.
        File,
        /// A network's adapter, as a stream or as events.
        Network,
    }
}

wire_struct! {
    /// A key with which a source signs its files.
    pub struct ReportSourceKey = plan::ReportSourceKey {
        /// Its RFC 7638 thumbprint.
        #[schema(example = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")]
        pub kid: String,
        /// When it was added.
        pub added_at: Timestamp,
        /// When it was revoked; null while it is valid.
        #[schema(required = true)]
        pub revoked_at: Option<Timestamp>,
    }
}

wire_struct! {
    /// A registered source of delivery reports.
    pub struct ReportSource = plan::ReportSource {
        /// Its name, as reports say it.
        #[schema(example = "network-a")]
        pub source: String,
        /// How it may report.
        pub channels: Vec<ReportChannel>,
        /// Its keys, oldest first. While one of them is valid, every file must be signed.
        pub keys: Vec<ReportSourceKey>,
    }
}

wire_struct! {
    /// All registered sources.
    pub struct ReportSourceList = plan::ListReportSourcesResponse {
        /// By name.
        pub items: Vec<ReportSource>,
    }
}

/// Registers a source, or changes how it may report.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SaveReportSourceRequest {
    /// Its name: 1 to 64 characters from a-z, 0-9, '-' and '_'.
    #[schema(example = "network-a")]
    pub source: String,
    /// How it may report; at least one.
    pub channels: Vec<ReportChannel>,
    /// Why; stored in the audit log.
    #[schema(example = "sends one file a day")]
    pub reason: Option<String>,
}

/// Adds a key to a registered source.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AddReportSourceKeyRequest {
    /// The source.
    #[schema(example = "network-a")]
    pub source: String,
    /// Ed25519 public key in PEM.
    #[schema(
        example = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n"
    )]
    pub public_key: String,
}

/// Revokes a key of a source.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RevokeReportSourceKeyRequest {
    /// The key.
    #[schema(example = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")]
    pub kid: String,
    /// Why; stored in the audit log.
    #[schema(example = "rotation")]
    pub reason: Option<String>,
}
