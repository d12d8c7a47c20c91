//! Crashes and defects on purpose, so that tests can show that the first do no harm and that the second are found.
//!
//! All of it exists in builds with the feature `chaos` and debug assertions only, and does something only where a test has set
//! one of these variables for the process:
//!
//! - `ADFOLIO_CHAOS_DIR`: a folder. Every transaction that has written something passes two points, before and after its
//!   commit; each pass becomes a line of `<program>.passed` there: `<file>:<line>[ <label>] <moment>`. A line of
//!   `<program>.crash` is `<passes to let through first> <point>`: the pass after those ends the process as `kill -9` would.
//!   The line is gone by then, and the next one is for the successor.
//! - `ADFOLIO_DEFECTS`: names of [`Defect`]s, parted by commas, that the process has.
//!
//! In all other builds a [`Site`] is nothing and no defect is there, and the compiler leaves nothing of either.

#[cfg(all(feature = "chaos", debug_assertions))]
mod points;

#[cfg(all(feature = "chaos", debug_assertions))]
pub use points::Site;

use crate::names;

/// The variable that names the defects of a process.
pub const DEFECTS_VARIABLE: &str = "ADFOLIO_DEFECTS";

/// When a transaction passes a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Its work is done, and nobody else sees it yet.
    BeforeCommit,
    /// It is committed, and nobody was told.
    AfterCommit,
}

/// A place in the code whose transactions can be made to end the process.
#[cfg(not(all(feature = "chaos", debug_assertions)))]
#[derive(Clone, Debug)]
pub struct Site;

#[cfg(not(all(feature = "chaos", debug_assertions)))]
impl Site {
    /// The caller's place.
    #[must_use]
    pub const fn caller() -> Self {
        Self
    }

    /// Tells apart what goes through one place for different reasons.
    #[must_use]
    pub fn labelled<T: AsRef<str>>(self, _label: impl FnOnce() -> T) -> Self {
        self
    }

    /// The same place, or none where nothing was written.
    pub fn if_written(self, _tx: &mut crate::db::Tx) -> std::future::Ready<Self> {
        std::future::ready(self)
    }

    /// A transaction of this place is at this moment.
    pub const fn pass(&self, _moment: Moment) {}
}

names! {
    /// A mistake that the tests of the whole system must notice.
    Defect {
        /// An idempotency key is new each time.
        KeysForgotten = "keys-forgotten",
        /// The row in the inbox is committed before the event takes effect.
        InboxApart = "inbox-apart",
        /// An event is acknowledged before it takes effect.
        AckBeforeCommit = "ack-before-commit",
        /// An event leaves the outbox before the broker has confirmed it.
        ConfirmsNotAwaited = "confirms-not-awaited",
        /// The gateway repeats a call without the key it came with.
        KeyDropped = "key-dropped",
        /// A put is written without the key that makes it unique.
        PutWithoutKey = "put-without-key",
        /// A put takes wallet's silence for a refusal.
        SilenceIsRefusal = "silence-is-refusal",
        /// Wallet calls postings refused whose commit was not confirmed.
        UnconfirmedIsRefused = "unconfirmed-is-refused",
        /// An exchange order has ended before wallet has posted what follows.
        EndedBeforePosted = "ended-before-posted",
        /// Two who decide about one exchange order do not wait for each other.
        RowNotLocked = "row-not-locked",
    }
}

impl Defect {
    /// Whether this process has it.
    #[cfg(all(feature = "chaos", debug_assertions))]
    pub fn is_enabled(self) -> bool {
        static DEFECTS: std::sync::OnceLock<String> = std::sync::OnceLock::new();
        DEFECTS
            .get_or_init(|| std::env::var(DEFECTS_VARIABLE).unwrap_or_default())
            .split(',')
            .any(|name| name == self.as_str())
    }

    /// Whether this process has it.
    #[cfg(not(all(feature = "chaos", debug_assertions)))]
    pub const fn is_enabled(self) -> bool {
        false
    }
}
