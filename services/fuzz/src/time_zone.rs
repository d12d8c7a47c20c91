//! Time zones: the header in the first line, seconds since 1970 in the second.

use adfolio_kit::time_zone::TimeZone;
use chrono::{DateTime, Datelike, TimeDelta, Utc, Weekday};

/// Most seconds of an instant from 1970: the range of four-digit years, less a few days.
const FARTHEST_SECONDS: i64 = 250_000_000_000;

/// Reads a zone and computes its days around an instant.
pub fn check(data: &[u8]) {
    let (text, rest) = crate::first_line(data);
    let zone = TimeZone::parse(&text);
    let now = instant(rest);
    let today = zone.today(now);
    let day = zone.start_of_day(today);
    let week = zone.start_of_week(now);
    let month = zone.start_of_month(now);
    assert!(day <= now, "{zone:?}: {today} begins after {now}");
    assert!(
        week <= day && month <= day,
        "{zone:?}: {week}, {month}, {day}"
    );
    assert!(
        now - day < TimeDelta::hours(50),
        "{zone:?}: {today} began at {day}, long before {now}"
    );
    assert!(now - week < TimeDelta::days(9), "{zone:?}: {week}");
    assert!(now - month < TimeDelta::days(33), "{zone:?}: {month}");
    assert_eq!(zone.local_date(day), today, "{zone:?}");
    // A day that the zone skipped has no midnight; then the next begins at the same instant.
    let monday = zone.local_date(week);
    assert!(
        monday.weekday() == Weekday::Mon || week == zone.start_of_day(monday),
        "{zone:?}: {monday}"
    );
}

/// A text of digits is seconds; anything else counts by its bytes.
fn instant(rest: &[u8]) -> DateTime<Utc> {
    let (line, _) = crate::first_line(rest);
    let seconds = line.trim().parse().unwrap_or_else(|_| {
        let bytes = rest.iter().take(8);
        bytes.fold(0_i64, |sum, byte| {
            sum.wrapping_mul(256).wrapping_add(i64::from(*byte))
        })
    });
    DateTime::from_timestamp(seconds % FARTHEST_SECONDS, 0).unwrap_or_default()
}
