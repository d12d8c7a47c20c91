//! Invalid configuration: one line and exit code 2, before anything else happens.

use std::path::PathBuf;
use std::process::Command;

use adfolio_kit::config::{
    BrokerArgs, DatabaseArgs, ServerArgs, TelemetryArgs, exit_with, parse_args_or_exit, secret_from,
};
use adfolio_kit::four_eyes::{Alone, FourEyesArgs};
use adfolio_money::Money;
use clap::Parser;
use secrecy::{ExposeSecret, SecretString};

use crate::certificates::Authority;

#[derive(Parser, Debug)]
struct Config {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    broker: BrokerArgs,
    #[command(flatten)]
    telemetry: TelemetryArgs,
    #[command(flatten)]
    four_eyes: FourEyesArgs,
}

/// Not a test: the child process of the tests below.
#[test]
#[ignore = "run by other tests"]
fn child() {
    let config: Config = parse_args_or_exit(["adfolio-test"]);
    let files = config.server.tls.load().map(drop);
    let urls = config.database.url().map(drop);
    let urls = urls.and(config.broker.urls().map(drop));
    let threshold = config.four_eyes.threshold().map(drop);
    if let Err(error) = urls.and(files).and(threshold) {
        exit_with(&error.to_string());
    }
    println!("{config:?}");
    std::process::exit(0);
}

/// The exit code and the output, with only these variables set.
fn run(variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "configuration::child",
            "--ignored",
            "--nocapture",
        ])
        .env_clear()
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

const GOOD: [(&str, &str); 2] = [
    ("DATABASE_URL", "postgres://me:hunter2@localhost/db"),
    ("AMQP_URL", "amqp://guest:swordfish@localhost"),
];

#[test]
fn good_configuration_is_taken_and_its_secrets_are_not_shown() {
    let (code, shown, _) = run(&GOOD);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("drain_limit_seconds: 20"), "{shown}");
    assert!(
        !shown.contains("hunter2") && !shown.contains("swordfish"),
        "{shown}"
    );
}

#[test]
fn wrong_configuration_is_one_line_and_exit_code_2() {
    for (name, value) in [
        ("LISTEN_ADDR", "nowhere"),
        ("DRAIN_LIMIT_SECONDS", "0"),
        ("DATABASE_MAX_CONNECTIONS", "many"),
        ("AMQP_URL", "http://secret@localhost"),
        ("AMQP_NAMESPACE", "with blank"),
        ("LOG_FORMAT", "xml"),
        ("DATABASE_URL_FILE", "/does/not/exist"),
        ("FOUR_EYES_ABOVE", "-1.00"),
        ("FOUR_EYES_ABOVE", "none"),
        ("ADFOLIO_DEMO", "perhaps"),
    ] {
        let mut variables = GOOD.to_vec();
        variables.retain(|(known, _)| *known != name);
        variables.push((name, value));
        let (code, _, told) = run(&variables);
        assert_eq!(code, Some(2), "{name}: {told}");
        assert_eq!(told.trim_end().lines().count(), 1, "{name}: {told}");
        assert!(!told.contains("secret"), "{told}");
    }
    let (code, _, told) = run(&[]);
    assert_eq!(
        (code, told.trim_end()),
        (Some(2), "DATABASE_URL or DATABASE_URL_FILE must be set")
    );
}

#[test]
fn only_a_demonstration_switches_four_eyes_off() {
    let off = ("FOUR_EYES_ABOVE", "off");
    for demo in [None, Some("0")] {
        let demo = demo.map(|value| ("ADFOLIO_DEMO", value));
        let variables: Vec<_> = GOOD.into_iter().chain([off]).chain(demo).collect();
        let (code, _, told) = run(&variables);
        let expected = "FOUR_EYES_ABOVE=off is for demonstrations: it needs ADFOLIO_DEMO=1";
        assert_eq!((code, told.trim_end()), (Some(2), expected));
    }
    let (code, _, told) = run(&[GOOD[0], GOOD[1], off, ("ADFOLIO_DEMO", "1")]);
    assert_eq!(code, Some(0), "{told}");
}

