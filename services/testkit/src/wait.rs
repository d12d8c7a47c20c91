//! Bounded waits instead of sleeps.

use std::time::Duration;

use adfolio_kit::refusal::{Reason, Refusal};
use tokio::time::Instant;

/// Limit of every wait of a test, even on a machine that is busy with other tests.
pub const WAIT_LIMIT: Duration = Duration::from_secs(30);

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Awaits `future`, and fails the test with `what` if it does not finish within [`WAIT_LIMIT`]: a
/// guard against hanging, not a measurement.
#[track_caller]
pub fn within_limit<F: Future>(what: &str, future: F) -> impl Future<Output = F::Output> {
    let location = std::panic::Location::caller();
    async move {
        tokio::time::timeout(WAIT_LIMIT, future)
            .await
            .unwrap_or_else(|_| panic!("did not end within {WAIT_LIMIT:?}: {what} (at {location})"))
    }
}

/// The result of a condition: a `bool`, or an `Option` whose content is wanted.
pub trait Settled {
    /// The value once it holds.
    type Value;

    /// The value, once it holds.
    fn settled(self) -> Option<Self::Value>;
}

impl Settled for bool {
    type Value = ();

    fn settled(self) -> Option<()> {
        self.then_some(())
    }
}

impl<T> Settled for Option<T> {
    type Value = T;

    fn settled(self) -> Self {
        self
    }
}

/// Waits until `condition` holds; fails the test with `what` if it does not within [`WAIT_LIMIT`].
#[track_caller]
pub fn eventually<F, Fut>(
    what: &str,
    mut condition: F,
) -> impl Future<Output = <Fut::Output as Settled>::Value>
where
    F: FnMut() -> Fut,
    Fut: Future,
    Fut::Output: Settled,
{
    let location = std::panic::Location::caller();
    async move {
        let give_up = Instant::now() + WAIT_LIMIT;
        let mut pause = FIRST_PAUSE;
        loop {
            let checked = tokio::time::timeout_at(give_up, condition()).await;
            match checked.map(Settled::settled) {
                Ok(Some(value)) => return value,
                Ok(None) if Instant::now() < give_up => {
                    tokio::time::sleep(pause).await;
                    pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                }
                _ => panic!("did not happen within {WAIT_LIMIT:?}: {what} (at {location})"),
            }
        }
    }
}

/// The outcome of a call that is repeated while the service answers `UNAVAILABLE`, as clients do: on
/// a busy machine the last of a crowd waits for its row for longer than production allows. Fails the
/// test if there is no other answer within [`WAIT_LIMIT`].
#[track_caller]
pub fn answered<F, Fut, T>(mut call: F) -> impl Future<Output = Result<T, Refusal>>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, Refusal>>,
{
    eventually("the service answers", move || {
        let outcome = call();
        async move {
            Some(outcome.await).filter(
                |outcome| !matches!(outcome, Err(refusal) if refusal.reason == Reason::Unavailable),
            )
        }
    })
}
