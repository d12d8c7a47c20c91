//! Opening an order: the checks in their order, the transaction password, then the row.

use adfolio_kit::db;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, IdempotencyKey, UserId};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::saga::{self, Lease, Rows as _};
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use secrecy::SecretString;

use super::counter;
use super::entity::{Counterpart, Exchange, State};
use super::repo;
use crate::acceptance::{self, Acceptance, Code};
use crate::acceptor::Kind;
use crate::app::App;
use crate::error::AcceptorError;
use crate::ids::ExchangeId;

/// An order that a user asks for.
#[derive(Debug)]
pub struct Command {
    /// Kind of acceptor chosen.
    pub kind: Kind,
    /// The code; none if the user typed what cannot be a code.
    pub code: Option<Code>,
    /// The wallet's side.
    pub amount: Money,
    /// MD5 of the transaction password.
    pub password: SecretString,
}

/// Opens an order. Repeats get the first answer.
pub async fn open(
    app: &App,
    once: Once<Exchange>,
    caller: &Caller,
    user: UserId,
    command: Command,
) -> Result<Answer<Exchange>, AcceptorError> {
    if let Some(known) = find_known(app, &once, user).await? {
        return outcome(app, caller, known.id, None).await;
    }
    let acceptance = acceptance::look_up(app, user, command.kind, command.code).await?;
    let exchange = new_exchange(app, user, &acceptance, command.amount, once.digest())?;
    if repo::find_open(&app.pool, user).await?.is_some() {
        return already_open(app, &once, caller, user).await;
    }
    // Before anything is written: a wrong password leaves no order.
    app.peers
        .verify_pay_password(caller, user, &command.password)
        .await
        .map_err(|error| with_field(error, "password"))?;
    let id = exchange.id;
    if begin(app, once.clone(), exchange.clone()).await? {
        outcome(app, caller, id, Some(exchange)).await
    } else {
        already_open(app, &once, caller, user).await
    }
}

async fn find_known(
    app: &App,
    once: &Once<Exchange>,
    user: UserId,
) -> Result<Option<Exchange>, AcceptorError> {
    let Some(key) = once.key() else {
        return Ok(None);
    };
    match Exchange::find_by_key(&app.pool, user, key).await? {
        Some(known) if known.request_digest != once.digest() => {
            Err(Refusal::new(Reason::IdempotencyKeyReused).into())
        }
        known => Ok(known),
    }
}

/// The user has an open order: of this very key, which another call has opened meanwhile, or any other.
async fn already_open(
    app: &App,
    once: &Once<Exchange>,
    caller: &Caller,
    user: UserId,
) -> Result<Answer<Exchange>, AcceptorError> {
    match find_known(app, once, user).await? {
        Some(known) => outcome(app, caller, known.id, None).await,
        None => Err(Refusal::new(Reason::ExchangeOpen).into()),
    }
}

/// The order behind a code, after every check that needs no other service. Nothing is written yet.
fn new_exchange(
    app: &App,
    user: UserId,
    acceptance: &Acceptance,
    amount: Money,
    digest: &[u8; 32],
) -> Result<Exchange, AcceptorError> {
    let (offer, acceptor) = (&acceptance.offer, &acceptance.acceptor);
    let terms = &offer.terms;
    let beyond = || Refusal::new(Reason::ExchangeLimit).field("amount");
    if !terms.covers(amount) || !app.rules.exchange_limit.covers(amount) {
        return Err(beyond().into());
    }
    let counter_amount =
        counter::counter_amount(amount, terms.rate, &terms.currency).ok_or_else(beyond)?;
    let now = app.clock.now();
    Ok(Exchange {
        id: ExchangeId(app.ids.next()),
        user,
        acceptor: Counterpart {
            id: acceptor.id,
            name: acceptor.name.clone(),
            kind: acceptor.kind,
        },
        offer_id: offer.id,
        direction: terms.direction,
        currency: terms.currency.clone(),
        rate: terms.rate,
        amount,
        counter_amount,
        state: State::Placing,
        reason: String::new(),
        created_at: now,
        expires_at: now
            .checked_add_signed(app.rules.order_ttl)
            .unwrap_or(DateTime::<Utc>::MAX_UTC),
        finished_at: None,
        request_digest: digest.to_vec(),
        answer: None,
        refusal: None,
        late: None,
        asked: None,
        ending_call: None,
        lease: Lease::first(app.ids.next()),
    })
}

/// Writes the order with the lease of the drive that follows at once. False if the key is taken or the user has an open
/// order: nothing is written then.
async fn begin(app: &App, once: Once<Exchange>, exchange: Exchange) -> Result<bool, AcceptorError> {
    let lease = app.rules.recovery_after;
    let begun = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            // A repeat waits here for the first one's commit, and a key of another call is refused. The answer is not
            // kept with the key but in the order's row.
            once.earlier_in_tx(tx).await?;
            let key = once.key().map(IdempotencyKey::as_str);
            if repo::insert_in_tx(tx, &exchange, key, lease).await? {
                return Ok(true);
            }
            match key {
                Some(key) if repo::has_key_in_tx(tx, exchange.user, key).await? => Ok(false),
                // Rolls the claimed key back: it stands for nothing.
                _ => Err(Refusal::new(Reason::ExchangeOpen).into()),
            }
        })
    })
    .await;
    match begun {
        Err(AcceptorError::Core(CoreError::Refused(refusal)))
            if refusal.reason == Reason::ExchangeOpen =>
        {
            Ok(false)
        }
        outcome => outcome,
    }
}

/// The answer to the call that opened an order, once wallet has decided.
async fn outcome(
    app: &App,
    caller: &Caller,
    id: ExchangeId,
    leased: Option<Exchange>,
) -> Result<Answer<Exchange>, AcceptorError> {
    let reached = Exchange::opening_outcome;
    let outcome = saga::follow(app, caller.deadline, id.0, leased, reached).await?;
    Ok(Answer::Kept(outcome?))
}

/// Names the input of a refusal.
fn with_field(error: CoreError, field: &str) -> CoreError {
    match error {
        CoreError::Refused(refusal) => Refusal {
            field: Some(field.to_owned()),
            ..refusal
        }
        .into(),
        other => other,
    }
}
