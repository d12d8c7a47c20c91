//! Ten thousand real impressions, and the sums that their plan must show, computed from the file
//! alone.
//!
//! The file is not part of this repository. It is read from `ADFOLIO_IMPRESSIONS_CSV`, or from
//! `../shared/data/impressions.csv` beside the checkout; a test that needs it says so and skips
//! without it.

use std::path::PathBuf;

use chrono::{DateTime, Duration, NaiveDate, Utc};

/// One impression, its time shifted so that the file's last day is today.
#[derive(Debug, Clone, Copy)]
pub struct Impression {
    /// Line in the file, the header being line 1.
    pub line: u64,
    pub time: DateTime<Utc>,
    pub item: u64,
    pub clicks: i64,
}

/// The file, shifted.
pub struct Impressions {
    pub csv: String,
    pub shift_days: i64,
    pub rows: Vec<Impression>,
}

/// Reads the file, or says why not.
pub fn load(today: NaiveDate) -> Option<Impressions> {
    let path = std::env::var_os("ADFOLIO_IMPRESSIONS_CSV").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/impressions.csv"),
        PathBuf::from,
    );
    let Ok(csv) = std::fs::read_to_string(&path) else {
        println!(
            "SKIPPED: needs the real impressions at {} (set ADFOLIO_IMPRESSIONS_CSV)",
            path.display()
        );
        return None;
    };
    let mut rows: Vec<Impression> = csv
        .lines()
        .enumerate()
        .skip(1)
        .map(|(index, line)| parse(index, line))
        .collect();
    let last_day = rows.iter().map(|row| row.time.date_naive()).max()?;
    let shift = today - last_day;
    for row in &mut rows {
        row.time += shift;
    }
    Some(Impressions {
        csv,
        shift_days: shift.num_days(),
        rows,
    })
}

fn parse(index: usize, line: &str) -> Impression {
    let fields: Vec<&str> = line.split(',').collect();
    Impression {
        line: index as u64 + 1,
        time: fields[0].parse().unwrap(),
        item: fields[1].parse().unwrap(),
        clicks: fields[3].trim().parse().unwrap(),
    }
}

/// The delivery of a period: counts, and money in billionths of a unit so that nothing is rounded
/// on the way.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Sums {
    pub impressions: i64,
    pub clicks: i64,
    pub spend_nanos: i128,
    pub revenue_nanos: i128,
}

impl Sums {
    pub fn add(&mut self, impressions: i64, clicks: i64, spend_nanos: i128, revenue_nanos: i128) {
        self.impressions += impressions;
        self.clicks += clicks;
        self.spend_nanos += spend_nanos;
        self.revenue_nanos += revenue_nanos;
    }
}

/// Cents of an amount in billionths, rounded half to even.
pub fn cents_half_even(nanos: i128) -> i128 {
    const NANOS_PER_CENT: i128 = 10_000_000;
    let (quotient, remainder) = (
        nanos.div_euclid(NANOS_PER_CENT),
        nanos.rem_euclid(NANOS_PER_CENT),
    );
    match (remainder * 2).cmp(&NANOS_PER_CENT) {
        std::cmp::Ordering::Less => quotient,
        std::cmp::Ordering::Greater => quotient + 1,
        std::cmp::Ordering::Equal => quotient + quotient.rem_euclid(2),
    }
}

/// `1234` cents as `"12.34"`.
pub fn decimal(cents: i128) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

/// Cents of a decimal string with two decimals.
pub fn cents(text: &str) -> i128 {
    let (whole, fraction) = text
        .split_once('.')
        .unwrap_or_else(|| panic!("{text} has no decimals"));
    assert_eq!(fraction.len(), 2, "{text}");
    let magnitude: i128 = format!("{}{fraction}", whole.trim_start_matches('-'))
        .parse()
        .unwrap();
    if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    }
}

/// Reports may lie this far in the future.
pub fn future_limit() -> Duration {
    Duration::minutes(5)
}
