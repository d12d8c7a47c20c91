//! `adfolioctl content`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use adfolio_proto::notification::v1::{
    Content, FaqContent, GetContentRequest, ServiceEntryContent, SetContentRequest,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::files::read_json;
use crate::output::say;
use crate::services::{Change, Services, ask, operator};

/// Texts that staff edit
#[derive(Debug, Subcommand)]
pub enum ContentCommand {
    /// Prints the content as JSON, in the format that set reads
    Get,
    /// Replaces the content
    Set(Set),
}

impl ContentCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Get => get(services).await,
            Self::Set(set) => set.run(services).await,
        }
    }
}

/// Replaces the content
#[derive(Args, Debug)]
pub struct Set {
    /// JSON file in the format that get prints
    file: PathBuf,
    #[command(flatten)]
    change: Change,
}

impl Set {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let content = Some(read_json::<ContentFile>(&self.file)?.into());
        let caller = self.change.caller()?;
        let message = SetContentRequest {
            content,
            parts: Vec::new(),
        };
        let answer = ask!(services.notification_admin, set_content, caller, message)?;
        let content = answer.content.context("the answer has no content")?;
        self.change.format.one(vec![
            ("customer_service", json!(content.customer_service.len())),
            (
                "recharge_customer_service",
                json!(content.recharge_customer_service.len()),
            ),
            ("faq", json!(content.faq.len())),
        ]);
        Ok(())
    }
}

async fn get(services: &Services) -> anyhow::Result<()> {
    let message = GetContentRequest {};
    let answer = ask!(
        services.notification_admin,
        get_content,
        operator(),
        message
    )?;
    let content = ContentFile::from(answer.content.unwrap_or_default());
    say(&serde_json::to_string_pretty(&content)?);
    Ok(())
}

/// Texts by language, in the order of the languages.
type Texts = BTreeMap<String, String>;

/// The content in the format of the REST contract.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ContentFile {
    customer_service: Vec<EntryFile>,
    recharge_customer_service: Vec<EntryFile>,
    faq: Vec<FaqFile>,
    operating_rules: Texts,
    activity_rules: Texts,
    marketing: Option<MarketingFile>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct EntryFile {
    #[serde(default)]
    id: String,
    r#type: i32,
    url: String,
    label: Texts,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct FaqFile {
    #[serde(default)]
    id: String,
    title: Texts,
    content: Texts,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct MarketingFile {
    headline: Texts,
}

/// Conversions both ways between types with the same fields.
macro_rules! convert {
    ($file:ident <=> $message:ident { $($field:ident),*; $($texts:ident),* }) => {
        convert!($file => $message { $($field),*; $($texts),* });
        convert!($message => $file { $($field),*; $($texts),* });
    };
    ($from:ident => $to:ident { $($field:ident),*; $($texts:ident),* }) => {
        impl From<$from> for $to {
            fn from(from: $from) -> Self {
                Self {
                    $($field: from.$field,)*
                    $($texts: from.$texts.into_iter().collect(),)*
                }
            }
        }
    };
}

convert!(EntryFile <=> ServiceEntryContent { id, r#type, url; label });
convert!(FaqFile <=> FaqContent { id; title, content });

/// Converts every item of a list.
fn each<T: Into<U>, U>(list: Vec<T>) -> Vec<U> {
    list.into_iter().map(Into::into).collect()
}

impl From<Content> for ContentFile {
    fn from(content: Content) -> Self {
        let headline: Texts = content.marketing_headline.into_iter().collect();
        Self {
            customer_service: each(content.customer_service),
            recharge_customer_service: each(content.recharge_customer_service),
            faq: each(content.faq),
            operating_rules: content.operating_rules.into_iter().collect(),
            activity_rules: content.activity_rules.into_iter().collect(),
            marketing: (!headline.is_empty()).then_some(MarketingFile { headline }),
        }
    }
}

impl From<ContentFile> for Content {
    fn from(file: ContentFile) -> Self {
        let headline = file.marketing.map(|marketing| marketing.headline);
        Self {
            customer_service: each(file.customer_service),
            recharge_customer_service: each(file.recharge_customer_service),
            faq: each(file.faq),
            operating_rules: file.operating_rules.into_iter().collect(),
            activity_rules: file.activity_rules.into_iter().collect(),
            marketing_headline: headline.unwrap_or_default().into_iter().collect(),
        }
    }
}
