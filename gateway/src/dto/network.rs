//! What networks are allotted, and what they report.

use std::borrow::Cow;

use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::import::RejectedRow;
use super::supply::{Creative, PriceModel};
use super::{FineMoney, Timestamp, wire_struct};

/// Selects allotments.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AllotmentListQuery {
    /// `next` of the previous answer: the last allotment that the network has. From the oldest one on if absent.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43")]
    pub after: Option<String>,
    /// Maximum number of items; 1000 if absent.
    pub limit: Option<AllotmentLimit>,
}

/// Maximum number of allotments: 1 to 1000.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(try_from = "u32")]
#[schema(value_type = u32, minimum = 1, maximum = 1000, example = 1000)]
pub struct AllotmentLimit(u32);

impl AllotmentLimit {
    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for AllotmentLimit {
    type Error = &'static str;

    fn try_from(value: u32) -> Result<Self, Self::Error> {
        if (1..=1000).contains(&value) {
            Ok(Self(value))
        } else {
            Err("not within 1 to 1000")
        }
    }
}

/// What an allotment is priced at.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AllotmentPrice {
    /// What is paid for.
    pub model: PriceModel,
    /// What a thousand impressions or a click cost.
    pub cost: FineMoney,
    /// What a thousand impressions or a click earn.
    pub revenue: FineMoney,
}

wire_struct! {
    /// What a network may show of a plan on one of its placements.
    pub struct Allotment = plan::Allotment as allotment {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43")]
        pub allotment_id: String = id,
        /// The plan's number, which reports name.
        #[schema(example = "AD2611200042")]
        pub plan_number: String,
        /// The placement's id, which reports name.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
        pub placement: String = placement_id,
        /// The placement's name, which reports may name instead.
        #[schema(example = "Feed, top")]
        pub placement_name: String,
        /// What may be spent.
        pub budget: FineMoney = budget_micros,
        /// Impressions or clicks that the budget pays for.
        #[schema(example = 5000)]
        pub units: i64,
        /// What they cost and earn.
        pub price: AllotmentPrice = (AllotmentPrice {
            model: PriceModel::from_wire(allotment.model)?,
            cost: FineMoney::from_micros(allotment.cost_micros),
            revenue: FineMoney::from_micros(allotment.revenue_micros),
        }),
        /// When it begins.
        pub from: Timestamp,
        /// When it ends.
        pub to: Timestamp,
        /// Until when it is to be reported. What is not reported by then goes back to the plan.
        pub report_until: Timestamp,
        /// What the advertisement shows.
        pub creative: Creative,
    }
}

wire_struct! {
    /// Allotments of a network.
    pub struct Allotments = plan::ListAllotmentsResponse {
        /// Those that have not ended, oldest first.
        pub items: Vec<Allotment>,
        /// What to send as `after` the next time; null before the first allotment.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43")]
        pub next: Option<String>,
    }
}

/// Reports as JSON lines.
#[derive(Debug)]
pub struct NetworkReports;

impl PartialSchema for NetworkReports {
    fn schema() -> RefOr<Schema> {
        let line = json!({
            "report_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43", "revision": 1, "plan_number": "AD2611200042",
            "placement": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42", "time": "2026-11-20T09:00:00Z", "impressions": 5000,
            "clicks": 35, "spend": "10.00", "revenue": "15.50",
        });
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "One JSON object per line, with `report_id`, `revision` (1 if absent), `plan_number`, `placement` (id or \
                 name), `time`, `impressions`, `clicks`, `spend` and `revenue`. At most 64 MiB.",
            ))
            .examples([json!(format!("{line}\n"))])
            .into()
    }
}

impl ToSchema for NetworkReports {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("NetworkReports")
    }
}

wire_struct! {
    /// Result of a network's report.
    pub struct NetworkReportResult = plan::ReportNetworkDeliveryResponse {
        /// SHA-256 of the lines in hexadecimal.
        #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
        pub sha256: String,
        /// Lines read.
        #[schema(example = 100)]
        pub read: i64,
        /// New reports.
        #[schema(example = 98)]
        pub applied: i64,
        /// Reports that were already known.
        #[schema(example = 0)]
        pub repeated: i64 = repeated_reports,
        /// Reports that restated an earlier revision.
        #[schema(example = 0)]
        pub restated: i64,
        /// Reports above a limit of their product, which wait for a member of staff; at most 20000 are listed.
        pub held: Vec<RejectedRow>,
        /// Rejected lines; at most 20000 are listed.
        pub rejected: Vec<RejectedRow>,
        /// Number of rejected lines.
        #[schema(example = 1)]
        pub rejected_count: i64,
        /// Reports that the gate holds back until staff decide, with the rules that they break; at most 20000 are listed.
        pub quarantined: Vec<RejectedRow>,
        /// Number of those.
        #[schema(example = 1)]
        pub quarantined_count: i64,
    }
}
