//! Withdrawals: asked for by users, decided by staff, or cancelled by their users before.
//!
//! A request is checked in the order of the contract, the transaction password included. The posting, which also writes
//! the withdrawal, checks balance and [`outflow`](crate::outflow) once more, and so notices a destination that was
//! replaced after it was read here. It guards decisions, too.

pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::metrics::{InState, record_saga};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use serde_json::json;

use crate::app::App;
use crate::destination::entity::{Destination, Method};
use crate::error::WalletError;
use crate::ids::{PaymentBatchId, WithdrawalId};
use crate::pay_password::entity::PinDigest;
use crate::posting::command::Command;
use crate::posting::movement::{Movement, MovementKind, NewWithdrawal};
use crate::{approval, destination, pay_password, property};
use entity::{Status, Terms, Withdrawal};
pub(crate) use repo::find_all;

/// A withdrawal with its destination.
pub struct Shown {
    pub withdrawal: Withdrawal,
    /// Where it goes; masked for users, in full for finance.
    pub destination: Destination,
}

/// A withdrawal as a user asks for it.
#[derive(Debug)]
struct Asked {
    /// Of the withdrawal, should the key be new.
    id: WithdrawalId,
    user_id: UserId,
    key: String,
    digest: [u8; 32],
    amount: Money,
    method: Method,
}

/// What staff want to see.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    pub status: Option<Status>,
    pub user_id: Option<UserId>,
    /// Not with another one.
    pub payment_batch_id: Option<PaymentBatchId>,
}

/// Takes a withdrawal, masked.
pub async fn request(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    (amount, method): (Money, Method),
    password: PinDigest,
) -> Result<Shown, WalletError> {
    let id = app.ids.next();
    let asked = Asked {
        id: WithdrawalId(id),
        user_id,
        key: Movement::withdrawal_key(user_id, caller.idempotency_key.as_ref(), id),
        digest: Movement::withdrawal_digest(user_id, amount, method.as_str()),
        amount,
        method,
    };
    let id = match known(app, &asked).await? {
        Some(id) => id,
        None => match take(app, &asked, password, caller.deadline).await {
            // A repeat that comes at the same time may have met what the first call has just withdrawn.
            Err(WalletError::Core(CoreError::Refused(refusal))) => {
                known(app, &asked).await?.ok_or(refusal)?
            }
            taken => taken?,
        },
    };
    masked(app, stored(app, id).await?)
}

/// The withdrawal that an earlier call with this key has made.
async fn known(app: &App, asked: &Asked) -> Result<Option<WithdrawalId>, WalletError> {
    match repo::find_by_key(&app.pool, &asked.key).await? {
        Some((first, _)) if first != asked.digest => {
            Err(Refusal::new(Reason::IdempotencyKeyReused).into())
        }
        found => Ok(found.map(|(_, id)| id)),
    }
}

/// Checks and posts a withdrawal; answers its id, which is the first one's when the key was taken meanwhile.
async fn take(
    app: &App,
    asked: &Asked,
    password: PinDigest,
    deadline: Deadline,
) -> Result<WithdrawalId, WalletError> {
    let (user_id, method) = (asked.user_id, asked.method);
    let terms = terms_of(app, method)?;
    let property = property::of_user(app, user_id).await?;
    property.require_not_frozen()?;
    terms.check(asked.amount, &property)?;
    pay_password::verify(app, user_id, password, deadline).await?;
    if property.start_up_outstanding > 0 {
        return Err(Refusal::new(Reason::StartUpFundsNotReturned).into());
    }
    let sealed = destination::sealed(app, user_id, method)
        .await?
        .ok_or_else(|| Refusal::new(Reason::BankCardNotBound).field("method"))?;
    app.rules
        .outflow
        .require_cooled_off(&property, app.clock.now())?;
    let withdrawal = NewWithdrawal {
        fee: terms.fee,
        method,
        sealed,
    };
    let key = (asked.id, asked.key.clone());
    let rules = app.rules.outflow;
    let movement = Movement::withdrawal(key, asked.digest, asked.amount, withdrawal, rules);
    let command = Command::movement(user_id, movement);
    let done = app.queue.post(command, deadline).await?;
    let reference = done.transaction.and_then(|booked| booked.reference);
    let reference = reference.ok_or(CoreError::Corrupt("reference of a withdrawal"))?;
    Ok(WithdrawalId(reference.0))
}

/// Pays or rejects a withdrawal that waits. To pay one that exceeds the threshold takes another
/// member of staff.
pub async fn decide(
    app: &App,
    caller: &Caller,
    staff: Staff,
    id: WithdrawalId,
    kind: MovementKind,
    reason: &str,
) -> Result<Shown, WalletError> {
    let movement = Movement::decision(kind, id, (staff, caller), app.ids.next(), reason)?;
    let found = repo::find(&app.pool, id).await?;
    let withdrawal = found.ok_or_else(|| Refusal::not_found("id"))?;
    let amount = Money::from_minor(withdrawal.amount);
    let command = Command::movement(withdrawal.user_id, movement.clone());
    if kind == MovementKind::WithdrawalRejected {
        app.queue.post(command, caller.deadline).await?;
    } else if approval::post_alone(app, caller, staff, (command, amount))
        .await?
        .is_none()
    {
        withdrawal.require_pending()?;
        withdrawal.require_not_batched()?;
        let asked = (withdrawal.user_id, movement, amount);
        return Err(approval::ask(app, caller, staff, asked).await?.into());
    }
    whole(app, stored(app, id).await?)
}

