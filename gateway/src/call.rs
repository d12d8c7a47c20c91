//! A client's call: who calls, in which language and time zone, and how it is passed on to the services.

use std::net::IpAddr;
use std::time::Duration;

use adfolio_kit::client;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Reason;
use chrono::Utc;

use crate::auth::{NetworkKey, Token};
use crate::errors::Failure;
use crate::gateway::Gateway;
use crate::lang::Lang;
use crate::services::Services;

/// Limit of a call that changes nothing.
const READ_LIMIT: Duration = Duration::from_secs(5);

/// Limit of a call that changes something.
const WRITE_LIMIT: Duration = Duration::from_secs(10);

/// A client's call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The gateway.
    pub gateway: Gateway,
    /// The identity sent to the services.
    pub caller: Caller,
    /// The caller's language.
    pub lang: Lang,
    /// The client's address.
    pub client_address: IpAddr,
    /// The client's `User-Agent`; empty without one.
    pub user_agent: String,
    /// The verified token, if the route requires one.
    pub token: Option<Token>,
    /// The network's key, if the route requires one. Plan checks it.
    pub network_key: Option<NetworkKey>,
    /// Whether the route honours idempotency keys and the client sent one. Clients may send a key to other routes
    /// too, where it protects nothing.
    pub is_repeatable: bool,
}

impl Call {
    /// The user. Routes for users always have one.
    pub fn user(&self) -> Result<UserId, Failure> {
        Ok(self.caller.require_user()?)
    }

    /// The token. Routes that require one always have it.
    pub fn token(&self) -> Result<&Token, Failure> {
        self.token
            .as_ref()
            .ok_or_else(|| Failure::new(Reason::NotAuthenticated))
    }

    /// The network's key. Routes for networks always have one.
    pub fn network_key(&self) -> Result<&NetworkKey, Failure> {
        self.network_key
            .as_ref()
            .ok_or_else(|| Failure::new(Reason::NotAuthenticated))
    }

    /// The same call in a fresh session, if it is one. A session that another gateway made fresh is known only by asking
    /// auth again.
    pub async fn refreshed(mut self) -> Result<Self, Failure> {
        if self.caller.require_fresh(Utc::now()).is_err() {
            let sessions = self.gateway.sessions();
            let session = sessions.user_now(self.token()?, &self.caller).await?;
            session.identify(&mut self.caller);
        }
        Ok(self)
    }

    /// The clients of the services.
    pub fn services(&self) -> &Services {
        self.gateway.services()
    }

    /// How a call that changes nothing is sent.
    pub fn reading(&self) -> client::Call<'_> {
        client::Call::repeated(&self.caller, READ_LIMIT).within(READ_LIMIT)
    }

    /// How a call that changes something is sent. It is repeated only if an idempotency key protects it.
    pub fn writing(&self) -> client::Call<'_> {
        if self.is_repeatable {
            client::Call::repeated(&self.caller, WRITE_LIMIT)
        } else {
            client::Call::once(&self.caller, WRITE_LIMIT)
        }
    }
}

/// `send!(call.reading(), wallet.get_property, message).await?`: calls a method of one of the [`Services`].
macro_rules! send {
    ($call:ident.$how:ident(), $client:ident.$method:ident, $message:expr) => {
        adfolio_kit::call!($call.services().$client, $method, $message, $call.$how())
    };
}

pub(crate) use send;
