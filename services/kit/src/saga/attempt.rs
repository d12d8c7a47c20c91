//! A call whose outcome a saga must know exactly.

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::error::CoreError;
use crate::refusal::Refusal;

/// Attempts within one drive.
const ATTEMPTS: u32 = 3;

const FIRST_WAIT: Duration = Duration::from_millis(150);

const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Done, now or by an earlier attempt.
    Done,
    /// Refused for good.
    Refused {
        /// Why.
        refusal: Refusal,
        /// Whether an attempt without an answer may have had its effect, or may still have it.
        in_doubt: bool,
    },
}

/// Makes a call of one attempt up to three times, within `limit`, until the other service answers.
/// `in_doubt` if an earlier drive may have made it already.
pub async fn attempt<F, Fut>(
    limit: Duration,
    mut in_doubt: bool,
    call: F,
) -> Result<Attempt, CoreError>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<(), CoreError>>,
{
    let give_up = Instant::now() + limit;
    let mut backoff = Backoff::new(FIRST_WAIT, LONGEST_WAIT);
    let mut attempts_left = ATTEMPTS;
    loop {
        attempts_left = attempts_left.saturating_sub(1);
        match call().await {
            Ok(()) => return Ok(Attempt::Done),
            Err(CoreError::Refused(refusal)) => {
                return Ok(Attempt::Refused { refusal, in_doubt });
            }
            Err(error) => {
                in_doubt = true;
                let wait = backoff.next_wait();
                if attempts_left == 0 || Instant::now() + wait >= give_up {
                    return Err(error);
                }
                tokio::time::sleep(wait).await;
            }
        }
    }
}
