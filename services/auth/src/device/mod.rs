//! Devices that an account was used on. A login from one of them has limits of its own: the failures of strangers do
//! not lock it. The token of a device is no credential, so a login asks for the password and the second factor as ever.

pub mod entity;
mod repo;

use adfolio_kit::db::{self, Tx};
use chrono::{DateTime, Utc};

pub use entity::{DeviceDigest, DeviceToken};

use crate::app::App;
use crate::error::AuthError;
use crate::session::{Kind, Owner};

/// Devices that one account has; one more, and the one that was not used for longest is forgotten.
const MOST_DEVICES: i64 = 20;

/// The digest of a token that a login shows, if the account of this kind and compared name knows it. A token of another
/// account, or one that was forgotten, is none.
pub async fn known(
    app: &App,
    kind: Kind,
    username_key: &str,
    shown: Option<&DeviceToken>,
) -> Result<Option<DeviceDigest>, AuthError> {
    let Some(digest) = shown.map(DeviceToken::digest) else {
        return Ok(None);
    };
    let since = entity::known_since(app.clock.now());
    let is_known = repo::is_known(&app.pool, kind, digest, username_key, since).await?;
    Ok(is_known.then_some(digest))
}

/// Remembers the device of a session that is being opened, and answers its token: the shown one if the account knows
/// it, else a new one. The caller holds the lock on the owner's row.
pub async fn remember_in_tx(
    tx: &mut Tx,
    owner: Owner,
    shown: Option<DeviceToken>,
    now: DateTime<Utc>,
) -> Result<DeviceToken, AuthError> {
    let since = entity::known_since(now);
    if let Some(token) = shown
        && repo::touch_in_tx(tx, owner, token.digest(), since, now).await?
    {
        return Ok(token);
    }
    // Nobody can name a token for somebody else's device: an unknown one is replaced.
    let token = DeviceToken::random();
    repo::keep_last_used_in_tx(tx, owner, MOST_DEVICES.saturating_sub(1)).await?;
    repo::insert_in_tx(tx, owner, token.digest(), now).await?;
    Ok(token)
}

/// Forgets every device of an account. The caller holds the lock on the owner's row.
pub async fn forget_all_in_tx(tx: &mut Tx, owner: Owner) -> Result<(), AuthError> {
    Ok(repo::delete_all_in_tx(tx, owner).await?)
}

/// Deletes a batch of devices that have not been used for long.
pub async fn prune(app: &App) -> Result<u64, AuthError> {
    let since = entity::known_since(app.clock.now());
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, since).await?) })
    })
    .await
}
