//! Reads an import file while it arrives: a thread parses the pieces of the stream, so memory holds
//! a few pieces and a few batches, however large the file is.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

use adfolio_kit::names;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{Receiver, Sender};

use super::mapping::{Field, Mapping, shown};
use super::row::{Line, RawRow};

/// Lines of a batch of a file: the gate looks at so many together. It bounds an import's memory.
pub(super) const FILE_BATCH: usize = 20_000;

/// Lines of a batch that one transaction takes.
pub(super) const TAKEN_BATCH: usize = 1_000;

/// A line or record longer than this is no row.
const LONGEST_LINE: usize = 64 * 1024;

/// What the reading thread sends.
#[derive(Debug)]
pub(super) enum Batch {
    /// Lines, in the order of the file.
    Lines(Vec<Line>),
    /// The rest of the file cannot be read, and why, in English.
    Unreadable(String),
}

names! {
    /// The form of a file.
    Form {
        /// Comma-separated values with a header line.
        Csv,
        /// A JSON object a line.
        JsonLines = "jsonl",
    }
}

/// A piece of the file; an error once the stream broke off.
pub(super) type Piece = Result<Vec<u8>, ()>;

/// The pieces of a stream as something to read from. Lives on a thread that may block.
pub(super) struct PieceReader {
    pieces: Receiver<Piece>,
    current: Vec<u8>,
    position: usize,
}

impl PieceReader {
    pub(super) fn new(pieces: Receiver<Piece>) -> Self {
        Self {
            pieces,
            current: Vec::new(),
            position: 0,
        }
    }
}

impl Read for PieceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let rest = self.current.get(self.position..).unwrap_or_default();
            if !rest.is_empty() {
                let count = rest.len().min(buffer.len());
                for (to, from) in buffer.iter_mut().zip(rest) {
                    *to = *from;
                }
                self.position = self.position.saturating_add(count);
                return Ok(count);
            }
            match self.pieces.blocking_recv() {
                Some(Ok(piece)) => (self.current, self.position) = (piece, 0),
                // A stream that broke off must not look like the end of the file: its last line may
                // be incomplete.
                Some(Err(())) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
                None => return Ok(0),
            }
        }
    }
}

/// Reads the whole file and sends its lines in batches. Ends early when the receiver is gone.
pub(super) fn read_file(
    form: Form,
    file: impl Read,
    mapping: &Mapping,
    (batch_lines, batches): (usize, &Sender<Batch>),
) {
    let mut collector = Collector {
        lines: Vec::new(),
        batch_lines,
        batches,
    };
    let outcome = match form {
        Form::Csv => read_csv(file, mapping, &mut collector),
        Form::JsonLines => read_json_lines(file, mapping, &mut collector),
    };
    match outcome {
        Ok(()) => collector.flush().unwrap_or_default(),
        Err(Stopped::Unreadable(problem)) => {
            let _ = batches.blocking_send(Batch::Unreadable(problem));
        }
        Err(Stopped::ReceiverGone | Stopped::BrokenOff) => {}
    }
}

/// Why reading ended before the file.
enum Stopped {
    /// The import ended.
    ReceiverGone,
    /// The stream broke off; its sender knows.
    BrokenOff,
    /// The file does not have its form.
    Unreadable(String),
}

struct Collector<'a> {
    lines: Vec<Line>,
    batch_lines: usize,
    batches: &'a Sender<Batch>,
}

