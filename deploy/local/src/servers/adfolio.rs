//! Adfolio's own processes.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use nix::sys::signal::Signal;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};

use crate::broker_users::BrokerAccess;
use crate::builder::{DEMO_VARIABLE, FOUR_EYES, SECOND_FACTOR_VARIABLE, Visitors};
use crate::certificates::{TlsFiles, scheme};
use crate::component::{Component, Service};
use crate::identity;
use crate::layout::Layout;
use crate::ports::Ports;
use crate::probe::Probe;
use crate::process::{Launch, Unit};

/// The drain limit of a service: a person who presses Ctrl-C waits for it.
const DRAIN_LIMIT_SECONDS: u64 = 5;
/// The edge stops before the gateway, so there is nobody to notify.
const NOTICE_SECONDS: u64 = 0;
/// The drain, the flush of the outbox and the exit together.
const STOP_LIMIT: Duration = Duration::from_secs(DRAIN_LIMIT_SECONDS + 5);
/// Inherited variables that mean something else to a supervised process.
const FOREIGN_VARIABLES: [&str; 17] = [
    "DATABASE_URL",
    "DATABASE_URL_FILE",
    "DATABASE_READ_URL",
    "DATABASE_READ_URL_FILE",
    "DATABASE_MIGRATION_URL",
    "DATABASE_MIGRATION_URL_FILE",
    "AMQP_URL",
    "AMQP_URL_FILE",
    "LISTEN_ADDR",
    "ADMIN_ADDR",
    "DRAIN_LIMIT_SECONDS",
    "NOTICE_SECONDS",
    "TLS_CERT_FILE",
    "TLS_KEY_FILE",
    "TLS_CA_FILE",
    identity::KEY_VARIABLE,
    identity::PUBLIC_KEYS_VARIABLE,
];

/// The operator's command line; also the name of its certificate and of its user at the broker.
const OPERATOR: &str = "adfolioctl";

const MAIL_VARIABLE: &str = "MAIL_TRANSPORT";

const PUSH_KEY_VARIABLE: &str = "VAPID_KEY_FILE";

const CONSOLE_ORIGIN_VARIABLE: &str = "CONSOLE_ORIGIN";

const REFLECTION_VARIABLE: &str = "GRPC_REFLECTION";

/// The variable of the platform's bank account.
const BANK_ACCOUNT_VARIABLE: &str = "BANK_ACCOUNT";

/// The bank account of a demonstration: that of the examples of ISO 13616.
const DEMO_BANK_ACCOUNT: &str = "DE89370400440532013000";

/// The wallet's secrets: the variable that names the file, and the file.
pub(crate) const WALLET_SECRETS: [(&str, &str); 3] = [
    ("PAY_PASSWORD_PEPPER_FILE", "pay-password-pepper"),
    ("CARD_KEY_FILE", "card-key"),
    ("CHECKPOINT_KEY_FILE", "checkpoint-key"),
];

/// Auth's secrets: the variable that names the file, and the file.
pub(crate) const AUTH_SECRETS: [(&str, &str); 1] =
    [("SECOND_FACTOR_KEY_FILE", "second-factor-key")];

/// The secrets of a service that no backup contains.
fn kept_secrets(service: Service) -> &'static [(&'static str, &'static str)] {
    match service {
        Service::Auth => &AUTH_SECRETS,
        Service::Wallet => &WALLET_SECRETS,
        _ => &[],
    }
}

/// What a service needs to know of the rest of the stack.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) ports: &'a Ports,
    pub(crate) programs: &'a Path,
    pub(crate) broker: &'a BrokerAccess,
    pub(crate) broker_addresses: &'a HashMap<Service, SocketAddr>,
    pub(crate) tls: bool,
    /// Whether services believe no identity without auth's signature.
    pub(crate) signed_identities: bool,
    pub(crate) demo: bool,
}

/// Where a service finds its database.
#[derive(Debug)]
pub(crate) struct DatabaseUrls {
    pub(crate) serving: String,
    /// Of the standbys, if it reads there.
    pub(crate) reading: Option<String>,
}

