//! Whether a call changes anything, and whether it has done so.
//!
//! A call that failed because its database has moved may be made again if it has changed nothing
//! so far, or if its key makes it idempotent (see `server::layer`). A call that changes something
//! must decide by what the primary says: without one it reads nowhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opentelemetry::Context;

/// One attempt at a call. It travels in the context of the call's work.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    has_written: Arc<AtomicBool>,
    only_reads: bool,
}

impl Attempt {
    /// An attempt at a method.
    pub(crate) fn at(method: &str) -> Self {
        Self {
            has_written: Arc::default(),
            only_reads: only_reads(method),
        }
    }

    /// The context of an attempt.
    pub(crate) fn within(&self, context: &Context) -> Context {
        context.with_value(self.clone())
    }

    /// The present attempt is about to change something. From now on it may have done so.
    pub(crate) fn writes() {
        Context::map_current(|context| {
            if let Some(attempt) = context.get::<Self>() {
                attempt.has_written.store(true, Ordering::Release);
            }
        });
    }

    /// Whether the present work is a call that changes something. Jobs are none.
    pub(crate) fn is_of_change() -> bool {
        Context::map_current(|context| {
            context
                .get::<Self>()
                .is_some_and(|attempt| !attempt.only_reads)
        })
    }

    /// Whether it may have changed something.
    pub(crate) fn may_have_written(&self) -> bool {
        self.has_written.load(Ordering::Acquire)
    }
}

/// Whether a method changes nothing, by its name. `VerifyPayPassword` does: it counts attempts.
pub(crate) fn only_reads(path: &str) -> bool {
    const VERBS: [&str; 7] = [
        "Get",
        "List",
        "Count",
        "Name",
        "LookUp",
        "VerifySession",
        "VerifyStaffSession",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_prefix("Admin").unwrap_or(name);
    VERBS.iter().any(|verb| name.starts_with(verb))
}

#[cfg(test)]
mod tests {
    use super::only_reads;

    #[test]
    fn a_method_says_by_its_name_whether_it_changes_anything() {
        for read in [
            "GetPlan",
            "AdminListPlans",
            "NamePlans",
            "VerifyStaffSession",
        ] {
            assert!(
                only_reads(&format!("/adfolio.plan.v1.Plans/{read}")),
                "{read}"
            );
        }
        for change in [
            "PutPlan",
            "AdminUnfreezeWallet",
            "VerifyPayPassword",
            "CheckPayPassword",
        ] {
            assert!(
                !only_reads(&format!("/adfolio.plan.v1.Plans/{change}")),
                "{change}"
            );
        }
    }
}
