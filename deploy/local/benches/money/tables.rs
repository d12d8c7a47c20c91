//! The results as tables.

use std::collections::BTreeMap;

use crate::results::{Results, Summary};

/// Prints figures and ratios as the median of the rounds with their spread, and the processor time
/// by process.
pub fn print(results: &Results) {
    println!(
        "\n{} rounds of {} s each, {} cores, commit {}",
        results.rounds,
        results.seconds,
        results.cores,
        results.version(),
    );
    let others = &results.others_percent;
    println!(
        "others took {:.1} % of the machine ({:.1} to {:.1})",
        others.median, others.min, others.max
    );
    print_summaries("figure", &results.figures);
    print_summaries("ratio", &results.ratios);
    if !results.cpu_us.is_empty() {
        print_processor_time(results);
    }
    print_once(results);
}

fn print_summaries(what: &str, summaries: &BTreeMap<String, Summary>) {
    if summaries.is_empty() {
        return;
    }
    println!("\n{what:<50} {:>10} {:>10} {:>10}", "median", "min", "max");
    for (name, summary) in summaries {
        println!(
            "{name:<50} {:>10} {:>10} {:>10}",
            number(summary.median),
            number(summary.min),
            number(summary.max)
        );
    }
}

fn print_once(results: &Results) {
    if results.once.is_empty() {
        return;
    }
    println!("\n{:<50} {:>10}", "measured once", "value");
    for (name, value) in &results.once {
        println!("{name:<50} {:>10}", number(*value));
    }
}

/// A row per process, a column per measurement. The last row is the sum without the benchmark.
fn print_processor_time(results: &Results) {
    println!("\nmicroseconds of processor time per operation, median of the rounds");
    let columns: Vec<(String, &BTreeMap<String, Summary>)> = results
        .cpu_us
        .iter()
        .map(|(name, processes)| (name.replace("postings_", ""), processes))
        .collect();
    print!("{:<14}", "");
    for (name, _) in &columns {
        print!(" {name:>16}");
    }
    println!();
    for process in results.processes() {
        print!("{process:<14}");
        for (_, processes) in &columns {
            let used_us = processes.get(process).map_or(0.0, |used| used.median);
            print!(" {:>16}", number(used_us));
        }
        println!();
    }
    print!("{:<14}", "system");
    for name in results.cpu_us.keys() {
        let total = &results.figures[&format!("{name}.cpu_us")];
        print!(" {:>16}", number(total.median));
    }
    println!();
}

/// Three significant digits or more, as far as the third decimal.
pub fn number(value: f64) -> String {
    let decimals = match value.abs() {
        0.0 | 100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}
