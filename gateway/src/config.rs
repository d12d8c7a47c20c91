//! The gateway's configuration.

use std::path::PathBuf;

use adfolio_kit::config::{BrokerArgs, ProcessArgs};
use adfolio_kit::service::ProcessConfig;
use clap::{Args, Parser};
use ipnet::IpNet;

use crate::security_txt;

/// The REST gateway of Adfolio. `adfolio-gateway openapi` prints the OpenAPI document and needs no configuration.
#[derive(Parser, Clone, Debug)]
#[command(name = "adfolio-gateway", version)]
pub struct GatewayConfig {
    /// Listening addresses and shutdown
    #[command(flatten)]
    pub process: ProcessArgs,
    /// The broker whose events end cached sessions
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// The services
    #[command(flatten)]
    pub services: ServiceUrls,
    /// The platform's currency, ISO 4217
    #[arg(long, env = "CURRENCY", default_value = "USD", value_parser = parse_currency)]
    pub currency: String,
    /// Whom to tell of a vulnerability, for /.well-known/security.txt: a mailto:, https:// or tel: URI; without one there
    /// is no such file
    #[arg(long, env = "SECURITY_CONTACT", value_parser = security_txt::parse_contact)]
    pub security_contact: Option<String>,
    /// Seconds for which a verified session and a user's profile are cached. A session that ended elsewhere is
    /// accepted no longer than this, and a profile that changed elsewhere is shown no longer, even while RabbitMQ is
    /// down
    #[arg(long, env = "SESSION_CACHE_SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=60))]
    pub session_cache_seconds: u64,
    /// Networks of trusted proxies, whose X-Forwarded-For is used
    #[arg(
        long,
        env = "TRUSTED_PROXIES",
        value_delimiter = ',',
        default_value = "127.0.0.0/8,::1/128"
    )]
    pub trusted_proxies: Vec<IpNet>,
    /// Requests per second for each client address, with a burst of twice as many; 0 for no limit
    #[arg(long, env = "FLOOD_LIMIT_PER_SECOND", default_value_t = 500)]
    pub flood_limit_per_second: u32,
    /// Requests per second for each token or network's key, with a burst of twice as many; 0 for no limit
    #[arg(long, env = "FLOOD_LIMIT_SESSION_PER_SECOND", default_value_t = 100)]
    pub flood_limit_session_per_second: u32,
    /// Maximum number of connections
    #[arg(long, env = "MAX_CONNECTIONS", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_connections: u32,
    /// Seconds that a client may take to send the headers of its next request; longer than a proxy keeps an idle
    /// connection
    #[arg(long, env = "HEADER_READ_TIMEOUT_SECONDS", default_value_t = 75, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub header_read_timeout_seconds: u64,
    /// Seconds after SIGTERM during which connections are still accepted, each for one request, so that load
    /// balancers notice that this gateway is not ready. Longer than a proxy keeps an idle connection. Shortened if
    /// DRAIN_LIMIT_SECONDS is less than about three times as long
    #[arg(long, env = "NOTICE_SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=300))]
    pub notice_seconds: u64,
    /// Folder for uploaded pictures; created if missing. Replicas must share it, or use UPLOAD_URL instead
    #[arg(long, env = "UPLOAD_DIR", default_value = "uploads")]
    pub upload_dir: PathBuf,
    /// Bucket for uploaded pictures instead of a folder, s3://bucket/prefix. The usual variables configure its client
    /// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT, AWS_ALLOW_HTTP, …)
    #[arg(long, env = "UPLOAD_URL")]
    pub upload_url: Option<String>,
    /// Base address of the Prometheus whose alerts the console shows, such as http://prometheus:9090; none if empty
    #[arg(long, env = "ALERTS_URL", default_value = "")]
    pub alerts_url: String,
    /// Maximum number of event streams
    #[arg(long, env = "MAX_STREAMS", default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_streams: u32,
    /// Maximum number of event streams of one user
    #[arg(long, env = "MAX_STREAMS_PER_USER", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub max_streams_per_user: u32,
    /// Seconds after which an event stream ends and its client opens another; less than the timeouts of proxies
    #[arg(long, env = "STREAM_MAX_AGE_SECONDS", default_value_t = 3_300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub stream_max_age_seconds: u64,
    /// Seconds for which the parts of basic_config and the list of products are cached. Changes by staff reach other
    /// replicas after this time at the latest
    #[arg(long, env = "BASIC_CONFIG_CACHE_SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=300))]
    pub basic_config_cache_seconds: u64,
}

/// Addresses of the services.
#[derive(Args, Clone, Debug)]
pub struct ServiceUrls {
    /// Address of auth
    #[arg(long, env = "AUTH_URL")]
    pub auth_url: String,
    /// Address of plan
    #[arg(long, env = "PLAN_URL")]
    pub plan_url: String,
    /// Address of wallet
    #[arg(long, env = "WALLET_URL")]
    pub wallet_url: String,
    /// Address of coupon
    #[arg(long, env = "COUPON_URL")]
    pub coupon_url: String,
    /// Address of notification
    #[arg(long, env = "NOTIFICATION_URL")]
    pub notification_url: String,
    /// Address of acceptor
    #[arg(long, env = "ACCEPTOR_URL")]
    pub acceptor_url: String,
}

impl ProcessConfig for GatewayConfig {
    fn process(&self) -> &ProcessArgs {
        &self.process
    }
}

fn parse_currency(text: &str) -> Result<String, String> {
    let valid = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    if valid {
        Ok(text.to_owned())
    } else {
        Err("three capital letters".to_owned())
    }
}
