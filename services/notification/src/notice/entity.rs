//! Notices: what they say, and to whom.

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use chrono::{DateTime, Utc};

use crate::ids::NoticeId;
use crate::localized::Texts;
use crate::text::{Params, Template};

names! {
    /// Category of a notice.
    Category {
        Announcement,
        Maintenance,
        /// Activity on the user's own account.
        Activity,
    }
}

names! {
    /// What a notice is about, for its place and picture.
    Kind {
        /// Money came or left.
        Money,
        /// A plan took a step.
        Plan,
        /// Something that protects the account or the wallet changed.
        Security,
        /// Everything else: coupons, replies, what staff write.
        Offer,
    }
}

names! {
    /// What a notice leads to.
    TargetKind {
        /// An entry of the fund details.
        Entry,
        /// A withdrawal.
        Withdrawal,
        /// An exchange order.
        Exchange,
        /// A plan.
        Plan,
        /// A coupon.
        Coupon,
    }
}

/// What a notice leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub kind: TargetKind,
    pub id: String,
}

/// The line of a transaction in the fund details that shows what it is about.
const MAIN_LINE: &str = "1";

/// What the notice of a happening is about and leads to, by its source key. What staff write has no key of these.
pub fn about(source_key: &str) -> (Kind, Option<Target>) {
    let mut parts = source_key.split(':');
    let (what, id) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let target = |kind, id: &str| {
        let id = id.to_owned();
        Some(Target { kind, id })
    };
    match what {
        "deposit" | "posting" => {
            let entry = format!("{id}-{MAIN_LINE}");
            (Kind::Money, target(TargetKind::Entry, &entry))
        }
        "withdrawal" => (Kind::Money, target(TargetKind::Withdrawal, id)),
        "exchange" => (Kind::Money, target(TargetKind::Exchange, id)),
        "plan" => (Kind::Plan, target(TargetKind::Plan, id)),
        "coupon" => (Kind::Offer, target(TargetKind::Coupon, id)),
        "security" | "password" | "contact" | "new_client" | "staff" => (Kind::Security, None),
        _ => (Kind::Offer, None),
    }
}

/// A notice to put into a user's inbox.
#[derive(Clone, Debug)]
pub struct NewNotice {
    pub id: NoticeId,
    pub user: UserId,
    pub category: Category,
    pub template: Template,
    pub params: Params,
    /// What it is about: one happening, one notice.
    pub source_key: String,
    pub occurred_at: DateTime<Utc>,
}

/// What staff wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub title: Texts,
    pub content: Texts,
}

/// What a notice says.
#[derive(Clone, Debug)]
pub enum Body {
    /// An event, rendered by a text of this service.
    Event {
        /// The text's key. A text, because a newer replica may know more templates than this one.
        template: String,
        params: Params,
    },
    /// What staff wrote.
    Written(Message),
}

/// A notice as a user sees it: from the user's own inbox, or an announcement to all.
#[derive(Clone, Debug)]
pub struct Notice {
    pub id: NoticeId,
    pub category: Category,
    pub kind: Kind,
    pub target: Option<Target>,
    pub body: Body,
    pub read: bool,
    pub occurred_at: DateTime<Utc>,
}

/// Which notices are meant; nothing means all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub category: Option<Category>,
    /// Only read ones, or only unread ones.
    pub read: Option<bool>,
}

impl Filter {
    /// The categories that are meant.
    fn categories(self) -> impl Iterator<Item = Category> {
        let wanted = move |category: &Category| self.category.is_none_or(|only| only == *category);
        Category::ALL.iter().copied().filter(wanted)
    }
}

/// Where a page begins: behind this notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub occurred_at: DateTime<Utc>,
    pub id: NoticeId,
}

/// A user's row of the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inbox {
    /// Unread notices of the user's own.
    pub personal_unread: i64,
    /// The last announcement before the user came: that one and those before are not the user's.
    pub base: i64,
    /// How many announcements are not unread: those up to the base, and those that were read.
    pub done: i64,
    /// Announcements of a category up to this number are read, in the order of [`Category::ALL`].
    pub through: [i64; 3],
    /// Counts the changes of the row.
    pub revision: i64,
}

/// How many notices a user has not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread {
    pub total: i64,
    /// Of two counts, the one with the larger number is later.
    pub sequence: i64,
}

impl Inbox {
    /// Unread notices when `latest` is the last announcement. Whatever changes the count changes the row or brings another
    /// announcement, and neither number ever falls: so does not their sum.
    pub fn unread(&self, latest: i64) -> Unread {
        Unread {
            total: self
                .personal_unread
                .saturating_add(latest.saturating_sub(self.done)),
            sequence: self.revision.saturating_add(latest),
        }
    }

    /// Up to which number announcements of the category were read at once.
    pub fn through(&self, category: Category) -> i64 {
        let [announcement, maintenance, activity] = self.through;
        match category {
            Category::Announcement => announcement,
            Category::Maintenance => maintenance,
            Category::Activity => activity,
        }
    }
}

/// Ranges of announcements, one per category: beyond `lows`, up to `highs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    pub categories: Vec<String>,
    /// The number before the first.
    pub lows: Vec<i64>,
    /// The last number.
    pub highs: Vec<i64>,
}

impl Ranges {
    /// The announcements up to `upper` that lie where `within` says, by category.
    fn new(filter: Filter, upper: i64, within: impl Fn(Category) -> (i64, i64)) -> Self {
        let mut ranges = Self::default();
        for category in filter.categories() {
            let (low, high) = within(category);
            ranges.categories.push(category.as_str().to_owned());
            ranges.lows.push(low);
            ranges.highs.push(high.min(upper));
        }
        ranges
    }

    /// Everything that the user may see.
    pub fn visible(filter: Filter, inbox: &Inbox, upper: i64) -> Self {
        Self::new(filter, upper, |_| (inbox.base, i64::MAX))
    }

    /// What was read all at once.
    pub fn passed(filter: Filter, inbox: &Inbox, upper: i64) -> Self {
        Self::new(filter, upper, |category| {
            (inbox.base, inbox.through(category))
        })
    }

    /// What was not: each of it may have been read by itself.
    pub fn open(filter: Filter, inbox: &Inbox, upper: i64) -> Self {
        Self::new(filter, upper, |category| {
            (inbox.through(category), i64::MAX)
        })
    }
}

/// Puts the user's own notices and the announcements together, newest first, and keeps the first `fetch`.
pub fn merge(own: Vec<Notice>, announcements: Vec<Notice>, fetch: i64) -> Vec<Notice> {
    let mut all = own;
    all.extend(announcements);
    all.sort_by_key(|notice| std::cmp::Reverse((notice.occurred_at, notice.id)));
    all.truncate(usize::try_from(fetch).unwrap_or(usize::MAX));
    all
}
