//! Consumers: events from a quorum queue, each handled in one transaction with its inbox row. Events
//! that arrive together share a transaction; if one of them fails, each is handled by itself.
//!
//! The outcomes of an event by itself:
//! - handled, now or before: acknowledged after the commit;
//! - irrelevant to the handler: acknowledged at once;
//! - the database or another service is unavailable ([`HandlerError::Unavailable`]): retried in
//!   place with backoff, for as long as it takes; an outage uses up no deliveries;
//! - the handler fails ([`HandlerError::Failed`]): a few attempts in place, then back to the queue,
//!   which counts deliveries and dead-letters at [`crate::broker::DELIVERY_LIMIT`];
//! - it can never succeed ([`HandlerError::Permanent`], or the message is no event): dead-lettered
//!   at once.
//!
//! Replicas share a queue. Within a replica, events of one subject are handled in order and
//! different subjects in parallel, so a bad event delays no other subject. Two replicas may handle
//! events of one subject at the same time, for example after a redelivery. So an effect must not
//! depend on the order of events; it depends on what the event says (its time, its state) and on
//! database rows under lock.

mod ephemeral;
mod lanes;
mod received;
mod retire;
mod supervise;
mod worker;

use std::sync::Arc;

use futures::future::BoxFuture;

pub use ephemeral::{EventSink, Interests, Subscription};

use crate::admin::Readiness;
use crate::broker::Broker;
use crate::db::{Pool, Tx};
use crate::error::CoreError;
use crate::latch::Latch;
use crate::outbox::{CloudEvent, DecodeError};
use crate::refusal::{Refusal, is_unavailable};
use crate::shutdown::Shutdown;

/// Why a handler failed.
#[derive(Debug, thiserror::Error)]
pub enum HandlerError {
    /// A dependency is unavailable.
    #[error("dependency unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The handler failed; a later attempt may succeed.
    #[error("handler failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// No attempt will ever succeed.
    #[error("event cannot be handled")]
    Permanent(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl HandlerError {
    /// The handler failed; a later attempt may succeed.
    pub fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Failed(error.into())
    }

    /// No attempt will ever succeed.
    pub fn permanent(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Permanent(error.into())
    }

    /// A dependency is unavailable.
    pub fn unavailable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(error.into())
    }
}

impl From<sqlx::Error> for HandlerError {
    fn from(error: sqlx::Error) -> Self {
        if is_unavailable(&error) {
            Self::unavailable(error)
        } else {
            Self::failed(error)
        }
    }
}

impl From<DecodeError> for HandlerError {
    fn from(error: DecodeError) -> Self {
        Self::permanent(error)
    }
}

impl From<tonic::Status> for HandlerError {
    fn from(status: tonic::Status) -> Self {
        match status.code() {
            tonic::Code::Unavailable | tonic::Code::DeadlineExceeded | tonic::Code::Cancelled => {
                Self::unavailable(status)
            }
            _ => Self::failed(status),
        }
    }
}

impl From<Refusal> for HandlerError {
    fn from(refusal: Refusal) -> Self {
        Self::failed(refusal)
    }
}

impl From<CoreError> for HandlerError {
    fn from(error: CoreError) -> Self {
        match error {
            CoreError::Database(error) => error.into(),
            CoreError::Peer { source, .. } => (*source).into(),
            CoreError::Refused(refusal) => refusal.into(),
            other => Self::failed(other),
        }
    }
}

/// Applies events. All writes go through `tx`, which commits together with the inbox row.
pub trait Handler: Send + Sync + 'static {
    /// Whether the event is relevant. An irrelevant one is acknowledged at once, without a
    /// transaction or inbox row. The result must depend on the event alone.
    fn concerns(&self, event: &CloudEvent) -> bool {
        let _ = event;
        true
    }

    /// Applies one event. The event is new: duplicates are filtered out before.
    fn handle(
        &self,
        tx: &mut Tx,
        event: &CloudEvent,
    ) -> impl Future<Output = Result<(), HandlerError>> + Send;
}

impl<F> Handler for F
where
    F: for<'a> Fn(&'a mut Tx, &'a CloudEvent) -> BoxFuture<'a, Result<(), HandlerError>>
        + Send
        + Sync
        + 'static,
{
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        self(tx, event).await
    }
}

/// A consumer of a service: a queue, its bindings, and its name in the inbox.
#[derive(Clone, Debug)]
pub struct Consumer {
    service: &'static str,
    name: &'static str,
    bindings: Vec<String>,
}

/// Every consumer of the system: service and name.
pub const CONSUMERS: [(&str, &str); 8] = [
    ("auth", "audit"),
    ("auth", "membership"),
    ("auth", "security"),
    ("coupon", "plans"),
    ("notification", "inbox"),
    ("plan", "delivery"),
    ("wallet", "disowned"),
    ("wallet", "passwords"),
];

impl Consumer {
    /// The consumer `name` of `service`.
    pub fn new(service: &'static str, name: &'static str) -> Self {
        Self {
            service,
            name,
            bindings: Vec::new(),
        }
    }

    /// Receives events whose type matches: `*` stands for one word between dots, `#` for any number
    /// of them.
    #[must_use]
    pub fn bind(mut self, pattern: impl Into<String>) -> Self {
        self.bindings.push(pattern.into());
        self
    }

    /// The consumer's name in the inbox.
    pub fn inbox_name(&self) -> String {
        format!("{}.{}", self.service, self.name)
    }

    /// Consumes until the shutdown, through any number of broker failures. Starts once the schema
    /// is current. Ready once the queue is declared, or after a limited wait for the broker. The
    /// check is registered before this returns.
    pub fn run<H: Handler>(
        self,
        pool: Pool,
        broker: Broker,
        migrated: Latch,
        readiness: &Readiness,
        shutdown: Shutdown,
        handler: H,
    ) -> impl Future<Output = ()> + Send + use<H> {
        let declared = readiness.register_flag(self.name);
        let worker = Arc::new(worker::Worker {
            measured: worker::Measured::new(&self.inbox_name()),
            consumer: self,
            pool,
            broker,
            handler,
        });
        supervise::run(worker, migrated, declared, shutdown)
    }
}
