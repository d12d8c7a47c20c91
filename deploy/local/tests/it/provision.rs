//! What a system in containers starts from, and that it can be made again at any time.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use adfolio_kit::broker::Broker;
use adfolio_kit::config::BrokerArgs;
use adfolio_local::{Service, Stack};
use sqlx::{Connection as _, PgConnection};

use crate::containers::provision;

/// Everything below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    files
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn a_second_run_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    provision(folder.path(), &[]);
    let first = files(folder.path());
    let told = provision(folder.path(), &[]);
    assert_eq!(told.trim_end(), "everything is there");
    assert!(first == files(folder.path()));
    for (path, content) in &first {
        let is_shared = ["postgres", "rabbitmq"].map(|name| folder.path().join(name));
        let shared = is_shared.iter().any(|shared| path.starts_with(shared));
        let mode = fs::metadata(path).unwrap().permissions().mode() & 0o077;
        let empty = path.ends_with("authority/lock");
        assert!(shared || empty || mode == 0, "{}", path.display());
        assert!(empty || !content.is_empty(), "{}", path.display());
    }
}

#[test]
fn a_consumer_is_given_no_password_of_another() {
    let folder = tempfile::tempdir().unwrap();
    provision(folder.path(), &[]);
    let authority = folder.path().join("authority");
    let passwords: Vec<String> = files(&authority)
        .into_iter()
        .filter(|(path, _)| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            path.parent() == Some(&authority)
                && (name.starts_with("amqp-") || name.starts_with("database-"))
        })
        .map(|(_, content)| String::from_utf8(content).unwrap())
        .collect();
    assert_eq!(passwords.len(), 23, "of ten users and thirteen roles");
    for service in Service::ALL {
        let own = files(&folder.path().join(service.name()));
        let seen = passwords.iter().filter(|password| {
            own.values()
                .any(|content| String::from_utf8_lossy(content).contains(*password))
        });
        let expected = if service == Service::Gateway { 1 } else { 2 };
        assert_eq!(seen.count(), expected, "{service}");
    }
    let broker = files(&folder.path().join("rabbitmq"));
    for password in &passwords {
        let told = broker
            .values()
            .any(|content| String::from_utf8_lossy(content).contains(password));
        assert!(!told, "RabbitMQ's files hold hashes only");
    }
}

#[test]
fn a_certificate_is_renewed_before_it_ends_and_the_authority_stays() {
    let folder = tempfile::tempdir().unwrap();
    provision(folder.path(), &[]);
    let before = files(folder.path());
    let wallet = folder.path().join("wallet");
    for soon in ["2026-01-01", "half a line"] {
        let note = folder.path().join("authority/wallet.end");
        fs::remove_file(&note).unwrap();
        fs::write(&note, soon).unwrap();
        provision(folder.path(), &[]);
        let after = files(folder.path());
        let changed: Vec<_> = after
            .keys()
            .filter(|path| after.get(*path) != before.get(*path))
            .map(|path| path.strip_prefix(folder.path()).unwrap().to_owned())
            .collect();
        assert_eq!(
            changed,
            [Path::new("wallet/tls.crt"), Path::new("wallet/tls.key")],
            "{soon}"
        );
    }
    // Including a lost one.
    fs::remove_file(wallet.join("tls.key")).unwrap();
    provision(folder.path(), &[]);
    assert!(!text(&wallet, "tls.key").is_empty());
    assert_eq!(
        text(&wallet, "ca.crt"),
        text(&folder.path().join("authority"), "ca.crt")
    );
}

#[test]
fn certificates_of_one_authority_are_believed_whenever_they_were_made() {
    let folder = tempfile::tempdir().unwrap();
    provision(folder.path(), &[]);
    fs::remove_dir_all(folder.path().join("coupon")).unwrap();
    provision(folder.path(), &[]);
    for name in ["wallet", "coupon"] {
        let own = folder.path().join(name);
        let args = adfolio_kit::config::TlsArgs {
            tls_cert_file: Some(own.join("tls.crt")),
            tls_key_file: Some(own.join("tls.key")),
            tls_ca_file: Some(folder.path().join("gateway/ca.crt")),
        };
        assert!(args.load().unwrap().is_some(), "{name}");
    }
}

#[test]
fn the_admins_password_is_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let password = || text(&folder.path().join("ctl"), "admin-password");
    provision(folder.path(), &[]);
    assert_eq!(password().len(), 64, "a random one without demo data");
    provision(
        folder.path(),
        &[("ADFOLIO_ADMIN_PASSWORD", "chosen by hand")],
    );
    assert_eq!(password(), "chosen by hand");
    provision(folder.path(), &[("ADFOLIO_DEMO", "1")]);
    assert_eq!(password(), "chosen by hand");

    let demo = tempfile::tempdir().unwrap();
    provision(demo.path(), &[("ADFOLIO_DEMO", "1")]);
    assert_eq!(
        text(&demo.path().join("ctl"), "admin-password"),
        "adfolio-admin"
    );
}

/// The second half of the program against real servers: afterwards everything that the services may
/// not make exists, however often it ran.
#[tokio::test(flavor = "multi_thread")]
async fn servers_are_prepared_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    provision(folder.path(), &[]);
    let stack = Stack::builder().services([]).start().await.unwrap();
    let servers = folder.path().join("servers");
    for (name, url) in [
        ("database-url", stack.database_base_url()),
        ("amqp-url", stack.amqp_url().to_owned()),
    ] {
        fs::remove_file(servers.join(name)).unwrap();
        fs::write(servers.join(name), url).unwrap();
    }
    let mut verifiers = Vec::new();
    for _ in 0..2 {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_adfolio-local"));
        command.args(["prepare", "--secrets"]).arg(&servers);
        let output = command.stdin(Stdio::null()).output().await.unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        verifiers.push(roles_with_passwords(&stack).await);
    }
    assert_eq!(verifiers[0].len(), 12, "{verifiers:?}");
    assert_eq!(verifiers[0], verifiers[1]);

    let url = stack.service_amqp_url(Service::Wallet).unwrap();
    let broker = Broker::new(&BrokerArgs::new(url, "adfolio")).unwrap();
    broker.open("wallet").await.unwrap().close().await;
    stack.stop().await;
}

/// The logins of services, with passwords: for each database, whose owner is no login, the one that serves and the one that
/// migrates.
async fn roles_with_passwords(stack: &Stack) -> Vec<String> {
    let mut connection = PgConnection::connect(&stack.database_base_url())
        .await
        .unwrap();
    sqlx::query_scalar(
        "SELECT login.rolname::text FROM pg_database
         JOIN pg_roles AS owner ON owner.oid = datdba AND owner.rolname = datname || '_owner' AND NOT owner.rolcanlogin
         JOIN pg_authid AS login ON login.rolcanlogin AND login.rolname IN (datname, datname || '_migrate')
         WHERE login.rolpassword LIKE 'SCRAM-SHA-256$%' AND encoding = 6
           AND pg_has_role(login.oid, owner.oid, 'MEMBER') = (login.rolname <> datname) ORDER BY 1",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap()
}
