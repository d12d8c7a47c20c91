//! What auth takes from others: memberships that were paid for, what staff did anywhere, and what users did to protect their
//! wallets.

use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::{StaffActed, StaffPostingMade, WalletSecurityChanged};
use tracing::info;
use uuid::Uuid;

use crate::audit::{self, AuditEntry, UserAct};
use crate::error::AuthError;
use crate::user;

const STAFF_POSTING_MADE: &str = "adfolio.wallet.v1.StaffPostingMade";

/// Of any service.
const STAFF_ACTED: &str = "adfolio.*.v1.StaffActed";

const WALLET_SECURITY_CHANGED: &str = "adfolio.wallet.v1.WalletSecurityChanged";

/// The posting that makes a member.
const MEMBERSHIP: &str = "membership";

/// The consumer that makes members.
pub fn membership() -> Consumer {
    Consumer::new("auth", "membership").bind(STAFF_POSTING_MADE)
}

/// The consumer that writes the audit log.
pub fn audit() -> Consumer {
    Consumer::new("auth", "audit").bind(STAFF_ACTED)
}

/// The consumer that notes what users do to protect their wallets.
pub fn security() -> Consumer {
    Consumer::new("auth", "security").bind(WALLET_SECURITY_CHANGED)
}

/// Makes users members once their membership is paid for. Staff may take it back; the same event again does not give it back.
#[derive(Clone, Copy, Debug)]
pub struct MakeMember;

impl Handler for MakeMember {
    fn concerns(&self, event: &CloudEvent) -> bool {
        // One that cannot be read concerns, so that it is seen where dead events are.
        event
            .data::<StaffPostingMade>()
            .map_or(true, |posting| posting.r#type == MEMBERSHIP)
    }

    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let posting: StaffPostingMade = event.data()?;
        let user: Uuid = posting.user_id.parse().map_err(HandlerError::permanent)?;
        user::grant_membership_in_tx(tx, user)
            .await
            .map_err(failure)?;
        info!(%user, "user became a member");
        Ok(())
    }
}

/// Writes what staff did into the audit log.
#[derive(Clone, Copy, Debug)]
pub struct KeepAudit;

impl Handler for KeepAudit {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let act: StaffActed = event.data()?;
        let entry = AuditEntry::of(event, act).map_err(HandlerError::permanent)?;
        Ok(audit::keep_in_tx(tx, &entry).await?)
    }
}

/// Notes what users do to protect their wallets.
#[derive(Clone, Copy, Debug)]
pub struct NoteUserActs;

impl Handler for NoteUserActs {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let changed: WalletSecurityChanged = event.data()?;
        if let Some(act) = UserAct::of(event, &changed).map_err(HandlerError::permanent)? {
            audit::note_in_tx(tx, &act).await?;
        }
        Ok(())
    }
}

fn failure(error: AuthError) -> HandlerError {
    match error {
        AuthError::Database(error) => error.into(),
        // Only an unknown user is refused, and no attempt will make one.
        AuthError::Refused(refusal) => HandlerError::permanent(refusal),
        other => HandlerError::failed(other),
    }
}
