//! Pages and the opaque cursors between them.
//!
//! A cursor is neither secret nor trusted: it holds the last row's sort key, a tag of its list and
//! a digest of the list's owner, so that one used elsewhere, or made up, is VALIDATION of `cursor`.

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::refusal::Refusal;

/// Items of a page if the caller sends no number.
pub const DEFAULT_LIMIT: u32 = 20;

/// Most items of a page.
pub const MAX_LIMIT: u32 = 100;

/// Cursors are short; a longer one was not made here.
const LONGEST_CURSOR: usize = 512;

/// Bytes of the digest of scope and owner.
const DIGEST_BYTES: usize = 8;

const FIELD_SEPARATOR: char = '\u{1f}';

/// The id that a page's rows are below, for lists with the newest first. The first page has one, too: a query that is the
/// same for every page keeps one plan.
pub fn bound(before: Option<impl Into<Uuid>>) -> Uuid {
    before.map_or(Uuid::max(), Into::into)
}

/// How much of a list to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    limit: u32,
}

impl Page {
    /// A page of `limit` items: 1 to 100; 0 stands for an absent number, as in proto3.
    pub fn new(limit: u32) -> Result<Self, Refusal> {
        match limit {
            0 => Ok(Self {
                limit: DEFAULT_LIMIT,
            }),
            1..=MAX_LIMIT => Ok(Self { limit }),
            _ => Err(Refusal::invalid("limit")),
        }
    }

    /// Items of the page.
    pub fn limit(&self) -> usize {
        self.limit as usize
    }

    /// One more than the page, to ask the database whether there is a next page.
    pub fn fetch(&self) -> i64 {
        i64::from(self.limit).saturating_add(1)
    }

    /// Cuts `rows` (at most [`Page::fetch`] of them) to the page and makes the cursor of the next
    /// page, if there is one.
    pub fn cut<T>(
        &self,
        mut rows: Vec<T>,
        cursor_of: impl FnOnce(&T) -> String,
    ) -> (Vec<T>, Option<String>) {
        if rows.len() <= self.limit() {
            return (rows, None);
        }
        rows.truncate(self.limit());
        let next = rows.last().map(cursor_of);
        (rows, next)
    }
}

impl Default for Page {
    fn default() -> Self {
        Self {
            limit: DEFAULT_LIMIT,
        }
    }
}

/// Encodes and decodes the cursors of one list of one owner.
#[derive(Clone, Debug)]
pub struct Cursor {
    digest: [u8; DIGEST_BYTES],
}

impl Cursor {
    /// For the list `scope` (a short name, with its filters if they change its order or content) of
    /// `owner`.
    pub fn new(scope: &str, owner: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(scope.as_bytes());
        hash.update([0]);
        hash.update(owner.as_bytes());
        let full = hash.finalize();
        let mut digest = [0; DIGEST_BYTES];
        digest.copy_from_slice(&full[..DIGEST_BYTES]);
        Self { digest }
    }

    /// The cursor behind a row with these sort keys.
    pub fn encode(&self, fields: &[&str]) -> String {
        let mut bytes = self.digest.to_vec();
        bytes.extend_from_slice(fields.join(&FIELD_SEPARATOR.to_string()).as_bytes());
        base64url(&bytes)
    }

    /// The sort keys in a cursor: exactly `count`, else VALIDATION of `cursor`.
    pub fn decode(&self, cursor: &str, count: usize) -> Result<Vec<String>, Refusal> {
        self.fields(cursor)
            .filter(|fields| fields.len() == count)
            .ok_or_else(|| Refusal::invalid("cursor"))
    }

    fn fields(&self, cursor: &str) -> Option<Vec<String>> {
        if cursor.len() > LONGEST_CURSOR {
            return None;
        }
        let bytes = from_base64url(cursor)?;
        let (digest, fields) = bytes.split_at_checked(DIGEST_BYTES)?;
        if digest != self.digest {
            return None;
        }
        let text = std::str::from_utf8(fields).ok()?;
        Some(text.split(FIELD_SEPARATOR).map(str::to_owned).collect())
    }
}

fn base64url(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

fn from_base64url(text: &str) -> Option<Vec<u8>> {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(text)
        .ok()
}
