//! Reports that networks send one by one, by gRPC or over the broker.

use chrono::{DateTime, SecondsFormat, Utc};

use super::mapping::{Field, Mapping};
use super::row::{self, RawRow, Reported};

/// A report as it is sent, before anything is checked.
#[derive(Clone, Debug)]
pub struct Sent {
    pub report_id: String,
    pub revision: i64,
    pub plan_number: String,
    pub time: Option<DateTime<Utc>>,
    pub impressions: i64,
    pub clicks: i64,
    pub spend: String,
    pub revenue: String,
    /// Empty for none.
    pub placement: String,
}

impl Sent {
    /// The report, by the rules for rows of files, or why it cannot be taken. `place` names it in
    /// the answer.
    pub fn read(self, source: &str, place: u64, now: DateTime<Utc>) -> Result<Reported, String> {
        let text = |text: String| Some(text).filter(|text| !text.is_empty());
        let number = |number: i64| Some(number.to_string());
        let mut row = RawRow {
            line: place,
            ..RawRow::default()
        };
        let values = [
            (Field::ReportId, text(self.report_id)),
            // 0 is absent on the wire and means the first revision.
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
            (Field::Placement, text(self.placement)),
        ];
        for (field, value) in values {
            if let Some(place) = row.values.get_mut(field.index()) {
                *place = value;
            }
        }
        if !row.has(Field::ReportId) {
            return Err("report_id is missing".to_owned());
        }
        row::read(&row, &Mapping::plain(), source, now)
    }
}
