//! `adfolioctl notice`.

use std::collections::HashMap;
use std::path::PathBuf;

use adfolio_proto::notification::v1::create_notification_request::To;
use adfolio_proto::notification::v1::{
    Announcement, AnnouncementState, Category, CreateNotificationRequest, ListAnnouncementsRequest,
    UserIds, WithdrawAnnouncementRequest,
};
use anyhow::{Context as _, anyhow, bail};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::json;

use crate::files::read_json;
use crate::names::{self, name, text, time};
use crate::output::Row;
use crate::services::{Change, Listing, ReasonedChange, Services, ask, list, operator};

/// Notifications to users
#[derive(Debug, Subcommand)]
pub enum NoticeCommand {
    /// Publishes a notification, at once or at its time
    Create(Create),
    /// Lists what was published, scheduled or withdrawn
    List(List),
    /// Withdraws what is scheduled
    Withdraw(Withdraw),
}

impl NoticeCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Create(create) => create.run(services).await,
            Self::List(list) => list.run(services).await,
            Self::Withdraw(withdraw) => withdraw.run(services).await,
        }
    }
}

/// Publishes a notification, at once or at its time
#[derive(Args, Debug)]
pub struct Create {
    /// JSON file: {"category", "to": "all" or [user ids], "title": {language: text}, "content": {language: text},
    /// "publish_at": RFC 3339 time; at once without}
    file: PathBuf,
    #[command(flatten)]
    change: Change,
}

/// A notification in the format of the REST contract.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoticeFile {
    category: String,
    to: Recipients,
    title: HashMap<String, String>,
    content: HashMap<String, String>,
    publish_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Recipients {
    Word(String),
    Users(Vec<String>),
}

impl NoticeFile {
    fn into_message(self) -> anyhow::Result<CreateNotificationRequest> {
        let category =
            names::parse::<Category>(&self.category).map_err(|problem| anyhow!(problem))?;
        let to = match self.to {
            Recipients::Word(word) if word == "all" => To::All(true),
            Recipients::Word(word) => bail!("to is {word:?}, and neither \"all\" nor a list"),
            Recipients::Users(user_ids) => To::Users(UserIds { user_ids }),
        };
        Ok(CreateNotificationRequest {
            category: category.into(),
            to: Some(to),
            title: self.title,
            content: self.content,
            publish_at: self.publish_at.map(Into::into),
        })
    }
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = read_json::<NoticeFile>(&self.file)?.into_message()?;
        let everyone = message.to == Some(To::All(true));
        let caller = self.change.caller()?;
        let answer = ask!(
            services.notification_admin,
            create_notification,
            caller,
            message
        )?;
        let recipients = if everyone {
            json!("all")
        } else {
            json!(answer.recipients)
        };
        self.change.format.one(vec![
            ("id", json!(answer.id)),
            ("recipients", recipients),
            ("state", name::<AnnouncementState>(answer.state)),
        ]);
        Ok(())
    }
}

/// Lists what was published, scheduled or withdrawn
#[derive(Args, Debug)]
pub struct List {
    /// Only this state: scheduled, published or withdrawn
    #[arg(long, value_parser = names::parse::<AnnouncementState>)]
    state: Option<AnnouncementState>,
    #[command(flatten)]
    listing: Listing,
}

impl List {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let state = names::filter(self.state);
        let message = ListAnnouncementsRequest { state, page: None };
        let announcements = list!(
            services.notification_admin,
            list_announcements,
            operator(),
            message,
            self.listing.max
        )
        .await?;
        self.listing.print(&announcements, row);
        Ok(())
    }
}

/// Withdraws what is scheduled
#[derive(Args, Debug)]
pub struct Withdraw {
    /// Its id
    id: String,
    #[command(flatten)]
    change: ReasonedChange,
}

impl Withdraw {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = WithdrawAnnouncementRequest {
            id: self.id,
            reason: self.change.signed_reason(),
            version: 0,
        };
        let caller = self.change.caller()?;
        let answer = ask!(
            services.notification_admin,
            withdraw_announcement,
            caller,
            message
        )?;
        let announcement = answer
            .announcement
            .context("the answer has no announcement")?;
        self.change.format.one(row(&announcement));
        Ok(())
    }
}

fn row(announcement: &Announcement) -> Row {
    let to = if announcement.to_all {
        json!("all")
    } else {
        json!(announcement.recipients)
    };
    vec![
        ("id", json!(announcement.id)),
        ("category", name::<Category>(announcement.category)),
        ("state", name::<AnnouncementState>(announcement.state)),
        ("to", to),
        ("reached", json!(announcement.reached)),
        ("title", json!(announcement.title.get("en"))),
        ("version", json!(announcement.version)),
        ("made_by", text(&announcement.made_by)),
        ("time", time(announcement.time)),
        ("publish_at", time(announcement.publish_at)),
        ("published_at", time(announcement.published_at)),
        ("reason", text(&announcement.withdrawal_reason)),
    ]
}
