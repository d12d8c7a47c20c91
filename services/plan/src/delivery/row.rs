//! A row of an import file: from texts to a report, or a reason in English why it cannot be taken.

use std::borrow::Cow;

use adfolio_money::Micros;
use chrono::{DateTime, NaiveDateTime, SubsecRound, TimeDelta, Utc};

use super::mapping::{Field, Mapping, Source, shown};

/// More of anything in one report is a mistake; sums of reports stay far from the end of 64 bits.
const HIGHEST_COUNT: i64 = 1_000_000_000_000;

/// More money in one report is a mistake: a billion units.
const HIGHEST_AMOUNT: Micros = Micros::new(1_000_000_000_000_000);

/// Letters of a report's id at most.
const LONGEST_ID: usize = 200;

/// Letters of a placement's id or name at most.
const LONGEST_PLACEMENT: usize = 100;

/// How far ahead of the clock a report's time may be: clocks differ.
const CLOCK_LEEWAY: TimeDelta = TimeDelta::minutes(5);

/// 2000-01-01: no report is older.
const EARLIEST_SECONDS: i64 = 946_684_800;

/// A row as texts, in the order of [`Field::ALL`]; what the file leaves empty is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawRow {
    /// The line that it begins at.
    pub line: u64,
    /// The values of the mapped columns.
    pub values: [Option<String>; Field::ALL.len()],
}

impl RawRow {
    /// Whether it has a value for a field.
    pub fn has(&self, field: Field) -> bool {
        self.values.get(field.index()).is_some_and(Option::is_some)
    }
}

/// What a line of a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A row.
    Row(RawRow),
    /// No row, and why.
    Broken {
        /// The line that it begins at.
        line: u64,
        /// Why, in English.
        reason: String,
    },
}

/// A row that has the form of a report. The plan is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The line that it begins at.
    pub line: u64,
    /// Identifies it within its source.
    pub report_id: String,
    /// Which restatement it is.
    pub revision: i64,
    /// The plan.
    pub plan_number: String,
    /// When it was delivered.
    pub time: DateTime<Utc>,
    /// Impressions.
    pub impressions: i64,
    /// Clicks.
    pub clicks: i64,
    /// What it cost.
    pub spend: Micros,
    /// What it earned.
    pub revenue: Micros,
    /// Whether cost or revenue come from the import's pricing.
    pub estimated: bool,
    /// Where it was delivered, as the source names it.
    pub placement: Option<String>,
}

/// Reads a row by the mapping of its import.
pub fn read(
    row: &RawRow,
    mapping: &Mapping,
    source: &str,
    now: DateTime<Utc>,
) -> Result<Reported, String> {
    let value = |field: Field| -> Option<Cow<'_, str>> {
        match mapping.source(field) {
            Source::Absent => None,
            Source::Constant(text) => Some(Cow::Borrowed(text.as_str())),
            Source::Column(_) | Source::SameName => row
                .values
                .get(field.index())
                .and_then(|value| value.as_deref().map(Cow::Borrowed)),
        }
    };
    let plan = value(Field::PlanNumber).ok_or("plan_number is missing")?;
    let plan_number = mapping.plan_number(plan.trim())?.to_owned();
    let time = value(Field::Time).ok_or("time is missing")?;
    let time = read_time(&time, mapping.time_shift_days, now)?;
    let impressions = count(value(Field::Impressions), mapping, Field::Impressions)?;
    let clicks = count(value(Field::Clicks), mapping, Field::Clicks)?;
    if clicks > impressions {
        return Err(format!(
            "{clicks} clicks are more than {impressions} impressions"
        ));
    }
    let (spend, revenue) = (
        money(value(Field::Spend), Field::Spend)?,
        money(value(Field::Revenue), Field::Revenue)?,
    );
    let estimated = spend.is_none() || revenue.is_none();
    let pricing = mapping.pricing(&plan_number);
    let estimate = |known: Option<Micros>, field: Field| -> Result<Micros, String> {
        if let Some(known) = known {
            return Ok(known);
        }
        let pricing = pricing.ok_or_else(|| {
            format!(
                "{} is missing and the import has no pricing",
                field.as_str()
            )
        })?;
        let price = if field == Field::Spend {
            pricing.spend(impressions, clicks)
        } else {
            pricing.revenue(impressions, clicks)
        };
        price
            .ok()
            .filter(|price| *price <= HIGHEST_AMOUNT)
            .ok_or_else(|| format!("{} is too high", field.as_str()))
    };
    Ok(Reported {
        line: row.line,
        report_id: report_id(value(Field::ReportId), mapping, source, row.line)?,
        revision: revision(value(Field::Revision))?,
        spend: estimate(spend, Field::Spend)?,
        revenue: estimate(revenue, Field::Revenue)?,
        plan_number,
        time,
        impressions,
        clicks,
        estimated,
        placement: placement(value(Field::Placement))?,
    })
}

