//! Withdrawals: asked for by users, decided by staff.
//!
//! Whether one may be asked for is checked in the order of the contract, the transaction password among it; balance,
//! start-up funds and cooling-off are decided once more in the posting, which also writes the withdrawal. A destination that
//! was put in the place of the one read here is thereby noticed. A decision is guarded there, too.

pub mod entity;
mod repo;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::metrics::record_saga;
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::wire;
use adfolio_money::Money;
use sqlx::PgPool;
use uuid::Uuid;

use crate::approval::Approvals;
use crate::destination::Destinations;
use crate::destination::entity::Destination;
use crate::error::WalletError;
use crate::pay_password::PayPasswords;
use crate::pay_password::entity::PinDigest;
use crate::posting::Queue;
use crate::posting::entity::Command;
use crate::posting::movement::{Movement, MovementKind, WithdrawalDetails};
use crate::property::{self, Property};
use crate::protection::CoolingOff;
use entity::{Method, Status, Terms, Withdrawal};
use repo::Selection;

/// A withdrawal with where it goes.
pub type Shown = (Withdrawal, Destination);

/// A withdrawal as a user asks for it.
#[derive(Debug)]
struct Asked {
    /// Of the withdrawal, should the key be new.
    id: Uuid,
    user_id: Uuid,
    key: String,
    digest: [u8; 32],
    amount: Money,
    method: Method,
}

/// Takes, lists and decides withdrawals. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Withdrawals {
    pool: PgPool,
    queue: Queue,
    ids: Ids,
    passwords: PayPasswords,
    destinations: Destinations,
    clock: Clock,
    approvals: Approvals,
    terms: [Terms; 2],
    cooling_off: CoolingOff,
}

/// What staff want to see.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    /// Only this status.
    pub status: Option<Status>,
    /// Only this user's.
    pub user_id: Option<Uuid>,
}

impl Withdrawals {
    /// On these terms.
    pub fn new(
        pool: PgPool,
        queue: Queue,
        clock: Clock,
        (passwords, destinations, approvals): (PayPasswords, Destinations, Approvals),
        (terms, cooling_off): ([Terms; 2], CoolingOff),
    ) -> Self {
        Self {
            pool,
            queue,
            ids: Ids::random(),
            passwords,
            destinations,
            clock,
            approvals,
            terms,
            cooling_off,
        }
    }

    /// The terms of every method.
    pub fn terms(&self) -> &[Terms; 2] {
        &self.terms
    }

    /// How long they wait after a change of what protects the wallet.
    pub fn cooling_off(&self) -> CoolingOff {
        self.cooling_off
    }

    /// Takes a withdrawal, masked.
    pub async fn request(
        &self,
        caller: &Caller,
        user_id: Uuid,
        (amount, method): (Money, Method),
        password: PinDigest,
    ) -> Result<Shown, WalletError> {
        let id = self.ids.next();
        let asked = Asked {
            id,
            user_id,
            key: Movement::withdrawal_key(user_id, caller.idempotency_key.as_ref(), id),
            digest: Movement::withdrawal_digest(user_id, amount, method.as_str()),
            amount,
            method,
        };
        let id = match self.known(&asked).await? {
            Some(id) => id,
            None => match self.take(&asked, password, caller.deadline).await {
                // A repeat that comes at the same time may have met what the first call has just withdrawn.
                Err(WalletError::Refused(refusal)) => self.known(&asked).await?.ok_or(refusal)?,
                taken => taken?,
            },
        };
        self.masked(self.stored(id).await?)
    }

    /// The withdrawal that an earlier call with this key has made.
    async fn known(&self, asked: &Asked) -> Result<Option<Uuid>, WalletError> {
        match repo::find_by_key(&self.pool, &asked.key).await? {
            Some((first, _)) if first != asked.digest => {
                Err(Refusal::new(Reason::IdempotencyKeyReused).into())
            }
            found => Ok(found.map(|(_, id)| id)),
        }
    }

    /// Checks and posts a withdrawal; answers its id, which is the first one's when the key was taken meanwhile.
    async fn take(
        &self,
        asked: &Asked,
        password: PinDigest,
        deadline: Deadline,
    ) -> Result<Uuid, WalletError> {
        let (user_id, method) = (asked.user_id, asked.method);
        let terms = self.terms_of(method)?;
        let property = property::of_user(&self.pool, user_id).await?;
        terms.check(asked.amount, &property)?;
        self.passwords.verify(user_id, password, deadline).await?;
        if property.start_up_outstanding > 0 {
            return Err(Refusal::new(Reason::StartUpFundsNotReturned).into());
        }
        let sealed = self
            .destinations
            .sealed(user_id, method)
            .await?
            .ok_or_else(|| Refusal::new(Reason::BankCardNotBound).field("method"))?;
        self.require_cooled_off(&property)?;
        let details = WithdrawalDetails {
            fee: terms.fee.minor(),
            method: method.as_str(),
            key_id: sealed.key_id,
            sealed: hex::encode(sealed.bytes),
            cooling_off_hours: self.cooling_off.hours(),
        };
        let key = (asked.id, asked.key.clone());
        let movement = Movement::withdrawal(key, asked.digest, asked.amount, &details)?;
        let command = Command::movement(user_id, movement);
        let done = match self.queue.post(command, deadline).await {
            Err(WalletError::Refused(refusal))
                if refusal.reason == Reason::WithdrawalCoolingOff =>
            {
                // Something changed since the figures were read: they say now how long it takes.
                self.require_cooled_off(&property::of_user(&self.pool, user_id).await?)?;
                return Err(refusal.into());
            }
            posted => posted?,
        };
        done.transaction
            .and_then(|booked| booked.reference)
            .ok_or(WalletError::Unreadable("reference of a withdrawal"))
    }

