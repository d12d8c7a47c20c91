//! What this service takes from others: happenings that become notices.

use adfolio_kit::clock::Ids;
use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::CloudEvent;
use adfolio_money::Money;
use adfolio_proto::events::v1::{DepositCredited, PlanStatusChanged};
use chrono::{DateTime, Utc};
use tracing::debug;
use uuid::Uuid;

use crate::error::NotificationError;
use crate::notice::{self, Category, NewNotice, Param, Params, Template};

const DEPOSIT_CREDITED: &str = "adfolio.wallet.v1.DepositCredited";
const PLAN_STATUS_CHANGED: &str = "adfolio.plan.v1.PlanStatusChanged";

/// The consumer that feeds the inbox.
pub fn inbox() -> Consumer {
    Consumer::new("notification", "inbox")
        .bind(DEPOSIT_CREDITED)
        .bind(PLAN_STATUS_CHANGED)
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
        let told = match event.event_type.as_str() {
            DEPOSIT_CREDITED => Some(of_deposit(&event.data()?)),
            PLAN_STATUS_CHANGED => of_plan(&event.data()?),
            _ => None,
        };
        let Some(told) = told else { return Ok(None) };
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
        !matches!(self.notice(event), Ok(None))
    }

    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let Some(notice) = self.notice(event)? else {
            return Ok(());
        };
        match notice::add_in_tx(tx, &notice).await {
            Ok(true) => Ok(()),
            Ok(false) => {
                debug!(source_key = notice.source_key, "happening is known already");
                Ok(())
            }
            Err(NotificationError::Database(error)) => Err(error.into()),
            Err(error) => Err(HandlerError::failed(error)),
        }
    }
}

/// A happening worth a notice.
struct Told {
    user: String,
    template: Template,
    params: Params,
    source_key: String,
    time: Option<DateTime<Utc>>,
}

fn of_deposit(deposit: &DepositCredited) -> Told {
    Told {
        user: deposit.user_id.clone(),
        template: Template::DepositCredited,
        params: params([("amount", money(deposit.amount_minor))]),
        source_key: format!("deposit:{}", deposit.transaction_id),
        time: deposit.time.and_then(|time| time.try_into().ok()),
    }
}

fn of_plan(change: &PlanStatusChanged) -> Option<Told> {
    let plan_number = ("plan_number", Param::Text(change.plan_number.clone()));
    let product = ("product", Param::Text(change.product_name.clone()));
    let budget = ("budget", money(change.put_amount_minor));
    let (template, params) = match change.to.as_str() {
        "put_finished" => {
            let consumed = ("consumed", money(change.consumed_minor));
            (
                Template::PlanFinished,
                params([plan_number, product, consumed, budget]),
            )
        }
        "settled" => {
            let paid_out = ("paid_out", money(change.paid_out_minor));
            let revenue = ("revenue", money(change.revenue_minor));
            (
                Template::PlanSettled,
                params([plan_number, product, paid_out, revenue]),
            )
        }
        "put_failed" => (Template::PlanFailed, params([plan_number, product, budget])),
        _ => return None,
    };
    Some(Told {
        user: change.user_id.clone(),
        template,
        params,
        source_key: format!("plan:{}:{}", change.plan_id, change.to),
        time: None,
    })
}

fn params<const N: usize>(values: [(&str, Param); N]) -> Params {
    values
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn money(minor: i64) -> Param {
    Param::Money(Money::from_minor(minor))
}
