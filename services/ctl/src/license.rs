//! `adfolioctl license`.

use adfolio_proto::auth::v1::{
    CreateLicenseKeysRequest, LicenseKey, LicenseKeyState, ListLicenseKeysRequest,
};
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use crate::names::{name, text, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Licence keys
#[derive(Debug, Subcommand)]
pub enum LicenseCommand {
    /// Issues keys
    Create(Create),
    /// Lists keys
    List(Listing),
}

impl LicenseCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Create(create) => create.run(services).await,
            Self::List(listing) => list(services, listing).await,
        }
    }
}

/// Issues keys
#[derive(Args, Debug)]
pub struct Create {
    /// Number of random keys, 1 to 500
    #[arg(long, default_value_t = 1, conflicts_with = "codes")]
    count: u32,
    /// This code instead of random ones; may be repeated
    #[arg(long = "code", value_name = "CODE")]
    codes: Vec<SecretString>,
    /// A note, to find them again
    #[arg(long, default_value = "")]
    note: String,
    /// Accounts opened with them must be activated by staff
    #[arg(long)]
    not_activated: bool,
    #[command(flatten)]
    change: Change,
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let count = if self.codes.is_empty() {
            self.count
        } else {
            u32::try_from(self.codes.len())?
        };
        let message = CreateLicenseKeysRequest {
            count,
            note: self.note,
            activate: !self.not_activated,
            codes: self.codes.iter().map(exposed).collect(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, create_license_keys, caller, message)?;
        let rows = answer.items.iter().map(row).collect();
        self.change.format.list(rows);
        Ok(())
    }
}

async fn list(services: &Services, listing: Listing) -> anyhow::Result<()> {
    let message = ListLicenseKeysRequest { page: None };
    let keys = list!(
        services.auth_admin,
        list_license_keys,
        operator(),
        message,
        listing.max
    )
    .await?;
    listing.print(&keys, row);
    Ok(())
}

fn row(key: &LicenseKey) -> Row {
    vec![
        ("code", json!(key.code)),
        ("state", name::<LicenseKeyState>(key.state)),
        ("activate", json!(key.activate)),
        ("user_id", text(&key.user_id)),
        ("created_at", time(key.created_at)),
        ("note", text(&key.note)),
    ]
}

fn exposed(code: &SecretString) -> String {
    code.expose_secret().to_owned()
}
