//! Permissions at the private RabbitMQ: a user for each service, limited to its own queues, the
//! shared exchanges, and the events that its service may publish.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;

use adfolio_kit::broker::Broker;
use adfolio_kit::config::BrokerArgs;
use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::component::Service;
use crate::layout::Layout;

/// May do everything; for tests, and for the person who runs a stack.
pub(crate) const ADMINISTRATOR: &str = "administrator";
/// `adfolioctl`, which lists dead letters and sends them back.
pub(crate) const OPERATOR: &str = "adfolioctl";
/// An internal consumer: reads the wallet's stream, and its own queues (`reader.…`) bound to the
/// wallet's events.
pub(crate) const READER: &str = "reader";
/// Public, like the demo's other passwords: everything listens on loopback only.
const READER_PASSWORD: &str = "reader";

const VHOST: &str = "/";
const ALL: &str = ".*";
const NOTHING: &str = "^$";
/// The default exchange, which routes to a queue by its name: this is how dead letters go back.
const DEFAULT_EXCHANGE: &str = r"amq\.default";
const WALLET_STREAM: &str = r"wallet\.events";
const WALLET_EVENTS: &str = r"^adfolio\.wallet\.v1\.";

/// The variable for the prefix of exchanges and queues, and its default.
const NAMESPACE_VARIABLE: &str = "AMQP_NAMESPACE";
const DEFAULT_NAMESPACE: &str = "adfolio";

/// How the stack reaches the broker.
#[derive(Clone, Debug)]
pub(crate) enum BrokerAccess {
    /// The stack's own broker, or a cluster's nodes, with a user for each service.
    Private {
        addresses: Vec<SocketAddr>,
        passwords: PathBuf,
    },
    /// A given broker, with the user in its URL.
    Given(String),
}

impl BrokerAccess {
    /// URL for a service; `through` is another address of the private broker.
    pub(crate) fn service_url(
        &self,
        service: Service,
        through: Option<SocketAddr>,
    ) -> Result<String> {
        self.url(service.name(), through)
    }

    /// URL for `adfolioctl`.
    pub(crate) fn operator_url(&self) -> Result<String> {
        self.url(OPERATOR, None)
    }

    /// URL for the administrator.
    pub(crate) fn administrator_url(&self) -> Result<String> {
        self.url(ADMINISTRATOR, None)
    }

    /// URL for consumers outside of the stack.
    pub(crate) fn reader_url(&self) -> String {
        match self {
            Self::Given(url) => url.clone(),
            Self::Private { addresses, .. } => {
                let hosts = hosts(addresses);
                format!("amqp://{READER}:{READER_PASSWORD}@{hosts}")
            }
        }
    }

    fn url(&self, user: &str, through: Option<SocketAddr>) -> Result<String> {
        match self {
            Self::Given(url) => Ok(url.clone()),
            Self::Private {
                addresses,
                passwords,
            } => {
                let path = passwords.join(secret_name(user));
                let password = fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                let hosts = through.map_or_else(|| hosts(addresses), |it| it.to_string());
                Ok(format!("amqp://{user}:{password}@{hosts}"))
            }
        }
    }
}

fn hosts(addresses: &[SocketAddr]) -> String {
    let hosts: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
    hosts.join(",")
}

fn secret_name(user: &str) -> String {
    format!("amqp-{user}")
}

/// What a user may configure, write and read, as expressions over the names of queues and
/// exchanges, and the events it may publish.
#[derive(Debug, PartialEq, Eq)]
struct Rights {
    user: &'static str,
    configure: String,
    write: String,
    read: String,
    events: String,
    /// The events whose topics its queues may be bound to.
    topics: String,
}

/// Writes the broker's users for its start. Passwords are made once; the file only has their
/// hashes.
pub(crate) fn write_definitions(layout: &Layout) -> Result<PathBuf> {
    let definitions = definitions(&namespace(), |user| {
        if user == READER {
            return Ok(READER_PASSWORD.to_owned());
        }
        let file = layout.random_secret(&secret_name(user))?;
        Ok(fs::read_to_string(file)?)
    })?;
    layout.write_secret("amqp-definitions.json", &definitions.to_string())
}

/// The names of all users but the administrator.
pub(crate) fn users() -> impl Iterator<Item = &'static str> {
    Service::ALL
        .map(Service::name)
        .into_iter()
        .chain([OPERATOR, READER])
}

