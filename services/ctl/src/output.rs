//! Output for people and scripts.

use std::io::Write as _;

use clap::Args;
use serde_json::{Map, Value};

/// A name and a value for each column.
pub type Row = Vec<(&'static str, Value)>;

/// Output format
#[derive(Args, Clone, Copy, Debug)]
pub struct Format {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Format {
    /// Prints a list: as a table, or as `{"items": […]}`.
    pub fn list(self, rows: Vec<Row>) {
        if self.json {
            let items: Vec<Value> = rows.into_iter().map(object).collect();
            return say(&serde_json::json!({ "items": items }).to_string());
        }
        let Some(first) = rows.first() else {
            return say("none");
        };
        let heading: Vec<String> = first.iter().map(|(name, _)| title(name)).collect();
        let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|(_, value)| cell(value)).collect())
            .collect();
        table(&heading, &cells);
    }

    /// Prints one row: a line per value, or a JSON object.
    pub fn one(self, row: Row) {
        if self.json {
            return say(&object(row).to_string());
        }
        let width = row.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in &row {
            let line = format!("{:<width$}  {}", title(name), cell(value));
            say(line.trim_end());
        }
    }
}

fn object(row: Row) -> Value {
    let pairs = row
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Value::Object(pairs.collect::<Map<_, _>>())
}

fn title(name: &str) -> String {
    name.replace('_', " ").to_uppercase()
}

/// A value for the terminal: text without quotes and control characters.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect()
}

/// Writes a line to standard output. A closed pipe is ignored.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Writes a line to standard error.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints rows as columns under a heading.
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_are_plain_text() {
        assert_eq!(cell(&json!("a\u{1b}[2Jb\nc")), "a [2Jb c");
        assert_eq!(cell(&Value::Null), "");
        assert_eq!(cell(&json!(7)), "7");
        assert_eq!(title("put_amount"), "PUT AMOUNT");
    }
}
