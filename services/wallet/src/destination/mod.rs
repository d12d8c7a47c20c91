//! Where withdrawals go: a bank card, a wallet address, or both. In the database they are sealed; out they go masked.

pub mod entity;
mod repo;
mod rotation;
mod seal;

use adfolio_kit::clock::Clock;
use adfolio_kit::db;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::outbox::Notifier;
use adfolio_kit::refusal::{Reason, Refusal};
use sqlx::PgPool;
use uuid::Uuid;

use crate::error::WalletError;
use crate::pay_password::entity::PinDigest;
use crate::pay_password::{PayPasswords, announce_in_tx};
use crate::protection::{self, CoolingOff};
use crate::withdrawal::entity::Method;
use entity::{BankCard, Destination, WalletAddress};
pub use seal::{Sealed, Sealer};

/// Binds and shows destinations. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Destinations {
    pool: PgPool,
    clock: Clock,
    notifier: Notifier,
    sealer: Sealer,
    passwords: PayPasswords,
    cooling_off: CoolingOff,
}

impl Destinations {
    /// With the keys that seal.
    pub fn new(
        pool: PgPool,
        clock: Clock,
        notifier: Notifier,
        sealer: Sealer,
        passwords: PayPasswords,
        cooling_off: CoolingOff,
    ) -> Self {
        Self {
            pool,
            clock,
            notifier,
            sealer,
            passwords,
            cooling_off,
        }
    }

    /// What is bound, masked.
    pub async fn masked(
        &self,
        user_id: Uuid,
    ) -> Result<(Option<BankCard>, Option<WalletAddress>), WalletError> {
        let (mut card, mut address) = (None, None);
        for (method, sealed) in repo::list(&self.pool, user_id).await? {
            match self.sealer.open(user_id, method, &sealed)?.masked() {
                Destination::BankCard(bound) => card = Some(bound),
                Destination::WalletAddress(bound) => address = Some(bound),
            }
        }
        Ok((card, address))
    }

    /// The sealed destination of a method, if one is bound.
    pub async fn sealed(
        &self,
        user_id: Uuid,
        method: Method,
    ) -> Result<Option<Sealed>, WalletError> {
        Ok(repo::find(&self.pool, user_id, method).await?)
    }

    /// A sealed destination in clear: for finance, or to be masked.
    pub fn open(
        &self,
        user_id: Uuid,
        method: Method,
        sealed: &Sealed,
    ) -> Result<Destination, WalletError> {
        self.sealer.open(user_id, method, sealed)
    }

    /// Binds a destination, or puts it in the place of the one of its kind. Answers it masked.
    pub async fn bind(
        &self,
        user_id: Uuid,
        destination: Destination,
        password: Option<PinDigest>,
        deadline: Deadline,
    ) -> Result<Destination, WalletError> {
        let is_verified = match password {
            Some(password) => self.verify_if_set(user_id, password, deadline).await?,
            None => false,
        };
        let (safe, now) = (self.sealer.clone(), self.clock.now());
        let (masked, cooling_off) = (destination.masked(), self.cooling_off);
        db::write(&self.pool, move |tx| {
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
                // One of a kind that was not there yet is a change, too: money could go somewhere else than before.
                let is_change = before.is_some()
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
                announce_in_tx(tx, user_id, change).await
            })
        })
        .await?;
        self.notifier.notify();
        Ok(masked)
    }

    /// A password that comes with the call is checked, unless there is none to check it against. Whether it was.
    async fn verify_if_set(
        &self,
        user_id: Uuid,
        password: PinDigest,
        deadline: Deadline,
    ) -> Result<bool, WalletError> {
        match self.passwords.verify(user_id, password, deadline).await {
            Err(WalletError::Refused(refusal)) if refusal.reason == Reason::PayPasswordNotSet => {
                Ok(false)
            }
            outcome => outcome.map(|()| true),
        }
    }
}
