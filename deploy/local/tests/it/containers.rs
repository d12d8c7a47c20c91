//! docker-compose.yml and the Dockerfile against the programs: finds variables that nobody reads,
//! files that nobody makes and targets that do not exist before anybody starts the system.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Where every container sees its own secrets.
const SECRETS: &str = "/run/secrets/adfolio";
/// Adfolio's own services, and the arguments with which their programs list their variables.
const HELP: [(&str, &[&[&str]]); 9] = [
    ("gateway", &[&["--help"]]),
    ("auth", &[&["--help"]]),
    ("plan", &[&["--help"]]),
    ("wallet", &[&["--help"]]),
    ("coupon", &[&["--help"]]),
    ("notification", &[&["--help"]]),
    ("acceptor", &[&["--help"]]),
    ("ctl", &[&["setup", "--help"], &["dead", "--help"]]),
    ("provision", &[&["provision", "--help"]]),
];

fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap().to_owned()
}

fn document() -> Value {
    let text = fs::read_to_string(repository().join("docker-compose.yml")).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

fn services() -> BTreeMap<String, Value> {
    serde_json::from_value(document()["services"].clone()).unwrap()
}

/// The default value of a variable, in a text that consists of the variable.
fn default_of(variable: &Value) -> String {
    let (_, default) = variable.as_str().unwrap().split_once(":-").unwrap();
    default.trim_end_matches('}').to_owned()
}

fn environment(service: &Value) -> BTreeMap<String, String> {
    serde_json::from_value(service["environment"].clone()).unwrap_or_default()
}

fn texts(list: &Value) -> Vec<String> {
    serde_json::from_value(list.clone()).unwrap_or_default()
}

/// The variables that a program names in its help.
fn known(service: &str, arguments: &[&[&str]]) -> BTreeSet<String> {
    let local = Path::new(env!("CARGO_BIN_EXE_adfolio-local"));
    let program = match service {
        "ctl" => local.with_file_name("adfolioctl"),
        "provision" => local.to_owned(),
        _ => local.with_file_name(format!("adfolio-{service}")),
    };
    let mut known = BTreeSet::new();
    for arguments in arguments {
        let output = Command::new(&program).args(*arguments).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let names = help.split("[env: ").skip(1);
        known.extend(names.map(|rest| rest[..rest.find(['=', ']']).unwrap()].to_owned()));
    }
    assert!(known.len() > 1, "{service}: {known:?}");
    known
}

#[test]
fn every_variable_is_one_that_the_program_reads() {
    let services = services();
    for (name, arguments) in HELP {
        let known = known(name, arguments);
        for variable in environment(&services[name]).keys() {
            assert!(known.contains(variable), "{name} does not read {variable}");
        }
    }
    for (name, service) in &services {
        let Some(program) = name.strip_prefix("migrate-") else {
            continue;
        };
        let known = known(program, &[&["migrate", "--help"]]);
        for variable in environment(service).keys() {
            assert!(known.contains(variable), "{name} does not read {variable}");
        }
        let urls = ["DATABASE_MIGRATION_URL_FILE", "DATABASE_URL_FILE"];
        assert!(environment(service).keys().eq(urls.iter()), "{name}");
        assert!(!environment(&services[program]).contains_key(urls[0]));
    }
    let edge = fs::read_to_string(repository().join("deploy/docker/edge.sh")).unwrap();
    for variable in environment(&services["web"]).keys() {
        assert!(
            edge.contains(&format!("${{{variable}:-")),
            "web does not read {variable}"
        );
    }
}

#[test]
fn every_secret_is_one_that_is_provisioned() {
    let folder = tempfile::tempdir().unwrap();
    provision(folder.path(), &[]);
    for (name, service) in services() {
        let volumes = texts(&service["volumes"]);
        let own = volumes
            .iter()
            .find_map(|volume| volume.strip_prefix("secrets-")?.strip_suffix(":ro"));
        let mut paths: Vec<String> = environment(&service).into_values().collect();
        paths.extend(texts(&service["command"]));
        for path in paths {
            let Some(file) = path.strip_prefix(SECRETS) else {
                continue;
            };
            let (consumer, mounted_at) = own.expect(&name).split_once(':').unwrap();
            assert_eq!(mounted_at, SECRETS, "{name}");
            let made = folder
                .path()
                .join(consumer)
                .join(file.trim_start_matches('/'));
            assert!(made.exists(), "{name}: nobody makes {}", made.display());
        }
    }
}

#[test]
fn every_consumer_has_a_volume_that_is_filled() {
    let folder = tempfile::tempdir().unwrap();
    provision(folder.path(), &[]);
    let services = services();
    let made: BTreeSet<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mounted: BTreeSet<String> = texts(&services["provision"]["volumes"])
        .iter()
        .map(|volume| volume.rsplit('/').next().unwrap().to_owned())
        .collect();
    assert_eq!(made, mounted);
    for (name, service) in &services {
        for volume in texts(&service["volumes"]) {
            let is_authority = volume.starts_with("authority");
            let is_foreign = volume.starts_with("secrets-") && !volume.ends_with(":ro");
            assert!(
                name == "provision" || !(is_authority || is_foreign),
                "{name} may write {volume}"
            );
        }
    }
}

/// A replica with this address would be trusted to report the client's address, and nginx would not
/// start.
#[test]
fn nobody_else_is_given_the_address_of_the_edge() {
    let network = document()["networks"]["edge"]["ipam"]["config"][0].clone();
    let range = default_of(&network["ip_range"]);
    let (first, length) = range.split_once('/').unwrap();
    let bits = |address: &str| address.parse::<Ipv4Addr>().unwrap().to_bits();
    let shift = 32 - length.parse::<u32>().unwrap();
    let edge = default_of(&services()["web"]["networks"]["edge"]["ipv4_address"]);
    assert_ne!(bits(&edge) >> shift, bits(first) >> shift, "{edge} {range}");
}

#[test]
fn containers_are_closed() {
    let dockerfile = fs::read_to_string(repository().join("deploy/docker/Dockerfile")).unwrap();
    for (name, service) in services() {
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(texts(&service["cap_drop"]), ["ALL"], "{name}");
        assert_eq!(
            texts(&service["security_opt"]),
            ["no-new-privileges:true"],
            "{name}"
        );
        assert!(service["mem_limit"].is_string(), "{name}");
        let is_open = !texts(&service["ports"]).is_empty();
        let watches = texts(&service["profiles"]) == ["observability"];
        assert!(!is_open || watches || name == "web", "{name}");
        if let Some(target) = service["build"]["target"].as_str() {
            let stage = format!(" AS {target}\n");
            assert!(dockerfile.contains(&stage), "{name}: no stage {target}");
        }
    }
}

#[test]
fn a_process_has_ended_before_it_is_killed() {
    let seconds = |text: &str| text.trim_end_matches('s').parse::<u64>().unwrap();
    let services = services();
    for (name, _) in HELP.iter().take(7) {
        let service = &services[*name];
        let drain = seconds(&environment(service)["DRAIN_LIMIT_SECONDS"]);
        let grace = seconds(service["stop_grace_period"].as_str().unwrap());
        assert!(drain < grace, "{name}");
        let test = texts(&service["healthcheck"]["test"]);
        let program = format!("/usr/local/bin/adfolio-{name}");
        assert_eq!(test, ["CMD", program.as_str(), "healthcheck"], "{name}");
    }
}

/// Runs the program for a system without demo data unless a variable says otherwise; returns its
/// output.
pub fn provision(folder: &Path, variables: &[(&str, &str)]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_adfolio-local"))
        .args(["provision", "--out"])
        .arg(folder)
        .env_remove("ADFOLIO_ADMIN_PASSWORD")
        .env("ADFOLIO_DEMO", "0")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    told
}