/// Cancels a user's own withdrawal that waits, masked.
pub async fn cancel(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    id: WithdrawalId,
) -> Result<Shown, WalletError> {
    let found = repo::find(&app.pool, id).await?;
    found
        .filter(|withdrawal| withdrawal.user_id == user_id)
        .ok_or_else(|| Refusal::not_found("id"))?;
    let command = Command::movement(user_id, Movement::cancellation(user_id, id));
    app.queue.post(command, caller.deadline).await?;
    masked(app, stored(app, id).await?)
}

/// A user's withdrawals, newest first, masked.
pub async fn list(
    app: &App,
    user_id: UserId,
    before: Option<WithdrawalId>,
    limit: i64,
) -> Result<Vec<Shown>, WalletError> {
    let filter = Filter {
        user_id: Some(user_id),
        status: None,
        payment_batch_id: None,
    };
    let rows = repo::list(&app.reads, filter, before, limit).await?;
    rows.into_iter().map(|row| masked(app, row)).collect()
}

/// One of a user's withdrawals, masked; none if the user has none with this id.
pub async fn find(app: &App, user_id: UserId, id: &str) -> Result<Option<Shown>, WalletError> {
    let Ok(id) = id.parse() else {
        return Ok(None);
    };
    let found = repo::find(&app.pool, id).await?;
    let own = found.filter(|withdrawal| withdrawal.user_id == user_id);
    own.map(|withdrawal| masked(app, withdrawal)).transpose()
}

/// The withdrawals of all users, newest first, with their destinations in full.
pub async fn list_for_staff(
    app: &App,
    filter: Filter,
    before: Option<WithdrawalId>,
    limit: i64,
) -> Result<Vec<Shown>, WalletError> {
    let rows = match filter.payment_batch_id {
        Some(batch) => repo::list_in_batch(&app.reads, batch, before, limit).await?,
        None => repo::list(&app.reads, filter, before, limit).await?,
    };
    rows.into_iter().map(|row| whole(app, row)).collect()
}

/// The withdrawal with this id with its destination in full; nothing if there is none.
pub async fn find_for_staff(app: &App, id: WithdrawalId) -> Result<Vec<Shown>, WalletError> {
    let found = repo::find(&app.pool, id).await?;
    found.into_iter().map(|row| whole(app, row)).collect()
}

/// What is in a payment batch, in order of id.
pub async fn in_batch(app: &App, batch: PaymentBatchId) -> Result<Vec<Withdrawal>, WalletError> {
    Ok(repo::in_batch(&app.pool, batch).await?)
}

/// A withdrawal with its destination in full, for staff.
pub async fn find_whole(app: &App, id: WithdrawalId) -> Result<Shown, WalletError> {
    whole(app, stored(app, id).await?)
}

/// Has the audit log say that a member of staff reads these destinations; they must not be shown before. An empty page
/// shows none.
pub async fn record_look(
    app: &App,
    caller: &Caller,
    filter: Filter,
    shown: &[Shown],
) -> Result<(), WalletError> {
    let (Some(first), Some(last)) = (shown.first(), shown.last()) else {
        return Ok(());
    };
    let mut seen = json!({
        "status": filter.status.map(Status::as_str),
        "count": shown.len(),
        "first": first.withdrawal.id.to_string(),
        "last": last.withdrawal.id.to_string(),
    });
    if let Some(batch) = filter.payment_batch_id {
        seen["payment_batch"] = json!(batch.to_string());
    }
    let mut entry = audit::Entry::new("wallet.read_destinations", "withdrawals").after(&seen)?;
    if let Some(user_id) = filter.user_id {
        entry = entry.user(user_id);
    }
    let (caller, now) = (caller.clone(), app.clock.now());
    app.write(move |tx| Box::pin(async move { Ok(entry.record_in_tx(tx, &caller, now).await?) }))
        .await
}

/// How many wait for staff, and for how long.
pub async fn waiting(app: &App) -> Result<Vec<InState>, sqlx::Error> {
    repo::waiting(&app.pool).await
}

/// Records in the metrics how many wait for staff.
pub async fn record_waiting(app: &App) -> Result<(), sqlx::Error> {
    record_saga("withdrawal", &["pending"], &waiting(app).await?);
    Ok(())
}

async fn stored(app: &App, id: WithdrawalId) -> Result<Withdrawal, WalletError> {
    let found = repo::find(&app.pool, id).await?;
    Ok(found.ok_or(CoreError::Corrupt("withdrawal of a posting"))?)
}

fn terms_of(app: &App, method: Method) -> Result<&Terms, Refusal> {
    let mut terms = app.rules.terms.iter();
    terms
        .find(|terms| terms.method == method)
        .ok_or_else(|| Refusal::invalid("method"))
}

fn masked(app: &App, withdrawal: Withdrawal) -> Result<Shown, WalletError> {
    let mut shown = whole(app, withdrawal)?;
    shown.destination = shown.destination.masked();
    Ok(shown)
}

/// With its destination in full.
pub fn whole(app: &App, withdrawal: Withdrawal) -> Result<Shown, WalletError> {
    let destination = app
        .sealer
        .open(withdrawal.user_id, withdrawal.method, &withdrawal.sealed)?;
    Ok(Shown {
        withdrawal,
        destination,
    })
}
