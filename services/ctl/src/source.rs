//! `adfolioctl source`.

use std::path::PathBuf;

use adfolio_proto::plan::v1::{
    AddReportSourceKeyRequest, ListReportSourcesRequest, ReportChannel, ReportSource,
    ReportSourceKey, RevokeReportSourceKeyRequest, SaveReportSourceRequest,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::files;
use crate::names::{self, name, time};
use crate::output::{Format, Row};
use crate::services::{Change, Services, ask, operator};

/// Who may report delivery
#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// Registers who may report as a source, and how, or changes it
    Save(Save),
    /// Adds a key; from then on every file of the source must be signed
    AddKey(AddKey),
    /// Revokes a key; proposed files that it signed can no longer be released
    RevokeKey(RevokeKey),
    /// Lists registered sources with their keys
    List(ListSources),
}

impl SourceCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Save(save) => save.run(services).await,
            Self::AddKey(add) => add.run(services).await,
            Self::RevokeKey(revoke) => revoke.run(services).await,
            Self::List(list) => list.run(services).await,
        }
    }
}

/// Registers who may report as a source, and how, or changes it
#[derive(Args, Debug)]
pub struct Save {
    /// Its name, as reports say it
    source: String,
    /// How it may report: file, network, or both, separated by a comma
    #[arg(long, required = true, value_delimiter = ',', value_parser = names::parse::<ReportChannel>)]
    channels: Vec<ReportChannel>,
    #[command(flatten)]
    change: Change,
}

impl Save {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = SaveReportSourceRequest {
            source: self.source,
            channels: self.channels.into_iter().map(Into::into).collect(),
            reason: self.change.reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.plan_admin, save_report_source, caller, message)?;
        print(self.change.format, answer.source)
    }
}

/// Adds a key to a registered source
#[derive(Args, Debug)]
pub struct AddKey {
    /// The source
    source: String,
    /// File with the Ed25519 public key in PEM, as `openssl pkey -pubout` writes it
    public_key_file: PathBuf,
    #[command(flatten)]
    change: Change,
}

impl AddKey {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = AddReportSourceKeyRequest {
            source: self.source,
            public_key: files::read_text(&self.public_key_file)?,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.plan_admin, add_report_source_key, caller, message)?;
        print(self.change.format, answer.source)
    }
}

/// Revokes a key of a source
#[derive(Args, Debug)]
pub struct RevokeKey {
    /// The key's id
    kid: String,
    #[command(flatten)]
    change: Change,
}

impl RevokeKey {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = RevokeReportSourceKeyRequest {
            kid: self.kid,
            reason: self.change.reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(
            services.plan_admin,
            revoke_report_source_key,
            caller,
            message
        )?;
        print(self.change.format, answer.source)
    }
}

/// Lists registered sources with their keys
#[derive(Args, Debug)]
pub struct ListSources {
    #[command(flatten)]
    format: Format,
}

impl ListSources {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = ListReportSourcesRequest {};
        let answer = ask!(
            services.plan_admin,
            list_report_sources,
            operator(),
            message
        )?;
        self.format
            .list(answer.items.iter().flat_map(rows).collect());
        Ok(())
    }
}

fn print(format: Format, source: Option<ReportSource>) -> anyhow::Result<()> {
    let source = source.context("the answer has no source")?;
    format.list(rows(&source));
    Ok(())
}

/// One row for each key, or one without.
fn rows(source: &ReportSource) -> Vec<Row> {
    let channels: Vec<_> = source
        .channels
        .iter()
        .map(|channel| name::<ReportChannel>(*channel))
        .collect();
    let row = |key: &ReportSourceKey| {
        vec![
            ("source", json!(source.source)),
            ("channels", json!(channels)),
            ("kid", names::text(&key.kid)),
            ("added_at", time(key.added_at)),
            ("revoked_at", time(key.revoked_at)),
        ]
    };
    if source.keys.is_empty() {
        vec![row(&ReportSourceKey::default())]
    } else {
        source.keys.iter().map(row).collect()
    }
}