/// The broker's users, with the hash of `password` for each, and their permissions.
pub(crate) fn definitions(
    namespace: &str,
    mut password: impl FnMut(&str) -> Result<String>,
) -> Result<Value> {
    let rights = all_rights(namespace);
    // Without a hash no password matches: this closes the broker's own account with its well-known
    // password, also in an old folder.
    let mut users = vec![json!({"name": "guest", "password_hash": "", "tags": ""})];
    for (name, tags) in self::users()
        .map(|name| (name, ""))
        .chain([(ADMINISTRATOR, "administrator")])
    {
        users.push(user(name, &password(name)?, tags));
    }
    Ok(with_permissions(namespace, &users, &rights))
}

pub(crate) fn namespace() -> String {
    std::env::var(NAMESPACE_VARIABLE).unwrap_or_else(|_| DEFAULT_NAMESPACE.to_owned())
}

/// Makes the shared exchanges as the administrator: services have no permission to.
pub(crate) async fn declare_exchanges(administrator_url: &str) -> Result<()> {
    let broker = Broker::new(&BrokerArgs::new(administrator_url, namespace()))?;
    let session = broker
        .open("local")
        .await
        .context("cannot declare the exchanges")?;
    session.close().await;
    Ok(())
}

fn with_permissions(namespace: &str, users: &[Value], rights: &[Rights]) -> Value {
    let mut permissions = vec![json!({
        "user": ADMINISTRATOR, "vhost": VHOST, "configure": ALL, "write": ALL, "read": ALL,
    })];
    let mut topics = Vec::new();
    for rights in rights {
        permissions.push(json!({
            "user": rights.user, "vhost": VHOST, "configure": rights.configure, "write": rights.write,
            "read": rights.read,
        }));
        topics.push(json!({
            "user": rights.user, "vhost": VHOST, "exchange": format!("{namespace}.events"),
            "write": rights.events, "read": rights.topics,
        }));
    }
    json!({
        "vhosts": [{"name": VHOST}],
        "users": users,
        "permissions": permissions,
        "topic_permissions": topics,
    })
}

fn user(name: &str, password: &str, tags: &str) -> Value {
    json!({
        "name": name,
        "password_hash": password_hash(salt(name, password), password),
        "hashing_algorithm": "rabbit_password_hashing_sha256",
        "tags": tags,
    })
}

/// The same at every start, so that the file does not change. It tells equal passwords apart;
/// random passwords need no salt against guessing.
fn salt(name: &str, password: &str) -> [u8; 4] {
    let mut hasher = Sha256::new();
    hasher.update(name);
    hasher.update([0]);
    hasher.update(password);
    let digest = hasher.finalize();
    [digest[0], digest[1], digest[2], digest[3]]
}

/// In the broker's format: the salt, then SHA-256 over salt and password.
fn password_hash(salt: [u8; 4], password: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(salt);
    hasher.update(password);
    let mut hash = salt.to_vec();
    hash.extend(hasher.finalize());
    BASE64_STANDARD.encode(hash)
}

/// The permissions of every user but the administrator.
fn all_rights(namespace: &str) -> Vec<Rights> {
    let namespace = namespace.replace('.', r"\.");
    let mut all: Vec<Rights> = Service::ALL
        .into_iter()
        .map(|service| service_rights(&namespace, service))
        .collect();
    all.push(operator_rights(&namespace));
    all.push(reader_rights(&namespace));
    all
}

/// A service declares its own queues, binds them to the events and dead letters, and publishes
/// events. The gateway has neither outbox nor dead letters; the wallet also has its stream.
fn service_rights(namespace: &str, service: Service) -> Rights {
    let name = service.name();
    let own = format!(r"{namespace}\.{name}\..+");
    if service == Service::Gateway {
        return Rights {
            user: name,
            configure: format!("^{own}$"),
            write: format!("^{own}$"),
            read: format!(r"^({namespace}\.events|{own})$"),
            events: NOTHING.to_owned(),
            topics: ALL.to_owned(),
        };
    }
    let shared = format!(r"{namespace}\.(events|dead)");
    let declared = if service == Service::Wallet {
        format!("{own}|{WALLET_STREAM}")
    } else {
        own.clone()
    };
    Rights {
        user: name,
        configure: format!("^({declared})$"),
        write: format!("^({shared}|{declared})$"),
        read: format!("^({shared}|{own})$"),
        events: format!(r"^adfolio\.{name}\."),
        topics: ALL.to_owned(),
    }
}

