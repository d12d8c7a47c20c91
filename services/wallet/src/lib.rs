//! Wallet: the ledger of Adfolio.
//!
//! Invariants:
//! - The entries of every transaction sum to zero. A balance is the sum of its entries and never negative.
//! - The books (`transactions`) are append-only, written by one statement, `posting/write.sql`. Every rule of the ledger
//!   stands in `posting/entity.rs`, and nowhere in SQL.
//! - A transaction, its events and the withdrawal that it requests or decides commit together. An order is held,
//!   released and settled at most once, a key posts at most once; a repeat gets the answer of the first call.
//! - The balance "withdrawing" is the sum of the pending withdrawals; each is decided at most once.
//! - The balance "guarantee" is money that was available before; start-up funds never become it.
//! - Money leaves by one rule (`outflow/entity.rs`), by withdrawal and by exchange alike: not while start-up funds are
//!   outstanding, not during the cooling-off after a security change, and within the limits of 24 hours.
//! - A member of staff posts alone what stays within FOUR_EYES_ABOVE in 24 hours, summed by member and by user. What
//!   exceeds it needs the approval of another person. It is made in the transaction of that decision, under the key of
//!   the call that asked: once, however often either is repeated.
//! - An attempt at a transaction password is counted before it is evaluated. Account numbers are stored encrypted. Key
//!   and pepper can be rotated while the service runs: each row names its own.
//! - A user's transactions are numbered without gaps, their times never decrease, and each carries a hash that covers
//!   all of it and the previous one (`chain/entity.rs` has the form).
//! - The head of every chain that grew is published in the next checkpoint (`checkpoint/`), signed, and stays in its log.
//! - No balance is kept in memory, and no posting waits for another user's: any number of replicas post side by side.
//!
//! The gRPC port belongs to the private network: without `IDENTITY_PUBLIC_KEYS_FILE` wallet trusts the identity in a
//! call's metadata, with it only what auth signed.

mod app;
mod approval;
mod bank;
mod chain;
mod checkpoint;
mod config;
mod consumer;
mod destination;
mod error;
mod events;
mod flow;
mod freeze;
mod grpc;
mod ids;
mod outflow;
mod pay_password;
mod payment_batch;
mod peers;
mod pending;
mod platform;
mod posting;
mod property;
mod protection;
mod reconcile;
mod schema;
mod statement;
mod waiting;
mod withdrawal;

use std::time::Duration;

use adfolio_kit::broker::Stream;
use adfolio_kit::limited;
use adfolio_kit::service::{Backend, Running};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::wallet::v1::bank_admin_service_server::BankAdminServiceServer;
use adfolio_proto::wallet::v1::ledger_service_server::LedgerServiceServer;
use adfolio_proto::wallet::v1::wallet_admin_service_server::WalletAdminServiceServer;
use adfolio_proto::wallet::v1::wallet_service_server::WalletServiceServer;
use tokio::net::TcpListener;

pub use config::{Config, EVENTS_STREAM};
pub use schema::SCHEMA;

use crate::app::{App, Parts};
use crate::grpc::{InternalApi, StaffApi, UserApi};
use crate::posting::writer::Writer;

/// Time limit of a proof, which reads all of the books. In the background a longer interval takes its place.
const PROOF_LIMIT: Duration = Duration::from_mins(10);

/// How often a replica checks whether a proof is due, and records the last one in the metrics.
const PROOF_POLL_INTERVAL: Duration = Duration::from_secs(30);

/// How often a replica checks whether a checkpoint is due.
const CHECKPOINT_POLL_INTERVAL: Duration = Duration::from_secs(15);

/// Time limit of a run that publishes checkpoints; the next run does the rest.
const CHECKPOINT_LIMIT: Duration = Duration::from_mins(10);

/// Time limit of a sweep of undecided requests.
const SWEEP_LIMIT: Duration = Duration::from_mins(1);

