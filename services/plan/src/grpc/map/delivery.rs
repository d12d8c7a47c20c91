//! Messages of delivery reports.

use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::List;
use adfolio_proto::plan::v1 as proto;
use chrono::DateTime;

use crate::delivery::entity::Report;
use crate::delivery::evidence::{Book, Position, Shown};
use crate::delivery::import::Header;
use crate::delivery::intake::Origin;
use crate::delivery::reader::Form;
use crate::delivery::report::Sent;
use crate::delivery::stream::FromNetwork;
use crate::delivery::summary::{Rejected, Summary};
use crate::order::entity::Order;

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

/// Sort keys of a list of reports.
const REPORT_KEYS: usize = 3;

/// Where a list of reports goes on.
pub fn report_position(list: &List) -> Result<Option<Position>, Refusal> {
    let Some(keys) = list.keys(REPORT_KEYS)? else {
        return Ok(None);
    };
    let position = <[String; REPORT_KEYS]>::try_from(keys)
        .ok()
        .and_then(|keys| {
            let [time, source, report_id] = keys;
            let time = DateTime::from_timestamp_micros(time.parse().ok()?)?;
            Some(Position {
                time,
                source,
                report_id,
            })
        });
    position.map(Some).ok_or_else(|| Refusal::invalid("cursor"))
}

/// The sort keys of a report.
pub fn report_keys(report: &Report) -> Vec<String> {
    vec![
        report.time.timestamp_micros().to_string(),
        report.source.clone(),
        report.report_id.clone(),
    ]
}

impl From<Shown> for proto::DeliveryReport {
    fn from(shown: Shown) -> Self {
        let Shown {
            report,
            origin,
            import,
        } = shown;
        let import = report.brought_by.zip(import);
        Self {
            source: report.source,
            report_id: report.report_id,
            revision: report.revision,
            time: Some(report.time.into()),
            impressions: report.impressions,
            clicks: report.clicks,
            spend_micros: report.spend.get(),
            charged_micros: report.charged.get(),
            revenue_micros: report.revenue.get(),
            estimated: report.estimated,
            simulated: origin == Origin::Simulator,
            import: import.map(|((id, line), (began_at, sha256))| proto::ImportedFile {
                id: id.to_string(),
                time: Some(began_at.into()),
                sha256: sha256.map(hex::encode).unwrap_or_default(),
                line,
            }),
        }
    }
}

impl From<&Order> for proto::ReportTotals {
    fn from(order: &Order) -> Self {
        Self {
            impressions: order.delivered.impressions,
            clicks: order.delivered.clicks,
            consumed_minor: order.consumed().minor(),
            reported_minor: order.delivered.reported.to_money_half_even().minor(),
            revenue_minor: order.revenue().minor(),
        }
    }
}

impl From<Book> for proto::DeliveryBook {
    fn from(book: Book) -> Self {
        Self {
            order_id: book.order_id.to_string(),
            consumed_minor: book.consumed.minor(),
            revenue_minor: book.revenue.minor(),
            in_flight: book.in_flight,
            equals_reports: book.equals_reports,
            equals_buckets: book.equals_buckets,
        }
    }
}
