//! Opening an order: the checks in their order, the transaction password, then the row that everything else goes by.

use adfolio_kit::db;
use adfolio_kit::idempotency;
use adfolio_kit::identity::{Caller, IdempotencyKey, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use uuid::Uuid;

use super::Exchanges;
use super::counter;
use super::entity::{Counterpart, Exchange, State};
use super::repo;
use crate::acceptance::{Acceptance, Code};
use crate::acceptor::Kind;
use crate::error::AcceptorError;

/// An order as it is asked for.
#[derive(Debug)]
pub struct Command {
    /// Kind of acceptor chosen.
    pub kind: Kind,
    /// The code; none when no code looks like what was typed.
    pub code: Option<Code>,
    /// The wallet's side.
    pub amount: Money,
    /// MD5 of the transaction password.
    pub password: SecretString,
}

impl Exchanges {
    /// Opens an order and answers the encoded `CreateExchangeResponse`: the first answer, also to repeats.
    pub async fn create(
        &self,
        caller: &Caller,
        digest: [u8; 32],
        command: Command,
    ) -> Result<Vec<u8>, AcceptorError> {
        let user = caller.require_user()?;
        let key = caller.idempotency_key.as_ref().map(ToString::to_string);
        if let Some(known) = self.find_known(user, key.as_deref(), &digest).await? {
            return self.opened(caller, known.id, None).await;
        }
        let acceptance = self
            .acceptances
            .look_up(user, command.kind, command.code.clone())
            .await?;
        let exchange = self.new_exchange(user, &acceptance, command.amount, digest)?;
        if repo::find_open(&self.pool, user).await?.is_some() {
            return self
                .already_open(caller, user, key.as_deref(), &digest)
                .await;
        }
        // Before anything is written: a wrong password leaves no order.
        self.peers
            .verify_pay_password(caller, user, &command.password)
            .await
            .map_err(|error| with_field(error, "password"))?;
        let id = exchange.id;
        if self.begin(caller, exchange.clone(), digest).await? {
            self.opened(caller, id, Some(exchange)).await
        } else {
            self.already_open(caller, user, key.as_deref(), &digest)
                .await
        }
    }

    async fn find_known(
        &self,
        user: UserId,
        key: Option<&str>,
        digest: &[u8],
    ) -> Result<Option<Exchange>, AcceptorError> {
        let Some(key) = key else { return Ok(None) };
        match repo::find_by_key(&self.pool, user, key).await? {
            Some(known) if known.request_digest != digest => {
                Err(Refusal::new(Reason::IdempotencyKeyReused).into())
            }
            known => Ok(known),
        }
    }

    /// Another order of the user is open: the one of this very key, which another call has opened meanwhile, or any other.
    async fn already_open(
        &self,
        caller: &Caller,
        user: UserId,
        key: Option<&str>,
        digest: &[u8],
    ) -> Result<Vec<u8>, AcceptorError> {
        match self.find_known(user, key, digest).await? {
            Some(known) => self.opened(caller, known.id, None).await,
            None => Err(Refusal::new(Reason::ExchangeLimit).into()),
        }
    }

    /// The order behind a code, after every check that needs no other service. Nothing is written yet.
    fn new_exchange(
        &self,
        user: UserId,
        acceptance: &Acceptance,
        amount: Money,
        digest: [u8; 32],
    ) -> Result<Exchange, AcceptorError> {
        let (offer, acceptor) = (&acceptance.offer, &acceptance.acceptor);
        let beyond = || Refusal::new(Reason::ExchangeLimit).field("amount");
        if !offer.covers(amount) || !self.rules.exchange_limit.covers(amount) {
            return Err(beyond().into());
        }
        let counter_amount =
            counter::counter_amount(amount, offer.rate, &offer.currency).ok_or_else(beyond)?;
        let now = self.clock.now();
        Ok(Exchange {
            id: self.ids.next(),
            user,
            acceptor: Counterpart {
                id: acceptor.id,
                name: acceptor.name.clone(),
                kind: acceptor.kind,
            },
            offer_id: offer.id,
            direction: offer.direction,
            currency: offer.currency.clone(),
            rate: offer.rate,
            amount,
            counter_amount,
            state: State::Placing,
            reason: String::new(),
            created_at: now,
            expires_at: now
                .checked_add_signed(self.rules.order_ttl)
                .unwrap_or(DateTime::<Utc>::MAX_UTC),
            finished_at: None,
            request_digest: digest.to_vec(),
            answer: None,
            refusal: None,
            ending_call: None,
            attempts: 1,
            lease_token: self.ids.next(),
        })
    }

    /// Writes the order with the lease of the drive that follows at once. False when the key is taken or the user has an open
    /// order: nothing is written then.
    async fn begin(
        &self,
        caller: &Caller,
        exchange: Exchange,
        digest: [u8; 32],
    ) -> Result<bool, AcceptorError> {
        let (key, lease) = (caller.idempotency_key.clone(), self.rules.recovery_after);
        let begun = db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(key) = &key {
                    // A repeat waits here for the first one's commit; a key of another call is told from it.
                    let scope = exchange.user.0;
                    idempotency::claim_in_tx(tx, scope, key, "create_exchange", &digest).await?;
                }
                let key = key.as_ref().map(IdempotencyKey::as_str);
                if repo::insert_in_tx(tx, &exchange, key, lease).await? {
                    return Ok(true);
                }
                match key {
                    Some(key) if repo::has_key_in_tx(tx, exchange.user, key).await? => Ok(false),
                    // Rolls the claimed key back: it stands for nothing.
                    _ => Err(Refusal::new(Reason::ExchangeLimit).into()),
                }
            })
        })
        .await;
        match begun {
            Err(AcceptorError::Refused(refusal)) if refusal.reason == Reason::ExchangeLimit => {
                Ok(false)
            }
            outcome => outcome,
        }
    }

    /// What the call that opened an order is answered, once that is decided.
    async fn opened(
        &self,
        caller: &Caller,
        id: Uuid,
        leased: Option<Exchange>,
    ) -> Result<Vec<u8>, AcceptorError> {
        let is_decided = |exchange: &Exchange| exchange.opening_outcome().is_some();
        let exchange = self.reach(caller, id, leased, is_decided).await?;
        let outcome = exchange
            .opening_outcome()
            .ok_or(AcceptorError::Unfinished)?;
        Ok(outcome?)
    }
}

/// Names the offending input where the peer named none.
fn with_field(error: AcceptorError, field: &str) -> AcceptorError {
    match error {
        AcceptorError::Refused(refusal) => Refusal {
            field: Some(field.to_owned()),
            ..refusal
        }
        .into(),
        other => other,
    }
}
