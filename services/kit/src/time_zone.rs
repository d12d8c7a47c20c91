//! Time zones as sent by callers, and the days that follow from them.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use chrono::{
    DateTime, Datelike, Days, FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime,
    Offset, TimeDelta, TimeZone as _, Utc,
};
use chrono_tz::{TZ_VARIANTS, Tz};

/// The largest offset: UTC-12 to UTC+14 are in use, and 18 hours is what ISO-minded libraries
/// allow.
const WIDEST_OFFSET_SECONDS: i32 = 18 * 3600;

/// Longer texts are invalid.
const LONGEST_TEXT: usize = 128;

/// A caller's time zone: an IANA zone if one was named, else a fixed offset. UTC if invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeZone {
    /// A zone with its history and daylight saving.
    Named(Tz),
    /// A fixed distance from UTC.
    Fixed(FixedOffset),
}

impl Default for TimeZone {
    fn default() -> Self {
        Self::UTC
    }
}

impl TimeZone {
    /// UTC.
    pub const UTC: Self = Self::Named(Tz::UTC);

    /// Reads `Asia/Shanghai GMT+08:00` in any of its forms: name, offset or both, in either order,
    /// separated by spaces or a comma. The name wins. Anything else is UTC. A `+` that a query
    /// string has turned into a space is read as one: `GMT 08:00`.
    pub fn parse(text: &str) -> Self {
        if text.len() > LONGEST_TEXT {
            return Self::UTC;
        }
        let words = || {
            text.split(|letter: char| letter == ',' || letter.is_whitespace())
                .filter(|word| !word.is_empty())
        };
        // `GMT+8` and `Etc/GMT-8` both look like IANA names; only words that are not names are read
        // as offsets.
        let named = words()
            .filter_map(parse_name)
            .find(|zone| ![Tz::UTC, Tz::GMT].contains(zone));
        let fixed = || {
            let signed = words().find_map(parse_offset).or_else(|| {
                let plus = words().find(|word| word.contains(':'))?;
                parse_offset(&format!("+{plus}"))
            });
            signed.filter(|offset| offset.local_minus_utc() != 0)
        };
        match (named, fixed()) {
            (Some(zone), _) => Self::Named(zone),
            (None, Some(offset)) => Self::Fixed(offset),
            (None, None) => Self::UTC,
        }
    }

    /// The local date at an instant.
    pub fn local_date(&self, instant: DateTime<Utc>) -> NaiveDate {
        self.local(instant).date()
    }

    /// The local date and time at an instant.
    pub fn local(&self, instant: DateTime<Utc>) -> NaiveDateTime {
        let offset = match self {
            Self::Named(zone) => zone.offset_from_utc_datetime(&instant.naive_utc()).fix(),
            Self::Fixed(offset) => *offset,
        };
        let shift = TimeDelta::seconds(i64::from(offset.local_minus_utc()));
        instant
            .naive_utc()
            .checked_add_signed(shift)
            .unwrap_or_else(|| instant.naive_utc())
    }

    /// Today's local date.
    pub fn today(&self, now: DateTime<Utc>) -> NaiveDate {
        self.local_date(now)
    }

    /// The first instant of a local date.
    pub fn start_of_day(&self, date: NaiveDate) -> DateTime<Utc> {
        self.to_utc(date.and_time(NaiveTime::MIN))
    }

    /// The first instant of the local week (from Monday) of `now`.
    pub fn start_of_week(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let today = self.today(now);
        let back = Days::new(u64::from(today.weekday().num_days_from_monday()));
        self.start_of_day(today.checked_sub_days(back).unwrap_or(today))
    }

    /// The first instant of the local month of `now`.
    pub fn start_of_month(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let today = self.today(now);
        self.start_of_day(today.with_day(1).unwrap_or(today))
    }

    /// The instant of a local time: the first of two (clocks set back); the first instant after the
    /// gap if there is none (clocks set forward).
    pub fn to_utc(&self, local: NaiveDateTime) -> DateTime<Utc> {
        match self {
            Self::Fixed(offset) => {
                let shift = TimeDelta::seconds(i64::from(offset.local_minus_utc()));
                local.checked_sub_signed(shift).unwrap_or(local).and_utc()
            }
            Self::Named(zone) => match zone.from_local_datetime(&local) {
                MappedLocalTime::Single(instant) | MappedLocalTime::Ambiguous(instant, _) => {
                    instant.to_utc()
                }
                MappedLocalTime::None => self.end_of_gap(local),
            },
        }
    }

    /// The instant at which local time jumps over `local`. Gaps are up to a day long (the Pacific's
    /// date-line moves) and begin within a day of the missing time. The jump is found by bisecting
    /// the instants, where local time grows monotonically around a single gap.
    fn end_of_gap(self, local: NaiveDateTime) -> DateTime<Utc> {
        let day = TimeDelta::days(2);
        let (Some(before), Some(after)) =
            (local.checked_sub_signed(day), local.checked_add_signed(day))
        else {
            return local.and_utc();
        };
        let (mut low, mut high) = (before.and_utc().timestamp(), after.and_utc().timestamp());
        while high.saturating_sub(low) > 1 {
            let middle = low.midpoint(high);
            let Some(instant) = DateTime::from_timestamp(middle, 0) else {
                break;
            };
            if self.local(instant) < local {
                low = middle;
            } else {
                high = middle;
            }
        }
        DateTime::from_timestamp(high, 0).unwrap_or_else(|| local.and_utc())
    }
}

/// An IANA name in any letter case. Bare offsets like `GMT+8` are not names here: IANA's
/// `Etc/GMT+8` means the opposite.
fn parse_name(word: &str) -> Option<Tz> {
    if parse_offset(word).is_some() {
        return None;
    }
    let any_case = || {
        TZ_VARIANTS
            .iter()
            .find(|zone| zone.name().eq_ignore_ascii_case(word))
            .copied()
    };
    word.parse().ok().or_else(any_case)
}

/// `+08:00`, `GMT+8`, `UTC-3:30`, `+0545`; `8` is not an offset.
fn parse_offset(word: &str) -> Option<FixedOffset> {
    let upper = word.to_ascii_uppercase();
    let rest = upper
        .strip_prefix("GMT")
        .or_else(|| upper.strip_prefix("UTC"))
        .unwrap_or(&upper);
    let (sign, digits) = match rest.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 || digits.len() == 3 => {
            digits.split_at_checked(digits.len().checked_sub(2)?)?
        }
        None => (digits, "0"),
    };
    let hours = parse_part(hours, 2)?;
    let minutes = parse_part(minutes, 2).filter(|minutes| *minutes < 60)?;
    let seconds = hours
        .checked_mul(3600)?
        .checked_add(minutes.checked_mul(60)?)?;
    if seconds > WIDEST_OFFSET_SECONDS {
        return None;
    }
    FixedOffset::east_opt(seconds.checked_mul(sign)?)
}

fn parse_part(digits: &str, longest: usize) -> Option<i32> {
    let plain =
        (1..=longest).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

impl FromStr for TimeZone {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::parse(text))
    }
}

impl fmt::Display for TimeZone {
    /// The canonical form, which parses back to the same zone.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(zone) => formatter.write_str(zone.name()),
            Self::Fixed(offset) => write!(formatter, "GMT{offset}"),
        }
    }
}
