//! The steps of an exchange order. Each may be repeated: wallet knows the order, and what is written here is guarded by the
//! lease. An order is only driven forward: to wallet's word when it is placed, to the end that was decided later.

use std::time::Duration;

use adfolio_kit::backoff::Backoff;
use adfolio_kit::chaos::Defect;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::idempotency;
use adfolio_kit::refusal::{Refusal, chain};
use prost::Message;
use tokio::time::Instant;
use tracing::warn;

use super::Exchanges;
use super::entity::{Ending, Exchange, Posting, Step};
use super::repo;
use crate::acceptor;
use crate::error::AcceptorError;
use crate::events;

/// Attempts to reach wallet within one drive.
const POST_ATTEMPTS: u32 = 3;

/// The longest wait between two drives of the same order.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Takes the next step of an order whose lease is held; gives the lease back when that fails.
pub(super) async fn drive_leased(
    app: &Exchanges,
    exchange: Exchange,
) -> Result<Exchange, AcceptorError> {
    let (id, token, attempts) = (exchange.id, exchange.lease_token, exchange.attempts);
    let outcome = drive(app, exchange).await;
    app.notifier.notify();
    let Err(error) = outcome else { return outcome };
    if !matches!(error, AcceptorError::LeaseLost) {
        let wait = wait_before(attempts, app.rules.recovery_after);
        let postponed = db::write(&app.pool, move |tx| {
            Box::pin(repo::postpone_in_tx(tx, id, token, wait))
        })
        .await;
        if let Err(postponing) = postponed {
            // The lease runs out by itself.
            warn!(exchange = %id, error = chain(&postponing), "lease cannot be given back");
        }
        warn!(exchange = %id, attempts, error = chain(&error), "exchange goes on later");
    }
    Err(error)
}

async fn drive(app: &Exchanges, exchange: Exchange) -> Result<Exchange, AcceptorError> {
    match exchange.next_step() {
        Step::Open(None) => open(app, exchange).await,
        Step::Open(Some(posting)) => open_with(app, exchange, posting).await,
        Step::Undo => undo(app, exchange).await,
        Step::End(ending, posting) => end(app, exchange, ending, posting).await,
        Step::Rest => Ok(exchange),
    }
}

/// Asks wallet for the money. An attempt whose answer did not come may arrive at wallet later than one that was refused: then
/// the refusal stands, and the order must be closed there.
async fn open_with(
    app: &Exchanges,
    exchange: Exchange,
    posting: Posting,
) -> Result<Exchange, AcceptorError> {
    let give_up = Instant::now() + app.rules.step_limit();
    let mut backoff = Backoff::new(Duration::from_millis(150), Duration::from_millis(500));
    let mut in_doubt = exchange.may_have_posted();
    let mut attempts_left = POST_ATTEMPTS;
    loop {
        attempts_left = attempts_left.saturating_sub(1);
        match app.peers.post(&exchange, posting).await {
            Ok(()) => return open(app, exchange).await,
            Err(AcceptorError::Refused(refusal)) => {
                return refuse(app, exchange, refusal, in_doubt).await;
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

/// The order is open. State, event and answer commit together.
async fn open(app: &Exchanges, mut exchange: Exchange) -> Result<Exchange, AcceptorError> {
    exchange.open();
    exchange.answer = Some((app.answers.created)(&exchange).encode_to_vec());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            repo::save_in_tx(tx, &exchange).await?;
            events::exchange_changed_in_tx(tx, &exchange).await?;
            Ok(exchange)
        })
    })
    .await
}

async fn refuse(
    app: &Exchanges,
    mut exchange: Exchange,
    refusal: Refusal,
    in_doubt: bool,
) -> Result<Exchange, AcceptorError> {
    // Inner names of the call to wallet mean nothing to whoever asked for the order.
    let refusal = Refusal::new(refusal.reason).field("amount");
    exchange.refuse(refusal, in_doubt, app.clock.now());
    save(app, exchange).await
}

/// Takes back what an attempt in doubt has debited. Where none has arrived yet, wallet closes the order instead, and one that
/// comes later is refused.
async fn undo(app: &Exchanges, mut exchange: Exchange) -> Result<Exchange, AcceptorError> {
    app.peers
        .post(&exchange, Posting::Return)
        .await
        .map_err(undecidable)?;
    exchange.undone(app.clock.now());
    save(app, exchange).await
}

/// Wallet posts what follows from the decision, then the order has ended. A decision is never undone: whatever wallet says
/// instead, it is asked again, and people see in the log that it was.
async fn end(
    app: &Exchanges,
    exchange: Exchange,
    ending: Ending,
    posting: Option<Posting>,
) -> Result<Exchange, AcceptorError> {
    if Defect::EndedBeforePosted.is_enabled() {
        let ended = finish(app, exchange, ending).await?;
        post_end(app, &ended, posting).await?;
        return Ok(ended);
    }
    post_end(app, &exchange, posting).await?;
    finish(app, exchange, ending).await
}

async fn post_end(
    app: &Exchanges,
    exchange: &Exchange,
    posting: Option<Posting>,
) -> Result<(), AcceptorError> {
    let Some(posting) = posting else {
        return Ok(());
    };
    app.peers.post(exchange, posting).await.map_err(undecidable)
}

async fn finish(
    app: &Exchanges,
    mut exchange: Exchange,
    ending: Ending,
) -> Result<Exchange, AcceptorError> {
    exchange.finish(ending, app.clock.now());
    let answers = app.answers;
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            // Locks are taken in the order key, order: a repeat holds its key while it waits for the order.
            answer_in_tx(tx, &exchange, (answers.ended)(&exchange)).await?;
            repo::save_in_tx(tx, &exchange).await?;
            if ending == Ending::Completed {
                acceptor::repo::count_completed_in_tx(tx, exchange.acceptor.id).await?;
            }
            events::exchange_changed_in_tx(tx, &exchange).await?;
            Ok(exchange)
        })
    })
    .await
}

/// Keeps the answer of the keyed call that decided the order.
async fn answer_in_tx(
    tx: &mut Tx,
    exchange: &Exchange,
    answer: Vec<u8>,
) -> Result<(), AcceptorError> {
    if let Some(call) = &exchange.ending_call {
        idempotency::store_in_tx(tx, call.scope, &call.key, &answer).await?;
    }
    Ok(())
}

/// A refusal after the decision is nothing that could be told to whoever decided.
fn undecidable(error: AcceptorError) -> AcceptorError {
    match error {
        AcceptorError::Refused(refusal) => AcceptorError::PostingRefused(refusal),
        other => other,
    }
}

/// `track_caller`: each step is a point of its own at which a test can end the process.
#[track_caller]
fn save(
    app: &Exchanges,
    exchange: Exchange,
) -> impl Future<Output = Result<Exchange, AcceptorError>> + use<> {
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            repo::save_in_tx(tx, &exchange).await?;
            Ok(exchange)
        })
    })
}

/// Doubles with every drive, from the recovery time up to [`LONGEST_WAIT`].
fn wait_before(attempts: i32, first: Duration) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1))
        .unwrap_or(0)
        .min(10);
    first
        .saturating_mul(2_u32.saturating_pow(doublings))
        .min(LONGEST_WAIT)
}
