//! What every service of Adfolio shares.
//!
//! | module | content |
//! |---|---|
//! | [`service`] | `main` and the frame of `run`: everything below, started and stopped in order |
//! | [`config`] | clap structs to flatten, secrets from files, one line and exit 2 if invalid |
//! | [`telemetry`], [`metrics`] | logs, OTLP traces, Prometheus metrics, trace propagation |
//! | [`admin`], [`healthcheck`] | `/healthz`, `/readyz`, `/metrics`; the health check command |
//! | [`shutdown`], [`latch`] | the shutdown, joined background tasks, conditions to wait for |
//! | [`server`] | the gRPC server: health, reflection, deadlines, limits, drain |
//! | [`tls`], [`policy`] | mutual TLS between the services, and the authorization policy |
//! | [`identity`], [`ids!`] | the caller, in gRPC metadata; identifier types |
//! | [`identity_token`], [`jwt`] | auth's signature under the caller's identity |
//! | [`refusal`], [`error`] | the contract's reasons, the error core, conversion to a `Status` |
//! | [`client`], [`call!`] | balanced gRPC channels, and the one way to call another service |
//! | [`users`] | which users exist |
//! | [`four_eyes`], [`second_pair`] | what takes two members of staff, and whether two accounts are two people |
//! | [`db`], [`group_commit`] | the primary and its connections, migrations, the one way to write; many callers in one transaction |
//! | [`outbox`], [`consumer`], [`inbox`] | events: written with a change, published, applied once |
//! | [`saga`] | work in several steps: lease, claim, postpone, follow, recover, forget |
//! | [`audit`], [`hash_chain`] | audit entries, published with the change; hash chains over what is kept |
//! | [`broker`], [`dead_letter`] | the topology at RabbitMQ, dead letters |
//! | [`idempotency`], [`once`] | idempotency keys, stored with the effect they protect |
//! | [`names!`], [`mirror`] | enums: one list for Rust, the database and the contract |
//! | [`column!`] | types that queries read from columns |
//! | [`wire`], [`pagination`] | ids, instants and pages as sent by callers; opaque cursors |
//! | [`password`] | argon2 with a bounded queue |
//! | [`mask`] | parts of what not everybody may see in full |
//! | [`time_zone`] | the caller's days |
//! | [`waiting`] | what waits for staff |
//! | [`chaos`] | injected crashes and defects, in test builds only |
//! | [`clock`], [`deadline`], [`backoff`], [`periodic`] | time, ids, delays, recurring jobs |

// The macros name this crate so, here as elsewhere.
extern crate self as adfolio_kit;

#[doc(hidden)]
pub use {sqlx, strum};

pub mod admin;
mod attempt;
pub mod audit;
pub mod backoff;
pub mod broker;
pub mod chaos;
pub mod client;
pub mod clock;
mod column;
pub mod config;
pub mod consumer;
pub mod db;
pub mod dead_letter;
pub mod deadline;
pub mod error;
pub mod four_eyes;
pub mod group_commit;
pub mod hash_chain;
pub mod healthcheck;
mod hosts;
pub mod idempotency;
pub mod identity;
pub mod identity_token;
mod ids;
pub mod inbox;
pub mod jwt;
pub mod latch;
pub mod mask;
pub mod metrics;
pub mod mirror;
mod names;
pub mod once;
pub mod outbox;
pub mod pagination;
pub mod password;
pub mod payment_reference;
pub mod periodic;
pub mod policy;
pub mod refusal;
pub mod saga;
pub mod second_pair;
pub mod server;
pub mod service;
pub mod shutdown;
pub mod signing_key;
pub mod spreadsheet;
pub mod telemetry;
pub mod time_zone;
mod timely;
pub mod tls;
pub mod users;
pub mod waiting;
pub mod wire;
