//! Gauges that must be sampled: backlogs in the database, connections of the pool.

use std::time::Duration;

use crate::db::Pool;

/// Sampling interval.
pub(crate) const INTERVAL: Duration = Duration::from_secs(5);

/// Limit of a sample; the next one is taken as usual.
pub(crate) const LIMIT: Duration = Duration::from_secs(4);

/// Most rows that a sample counts, so that a large backlog costs no more than a small one.
pub const COUNTED_AT_MOST: i64 = 10_000;

/// From this many attempts on, an operation that keeps being retried counts as failing.
pub const FAILING_ATTEMPTS: i32 = 5;

/// The state that counts those, in addition to their own.
pub const FAILING: &str = "failing";

/// The backlog in one state of a process with several steps.
#[derive(Clone, Debug, PartialEq)]
pub struct InState {
    /// The state.
    pub state: String,
    /// The number of items, counted up to [`COUNTED_AT_MOST`].
    pub count: i64,
    /// The waiting time of the oldest item, in seconds.
    pub oldest_seconds: f64,
}

/// Records the backlog of `saga` in each of its `states`: zero for a state without items, or the
/// last value would stay. Every replica measures the same table, so do not add these gauges up over
/// replicas.
#[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
pub fn record_saga(saga: &'static str, states: &[&'static str], found: &[InState]) {
    for state in states {
        let here = found.iter().find(|in_state| in_state.state == *state);
        let (count, age) = here.map_or((0, 0.0), |here| (here.count, here.oldest_seconds));
        metrics::gauge!("saga_open", "saga" => saga, "state" => *state).set(count as f64);
        metrics::gauge!("saga_oldest_seconds", "saga" => saga, "state" => *state).set(age);
    }
}

/// Records the connections of the pool.
#[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
pub(crate) fn record_pool(pool: &Pool) {
    let (open, idle) = pool.counts();
    let busy = open.saturating_sub(idle);
    metrics::gauge!("db_pool_connections", "state" => "busy").set(busy as f64);
    metrics::gauge!("db_pool_connections", "state" => "idle").set(idle as f64);
    metrics::gauge!("db_pool_connections_max").set(pool.options().get_max_connections());
}
