//! Mail: the news of a user's money and security, sent on a channel that an attacker in the account does not read.
//!
//! A mail is a row, written in the transaction of its event. The worker of any replica takes it under a lease, asks auth
//! for the address, sends, and writes the outcome. A replica that dies between sending and writing leaves the lease to
//! run out, and the mail is sent again: at least once. Both carry the same Message-ID, and each a link of its own: of a
//! link only the digest is stored, so a second attempt cannot repeat the first one's.

pub mod config;
pub mod entity;
mod letter;
mod link;
mod repo;
mod transport;
pub mod worker;

use std::sync::Arc;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use chrono::TimeDelta;
use serde_json::json;

pub use entity::{Kept, Mail, NewMail, Query, State};

use crate::app::App;
use crate::error::NotificationError;
use crate::events;
use crate::ids::MailId;
use config::{MailArgs, MailConfigError};
use letter::Letters;
use link::LinkDigest;
use transport::Transport;

/// How long a mail that was sent, given up or skipped can be seen.
const KEPT: TimeDelta = TimeDelta::days(90);

/// What sends mail. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Mailer {
    transport: Arc<Transport>,
    letters: Arc<Letters>,
}

impl Mailer {
    /// What is configured; none where mail is off.
    pub fn new(args: &MailArgs) -> Result<Option<Self>, MailConfigError> {
        let Some(settings) = args.settings()? else {
            return Ok(None);
        };
        Ok(Some(Self {
            transport: Arc::new(Transport::open(settings.target, &settings.from)?),
            letters: Arc::new(Letters::new(settings.from, settings.public_url)?),
        }))
    }
}

/// Adds a mail, due at once; the same happening again adds nothing.
pub async fn add_in_tx(tx: &mut Tx, mail: &NewMail) -> Result<(), NotificationError> {
    repo::add_in_tx(tx, mail).await
}

/// Mails, newest first.
pub async fn list(
    app: &App,
    query: Query,
    before: Option<MailId>,
    fetch: i64,
) -> Result<Vec<Mail>, NotificationError> {
    repo::list(&app.reads, query, before, fetch).await
}

/// Makes a dead mail due again: NOTHING_CHANGED for one that is not dead.
pub async fn retry(
    app: &App,
    once: Once<Mail>,
    caller: &Caller,
    id: MailId,
) -> Result<Answer<Mail>, NotificationError> {
    let now = app.clock.now();
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let mail = repo::lock_in_tx(tx, id)
                .await?
                .ok_or(NotificationError::MailUnknown)?;
            let revived = mail.clone().revive(now)?;
            repo::save_in_tx(tx, &revived).await?;
            audit::Entry::new("notification.mail_retry", id)
                .before(&json!({"state": mail.state.as_str(), "last_error": mail.last_error}))?
                .after(&json!({"state": revived.state.as_str(), "user_id": mail.user.to_string()}))?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(revived)
        })
    })
    .await
}

/// The reader of a mail says by the token of its link that its news was not their doing: DISOWN_LINK_INVALID for one
/// that is unknown or too old. Saying it again is fine, and stops the wallet again if that was lifted since.
pub async fn disown(app: &App, token: &str) -> Result<(), NotificationError> {
    let digest = LinkDigest::of(token);
    let now = app.clock.now();
    app.write(move |tx| {
        Box::pin(async move {
            let made_after = now.checked_sub_signed(link::VALID).unwrap_or(now);
            let mail = repo::lock_by_link_in_tx(tx, digest, made_after)
                .await?
                .ok_or(NotificationError::LinkInvalid)?;
            if let Some(mail) = mail.disown(now) {
                repo::save_disowned_in_tx(tx, &mail).await?;
                events::account_disowned_in_tx(tx, &mail, now).await?;
            }
            Ok(())
        })
    })
    .await
}

/// Deletes a batch of mails that were finished long ago; answers whether there may be more.
async fn prune(app: &App) -> Result<bool, NotificationError> {
    let now = app.clock.now();
    let before = now.checked_sub_signed(KEPT).unwrap_or(now);
    db::write(&app.pool, move |tx| {
        Box::pin(async move { repo::prune_in_tx(tx, before).await })
    })
    .await
}
