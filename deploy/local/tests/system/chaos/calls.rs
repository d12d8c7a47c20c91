//! Calls that are repeated until they are answered.

use std::time::Duration;

use serde_json::Value;

use crate::client::Reply;

/// Pause between two attempts of a call while something is down.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// A call without an answer after this many attempts (more than two minutes) will get none.
const ATTEMPTS_MAX: usize = 600;

/// Reasons of an outage.
const OUTAGES: [&str; 2] = ["UNAVAILABLE", "CHANGES_PAUSED"];

/// The outcome of a call.
pub enum Answer {
    Done(Value),
    Refused(String),
}

/// Repeats a call until it is answered; also returns the errors of the attempts that an outage
/// cost. Only an outage or an overload is a reason to retry.
pub async fn insist<F: Future<Output = Result<Reply, String>> + Send>(
    what: &str,
    call: impl Fn() -> F + Send,
) -> (Answer, Vec<String>) {
    let mut pause = tokio::time::interval(RETRY_PAUSE);
    let mut unavailable = Vec::new();
    let mut last = None;
    for _ in 0..ATTEMPTS_MAX {
        pause.tick().await;
        let outcome = call().await;
        match &outcome {
            Ok(reply) if reply.code == 200 => {
                return (Answer::Done(reply.data.clone()), unavailable);
            }
            Ok(reply) if reply.reason() == "TOO_MANY_ATTEMPTS" => {}
            Ok(reply) if reply.code == 400 => {
                return (Answer::Refused(reply.reason().to_owned()), unavailable);
            }
            Ok(reply) if !OUTAGES.contains(&reply.reason()) => panic!("{what}: {reply:?}"),
            // Or the connection broke: the outcome is unknown, and the key makes a retry safe.
            Ok(_) | Err(_) => unavailable.push(format!("{what}: {outcome:?}")),
        }
        last = Some(outcome);
    }
    panic!("{what} was not answered after {ATTEMPTS_MAX} attempts; last: {last:?}");
}
