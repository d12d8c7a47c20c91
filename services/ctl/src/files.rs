//! Reads the files of commands.

use std::path::Path;

use anyhow::{Context as _, bail};
use serde::de::DeserializeOwned;

/// Maximum size of a file.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The content of a JSON file.
pub fn read_json<T: DeserializeOwned>(file: &Path) -> anyhow::Result<T> {
    let text = read_text(file)?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not as it should be", file.display()))
}

/// The content of a text file.
pub fn read_text(file: &Path) -> anyhow::Result<String> {
    let shown = file.display();
    let size = std::fs::metadata(file)
        .with_context(|| format!("cannot read {shown}"))?
        .len();
    if size > LONGEST {
        bail!("{shown} is too long");
    }
    std::fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))
}
