//! What this service announces.

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::{Event, EventError, enqueue_in_tx};
use adfolio_kit::wire::timestamp;
use adfolio_proto::events::v1 as proto;
use chrono::SecondsFormat;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::chain::entity::VERSION;
use crate::checkpoint::entity::Published;
use crate::error::WalletError;
use crate::posting::batch::Entry;
use crate::posting::movement::Movement;
use crate::posting::transaction::Transaction;
use crate::posting::transaction_type::TransactionType;
use crate::property::entity::Property;

const TRANSACTION_POSTED: &str = "adfolio.wallet.v1.TransactionPosted";
const DEPOSIT_CREDITED: &str = "adfolio.wallet.v1.DepositCredited";
const STAFF_POSTING_MADE: &str = "adfolio.wallet.v1.StaffPostingMade";
const WITHDRAWAL_STATUS_CHANGED: &str = "adfolio.wallet.v1.WithdrawalStatusChanged";
const CHECKPOINT_PUBLISHED: &str = "adfolio.wallet.v1.CheckpointPublished";
const SECURITY_CHANGED: &str = "adfolio.wallet.v1.WalletSecurityChanged";

/// The proto3 JSON of the message of that name, including fields that are zero: a consumer that verifies a chain needs
/// every field that the hash covers.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TransactionPosted {
    transaction_id: Uuid,
    user_id: Uuid,
    sequence: String,
    r#type: &'static str,
    time: String,
    available_change_minor: String,
    to_be_consumed_change_minor: String,
    to_be_settled_change_minor: String,
    withdrawing_change_minor: String,
    guarantee_change_minor: String,
    available_minor: String,
    to_be_consumed_minor: String,
    to_be_settled_minor: String,
    withdrawing_minor: String,
    guarantee_minor: String,
    reference: String,
    previous_hash: String,
    hash: String,
    details: String,
    chain_version: String,
}

