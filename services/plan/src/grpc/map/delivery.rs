//! Messages of delivery reports.

use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::List;
use adfolio_proto::plan::v1 as proto;
use chrono::DateTime;

use super::optional;
use crate::delivery::entity::Origin;
use crate::delivery::entity::Report;
use crate::delivery::evidence::{Book, Position, Shown};
use crate::delivery::import::{Header, Outcome};
use crate::delivery::proposal::{Import, Notable, State, Totals};
use crate::delivery::reader::Form;
use crate::delivery::report::Sent;
use crate::delivery::stream::FromNetwork;
use crate::delivery::summary::{Rejected, Summary};
use crate::gate::Finding;
use crate::order::entity::Order;
use crate::quarantine::Quarantined;
use crate::source::{Source, SourceKey};

impl TryFrom<proto::ImportHeader> for Header {
    type Error = Refusal;

    fn try_from(header: proto::ImportHeader) -> Result<Self, Refusal> {
        let form = Form::required(header.format, "format")?;
        let known = Self::new(form, header.source, &header.mapping_json)?;
        Ok(known.dry_run(header.dry_run).signed(header.signature))
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
                placement: message.placement,
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

impl From<&Outcome> for proto::ImportDeliveryResponse {
    fn from(outcome: &Outcome) -> Self {
        let outcome = outcome.clone();
        let summary = outcome.summary;
        Self {
            read: summary.read,
            applied: summary.applied,
            repeated_rows: summary.repeated,
            restated: summary.restated,
            rejected: rejected(summary.rejected),
            rejected_count: summary.rejected_count,
            import_id: optional(outcome.id),
            state: outcome.state.to_wire(),
            sha256: hex::encode(outcome.sha256),
            totals: Some(outcome.totals.into()),
            notable: outcome.notable.into_iter().map(Into::into).collect(),
            held: rejected(summary.held),
            signed_by_kid: optional(outcome.signed_by),
            quarantined: rejected(summary.quarantined),
            quarantined_count: summary.quarantined_count,
        }
    }
}

impl From<Source> for proto::ReportSource {
    fn from(source: Source) -> Self {
        Self {
            source: source.name,
            channels: source.channels.iter().map(|it| it.to_wire()).collect(),
            keys: source.keys.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<SourceKey> for proto::ReportSourceKey {
    fn from(key: SourceKey) -> Self {
        Self {
            kid: key.kid.to_string(),
            added_at: Some(key.added_at.into()),
            revoked_at: key.revoked_at.map(Into::into),
        }
    }
}

pub(super) fn rejected(rows: Vec<Rejected>) -> Vec<proto::RejectedRow> {
    rows.into_iter().map(Into::into).collect()
}

impl From<Totals> for proto::ImportTotals {
    fn from(totals: Totals) -> Self {
        Self {
            plans: totals.plans,
            impressions: totals.impressions,
            clicks: totals.clicks,
            spend_micros: totals.spend.get(),
            revenue_micros: totals.revenue.get(),
        }
    }
}

impl From<Notable> for proto::NotableRow {
    fn from(notable: Notable) -> Self {
        Self {
            plan_number: notable.plan_number,
            rule: notable.rule,
            value: notable.value,
            usual: notable.usual,
        }
    }
}

impl From<Import> for proto::DeliveryImport {
    fn from(import: Import) -> Self {
        let (decided_by, decided_at) = import.decided.unzip();
        let taken = import.taken;
        let rejections = taken.rejections.into_iter();
        Self {
            id: import.id.to_string(),
            source: import.source,
            state: import.state.to_wire(),
            sha256: import.sha256.map(hex::encode).unwrap_or_default(),
            totals: Some(import.totals.into()),
            notable: import.notable.into_iter().map(Into::into).collect(),
            by: optional((!import.staff_id.is_nil()).then_some(import.staff_id)),
            at: Some(import.began_at.into()),
            decided_by: optional(decided_by),
            decided_at: decided_at.map(Into::into),
            reason: import.decision_reason,
            read: import.read,
            applied: taken.applied,
            repeated_rows: taken.repeated,
            restated: taken.restated,
            rejected: rejections
                .map(|rejection| proto::RejectedRow {
                    line: rejection.line,
                    reason: rejection.reason,
                })
                .collect(),
            rejected_count: taken.rejected,
            under_way: import.state == State::Released && !import.is_done,
            signed_by_kid: optional(import.signed_by),
            quarantined_count: taken.quarantined,
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
            rejected: rejected(summary.rejected),
            rejected_count: summary.rejected_count,
            held: rejected(summary.held),
            quarantined: rejected(summary.quarantined),
            quarantined_count: summary.quarantined_count,
        }
    }
}

impl From<Finding> for proto::QuarantineFinding {
    fn from(finding: Finding) -> Self {
        Self {
            rule: finding.rule,
            version: finding.version,
            value: finding.value,
            limit: finding.limit,
            detail: finding.detail,
        }
    }
}

impl From<Quarantined> for proto::QuarantinedReport {
    fn from(held: Quarantined) -> Self {
        let (decided_by, decided_at) = held.decided.unzip();
        let row = held.row;
        Self {
            id: held.id.to_string(),
            state: held.state.to_wire(),
            source: held.source,
            import_id: optional(held.import),
            line: i64::try_from(row.line).unwrap_or(i64::MAX),
            report_id: row.report_id,
            revision: row.revision,
            plan_number: row.plan_number,
            placement: row.placement.unwrap_or_default(),
            time: Some(row.time.into()),
            impressions: row.impressions,
            clicks: row.clicks,
            spend_micros: row.spend.get(),
            revenue_micros: row.revenue.get(),
            findings: held.findings.into_iter().map(Into::into).collect(),
            at: Some(held.came_at.into()),
            approved_by: optional(held.approved.map(|(by, _)| by)),
            decided_by: optional(decided_by),
            decided_at: decided_at.map(Into::into),
            reason: held.reason,
            outcome: held.outcome,
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
            import,
            placement_name,
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
            simulated: report.origin == Origin::Simulator,
            import: import.map(|((id, line), (began_at, sha256))| proto::ImportedFile {
                id: id.to_string(),
                time: Some(began_at.into()),
                sha256: sha256.map(hex::encode).unwrap_or_default(),
                line,
            }),
            placement_id: report
                .placement
                .map(|id| id.to_string())
                .unwrap_or_default(),
            placement_name: placement_name.unwrap_or_default(),
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