#[test]
fn sums_by_member_and_by_beneficiary_are_compared() {
    let unless_set = defaults::<FourEyesArgs>().threshold();
    let threshold = unless_set.expect("a threshold");
    let exceeds = |by_member, for_beneficiary, minor| {
        let alone = Alone {
            by_member,
            for_beneficiary,
        };
        threshold.is_exceeded_after(alone, Money::from_minor(minor))
    };
    assert!(!exceeds(0, 0, 100_000) && exceeds(0, 0, 100_001));
    assert!(!exceeds(60_000, 0, 40_000) && exceeds(60_000, 0, 40_001));
    assert!(!exceeds(0, 60_000, 40_000) && exceeds(0, 60_000, 40_001));
    assert!(exceeds(i64::MAX, 0, i64::MAX));
    let off = FourEyesArgs::off().threshold().expect("off");
    assert!(!off.is_set() && !off.is_exceeded_by(Money::from_minor(i64::MAX)));
    assert!(
        FourEyesArgs::above(Money::from_minor(-1))
            .threshold()
            .is_err()
    );
}

#[test]
fn an_empty_endpoint_exports_no_traces() {
    for (given, expected) in [
        (None, None),
        (Some(""), None),
        (Some("  "), None),
        (Some("http://collector:4317"), Some("http://collector:4317")),
    ] {
        let args = TelemetryArgs {
            otel_exporter_otlp_endpoint: given.map(str::to_owned),
            ..TelemetryArgs::default()
        };
        assert_eq!(args.traces_endpoint(), expected, "{given:?}");
    }
    let variables = [GOOD[0], GOOD[1], ("OTEL_EXPORTER_OTLP_ENDPOINT", "")];
    let (code, _, told) = run(&variables);
    assert_eq!(code, Some(0), "{told}");
}

#[test]
fn certificates_are_taken_whole_or_not_at_all() {
    let authority = Authority::new("one");
    let (good, other) = (authority.issue("wallet"), authority.issue("coupon"));
    let path = |file: Option<PathBuf>| file.unwrap().display().to_string();
    let (certificate, key) = (path(good.tls_cert_file), path(good.tls_key_file));
    let (ca, foreign_key) = (path(good.tls_ca_file), path(other.tls_key_file));
    let told_of = |certificate: &str, key: &str, ca: &str| {
        let files = [
            ("TLS_CERT_FILE", certificate),
            ("TLS_KEY_FILE", key),
            ("TLS_CA_FILE", ca),
        ];
        let given = files.into_iter().filter(|(_, path)| !path.is_empty());
        let variables: Vec<_> = GOOD.into_iter().chain(given).collect();
        let (code, _, told) = run(&variables);
        assert!(told.trim_end().lines().count() <= 1, "{told}");
        (code, told)
    };
    assert_eq!(told_of(&certificate, &key, &ca).0, Some(0));
    for (files, named) in [
        ((&*certificate, &*key, ""), "TLS_CA_FILE"),
        (("", &*key, &*ca), "TLS_CERT_FILE"),
        ((&*certificate, "/does/not/exist", &*ca), "/does/not/exist"),
        ((&*key, &*key, &*ca), "TLS_CERT_FILE"),
        ((&*certificate, &*ca, &*ca), "TLS_KEY_FILE"),
        ((&*certificate, &*foreign_key, &*ca), "TLS_KEY_FILE"),
        ((&*certificate, &*key, &*key), "TLS_CA_FILE"),
    ] {
        let (code, told) = told_of(files.0, files.1, files.2);
        assert_eq!(code, Some(2), "{files:?}: {told}");
        assert!(told.contains(named), "{files:?}: {told}");
    }
}

#[test]
fn a_secret_comes_from_its_file_without_the_line_break() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    std::fs::write(&path, "hunter2\n").unwrap();
    let value = SecretString::from("direct");
    assert_eq!(
        secret_from("X", Some(&value), Some(&path))
            .unwrap()
            .expose_secret(),
        "hunter2"
    );
    assert_eq!(
        secret_from("X", Some(&value), None)
            .unwrap()
            .expose_secret(),
        "direct"
    );
    assert!(secret_from("X", None, None).is_err());
}

/// A group of arguments with its defaults.
fn defaults<A: clap::Args>() -> A {
    let command = A::augment_args(clap::Command::new("test"));
    A::from_arg_matches(&command.get_matches_from(["test"])).unwrap()
}