impl Collector<'_> {
    fn push(&mut self, line: Line) -> Result<(), Stopped> {
        self.lines.push(line);
        if self.lines.len() >= self.batch_lines {
            self.flush().map_err(|()| Stopped::ReceiverGone)
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> Result<(), ()> {
        let lines = std::mem::take(&mut self.lines);
        if lines.is_empty() {
            return Ok(());
        }
        self.batches
            .blocking_send(Batch::Lines(lines))
            .map_err(|_| ())
    }
}

/// The lines of a file, counted from 1.
struct LineReader<R> {
    reader: BufReader<R>,
    line: u64,
}

impl<R: Read> LineReader<R> {
    fn new(file: R) -> Self {
        Self {
            reader: BufReader::new(file),
            line: 0,
        }
    }

    /// Appends the next line with its line break; false at the end of the file. A line beyond
    /// [`LONGEST_LINE`] is cut just behind that length, so a file without line breaks does not fill
    /// the memory.
    fn append_to(&mut self, bytes: &mut Vec<u8>) -> Result<bool, Stopped> {
        let mut found_any = false;
        loop {
            let buffer = self.reader.fill_buf().map_err(|_| Stopped::BrokenOff)?;
            if buffer.is_empty() {
                break;
            }
            found_any = true;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(buffer.len(), |end| end.saturating_add(1));
            if bytes.len() <= LONGEST_LINE {
                bytes.extend_from_slice(buffer.get(..count).unwrap_or(buffer));
            }
            self.reader.consume(count);
            if end.is_some() {
                break;
            }
        }
        if found_any {
            self.line = self.line.saturating_add(1);
            // Spreadsheets begin a file with a byte order mark.
            if self.line == 1 && bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
                bytes.drain(..3);
            }
        }
        Ok(found_any)
    }
}

/// Follows the quotes of a record through its lines, to know whether a quoted field contains a line
/// break. The rules are those of the csv crate: only a quote at the beginning of a field opens it.
struct Quotes {
    open: bool,
    at_start: bool,
    after_quote: bool,
}

impl Quotes {
    fn new() -> Self {
        Self {
            open: false,
            at_start: true,
            after_quote: false,
        }
    }

    fn follow(&mut self, bytes: &[u8]) {
        for byte in bytes {
            (self.open, self.at_start, self.after_quote) = match byte {
                b'"' if self.open => (false, false, true),
                b'"' if self.at_start || self.after_quote => (true, false, false),
                b',' | b'\n' | b'\r' if !self.open => (false, true, false),
                _ => (self.open, false, false),
            };
        }
    }
}

/// A record of a CSV file and the line that it begins at.
enum Record {
    Fields(u64, csv::ByteRecord),
    Broken(u64, String),
}

/// The next record that is not blank; none at the end of the file.
fn next_record<R: Read>(lines: &mut LineReader<R>) -> Result<Option<Record>, Stopped> {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if !lines.append_to(&mut bytes)? {
            return Ok(None);
        }
        if !bytes.iter().all(u8::is_ascii_whitespace) {
            break;
        }
    }
    let line = lines.line;
    let mut quotes = Quotes::new();
    quotes.follow(&bytes);
    while quotes.open && bytes.len() <= LONGEST_LINE {
        let known = bytes.len();
        if !lines.append_to(&mut bytes)? {
            break;
        }
        quotes.follow(bytes.get(known..).unwrap_or_default());
    }
    if quotes.open {
        let reason = format!("a quote is not closed up to line {}", lines.line);
        return Ok(Some(Record::Broken(line, reason)));
    }
    if bytes.len() > LONGEST_LINE {
        let reason = "the line is too long".to_owned();
        return Ok(Some(Record::Broken(line, reason)));
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(bytes.len().max(1))
        .from_reader(bytes.as_slice());
    let (mut record, mut rest) = (csv::ByteRecord::new(), csv::ByteRecord::new());
    let is_one = reader.read_byte_record(&mut record).unwrap_or(false)
        && !reader.read_byte_record(&mut rest).unwrap_or(true);
    Ok(Some(if is_one {
        Record::Fields(line, record)
    } else {
        Record::Broken(line, "the line is not one CSV record".to_owned())
    }))
}

fn read_csv(
    file: impl Read,
    mapping: &Mapping,
    collector: &mut Collector<'_>,
) -> Result<(), Stopped> {
    let mut lines = LineReader::new(file);
    let headers = match next_record(&mut lines)? {
        Some(Record::Fields(_, headers)) => headers,
        Some(Record::Broken(_, reason)) => return Err(Stopped::Unreadable(reason)),
        None => {
            return Err(Stopped::Unreadable(
                "the file has no header line".to_owned(),
            ));
        }
    };
    let columns = columns_of(&headers, mapping)?;
    while let Some(record) = next_record(&mut lines)? {
        collector.push(match record {
            Record::Fields(line, record) => csv_row(&record, line, &headers, &columns),
            Record::Broken(line, reason) => Line::Broken { line, reason },
        })?;
    }
    Ok(())
}

