//! Delivery reports that the gate holds back, as staff see and decide them.

use adfolio_proto::plan::v1 as plan;
use serde::Deserialize;
use utoipa::ToSchema;

use super::import::ImportDecision;
use super::{FineMoney, PageLimit, Timestamp, wire_enum, wire_struct};

wire_enum! {
    /// State of a report that the gate holds back.
    QuarantineState = plan::QuarantineState {
        /// Waits for a decision.
        Waiting,
        /// One member of staff releases it, and it waits for a second one.
        Approved,
        /// Released; `outcome` says what became of it.
        Released,
        /// Refused; this revision is never taken.
        Rejected,
    }
}

wire_struct! {
    /// A rule of the gate that a report breaks.
    pub struct QuarantineFinding = plan::QuarantineFinding {
        /// The rule's name, which never changes.
        #[schema(example = "click_rate")]
        pub rule: String,
        /// The rule's version.
        #[schema(example = 1)]
        pub version: u32,
        /// What was measured.
        #[schema(example = 0.000_002)]
        pub value: f64,
        /// What it was compared with.
        #[schema(example = 0.0005)]
        pub limit: f64,
        /// The figures behind it, in English.
        #[schema(example = "260 clicks of 1000 impressions are 26.000 %; history and peers let expect 0.900 %")]
        pub detail: String,
    }
}

wire_struct! {
    /// A delivery report that the gate holds back. It neither posts nor teaches before staff release it.
    pub struct QuarantinedReport = plan::QuarantinedReport {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e51")]
        pub id: String,
        /// Its state.
        pub state: QuarantineState,
        /// Who reports.
        #[schema(example = "network-a")]
        pub source: String,
        /// The import that brought it; null if a network sent it.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e50")]
        pub import_id: Option<String>,
        /// Its line in the file, or its place in what the network sent.
        #[schema(example = 17)]
        pub line: i64,
        /// Identifies it within its source.
        #[schema(example = "2026-11-20-0017")]
        pub report_id: String,
        /// Which restatement it is.
        #[schema(example = 1)]
        pub revision: i64,
        /// The plan.
        #[schema(example = "AD2611200042")]
        pub plan_number: String,
        /// The placement as the source names it; null if it names none.
        #[schema(required = true, example = "Feed, top")]
        pub placement: Option<String>,
        /// When it was delivered.
        pub time: Timestamp,
        /// Impressions.
        #[schema(example = 1000)]
        pub impressions: i64,
        /// Clicks.
        #[schema(example = 260)]
        pub clicks: i64,
        /// What it cost.
        pub spend: FineMoney = spend_micros,
        /// What it earned.
        pub revenue: FineMoney = revenue_micros,
        /// The rules that it breaks.
        pub findings: Vec<QuarantineFinding>,
        /// When it came.
        pub at: Timestamp,
        /// Who released it first, where that takes two; null before that.
        #[schema(required = true)]
        pub approved_by: Option<String>,
        /// Who decided; null before that.
        #[schema(required = true)]
        pub decided_by: Option<String>,
        /// When.
        #[schema(required = true)]
        pub decided_at: Option<Timestamp>,
        /// Why.
        #[schema(required = true)]
        pub reason: String,
        /// What became of a released one: `applied`, `restated`, `repeated`, or why it could not be taken any more. Null before
        /// that.
        #[schema(required = true)]
        pub outcome: Option<String>,
    }
}

wire_struct! {
    /// The reports as they are after a decision.
    pub struct DecidedReports = plan::DecideQuarantinedReportsResponse {
        /// In the order of the request.
        pub items: Vec<QuarantinedReport>,
    }
}

/// Selects reports that the gate holds back.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct QuarantineListQuery {
    /// Only in this state.
    pub state: Option<QuarantineState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Decides reports that the gate holds back: all of them, or none.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecideQuarantineRequest {
    /// The reports.
    #[schema(min_items = 1, max_items = 100, example = json!(["0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e51"]))]
    pub ids: Vec<String>,
    /// The decision.
    pub decision: ImportDecision,
    /// Why.
    #[schema(example = "The network confirmed the clicks, case 4711")]
    pub reason: String,
}
