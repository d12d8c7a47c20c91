//! `adfolioctl content`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use adfolio_money::Money;
use adfolio_proto::notification::v1::{
    Content, ContentVersion, DepositMethodContent, FaqContent, GetContentRequest,
    ListContentVersionsRequest, RestoreContentRequest, ServiceEntryContent, SetContentRequest,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::files::read_json;
use crate::names::{text, time};
use crate::output::{Row, say};
use crate::services::{Change, Listing, ReasonedChange, Services, ask, list, operator};

/// Texts that staff edit
#[derive(Debug, Subcommand)]
pub enum ContentCommand {
    /// Prints the content as JSON, in the format that set reads
    Get,
    /// Replaces the content
    Set(Set),
    /// Lists the changes of the content
    Versions(Versions),
    /// Makes the content again what an old version left it
    Restore(Restore),
}

impl ContentCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Get => get(services).await,
            Self::Set(set) => set.run(services).await,
            Self::Versions(versions) => versions.run(services).await,
            Self::Restore(restore) => restore.run(services).await,
        }
    }
}

/// Replaces the content
#[derive(Args, Debug)]
pub struct Set {
    /// JSON file in the format that get prints. With its version, what somebody changed since is refused; without one,
    /// whatever stands is replaced
    file: PathBuf,
    #[command(flatten)]
    change: Change,
}

impl Set {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let file = read_json::<ContentFile>(&self.file)?;
        let caller = self.change.caller()?;
        let message = SetContentRequest {
            version: file.version.unwrap_or(0),
            content: Some(file.into()),
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
            ("version", json!(answer.version)),
        ]);
        Ok(())
    }
}

/// Lists the changes of the content
#[derive(Args, Debug)]
pub struct Versions {
    #[command(flatten)]
    listing: Listing,
}

impl Versions {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = ListContentVersionsRequest { page: None };
        let versions = list!(
            services.notification_admin,
            list_content_versions,
            operator(),
            message,
            self.listing.max
        )
        .await?;
        self.listing.print(&versions, row);
        Ok(())
    }
}

fn row(version: &ContentVersion) -> Row {
    vec![
        ("version", json!(version.version)),
        ("parts", json!(version.parts.join(" "))),
        ("made_by", text(&version.made_by)),
        ("time", time(version.time)),
        ("reason", text(&version.reason)),
        ("restored", json!(version.restored)),
    ]
}

/// Makes the content again what an old version left it
#[derive(Args, Debug)]
pub struct Restore {
    /// Number of the version
    version: i64,
    /// Only this part, for example faq; may be repeated
    #[arg(long, value_name = "PART")]
    part: Vec<String>,
    #[command(flatten)]
    change: ReasonedChange,
}

impl Restore {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = RestoreContentRequest {
            version: self.version,
            parts: self.part,
            current: 0,
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(
            services.notification_admin,
            restore_content,
            caller,
            message
        )?;
        self.change
            .format
            .one(vec![("version", json!(answer.version))]);
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
    let content = ContentFile {
        version: Some(answer.version),
        ..ContentFile::from(answer.content.unwrap_or_default())
    };
    say(&serde_json::to_string_pretty(&content)?);
    Ok(())
}

/// Content from the text of a file in the format that get prints.
pub fn parse(json: &str) -> anyhow::Result<Content> {
    Ok(serde_json::from_str::<ContentFile>(json)?.into())
}

/// Texts by language, in the order of the languages.
type Texts = BTreeMap<String, String>;

/// The content in the format of the REST contract.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ContentFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
    customer_service: Vec<EntryFile>,
    recharge_customer_service: Vec<EntryFile>,
    faq: Vec<FaqFile>,
    operating_rules: Texts,
    activity_rules: Texts,
    marketing: Option<MarketingFile>,
    deposit_methods: Vec<MethodFile>,
    imprint: Texts,
    terms: Texts,
    privacy: Texts,
    fees: Texts,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct EntryFile {
    #[serde(default)]
    id: String,
    r#type: i32,
    url: String,
    label: Texts,
    #[serde(default)]
    hours: Texts,
    #[serde(default)]
    answer_time: Texts,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct MethodFile {
    #[serde(default)]
    id: String,
    name: Texts,
    #[serde(default)]
    min: Option<Money>,
    #[serde(default)]
    max: Option<Money>,
    fee: Texts,
    arrival: Texts,
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

convert!(EntryFile <=> ServiceEntryContent { id, r#type, url; label, hours, answer_time });
convert!(FaqFile <=> FaqContent { id; title, content });

impl From<MethodFile> for DepositMethodContent {
    fn from(file: MethodFile) -> Self {
        Self {
            id: file.id,
            name: file.name.into_iter().collect(),
            min_minor: file.min.map(Money::minor),
            max_minor: file.max.map(Money::minor),
            fee: file.fee.into_iter().collect(),
            arrival: file.arrival.into_iter().collect(),
        }
    }
}

impl From<DepositMethodContent> for MethodFile {
    fn from(method: DepositMethodContent) -> Self {
        Self {
            id: method.id,
            name: method.name.into_iter().collect(),
            min: method.min_minor.map(Money::from_minor),
            max: method.max_minor.map(Money::from_minor),
            fee: method.fee.into_iter().collect(),
            arrival: method.arrival.into_iter().collect(),
        }
    }
}

/// Converts every item of a list.
fn each<T: Into<U>, U>(list: Vec<T>) -> Vec<U> {
    list.into_iter().map(Into::into).collect()
}

impl From<Content> for ContentFile {
    fn from(content: Content) -> Self {
        let headline: Texts = content.marketing_headline.into_iter().collect();
        Self {
            version: None,
            customer_service: each(content.customer_service),
            recharge_customer_service: each(content.recharge_customer_service),
            faq: each(content.faq),
            operating_rules: content.operating_rules.into_iter().collect(),
            activity_rules: content.activity_rules.into_iter().collect(),
            marketing: (!headline.is_empty()).then_some(MarketingFile { headline }),
            deposit_methods: each(content.deposit_methods),
            imprint: content.imprint.into_iter().collect(),
            terms: content.terms.into_iter().collect(),
            privacy: content.privacy.into_iter().collect(),
            fees: content.fees.into_iter().collect(),
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
            deposit_methods: each(file.deposit_methods),
            imprint: file.imprint.into_iter().collect(),
            terms: file.terms.into_iter().collect(),
            privacy: file.privacy.into_iter().collect(),
            fees: file.fees.into_iter().collect(),
        }
    }
}
