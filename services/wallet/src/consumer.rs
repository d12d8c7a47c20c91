//! What this service consumes: a change of the login password, which starts a cooling-off.
//!
//! Withdrawals do not wait between the change and the arrival of its event, which may be late while the broker is down.
//! But the change itself has ended every session: a caller who withdraws meanwhile has logged in with the new password
//! and knows the transaction password. The withdrawal still waits for the decision of staff, so no money leaves before.
//! A late event counts from the time of the change, not from its arrival.

use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::PasswordChanged;

use crate::app::App;
use crate::protection;

const PASSWORD_CHANGED: &str = "adfolio.auth.v1.PasswordChanged";

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
