//! Reading what callers send, the same way in every service.

use adfolio_proto::common::v1::PageRequest;
use chrono::{DateTime, Utc};
use pbjson_types::Timestamp;
use uuid::Uuid;

use crate::pagination::{Cursor, Page};
use crate::refusal::Refusal;

/// The opaque id in `field`. An empty one is VALIDATION; a text that no id looks like is NOT_FOUND, because ids are opaque
/// to callers: what does not exist answers alike in every form.
pub fn id(text: &str, field: &str) -> Result<Uuid, Refusal> {
    if text.is_empty() {
        return Err(Refusal::invalid(field));
    }
    text.parse().map_err(|_| Refusal::not_found(field))
}

/// The opaque id in `field`, if one was sent.
pub fn optional_id(text: &str, field: &str) -> Result<Option<Uuid>, Refusal> {
    if text.is_empty() {
        Ok(None)
    } else {
        id(text, field).map(Some)
    }
}

/// The opaque id that a list is narrowed to, if one was sent. A text that no id looks like stands for one that nobody has: such
/// a list is as empty as that of an unknown id.
pub fn filter_id(text: &str) -> Option<Uuid> {
    (!text.is_empty()).then(|| text.parse().unwrap_or(Uuid::nil()))
}

/// A text of 1 to `longest` characters after blanks at its ends are dropped, without control characters.
pub fn line(text: &str, longest: usize, field: &str) -> Result<String, Refusal> {
    let trimmed = text.trim();
    let fits = (1..=longest).contains(&trimmed.chars().count());
    if fits && !trimmed.chars().any(char::is_control) {
        Ok(trimmed.to_owned())
    } else {
        Err(Refusal::invalid(field))
    }
}

/// The instant in `field`, if one was sent.
pub fn instant<T: TryInto<DateTime<Utc>>>(
    timestamp: Option<T>,
    field: &str,
) -> Result<Option<DateTime<Utc>>, Refusal> {
    timestamp
        .map(TryInto::try_into)
        .transpose()
        .map_err(|_| Refusal::invalid(field))
}

/// An instant as it is sent.
pub fn timestamp(instant: DateTime<Utc>) -> Timestamp {
    Timestamp {
        seconds: instant.timestamp(),
        // Below two thousand million, leap seconds included.
        nanos: i32::try_from(instant.timestamp_subsec_nanos()).unwrap_or(0),
    }
}

/// Which part of a list is asked for: its size and the position behind which it begins, if any.
pub fn page(request: Option<PageRequest>) -> Result<(Page, Option<String>), Refusal> {
    let request = request.unwrap_or_default();
    Ok((
        Page::new(request.limit)?,
        Some(request.cursor).filter(|cursor| !cursor.is_empty()),
    ))
}

/// The id in a cursor whose only sort key is one.
pub fn cursor_id(cursor: &Cursor, text: Option<&str>) -> Result<Option<Uuid>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    let fields = cursor.decode(text, 1)?;
    let id = fields.first().and_then(|field| field.parse().ok());
    id.map(Some).ok_or_else(|| Refusal::invalid("cursor"))
}
