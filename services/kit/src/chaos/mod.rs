//! Fault injection: tests crash processes to prove that crashes do no harm, and plant defects to
//! prove that the tests find them.
//!
//! It exists only in builds with the feature `chaos` and debug assertions, and is active only if a
//! test sets one of these variables for the process:
//!
//! - `ADFOLIO_CHAOS_DIR`: a folder. Every transaction that has written something passes two points,
//!   before and after its commit. Each pass is appended to `<program>.passed` as `<file>:<line>[
//!   <label>] <moment>`. The first line of `<program>.crash` is `<passes to skip> <point>`: the
//!   pass after those aborts the process, like `kill -9`. The line is removed first, so the next
//!   line is for the restarted process.
//! - `ADFOLIO_DEFECTS`: the [`Defect`]s of the process, separated by commas.
//!
//! In all other builds a [`Site`] is empty, no defect is enabled, and both compile to nothing.

#[cfg(all(feature = "chaos", debug_assertions))]
mod points;

#[cfg(all(feature = "chaos", debug_assertions))]
pub use points::Site;

use crate::names;

/// The variable that lists the defects of a process.
pub const DEFECTS_VARIABLE: &str = "ADFOLIO_DEFECTS";

/// When a transaction passes a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The work is done, but not visible to others.
    BeforeCommit,
    /// It is committed, but nobody has been notified.
    AfterCommit,
}

/// A place in the code where a transaction can crash the process.
#[cfg(not(all(feature = "chaos", debug_assertions)))]
#[derive(Clone, Debug)]
pub struct Site;

#[cfg(not(all(feature = "chaos", debug_assertions)))]
impl Site {
    /// The caller's location.
    #[must_use]
    pub const fn caller() -> Self {
        Self
    }

    /// Distinguishes different uses of one place.
    #[must_use]
    pub fn labelled<T: AsRef<str>>(self, _label: impl FnOnce() -> T) -> Self {
        self
    }

    /// A transaction of several uses of one place.
    #[must_use]
    pub fn labelled_each<T: AsRef<str>, I: IntoIterator<Item = T>>(
        self,
        _labels: impl FnOnce() -> I,
    ) -> Self {
        self
    }

    /// The same place, muted if nothing was written.
    pub fn if_written(self, _tx: &mut sqlx::PgConnection) -> std::future::Ready<Self> {
        std::future::ready(self)
    }

    /// A transaction at this place reaches this moment.
    pub const fn pass(&self, _moment: Moment) {}
}

names! {
    /// A planted defect that the system tests must detect.
    Defect {
        /// Every idempotency key counts as new.
        KeysForgotten = "keys-forgotten",
        /// The row in the inbox is committed before the event takes effect.
        InboxApart = "inbox-apart",
        /// An event is acknowledged before its effect is committed.
        AckBeforeCommit = "ack-before-commit",
        /// An event leaves the outbox before the broker confirms it.
        ConfirmsNotAwaited = "confirms-not-awaited",
        /// The gateway retries a call without its idempotency key.
        KeyDropped = "key-dropped",
        /// A put is stored without its unique key.
        PutWithoutKey = "put-without-key",
        /// A put treats a missing answer from wallet as a refusal.
        SilenceIsRefusal = "silence-is-refusal",
        /// Wallet reports postings as refused whose commit was not confirmed.
        UnconfirmedIsRefused = "unconfirmed-is-refused",
        /// An exchange order ends before wallet has posted its last posting.
        EndedBeforePosted = "ended-before-posted",
        /// Two concurrent decisions on an exchange order do not lock its row.
        RowNotLocked = "row-not-locked",
        /// Commits do not wait for the standby.
        CommitsNotSynchronous = "commits-not-synchronous",
        /// A primary that turned read-only still counts as one.
        ReadOnlyUnnoticed = "read-only-unnoticed",
        /// Of several servers of a database only the first is known.
        OneServerKnown = "one-server-known",
    }
}

impl Defect {
    /// Whether this process has the defect.
    #[cfg(all(feature = "chaos", debug_assertions))]
    pub fn is_enabled(self) -> bool {
        static DEFECTS: std::sync::OnceLock<String> = std::sync::OnceLock::new();
        DEFECTS
            .get_or_init(|| std::env::var(DEFECTS_VARIABLE).unwrap_or_default())
            .split(',')
            .any(|name| name == self.as_str())
    }

    /// Whether this process has the defect.
    #[cfg(not(all(feature = "chaos", debug_assertions)))]
    pub const fn is_enabled(self) -> bool {
        false
    }
}
