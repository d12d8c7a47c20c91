//! What this service announces. Postings write their events in `post_commands`.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::{Event, enqueue_in_tx};
use adfolio_proto::events::v1 as proto;

use crate::error::WalletError;

const SECURITY_CHANGED: &str = "adfolio.wallet.v1.WalletSecurityChanged";

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
