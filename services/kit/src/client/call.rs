//! One call to another service: on whose behalf, with which limits, and whether it is retried.

use std::future::Future;
use std::time::Duration;

use tonic::{Request, Response, Status};

use super::{RetryPolicy, call_with_retry, outgoing};
use crate::deadline::Deadline;
use crate::identity::Caller;

/// The options of a call; see [`call!`](crate::call).
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    caller: &'a Caller,
    attempt_limit: Duration,
    deadline: Deadline,
    is_repeated: bool,
}

impl<'a> Call<'a> {
    /// One attempt on behalf of `caller`, limited to `limit` and to the caller's own deadline. For
    /// calls that must not happen twice and carry no key.
    pub fn once(caller: &'a Caller, limit: Duration) -> Self {
        Self {
            caller,
            attempt_limit: limit,
            deadline: caller.deadline,
            is_repeated: false,
        }
    }

    /// Up to three attempts of `limit` each, while the service is unavailable and the caller's
    /// deadline allows. For calls that change nothing or are idempotent.
    pub fn repeated(caller: &'a Caller, limit: Duration) -> Self {
        Self {
            is_repeated: true,
            ..Self::once(caller, limit)
        }
    }

    /// Starts no attempt later than `limit` from now.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.deadline = self.deadline.capped(limit);
        self
    }

    /// Sends the message with the caller's identity, trace and deadline.
    pub async fn send<M, T, F, Fut>(self, message: M, send: F) -> Result<T, Status>
    where
        M: Clone,
        F: Fn(Request<M>) -> Fut,
        Fut: Future<Output = Result<Response<T>, Status>>,
    {
        let policy = if self.is_repeated {
            RetryPolicy::within(self.deadline)
        } else {
            RetryPolicy::once()
        };
        let attempt = || send(outgoing(self.caller, message.clone(), self.attempt_limit));
        let answer = call_with_retry(policy, attempt).await;
        answer.map(Response::into_inner)
    }
}

/// Calls a method of a generated client: `call!(self.ledger, hold, request, Call::once(&caller,
/// HOLD_LIMIT)).await?`.
#[macro_export]
macro_rules! call {
    ($client:expr, $method:ident, $message:expr, $call:expr) => {
        $crate::client::Call::send($call, $message, |request| {
            let mut client = ::std::clone::Clone::clone(&$client);
            async move { client.$method(request).await }
        })
    };
}
