//! Notices: what they say, and to whom.

use std::collections::BTreeMap;

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::lang::Lang;

names! {
    /// Category of a notice.
    Category {
        /// System announcement.
        Announcement = "announcement",
        /// System maintenance.
        Maintenance = "maintenance",
        /// Activity on the user's own account.
        Activity = "activity",
    }
}

names! {
    /// What a notice says; the key of its text in every catalogue.
    Template {
        /// A deposit was credited.
        DepositCredited = "deposit_credited",
        /// A plan's delivery has finished.
        PlanFinished = "plan_finished",
        /// A plan is settled.
        PlanSettled = "plan_settled",
        /// A plan failed.
        PlanFailed = "plan_failed",
    }
}

impl Template {
    /// The parameters that its texts may name.
    pub fn params(self) -> &'static [&'static str] {
        match self {
            Self::DepositCredited => &["amount"],
            Self::PlanFinished => &["plan_number", "product", "consumed", "budget"],
            Self::PlanSettled => &["plan_number", "product", "paid_out", "revenue"],
            Self::PlanFailed => &["plan_number", "product", "budget"],
        }
    }
}

/// A value in a text. Amounts are kept as amounts, because every language writes them in its own way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Param {
    /// An amount of money.
    Money(Money),
    /// A name or number, the same in every language.
    Text(String),
}

impl Param {
    /// The value as it reads in `lang`.
    pub fn render(&self, lang: Lang) -> String {
        match self {
            Self::Money(amount) => lang.money(*amount),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The values of a notice's text, by name.
pub type Params = BTreeMap<String, Param>;

/// A notice to put into a user's inbox.
#[derive(Clone, Debug)]
pub struct NewNotice {
    /// Its id.
    pub id: Uuid,
    /// Whose inbox.
    pub user: UserId,
    /// Its category.
    pub category: Category,
    /// What it says.
    pub template: Template,
    /// The values in it.
    pub params: Params,
    /// What it is about: one happening, one notice.
    pub source_key: String,
    /// When it happened.
    pub occurred_at: DateTime<Utc>,
}

/// A notice in a user's inbox.
#[derive(Clone, Debug)]
pub struct Notice {
    /// Its id.
    pub id: Uuid,
    /// Its category.
    pub category: Category,
    /// What it says. A text, because a newer replica may know more templates than this one.
    pub template: String,
    /// The values in it.
    pub params: Params,
    /// Whether it was read.
    pub read: bool,
    /// When it happened.
    pub occurred_at: DateTime<Utc>,
}

/// Which notices of an inbox are meant; nothing means all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this category.
    pub category: Option<Category>,
    /// Only read ones, or only unread ones.
    pub read: Option<bool>,
}

/// Where a page begins: behind this notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// When it happened.
    pub occurred_at: DateTime<Utc>,
    /// Its id.
    pub id: Uuid,
}
