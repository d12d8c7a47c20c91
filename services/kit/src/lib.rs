//! What every service of Adfolio shares.
//!
//! | module | what it gives |
//! |---|---|
//! | [`service`] | `main` and the frame of `run`: everything below, put together and ended in order |
//! | [`config`] | clap structs to flatten, secrets from files, one line and exit 2 when wrong |
//! | [`telemetry`] | logs, OTLP traces, Prometheus metrics, trace context over HTTP, gRPC and AMQP |
//! | [`admin`] | `/healthz`, `/readyz`, `/metrics`, and the readiness checks behind them |
//! | [`healthcheck`] | a service's command that asks for its readiness, for supervisors of containers |
//! | [`shutdown`] | the request to end, and background tasks that are joined |
//! | [`server`] | the gRPC server: health, reflection, deadlines, limits, drain |
//! | [`tls`], [`policy`] | mutual TLS between the services, and who may call what |
//! | [`identity`] | who calls, in gRPC metadata |
//! | [`refusal`] | the reasons of the contract, and every error's way to a `Status` |
//! | [`client`] | balanced gRPC channels, deadlines that shrink and cover answers to their end, retries of keyed calls |
//! | [`db`] | the pool, migrations, and the one way to write |
//! | [`outbox`] | events written with the change, published afterwards |
//! | [`consumer`], [`inbox`] | events taken effect of once |
//! | [`audit`] | what staff did, announced with the change |
//! | [`broker`], [`dead_letter`] | the topology at RabbitMQ, dead letters |
//! | [`idempotency`], [`once`] | keys kept with the effect they protect |
//! | [`pagination`] | pages and opaque cursors |
//! | [`names!`] | closed sets of names, as databases keep them |
//! | [`wire`] | ids, instants and pages as callers send them |
//! | [`time_zone`] | the caller's days |
//! | [`chaos`] | crashes and defects on purpose, in the builds of tests only |
//! | [`clock`], [`deadline`], [`backoff`], [`periodic`] | time, ids and waiting |

pub mod admin;
pub mod audit;
pub mod backoff;
pub mod broker;
pub mod chaos;
pub mod client;
pub mod clock;
pub mod config;
pub mod consumer;
pub mod db;
pub mod dead_letter;
pub mod deadline;
pub mod healthcheck;
pub mod idempotency;
pub mod identity;
pub mod inbox;
pub mod metrics;
mod names;
pub mod once;
pub mod outbox;
pub mod pagination;
pub mod periodic;
pub mod policy;
pub mod refusal;
pub mod server;
pub mod service;
pub mod shutdown;
pub mod telemetry;
pub mod time_zone;
mod timely;
pub mod tls;
pub mod wire;
