//! What staff may publish.

use std::collections::BTreeSet;
use std::collections::HashMap;

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::wire;
use chrono::{DateTime, TimeDelta, Utc};

use crate::ids::{NoticeId, StaffId};
use crate::localized::{self, Form};
use crate::notice::{Category, Message};

/// Characters of a title at most.
const LONGEST_TITLE: usize = 200;

/// Characters of a text at most.
const LONGEST_CONTENT: usize = 5_000;

/// Users of one notification at most; what is for more is for all.
const MOST_USERS: usize = 1_000;

/// How far ahead something is scheduled at most.
const LONGEST_WAIT: TimeDelta = TimeDelta::days(366);

/// The recipients of a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipients {
    /// To everybody who is registered by then.
    All,
    /// To these, each once, in the order of their ids.
    Users(Vec<UserId>),
}

impl Recipients {
    /// The users with these ids.
    pub fn users(ids: &[String]) -> Result<Self, Refusal> {
        if !(1..=MOST_USERS).contains(&ids.len()) {
            return Err(Refusal::invalid("to"));
        }
        let users: BTreeSet<UserId> = ids
            .iter()
            .map(|id| wire::id(id, "to"))
            .collect::<Result<_, _>>()?;
        Ok(Self::Users(users.into_iter().collect()))
    }

    /// How many they are; none for all.
    pub fn count(&self) -> Option<i64> {
        match self {
            Self::All => None,
            Self::Users(users) => Some(i64::try_from(users.len()).unwrap_or(i64::MAX)),
        }
    }
}

/// What is published.
#[derive(Clone, Debug)]
pub struct Publication {
    pub category: Category,
    pub to: Recipients,
    pub message: Message,
}

names! {
    /// Where a publication stands.
    State {
        /// It is published at its time.
        Scheduled,
        /// Users have it.
        Published,
        /// It was taken back before its time.
        Withdrawn,
    }
}

/// A publication as staff see it.
#[derive(Clone, Debug)]
pub struct Announcement {
    pub id: NoticeId,
    pub category: Category,
    pub state: State,
    /// How many it is for; none if it is for all.
    pub recipients: Option<i64>,
    /// How many it has reached, once they are counted.
    pub reached: Option<i64>,
    pub message: Message,
    /// Counts its changes.
    pub version: i64,
    /// Not kept of everything.
    pub made_by: Option<StaffId>,
    pub made_at: DateTime<Utc>,
    /// None if it was published at once.
    pub publish_at: Option<DateTime<Utc>>,
    pub published_at: Option<DateTime<Utc>>,
    /// Who changed or withdrew it last, and when.
    pub changed: Option<(StaffId, DateTime<Utc>)>,
    pub withdrawal_reason: String,
}

/// A change of a scheduled publication; what is absent stays.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The version that the editor started from.
    pub version: i64,
    pub category: Option<Category>,
    pub to: Option<Recipients>,
    pub title: Option<localized::Texts>,
    pub content: Option<localized::Texts>,
    pub publish_at: Option<DateTime<Utc>>,
}

impl Edit {
    fn is_empty(&self) -> bool {
        self.category.is_none()
            && self.to.is_none()
            && self.title.is_none()
            && self.content.is_none()
            && self.publish_at.is_none()
    }
}

impl Announcement {
    /// Changes it. The new time was checked before.
    pub fn edit(&mut self, edit: &Edit, by: StaffId, now: DateTime<Utc>) -> Result<(), Refusal> {
        self.require_scheduled()?;
        self.require_version(edit.version)?;
        if edit.is_empty() {
            return Err(Refusal::new(Reason::NothingChanged));
        }
        if let Some(category) = edit.category {
            self.category = category;
        }
        if let Some(to) = &edit.to {
            self.recipients = to.count();
        }
        if let Some(title) = &edit.title {
            self.message.title.clone_from(title);
        }
        if let Some(content) = &edit.content {
            self.message.content.clone_from(content);
        }
        if edit.publish_at.is_some() {
            self.publish_at = edit.publish_at;
        }
        self.mark_changed(by, now);
        Ok(())
    }

    /// Takes it back: users never see it.
    pub fn withdraw(
        &mut self,
        version: Option<i64>,
        reason: String,
        by: StaffId,
        now: DateTime<Utc>,
    ) -> Result<(), Refusal> {
        self.require_scheduled()?;
        if let Some(version) = version {
            self.require_version(version)?;
        }
        self.state = State::Withdrawn;
        self.withdrawal_reason = reason;
        self.mark_changed(by, now);
        Ok(())
    }

    fn require_scheduled(&self) -> Result<(), Refusal> {
        match self.state {
            State::Scheduled => Ok(()),
            State::Published | State::Withdrawn => Err(Refusal::new(Reason::NothingChanged)),
        }
    }

    fn require_version(&self, version: i64) -> Result<(), Refusal> {
        if version == self.version {
            Ok(())
        } else {
            Err(Refusal::new(Reason::ChangedMeanwhile).field("version"))
        }
    }

    fn mark_changed(&mut self, by: StaffId, now: DateTime<Utc>) {
        self.version = self.version.saturating_add(1);
        self.changed = Some((by, now));
    }
}

/// A time at which something may be published: later than now, and not in years.
pub fn check_time(at: DateTime<Utc>, now: DateTime<Utc>) -> Result<(), Refusal> {
    let latest = now.checked_add_signed(LONGEST_WAIT);
    if at > now && latest.is_some_and(|latest| at <= latest) {
        Ok(())
    } else {
        Err(Refusal::invalid("publish_at"))
    }
}

/// Checks title and text as they were sent.
pub fn check_message(
    title: HashMap<String, String>,
    content: HashMap<String, String>,
) -> Result<Message, Refusal> {
    Ok(Message {
        title: check_title(title)?,
        content: check_content(content)?,
    })
}

/// Checks a title as it was sent.
pub fn check_title(title: HashMap<String, String>) -> Result<localized::Texts, Refusal> {
    localized::check(title, Form::Line, LONGEST_TITLE, "title")
}

/// Checks a text as it was sent.
pub fn check_content(content: HashMap<String, String>) -> Result<localized::Texts, Refusal> {
    localized::check(content, Form::Paragraphs, LONGEST_CONTENT, "content")
}
