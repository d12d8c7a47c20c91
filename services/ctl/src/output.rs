//! What people read.

use std::io::Write as _;

/// Writes a line to standard output. Whoever stopped reading is not waited for.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Writes a line to standard error.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Writes rows as columns under a heading.
pub fn table(heading: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count());
        cells
            .chain(heading.get(column).map(|cell| cell.chars().count()))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        say(padded.join("  ").trim_end());
    };
    line(&mut heading.iter().copied());
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
}
