//! The steps of an exchange order. Each may be repeated, because wallet knows the order. An order is only driven
//! forward: to wallet's answer while it is placed, to its end once that is decided.

use adfolio_kit::chaos::Defect;
use adfolio_kit::db;
use adfolio_kit::error::CoreError;
use adfolio_kit::idempotency;
use adfolio_kit::metrics::FAILING;
use adfolio_kit::refusal::{Reason, Refusal, chain};
use adfolio_kit::saga::{self, Attempt, Context, Saga};
use tracing::warn;
use uuid::Uuid;

use super::entity::{Ending, Exchange, Posting, Step};
use super::repo;
use crate::acceptor;
use crate::app::App;
use crate::error::AcceptorError;
use crate::events;

impl Saga for Exchange {
    type App = App;

    const NAME: &'static str = "exchange";

    const UNFINISHED: &'static [&'static str] = &[
        "placing",
        "undoing",
        "completing",
        "cancelling",
        "expiring",
        FAILING,
    ];

    fn context(app: &App) -> Context<'_> {
        app.saga_context(app.rules.recovery_after)
    }

    /// One step. Every step ends the lease.
    async fn drive(self, app: &App) -> Result<Self, AcceptorError> {
        match self.next_step() {
            Step::Open(None) => open(app, self).await,
            Step::Open(Some(posting)) => open_with(app, self, posting).await,
            Step::Undo => undo(app, self).await,
            Step::End(_, Some(Posting::LateDebit)) => complete_late(app, self).await,
            Step::End(ending, posting) => end(app, self, ending, posting).await,
            Step::Rest => Ok(self),
        }
    }

    fn report_postponed(id: Uuid, attempts: i32, error: &AcceptorError) {
        warn!(exchange = %id, attempts, error = chain(error), "exchange goes on later");
    }
}

/// Asks wallet for the money. A debit without an answer may reach wallet later than one that was refused. The refusal
/// stands then, and the order must be closed there.
async fn open_with(
    app: &App,
    exchange: Exchange,
    posting: Posting,
) -> Result<Exchange, AcceptorError> {
    let (limit, in_doubt) = (app.rules.step_limit(), exchange.lease.is_repeated());
    let post = || app.peers.post(&exchange, posting);
    match saga::attempt(limit, in_doubt, post).await? {
        Attempt::Done => open(app, exchange).await,
        Attempt::Refused { refusal, in_doubt } => refuse(app, exchange, &refusal, in_doubt).await,
    }
}

/// The order is open. State, event and answer commit together.
async fn open(app: &App, mut exchange: Exchange) -> Result<Exchange, AcceptorError> {
    exchange.open();
    exchange.answer = Some((app.answers.opened)(&exchange));
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
    app: &App,
    mut exchange: Exchange,
    refusal: &Refusal,
    in_doubt: bool,
) -> Result<Exchange, AcceptorError> {
    exchange.refuse(shown(refusal), in_doubt, app.clock.now());
    save(app, exchange).await
}

/// Wallet's refusal as callers know it: without the inner names of the call to wallet.
fn shown(refusal: &Refusal) -> Refusal {
    Refusal {
        field: blames_amount(refusal.reason).then(|| "amount".to_owned()),
        retry_after: refusal.retry_after,
        missing: refusal.missing,
        ..Refusal::new(refusal.reason)
    }
}

/// Asks wallet once more for the money that it gave back. Unlike any other decision this one does not stand if wallet
/// refuses: the order ends as it had.
async fn complete_late(app: &App, mut exchange: Exchange) -> Result<Exchange, AcceptorError> {
    let (limit, in_doubt) = (app.rules.step_limit(), exchange.lease.is_repeated());
    let post = || app.peers.post(&exchange, Posting::LateDebit);
    match saga::attempt(limit, in_doubt, post).await? {
        Attempt::Done => finish(app, exchange, Ending::Completed).await,
        Attempt::Refused { refusal, in_doubt } => {
            exchange.refuse_late(shown(&refusal), in_doubt, app.clock.now());
            save(app, exchange).await
        }
    }
}

/// Whether another amount would have been accepted. What keeps all money from leaving is no fault of the input.
fn blames_amount(reason: Reason) -> bool {
    !matches!(
        reason,
        Reason::StartUpFundsNotReturned | Reason::WithdrawalCoolingOff
    )
}

/// Takes back what a debit in doubt has taken. If no debit has arrived yet, wallet closes the order and refuses later
/// ones.
async fn undo(app: &App, mut exchange: Exchange) -> Result<Exchange, AcceptorError> {
    post(app, &exchange, Some(Posting::Return)).await?;
    exchange.undone(app.clock.now());
    save(app, exchange).await
}

/// Wallet posts what follows from the decision, then the order has ended. A decision is never undone: if wallet
/// refuses, it is asked again, and the log says so.
async fn end(
    app: &App,
    exchange: Exchange,
    ending: Ending,
    posting: Option<Posting>,
) -> Result<Exchange, AcceptorError> {
    if Defect::EndedBeforePosted.is_enabled() {
        let ended = finish(app, exchange, ending).await?;
        post(app, &ended, posting).await?;
        return Ok(ended);
    }
    post(app, &exchange, posting).await?;
    finish(app, exchange, ending).await
}

/// Posts what has to be posted. A refusal is no answer for a caller here, because the decision stands.
async fn post(
    app: &App,
    exchange: &Exchange,
    posting: Option<Posting>,
) -> Result<(), AcceptorError> {
    let Some(posting) = posting else {
        return Ok(());
    };
    match app.peers.post(exchange, posting).await {
        Err(CoreError::Refused(refusal)) => Err(AcceptorError::PostingRefused(refusal)),
        outcome => Ok(outcome?),
    }
}

async fn finish(
    app: &App,
    mut exchange: Exchange,
    ending: Ending,
) -> Result<Exchange, AcceptorError> {
    exchange.finish(ending, app.clock.now());
    if exchange.late.is_some() && ending != Ending::Completed {
        // It is what it was, which was announced then.
        return save(app, exchange).await;
    }
    let answers = app.answers;
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            // Locks are taken in the order key, order: a repeat holds its key while it waits for the order.
            if let Some(call) = &exchange.ending_call {
                let answer = (answers.ended)(&exchange);
                idempotency::store_in_tx(tx, call.scope, &call.key, &answer).await?;
            }
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

/// `track_caller`: each step is a point of its own at which a test can end the process.
#[track_caller]
fn save(
    app: &App,
    exchange: Exchange,
) -> impl Future<Output = Result<Exchange, AcceptorError>> + use<> {
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            repo::save_in_tx(tx, &exchange).await?;
            Ok(exchange)
        })
    })
}
