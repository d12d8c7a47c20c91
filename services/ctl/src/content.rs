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

impl From<ServiceEntryContent> for EntryFile {
    fn from(entry: ServiceEntryContent) -> Self {
        Self {
            id: entry.id,
            r#type: entry.r#type,
            url: entry.url,
            label: entry.label.into_iter().collect(),
        }
    }
}

impl From<EntryFile> for ServiceEntryContent {
    fn from(entry: EntryFile) -> Self {
        Self {
            id: entry.id,
            r#type: entry.r#type,
            url: entry.url,
            label: entry.label.into_iter().collect(),
        }
    }
}

impl From<Content> for ContentFile {
    fn from(content: Content) -> Self {
        let entries = |entries: Vec<ServiceEntryContent>| {
            entries.into_iter().map(EntryFile::from).collect::<Vec<_>>()
        };
        let faq = content.faq.into_iter().map(|faq| FaqFile {
            id: faq.id,
            title: faq.title.into_iter().collect(),
            content: faq.content.into_iter().collect(),
        });
        let headline: Texts = content.marketing_headline.into_iter().collect();
        Self {
            customer_service: entries(content.customer_service),
            recharge_customer_service: entries(content.recharge_customer_service),
            faq: faq.collect(),
            operating_rules: content.operating_rules.into_iter().collect(),
            activity_rules: content.activity_rules.into_iter().collect(),
            marketing: (!headline.is_empty()).then_some(MarketingFile { headline }),
        }
    }
}

impl From<ContentFile> for Content {
    fn from(file: ContentFile) -> Self {
        let entries = |entries: Vec<EntryFile>| {
            entries
                .into_iter()
                .map(ServiceEntryContent::from)
                .collect::<Vec<_>>()
        };
        let faq = file.faq.into_iter().map(|faq| FaqContent {
            id: faq.id,
            title: faq.title.into_iter().collect(),
            content: faq.content.into_iter().collect(),
        });
        let headline = file.marketing.map(|marketing| marketing.headline);
        Self {
            customer_service: entries(file.customer_service),
            recharge_customer_service: entries(file.recharge_customer_service),
            faq: faq.collect(),
            operating_rules: file.operating_rules.into_iter().collect(),
            activity_rules: file.activity_rules.into_iter().collect(),
            marketing_headline: headline.unwrap_or_default().into_iter().collect(),
        }
    }
}
