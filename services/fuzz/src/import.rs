//! Import files of delivery reports. The first line has the format, `csv` or `jsonl`, the size of a
//! chunk in bytes, and the mapping: `csv 7 {"pricing": …}`; the rest is the file.

use adfolio_plan::{Form, dry_run};
use chrono::DateTime;

/// 2026-11-20T09:00:00Z.
const NOW_SECONDS: i64 = 1_795_165_200;

/// Reads the file in small chunks and at once, which must make no difference.
pub fn check(data: &[u8]) {
    let (how, file) = crate::first_line(data);
    let mut words = how.splitn(3, ' ');
    let form = words.next().and_then(Form::from_name).unwrap_or(Form::Csv);
    let piece_bytes = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let mapping = words.next().unwrap_or("{}");
    let now = DateTime::from_timestamp(NOW_SECONDS, 0).unwrap_or_default();
    let Ok(whole) = dry_run(form, mapping, file, file.len(), now) else {
        return;
    };
    assert_eq!(
        dry_run(form, mapping, file, piece_bytes, now).ok().as_ref(),
        Some(&whole)
    );
    let lines = file.split(|byte| *byte == b'\n').count();
    let rows = whole.taken.len() + whole.rejected.len();
    assert!(rows <= lines, "{rows} rows in {lines} lines");
    let mut named: Vec<u64> = whole.rejected.iter().map(|(line, _)| *line).collect();
    named.extend(&whole.taken);
    named.sort_unstable();
    assert!(
        named.windows(2).all(|pair| pair[0] < pair[1]),
        "a line has two outcomes"
    );
    assert!(
        named.iter().all(|line| (1..=lines as u64).contains(line)),
        "no such line"
    );
}
