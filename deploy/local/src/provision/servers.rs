//! Preparing PostgreSQL and RabbitMQ for the services.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::time::{Instant, sleep, timeout};
use tracing::info;
use url::Url;

use crate::broker_users;
use crate::component::Service;
use crate::databases::{Home, Passwords, Tables};
use crate::probe::Probe;

pub(super) const DATABASE_URL: &str = "database-url";
pub(super) const AMQP_URL: &str = "amqp-url";

/// Limit of a server's start: many times what a first start takes on a slow machine.
const SERVER_LIMIT: Duration = Duration::from_mins(3);
const SERVER_POLL: Duration = Duration::from_millis(500);

/// The password file of the login that serves.
pub(super) fn password_file(service: Service) -> String {
    format!("password-{}", service.name())
}

/// The password file of the login that migrates.
pub(super) fn migration_password_file(service: Service) -> String {
    format!("migration-password-{}", service.name())
}

/// Waits for the secrets and for both servers, each at most three minutes. Makes every service's
/// roles with their passwords, its database, and the shared exchanges. Idempotent.
///
/// It waits because it may be started first: podman cannot start a container that depends on a
/// finished container which itself depends on others.
pub(crate) async fn prepare(secrets: &Path) -> Result<()> {
    info!("waiting for PostgreSQL and RabbitMQ");
    let url: Url = secret(secrets, DATABASE_URL)
        .await?
        .parse()
        .context("wrong database address")?;
    let mut passwords = BTreeMap::new();
    for service in Service::ALL.into_iter().filter(|one| one.has_database()) {
        let both = Passwords {
            serving: secret(secrets, &password_file(service)).await?,
            migrating: secret(secrets, &migration_password_file(service)).await?,
        };
        passwords.insert(service, both);
    }
    let broker_url = secret(secrets, AMQP_URL).await?;

    let waited = timeout(SERVER_LIMIT, Probe::Postgres(url.clone()).wait()).await;
    let home = Home::Private { url, passwords };
    if waited.is_err() {
        info!("PostgreSQL does not answer within {SERVER_LIMIT:?}");
    }
    // If nothing answered, this says why.
    home.create(&Service::ALL, Tables::OfOwner).await?;
    declare_exchanges(&broker_url).await
}

/// The content of a file, once it exists. It appears whole: its writer renames it.
async fn secret(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(name);
    let deadline = Instant::now() + SERVER_LIMIT;
    loop {
        match fs::read_to_string(&path) {
            Err(_) if Instant::now() < deadline => sleep(SERVER_POLL).await,
            outcome => {
                return outcome.with_context(|| format!("cannot read {}", path.display()));
            }
        }
    }
}

async fn declare_exchanges(url: &str) -> Result<()> {
    let deadline = Instant::now() + SERVER_LIMIT;
    loop {
        match broker_users::declare_exchanges(url).await {
            Err(_) if Instant::now() < deadline => sleep(SERVER_POLL).await,
            outcome => return outcome,
        }
    }
}
