//! `adfolioctl license`.

use adfolio_proto::auth::v1::{
    CreateLicenseKeysRequest, LicenseKey, LicenseKeyState, ListLicenseKeysRequest,
};
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use crate::names::{name, text, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, operator, order};

/// Licence keys
#[derive(Debug, Subcommand)]
pub enum LicenseCommand {
    /// Issues keys
    Create(Create),
    /// Lists keys
    List(Listing),
}

impl LicenseCommand {
    /// Does it.
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
    /// How many random keys, 1 to 500
    #[arg(long, default_value_t = 1, conflicts_with = "codes")]
    count: u32,
    /// Exactly this code instead; may be given several times
    #[arg(long = "code", value_name = "CODE")]
    codes: Vec<SecretString>,
    /// A note to find them by
    #[arg(long, default_value = "")]
    note: String,
    /// Accounts opened with them wait for staff
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
        let answer = order!(services.auth_admin, create_license_keys, caller, message);
        let rows = answer.items.iter().map(row).collect();
        self.change.format.list(rows);
        Ok(())
    }
}

async fn list(services: &Services, listing: Listing) -> anyhow::Result<()> {
    let keys = listing
        .items(|page| async move {
            let message = ListLicenseKeysRequest { page: Some(page) };
            let answer = ask!(services.auth_admin, list_license_keys, operator(), message)?;
            Ok((answer.items, answer.next_cursor))
        })
        .await?;
    listing.format.list(keys.iter().map(row).collect());
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
