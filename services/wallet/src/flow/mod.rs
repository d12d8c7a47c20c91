//! Fund details: the lines of the books that users see.
//!
//! The lines of the available balance sum up to it. Lines of another account (a coupon's part, spend charged by
//! delivery) name that account and its balance.

pub mod entity;
mod repo;

use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Refusal;
use adfolio_money::{Money, MoneyError};

use crate::app::App;
use crate::error::WalletError;
use crate::ids::OrderId;
use entity::{FlowEntry, FlowType, Month};

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
    /// Only this month, `YYYY-MM`.
    pub month: Option<String>,
    /// Only lines before this one: its number in the user's chain, and which of its lines.
    pub before: Option<(i64, i16)>,
    pub limit: i64,
}

/// A user's fund details, newest first.
pub async fn list(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    query: Query,
) -> Result<Vec<FlowEntry>, WalletError> {
    let month = query
        .month
        .as_deref()
        .map(|text| Month::parse(text, caller.time_zone))
        .transpose()?;
    Ok(repo::list(&app.pool, user_id, month, &query).await?)
}

/// The lines of an order, oldest first; none of somebody else's.
pub async fn list_of_order(
    app: &App,
    user_id: UserId,
    order_id: OrderId,
) -> Result<Vec<FlowEntry>, WalletError> {
    Ok(repo::list_of_order(&app.pool, user_id, order_id, ORDER_LINES_MAX).await?)
}

/// What came into and left a user's available balance in one month.
#[derive(Clone, Debug)]
pub struct MonthSummary {
    /// `YYYY-MM`.
    pub month: String,
    /// Sum of the positive lines of the available balance.
    pub income: Money,
    /// Sum of the negative ones, as a positive number.
    pub expense: Money,
    /// Net sum by type over all lines.
    pub by_type: Vec<(FlowType, Money)>,
}

/// The last months of the caller's time zone, newest first.
pub async fn monthly(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    months: u32,
) -> Result<Vec<MonthSummary>, WalletError> {
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
    Ok(summaries)
}

impl MonthSummary {
    fn add(&mut self, sum: &entity::MonthSum) -> Result<(), MoneyError> {
        let (incoming, outgoing) = (
            Money::from_minor(sum.incoming),
            Money::from_minor(sum.outgoing),
        );
        if sum.is_available {
            self.income = self.income.checked_add(incoming)?;
            self.expense = self.expense.checked_sub(outgoing)?;
        }
        let net = incoming.checked_add(outgoing)?;
        match self
            .by_type
            .iter_mut()
            .find(|(flow_type, _)| *flow_type == sum.flow_type)
        {
            Some((_, total)) => *total = total.checked_add(net)?,
            None => self.by_type.push((sum.flow_type, net)),
        }
        Ok(())
    }
}