/// The name of a placement; a text of blanks is none.
fn placement(value: Option<Cow<'_, str>>) -> Result<Option<String>, String> {
    let name = value.map(|text| text.trim().to_owned());
    let name = name.filter(|name| !name.is_empty());
    match name {
        Some(name) if name.chars().count() > LONGEST_PLACEMENT => {
            Err(format!("placement {} is too long", shown(&name)))
        }
        name => Ok(name),
    }
}

fn report_id(
    value: Option<Cow<'_, str>>,
    mapping: &Mapping,
    source: &str,
    line: u64,
) -> Result<String, String> {
    match value {
        None if mapping.is_optional(Field::ReportId) => Ok(format!("{source}:{line}")),
        None => Err("report_id is missing".to_owned()),
        Some(text) => {
            let text = text.trim();
            let fits = (1..=LONGEST_ID).contains(&text.chars().count())
                && !text.chars().any(char::is_control);
            if fits {
                Ok(text.to_owned())
            } else {
                Err("report_id is not a text of 1 to 200 characters".to_owned())
            }
        }
    }
}

fn revision(value: Option<Cow<'_, str>>) -> Result<i64, String> {
    let Some(text) = value else { return Ok(1) };
    whole(&text)
        .filter(|revision| *revision >= 1)
        .ok_or_else(|| format!("revision {} is not a whole number from 1", shown(&text)))
}

/// A count; a field that nothing was said about is 0, one that a column should have is needed.
fn count(value: Option<Cow<'_, str>>, mapping: &Mapping, field: Field) -> Result<i64, String> {
    match value {
        Some(text) => whole(&text)
            .filter(|count| *count <= HIGHEST_COUNT)
            .ok_or_else(|| {
                format!(
                    "{} {} is not a whole number from 0",
                    field.as_str(),
                    shown(&text)
                )
            }),
        None if mapping.is_optional(field) => Ok(0),
        None => Err(format!("{} is missing", field.as_str())),
    }
}

fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn money(value: Option<Cow<'_, str>>, field: Field) -> Result<Option<Micros>, String> {
    let Some(text) = value else { return Ok(None) };
    let parsed = text.trim().parse::<Micros>();
    let amount = parsed.map_err(|error| format!("{} {}: {error}", field.as_str(), shown(&text)))?;
    if amount > HIGHEST_AMOUNT {
        Err(format!("{} is too high", field.as_str()))
    } else {
        Ok(Some(amount))
    }
}

fn read_time(text: &str, shift_days: i64, now: DateTime<Utc>) -> Result<DateTime<Utc>, String> {
    let written =
        parse_time(text.trim()).ok_or_else(|| format!("time {} is not a time", shown(text)))?;
    let shift = TimeDelta::try_days(shift_days).unwrap_or_default();
    let time = written
        .checked_add_signed(shift)
        .ok_or("time is out of range")?
        .trunc_subsecs(6);
    if time.timestamp() < EARLIEST_SECONDS {
        return Err(format!("time {} is before the year 2000", shown(text)));
    }
    if now
        .checked_add_signed(CLOCK_LEEWAY)
        .is_some_and(|latest| time > latest)
    {
        return Err(format!(
            "time {} is in the future",
            time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
        ));
    }
    Ok(time)
}

/// RFC 3339, also with a blank for the `T`, with offsets like `+0000` and `+00`; without an offset
/// it is UTC.
fn parse_time(text: &str) -> Option<DateTime<Utc>> {
    if !text.is_ascii() || text.len() > 40 {
        return None;
    }
    let (date, time) = text.split_at_checked(10)?;
    let time = time.strip_prefix(['T', 't', ' '])?.trim_start();
    let joined = format!("{date}T{time}");
    if let Ok(instant) = DateTime::parse_from_rfc3339(&joined) {
        return Some(instant.to_utc());
    }
    for form in [
        "%Y-%m-%dT%H:%M:%S%.f%#z",
        "%Y-%m-%dT%H:%M:%S%.f %#z",
        "%Y-%m-%dT%H:%M%#z",
    ] {
        if let Ok(instant) = DateTime::parse_from_str(&joined, form) {
            return Some(instant.to_utc());
        }
    }
    let naive = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
    naive
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(&joined, form).ok())
        .map(|local| local.and_utc())
}
