//! Calls that are repeated until they are answered.

use std::time::Duration;

use serde_json::Value;

use crate::client::Reply;

/// Between two attempts of one call while something is down.
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// A call that has not been answered after so many attempts (two minutes and more) will not be.
const ATTEMPTS_MAX: usize = 600;

/// How a call ended.
pub enum Answer {
    Done(Value),
    Refused(String),
}

/// Repeats a call until it is answered; says too what the attempts came to that an outage cost. Only an outage, or too much at
/// once, is a reason to ask again.
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
            Ok(reply) if reply.reason() != "UNAVAILABLE" => panic!("{what}: {reply:?}"),
            // Or the connection broke: the outcome is unknown, the key makes asking again safe.
            Ok(_) | Err(_) => unavailable.push(format!("{what}: {outcome:?}")),
        }
        last = Some(outcome);
    }
    panic!("{what} was not answered after {ATTEMPTS_MAX} attempts; last: {last:?}");
}
