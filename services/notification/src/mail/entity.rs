//! A mail and its way: pending until it is sent, skipped or given up.

use std::time::Duration;

use adfolio_kit::backoff;
use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::link;
use crate::error::NotificationError;
use crate::ids::MailId;
use crate::lang::Lang;
use crate::text::{Params, Template};

/// How long a mail is tried.
pub const TRIED_FOR: TimeDelta = TimeDelta::hours(24);

/// The wait after the first failure; it doubles.
const FIRST_WAIT: Duration = Duration::from_secs(30);

/// The longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

names! {
    /// Where a mail stands.
    State {
        /// Waits, or is being sent.
        Pending,
        Sent,
        /// Given up.
        Dead,
        /// There is nobody to send it to, or the user has got too many.
        Skipped,
    }
}

names! {
    /// Why a mail was not sent.
    Failure {
        /// Auth did not say where to.
        AuthUnavailable,
        /// The mail server could not be reached, or broke off.
        ServerUnavailable,
        /// Its certificate is not trusted.
        TlsFailed,
        /// It does not offer TLS, or no login that this program knows.
        ServerUnsuitable,
        /// It did not take the credentials.
        LoginRefused,
        /// It asked to try later.
        Deferred,
        /// It refused the mail for good.
        Refused,
        /// This service's own database.
        DatabaseFailed,
        /// It took too long.
        TimedOut,
        /// The file could not be written.
        FileFailed,
        /// The address cannot be written to.
        BadAddress,
        /// The user has no address, or does not exist.
        NoAddress,
        /// The code that it brings confirms nothing any more.
        CodeExpired,
        /// The user has got as many as one gets within a day.
        TooMany,
    }
}

/// What becomes of a mail that was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undelivered {
    /// It may go better later.
    Again(Failure),
    /// It never will.
    Never(Failure),
    /// It goes to nobody.
    Skip(Failure),
}

/// What auth keeps for a mail, by auth's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A former address, which the mail goes to.
    FormerEmail(Uuid),
    /// A code, which the mail brings to the present address.
    EmailCode(Uuid),
}

impl Kept {
    /// The former address, if it is one.
    pub fn former_email(self) -> Option<Uuid> {
        match self {
            Self::FormerEmail(id) => Some(id),
            Self::EmailCode(_) => None,
        }
    }

    /// The code, if it is one.
    pub fn email_code(self) -> Option<Uuid> {
        match self {
            Self::FormerEmail(_) => None,
            Self::EmailCode(id) => Some(id),
        }
    }
}

/// A mail to add.
#[derive(Clone, Debug)]
pub struct NewMail {
    pub id: MailId,
    pub user: UserId,
    pub kept: Option<Kept>,
    pub template: Template,
    pub params: Params,
    /// What it is about: one happening, one mail.
    pub source_key: String,
    pub occurred_at: DateTime<Utc>,
    /// From then on it is of no use.
    pub useless_at: Option<DateTime<Utc>>,
    pub now: DateTime<Utc>,
}

impl NewMail {
    /// From then on a failure is the last one.
    pub fn give_up_at(&self) -> DateTime<Utc> {
        let end = self.now.checked_add_signed(TRIED_FOR).unwrap_or(self.now);
        self.useless_at.map_or(end, |useless| useless.min(end))
    }
}

/// Which mails are meant; nothing means all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub user: Option<UserId>,
    pub state: Option<State>,
}

/// A mail.
#[derive(Clone, Debug)]
pub struct Mail {
    pub id: MailId,
    pub user: UserId,
    pub kept: Option<Kept>,
    /// The text's key. A text, because a newer replica may know more templates than this one.
    pub template: String,
    pub params: Params,
    pub occurred_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub state: State,
    /// Attempts so far. It also tells the attempts of a mail apart: a late one must not overwrite its successor.
    pub attempts: i32,
    pub due_at: DateTime<Utc>,
    pub give_up_at: DateTime<Utc>,
    pub last_error: Option<String>,
    pub lang: Option<String>,
    pub finished_at: Option<DateTime<Utc>>,
    /// When its reader last said by its link that its news was not their doing.
    pub disowned_at: Option<DateTime<Utc>>,
}

impl Mail {
    /// The mail server has it, in this language.
    #[must_use]
    pub fn sent(mut self, lang: Lang, now: DateTime<Utc>) -> Self {
        self.lang = Some(lang.code().to_owned());
        self.last_error = None;
        self.finish(State::Sent, now)
    }

    /// It was not sent: it waits for the next attempt, or is given up.
    #[must_use]
    pub fn undelivered(mut self, why: Undelivered, now: DateTime<Utc>) -> Self {
        let failure = match why {
            Undelivered::Again(failure)
            | Undelivered::Never(failure)
            | Undelivered::Skip(failure) => failure,
        };
        self.last_error = Some(failure.as_str().to_owned());
        match why {
            Undelivered::Again(_) if now < self.give_up_at => {
                self.due_at = now
                    .checked_add_signed(self.wait())
                    .map_or(self.give_up_at, |due| due.min(self.give_up_at));
                self
            }
            Undelivered::Again(_) | Undelivered::Never(_) => self.finish(State::Dead, now),
            Undelivered::Skip(_) => self.finish(State::Skipped, now),
        }
    }

