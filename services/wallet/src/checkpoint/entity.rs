//! What is published of the chains.

use adfolio_kit::identity::UserId;
use adfolio_proof::tree::{Hash, Head, State};
use chrono::{DateTime, Utc};

/// A checkpoint as it was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Counts from 1.
    pub number: i64,
    pub state: State,
    pub made_at: DateTime<Utc>,
    /// The signed note.
    pub note: String,
}

impl Published {
    /// Leaves of the log, as messages and columns have it.
    pub fn size(&self) -> i64 {
        signed(self.state.size)
    }
}

/// Sizes and indexes of a log stay far below the largest number.
pub fn signed(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// A published head, and its place in the log.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub index: u64,
    pub head: Head,
}

/// What a page of wallets adds to the log.
#[derive(Debug)]
pub struct Changed {
    /// In order of the user's id.
    pub heads: Vec<Head>,
    /// Where the next page begins, if there is one.
    pub next: Option<UserId>,
}

/// That a user's chain led to a published head.
#[derive(Clone, Debug)]
pub struct HeadProof {
    pub leaf: Leaf,
    /// The hashed texts of the transactions behind the one that was asked for, up to the head; none if they are too many.
    pub links: Vec<String>,
    /// From the leaf to the root of the checkpoint.
    pub path: Vec<Hash>,
    pub checkpoint: Published,
}

/// What a comparison of the log with the books found.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Published heads that were compared.
    pub heads: u64,
    /// Those that the books do not have, the first hundred.
    pub differing: Vec<(UserId, i64)>,
    /// What is wrong with the log itself.
    pub fault: Option<&'static str>,
}
