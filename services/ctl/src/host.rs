//! `adfolioctl host`.

use std::path::PathBuf;

use adfolio_proto::auth::v1::{
    AddHostKeyRequest, CreateHostRequest, Host, ListHostsRequest, RevokeHostKeyRequest,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::files;
use crate::names::time;
use crate::output::{Format, Row};
use crate::services::{Change, Services, ask, operator};

/// Hosts that vouch for their users
#[derive(Debug, Subcommand)]
pub enum HostCommand {
    /// Registers a host with its first key
    Create(Create),
    /// Adds a key to a host
    AddKey(AddKey),
    /// Revokes a key; sessions that were opened with it end
    RevokeKey(RevokeKey),
    /// Lists hosts with their keys
    List(ListHosts),
}

impl HostCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Create(create) => create.run(services).await,
            Self::AddKey(add) => add.run(services).await,
            Self::RevokeKey(revoke) => revoke.run(services).await,
            Self::List(list) => list.run(services).await,
        }
    }
}

/// Registers a host with its first key
#[derive(Args, Debug)]
pub struct Create {
    /// Unique name
    name: String,
    /// File with the Ed25519 public key in PEM, as `openssl pkey -pubout` writes it
    public_key_file: PathBuf,
    #[command(flatten)]
    change: Change,
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = CreateHostRequest {
            name: self.name,
            public_key: files::read_text(&self.public_key_file)?,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, create_host, caller, message)?;
        print(self.change.format, answer.host)
    }
}

/// Adds a key to a host
#[derive(Args, Debug)]
pub struct AddKey {
    /// Id of the host
    host_id: String,
    /// File with the Ed25519 public key in PEM
    public_key_file: PathBuf,
    #[command(flatten)]
    change: Change,
}

impl AddKey {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = AddHostKeyRequest {
            host_id: self.host_id,
            public_key: files::read_text(&self.public_key_file)?,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, add_host_key, caller, message)?;
        print(self.change.format, answer.host)
    }
}

/// Revokes a key; sessions that were opened with it end
#[derive(Args, Debug)]
pub struct RevokeKey {
    /// The key's id
    kid: String,
    #[command(flatten)]
    change: Change,
}

impl RevokeKey {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = RevokeHostKeyRequest {
            kid: self.kid,
            reason: self.change.reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, revoke_host_key, caller, message)?;
        print(self.change.format, answer.host)
    }
}

/// Lists hosts with their keys
#[derive(Args, Debug)]
pub struct ListHosts {
    #[command(flatten)]
    format: Format,
}

impl ListHosts {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = ListHostsRequest {};
        let answer = ask!(services.auth_admin, list_hosts, operator(), message)?;
        self.format
            .list(answer.items.iter().flat_map(rows).collect());
        Ok(())
    }
}

fn print(format: Format, host: Option<Host>) -> anyhow::Result<()> {
    let host = host.context("the answer has no host")?;
    format.list(rows(&host));
    Ok(())
}

/// One row for each key.
fn rows(host: &Host) -> Vec<Row> {
    let row = |key: &adfolio_proto::auth::v1::HostKey| {
        vec![
            ("id", json!(host.id)),
            ("name", json!(host.name)),
            ("kid", json!(key.kid)),
            ("added_at", time(key.added_at)),
            ("revoked_at", time(key.revoked_at)),
        ]
    };
    host.keys.iter().map(row).collect()
}
