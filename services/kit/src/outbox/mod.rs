//! Events: written in the transaction of the change that they report, then published by a
//! [`Relay`].
//!
//! Services may also insert into the table `outbox` with their own SQL, in the statement of the
//! effect: `(event_id uuid, event_type text, subject text, sequence bigint|null, data json,
//! traceparent text|null)`. A writer holds the row lock of its subject meanwhile, so ids follow the
//! order of commits per subject.

mod event;
mod parts;
mod position;
mod relay;
mod repo;

pub use event::{CONTENT_TYPE, CloudEvent, DecodeError, EnvelopeParts, Event, EventError, encode};
pub use parts::keep_parts;
pub use relay::{Notifier, Relay, subject_key, subject_of};
pub use repo::{Columns, enqueue_in_tx};
