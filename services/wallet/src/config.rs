//! Configuration of the wallet process.

use std::time::Duration;

use adfolio_kit::config::{BrokerArgs, DatabaseArgs, ServerArgs, TelemetryArgs};
use adfolio_kit::service::ProcessConfig;
use clap::{Args, Parser};

/// Where the ledger's events can be replayed from, unless configured otherwise.
pub const EVENTS_STREAM: &str = "wallet.events";

/// The ledger of Adfolio: wallets, holds, settlements, fund details.
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-wallet", version)]
pub struct WalletConfig {
    /// Where the process listens.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Its database.
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The message broker.
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// Logs and traces.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
    /// How postings are batched.
    #[command(flatten)]
    pub posting: PostingArgs,
    /// The services it asks.
    #[command(flatten)]
    pub peers: PeerArgs,
    /// RabbitMQ stream that keeps the ledger's events for other services to replay
    #[arg(long, env = "EVENTS_STREAM", default_value = EVENTS_STREAM)]
    pub events_stream: String,
    /// Seconds between two proofs of the books in the background
    #[arg(long, env = "RECONCILE_INTERVAL_SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub reconcile_interval_seconds: u64,
}

impl WalletConfig {
    /// Time between two proofs of the books.
    pub fn reconcile_interval(&self) -> Duration {
        Duration::from_secs(self.reconcile_interval_seconds)
    }
}

impl ProcessConfig for WalletConfig {
    fn server(&self) -> &ServerArgs {
        &self.server
    }

    fn telemetry(&self) -> &TelemetryArgs {
        &self.telemetry
    }
}

/// How postings are batched.
#[derive(Args, Clone, Copy, Debug)]
pub struct PostingArgs {
    /// Postings that one statement makes at most
    #[arg(long, env = "POSTING_BATCH_MAX", default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub posting_batch_max: u16,
    /// Postings that may wait for their statement; whoever comes on top is refused at once
    #[arg(long, env = "POSTING_QUEUE_MAX", default_value_t = 2048, value_parser = clap::value_parser!(u16).range(1..=32_768))]
    pub posting_queue_max: u16,
}

impl Default for PostingArgs {
    fn default() -> Self {
        Self {
            posting_batch_max: 128,
            posting_queue_max: 2048,
        }
    }
}

/// The services it asks.
#[derive(Args, Clone, Debug)]
pub struct PeerArgs {
    /// Address of auth, which knows who exists
    #[arg(long, env = "AUTH_URL")]
    pub auth_url: String,
    /// Address of plan, whose open orders reconciliation compares
    #[arg(long, env = "PLAN_URL")]
    pub plan_url: String,
    /// Address of coupon, whose redeemed coupons reconciliation compares
    #[arg(long, env = "COUPON_URL")]
    pub coupon_url: String,
}
