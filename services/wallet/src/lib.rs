//! Wallet: the ledger of Adfolio.
//!
//! What holds at every moment:
//! - The entries of every transaction sum to zero; a wallet's balances are the sums of its entries and never negative.
//! - The books (`transactions`, `entries`) are only ever appended to, by one statement, `post_commands`.
//! - A transaction, its events and the withdrawal that it asks for or decides commit together. An order is held, released and
//!   settled at most once, a key posts at most once; a repeat is answered like the first call.
//! - What is being withdrawn is the sum of the withdrawals that wait; each is decided at most once.
//! - While a wallet cools off after a change of what protects it, no withdrawal is posted, wherever it would go.
//! - Above FOUR_EYES_ABOVE a posting of staff is made only with the approval of another member of staff, in the transaction
//!   of that decision, and under the key of the call that asked: once, whoever repeats what.
//! - An attempt at a transaction password is counted before it is evaluated. Account numbers are in the database only sealed.
//!   Key and pepper can be changed while it runs: each row says which it was made with.
//! - The transactions of a user are numbered without a hole, their times never run back, and each carries a hash that
//!   covers it and the one before (the form is in `chain/entity.rs`).
//! - No balance is kept in memory, and no posting waits for another user's: any number of replicas post side by side.
//!
//! The gRPC port belongs to the private network: identity in a call's metadata is believed.

pub mod config;

mod approval;
mod chain;
mod consumer;
mod destination;
mod error;
mod flow;
mod grpc;
mod pay_password;
mod peers;
mod posting;
mod property;
mod protection;
mod reconcile;
mod statement;
mod withdrawal;

use std::time::Duration;

use adfolio_kit::broker::Stream;
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::PgPool;
use adfolio_kit::latch::Latch;
use adfolio_kit::service::{Running, Service};
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::{limited, periodic};
use adfolio_proto::wallet::v1::ledger_service_server::LedgerServiceServer;
use adfolio_proto::wallet::v1::wallet_admin_service_server::WalletAdminServiceServer;
use adfolio_proto::wallet::v1::wallet_service_server::WalletServiceServer;
use tokio::net::TcpListener;

use crate::approval::Approvals;
use crate::approval::entity::Threshold;
use crate::config::WalletConfig;
use crate::consumer::OnPasswordChanged;
use crate::destination::{Destinations, Sealer};
use crate::grpc::Grpc;
use crate::pay_password::PayPasswords;
use crate::peers::Peers;
use crate::protection::CoolingOff;
use crate::withdrawal::Withdrawals;
use crate::withdrawal::entity::Terms;

/// The tables of wallet.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// Time for reading all of the books; in the background at least, where the interval between two proofs may be longer.
const PROOF_LIMIT: Duration = Duration::from_mins(10);

/// How often a replica looks whether a proof is due, and tells metrics of the last.
const PROOF_LOOK_INTERVAL: Duration = Duration::from_secs(30);

/// Time for ending what nobody decided about.
const SWEEP_LIMIT: Duration = Duration::from_mins(1);

/// Time for sealing anew what another key has sealed; what is left is done the next time.
const ROTATION_LIMIT: Duration = Duration::from_mins(10);

/// Time for a statement to go to its reader; the gateway's is the same.
const STATEMENT_LIMIT: Duration = Duration::from_mins(2);

/// The calls that read all of the books.
const LONG_CALLS: [&str; 2] = [
    "/adfolio.wallet.v1.WalletAdminService/Reconcile",
    "/adfolio.wallet.v1.WalletAdminService/VerifyChains",
];

/// Serves until the shutdown.
pub fn run(config: WalletConfig, listener: TcpListener, shutdown: Shutdown) -> Running {
    run_at(config, listener, shutdown, Clock::system())
}

/// Serves until the shutdown, by a clock of the caller's.
pub fn run_at(
    config: WalletConfig,
    listener: TcpListener,
    shutdown: Shutdown,
    clock: Clock,
) -> Running {
    Box::pin(serve(config, listener, shutdown, clock))
}