/// The place of each field's column.
fn columns_of(
    headers: &csv::ByteRecord,
    mapping: &Mapping,
) -> Result<[Option<usize>; Field::ALL.len()], Stopped> {
    let names: Vec<String> = headers
        .iter()
        .map(|name| String::from_utf8_lossy(name).trim().to_owned())
        .collect();
    let mut columns = [None; Field::ALL.len()];
    for field in Field::ALL.iter().copied() {
        let Some(wanted) = mapping.column(field) else {
            continue;
        };
        let found = names.iter().position(|name| name == wanted.trim());
        if found.is_none() && !mapping.is_optional(field) {
            return Err(Stopped::Unreadable(format!(
                "the file has no column {}",
                shown(wanted)
            )));
        }
        if let Some(column) = columns.get_mut(field.index()) {
            *column = found;
        }
    }
    Ok(columns)
}

fn csv_row(
    record: &csv::ByteRecord,
    line: u64,
    headers: &csv::ByteRecord,
    columns: &[Option<usize>; Field::ALL.len()],
) -> Line {
    if record.len() != headers.len() {
        let reason = format!(
            "{} fields where the header has {}",
            record.len(),
            headers.len()
        );
        return Line::Broken { line, reason };
    }
    let mut row = RawRow {
        line,
        ..RawRow::default()
    };
    for (value, column) in row.values.iter_mut().zip(columns) {
        let Some(bytes) = column.and_then(|column| record.get(column)) else {
            continue;
        };
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Line::Broken {
                line,
                reason: "the line is not UTF-8".to_owned(),
            };
        };
        let text = text.trim();
        *value = (!text.is_empty()).then(|| text.to_owned());
    }
    Line::Row(row)
}

fn read_json_lines(
    file: impl Read,
    mapping: &Mapping,
    collector: &mut Collector<'_>,
) -> Result<(), Stopped> {
    let mut lines = LineReader::new(file);
    let mut bytes = Vec::new();
    while lines.append_to(&mut bytes)? {
        if !bytes.iter().all(u8::is_ascii_whitespace) {
            collector.push(json_row(&bytes, lines.line, mapping))?;
        }
        bytes.clear();
    }
    Ok(())
}

fn json_row(bytes: &[u8], line: u64, mapping: &Mapping) -> Line {
    if bytes.len() > LONGEST_LINE {
        return Line::Broken {
            line,
            reason: "the line is too long".to_owned(),
        };
    }
    // Numbers stay text: a float in between would change amounts.
    let object: HashMap<String, &RawValue> = match serde_json::from_slice(bytes) {
        Ok(object) => object,
        Err(_) => {
            return Line::Broken {
                line,
                reason: "the line is not a JSON object".to_owned(),
            };
        }
    };
    let mut row = RawRow {
        line,
        ..RawRow::default()
    };
    for (value, field) in row.values.iter_mut().zip(Field::ALL.iter().copied()) {
        let Some(raw) = mapping
            .column(field)
            .and_then(|column| object.get(column))
            .map(|raw| raw.get())
        else {
            continue;
        };
        let text = match raw.as_bytes().first() {
            Some(b'"') => match serde_json::from_str::<String>(raw) {
                Ok(text) => text,
                Err(_) => {
                    return Line::Broken {
                        line,
                        reason: format!("{} is not a text", field.as_str()),
                    };
                }
            },
            Some(b'{' | b'[') => {
                return Line::Broken {
                    line,
                    reason: format!("{} is not a text or number", field.as_str()),
                };
            }
            _ => match raw {
                "null" => continue,
                "true" => "1".to_owned(),
                "false" => "0".to_owned(),
                number => number.to_owned(),
            },
        };
        let text = text.trim();
        *value = (!text.is_empty()).then(|| text.to_owned());
    }
    Line::Row(row)
}
