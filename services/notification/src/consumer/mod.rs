//! What this service consumes: events that become notices, mail and push messages, registrations that open inboxes, and
//! ends of sessions.

mod happening;

use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::{AccountStateChanged, SessionsRevoked, UserRegistered};
use tracing::debug;
use uuid::Uuid;

use crate::app::App;
use crate::ids::{MailId, NoticeId};
use crate::mail::{self, NewMail};
use crate::notice::{self, Category, NewNotice};
use crate::push::{self, Ended, NewPush};
use crate::text::Place;

use happening::Happening;

const USER_REGISTERED: &str = "adfolio.auth.v1.UserRegistered";
const SESSIONS_REVOKED: &str = "adfolio.auth.v1.SessionsRevoked";
const ACCOUNT_STATE_CHANGED: &str = "adfolio.auth.v1.AccountStateChanged";

/// The state of an account whose sessions go on.
const ACTIVE: &str = "active";

/// Every kind of event that may become a notice or mail, opens an inbox, or ends push messages.
pub const EVENT_TYPES: [&str; 15] = [
    USER_REGISTERED,
    SESSIONS_REVOKED,
    ACCOUNT_STATE_CHANGED,
    "adfolio.auth.v1.PasswordChanged",
    "adfolio.auth.v1.ContactChanged",
    "adfolio.auth.v1.EmailCodeRequested",
    "adfolio.auth.v1.NewClientLoggedIn",
    "adfolio.auth.v1.StaffActed",
    "adfolio.wallet.v1.DepositCredited",
    "adfolio.wallet.v1.StaffPostingMade",
    "adfolio.wallet.v1.WithdrawalStatusChanged",
    "adfolio.wallet.v1.WalletSecurityChanged",
    "adfolio.plan.v1.PlanStatusChanged",
    "adfolio.coupon.v1.CouponGranted",
    "adfolio.acceptor.v1.ExchangeStatusChanged",
];

/// The consumer that feeds the inbox and mail.
pub fn inbox() -> Consumer {
    EVENT_TYPES
        .into_iter()
        .fold(Consumer::new("notification", "inbox"), Consumer::bind)
}

/// Adds a notice to the inbox of the user whom an event is about, and mail.
#[derive(Debug)]
pub struct IntoInbox(pub App);

impl IntoInbox {
    /// Tells its user of a happening. A mail is written with its notice, so a happening that is known already makes
    /// neither, and of push messages none that was made before.
    async fn tell_in_tx(
        &self,
        tx: &mut Tx,
        event: &CloudEvent,
        happening: Happening,
    ) -> Result<(), HandlerError> {
        let user = parse_user(&happening.user)?;
        let occurred_at = happening.time.unwrap_or(event.time);
        let place = happening.template.place();
        // The holder of a former address gets mail alone.
        if happening.template.is_pushed() && happening.kept.is_none() && self.0.pusher.is_some() {
            let push = NewPush {
                user,
                template: happening.template,
                params: happening.params.clone(),
                source_key: happening.source_key.clone(),
                occurred_at,
                now: self.0.clock.now(),
            };
            push::add_in_tx(&self.0, tx, &push).await?;
        }
        if place != Place::Mail {
            let notice = NewNotice {
                id: NoticeId(self.0.ids.next()),
                user,
                category: Category::Activity,
                template: happening.template,
                params: happening.params.clone(),
                source_key: happening.source_key.clone(),
                occurred_at,
            };
            if !notice::add_in_tx(tx, &notice).await? {
                debug!(source_key = notice.source_key, "happening is known already");
                return Ok(());
            }
        }
        if place != Place::Inbox && self.0.mailer.is_some() {
            let mail = NewMail {
                id: MailId(self.0.ids.next()),
                user,
                kept: happening.kept,
                template: happening.template,
                params: happening.params,
                source_key: happening.source_key,
                occurred_at,
                useless_at: happening.useless_at,
                now: self.0.clock.now(),
            };
            mail::add_in_tx(tx, &mail).await?;
        }
        Ok(())
    }
}

impl Handler for IntoInbox {
    /// Most steps of a plan are no news for its user. What cannot be read concerns this service, so that it becomes a dead
    /// letter.
    fn concerns(&self, event: &CloudEvent) -> bool {
        [USER_REGISTERED, SESSIONS_REVOKED, ACCOUNT_STATE_CHANGED]
            .contains(&event.event_type.as_str())
            || Happening::of(event).map_or(true, |happenings| !happenings.is_empty())
    }

    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        if event.event_type == USER_REGISTERED {
            let registered: UserRegistered = event.data()?;
            let user = parse_user(&registered.user_id)?;
            // Earlier announcements are not this user's.
            return Ok(notice::open_in_tx(tx, user, event.time).await?);
        }
        if let Some((user, ended)) = ended_sessions(event)? {
            return Ok(push::forget_in_tx(tx, user, &ended).await?);
        }
        for happening in Happening::of(event)? {
            self.tell_in_tx(tx, event, happening).await?;
        }
        Ok(())
    }
}

/// The sessions that an event ends, if it is about that; a disabled or closed account has none.
fn ended_sessions(event: &CloudEvent) -> Result<Option<(UserId, Ended)>, HandlerError> {
    match event.event_type.as_str() {
        SESSIONS_REVOKED => {
            let revoked: SessionsRevoked = event.data()?;
            let user = parse_user(&revoked.user_id)?;
            if revoked.all {
                return Ok(Some((user, Ended::All)));
            }
            let ids = revoked.session_ids.iter().map(|id| id.parse());
            let ids: Vec<Uuid> = ids
                .collect::<Result<_, _>>()
                .map_err(HandlerError::permanent)?;
            Ok(Some((user, Ended::These(ids))))
        }
        ACCOUNT_STATE_CHANGED => {
            let changed: AccountStateChanged = event.data()?;
            let user = parse_user(&changed.user_id)?;
            let ended = if changed.state == ACTIVE {
                Ended::These(Vec::new())
            } else {
                Ended::All
            };
            Ok(Some((user, ended)))
        }
        _ => Ok(None),
    }
}

fn parse_user(id: &str) -> Result<UserId, HandlerError> {
    id.parse().map_err(HandlerError::permanent)
}
