//! Calls to wallet.

use std::time::Duration;

use adfolio_kit::client::{Call, Channel, ClientOptions, connect_to};
use adfolio_kit::config::ConfigError;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::tls::Tls;
use adfolio_kit::{call, mirror};
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::ledger_service_client::LedgerServiceClient;
use secrecy::{ExposeSecret, SecretString};
use tonic::Code;

use crate::exchange::entity::{Exchange, Posting};

/// A check of a transaction password may take this long: it is a slow hash on purpose.
const VERIFY_LIMIT: Duration = Duration::from_secs(5);

/// A look at one row.
const CHECK_LIMIT: Duration = Duration::from_secs(2);

mirror! {
    Posting = proto::ExchangeStep,
}

/// Clients of other services. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peers {
    ledger: LedgerServiceClient<Channel>,
    step_limit: Duration,
}

impl Peers {
    /// Clients for these addresses. Nothing is connected yet.
    pub fn connect(
        wallet_url: &str,
        step_limit: Duration,
        tls: Option<&Tls>,
    ) -> Result<Self, ConfigError> {
        let options = ClientOptions {
            call_limit: step_limit,
        };
        let channel = connect_to("wallet", wallet_url, options, tls)?;
        Ok(Self {
            ledger: LedgerServiceClient::new(channel),
            step_limit,
        })
    }

    /// Checks a user's transaction password. One attempt: an answer that was lost may have counted.
    pub async fn verify_pay_password(
        &self,
        caller: &Caller,
        user: UserId,
        password: &SecretString,
    ) -> Result<(), CoreError> {
        let request = proto::VerifyPayPasswordRequest {
            user_id: user.to_string(),
            password: password.expose_secret().to_owned(),
        };
        let caller = caller.without_identity();
        let call = Call::once(&caller, VERIFY_LIMIT);
        let verified = call!(self.ledger, verify_pay_password, request, call).await;
        verified
            .map(|_| ())
            .map_err(|status| match Refusal::from_status(&status) {
                // Wallet has more checks than time. It has not made this one, and the user may try again.
                Some(refusal) if refusal.reason == Reason::TooManyAttempts => refusal.into(),
                _ => CoreError::from_peer("wallet", status),
            })
    }

    /// Refuses WALLET_FROZEN where nothing may leave the user's wallet.
    pub async fn check_freeze(&self, caller: &Caller, user: UserId) -> Result<(), CoreError> {
        let request = proto::CheckFreezeRequest {
            user_id: user.to_string(),
        };
        let caller = caller.without_identity();
        let call = Call::repeated(&caller, CHECK_LIMIT);
        match call!(self.ledger, check_freeze, request, call).await {
            Ok(_) => Ok(()),
            // A wallet of the release before knows no freezes, nor its policy the method: so it answers while the replicas
            // are replaced. A freeze is a failed precondition.
            Err(status)
                if matches!(status.code(), Code::Unimplemented | Code::PermissionDenied) =>
            {
                Ok(())
            }
            Err(status) => Err(CoreError::from_peer("wallet", status)),
        }
    }

    /// Posts a step of an order. One attempt, because the caller must know whether an earlier one is still under way.
    /// The system calls on its own behalf: a saga must not end with the deadline of its first caller.
    pub async fn post(&self, exchange: &Exchange, posting: Posting) -> Result<(), CoreError> {
        let caller = Caller {
            deadline: Deadline::after(self.step_limit),
            ..Caller::system()
        };
        let request = proto::PostExchangeRequest {
            exchange_id: exchange.id.to_string(),
            user_id: exchange.user.to_string(),
            step: posting.to_wire(),
            amount_minor: exchange.amount.minor(),
            attempt_id: match (posting, exchange.late) {
                (Posting::LateDebit | Posting::LateReturn, Some(late)) => late.attempt.to_string(),
                _ => String::new(),
            },
        };
        let call = Call::once(&caller, self.step_limit);
        let posted = call!(self.ledger, post_exchange, request, call).await;
        posted
            .map(|_| ())
            .map_err(|status| CoreError::from_peer("wallet", status))
    }
}