async fn serve(
    config: WalletConfig,
    listener: TcpListener,
    shutdown: Shutdown,
    clock: Clock,
) -> anyhow::Result<()> {
    let terms = Terms::configured(&config.withdrawals)?;
    let cooling_off = CoolingOff::of_hours(config.withdrawals.withdrawal_cooling_off_hours);
    let threshold = Threshold::configured(config.four_eyes)?;
    let peppers = config.secrets.peppers()?;
    let (card_key, previous_card_key) = config.secrets.card_keys()?;
    let sealer = Sealer::new(&card_key, previous_card_key.as_ref())?;
    // There from the start, so that the first lock is seen as a rise.
    metrics::counter!("wallet_pay_password_locks_total").increment(0);
    let service = Service::start("wallet", &config.server, shutdown).await?;
    let (pool, migrated) = service.database(&config.database, &MIGRATOR)?;
    let broker = service.broker(&config.broker)?;
    let stream = Stream {
        name: config.events_stream.clone(),
        pattern: "adfolio.wallet.v1.#",
    };
    let notifier = service.relay_with_stream(stream, &pool, &broker, &migrated);
    let peers = Peers::connect(&config.peers, service.tls.as_ref())?;
    reconcile_in_background(&service, &migrated, &config, &pool, &peers);
    let (queue, writer) = posting::queue(
        pool.clone(),
        clock.clone(),
        notifier.clone(),
        config.posting,
    );
    service.tasks.spawn("writer", writer.run());
    let passwords = PayPasswords::new(pool.clone(), clock.clone(), notifier.clone(), peppers)?;
    let approvals = Approvals::new(
        pool.clone(),
        peers.clone(),
        clock.clone(),
        notifier.clone(),
        threshold,
    );
    expire_in_background(&service, &migrated, &config, &approvals);
    let destinations = Destinations::new(
        pool.clone(),
        clock.clone(),
        notifier,
        sealer,
        passwords.clone(),
        cooling_off,
    );
    let withdrawals = Withdrawals::new(
        pool.clone(),
        queue.clone(),
        clock.clone(),
        (passwords.clone(), destinations.clone(), approvals.clone()),
        (terms, cooling_off),
    );
    measure(&service, &migrated, &withdrawals, &approvals);
    rotate_in_background(&service, &migrated, &config, &destinations, &passwords);
    let heard = OnPasswordChanged::new(clock.clone());
    service.consume(consumer::passwords(), &pool, &broker, &migrated, heard);
    let grpc = Grpc {
        pool,
        queue: queue.clone(),
        peers,
        passwords,
        destinations,
        withdrawals,
        approvals,
        clock,
        ids: Ids::random(),
    };
    let mut server = service
        .server(adfolio_proto::FILE_DESCRIPTOR_SET, &migrated)
        .add_service(limited!(WalletServiceServer::new(grpc.clone())))
        .add_service(limited!(LedgerServiceServer::new(grpc.clone())))
        .add_service(limited!(WalletAdminServiceServer::new(grpc)))
        .method_limit(
            "/adfolio.wallet.v1.WalletService/GetStatement",
            STATEMENT_LIMIT,
        );
    for call in LONG_CALLS {
        server = server.method_limit(call, PROOF_LIMIT);
    }
    let ending = service.shutdown.clone();
    let serving = async move {
        let outcome = server.serve(listener, &ending).await;
        // Only now: calls that were running when the end was asked for still post.
        queue.close();
        Ok(outcome?)
    };
    service.serve_with(serving).await
}

/// Tells metrics what waits for staff.
fn measure(service: &Service, migrated: &Latch, withdrawals: &Withdrawals, approvals: &Approvals) {
    let (withdrawals, approvals) = (withdrawals.clone(), approvals.clone());
    service.measure_after(migrated, "waiting", move || {
        let (withdrawals, approvals) = (withdrawals.clone(), approvals.clone());
        async move {
            withdrawals.record_waiting().await?;
            approvals.record_waiting().await
        }
    });
}

fn reconcile_in_background(
    service: &Service,
    migrated: &Latch,
    config: &WalletConfig,
    pool: &PgPool,
    peers: &Peers,
) {
    let (pool, peers) = (pool.clone(), peers.clone());
    let interval = config.reconcile_interval();
    let job = periodic::every(
        "reconcile",
        interval.min(PROOF_LOOK_INTERVAL),
        interval.max(PROOF_LIMIT),
        service.shutdown.clone(),
        move || {
            let (pool, peers) = (pool.clone(), peers.clone());
            async move { reconcile::reconcile_when_due(&pool, &peers, interval).await }
        },
    );
    service.tasks.spawn_after(migrated, "reconcile", job);
}

fn expire_in_background(
    service: &Service,
    migrated: &Latch,
    config: &WalletConfig,
    approvals: &Approvals,
) {
    let approvals = approvals.clone();
    let job = periodic::every(
        "approvals",
        config.four_eyes.sweep_interval(),
        SWEEP_LIMIT,
        service.shutdown.clone(),
        move || {
            let approvals = approvals.clone();
            async move { approvals.expire().await }
        },
    );
    service.tasks.spawn_after(migrated, "approvals", job);
}

/// Gets along with a change of key and pepper, and tells metrics how far it is.
fn rotate_in_background(
    service: &Service,
    migrated: &Latch,
    config: &WalletConfig,
    destinations: &Destinations,
    passwords: &PayPasswords,
) {
    let (destinations, passwords) = (destinations.clone(), passwords.clone());
    let job = periodic::every(
        "rotation",
        config.secrets.rotation_interval(),
        ROTATION_LIMIT,
        service.shutdown.clone(),
        move || {
            let (destinations, passwords) = (destinations.clone(), passwords.clone());
            async move {
                destinations.rotate().await?;
                passwords.record_rotation().await
            }
        },
    );
    service.tasks.spawn_after(migrated, "rotation", job);
}
