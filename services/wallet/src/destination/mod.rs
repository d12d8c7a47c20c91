//! Where withdrawals go: a bank card, a wallet address, or both. In the database they are sealed; out they go masked.

pub mod entity;
mod repo;
mod rotation;
pub mod seal;

use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::{Reason, Refusal};

use crate::app::App;
use crate::error::WalletError;
use crate::pay_password::entity::PinDigest;
use crate::{events, pay_password, protection};
use entity::{BankCard, Destination, Method, WalletAddress};
pub use rotation::rotate;
use seal::Sealed;

/// What is bound, masked.
pub async fn masked(
    app: &App,
    user_id: UserId,
) -> Result<(Option<BankCard>, Option<WalletAddress>), WalletError> {
    let (mut card, mut address) = (None, None);
    for (method, sealed) in repo::list(&app.pool, user_id).await? {
        match app.sealer.open(user_id, method, &sealed)?.masked() {
            Destination::BankCard(bound) => card = Some(bound),
            Destination::WalletAddress(bound) => address = Some(bound),
        }
    }
    Ok((card, address))
}

/// The sealed destination of a method, if one is bound.
pub async fn sealed(
    app: &App,
    user_id: UserId,
    method: Method,
) -> Result<Option<Sealed>, WalletError> {
    Ok(repo::find(&app.pool, user_id, method).await?)
}

/// Binds a destination, or replaces the one of its kind. Answers it masked.
pub async fn bind(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    destination: Destination,
    password: Option<PinDigest>,
) -> Result<Destination, WalletError> {
    let is_verified = match password {
        Some(password) => verify_if_set(app, user_id, password, caller.deadline).await?,
        None => false,
    };
    let (safe, now) = (app.sealer.clone(), app.clock.now());
    let is_young = caller.is_in_young_session(now);
    let (masked, cooling_off) = (destination.masked(), app.rules.outflow.cooling_off);
    app.write(move |tx| {
        Box::pin(async move {
            // The lock makes those who bind the same at once find it bound.
            let wallet = repo::lock_wallet_in_tx(tx, user_id).await?;
            if wallet.has_pay_password && !is_verified {
                return Err(Refusal::invalid("password").into());
            }
            let method = destination.method();
            let before = repo::find_in_tx(tx, user_id, method).await?;
            if let Some(sealed) = &before
                && safe.open(user_id, method, sealed)? == destination
            {
                return Err(Refusal::new(Reason::NothingChanged).into());
            }
            // One of a kind that was not there yet is a change, too: money could go somewhere else than before. So is the
            // first one of a session that anybody with the login password may have opened today.
            let is_change = before.is_some()
                || is_young
                || repo::first_bound_at_in_tx(tx, user_id)
                    .await?
                    .is_some_and(|bound_at| {
                        let changed_at = wallet.protection_changed_at;
                        !cooling_off.is_being_set_up(bound_at, changed_at, now)
                    });
            let sealed = safe.seal(user_id, &destination)?;
            repo::store_in_tx(tx, user_id, method, &sealed, now).await?;
            if is_change {
                protection::changed_in_tx(tx, user_id, now).await?;
            }
            let change = match method {
                Method::BankCard => "bank_card_bound",
                Method::WalletAddress => "wallet_address_bound",
            };
            events::security_changed_in_tx(tx, user_id, change).await
        })
    })
    .await?;
    Ok(masked)
}

/// Verifies the password of a call, unless the user has none. Whether it was verified.
async fn verify_if_set(
    app: &App,
    user_id: UserId,
    password: PinDigest,
    deadline: Deadline,
) -> Result<bool, WalletError> {
    match pay_password::verify(app, user_id, password, deadline).await {
        Err(error) if error.reason() == Some(Reason::PayPasswordNotSet) => Ok(false),
        outcome => outcome.map(|()| true),
    }
}