/// Reads dead letters of every service and sends them back to their original queues.
fn operator_rights(namespace: &str) -> Rights {
    Rights {
        user: OPERATOR,
        configure: NOTHING.to_owned(),
        write: format!("^{DEFAULT_EXCHANGE}$"),
        read: format!(r"^{namespace}\.[^.]+\.[^.]+\.dead$"),
        events: NOTHING.to_owned(),
        topics: ALL.to_owned(),
    }
}

fn reader_rights(namespace: &str) -> Rights {
    Rights {
        user: READER,
        configure: r"^reader\..+$".to_owned(),
        write: r"^reader\..+$".to_owned(),
        read: format!(r"^({WALLET_STREAM}|{namespace}\.events|reader\..+)$"),
        events: NOTHING.to_owned(),
        // Other services' events name users and what they do.
        topics: WALLET_EVENTS.to_owned(),
    }
}

/// The folder that holds the passwords of [`BrokerAccess::Private`].
pub(crate) fn passwords(layout: &Layout) -> PathBuf {
    layout.secrets()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::{ADMINISTRATOR, all_rights, password_hash, service_rights, with_permissions};
    use crate::component::Service;

    #[test]
    fn a_password_is_hashed_as_the_broker_does() {
        // The example in RabbitMQ's documentation.
        assert_eq!(
            password_hash([0x90, 0x8D, 0xC6, 0x0A], "test12"),
            "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR"
        );
    }

    #[test]
    fn every_service_has_rights_of_its_own() {
        let all = all_rights("adfolio");
        for service in Service::ALL {
            let own = service_rights("adfolio", service);
            assert!(all.contains(&own));
            for other in Service::ALL {
                let queue = format!(r"adfolio\.{}\.", other.name());
                assert_eq!(own.read.contains(&queue), service == other, "{own:?}");
                assert_eq!(own.write.contains(&queue), service == other, "{own:?}");
            }
        }
    }

    /// A user of `definitions` or of the manifests, as comparable text.
    fn said<'a>(user: &Value, limits: impl IntoIterator<Item = (&'a str, &'a Value)>) -> String {
        let limits: Vec<String> = limits
            .into_iter()
            .map(|(name, limit)| format!("{name} {limit}"))
            .collect();
        format!("{user}: {}", limits.join(", "))
    }

    #[test]
    fn the_manifests_for_kubernetes_give_the_same_rights() {
        const MANIFESTS: &str = include_str!("../../k8s/base/rabbitmq/users.yaml");
        let documents: Vec<Value> = serde_saphyr::from_multiple(MANIFESTS).unwrap();
        let manifests = |kind: &str, limits: &[&str]| -> BTreeSet<String> {
            let specs = documents.iter().filter(|it| it["kind"] == kind);
            let specs = specs.map(|it| (&it["spec"]["userReference"]["name"], &it["spec"]));
            specs
                .map(|(user, spec)| {
                    assert_eq!(spec["vhost"], "/");
                    said(
                        user,
                        limits
                            .iter()
                            .map(|limit| (*limit, &spec["permissions"][*limit])),
                    )
                })
                .collect()
        };
        let local = with_permissions("adfolio", &[], &all_rights("adfolio"));
        let expected = |section: &str, limits: &[&str]| -> BTreeSet<String> {
            let rows = local[section].as_array().unwrap().iter();
            // The operator of the cluster makes its own administrator.
            rows.filter(|row| row["user"] != ADMINISTRATOR)
                .map(|row| {
                    said(
                        &row["user"],
                        limits.iter().map(|limit| (*limit, &row[*limit])),
                    )
                })
                .collect()
        };
        let limits = ["configure", "write", "read"];
        assert_eq!(
            manifests("Permission", &limits),
            expected("permissions", &limits)
        );
        let limits = ["exchange", "write", "read"];
        assert_eq!(
            manifests("TopicPermission", &limits),
            expected("topic_permissions", &limits)
        );
        let users: BTreeSet<&str> = documents
            .iter()
            .filter(|it| it["kind"] == "User")
            .map(|it| it["metadata"]["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            users,
            all_rights("adfolio").iter().map(|it| it.user).collect()
        );
    }
}
