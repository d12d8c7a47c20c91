//! Files that simulations and evaluations read.

use std::fs::File;
use std::path::Path;
use std::str::FromStr;

use adfolio_placement::evaluation::{Log, Logged};
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

/// A log in CSV, whose columns are found by their names.
struct Table {
    rows: csv::Reader<File>,
    columns: csv::StringRecord,
}

/// A line of it.
struct Line<'a> {
    number: u64,
    record: csv::StringRecord,
    columns: &'a csv::StringRecord,
}

impl Table {
    fn open(file: &Path) -> anyhow::Result<Self> {
        let mut rows = csv::Reader::from_path(file)?;
        let columns = rows.headers()?.clone();
        Ok(Self { rows, columns })
    }

    fn lines(&mut self) -> impl Iterator<Item = anyhow::Result<Line<'_>>> {
        let columns = &self.columns;
        self.rows.records().map(move |record| {
            let record = record?;
            Ok(Line {
                number: record.position().map_or(0, csv::Position::line),
                record,
                columns,
            })
        })
    }
}

impl Line<'_> {
    /// The value of a column; `kind` says what it must be.
    fn value<T: FromStr>(&self, column: &str, kind: &str) -> anyhow::Result<T> {
        let place = self.columns.iter().position(|name| name.trim() == column);
        let place = place.with_context(|| format!("there is no column {column}"))?;
        let value = self.record.get(place).unwrap_or_default().trim();
        let parsed = value.parse().ok();
        parsed.with_context(|| format!("line {}: {column} is not {kind}", self.number))
    }

    fn time(&self) -> anyhow::Result<DateTime<Utc>> {
        self.value("timestamp", "a time")
    }
}

/// Times of the impressions of a log, which is CSV with a column `timestamp`.
pub fn times(file: &Path) -> anyhow::Result<Vec<DateTime<Utc>>> {
    let read = || {
        Table::open(file)?
            .lines()
            .map(|line| line?.time())
            .collect()
    };
    let times: anyhow::Result<_> = read();
    times.with_context(|| file.display().to_string())
}

/// Impressions of such a log by hour of the week in UTC.
pub fn hours(file: &Path) -> anyhow::Result<[u64; HOURS]> {
    let mut hours = [0_u64; HOURS];
    for time in times(file)? {
        if let Some(count) = hours.get_mut(hour_of_week(time)) {
            *count = count.saturating_add(1);
        }
    }
    Ok(hours)
}

/// The log of a policy: CSV with the columns `timestamp`, `item_id`, `position`, `click` (0 or 1) and `propensity_score`,
/// the probability with which the policy chose the item at the position.
pub fn policy_log(file: &Path) -> anyhow::Result<Log> {
    let read = || -> anyhow::Result<Log> {
        let mut table = Table::open(file)?;
        let rows = table.lines().map(|line| {
            let line = line?;
            let click: u8 = line.value("click", "0 or 1")?;
            if click > 1 {
                bail!("line {}: click is not 0 or 1", line.number);
            }
            let logged = Logged {
                action: line.value("item_id", "a whole number")?,
                position: line.value("position", "a whole number")?,
                reward: click == 1,
                propensity: line.value("propensity_score", "a number")?,
                time: line.time()?,
            };
            Ok((line.number, logged))
        });
        let rows: Vec<(u64, Logged)> = rows.collect::<anyhow::Result<_>>()?;
        Ok(Log::new(rows)?)
    };
    read().with_context(|| file.display().to_string())
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
    fn a_log_of_a_policy_is_read_and_its_bad_lines_are_named() {
        const HEADER: &str = "timestamp,item_id,position,click,propensity_score\n";
        let read = |rows: &str| {
            let log = file(&format!("{HEADER}{rows}"));
            policy_log(log.path()).map_err(|error| format!("{error:#}"))
        };
        let log = read("2019-11-24 00:01:03.979311+00:00,2,2,1,0.045525\n").unwrap();
        let [row] = log.rows() else { panic!("{log:?}") };
        assert_eq!((row.action, row.position, row.reward), (2, 2, true));
        for (rows, problem) in [
            (
                "2019-11-24 00:01:03Z,2,2,2,0.5\n",
                "line 2: click is not 0 or 1",
            ),
            (
                "2019-11-24 00:01:03Z,2,2,1,0.5\nsoon,2,2,1,0.5\n",
                "line 3: timestamp is not a time",
            ),
            (
                "2019-11-24 00:01:03Z,2,2,1,1.5\n",
                "line 2: propensity is 1.5; it must be above 0 and at most 1",
            ),
            (
                "2019-11-24 00:01:03Z,x,2,1,0.5\n",
                "line 2: item_id is not a whole number",
            ),
            ("", "the log has no rows"),
        ] {
            let error = read(rows).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn a_bad_line_is_named() {
        for (content, problem) in [
            (
                "timestamp\n2019-11-25 00:00:00Z\nyesterday\n",
                "line 3: timestamp is not a time",
            ),
            (
                "time\n2019-11-25 00:00:00Z\n",
                "there is no column timestamp",
            ),
        ] {
            let log = file(content);
            let error = format!("{:#}", hours(log.path()).unwrap_err());
            assert!(error.ends_with(problem), "{error}");
        }
    }
}
