//! Patroni on a machine: it runs PostgreSQL, as the primary or as a standby.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use nix::sys::signal::Signal;
use serde_json::{Map, Value, json};

use super::machine::{Machine, installed};
use super::parameters;
use super::ports::ClusterPorts;
use crate::component::Component;
use crate::databases::SUPERUSER;
use crate::probe::Probe;
use crate::process::{Account, Launch, Unit};
use crate::servers::postgres::{newest_programs, shared_settings};

/// The name of the cluster in etcd.
const SCOPE: &str = "adfolio";

/// The role that standbys log in as.
const REPLICATOR: &str = "replicator";

/// Who may change something by Patroni's REST interface.
pub(super) const OPERATOR: &str = "operator";

/// PostgreSQL writes everything to the disk, and a primary waits until its standbys have it.
const STOP_LIMIT: Duration = Duration::from_secs(30);

/// The passwords of a cluster.
#[derive(Clone, Debug)]
pub(super) struct Passwords {
    pub(super) superuser: String,
    pub(super) replicator: String,
    pub(super) operator: String,
}

/// What is the same on all machines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings<'a> {
    pub(super) passwords: &'a Passwords,
    pub(super) durable: bool,
    pub(super) lease: Duration,
}

/// Writes the configuration and describes Patroni.
pub(super) fn prepare(
    machine: &Machine,
    machines: &[Machine; 3],
    ports: &ClusterPorts,
    settings: &Settings<'_>,
) -> Result<Unit> {
    let account = Account::for_postgres()?;
    let own = |folder: &Path| -> Result<()> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        fs::set_permissions(folder, Permissions::from_mode(0o700))?;
        account
            .as_ref()
            .map_or(Ok(()), |account| account.own(folder))
    };
    let folder = machine.layout.folder(Component::Patroni.name());
    own(&folder)?;
    // Where its processes are recognised, since PostgreSQL writes its titles over its environment.
    let data = machine.layout.folder(Component::Postgres.name());
    own(&data)?;
    let configuration = configuration(machine, machines, ports, settings)?;
    let file = configuration_file(machine);
    write_private(&file, &serde_json::to_vec_pretty(&configuration)?)?;
    if let Some(account) = &account {
        account.own(&file)?;
    }
    let mut launch = Launch::new(installed("patroni")?, &folder).args([file]);
    launch.account = account;
    launch.network.clone_from(&machine.network);
    // It stops PostgreSQL, which is not its child.
    launch.death_signal = Signal::SIGTERM;
    Ok(Unit {
        component: Component::Patroni,
        launch,
        probe: Probe::Http(machine.at(ports.patroni), "/readiness"),
        stop_signal: Signal::SIGTERM,
        stop_limit: STOP_LIMIT,
    })
}

/// The configuration, which `patronictl` reads as well.
pub(super) fn configuration_file(machine: &Machine) -> PathBuf {
    // JSON is YAML.
    machine.layout.folder("patroni/patroni.yml")
}

fn configuration(
    machine: &Machine,
    machines: &[Machine; 3],
    ports: &ClusterPorts,
    settings: &Settings<'_>,
) -> Result<Value> {
    let login =
        |username: &str, password: &str| json!({"username": username, "password": password});
    let etcd: Vec<String> = std::iter::once(machine)
        .chain(machines.iter().filter(|other| other.id != machine.id))
        .map(|member| member.at(ports.etcd).to_string())
        .collect();
    let rest = machine.at(ports.patroni).to_string();
    let postgres = machine.at(ports.postgres).to_string();
    let folder = |name: &str| machine.layout.folder(name).display().to_string();
    let mut parameters: Map<String, Value> = shared_settings(settings.durable)
        .into_iter()
        .filter_map(|setting| {
            let (name, value) = setting.split_once('=')?;
            Some((name.to_owned(), json!(value)))
        })
        .collect();
    parameters.insert("unix_socket_directories".to_owned(), json!(""));
    // pg_rewind asks for it, also where nothing waits for the disk.
    parameters.insert("full_page_writes".to_owned(), json!("on"));
    // In the data folder, so that killed servers leave nothing behind in memory.
    parameters.insert("dynamic_shared_memory_type".to_owned(), json!("mmap"));
    Ok(json!({
        "scope": SCOPE,
        "name": machine.id.to_string(),
        "log": {"level": "INFO", "format": "%(asctime)s %(levelname)s: %(message)s"},
        "restapi": {
            "listen": rest,
            "connect_address": rest,
            "authentication": login(OPERATOR, &settings.passwords.operator),
        },
        // Not etcd's third version: with it, Patroni 3.0.2 takes the leader's key back without asking when a primary
        // thaws that was frozen for longer than its lease, and the commits of its successor are lost. With the second it
        // only renews a key that is still its own.
        "etcd": {"hosts": etcd},
        "bootstrap": {
            "dcs": parameters::patroni(settings.lease),
            "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"],
        },
        "postgresql": {
            "listen": postgres,
            "connect_address": postgres,
            "data_dir": folder(Component::Postgres.name()),
            "bin_dir": newest_programs()?.display().to_string(),
            "pgpass": folder("patroni/pgpass"),
            "authentication": {
                "superuser": login(SUPERUSER, &settings.passwords.superuser),
                "replication": login(REPLICATOR, &settings.passwords.replicator),
            },
            "parameters": parameters,
            // The network of the machines, or the loopback interface.
            "pg_hba": [
                "host all all samenet scram-sha-256",
                format!("host replication {REPLICATOR} samenet scram-sha-256"),
            ],
            "basebackup": ["no-password", {"checkpoint": "fast"}],
            "remove_data_directory_on_rewind_failure": true,
            "remove_data_directory_on_diverged_timelines": true,
        },
    }))
}

/// Writes a file that only its owner may read.
fn write_private(path: &Path, text: &[u8]) -> Result<()> {
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.write_all(text)
        .with_context(|| format!("cannot write {}", path.display()))
}
