//! Push messages: news of a user's money, plans and security on the screen of a device that is not in the app.
//!
//! A user subscribes a browser, which gives an address at its push service and two keys. A message is a row for each of
//! the user's browsers, written in the transaction of its event. The worker of any replica takes it under a lease, sends
//! it and writes the outcome: at least once, and a browser shows what has the same id once. A browser belongs to the
//! session that last renewed it: once that session has ended, no message goes there any more.

pub mod config;
pub mod entity;
mod repo;
mod sender;
mod services;
mod vapid;
pub mod worker;

use std::sync::Arc;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use anyhow::Context as _;
use chrono::TimeDelta;
use uuid::Uuid;

pub use entity::NewPush;

use crate::app::App;
use crate::error::NotificationError;
use crate::ids::{PushId, SubscriptionId};
use crate::lang::Lang;
use config::PushArgs;
use entity::{Browser, NewSubscription};
use sender::Sender;
use services::PushService;

/// How long it is known that a message was sent or given up: much longer than an event takes to come again.
const KEPT: TimeDelta = TimeDelta::days(30);

/// How long a browser is sent messages without being renewed.
const UNRENEWED_MAX: TimeDelta = TimeDelta::days(90);

/// What sends push messages. Cheap to clone.
#[derive(Clone)]
pub struct Pusher {
    sender: Sender,
    services: Arc<[PushService]>,
}

impl std::fmt::Debug for Pusher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pusher").finish_non_exhaustive()
    }
}

impl Pusher {
    /// What is configured; none where push is off.
    pub fn new(args: &PushArgs) -> anyhow::Result<Option<Self>> {
        let Some(settings) = args.settings()? else {
            return Ok(None);
        };
        Ok(Some(Self {
            sender: Sender::new(settings.key).context("the system has no certificates")?,
            services: settings.services.into(),
        }))
    }

    /// The public key that browsers subscribe with.
    pub fn public_key(&self) -> &[u8] {
        self.sender.public_key()
    }
}

/// A browser as a user names it.
pub struct Wanted<'a> {
    pub user: UserId,
    pub session: Uuid,
    pub endpoint: &'a str,
    pub p256dh: &'a [u8],
    pub auth: &'a [u8],
    pub lang: Lang,
}

/// Subscribes a browser or renews it: VALIDATION naming what is wrong with it. Where push is off, no address is right.
pub async fn subscribe(app: &App, wanted: Wanted<'_>) -> Result<(), NotificationError> {
    let pusher = app.pusher.as_ref();
    let services = pusher.map_or(&[][..], |pusher| &pusher.services);
    let browser = Browser::check(wanted.endpoint, wanted.p256dh, wanted.auth, services)?;
    let new = NewSubscription {
        id: SubscriptionId(app.ids.next()),
        user: wanted.user,
        session: wanted.session,
        endpoint: browser.endpoint,
        p256dh: wanted.p256dh.to_vec(),
        auth: wanted.auth.to_vec(),
        lang: wanted.lang.code(),
        now: app.clock.now(),
    };
    app.write(move |tx| Box::pin(async move { repo::subscribe_in_tx(tx, &new).await }))
        .await
}

/// Sends no more messages to a browser of the user's.
pub async fn unsubscribe(
    app: &App,
    user: UserId,
    endpoint: String,
) -> Result<(), NotificationError> {
    if endpoint.is_empty() {
        return Err(Refusal::invalid("endpoint").into());
    }
    app.write(move |tx| Box::pin(async move { repo::unsubscribe_in_tx(tx, user, &endpoint).await }))
        .await
}

/// Adds a message to every browser of a user, due at once; the same happening again adds nothing.
pub async fn add_in_tx(app: &App, tx: &mut Tx, push: &NewPush) -> Result<(), NotificationError> {
    let browsers = repo::free_browsers_in_tx(tx, push.user).await?;
    if browsers.is_empty() {
        return Ok(());
    }
    let with_id = |browser| (PushId(app.ids.next()), browser);
    let to: Vec<_> = browsers.into_iter().map(with_id).collect();
    repo::add_in_tx(tx, push, &to).await
}

/// Which sessions of a user have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    These(Vec<Uuid>),
    All,
}

/// Forgets the browsers of sessions that have ended.
pub async fn forget_in_tx(
    tx: &mut Tx,
    user: UserId,
    ended: &Ended,
) -> Result<(), NotificationError> {
    match ended {
        Ended::These(sessions) => repo::forget_sessions_in_tx(tx, user, sessions).await,
        Ended::All => repo::forget_user_in_tx(tx, user).await,
    }
}

/// Deletes a batch of what is of no use any more; answers whether there may be more.
async fn prune(app: &App) -> Result<bool, NotificationError> {
    let now = app.clock.now();
    let finished = now.checked_sub_signed(KEPT).unwrap_or(now);
    let renewed = now.checked_sub_signed(UNRENEWED_MAX).unwrap_or(now);
    db::write(&app.pool, move |tx| {
        Box::pin(async move { repo::prune_in_tx(tx, finished, renewed).await })
    })
    .await
}
