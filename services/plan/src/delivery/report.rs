//! Reports that networks send one by one, by gRPC or over the broker.

use adfolio_proto::events::v1 as events;
use adfolio_proto::plan::v1 as proto;
use chrono::{DateTime, SecondsFormat, Utc};

use super::mapping::{Field, Mapping};
use super::row::{self, RawRow, Reported};

/// A report as it is sent, before anything is known of it.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) report_id: String,
    pub(super) revision: i64,
    pub(super) plan_number: String,
    pub(super) time: Option<DateTime<Utc>>,
    pub(super) impressions: i64,
    pub(super) clicks: i64,
    pub(super) spend: String,
    pub(super) revenue: String,
}

impl Sent {
    /// The report, by the rules that rows of files obey, or why it cannot be taken. `place` names it in the answer.
    pub(super) fn read(
        self,
        source: &str,
        place: u64,
        now: DateTime<Utc>,
    ) -> Result<Reported, String> {
        let text = |text: String| Some(text).filter(|text| !text.is_empty());
        let number = |number: i64| Some(number.to_string());
        let mut row = RawRow {
            line: place,
            ..RawRow::default()
        };
        let values = [
            (Field::ReportId, text(self.report_id)),
            // Absent on the wire is 0, which is the first.
            (
                Field::Revision,
                number(self.revision).filter(|_| self.revision != 0),
            ),
            (Field::PlanNumber, text(self.plan_number)),
            (
                Field::Time,
                self.time
                    .map(|time| time.to_rfc3339_opts(SecondsFormat::Micros, true)),
            ),
            (Field::Impressions, number(self.impressions)),
            (Field::Clicks, number(self.clicks)),
            (Field::Spend, text(self.spend)),
            (Field::Revenue, text(self.revenue)),
        ];
        for (field, value) in values {
            if let Some(place) = row.values.get_mut(field.index()) {
                *place = value;
            }
        }
        if row
            .values
            .get(Field::ReportId.index())
            .is_none_or(Option::is_none)
        {
            return Err("report_id is missing".to_owned());
        }
        row::read(&row, &Mapping::plain(), source, now)
    }
}

impl From<proto::ReportDeliveryRequest> for Sent {
    fn from(message: proto::ReportDeliveryRequest) -> Self {
        Self {
            report_id: message.report_id,
            revision: message.revision,
            plan_number: message.plan_number,
            time: message.time.and_then(|time| time.try_into().ok()),
            impressions: message.impressions,
            clicks: message.clicks,
            spend: message.spend,
            revenue: message.revenue,
        }
    }
}

impl From<events::DeliveryReport> for Sent {
    fn from(message: events::DeliveryReport) -> Self {
        Self {
            report_id: message.report_id,
            revision: message.revision,
            plan_number: message.plan_number,
            time: message.time.and_then(|time| time.try_into().ok()),
            impressions: message.impressions,
            clicks: message.clicks,
            spend: message.spend,
            revenue: message.revenue,
        }
    }
}
