//! The other services: wallet and auth.

use std::time::Duration;

use adfolio_kit::client::{
    Channel, ClientOptions, RetryPolicy, call_with_retry, connect_to, outgoing,
};
use adfolio_kit::config::ConfigError;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::tls::Tls;
use adfolio_proto::auth::v1::LookUpUsersRequest;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::wallet::v1::ledger_service_client::LedgerServiceClient;
use adfolio_proto::wallet::v1::{ExchangeStep, PostExchangeRequest, VerifyPayPasswordRequest};
use secrecy::{ExposeSecret, SecretString};
use tonic::Status;

use crate::config::Config;
use crate::error::AcceptorError;
use crate::exchange::{Exchange, Posting};

/// A look-up of a user in auth may take this long.
const LOOK_UP_LIMIT: Duration = Duration::from_secs(3);

/// A check of a transaction password may take this long: it is a slow hash on purpose.
const VERIFY_LIMIT: Duration = Duration::from_secs(5);

/// Clients of the other services. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peers {
    ledger: LedgerServiceClient<Channel>,
    users: UserDirectoryServiceClient<Channel>,
    step_limit: Duration,
}

impl Peers {
    /// Clients for the configured addresses. Nothing is connected yet.
    pub fn connect(
        config: &Config,
        step_limit: Duration,
        tls: Option<&Tls>,
    ) -> Result<Self, ConfigError> {
        let options = ClientOptions {
            call_limit: step_limit,
        };
        let open = |service, url: &str| connect_to(service, url, options, tls);
        Ok(Self {
            ledger: LedgerServiceClient::new(open("wallet", &config.wallet_url)?),
            users: UserDirectoryServiceClient::new(open("auth", &config.auth_url)?),
            step_limit,
        })
    }

    /// Refuses a user who does not exist.
    pub async fn check_user(&self, caller: &Caller, user: UserId) -> Result<(), AcceptorError> {
        let user_ids = vec![user.to_string()];
        let answer = call_with_retry(RetryPolicy::within(caller.deadline), || {
            let mut users = self.users.clone();
            let message = LookUpUsersRequest {
                user_ids: user_ids.clone(),
            };
            let request = outgoing(caller, message, LOOK_UP_LIMIT);
            async move { users.look_up_users(request).await }
        })
        .await
        .map_err(|status| failed("auth", status))?;
        if answer.into_inner().users.is_empty() {
            return Err(Refusal::not_found("user_id").into());
        }
        Ok(())
    }

    /// Checks a user's transaction password. One attempt: an answer that was lost may have counted.
    pub async fn verify_pay_password(
        &self,
        caller: &Caller,
        user: UserId,
        password: &SecretString,
    ) -> Result<(), AcceptorError> {
        let message = VerifyPayPasswordRequest {
            user_id: user.to_string(),
            password: password.expose_secret().to_owned(),
        };
        self.ledger
            .clone()
            .verify_pay_password(outgoing(caller, message, VERIFY_LIMIT))
            .await
            .map(|_| ())
            .map_err(|status| match Refusal::from_status(&status) {
                // More checks than wallet has time for: nobody has looked at this one, and the user may try again.
                Some(refusal) if refusal.reason == Reason::TooManyAttempts => refusal.into(),
                _ => failed("wallet", status),
            })
    }

    /// Posts a step of an order: one attempt, because the caller must know whether an earlier one is still on its way. The
    /// system calls on its own behalf: a saga must not end with the deadline of whoever began it.
    pub async fn post(&self, exchange: &Exchange, posting: Posting) -> Result<(), AcceptorError> {
        let caller = Caller {
            deadline: Deadline::after(self.step_limit),
            ..Caller::system()
        };
        let step = match posting {
            Posting::Debit => ExchangeStep::Debit,
            Posting::Return => ExchangeStep::Return,
            Posting::Credit => ExchangeStep::Credit,
        };
        let message = PostExchangeRequest {
            exchange_id: exchange.id.to_string(),
            user_id: exchange.user.to_string(),
            step: step.into(),
            amount_minor: exchange.amount.minor(),
        };
        self.ledger
            .clone()
            .post_exchange(outgoing(&caller, message, self.step_limit))
            .await
            .map(|_| ())
            .map_err(|status| failed("wallet", status))
    }
}

/// A peer's refusal is the business' word; everything else only says that it could not be asked now.
fn failed(peer: &'static str, status: Status) -> AcceptorError {
    let transient = [
        Reason::Internal,
        Reason::Unavailable,
        Reason::TooManyAttempts,
        Reason::NotAuthenticated,
        Reason::Forbidden,
    ];
    match Refusal::from_status(&status) {
        Some(refusal) if !transient.contains(&refusal.reason) => refusal.into(),
        _ => AcceptorError::Peer {
            peer,
            source: Box::new(status),
        },
    }
}
