//! What this service consumes: a change of the login password, which starts a cooling-off, and a mail whose reader says
//! that its news was not their doing, which freezes the wallet.
//!
//! Withdrawals do not wait between the change and the arrival of its event, which may be late while the broker is down.
//! But the change itself has ended every session: a caller who withdraws meanwhile has logged in with the new password
//! and knows the transaction password. The withdrawal still waits for the decision of staff, so no money leaves before.
//! A late event counts from the time of the change, not from its arrival.

use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::{AccountDisowned, PasswordChanged};

use crate::app::App;
use crate::error::WalletError;
use crate::{freeze, protection};

const PASSWORD_CHANGED: &str = "adfolio.auth.v1.PasswordChanged";

const ACCOUNT_DISOWNED: &str = "adfolio.notification.v1.AccountDisowned";

/// The consumer of changes of login passwords.
pub fn passwords() -> Consumer {
    Consumer::new("wallet", "passwords").bind(PASSWORD_CHANGED)
}

/// Starts the cooling-off of a user who changed the login password.
#[derive(Debug)]
pub struct OnPasswordChanged(pub App);

impl Handler for OnPasswordChanged {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let change: PasswordChanged = event.data()?;
        let user_id: UserId = change
            .user_id
            .parse()
            .map_err(|error: uuid::Error| HandlerError::permanent(error))?;
        // The change lies in the past, even if the clock that stamped it is ahead.
        let at = event.time.min(self.0.clock.now());
        Ok(protection::changed_in_tx(tx, user_id, at).await?)
    }
}

/// The consumer of mails whose readers disown what they say. It has a queue of its own: a replica of the release before
/// takes every event of the other one for a changed password.
pub fn disowned() -> Consumer {
    Consumer::new("wallet", "disowned").bind(ACCOUNT_DISOWNED)
}

/// Freezes the wallet of the user whose mail was disowned.
#[derive(Debug)]
pub struct OnAccountDisowned(pub App);

impl Handler for OnAccountDisowned {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let disowned: AccountDisowned = event.data()?;
        let user_id: UserId = disowned
            .user_id
            .parse()
            .map_err(|error: uuid::Error| HandlerError::permanent(error))?;
        let time = disowned.time.and_then(|time| time.try_into().ok());
        let said_at = time.unwrap_or(event.time);
        let mail = (disowned.template.as_str(), disowned.mail_id.as_str());
        freeze::disown_in_tx(&self.0, tx, user_id, mail, said_at)
            .await
            .map_err(|error| match error {
                WalletError::Core(core) => core.into(),
                other => HandlerError::failed(other),
            })
    }
}
