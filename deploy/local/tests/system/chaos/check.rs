//! When it is quiet again: everything has ended, and all answers match the databases.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use adfolio_local::Service;
use adfolio_testkit::inboxes;
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    books::database,
    history::{Fate, Funds, History},
    notices,
};
use crate::{impressions::cents, setup::System};

/// Everything ends within this time after the last fault.
pub const QUIET_LIMIT: Duration = Duration::from_mins(1);

const LOOK_PAUSE: Duration = Duration::from_millis(500);

/// The number of unfinished items in each database.
const UNFINISHED: [(&str, &str); 9] = [
    ("auth", "SELECT count(*) FROM unsent_events"),
    ("wallet", "SELECT count(*) FROM unsent_events"),
    ("plan", "SELECT count(*) FROM unsent_events"),
    ("coupon", "SELECT count(*) FROM unsent_events"),
    ("notification", "SELECT count(*) FROM unsent_events"),
    ("acceptor", "SELECT count(*) FROM unsent_events"),
    (
        "plan",
        "SELECT count(*) FROM puts WHERE state IN ('driving', 'undoing') OR redeem_due",
    ),
    (
        "acceptor",
        "SELECT count(*) FROM exchanges
         WHERE state IN ('placing', 'undoing', 'completing', 'cancelling', 'expiring')",
    ),
    // A placed put redeems its coupon by an event.
    (
        "coupon",
        "SELECT count(*) FROM reservations WHERE state = 'reserved'",
    ),
];

/// Waits until nothing is unfinished, the books match plan's and coupon's, there are no dead
/// letters, each consumer has handled exactly its events, and users have their notices.
pub async fn wait_until_quiet(system: &System) {
    let began = Instant::now();
    loop {
        let left = unfinished(system).await;
        if left.is_empty() {
            println!("quiet after {:.1} s", began.elapsed().as_secs_f32());
            print_heard(system).await;
            return;
        }
        assert!(began.elapsed() < QUIET_LIMIT, "not quiet: {left:?}");
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// Whether replicas of the release before took part: `make upgrade-test` names their programs.
fn is_upgrade() -> bool {
    std::env::var_os("ADFOLIO_PREVIOUS_PROGRAMS").is_some()
}

/// What is wrong in the end.
async fn unfinished(system: &System) -> Vec<String> {
    let mut left = Vec::new();
    let base_url = system.stack.database_base_url();
    for (service, query) in UNFINISHED {
        let counted = async {
            let mut connection = PgConnection::connect(&database(&base_url, service)).await?;
            sqlx::query_scalar::<_, i64>(query)
                .fetch_one(&mut connection)
                .await
        };
        match counted.await {
            Ok(0) => {}
            Ok(count) => left.push(format!("{count} in {service}: {query}")),
            Err(error) => left.push(error.to_string()),
        }
    }
    if left.is_empty() {
        let reply = system.admin.get("/admin/wallet/reconcile").await;
        if reply.code != 200 || reply.data["ok"] != true {
            left.push(format!("reconcile: {reply:?}"));
        }
        left.extend(dead_letters(system).await);
        match notices::differences(&base_url).await {
            Ok(differences) => left.extend(differences),
            Err(error) => left.push(error.to_string()),
        }
        left.extend(inboxes_that_differ(&base_url).await);
    }
    left
}

/// The consumers whose inboxes do not match the published events, or why that is unknown.
async fn inboxes_that_differ(base_url: &str) -> Vec<String> {
    match inboxes::compare(|service| database(base_url, service), is_upgrade()).await {
        Ok(all) => all
            .into_iter()
            .filter(|heard| !heard.missing.is_empty() || !heard.strange.is_empty())
            .map(|heard| format!("{heard:?}"))
            .collect(),
        Err(error) => vec![error.to_string()],
    }
}

async fn print_heard(system: &System) {
    let base_url = system.stack.database_base_url();
    let all = inboxes::compare(|service| database(&base_url, service), is_upgrade()).await;
    let heard: Vec<String> = all
        .unwrap()
        .iter()
        .map(|heard| format!("{} {}", heard.consumer, heard.told))
        .collect();
    println!("told and heard, id by id: {}", heard.join(", "));
}

/// The consumers with dead letters, or why that is unknown.
async fn dead_letters(system: &System) -> Vec<String> {
    let mut command = system.stack.operator_command().unwrap();
    let output = command.args(["dead", "list"]).output().await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return vec![String::from_utf8_lossy(&output.stderr).into_owned()];
    }
    text.lines()
        .skip(1)
        .filter(|line| line.split_whitespace().last() != Some("0"))
        .map(str::to_owned)
        .collect()
}

/// Compares an advertiser's memory with the databases and with the API's answers.
pub async fn compare(system: &System, history: &History) {
    let user: Uuid = history.user_id.parse().unwrap();
    let mut funds = history.funds;
    compare_postings(system, user, history, &mut funds).await;
    compare_puts(system, user, history, &mut funds).await;
    compare_exchanges(system, user, history).await;
    compare_coupons(system, user, history).await;
    let property = history.client.get("/user/property").await.ok();
    let amount = |name: &str| i64::try_from(cents(property[name].as_str().unwrap())).expect("fits");
    let shown = Funds {
        available: amount("available_funds"),
        to_be_consumed: amount("to_be_consumed"),
        to_be_settled: amount("to_be_settled"),
        withdrawing: amount("withdrawing"),
    };
    assert_eq!(shown, funds, "money of {user} was made or lost");
}

/// Each successful keyed posting is in the ledger once with its changes; a refused one is not.
async fn compare_postings(system: &System, user: Uuid, history: &History, funds: &mut Funds) {
    let mut connection = connect(system, Service::Wallet).await;
    let rows: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT idempotency_key, available_change, withdrawing_change FROM transactions
         WHERE user_id = $1 AND type NOT IN ('exchange_debit', 'exchange_return', 'exchange_credit')
           AND idempotency_key IS NOT NULL",
    )
    .bind(user)
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let mut ledger: HashMap<String, (i64, i64)> = HashMap::new();
    for (key, available, withdrawing) in rows {
        let before = ledger.insert(key.clone(), (available, withdrawing));
        assert_eq!(before, None, "{key} was posted twice");
    }
    for (key, (fate, effect)) in &history.postings {
        let posted = ledger.remove(key);
        let expected = (effect.available, effect.withdrawing);
        match (fate, posted) {
            (Fate::Done(()), None) => panic!("{key} was answered and is lost"),
            (Fate::Refused, Some(_)) => panic!("{key} was refused and is posted"),
            (_, Some(changes)) => assert_eq!(changes, expected, "{key}"),
            (_, None) => {}
        }
        if *fate == Fate::Unknown && posted.is_some() {
            *funds += *effect;
        }
    }
    // The actor's initial deposit has no key of its client.
    ledger.retain(|key, _| !key.contains(":new:"));
    assert!(ledger.is_empty(), "nobody asked for {ledger:?}");
}