    fn require_cooled_off(&self, property: &Property) -> Result<(), Refusal> {
        let now = self.clock.now();
        match self.cooling_off.end(property.protection_changed_at, now) {
            Some(end) => Err(CoolingOff::refusal(end, now)),
            None => Ok(()),
        }
    }

    /// Pays or rejects a withdrawal that waits. To pay a large one takes another member of staff.
    pub async fn decide(
        &self,
        caller: &Caller,
        staff: Staff,
        id: Uuid,
        kind: MovementKind,
        reason: &str,
    ) -> Result<Shown, WalletError> {
        let movement = Movement::decision(kind, id, (staff, caller), self.ids.next(), reason)?;
        let found = repo::find(&self.pool, id).await?;
        let withdrawal = found.ok_or_else(|| Refusal::not_found("id"))?;
        let amount = Money::from_minor(withdrawal.amount);
        if kind == MovementKind::WithdrawalPaid
            && self.approvals.is_needed(&movement, amount).await?
        {
            withdrawal.require_pending()?;
            let asked = (withdrawal.user_id, movement, amount);
            return Err(self.approvals.ask(caller, staff, asked).await?.into());
        }
        let command = Command::movement(withdrawal.user_id, movement);
        self.queue.post(command, caller.deadline).await?;
        self.whole(self.stored(id).await?)
    }

    /// A page of a user's withdrawals, newest first, masked.
    pub async fn list(
        &self,
        user_id: Uuid,
        page: Page,
        cursor: Option<&str>,
    ) -> Result<(Vec<Shown>, Option<String>), WalletError> {
        let filter = Filter {
            status: None,
            user_id: Some(user_id),
        };
        let of_list = Cursor::new("wallet.withdrawals", &user_id.to_string());
        let (rows, next) = self.page(&of_list, filter, page, cursor).await?;
        let shown: Result<Vec<Shown>, WalletError> =
            rows.into_iter().map(|row| self.masked(row)).collect();
        Ok((shown?, next))
    }

    /// Tells metrics what waits for staff.
    pub async fn record_waiting(&self) -> Result<(), sqlx::Error> {
        record_saga(
            "withdrawal",
            &["pending"],
            &repo::waiting(&self.pool).await?,
        );
        Ok(())
    }

    /// A page of all users' withdrawals, newest first, whole.
    pub async fn list_for_staff(
        &self,
        filter: Filter,
        page: Page,
        cursor: Option<&str>,
    ) -> Result<(Vec<Shown>, Option<String>), WalletError> {
        let of_list = Cursor::new("wallet.withdrawals.staff", &format!("{filter:?}"));
        let (rows, next) = self.page(&of_list, filter, page, cursor).await?;
        let shown: Result<Vec<Shown>, WalletError> =
            rows.into_iter().map(|row| self.whole(row)).collect();
        Ok((shown?, next))
    }

    async fn page(
        &self,
        of_list: &Cursor,
        filter: Filter,
        page: Page,
        cursor: Option<&str>,
    ) -> Result<(Vec<Withdrawal>, Option<String>), WalletError> {
        let selection = Selection {
            user_id: filter.user_id,
            status: filter.status,
            before: wire::cursor_id(of_list, cursor)?,
            limit: page.fetch(),
        };
        let rows = repo::list(&self.pool, selection).await?;
        Ok(page.cut(rows, |row| of_list.encode(&[&row.id.to_string()])))
    }

    async fn stored(&self, id: Uuid) -> Result<Withdrawal, WalletError> {
        let found = repo::find(&self.pool, id).await?;
        found.ok_or(WalletError::Unreadable("withdrawal of a posting"))
    }

    fn terms_of(&self, method: Method) -> Result<&Terms, Refusal> {
        let mut terms = self.terms.iter();
        terms
            .find(|terms| terms.method == method)
            .ok_or_else(|| Refusal::invalid("method"))
    }

    fn masked(&self, withdrawal: Withdrawal) -> Result<Shown, WalletError> {
        let (withdrawal, destination) = self.whole(withdrawal)?;
        Ok((withdrawal, destination.masked()))
    }

    fn whole(&self, withdrawal: Withdrawal) -> Result<Shown, WalletError> {
        let destination =
            self.destinations
                .open(withdrawal.user_id, withdrawal.method, &withdrawal.sealed)?;
        Ok((withdrawal, destination))
    }
}
