//! The real logs and priors of an advertising shop. They are not part of this repository: they are read from
//! `ADFOLIO_BANDIT_DATA`, or from `../shared/data/bandit` beside the checkout. A test that needs them says so and skips
//! without them.

use std::path::PathBuf;

use adfolio_placement::pace::{HOURS, hour_of_week};
use chrono::{DateTime, Utc};

/// The text of a file, or none with a word about it.
pub fn read(name: &str) -> Option<String> {
    let folder = std::env::var_os("ADFOLIO_BANDIT_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bandit"),
        PathBuf::from,
    );
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        println!(
            "SKIPPED: needs the real log {} (set ADFOLIO_BANDIT_DATA)",
            path.display()
        );
    }
    text
}

/// Alpha and beta of the placements' click rates.
pub fn priors() -> Option<(Vec<f64>, Vec<f64>)> {
    let priors: serde_json::Value = serde_json::from_str(&read("prior-men.json")?).unwrap();
    let list = |name: &str| serde_json::from_value(priors[name].clone()).unwrap();
    Some((list("alpha"), list("beta")))
}

/// Impressions of a log by hour of the week.
pub fn hours(name: &str) -> Option<[u64; HOURS]> {
    let text = read(name)?;
    let mut hours = [0; HOURS];
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        hours[hour_of_week(time(&row.unwrap()[0]))] += 1;
    }
    Some(hours)
}

/// The time of a row.
pub fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}
