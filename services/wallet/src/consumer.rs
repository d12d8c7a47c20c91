//! What this service takes from others: that a user changed the login password, which lets withdrawals wait.
//!
//! Between the change and this event there is a moment in which withdrawals do not wait yet; with the broker down it lasts
//! until the broker is back. What holds all the while: the change itself ends every session, so whoever withdraws has logged
//! in with the new password and knows the transaction password; and a withdrawal only waits for the decision of staff, no
//! money leaves before. An event that is late counts from the time of the change, not from its arrival.

use adfolio_kit::clock::Clock;
use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::PasswordChanged;
use uuid::Uuid;

use crate::protection;

const PASSWORD_CHANGED: &str = "adfolio.auth.v1.PasswordChanged";

/// The consumer of changes of login passwords.
pub fn passwords() -> Consumer {
    Consumer::new("wallet", "passwords").bind(PASSWORD_CHANGED)
}

/// Lets the withdrawals of whoever changed the login password wait.
#[derive(Debug)]
pub struct OnPasswordChanged {
    clock: Clock,
}

impl OnPasswordChanged {
    /// Goes by this clock.
    pub fn new(clock: Clock) -> Self {
        Self { clock }
    }
}

impl Handler for OnPasswordChanged {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let change: PasswordChanged = event.data()?;
        let user_id: Uuid = change.user_id.parse().map_err(malformed)?;
        // The change lies in the past, also where the clock that stamped it is ahead.
        let at = event.time.min(self.clock.now());
        Ok(protection::changed_in_tx(tx, user_id, at).await?)
    }
}

fn malformed(error: uuid::Error) -> HandlerError {
    HandlerError::permanent(error)
}
