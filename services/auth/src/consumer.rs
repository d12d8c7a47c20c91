//! What this service consumes: paid memberships, what staff did in any service, and what users did to protect their
//! wallets.

use adfolio_kit::audit::STAFF_ACTED;
use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::{StaffActed, StaffPostingMade, WalletSecurityChanged};
use chrono::SubsecRound as _;
use tracing::info;

use crate::audit::{self, AuditEntry, UserAction};
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::user;

const STAFF_POSTING_MADE: &str = "adfolio.wallet.v1.StaffPostingMade";

const WALLET_SECURITY_CHANGED: &str = "adfolio.wallet.v1.WalletSecurityChanged";

/// The kind of posting that makes a member.
const MEMBERSHIP: &str = "membership";

/// The change that staff make, though wallet announces it like those of users.
const BY_STAFF: &str = "pay_password_reset";

/// The consumer of paid memberships.
pub fn membership() -> Consumer {
    Consumer::new("auth", "membership").bind(STAFF_POSTING_MADE)
}

/// The consumer that writes the audit log.
pub fn audit() -> Consumer {
    Consumer::new("auth", "audit").bind(STAFF_ACTED)
}

/// The consumer of what users do to protect their wallets.
pub fn security() -> Consumer {
    Consumer::new("auth", "security").bind(WALLET_SECURITY_CHANGED)
}

/// Makes users members once their membership is paid. Staff may take it back; the same event does not return it.
#[derive(Clone, Copy, Debug)]
pub struct OnStaffPosting;

impl Handler for OnStaffPosting {
    fn concerns(&self, event: &CloudEvent) -> bool {
        // An unreadable event concerns auth, so that it becomes a dead letter.
        event
            .data::<StaffPostingMade>()
            .map_or(true, |posting| posting.r#type == MEMBERSHIP)
    }

    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let posting: StaffPostingMade = event.data()?;
        let user: UserId = posting.user_id.parse().map_err(HandlerError::permanent)?;
        user::grant_membership_in_tx(tx, user)
            .await
            .map_err(handler_error)?;
        info!(%user, "user became a member");
        Ok(())
    }
}

/// Writes what staff did into the audit log.
#[derive(Clone, Copy, Debug)]
pub struct OnStaffActed;

impl Handler for OnStaffActed {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let entry = audit_entry(event, event.data()?).map_err(HandlerError::permanent)?;
        Ok(audit::record_in_tx(tx, &entry).await?)
    }
}

/// Records what users do to protect their wallets. What staff did is in the audit log already.
#[derive(Clone, Copy, Debug)]
pub struct OnWalletSecurityChanged;

impl Handler for OnWalletSecurityChanged {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let changed: WalletSecurityChanged = event.data()?;
        if changed.change == BY_STAFF {
            return Ok(());
        }
        let user = changed.user_id.parse().map_err(HandlerError::permanent)?;
        let action = format!("wallet.{}", changed.change);
        let action = UserAction::new(event.id, user, &action, event.time);
        Ok(audit::record_user_action_in_tx(tx, &action).await?)
    }
}

fn audit_entry(event: &CloudEvent, acted: StaffActed) -> Result<AuditEntry, uuid::Error> {
    let user = Some(acted.user_id).filter(|id| !id.is_empty());
    let time = acted.time.and_then(|time| time.try_into().ok());
    Ok(AuditEntry {
        id: event.id,
        acted_at: time.unwrap_or(event.time).trunc_subsecs(6),
        staff: acted.staff_id.parse::<StaffId>()?,
        action: storable(&acted.action),
        target: storable(&acted.target),
        user: user.map(|id| id.parse()).transpose()?,
        reason: storable(&acted.reason),
        request_id: storable(&acted.request_id),
        before_json: storable(&acted.before_json),
        after_json: storable(&acted.after_json),
    })
}

/// Without the one character that PostgreSQL does not store: an entry must not be lost for it.
fn storable(text: &str) -> String {
    text.replace('\0', "")
}

fn handler_error(error: AuthError) -> HandlerError {
    match error {
        // Only an unknown user is refused, and no attempt will create one.
        refused if refused.refusal().is_some() => HandlerError::permanent(refused),
        AuthError::Core(core) => core.into(),
        other => HandlerError::failed(other),
    }
}