/// Time limit of a run of a key rotation; the next run does the rest.
const ROTATION_LIMIT: Duration = Duration::from_mins(10);

/// Time limit of a statement's stream; the gateway has the same.
const STATEMENT_LIMIT: Duration = Duration::from_mins(2);

/// Calls with a time limit of their own: a statement streams a month, the others read all of the books.
const LONG_CALLS: [(&str, Duration); 4] = [
    (
        "/adfolio.wallet.v1.WalletService/GetStatement",
        STATEMENT_LIMIT,
    ),
    (
        "/adfolio.wallet.v1.WalletAdminService/GetUserStatement",
        STATEMENT_LIMIT,
    ),
    (
        "/adfolio.wallet.v1.WalletAdminService/Reconcile",
        PROOF_LIMIT,
    ),
    (
        "/adfolio.wallet.v1.WalletAdminService/VerifyChains",
        PROOF_LIMIT,
    ),
];

/// Runs the service on `listener` until the shutdown.
pub fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> Running {
    Box::pin(serve(config, listener, shutdown))
}

async fn serve(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    // Present from the start, so that the first lock shows as an increase.
    metrics::counter!("wallet_pay_password_locks_total").increment(0);
    let stream = Stream {
        name: config.events_stream.clone(),
        pattern: "adfolio.wallet.v1.#",
    };
    let backend = Backend::start("wallet", &config.args, &SCHEMA, Some(stream), shutdown).await?;
    let (parts, writer) = Parts::new(&config, &backend)?;
    let app = App::new(&backend, &config.clock, parts);
    backend.consume(
        consumer::passwords(),
        consumer::OnPasswordChanged(app.clone()),
    );
    backend.consume(
        consumer::disowned(),
        consumer::OnAccountDisowned(app.clone()),
    );
    start_jobs(&backend, &app, writer, &config);
    let mut server = backend
        .server()
        .add_service(limited!(WalletServiceServer::new(UserApi(app.clone()))))
        .add_service(limited!(LedgerServiceServer::new(InternalApi(app.clone()))))
        .add_service(limited!(WalletAdminServiceServer::new(StaffApi(
            app.clone()
        ))))
        .add_service(limited!(BankAdminServiceServer::new(StaffApi(app.clone()))));
    for (call, limit) in LONG_CALLS {
        server = server.method_limit(call, limit);
    }
    let ending = backend.service.shutdown.clone();
    let serving = async move {
        let outcome = server.serve(listener, &ending).await;
        // Not earlier: calls that were running at the shutdown still post.
        app.queue.close();
        Ok(outcome?)
    };
    backend.service.serve_with(serving).await
}

/// Every background job.
fn start_jobs(backend: &Backend, app: &App, writer: Writer, config: &Config) {
    backend.service.tasks.spawn("writer", writer.run());
    let interval = config.reconcile_interval();
    backend.every(
        "reconcile",
        interval.min(PROOF_POLL_INTERVAL),
        interval.max(PROOF_LIMIT),
        app,
        |app| async move { reconcile::reconcile_when_due(&app).await },
    );
    let interval = config.checkpoints.interval();
    backend.every(
        "checkpoints",
        interval.min(CHECKPOINT_POLL_INTERVAL),
        CHECKPOINT_LIMIT,
        app,
        |app| async move { checkpoint::publish_when_due(&app).await },
    );
    backend.every(
        "approvals",
        config.approvals.sweep_interval(),
        SWEEP_LIMIT,
        app,
        |app| async move { approval::expire(&app).await },
    );
    backend.every(
        "rotation",
        config.secrets.rotation_interval(),
        ROTATION_LIMIT,
        app,
        |app| async move {
            destination::rotate(&app).await?;
            pay_password::record_rotation(&app).await
        },
    );
    backend.measure("waiting", app, |app| async move {
        withdrawal::record_waiting(&app).await?;
        approval::record_waiting(&app).await
    });
}
