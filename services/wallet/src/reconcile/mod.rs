//! The proof that the books balance, by themselves and against the books of plan and coupon.
//!
//! In the background, one replica makes it per interval, and every replica records the last one in the metrics.

pub mod entity;
mod findings;
mod repo;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use adfolio_kit::db;
use adfolio_kit::db::Pool;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::chain;
use chrono::{DateTime, Utc};
use tracing::error;
use uuid::Uuid;

use crate::app::App;
use crate::checkpoint;
use crate::error::WalletError;
use crate::ids::OrderId;
use crate::peers::{Log, Peers};
use entity::{Check, CouponCost, DeliveryBook, Holds, Outcome, Proof, differing_orders};
use findings::{Findings, Sums, Wallet};
use repo::Stretch;

/// Wallets that are compared at once; few in debug builds, so that tests cross from page to page.
const WALLETS_PAGE: i64 = if cfg!(debug_assertions) { 7 } else { 500 };

/// Transactions that one statement reads, so that it stays far inside the statement limit; few in debug builds, too.
const TRANSACTIONS_PAGE: i64 = if cfg!(debug_assertions) { 11 } else { 50_000 };

/// Orders that are compared at once.
const HOLDS_PAGE: u32 = 2_000;

/// Plans whose reports are compared at once.
const BOOKS_PAGE: u32 = 500;

/// A difference between two services may be momentary: it counts once it was seen this often.
const LOOKS: u32 = 6;

const LOOK_PAUSE: Duration = Duration::from_millis(400);

/// Differing orders that are looked at again; more than these are not momentary.
const SECOND_LOOKS_MAX: usize = 200;

/// Makes and stores a proof, unless a replica has begun one within the interval. Records the last one in the metrics.
pub async fn reconcile_when_due(app: &App) -> Result<(), WalletError> {
    let interval = app.rules.reconcile_interval;
    let claimed = db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok::<_, WalletError>(repo::claim_proof_in_tx(tx, interval).await?) })
    });
    if claimed.await? {
        reconcile(app).await?;
    }
    if let Some(proof) = repo::last_proof(&app.pool).await? {
        record(&proof);
    }
    Ok(())
}

/// The last proof; none before the first.
pub async fn last_proof(app: &App) -> Result<Option<Proof>, WalletError> {
    Ok(repo::last_proof(&app.pool).await?)
}

/// When the books were last proved, and whether they were in balance; none before the first proof.
pub async fn last(app: &App) -> Result<Option<(DateTime<Utc>, bool)>, WalletError> {
    let proof = repo::last_proof(&app.pool).await?;
    Ok(proof.map(|proof| (proof.finished_at, proof.outcome.is_balanced())))
}

/// Makes every proof, and keeps what it found.
pub async fn reconcile(app: &App) -> Result<Vec<Check>, WalletError> {
    let (reads, peers) = (&app.reads, &app.peers);
    let findings = walk_books(reads).await?;
    let mut checks = findings.checks();
    let users = repo::users_off_their_holds(reads).await?;
    checks.push(Check::zero(
        "holds_equal_balances",
        users,
        format!("{users} users differ from their orders' holds"),
    ));
    let users = repo::users_off_their_withdrawals(reads).await?;
    checks.push(Check::zero(
        "withdrawals_equal_balances",
        users,
        format!("{users} users differ from their withdrawals that wait"),
    ));
    checks.push(published_heads(app).await?);
    for (name, log) in [
        ("audit_log_holds", Log::Audit),
        ("reports_hold", Log::Reports),
    ] {
        checks.push(settled(name, published_log(app, name, log).await)?);
    }
    checks.push(settled(
        "holds_equal_plan",
        compare_with_plan(reads, peers).await,
    )?);
    checks.push(settled(
        "postings_equal_reports",
        compare_with_reports(reads, peers).await,
    )?);
    checks.push(settled(
        "coupon_costs_equal_redeemed",
        compare_with_coupon(reads, peers).await,
    )?);
    let outcome = Outcome::of(&checks, &findings.platform);
    // Without a primary the services' standbys may differ, and no proof can be kept.
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok::<_, WalletError>(repo::keep_proof_in_tx(tx, &outcome).await?) })
    })
    .await?;
    for check in checks.iter().filter(|check| !check.ok) {
        error!(
            check = check.name,
            figure = check.figure,
            detail = check.detail,
            "books do not reconcile"
        );
    }
    Ok(checks)
}

/// The newest part of the log of checkpoints against the books.
async fn published_heads(app: &App) -> Result<Check, WalletError> {
    let found = checkpoint::compare_newest(app).await?;
    let differing = found
        .differing
        .len()
        .saturating_add(usize::from(found.fault.is_some()));
    let detail = format!(
        "{} of the newest {} published heads are not in the books{}",
        found.differing.len(),
        found.heads,
        found
            .fault
            .map(|fault| format!("; {fault}"))
            .unwrap_or_default()
    );
    let figure = i64::try_from(differing).unwrap_or(i64::MAX);
    Ok(Check::zero("published_heads_hold", figure, detail))
}