impl Surroundings<'_> {
    /// Describes one of the seven processes, or another replica of it.
    pub(crate) fn unit(
        &self,
        layout: &Layout,
        (component, service): (Component, Service),
        database: Option<&DatabaseUrls>,
        extra: &[(String, String)],
    ) -> Result<Unit> {
        let program = program(self.programs, &service.program())?;
        let through = self.broker_addresses.get(&service).copied();
        let (listener, admin) = self.ports.addresses(component)?;
        // By file: the environment of a process is read by whoever may look at the process.
        let amqp = self.broker.service_url(service, through)?;
        let amqp = layout.write_secret(&format!("amqp-url-{service}"), &amqp)?;
        let mut launch = self
            .addresses(Launch::new(program, layout.root()), layout, service.name())
            .env("LISTEN_ADDR", listener.to_string())
            .env("ADMIN_ADDR", admin.to_string())
            .env("AMQP_URL_FILE", amqp)
            // Its output goes to a file.
            .env("NO_COLOR", "1")
            .env("DRAIN_LIMIT_SECONDS", DRAIN_LIMIT_SECONDS.to_string());
        if service == Service::Gateway {
            launch = launch
                .env("UPLOAD_DIR", layout.folder("uploads"))
                .env("SECURITY_CONTACT", security_contact())
                .env("NOTICE_SECONDS", NOTICE_SECONDS.to_string());
        }
        if let Some(urls) = database {
            let file = layout.write_secret(&format!("database-url-{service}"), &urls.serving)?;
            launch = launch.env("DATABASE_URL_FILE", file);
            if let Some(reading) = &urls.reading {
                let name = format!("database-read-url-{service}");
                let file = layout.write_secret(&name, reading)?;
                launch = launch.env("DATABASE_READ_URL_FILE", file);
            }
        }
        for (variable, name) in kept_secrets(service) {
            launch = launch.env(*variable, layout.random_secret(name)?);
        }
        if service == Service::Auth {
            launch = launch.env(identity::KEY_VARIABLE, identity::key_file(layout));
            if std::env::var_os(CONSOLE_ORIGIN_VARIABLE).is_none() {
                // Passkeys belong to a host name; browsers take this one without https.
                let origin = format!("http://localhost:{}", self.ports.http);
                launch = launch.env(CONSOLE_ORIGIN_VARIABLE, origin);
            }
        }
        if self.signed_identities && service != Service::Gateway {
            let file = identity::public_keys_file(layout);
            launch = launch.env(identity::PUBLIC_KEYS_VARIABLE, file);
        }
        if service == Service::Notification {
            launch = push(mail(launch, layout, self.ports.http), layout)?;
        }
        if FOUR_EYES.contains(&service) || service == Service::Auth {
            // FOUR_EYES_ABOVE and plan's IMPORT_RELEASE come from the person's own environment.
            launch = launch.env(DEMO_VARIABLE, if self.demo { "1" } else { "0" });
        }
        let is_chosen = std::env::var_os(SECOND_FACTOR_VARIABLE).is_some();
        if service == Service::Auth && self.demo && !is_chosen {
            launch = launch.env(SECOND_FACTOR_VARIABLE, "optional");
        }
        let has_account = std::env::var_os(BANK_ACCOUNT_VARIABLE).is_some();
        if service == Service::Wallet && self.demo && !has_account {
            launch = launch.env(BANK_ACCOUNT_VARIABLE, DEMO_BANK_ACCOUNT);
        }
        for (name, value) in extra {
            launch = launch.env(name, value);
        }
        Ok(Unit {
            component,
            launch,
            probe: self.ports.listener(component, layout)?.1,
            stop_signal: Signal::SIGTERM,
            stop_limit: STOP_LIMIT,
        })
    }

    /// Describes the run of a service's program that migrates its database, with the URLs of the login that serves and of the
    /// one that migrates.
    pub(crate) fn migration(
        &self,
        layout: &Layout,
        service: Service,
        (serving, migrating): (&str, &str),
    ) -> Result<Launch> {
        let program = program(self.programs, &service.program())?;
        let serving = layout.write_secret(&format!("database-url-{service}"), serving)?;
        let name = format!("database-migration-url-{service}");
        let migrating = layout.write_secret(&name, migrating)?;
        let mut launch = Launch::new(program, layout.root())
            .args(["migrate"])
            .env("NO_COLOR", "1")
            .env("DATABASE_URL_FILE", serving)
            .env("DATABASE_MIGRATION_URL_FILE", migrating);
        launch.inherit_environment = true;
        launch.removed.extend(FOREIGN_VARIABLES.map(str::to_owned));
        Ok(launch)
    }

    /// Describes a run of `adfolioctl` against this stack.
    pub(crate) fn operator(&self, layout: &Layout) -> Result<Launch> {
        let program = program(self.programs, OPERATOR)?;
        let amqp = self.broker.operator_url()?;
        let amqp = layout.write_secret(&format!("amqp-url-{OPERATOR}"), &amqp)?;
        Ok(self
            .addresses(Launch::new(program, layout.root()), layout, OPERATOR)
            .env("AMQP_URL_FILE", amqp))
    }

    /// A person's own environment configures the services (logs, traces, limits); addresses are set
    /// here.
    fn addresses(&self, mut launch: Launch, layout: &Layout, name: &str) -> Launch {
        launch.inherit_environment = true;
        if std::env::var_os(REFLECTION_VARIABLE).is_none() {
            // A local stack is for exploring.
            launch = launch.env(REFLECTION_VARIABLE, "true");
        }
        launch.removed.extend(FOREIGN_VARIABLES.map(str::to_owned));
        for service in Service::ALL {
            let addresses = self.ports.listen_addresses(service).into_iter();
            let urls: Vec<String> = addresses
                .map(|address| format!("{}://{address}", scheme(self.tls)))
                .collect();
            launch = launch.env(service.url_variable(), urls.join(","));
        }
        if self.tls {
            for (variable, path) in TlsFiles::of(layout, name).variables() {
                launch = launch.env(variable, path);
            }
        }
        launch
    }
}

