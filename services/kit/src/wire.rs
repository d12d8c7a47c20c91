//! Reading what callers send, the same way in every service.

use adfolio_proto::common::v1::PageRequest;
use chrono::{DateTime, Utc};
use pbjson_types::Timestamp;
use uuid::Uuid;

use crate::pagination::{Cursor, Page};
use crate::refusal::Refusal;

/// The opaque id in `field`. An empty one is VALIDATION. A text that is no id is NOT_FOUND: ids are
/// opaque to callers, so everything that does not exist answers alike.
pub fn id<T: From<Uuid>>(text: &str, field: &str) -> Result<T, Refusal> {
    if text.is_empty() {
        return Err(Refusal::invalid(field));
    }
    let id: Uuid = text.parse().map_err(|_| Refusal::not_found(field))?;
    Ok(id.into())
}

/// The opaque id in `field`, if one was sent.
pub fn optional_id<T: From<Uuid>>(text: &str, field: &str) -> Result<Option<T>, Refusal> {
    if text.is_empty() {
        Ok(None)
    } else {
        id(text, field).map(Some)
    }
}

/// The opaque id that filters a list, if one was sent. A text that is no id stands for an unknown
/// one: the list is empty.
pub fn filter_id(text: &str) -> Option<Uuid> {
    (!text.is_empty()).then(|| text.parse().unwrap_or(Uuid::nil()))
}

/// A text of 1 to `longest` characters after trimming, without control characters.
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
        // Below two billion, leap seconds included.
        nanos: i32::try_from(instant.timestamp_subsec_nanos()).unwrap_or(0),
    }
}

/// A list of one owner, and the requested part of it.
#[derive(Debug)]
pub struct List {
    page: Page,
    cursors: Cursor,
    cursor: Option<String>,
}

impl List {
    /// The requested page of the list `scope` of `owner`; see [`Cursor::new`].
    pub fn new(
        request: Option<PageRequest>,
        scope: &str,
        owner: &impl ToString,
    ) -> Result<Self, Refusal> {
        let (page, cursor) = page(request)?;
        let cursors = Cursor::new(scope, &owner.to_string());
        Ok(Self {
            page,
            cursors,
            cursor,
        })
    }

    /// The id after which the page begins, in a list whose only sort key is one.
    pub fn before<T: From<Uuid>>(&self) -> Result<Option<T>, Refusal> {
        Ok(cursor_id(&self.cursors, self.cursor.as_deref())?.map(T::from))
    }

    /// The `count` sort keys after which the page begins.
    pub fn keys(&self, count: usize) -> Result<Option<Vec<String>>, Refusal> {
        let cursor = self.cursor.as_deref();
        cursor
            .map(|text| self.cursors.decode(text, count))
            .transpose()
    }

    /// One more than the page, to ask the database whether there is a next page.
    pub fn fetch(&self) -> i64 {
        self.page.fetch()
    }

    /// Cuts `rows` to the page; returns it with the cursor of the next page, empty at the end of
    /// the list. `keys` are the sort keys of a row.
    pub fn cut<T, K: ToString>(
        &self,
        rows: Vec<T>,
        keys: impl FnOnce(&T) -> K,
    ) -> (Vec<T>, String) {
        let (rows, next) = self
            .page
            .cut(rows, |last| self.cursors.encode(&[&keys(last).to_string()]));
        (rows, next.unwrap_or_default())
    }

    /// Like [`List::cut`], for lists with several sort keys.
    pub fn cut_by<T>(
        &self,
        rows: Vec<T>,
        keys: impl FnOnce(&T) -> Vec<String>,
    ) -> (Vec<T>, String) {
        let (rows, next) = self.page.cut(rows, |last| {
            let keys = keys(last);
            self.cursors
                .encode(&keys.iter().map(String::as_str).collect::<Vec<_>>())
        });
        (rows, next.unwrap_or_default())
    }
}

/// The requested part of a list: its size and the position after which it begins, if any.
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