/// The newest published head of a log against the log, of which its service recomputes what lies before it.
async fn published_log(app: &App, check: &'static str, log: Log) -> Result<Check, WalletError> {
    let (check, log_name) = (
        |figure, detail| Ok(Check::zero(check, figure, detail)),
        log.name(),
    );
    let Some(published) = checkpoint::newest_log_head(app, log).await? else {
        return check(0, format!("nothing of the {log_name} was published yet"));
    };
    let seal = app.peers.log_seal(log, published.seq).await?;
    if let Some((seq, fault)) = seal.broken {
        return check(1, format!("number {seq} of the {log_name}: {fault}"));
    }
    let differs = seal.head != Some(published);
    let detail = format!(
        "the published hash of number {} of the {log_name} {}",
        published.seq,
        if differs { "differs" } else { "matches" }
    );
    check(i64::from(differs), detail)
}

/// A peer that cannot be asked fails its own check, not the others.
fn settled(name: &'static str, outcome: Result<Check, WalletError>) -> Result<Check, WalletError> {
    match outcome {
        Err(WalletError::Core(problem @ CoreError::Peer { .. })) => {
            Ok(Check::not_made(name, &chain(&problem)))
        }
        outcome => outcome,
    }
}

/// Walks over all of the books, user by user. A wallet is compared with what was posted up to the number that it had
/// when it was read, so postings may go on meanwhile.
async fn walk_books(pool: &Pool) -> Result<Findings, WalletError> {
    let mut findings = Findings::default();
    let mut after = UserId(Uuid::nil());
    loop {
        let wallets = repo::wallets(pool, after, WALLETS_PAGE).await?;
        let is_last = i64::try_from(wallets.len()).is_ok_and(|count| count < WALLETS_PAGE);
        // The last page also takes in whatever belongs to no wallet.
        let last_user = wallets
            .last()
            .filter(|_| !is_last)
            .map_or(UserId(Uuid::max()), |wallet| wallet.user_id);
        walk_wallets(pool, after, last_user, &wallets, &mut findings).await?;
        if is_last {
            return Ok(findings);
        }
        after = last_user;
    }
}

async fn walk_wallets(
    pool: &Pool,
    after: UserId,
    last_user: UserId,
    wallets: &[Wallet],
    findings: &mut Findings,
) -> Result<(), WalletError> {
    let mut sums: BTreeMap<UserId, Sums> = BTreeMap::new();
    let mut position = Some((after, i64::MAX));
    while let Some(after) = position {
        let stretch = Stretch {
            after,
            last_user,
            limit: TRANSACTIONS_PAGE,
        };
        let (parts, next) = repo::read_stretch(pool, wallets, stretch).await?;
        for part in &parts {
            findings.add(part, &mut sums);
        }
        position = next;
    }
    for wallet in wallets {
        findings.compare(
            wallet,
            &sums.get(&wallet.user_id).copied().unwrap_or_default(),
        );
    }
    Ok(())
}

async fn compare_with_plan(pool: &Pool, peers: &Peers) -> Result<Check, WalletError> {
    let mut differing = Vec::new();
    let mut orders: usize = 0;
    let mut after = Some(OrderId(Uuid::nil()));
    while let Some(position) = after {
        let page = plan_page(peers, position).await?;
        let ledger = ledger_holds(pool, position, page.last).await?;
        orders = orders.saturating_add(page.holds.len());
        differing.extend(
            differing_orders(&ledger, &page.holds)
                .into_iter()
                .filter(|id| !page.in_flight.contains(id)),
        );
        after = page.next;
    }
    let mut looks = 1;
    while looks < LOOKS && !differing.is_empty() && differing.len() <= SECOND_LOOKS_MAX {
        tokio::time::sleep(LOOK_PAUSE).await;
        differing = still_differing(pool, peers, differing).await?;
        looks = looks.saturating_add(1);
    }
    let count = i64::try_from(differing.len()).unwrap_or(i64::MAX);
    let first = differing
        .first()
        .map(|id| format!(", the first is {id}"))
        .unwrap_or_default();
    let detail = format!("{count} orders differ from plan's books of {orders} open orders{first}");
    Ok(Check::zero("holds_equal_plan", count, detail))
}

/// A page of plan's books.
struct PlanPage {
    holds: Holds,
    in_flight: BTreeSet<OrderId>,
    /// The last order that the page speaks of.
    last: OrderId,
    /// Where to go on, if anywhere.
    next: Option<OrderId>,
}

async fn plan_page(peers: &Peers, after: OrderId) -> Result<PlanPage, WalletError> {
    let books = peers.list_holds(after, HOLDS_PAGE).await?;
    let is_full = u32::try_from(books.len()).is_ok_and(|count| count >= HOLDS_PAGE);
    let mut page = PlanPage {
        holds: Holds::new(),
        in_flight: BTreeSet::new(),
        last: OrderId(Uuid::max()),
        next: None,
    };
    for book in books {
        page.holds.insert(book.order_id, book.open);
        if book.is_in_flight {
            page.in_flight.insert(book.order_id);
        }
    }
    if is_full && let Some((last, _)) = page.holds.last_key_value() {
        page.last = *last;
        page.next = Some(*last);
    }
    Ok(page)
}

