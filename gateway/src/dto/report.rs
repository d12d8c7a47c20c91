//! Delivery reports of a plan.

use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decode, FineMoney, Money, PageLimit, Timestamp, non_empty, present, wire_struct};
use crate::errors::Failure;

wire_struct! {
    /// A file that brought a report.
    pub struct ImportedFile = plan::ImportedFile {
        /// When it was imported.
        pub time: Timestamp,
        /// SHA-256 of the file in hexadecimal; null if its import broke off.
        #[schema(required = true, example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
        pub sha256: Option<String>,
        /// The report's line in it.
        pub line: i64,
    }
}

/// Where something was delivered.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportPlacement {
    /// The placement.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
    pub id: String,
    /// Its name.
    #[schema(example = "Feed, top")]
    pub name: String,
}

impl ReportPlacement {
    /// None without an id.
    pub fn from_parts(id: String, name: String) -> Option<Self> {
        non_empty(id).map(|id| Self { id, name })
    }
}

/// A delivery report, at its latest revision.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeliveryReport {
    /// Who reported it.
    #[schema(example = "adnet")]
    pub source: String,
    /// Identifies it within its source.
    #[schema(example = "2026-11-20-0001")]
    pub report_id: String,
    /// Which restatement it is, from 1.
    #[schema(example = 1)]
    pub revision: i64,
    /// When it was delivered.
    pub time: Timestamp,
    /// Where it was delivered; null where the report does not say.
    #[schema(required = true)]
    pub placement: Option<ReportPlacement>,
    /// Impressions.
    pub impressions: i64,
    /// Clicks.
    pub clicks: i64,
    /// What it cost.
    pub spend: FineMoney,
    /// What of that is charged: all of it until the budget is spent.
    pub charged: FineMoney,
    /// What it earned.
    pub revenue: FineMoney,
    /// Whether cost or revenue come from an import's pricing.
    pub estimated: bool,
    /// Whether the simulator made it.
    pub simulated: bool,
    /// The file that brought it; null if a network sent it.
    #[schema(required = true)]
    pub import: Option<ImportedFile>,
}

impl Decode<plan::DeliveryReport> for DeliveryReport {
    fn decode(report: plan::DeliveryReport, _: &'static str) -> Result<Self, Failure> {
        Ok(Self {
            source: report.source,
            report_id: report.report_id,
            revision: report.revision,
            time: Decode::decode(report.time, "time")?,
            placement: ReportPlacement::from_parts(report.placement_id, report.placement_name),
            impressions: report.impressions,
            clicks: report.clicks,
            spend: FineMoney::from_micros(report.spend_micros),
            charged: FineMoney::from_micros(report.charged_micros),
            revenue: FineMoney::from_micros(report.revenue_micros),
            estimated: report.estimated,
            simulated: report.simulated,
            import: report.import.map(ImportedFile::from_proto).transpose()?,
        })
    }
}

wire_struct! {
    /// What the reports of a plan sum to: the plan's own figures.
    pub struct ReportTotals = plan::ReportTotals {
        /// Impressions.
        pub impressions: i64,
        /// Clicks.
        pub clicks: i64,
        /// Spend charged, the plan's `consumed`.
        pub spend: Money = consumed_minor,
        /// Spend as reported: more than `spend` after over-delivery, which is not charged.
        pub reported: Money = reported_minor,
        /// Revenue.
        pub revenue: Money = revenue_minor,
    }
}

/// A page of reports, and what all of them sum to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportPage {
    /// The reports, newest first.
    pub items: Vec<DeliveryReport>,
    /// Cursor of the next page; null on the last one.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
    /// The plan's figures.
    pub totals: ReportTotals,
}

impl ReportPage {
    /// From plan's answer.
    pub fn from_proto(response: plan::ListReportsResponse) -> Result<Self, Failure> {
        Ok(Self {
            items: Decode::decode(response.items, "items")?,
            next_cursor: non_empty(response.next_cursor),
            totals: ReportTotals::from_proto(present(response.totals, "totals")?)?,
        })
    }
}

/// Which plan's reports.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ReportListQuery {
    /// The plan.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub plan_id: String,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}
