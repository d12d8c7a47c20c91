//! What this service consumes: events that become notices, and registrations that open inboxes.

mod happening;

use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::UserRegistered;
use tracing::debug;

use crate::app::App;
use crate::ids::NoticeId;
use crate::notice::{self, Category, NewNotice};

use happening::Happening;

const USER_REGISTERED: &str = "adfolio.auth.v1.UserRegistered";

/// Every kind of event that may become a notice or opens an inbox.
pub const EVENT_TYPES: [&str; 9] = [
    USER_REGISTERED,
    "adfolio.auth.v1.PasswordChanged",
    "adfolio.wallet.v1.DepositCredited",
    "adfolio.wallet.v1.StaffPostingMade",
    "adfolio.wallet.v1.WithdrawalStatusChanged",
    "adfolio.wallet.v1.WalletSecurityChanged",
    "adfolio.plan.v1.PlanStatusChanged",
    "adfolio.coupon.v1.CouponGranted",
    "adfolio.acceptor.v1.ExchangeStatusChanged",
];

/// The consumer that feeds the inbox.
pub fn inbox() -> Consumer {
    EVENT_TYPES
        .into_iter()
        .fold(Consumer::new("notification", "inbox"), Consumer::bind)
}

/// Adds a notice to the inbox of the user whom an event is about.
#[derive(Debug)]
pub struct IntoInbox(pub App);

impl IntoInbox {
    fn notice(&self, event: &CloudEvent) -> Result<Option<NewNotice>, HandlerError> {
        let Some(happening) = Happening::of(event)? else {
            return Ok(None);
        };
        let user = happening
            .user
            .parse::<UserId>()
            .map_err(HandlerError::permanent)?;
        Ok(Some(NewNotice {
            id: NoticeId(self.0.ids.next()),
            user,
            category: Category::Activity,
            template: happening.template,
            params: happening.params,
            source_key: happening.source_key,
            occurred_at: happening.time.unwrap_or(event.time),
        }))
    }
}

impl Handler for IntoInbox {
    /// Most steps of a plan are no news for its user.
    fn concerns(&self, event: &CloudEvent) -> bool {
        event.event_type == USER_REGISTERED || !matches!(self.notice(event), Ok(None))
    }

    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        if event.event_type == USER_REGISTERED {
            let registered: UserRegistered = event.data()?;
            let user: UserId = registered
                .user_id
                .parse()
                .map_err(HandlerError::permanent)?;
            // Earlier announcements are not this user's.
            return Ok(notice::open_in_tx(tx, user, event.time).await?);
        }
        let Some(notice) = self.notice(event)? else {
            return Ok(());
        };
        if !notice::add_in_tx(tx, &notice).await? {
            debug!(source_key = notice.source_key, "happening is known already");
        }
        Ok(())
    }
}
