//! Whether the duration of a failed login reveals that the account exists: `make bench`, or
//! `deploy/local/bench.sh -- logins`.
//!
//! Failed logins are sent to auth one after the other, in rounds with one of each kind in random
//! order, so that a slow moment of the machine affects all kinds alike. Each is the first under its
//! name, like a guesser's. The benchmark compares medians and the first deciles, which a busy
//! machine disturbs less, with a 95 % bootstrap interval of their ratio; and how often a login of
//! one kind takes longer than a known user's: 50 % is indistinguishable. Known users are measured
//! twice, to show the noise. `LOGIN_ROUNDS` (300) is the number of each kind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::arithmetic_side_effects,
    reason = "a benchmark may stop by panicking, prints what it found, and its ratios are no money"
)]

use std::net::Ipv6Addr;
use std::time::{Duration, Instant};

use adfolio_kit::client::{Channel, ClientOptions, connect, outgoing};
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_local::{Service, Stack};
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::auth::v1::{CreateLicenseKeysRequest, LoginRequest, RegisterRequest};
use rand::seq::SliceRandom as _;
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

const PASSWORD: &str = "correct horse battery";

const CALL_LIMIT: Duration = Duration::from_secs(10);

/// Warm-up rounds: connections, caches, the memory of a hash.
const WARM_UP: usize = 10;

/// Bootstrap samples.
const REDRAWN: usize = 2_000;

/// The kind of a login's user name.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Known,
    KnownAgain,
    Disabled,
    WithoutPassword,
    Unknown,
    Impossible,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Known,
        Self::KnownAgain,
        Self::Disabled,
        Self::WithoutPassword,
        Self::Unknown,
        Self::Impossible,
    ];

    fn what(self) -> &'static str {
        match self {
            Self::Known => "a known user",
            Self::KnownAgain => "another known user",
            Self::Disabled => "a disabled user",
            Self::WithoutPassword => "a host's user, without password",
            Self::Unknown => "an unknown name",
            Self::Impossible => "no possible name",
        }
    }

    fn name(self, number: usize) -> String {
        match self {
            Self::Known => format!("known-{number}"),
            Self::KnownAgain => format!("again-{number}"),
            Self::Disabled => format!("disabled-{number}"),
            Self::WithoutPassword => format!("host_-{number}"),
            Self::Unknown => format!("unknown-{number}"),
            Self::Impossible => format!("no such name! {number}"),
        }
    }

    /// The difference of such an account from a registered one; none if there is no account.
    fn account(self) -> Option<&'static str> {
        match self {
            Self::Known | Self::KnownAgain => Some("{}"),
            Self::Disabled => Some(r#"{"state": "disabled"}"#),
            Self::WithoutPassword => Some(r#"{"entry": "host", "password_hash": null}"#),
            Self::Unknown | Self::Impossible => None,
        }
    }
}

#[tokio::main]
async fn main() {
    if !is_wanted() {
        return;
    }
    let rounds = std::env::var("LOGIN_ROUNDS").map_or(300, |text| text.parse().unwrap());
    let stack = Stack::builder()
        .services([Service::Auth])
        .durable(true)
        .start()
        .await
        .expect("the stack starts");
    let channel = connect(&stack.grpc_url(Service::Auth), ClientOptions::default()).unwrap();
    create_accounts(&stack, &channel, WARM_UP + rounds).await;
    let mut auth = AuthServiceClient::new(channel);
    let mut times = Kind::ALL.map(|_| Vec::with_capacity(rounds));
    for round in 0..WARM_UP + rounds {
        let mut turns: Vec<usize> = (0..Kind::ALL.len()).collect();
        turns.shuffle(&mut rand::rng());
        for turn in turns {
            let time = fail(&mut auth, Kind::ALL[turn].name(round)).await;
            if round >= WARM_UP {
                times[turn].push(time);
            }
        }
    }
    print(&times);
    stack.stop().await;
}

/// Whether this benchmark is selected on the command line, or none is. Cargo's own arguments begin
/// with a dash.
fn is_wanted() -> bool {
    let mut named = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .peekable();
    named.peek().is_none() || named.any(|name| name == "logins")
}

