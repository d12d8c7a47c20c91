//! Messages of delivery reports.

use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_proto::plan::v1 as proto;

use crate::delivery::import::Header;
use crate::delivery::reader::Form;
use crate::delivery::report::Sent;
use crate::delivery::stream::FromNetwork;
use crate::delivery::summary::{Rejected, Summary};

impl TryFrom<proto::ImportHeader> for Header {
    type Error = Refusal;

    fn try_from(header: proto::ImportHeader) -> Result<Self, Refusal> {
        let form = Form::required(header.format, "format")?;
        Self::new(form, header.source, &header.mapping_json)
    }
}

impl From<proto::ReportDeliveryRequest> for FromNetwork {
    fn from(message: proto::ReportDeliveryRequest) -> Self {
        Self {
            source: message.source,
            report: Sent {
                report_id: message.report_id,
                revision: message.revision,
                plan_number: message.plan_number,
                time: message.time.and_then(|time| time.try_into().ok()),
                impressions: message.impressions,
                clicks: message.clicks,
                spend: message.spend,
                revenue: message.revenue,
            },
        }
    }
}

impl From<Rejected> for proto::RejectedRow {
    fn from(rejected: Rejected) -> Self {
        Self {
            line: i64::try_from(rejected.line).unwrap_or(i64::MAX),
            reason: rejected.reason,
        }
    }
}

impl From<Summary> for proto::ImportDeliveryResponse {
    fn from(summary: Summary) -> Self {
        Self {
            read: summary.read,
            applied: summary.applied,
            repeated_rows: summary.repeated,
            restated: summary.restated,
            rejected: summary.rejected.into_iter().map(Into::into).collect(),
            rejected_count: summary.rejected_count,
        }
    }
}

impl From<Summary> for proto::ReportDeliveryResponse {
    fn from(summary: Summary) -> Self {
        Self {
            read: summary.read,
            applied: summary.applied,
            repeated_reports: summary.repeated,
            restated: summary.restated,
            rejected: summary.rejected.into_iter().map(Into::into).collect(),
            rejected_count: summary.rejected_count,
        }
    }
}