/// The events of transactions, in their order: what consumers follow, then what people and the audit log care about.
pub fn of_entries(entries: &[Entry<'_>]) -> Result<Vec<Event>, EventError> {
    let mut events = Vec::with_capacity(entries.len());
    for entry in entries {
        events.push(transaction_posted(entry)?);
        if let Some(movement) = entry.command.as_movement() {
            tell_of_movement(entry, movement, &mut events)?;
        }
    }
    Ok(events)
}

fn transaction_posted(entry: &Entry<'_>) -> Result<Event, EventError> {
    let it = &entry.transaction;
    let order = entry.command.order_id().map(|id| id.0);
    let movement = entry.command.as_movement();
    let reference = order.or(movement
        .and_then(|movement| movement.reference)
        .map(|id| id.0));
    let (change, after) = (it.step.change, it.after);
    let data = TransactionPosted {
        transaction_id: it.id.0,
        user_id: it.user_id.0,
        sequence: it.seq.to_string(),
        r#type: it.step.kind.as_str(),
        time: it.posted_at.to_rfc3339_opts(SecondsFormat::Micros, true),
        available_change_minor: change.available.to_string(),
        to_be_consumed_change_minor: change.to_be_consumed.to_string(),
        to_be_settled_change_minor: change.to_be_settled.to_string(),
        withdrawing_change_minor: change.withdrawing.to_string(),
        guarantee_change_minor: change.guarantee.to_string(),
        available_minor: after.available.to_string(),
        to_be_consumed_minor: after.to_be_consumed.to_string(),
        to_be_settled_minor: after.to_be_settled.to_string(),
        withdrawing_minor: after.withdrawing.to_string(),
        guarantee_minor: after.guarantee.to_string(),
        reference: reference.map(|id| id.to_string()).unwrap_or_default(),
        previous_hash: hex::encode(it.previous_hash),
        hash: hex::encode(it.hash),
        details: hex::encode(it.details),
        chain_version: VERSION.to_string(),
    };
    let event = Event::new(TRANSACTION_POSTED, it.user_id, &data)?
        .with_id(it.id.0)
        .sequence(it.seq);
    Ok(event.traced_by(entry.traceparent))
}

/// What of a movement is announced besides its transaction.
fn tell_of_movement(
    entry: &Entry<'_>,
    movement: &Movement,
    events: &mut Vec<Event>,
) -> Result<(), EventError> {
    let it = &entry.transaction;
    let told = match it.step.kind {
        TransactionType::Deposit => Some(deposit_credited(it)?),
        TransactionType::Chargeback
        | TransactionType::RechargeDeduction
        | TransactionType::Membership
        | TransactionType::StartUpGrant
        | TransactionType::StartUpReturn
        | TransactionType::GuaranteeDeposit
        | TransactionType::GuaranteeReturn => Some(staff_posting_made(it)?),
        TransactionType::Withdraw
        | TransactionType::WithdrawalPaid
        | TransactionType::WithdrawalRejected => withdrawal_status_changed(entry)?,
        TransactionType::ExchangeDebit
        | TransactionType::ExchangeReturn
        | TransactionType::ExchangeCredit
        | TransactionType::Hold
        | TransactionType::Consume
        | TransactionType::Accrue
        | TransactionType::Release
        | TransactionType::Settle => None,
    };
    let acted = staff_acted(entry, movement)?;
    let told = told.into_iter().chain(acted);
    events.extend(told.map(|event| event.traced_by(entry.traceparent)));
    Ok(())
}

fn deposit_credited(it: &Transaction) -> Result<Event, EventError> {
    let data = proto::DepositCredited {
        transaction_id: it.id.to_string(),
        user_id: it.user_id.to_string(),
        amount_minor: it.step.amount,
        time: Some(timestamp(it.posted_at)),
    };
    Event::new(DEPOSIT_CREDITED, it.user_id, &data)
}

fn staff_posting_made(it: &Transaction) -> Result<Event, EventError> {
    let data = proto::StaffPostingMade {
        transaction_id: it.id.to_string(),
        user_id: it.user_id.to_string(),
        r#type: it.step.kind.as_str().to_owned(),
        amount_minor: it.step.amount,
        time: Some(timestamp(it.posted_at)),
    };
    Event::new(STAFF_POSTING_MADE, it.user_id, &data)
}

fn withdrawal_status_changed(entry: &Entry<'_>) -> Result<Option<Event>, EventError> {
    let Some(withdrawal) = &entry.withdrawal else {
        return Ok(None);
    };
    let data = proto::WithdrawalStatusChanged {
        withdrawal_id: withdrawal.id.to_string(),
        user_id: withdrawal.user_id.to_string(),
        status: withdrawal.shown_status().as_str().to_owned(),
        amount_minor: withdrawal.amount,
        fee_minor: withdrawal.fee,
        method: withdrawal.method.as_str().to_owned(),
        reason: withdrawal.reason.clone(),
    };
    Event::new(WITHDRAWAL_STATUS_CHANGED, withdrawal.user_id, &data).map(Some)
}

/// What a member of staff did, for the audit log.
fn staff_acted(entry: &Entry<'_>, movement: &Movement) -> Result<Option<Event>, EventError> {
    let Some(actor) = &movement.actor else {
        return Ok(None);
    };
    let it = &entry.transaction;
    let target = movement
        .reference
        .map_or(it.user_id.0, |reference| reference.0);
    let [before, after] = &entry.figures;
    let mut changed = audited(after);
    changed["type"] = json!(it.step.kind.as_str());
    changed["amount_minor"] = json!(it.step.amount);
    changed["transaction_id"] = json!(it.id.0);
    let act = audit::Entry::new(movement.kind.audited_as(), target)
        .user(it.user_id)
        .before(&audited(before))?
        .after(&changed)?;
    act.event_by(actor.clone(), it.posted_at).map(Some)
}

/// A wallet's figures as the audit log shows them.
fn audited(figures: &Property) -> serde_json::Value {
    json!({
        "available_minor": figures.available,
        "withdrawing_minor": figures.withdrawing,
        "guarantee_minor": figures.guarantee,
        "start_up_outstanding_minor": figures.start_up_outstanding,
    })
}

/// What protects a wallet changed; `change` says how.
pub async fn security_changed_in_tx(
    tx: &mut Tx,
    user_id: UserId,
    change: &'static str,
) -> Result<(), WalletError> {
    let data = proto::WalletSecurityChanged {
        user_id: user_id.to_string(),
        change: change.to_owned(),
    };
    Ok(enqueue_in_tx(tx, &[Event::new(SECURITY_CHANGED, user_id, &data)?]).await?)
}

/// The log of this name has a new checkpoint.
pub async fn checkpoint_published_in_tx(
    tx: &mut Tx,
    origin: &str,
    checkpoint: &Published,
) -> Result<(), WalletError> {
    let data = proto::CheckpointPublished {
        size: checkpoint.size(),
        root: hex::encode(checkpoint.state.root),
        note: checkpoint.note.clone(),
        time: Some(timestamp(checkpoint.made_at)),
    };
    let event = Event::new(CHECKPOINT_PUBLISHED, origin, &data)?.sequence(checkpoint.number);
    Ok(enqueue_in_tx(tx, &[event]).await?)
}