/// Accounts copied from a registered one: registering each would cost a hash.
async fn create_accounts(stack: &Stack, channel: &Channel, count: usize) {
    let staff = Caller::staff(Uuid::now_v7(), StaffRole::Support)
        .with_key(Some("benchmark".parse().unwrap()));
    let keys = CreateLicenseKeysRequest {
        count: 1,
        activate: true,
        ..CreateLicenseKeysRequest::default()
    };
    let keys = AuthAdminServiceClient::new(channel.clone())
        .create_license_keys(outgoing(&staff, keys, CALL_LIMIT))
        .await
        .unwrap()
        .into_inner();
    let registration = RegisterRequest {
        username: "template".to_owned(),
        password: PASSWORD.to_owned(),
        confirm_password: PASSWORD.to_owned(),
        email: "template@example.com".to_owned(),
        phone: "+6591234567".to_owned(),
        license_key: keys.items[0].code.clone(),
        ..RegisterRequest::default()
    };
    AuthServiceClient::new(channel.clone())
        .register(outgoing(&Caller::system(), registration, CALL_LIMIT))
        .await
        .unwrap();
    let mut connection = PgConnection::connect(&stack.database_url(Service::Auth))
        .await
        .unwrap();
    for kind in Kind::ALL {
        let Some(account) = kind.account() else {
            continue;
        };
        let names: Vec<String> = (0..count).map(|number| kind.name(number)).collect();
        sqlx::query(
            "INSERT INTO users
             SELECT (jsonb_populate_record(template, $2::jsonb || jsonb_build_object(
                 'id', gen_random_uuid(), 'username', name, 'username_key', name, 'username_skeleton', name,
                 'external_id', CASE WHEN $2::jsonb ->> 'entry' = 'host' THEN name END))).*
             FROM users AS template, unnest($1::text[]) AS name WHERE template.username = 'template'",
        )
        .bind(&names)
        .bind(account)
        .execute(&mut connection)
        .await
        .unwrap();
    }
    sqlx::query("VACUUM ANALYZE users")
        .execute(&mut connection)
        .await
        .unwrap();
}

/// The milliseconds until a login is refused.
async fn fail(auth: &mut AuthServiceClient<Channel>, username: String) -> f64 {
    let message = LoginRequest {
        username,
        password: "not the password".to_owned(),
        // Each from a network of its own: one network is slowed after some failures.
        client_address: Ipv6Addr::from(rand::random::<u128>()).to_string(),
        user_agent: "benchmark".to_owned(),
        device_token: String::new(),
    };
    let request = outgoing(&Caller::system(), message, CALL_LIMIT);
    let begun = Instant::now();
    let refused = auth.login(request).await.unwrap_err();
    let time = begun.elapsed();
    assert!(refused.message().contains("BAD_CREDENTIALS"), "{refused:?}");
    time.as_secs_f64() * 1_000.0
}

fn print(times: &[Vec<f64>; Kind::ALL.len()]) {
    let known = &times[0];
    println!(
        "failed logins, {} of each kind, in random order",
        known.len()
    );
    for (kind, times) in Kind::ALL.into_iter().zip(times) {
        print!("{:<32}", kind.what());
        for (name, share) in [("tenth", 0.1), ("median", 0.5)] {
            let (low, high) = redrawn_ratios(times, known, share);
            print!(
                "{name} {:>7.3} ms   ratio {:.3} ({low:.3} to {high:.3})   ",
                quantile(times, share),
                quantile(times, share) / quantile(known, share),
            );
        }
        println!(
            "longer than a known user's in {:.1} % of pairs",
            longer(times, known) * 100.0
        );
    }
}

/// A quantile of the times.
fn quantile(times: &[f64], share: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a length is a place"
    )]
    let place = (sorted.len() as f64 * share) as usize;
    sorted[place.min(sorted.len() - 1)]
}

/// The 95 % interval of ratios of quantiles when whole rounds are resampled.
fn redrawn_ratios(times: &[f64], known: &[f64], share: f64) -> (f64, f64) {
    let mut ratios: Vec<f64> = (0..REDRAWN)
        .map(|_| {
            let drawn: Vec<usize> = (0..times.len())
                .map(|_| rand::random_range(0..times.len()))
                .collect();
            let of = |all: &[f64]| -> Vec<f64> { drawn.iter().map(|index| all[*index]).collect() };
            quantile(&of(times), share) / quantile(&of(known), share)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    (ratios[REDRAWN / 40], ratios[REDRAWN - 1 - REDRAWN / 40])
}

/// The share of all pairs in which the first takes longer; ties count half.
fn longer(times: &[f64], known: &[f64]) -> f64 {
    let pairs = times.iter().flat_map(|time| {
        known.iter().map(move |other| match time.total_cmp(other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
    });
    pairs.sum::<f64>() / (times.len() * known.len()) as f64
}
