//! What this service takes from others: happenings that become notices, and users who come.

mod told;

use adfolio_kit::clock::Ids;
use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::UserRegistered;
use tracing::debug;
use uuid::Uuid;

use crate::notice::{self, Category, NewNotice};

use told::Told;

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

/// Puts happenings into the inbox of the user they are about.
#[derive(Debug)]
pub struct IntoInbox {
    ids: Ids,
}

impl IntoInbox {
    /// With ids from `ids`.
    pub fn new(ids: Ids) -> Self {
        Self { ids }
    }

    fn notice(&self, event: &CloudEvent) -> Result<Option<NewNotice>, HandlerError> {
        let Some(told) = Told::of(event)? else {
            return Ok(None);
        };
        let user = told.user.parse::<Uuid>().map_err(HandlerError::permanent)?;
        Ok(Some(NewNotice {
            id: self.ids.next(),
            user: UserId(user),
            category: Category::Activity,
            template: told.template,
            params: told.params,
            source_key: told.source_key,
            occurred_at: told.time.unwrap_or(event.time),
        }))
    }
}

impl Handler for IntoInbox {
    /// Most steps of a plan are nothing to tell a person.
    fn concerns(&self, event: &CloudEvent) -> bool {
        event.event_type == USER_REGISTERED || !matches!(self.notice(event), Ok(None))
    }

    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        if event.event_type == USER_REGISTERED {
            let registered: UserRegistered = event.data()?;
            let user = registered
                .user_id
                .parse()
                .map_err(HandlerError::permanent)?;
            // Announcements from before are none of this user's.
            return Ok(notice::open_in_tx(tx, UserId(user), event.time).await?);
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
