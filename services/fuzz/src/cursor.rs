//! Cursors: any text as a cursor, and any lines as sort keys.

use adfolio_kit::pagination::Cursor;

/// The separator of sort keys inside a cursor; no key of a list contains it.
const SEPARATOR: char = '\u{1f}';

/// More sort keys than any list has.
const FIELDS_MAX: usize = 4;

/// A longer cursor was not made by a list.
const FIELDS_BYTES_MAX: usize = 256;

/// Decodes the text, and encodes its lines.
pub fn check(data: &[u8]) {
    let list = Cursor::new("fuzzed", "owner");
    let text = String::from_utf8_lossy(data);
    for count in 0..=FIELDS_MAX {
        if let Ok(fields) = list.decode(&text, count) {
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            assert_eq!(fields.len(), count);
            assert_eq!(list.encode(&fields), text, "one place, two cursors");
        }
    }
    if text.contains(SEPARATOR) || text.len() > FIELDS_BYTES_MAX {
        return;
    }
    let fields: Vec<&str> = text.split('\n').collect();
    let cursor = list.encode(&fields);
    assert_eq!(
        list.decode(&cursor, fields.len()).expect("an own cursor"),
        fields
    );
    for foreign in [
        Cursor::new("fuzzed", "somebody"),
        Cursor::new("another", "owner"),
    ] {
        assert!(foreign.decode(&cursor, fields.len()).is_err());
    }
}
