//! `adfolioctl notice`.

use std::collections::HashMap;
use std::path::PathBuf;

use adfolio_proto::notification::v1::create_notification_request::To;
use adfolio_proto::notification::v1::{Category, CreateNotificationRequest, UserIds};
use anyhow::{anyhow, bail};
use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::json;

use crate::files::read_json;
use crate::names;
use crate::services::{Change, Services, ask};

/// Notifications to users
#[derive(Debug, Subcommand)]
pub enum NoticeCommand {
    /// Publishes a notification
    Create(Create),
}

impl NoticeCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Create(create) => create.run(services).await,
        }
    }
}

/// Publishes a notification
#[derive(Args, Debug)]
pub struct Create {
    /// JSON file: {"category", "to": "all" or [user ids], "title": {language: text}, "content": {language: text}}
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
        self.change
            .format
            .one(vec![("id", json!(answer.id)), ("recipients", recipients)]);
        Ok(())
    }
}
