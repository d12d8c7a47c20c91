//! The real logs, impressions and priors of an advertising shop. They are not part of this repository: they are read from
//! `ADFOLIO_BANDIT_DATA` and `ADFOLIO_IMPRESSIONS_CSV`, or from `../shared/data` beside the checkout. A test that needs them
//! says so and skips without them.

use std::path::{Path, PathBuf};

use adfolio_placement::pace::{HOURS, hour_of_week};
use chrono::{DateTime, Utc};

/// The text of a file of the logs, or none with a word about it.
pub fn read(name: &str) -> Option<String> {
    text(&file("ADFOLIO_BANDIT_DATA", "bandit").join(name))
}

/// Real impressions, which the same shop had in another week.
pub fn impressions() -> Option<String> {
    text(&file("ADFOLIO_IMPRESSIONS_CSV", "impressions.csv"))
}

/// What a variable names, or what lies beside the checkout.
fn file(variable: &str, default: &str) -> PathBuf {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os(variable).map_or_else(|| shared.join(default), PathBuf::from)
}

fn text(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok();
    if text.is_none() {
        println!("SKIPPED: needs the real data of {}", file.display());
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
