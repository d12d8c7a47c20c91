//! Whether a call has changed anything so far.
//!
//! A call that failed because its database has moved may be made again if it has changed nothing,
//! or if its key makes it idempotent (see `server::layer`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opentelemetry::Context;

/// One attempt at a call. It travels in the context of the call's work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attempt(Arc<AtomicBool>);

impl Attempt {
    /// The context of an attempt.
    pub(crate) fn within(&self, context: &Context) -> Context {
        context.with_value(self.clone())
    }

    /// The present attempt is about to change something. From now on it may have done so.
    pub(crate) fn writes() {
        Context::map_current(|context| {
            if let Some(Self(has_written)) = context.get::<Self>() {
                has_written.store(true, Ordering::Release);
            }
        });
    }

    /// Whether it may have changed something.
    pub(crate) fn may_have_written(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
