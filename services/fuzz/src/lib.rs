//! Fuzz targets for all external input: each module's `check` accepts any bytes, and panics if a
//! parser panics or breaks its promise.
//!
//! `tests/it` runs the corpora and seeded mutations of them with every `make test`; `make fuzz`
//! searches on with libFuzzer. Add its findings to the corpus of their target, with a name that
//! describes them.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::pedantic)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::doc_markdown,
    reason = "a panic is what fuzzing looks for"
)]

pub mod cursor;
pub mod event;
pub mod headers;
pub mod import;
pub mod money;
pub mod request;
pub mod time_zone;

/// A check of any bytes.
pub type Check = fn(&[u8]);

/// Every target by its name, which is also the name of its corpus and its program.
pub const TARGETS: [(&str, Check); 7] = [
    ("cursor", cursor::check),
    ("event", event::check),
    ("headers", headers::check),
    ("import", import::check),
    ("money", money::check),
    ("request", request::check),
    ("time_zone", time_zone::check),
];

/// The text before the first line break, and the bytes after it.
fn first_line(data: &[u8]) -> (String, &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == b'\n');
    let line = parts.next().unwrap_or_default();
    (
        String::from_utf8_lossy(line).into_owned(),
        parts.next().unwrap_or_default(),
    )
}
