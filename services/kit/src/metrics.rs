//! Gauges that somebody has to look for: what waits in the database, how busy the pool is.

use std::time::Duration;

use sqlx::PgPool;

/// How often is looked.
pub(crate) const INTERVAL: Duration = Duration::from_secs(5);

/// A look that takes longer is given up; the next one comes as usual.
pub(crate) const LIMIT: Duration = Duration::from_secs(4);

/// Rows that a look counts at most, so that a large backlog does not cost more to look at than a small one.
pub const COUNTED_AT_MOST: i64 = 10_000;

/// From so many attempts on, something that is driven on again and again counts as failing.
pub const FAILING_ATTEMPTS: i32 = 5;

/// The state in which that is counted, beside the one it is in.
pub const FAILING: &str = "failing";

/// What waits in one state of something that takes several steps.
#[derive(Clone, Debug, PartialEq)]
pub struct InState {
    /// The state.
    pub state: String,
    /// How many, counted up to [`COUNTED_AT_MOST`].
    pub count: i64,
    /// For how long the oldest of those has waited, in seconds.
    pub oldest_seconds: f64,
}

/// Tells metrics what of `saga` waits in each of its `states`: nothing where nothing was found, or the last figure would stay.
/// Every replica measures the same table, so these figures are not to be added up over replicas.
#[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
pub fn record_saga(saga: &'static str, states: &[&'static str], found: &[InState]) {
    for state in states {
        let here = found.iter().find(|in_state| in_state.state == *state);
        let (count, age) = here.map_or((0, 0.0), |here| (here.count, here.oldest_seconds));
        metrics::gauge!("saga_open", "saga" => saga, "state" => *state).set(count as f64);
        metrics::gauge!("saga_oldest_seconds", "saga" => saga, "state" => *state).set(age);
    }
}

/// Tells metrics how many connections of the pool are in use.
#[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
pub(crate) fn record_pool(pool: &PgPool) {
    let open = usize::try_from(pool.size()).unwrap_or(usize::MAX);
    let idle = pool.num_idle().min(open);
    let busy = open.saturating_sub(idle);
    metrics::gauge!("db_pool_connections", "state" => "busy").set(busy as f64);
    metrics::gauge!("db_pool_connections", "state" => "idle").set(idle as f64);
    metrics::gauge!("db_pool_connections_max").set(pool.options().get_max_connections());
}
