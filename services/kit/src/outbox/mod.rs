//! Events: written in the transaction of the change that they report, published by a [`Relay`] afterwards.
//!
//! Services may also insert into the table `outbox` with their own SQL, in the statement of the effect:
//! `(event_id uuid, event_type text, subject text, sequence bigint|null, data json, traceparent text|null)`.
//! Whoever writes for a subject holds that subject's row lock meanwhile, so ids follow the order of commits per subject.

mod event;
mod relay;
mod repo;
mod sent;

pub use event::{CONTENT_TYPE, CloudEvent, DecodeError, EnvelopeParts, Event, EventError, encode};
pub use relay::{Notifier, Relay, subject_key, subject_of};
pub use repo::enqueue_in_tx;
pub use sent::prune_sent;