/// The ledger's open holds of a range of orders, however many they are.
async fn ledger_holds(pool: &Pool, after: OrderId, last: OrderId) -> Result<Holds, WalletError> {
    let mut holds = Holds::new();
    let mut after = after;
    loop {
        let page = repo::open_holds(pool, after, last, i64::from(HOLDS_PAGE)).await?;
        let Some((end, _)) = page.last_key_value() else {
            return Ok(holds);
        };
        after = *end;
        holds.extend(page);
    }
}

/// Compares single orders again.
async fn still_differing(
    pool: &Pool,
    peers: &Peers,
    orders: Vec<OrderId>,
) -> Result<Vec<OrderId>, WalletError> {
    let mut differing = Vec::new();
    for id in orders {
        let before = just_before(id);
        let ledger = repo::open_holds(pool, before, id, 1).await?;
        let book = peers
            .list_holds(before, 1)
            .await?
            .into_iter()
            .find(|book| book.order_id == id);
        let (open, in_flight) = book.map_or((0, false), |book| (book.open, book.is_in_flight));
        if !in_flight && ledger.get(&id).copied().unwrap_or(0) != open {
            differing.push(id);
        }
    }
    Ok(differing)
}

/// Compares what was reported for each plan with what was posted for it.
async fn compare_with_reports(pool: &Pool, peers: &Peers) -> Result<Check, WalletError> {
    let mut differing = Vec::new();
    let mut orders: usize = 0;
    let mut after = OrderId(Uuid::nil());
    loop {
        let books = peers.list_delivery_books(after, BOOKS_PAGE).await?;
        let Some(last) = books.last() else { break };
        after = last.order_id;
        orders = orders.saturating_add(books.len());
        differing.extend(disagreeing(pool, &books).await?);
    }
    let mut looks = 1;
    while looks < LOOKS && !differing.is_empty() && differing.len() <= SECOND_LOOKS_MAX {
        tokio::time::sleep(LOOK_PAUSE).await;
        let mut again = Vec::new();
        for id in differing {
            let books = peers.list_delivery_books(just_before(id), 1).await?;
            let books: Vec<_> = books
                .into_iter()
                .filter(|book| book.order_id == id)
                .collect();
            again.extend(disagreeing(pool, &books).await?);
        }
        differing = again;
        looks = looks.saturating_add(1);
    }
    let count = i64::try_from(differing.len()).unwrap_or(i64::MAX);
    let first = differing
        .first()
        .map(|id| format!(", the first is {id}"))
        .unwrap_or_default();
    let detail = format!("{count} of {orders} orders differ from their reports{first}");
    Ok(Check::zero("postings_equal_reports", count, detail))
}

/// The orders of these books whose postings are not what was reported.
async fn disagreeing(pool: &Pool, books: &[DeliveryBook]) -> Result<Vec<OrderId>, WalletError> {
    let ids: Vec<Uuid> = books.iter().map(|book| book.order_id.0).collect();
    let posted = repo::delivered(pool, &ids).await?;
    let of = |book: &DeliveryBook| posted.get(&book.order_id).copied().unwrap_or_default();
    let disagreeing = books.iter().filter(|book| !book.agrees_with(of(book)));
    Ok(disagreeing.map(|book| book.order_id).collect())
}

/// The position that a page with this order begins after.
fn just_before(id: OrderId) -> OrderId {
    OrderId(Uuid::from_u128(id.0.as_u128().saturating_sub(1)))
}

async fn compare_with_coupon(pool: &Pool, peers: &Peers) -> Result<Check, WalletError> {
    let mut looks = 1;
    loop {
        let coupon = peers.redeemed_total().await?;
        let ledger: CouponCost = repo::coupon_cost(pool).await?;
        let distance = ledger.distance(coupon);
        if distance == 0 || looks >= LOOKS {
            let detail = format!(
                "coupon's books say {}, {} of it reserved; the ledger's say {}",
                coupon.redeemed, coupon.reserved, ledger.kept
            );
            return Ok(Check::zero("coupon_costs_equal_redeemed", distance, detail));
        }
        looks = looks.saturating_add(1);
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// Records what a proof found in the metrics.
#[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
fn record(proof: &Proof) {
    for (name, found) in &proof.outcome.checks {
        let ok = if found.ok { 1.0 } else { 0.0 };
        metrics::gauge!("wallet_reconcile_ok", "check" => name.clone()).set(ok);
        metrics::gauge!("wallet_reconcile_figure", "check" => name.clone())
            .set(found.figure as f64);
    }
    metrics::gauge!("wallet_reconcile_finished_timestamp_seconds")
        .set(proof.finished_at.timestamp() as f64);
    for (account, balance) in &proof.outcome.platform {
        metrics::gauge!("wallet_platform_balance_minor", "account" => account.clone())
            .set(*balance as f64);
    }
}
