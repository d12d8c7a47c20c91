//! Two runs side by side.

use std::collections::BTreeMap;

use crate::results::{Results, Summary};
use crate::tables::number;

const TIME: &str = "%Y-%m-%d %H:%M UTC";

/// Prints the medians of both and the ratio of new to old. A star marks figures whose rounds do not
/// overlap: the others may differ by chance alone.
pub fn print(old: &Results, new: &Results) {
    println!("old: {} of {}", old.version(), old.date.format(TIME));
    println!("new: {} of {}", new.version(), new.date.format(TIME));
    println!("a star: no round of one was like any round of the other");
    print_summaries("figure", &old.figures, &new.figures);
    print_summaries("ratio", &old.ratios, &new.ratios);
    if !new.once.is_empty() {
        print_header("measured once");
    }
    for (name, value) in &new.once {
        if let Some(old) = old.once.get(name) {
            print_row(name, *old, *value, "");
        }
    }
}

fn print_summaries(what: &str, old: &BTreeMap<String, Summary>, new: &BTreeMap<String, Summary>) {
    print_header(what);
    for (name, summary) in new {
        if let Some(old) = old.get(name) {
            let mark = if old.overlaps(summary) { "" } else { " *" };
            print_row(name, old.median, summary.median, mark);
        }
    }
}

fn print_header(what: &str) {
    println!("\n{what:<50} {:>10} {:>10} {:>8}", "old", "new", "new/old");
}

fn print_row(name: &str, old: f64, new: f64, mark: &str) {
    let ratio = new / old;
    println!(
        "{name:<50} {:>10} {:>10} {ratio:>8.3}{mark}",
        number(old),
        number(new)
    );
}
