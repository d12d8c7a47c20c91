//! Preparing a system in containers before its first start.
//!
//! [`provision`] makes secrets and certificates without any network: a folder for each consumer, so
//! that each container is only given its own. [`prepare`] makes, in PostgreSQL and RabbitMQ, what
//! the services may not make themselves. Both are idempotent: existing things stay.
//!
//! | folder | reader | content |
//! |---|---|---|
//! | `authority` | nobody else | all secrets, the key; below `adapters` files to hand out |
//! | `gateway`, `auth`, … | the service | certificate, URLs of its servers, secrets of auth and wallet, identity keys |
//! | `migrations` | the runs that migrate | URLs of each service's database, for the login that serves and for theirs |
//! | `ctl` | `adfolioctl` | its certificate, `amqp-url`, `admin-password`, `admin2-password` |
//! | `postgres` | PostgreSQL's first start | `superuser-password` |
//! | `rabbitmq` | RabbitMQ | its configuration; only hashes of its users' passwords |
//! | `servers` | [`prepare`] | URLs of superuser and administrator, passwords of the roles |

mod certificates;
mod folder;
mod servers;

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use self::folder::{Folder, Readers};
use crate::broker_users::{self, ADMINISTRATOR, OPERATOR, READER};
use crate::component::Service;
use crate::databases::{SUPERUSER, migrator, secret_name};
use crate::identity;
use crate::layout::random_hex;

pub(crate) use self::servers::prepare;

/// The broker's settings in a container of its own.
const BROKER_CONFIGURATION: &str = include_str!("../../../docker/rabbitmq.conf");
const BROKER_PLUGINS: &str = "[rabbitmq_prometheus].\n";
/// The path of the broker's folder in its container.
const BROKER_FOLDER: &str = "/run/secrets/adfolio";

/// The wallet's secrets.
const WALLET_SECRETS: [&str; 3] = ["pay-password-pepper", "card-key", "checkpoint-key"];
/// Auth's secret.
const AUTH_SECRETS: [&str; 1] = ["second-factor-key"];
const ADMIN_PASSWORD: &str = "admin-password";
const SECOND_ADMIN_PASSWORD: &str = "admin2-password";

/// The owners of the files.
#[derive(Debug)]
pub(crate) struct Consumers {
    /// The account that Adfolio's programs run as.
    pub(crate) owner: u32,
    /// Host and port of PostgreSQL.
    pub(crate) database_host: String,
    /// Host and port of RabbitMQ.
    pub(crate) broker_host: String,
    /// The password of the first member of staff, even if there is one already.
    pub(crate) admin_password: Option<String>,
    /// The password if there is none yet; random if unset.
    pub(crate) first_admin_password: Option<String>,
    /// The same of the second admin.
    pub(crate) second_admin_password: Option<String>,
}

/// Makes everything below `out` that is missing or outdated; returns the written files.
pub(crate) fn provision(out: &Path, consumers: &Consumers) -> Result<Vec<PathBuf>> {
    let mut authority = Folder::open(out.join("authority"), Readers::Account(consumers.owner))?;
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(out.join("authority/lock"))
        .context("cannot write the lock")?;
    // A second run waits for the first and then finds everything made.
    lock.lock().context("cannot lock the secrets")?;

    let mut changed = Vec::new();
    for service in Service::ALL {
        let mut folder = consumers.folder(out, service.name())?;
        consumers.write_service(&mut authority, &mut folder, service)?;
        changed.extend(folder.into_changed());
    }
    let mut ctl = consumers.folder(out, "ctl")?;
    consumers.write_operator(&mut authority, &mut ctl)?;
    let mut adapters = consumers.folder(out, "authority/adapters")?;
    certificates::renew(&mut authority, &mut adapters, "network")?;
    adapters.write(
        "reader-amqp-url",
        &consumers.amqp_url(&mut authority, READER)?,
    )?;
    let mut migrations = consumers.folder(out, "migrations")?;
    consumers.write_migrations(&mut authority, &mut migrations)?;
    let mut servers = consumers.folder(out, "servers")?;
    consumers.write_servers(&mut authority, &mut servers)?;

    let mut postgres = Folder::open(out.join("postgres"), Readers::All)?;
    postgres.write(
        "superuser-password",
        &database_password(&mut authority, SUPERUSER)?,
    )?;
    let mut rabbitmq = Folder::open(out.join("rabbitmq"), Readers::All)?;
    write_broker(&mut authority, &mut rabbitmq)?;

    for folder in [
        ctl, adapters, migrations, servers, postgres, rabbitmq, authority,
    ] {
        changed.extend(folder.into_changed());
    }
    Ok(changed)
}

