//! Imports of delivery reports, as staff see and decide them.

use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decode, FineMoney, PageLimit, Timestamp, wire_enum, wire_struct};
use crate::errors::Failure;

wire_enum! {
    /// State of an import.
    ImportState = plan::ImportState {
        /// Waits for a second member of staff.
        Proposed,
        /// Its rows were taken, or are being taken.
        Released,
        /// Refused; it brought nothing.
        Rejected,
        /// Nobody decided in time; it brought nothing.
        Expired,
    }
}

wire_enum! {
    /// Decision of a second member of staff.
    ImportDecision = plan::ImportDecision {
        /// Its rows are taken.
        Released,
        /// They are not.
        Rejected,
    }
}

wire_struct! {
    /// A row of an import that was not taken.
    pub struct RejectedRow = plan::RejectedRow {
        /// Line of the file, from 1, the CSV header included.
        #[schema(example = 17)]
        pub line: i64,
        /// Why not, in English.
        #[schema(example = "unknown plan number")]
        pub reason: String,
    }
}

/// What the rows of an import that change anything add up to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ImportTotals {
    /// Plans with at least one report.
    #[schema(example = 3)]
    pub plans: i64,
    /// Impressions.
    #[schema(example = 12_000)]
    pub impressions: i64,
    /// Clicks.
    #[schema(example = 840)]
    pub clicks: i64,
    /// Spend, as reported.
    pub spend: FineMoney,
    /// Revenue.
    pub revenue: FineMoney,
}

impl Decode<Option<plan::ImportTotals>> for ImportTotals {
    fn decode(totals: Option<plan::ImportTotals>, _: &'static str) -> Result<Self, Failure> {
        let totals = totals.unwrap_or_default();
        Ok(Self {
            plans: totals.plans,
            impressions: totals.impressions,
            clicks: totals.clicks,
            spend: FineMoney::from_micros(totals.spend_micros),
            revenue: FineMoney::from_micros(totals.revenue_micros),
        })
    }
}

wire_struct! {
    /// Something of a plan that stands out in an import.
    pub struct NotableRow = plan::NotableRow {
        /// The plan; empty for the whole file.
        #[schema(example = "AD20261120-7F3K2M")]
        pub plan_number: String,
        /// `return_on_spend`, `revenue_without_spend`, `revenue_per_thousand` and `return_on_budget` are limits of the product,
        /// which a release names in its reason; `spend_per_thousand`, `above_budget`, `before_put` and `new_key` only stand out.
        #[schema(example = "return_on_spend")]
        pub rule: String,
        /// What the import says: an amount, a ratio or a time.
        #[schema(example = "14.20")]
        pub value: String,
        /// What would not stand out.
        #[schema(example = "10.00")]
        pub usual: String,
    }
}

wire_struct! {
    /// Result of an import. Proposed: nothing was taken, and the numbers of rows say what would be. Released: they say
    /// what was.
    pub struct ImportResult = plan::ImportDeliveryResponse {
        /// The import; null after a dry run.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e50")]
        pub import_id: Option<String>,
        /// Its state.
        pub state: ImportState,
        /// SHA-256 of the file in hexadecimal.
        #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
        pub sha256: String,
        /// What it adds up to.
        pub totals: ImportTotals,
        /// What stands out.
        pub notable: Vec<NotableRow>,
        /// Rows read.
        #[schema(example = 10000)]
        pub read: i64,
        /// New rows.
        #[schema(example = 9999)]
        pub applied: i64,
        /// Rows that were already known.
        #[schema(example = 0)]
        pub repeated: i64 = repeated_rows,
        /// Rows that restated an earlier revision.
        #[schema(example = 0)]
        pub restated: i64,
        /// Rows above a limit that wait although others were taken. None of a file, which waits as a whole.
        pub held: Vec<RejectedRow>,
        /// Rejected rows; at most 20000 are listed.
        pub rejected: Vec<RejectedRow>,
        /// Number of rejected rows.
        #[schema(example = 1)]
        pub rejected_count: i64,
        /// Rows that the gate holds back until staff decide on each, with the rules that they break; at most 20000 are listed.
        pub quarantined: Vec<RejectedRow>,
        /// Number of those.
        #[schema(example = 1)]
        pub quarantined_count: i64,
        /// The source's key that signed the file; null if none did.
        #[schema(required = true, example = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")]
        pub signed_by: Option<String> = signed_by_kid,
    }
}

wire_struct! {
    /// An import of delivery reports.
    pub struct DeliveryImport = plan::DeliveryImport {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e50")]
        pub import_id: String = id,
        /// Who reports.
        #[schema(example = "network-a")]
        pub source: String,
        /// Its state.
        pub state: ImportState,
        /// SHA-256 of the file in hexadecimal; null for what a network sent.
        #[schema(required = true, example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
        pub sha256: Option<String>,
        /// What it adds up to.
        pub totals: ImportTotals,
        /// What stands out.
        pub notable: Vec<NotableRow>,
        /// Who proposed it; null for a network.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
        pub by: Option<String>,
        /// When.
        pub at: Timestamp,
        /// Who decided; null before that, and for what needed nobody.
        #[schema(required = true)]
        pub decided_by: Option<String>,
        /// When.
        #[schema(required = true)]
        pub decided_at: Option<Timestamp>,
        /// Why.
        #[schema(required = true)]
        pub reason: String,
        /// Rows read.
        pub read: i64,
        /// Rows that were new.
        pub applied: i64,
        /// Rows that were known when they were taken.
        pub repeated: i64 = repeated_rows,
        /// Rows that restated an earlier revision.
        pub restated: i64,
        /// Rows that could not be taken any more; at most 200 are listed.
        pub rejected: Vec<RejectedRow>,
        /// Number of those.
        pub rejected_count: i64,
        /// Whether its rows are still being taken.
        pub under_way: bool,
        /// The source's key that signed the file; null if none did.
        #[schema(required = true, example = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")]
        pub signed_by: Option<String> = signed_by_kid,
    }
}

/// Selects imports.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ImportListQuery {
    /// Only in this state.
    pub state: Option<ImportState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Decides an import.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecideImportRequest {
    /// The import.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e50")]
    pub import_id: String,
    /// The decision.
    pub decision: ImportDecision,
    /// Why; a release above a limit of a product names it.
    #[schema(example = "Matches the network's invoice of November")]
    pub reason: String,
}