    /// Makes a dead mail due again.
    pub fn revive(mut self, now: DateTime<Utc>) -> Result<Self, NotificationError> {
        if self.state != State::Dead {
            return Err(NotificationError::MailNotDead);
        }
        self.state = State::Pending;
        self.finished_at = None;
        self.due_at = now;
        self.give_up_at = now.checked_add_signed(TRIED_FOR).unwrap_or(now);
        Ok(self)
    }

    /// Its reader says that its news was not their doing; none if that was said a moment ago.
    #[must_use]
    pub fn disown(mut self, now: DateTime<Utc>) -> Option<Self> {
        let said = |at| now.signed_duration_since(at) < link::REPEATED_WITHIN;
        if self.disowned_at.is_some_and(said) {
            return None;
        }
        self.disowned_at = Some(now);
        Some(self)
    }

    fn finish(mut self, state: State, now: DateTime<Utc>) -> Self {
        self.state = state;
        self.finished_at = Some(now);
        self
    }

    /// How long it waits for its next attempt.
    fn wait(&self) -> TimeDelta {
        let wait = backoff::after(self.attempts, FIRST_WAIT, LONGEST_WAIT);
        TimeDelta::from_std(wait).unwrap_or(TRIED_FOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
    }

    fn mail(attempts: i32) -> Mail {
        Mail {
            id: MailId(Uuid::nil()),
            user: UserId(Uuid::nil()),
            kept: None,
            template: "password_changed".to_owned(),
            params: Params::new(),
            occurred_at: at(0),
            created_at: at(0),
            state: State::Pending,
            attempts,
            due_at: at(0),
            give_up_at: at(24 * 60),
            last_error: None,
            lang: None,
            finished_at: None,
            disowned_at: None,
        }
    }

    const LATER: Undelivered = Undelivered::Again(Failure::ServerUnavailable);

    #[test]
    fn waits_double_up_to_an_hour_and_end_with_the_day() {
        let due = |attempts, minute| mail(attempts).undelivered(LATER, at(minute)).due_at;
        assert_eq!(due(1, 0), at(0) + TimeDelta::seconds(30));
        assert_eq!(due(2, 0), at(1));
        assert_eq!(due(3, 0), at(2));
        assert_eq!(due(8, 0), at(60));
        assert_eq!(due(1_000_000, 0), at(60));
        // One attempt at the very end.
        assert_eq!(due(20, 24 * 60 - 1), at(24 * 60));
        let last = mail(20).undelivered(LATER, at(24 * 60));
        assert_eq!(last.state, State::Dead);
        assert_eq!(last.last_error.as_deref(), Some("server_unavailable"));
        assert_eq!(last.finished_at, Some(at(24 * 60)));
    }

    #[test]
    fn what_is_of_no_use_later_is_not_tried_for_a_day() {
        let new = |useless_at| NewMail {
            id: MailId(Uuid::nil()),
            user: UserId(Uuid::nil()),
            kept: None,
            template: Template::EmailCode,
            params: Params::new(),
            source_key: String::new(),
            occurred_at: at(0),
            useless_at,
            now: at(0),
        };
        assert_eq!(new(Some(at(15))).give_up_at(), at(15));
        assert_eq!(new(Some(at(2 * 24 * 60))).give_up_at(), at(24 * 60));
        assert_eq!(new(None).give_up_at(), at(24 * 60));
    }

    #[test]
    fn what_can_never_be_sent_is_not_tried_again() {
        let refused = mail(1).undelivered(Undelivered::Never(Failure::Refused), at(0));
        assert_eq!(refused.state, State::Dead);
        let nobody = mail(1).undelivered(Undelivered::Skip(Failure::NoAddress), at(0));
        assert_eq!(nobody.state, State::Skipped);
    }

    #[test]
    fn what_is_disowned_again_at_once_is_no_news() {
        let disowned = mail(1).disown(at(0)).unwrap();
        assert_eq!(disowned.disowned_at, Some(at(0)));
        assert!(disowned.clone().disown(at(0)).is_none());
        let again = disowned.disown(at(1)).unwrap();
        assert_eq!(again.disowned_at, Some(at(1)));
    }

    #[test]
    fn only_the_dead_are_revived_for_another_day() {
        let dead = mail(30).undelivered(LATER, at(24 * 60));
        let revived = dead.revive(at(2_000)).unwrap();
        assert_eq!((revived.state, revived.due_at), (State::Pending, at(2_000)));
        assert_eq!(revived.give_up_at, at(2_000 + 24 * 60));
        assert_eq!(revived.finished_at, None);
        assert!(revived.revive(at(2_000)).is_err());
        assert!(mail(1).sent(Lang::En, at(0)).revive(at(1)).is_err());
    }
}