impl Consumers {
    fn folder(&self, out: &Path, name: &str) -> Result<Folder> {
        Folder::open(out.join(name), Readers::Account(self.owner))
    }

    fn write_service(
        &self,
        authority: &mut Folder,
        folder: &mut Folder,
        service: Service,
    ) -> Result<()> {
        certificates::renew(authority, folder, service.name())?;
        folder.write("amqp-url", &self.amqp_url(authority, service.name())?)?;
        if service.has_database() {
            let role = service.database();
            let password = database_password(authority, &role)?;
            folder.write("database-url", &self.database_url(&role, &password, &role))?;
        }
        let secrets: &[&str] = match service {
            Service::Auth => &AUTH_SECRETS,
            Service::Wallet => &WALLET_SECRETS,
            _ => &[],
        };
        for name in secrets {
            folder.write(name, &authority.keep(name, random_hex)?)?;
        }
        let key = authority.keep(identity::KEY, identity::new_key)?;
        if service == Service::Auth {
            folder.write(identity::KEY, &key)?;
        }
        if service != Service::Gateway {
            folder.write(identity::PUBLIC_KEYS, &identity::public_key_of(&key)?)?;
        }
        Ok(())
    }

    fn write_operator(&self, authority: &mut Folder, folder: &mut Folder) -> Result<()> {
        certificates::renew(authority, folder, OPERATOR)?;
        folder.write("amqp-url", &self.amqp_url(authority, OPERATOR)?)?;
        if let Some(password) = &self.admin_password {
            authority.write(ADMIN_PASSWORD, password)?;
        }
        let password = authority.keep(ADMIN_PASSWORD, || {
            self.first_admin_password
                .clone()
                .map_or_else(random_hex, Ok)
        })?;
        folder.write(ADMIN_PASSWORD, &password)?;
        let second = authority.keep(SECOND_ADMIN_PASSWORD, || {
            self.second_admin_password
                .clone()
                .map_or_else(random_hex, Ok)
        })?;
        folder.write(SECOND_ADMIN_PASSWORD, &second)
    }

    fn write_migrations(&self, authority: &mut Folder, folder: &mut Folder) -> Result<()> {
        for service in Service::ALL.into_iter().filter(|one| one.has_database()) {
            let database = service.database();
            for (file, role) in [
                ("database-url", database.clone()),
                ("database-migration-url", migrator(service)),
            ] {
                let password = database_password(authority, &role)?;
                let url = self.database_url(&role, &password, &database);
                folder.write(&format!("{file}-{}", service.name()), &url)?;
            }
        }
        Ok(())
    }

    fn write_servers(&self, authority: &mut Folder, folder: &mut Folder) -> Result<()> {
        let password = database_password(authority, SUPERUSER)?;
        folder.write(
            servers::DATABASE_URL,
            &self.database_url(SUPERUSER, &password, SUPERUSER),
        )?;
        folder.write(servers::AMQP_URL, &self.amqp_url(authority, ADMINISTRATOR)?)?;
        for service in Service::ALL.into_iter().filter(|one| one.has_database()) {
            let role = service.database();
            let password = database_password(authority, &role)?;
            folder.write(&servers::password_file(service), &password)?;
            let password = database_password(authority, &migrator(service))?;
            folder.write(&servers::migration_password_file(service), &password)?;
        }
        Ok(())
    }

    fn database_url(&self, role: &str, password: &str, database: &str) -> String {
        format!(
            "postgres://{role}:{password}@{}/{database}",
            self.database_host
        )
    }

    fn amqp_url(&self, authority: &mut Folder, user: &str) -> Result<String> {
        let password = broker_password(authority, user)?;
        Ok(format!("amqp://{user}:{password}@{}", self.broker_host))
    }
}

fn database_password(authority: &mut Folder, role: &str) -> Result<String> {
    authority.keep(&secret_name(role), random_hex)
}

fn broker_password(authority: &mut Folder, user: &str) -> Result<String> {
    authority.keep(&format!("amqp-{user}"), random_hex)
}

fn write_broker(authority: &mut Folder, folder: &mut Folder) -> Result<()> {
    let definitions = broker_users::definitions(&broker_users::namespace(), |user| {
        broker_password(authority, user)
    })?;
    folder.write("definitions.json", &definitions.to_string())?;
    let configuration = BROKER_CONFIGURATION.replace("${FOLDER}", BROKER_FOLDER);
    folder.write("rabbitmq.conf", &configuration)?;
    folder.write("enabled_plugins", BROKER_PLUGINS)
}
