//! A call of a client on its way to the services: who calls, in which language and time zone, until when.

use std::future::Future;
use std::net::IpAddr;
use std::time::Duration;

use adfolio_kit::chaos::Defect;
use adfolio_kit::client::{RetryPolicy, call_with_retry, outgoing};
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Reason;
use tonic::{Request, Response, Status};

use crate::auth::Token;
use crate::errors::Failure;
use crate::gateway::Gateway;
use crate::lang::Lang;

/// A call that only reads may take this long.
const READ_LIMIT: Duration = Duration::from_secs(5);

/// A call that changes something may take this long.
const WRITE_LIMIT: Duration = Duration::from_secs(10);

/// A client's call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The gateway.
    pub gateway: Gateway,
    /// The identity that goes to the services.
    pub caller: Caller,
    /// The caller's language.
    pub lang: Lang,
    /// Where the client is.
    pub client_address: IpAddr,
    /// What the client says it is; empty when it says nothing.
    pub user_agent: String,
    /// The token, where one was verified.
    pub token: Option<Token>,
    /// Whether the route is one where an idempotency key makes a repeated call one call.
    pub keyed: bool,
}

impl Call {
    /// The user; the route made sure that there is one.
    pub fn user(&self) -> Result<UserId, Failure> {
        Ok(self.caller.require_user()?)
    }

    /// The token; the route made sure that there is one.
    pub fn token(&self) -> Result<&Token, Failure> {
        self.token
            .as_ref()
            .ok_or_else(|| Failure::new(Reason::NotAuthenticated))
    }

    /// Asks a service for something; asks again when it cannot be reached.
    pub async fn read<M, T, F, Fut>(&self, message: M, send: F) -> Result<T, Failure>
    where
        M: Clone,
        F: Fn(Request<M>) -> Fut,
        Fut: Future<Output = Result<Response<T>, Status>>,
    {
        let policy = RetryPolicy::within(self.caller.deadline.capped(READ_LIMIT));
        let response = call_with_retry(policy, || {
            send(outgoing(&self.caller, message.clone(), READ_LIMIT))
        })
        .await?;
        Ok(response.into_inner())
    }

    /// Has a service change something; tries again only under an idempotency key, and only where keys are known: elsewhere
    /// clients may send one as well, and it protects nothing.
    pub async fn write<M, T, F, Fut>(&self, message: M, send: F) -> Result<T, Failure>
    where
        M: Clone,
        F: Fn(Request<M>) -> Fut,
        Fut: Future<Output = Result<Response<T>, Status>>,
    {
        let mut caller = self.caller.clone();
        if Defect::KeyDropped.is_enabled() {
            caller.idempotency_key = None;
        }
        let attempt = || send(outgoing(&caller, message.clone(), WRITE_LIMIT));
        let response = if self.keyed && self.caller.idempotency_key.is_some() {
            call_with_retry(RetryPolicy::within(self.caller.deadline), attempt).await?
        } else {
            attempt().await?
        };
        Ok(response.into_inner())
    }
}

/// `read!(call, wallet.get_property, message)`: a call that changes nothing.
macro_rules! read {
    ($call:expr, $client:ident . $method:ident, $message:expr) => {
        $call
            .read($message, |request| {
                let mut client = $call.gateway.services().$client.clone();
                async move { client.$method(request).await }
            })
            .await
    };
}

/// `write_call!(call, plan.put_plan, message)`: a call that changes something.
macro_rules! write_call {
    ($call:expr, $client:ident . $method:ident, $message:expr) => {
        $call
            .write($message, |request| {
                let mut client = $call.gateway.services().$client.clone();
                async move { client.$method(request).await }
            })
            .await
    };
}

pub(crate) use {read, write_call};