/// Describes the simulated network, which calls `api` and registers itself as the operator.
pub(crate) fn simnet(operator: &Launch, api: &str, visitors: &Visitors) -> Unit {
    let arguments: [&OsStr; 8] = [
        "demo".as_ref(),
        "simnet".as_ref(),
        "--url".as_ref(),
        api.as_ref(),
        "--traffic".as_ref(),
        visitors.traffic.as_ref(),
        "--prior".as_ref(),
        visitors.prior.as_ref(),
    ];
    Unit {
        component: Component::Simnet,
        launch: operator.clone().args(arguments).env(DEMO_VARIABLE, "1"),
        probe: Probe::Running,
        stop_signal: Signal::SIGTERM,
        stop_limit: STOP_LIMIT,
    }
}

/// Mail as files, with links into this stack, unless the person at the machine has a mail server.
fn mail(launch: Launch, layout: &Layout, http: u16) -> Launch {
    if std::env::var_os(MAIL_VARIABLE).is_some() {
        return launch;
    }
    launch
        .env(MAIL_VARIABLE, "files")
        .env("MAIL_DIR", layout.folder("mail"))
        .env("MAIL_FROM", "Adfolio <no-reply@adfolio.example>")
        .env("PUBLIC_URL", format!("http://127.0.0.1:{http}/"))
}

/// Push messages, with a key that lasts as long as the browsers that subscribed with it.
fn push(launch: Launch, layout: &Layout) -> Result<Launch> {
    if std::env::var_os(PUSH_KEY_VARIABLE).is_some() {
        return Ok(launch);
    }
    let new_key = || Ok(KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?.serialize_pem());
    Ok(launch
        .env(PUSH_KEY_VARIABLE, layout.kept_secret("vapid-key", new_key)?)
        .env("VAPID_SUBJECT", "mailto:ops@adfolio.example"))
}

/// Whom to tell of a vulnerability: as the person at the machine says, or nobody who exists.
fn security_contact() -> String {
    std::env::var("SECURITY_CONTACT")
        .unwrap_or_else(|_| "mailto:security@adfolio.example".to_owned())
}

/// Folder of the programs that were built together with this one.
pub(crate) fn built_programs() -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot find the own program")?;
    let folder = own.parent().context("the own program lies in no folder")?;
    // Test programs lie one folder below.
    let folder = if folder.ends_with("deps") {
        folder.parent().unwrap_or(folder)
    } else {
        folder
    };
    Ok(folder.to_owned())
}

fn program(folder: &Path, name: &str) -> Result<PathBuf> {
    let path = folder.join(name);
    if !path.exists() {
        bail!(
            "{} is not built: run `cargo build --workspace`",
            path.display()
        );
    }
    Ok(path)
}
