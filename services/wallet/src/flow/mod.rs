//! Fund details: the lines of the books that users see.
//!
//! Each line names an account and its balance, and the lines of an account sum up to that balance. Money that moves between
//! two of the user's accounts has a line in both.

pub mod entity;
mod repo;

use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Refusal;
use adfolio_money::{Money, MoneyError};
use chrono::{DateTime, Utc};

use crate::app::App;
use crate::error::WalletError;
use crate::ids::OrderId;
use entity::{Account, FlowEntry, FlowType, Month};

/// Lines that are shown of one order at most.
const ORDER_LINES_MAX: i64 = 500;

/// Months that are summed up when the caller names no number.
const DEFAULT_MONTHS: u32 = 12;

/// Months that are summed up at most.
const MAX_MONTHS: u32 = 24;

/// Which of a user's fund details.
#[derive(Debug)]
pub struct Query {
    pub flow_type: Option<FlowType>,
    pub account: Option<Account>,
    /// Only these.
    pub within: Within,
    /// Only lines before this one: its number in the user's chain, and which of its lines.
    pub before: Option<(i64, i16)>,
    pub limit: i64,
}

/// When lines were posted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Within {
    /// At or after.
    pub from: Option<DateTime<Utc>>,
    /// Before.
    pub to: Option<DateTime<Utc>>,
}

impl Within {
    /// A month, `YYYY-MM`, of the caller's time zone, or a stretch of time; both are one too many.
    pub fn new(
        caller: &Caller,
        month: &str,
        from: Option<DateTime<Utc>>,
        to: Option<DateTime<Utc>>,
    ) -> Result<Self, Refusal> {
        if month.is_empty() {
            return Ok(Self { from, to });
        }
        if from.is_some() || to.is_some() {
            return Err(Refusal::invalid("month"));
        }
        let month = Month::parse(month, caller.time_zone)?;
        Ok(Self {
            from: Some(month.start),
            to: Some(month.end),
        })
    }
}

/// A user's fund details, newest first.
pub async fn list(
    app: &App,
    user_id: UserId,
    query: &Query,
) -> Result<Vec<FlowEntry>, WalletError> {
    Ok(repo::list(&app.reads, user_id, query).await?)
}

/// One line of a user's fund details; none if the user has no line with this id.
pub async fn find(app: &App, user_id: UserId, id: &str) -> Result<Option<FlowEntry>, WalletError> {
    let Some((transaction, line)) = entity::line_of(id) else {
        return Ok(None);
    };
    let Some(seq) = repo::seq_of(&app.pool, user_id, transaction).await? else {
        return Ok(None);
    };
    let first_from_it = Query {
        flow_type: None,
        account: None,
        within: Within::default(),
        before: Some((seq, line.saturating_add(1))),
        limit: 1,
    };
    let found = repo::list(&app.reads, user_id, &first_from_it).await?;
    Ok(found.into_iter().find(|entry| entry.id() == id))
}

/// What came into and went out of one account by all lines of a query, on whatever page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub incoming: i64,
    /// As a positive number.
    pub outgoing: i64,
}

/// The totals of a query. VALIDATION without an account: lines of several do not add up.
pub async fn totals(app: &App, user_id: UserId, query: &Query) -> Result<Totals, WalletError> {
    if query.account.is_none() {
        return Err(Refusal::invalid("account").into());
    }
    Ok(repo::totals(&app.reads, user_id, query).await?)
}

/// The lines of an order, oldest first; none of somebody else's.
pub async fn list_of_order(
    app: &App,
    user_id: UserId,
    order_id: OrderId,
) -> Result<Vec<FlowEntry>, WalletError> {
    Ok(repo::list_of_order(&app.reads, user_id, order_id, ORDER_LINES_MAX).await?)
}

/// What changed a user's available balance in one month.
#[derive(Clone, Debug)]
pub struct MonthSummary {
    /// `YYYY-MM`.
    pub month: String,
    /// Sum of the types that brought more than they took: what came back is part of what it came back from.
    pub income: Money,
    /// Sum of the types that took more than they brought, as a positive number.
    pub expense: Money,
    /// Change by type; they add up to income less expense.
    pub by_type: Vec<(FlowType, Money)>,
}

/// The last months of a wallet.
#[derive(Clone, Debug)]
pub struct Months {
    /// Newest first.
    pub summaries: Vec<MonthSummary>,
    /// The month of the first entry; none without any.
    pub first: Option<Month>,
}

/// The last months of the caller's time zone.
pub async fn monthly(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    months: u32,
) -> Result<Months, WalletError> {
    let count = match months {
        0 => DEFAULT_MONTHS,
        1..=MAX_MONTHS => months,
        _ => return Err(Refusal::invalid("months").into()),
    };
    let months = Month::back_from(app.clock.now(), count, caller.time_zone);
    let sums = repo::sum_months(&app.pool, user_id, &months).await?;
    let mut summaries: Vec<MonthSummary> = months
        .iter()
        .map(|month| MonthSummary {
            month: month.name(),
            income: Money::ZERO,
            expense: Money::ZERO,
            by_type: Vec::new(),
        })
        .collect();
    for sum in sums {
        if let Some(summary) = summaries.get_mut(sum.place) {
            summary
                .add(&sum)
                .map_err(|_| CoreError::Corrupt("sum of a month"))?;
        }
    }
    let first = repo::first_posted_at(&app.pool, user_id).await?;
    let month_of = |instant| Month::back_from(instant, 1, caller.time_zone).pop();
    Ok(Months {
        summaries,
        first: first.and_then(month_of),
    })
}

impl MonthSummary {
    fn add(&mut self, sum: &entity::MonthSum) -> Result<(), MoneyError> {
        let net = Money::from_minor(sum.net);
        if net < Money::ZERO {
            self.expense = self.expense.checked_sub(net)?;
        } else {
            self.income = self.income.checked_add(net)?;
        }
        self.by_type.push((sum.flow_type, net));
        Ok(())
    }
}
