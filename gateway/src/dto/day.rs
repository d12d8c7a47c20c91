//! Days as callers name them.

use adfolio_kit::time_zone::TimeZone;
use chrono::{DateTime, Days, NaiveDate, Utc};
use serde::Deserialize;
use utoipa::ToSchema;

/// A day, `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(value_type = String, format = Date, example = "2026-11-20")]
pub struct Day(NaiveDate);

impl Day {
    /// Its first instant in a time zone.
    pub fn start(self, zone: TimeZone) -> DateTime<Utc> {
        zone.start_of_day(self.0)
    }

    /// The first instant of the next day in a time zone.
    pub fn end(self, zone: TimeZone) -> DateTime<Utc> {
        let next = self.0.checked_add_days(Days::new(1));
        zone.start_of_day(next.unwrap_or(self.0))
    }
}

impl TryFrom<String> for Day {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        // chrono also reads years with a sign and with other numbers of digits.
        let day = NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok();
        let is_plain = text.len() == 10 && text.starts_with(|first: char| first.is_ascii_digit());
        day.filter(|_| is_plain).map(Self).ok_or("not a day")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_days_are_read() {
        for text in ["2026-11-20", "2024-02-29", "0001-01-01", "9999-12-31"] {
            assert!(Day::try_from(text.to_owned()).is_ok(), "{text}");
        }
        for text in [
            "",
            "2026-11",
            "2026-11-31",
            "2026-1-20",
            "20-11-2026",
            "+026-11-20",
            "2026-11-20Z",
            "２026-11-20",
            "today",
        ] {
            assert!(Day::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_day_is_that_of_the_time_zone() {
        let day = Day::try_from("2026-11-20".to_owned()).expect("a day");
        let zone = TimeZone::parse("Asia/Kathmandu");
        assert_eq!(day.start(zone).to_rfc3339(), "2026-11-19T18:15:00+00:00");
        assert_eq!(day.end(zone).to_rfc3339(), "2026-11-20T18:15:00+00:00");
    }
}