/// Each answered put is placed once, with that plan; a refused one is not placed; all have ended.
async fn compare_puts(system: &System, user: Uuid, history: &History, funds: &mut Funds) {
    let mut connection = connect(system, Service::Plan).await;
    let rows: Vec<(String, String, Uuid)> =
        sqlx::query_as("SELECT idempotency_key, state, order_id FROM puts WHERE user_id = $1")
            .bind(user)
            .fetch_all(&mut connection)
            .await
            .unwrap();
    let mut puts: HashMap<String, (String, Uuid)> = rows
        .into_iter()
        .map(|(key, state, order)| (key, (state, order)))
        .collect();
    for (key, (fate, paid)) in &history.puts {
        let known = puts.remove(key);
        let placed = known
            .as_ref()
            .filter(|(state, _)| state == "placed")
            .map(|(_, order)| order.to_string());
        match fate {
            Fate::Done(plan) => assert_eq!(placed.as_ref(), Some(plan), "{key}: {known:?}"),
            Fate::Refused => assert_eq!(placed, None, "{key} was refused and is placed"),
            Fate::Unknown if placed.is_some() => *funds += Funds::held(*paid, 0),
            Fate::Unknown => {}
        }
    }
    assert!(puts.is_empty(), "nobody asked for {puts:?}");
    let mut plans = HashSet::new();
    for (fate, _) in history.puts.values() {
        if let Fate::Done(plan) = fate {
            assert!(plans.insert(plan), "two keys were told the same plan");
        }
    }
}

/// Each answered exchange order has ended as recorded, and there are no others.
async fn compare_exchanges(system: &System, user: Uuid, history: &History) {
    let mut connection = connect(system, Service::Acceptor).await;
    let rows: Vec<(Uuid, String)> =
        sqlx::query_as("SELECT id, state FROM exchanges WHERE user_id = $1 AND state <> 'refused'")
            .bind(user)
            .fetch_all(&mut connection)
            .await
            .unwrap();
    let known: HashMap<String, &str> = rows
        .iter()
        .map(|(id, state)| (id.to_string(), state.as_str()))
        .collect();
    assert_eq!(known, history.exchanges);
}

/// The user has exactly the granted coupons.
async fn compare_coupons(system: &System, user: Uuid, history: &History) {
    let mut connection = connect(system, Service::Coupon).await;
    let ids: Vec<Uuid> = sqlx::query_scalar("SELECT id FROM coupons WHERE user_id = $1")
        .bind(user)
        .fetch_all(&mut connection)
        .await
        .unwrap();
    let known: HashSet<String> = ids.iter().map(Uuid::to_string).collect();
    assert_eq!(known, history.coupons, "coupons were made or lost");
}

async fn connect(system: &System, service: Service) -> PgConnection {
    let url = database(&system.stack.database_base_url(), service.name());
    PgConnection::connect(&url).await.unwrap()
}
