//! Files that simulations and evaluations read.

use std::path::Path;

use adfolio_placement::pace::{HOURS, hour_of_week};
use anyhow::{Context as _, bail};
use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::files;

/// Distributions of click rates: one Beta(alpha, beta) for each placement.
#[derive(Debug, Deserialize)]
pub struct Priors {
    pub alpha: Vec<f64>,
    pub beta: Vec<f64>,
}

impl Priors {
    /// Reads `{"alpha": […], "beta": […]}`.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        files::read_json(file)
    }
}

/// Impressions of a log by hour of the week in UTC. The log is CSV with a column `timestamp`.
pub fn hours(file: &Path) -> anyhow::Result<[u64; HOURS]> {
    let text = files::read_text(file)?;
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let column = rows.headers()?.iter().position(|name| name == "timestamp");
    let Some(column) = column else {
        bail!("{} has no column timestamp", file.display());
    };
    let mut hours = [0_u64; HOURS];
    for row in rows.records() {
        let row = row?;
        let line = row.position().map_or(0, csv::Position::line);
        let time = row.get(column).and_then(time);
        let time = time
            .with_context(|| format!("{} line {line}: timestamp is not a time", file.display()))?;
        if let Some(count) = hours.get_mut(hour_of_week(time)) {
            *count = count.saturating_add(1);
        }
    }
    Ok(hours)
}

/// A time as RFC 3339, or with a blank between date and time.
pub fn time(text: &str) -> Option<DateTime<Utc>> {
    text.trim().replacen(' ', "T", 1).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn file(content: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content.as_bytes()).unwrap();
        file
    }

    #[test]
    fn impressions_are_counted_by_hour_of_the_week() {
        let log =
            file("timestamp,item_id\n2019-11-25 00:59:59.5+00:00,1\n2019-11-25T01:30:00+01:00,2\n");
        let hours = hours(log.path()).unwrap();
        assert_eq!((hours[0], hours.iter().sum::<u64>()), (2, 2));
    }

    #[test]
    fn a_bad_line_is_named() {
        let log = file("timestamp\n2019-11-25 00:00:00Z\nyesterday\n");
        let error = hours(log.path()).unwrap_err().to_string();
        assert!(
            error.ends_with("line 3: timestamp is not a time"),
            "{error}"
        );
        let log = file("time\n");
        let error = hours(log.path()).unwrap_err().to_string();
        assert!(error.ends_with("has no column timestamp"), "{error}");
    }
}
