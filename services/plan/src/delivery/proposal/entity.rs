//! Rules of proposals: what a file adds up to, what of it stands out, and who may decide.

use std::collections::BTreeMap;

use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal, Rule as FormRule};
use adfolio_kit::signing_key::Kid;
use adfolio_money::{Micros, Money, MoneyError};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::delivery::entity::{Origin, Report};
use crate::delivery::row::Reported;
use crate::ids::{ImportId, OrderId};
use crate::order::entity::{Delivered, Order};
use crate::product::entity::RevenueLimits;
use crate::source::entity::{NEW_KEY_FOR, SourceKey};

/// A proposal that nobody decided for so long expires.
pub const LIFETIME: TimeDelta = TimeDelta::days(7);

/// What stands out is listed for so many plans and rules at most, the plans in order of id.
const MOST_NOTABLE: usize = 500;

/// Prices of a thousand impressions say nothing about fewer.
const FEWEST_IMPRESSIONS: i64 = 1_000;

/// Spend above the budget that does not stand out, in percent of it: the last reports of a plan often go over.
const BUDGET_LEEWAY_PERCENT: i64 = 10;

/// Networks report late what they delivered; a report that is older than the put by more stands out.
const BACKFILL: TimeDelta = TimeDelta::days(31);

const MICROS_PER_UNIT: i64 = 1_000_000;

names! {
    /// Where an import stands.
    State {
        /// Its rows still arrive.
        Reading,
        /// Waits for a second member of staff.
        Proposed,
        /// Its rows are taken.
        Released,
        /// A second member of staff refused it.
        Rejected,
        /// Nobody decided in time.
        Expired,
        /// The file ended early.
        BrokenOff,
        /// The same file waits already.
        Repeated,
    }
}

names! {
    /// What a second member of staff says.
    Choice {
        /// Its rows are taken.
        Released,
        /// They are not.
        Rejected,
    }
}

impl Choice {
    /// Where it leads.
    pub fn state(self) -> State {
        match self {
            Self::Released => State::Released,
            Self::Rejected => State::Rejected,
        }
    }
}

names! {
    /// What of a plan stands out in an import.
    Rule {
        /// Revenue above the product's limit, in relation to spend.
        ReturnOnSpend,
        /// Revenue without spend.
        RevenueWithoutSpend,
        /// Revenue of a thousand impressions above the product's limit.
        RevenuePerThousand,
        /// Revenue of the whole plan above the product's limit, in relation to the budget.
        ReturnOnBudget,
        /// Spend of a thousand impressions above the limit for revenue.
        SpendPerThousand,
        /// Spend above the budget.
        AboveBudget,
        /// Delivery long before the put.
        BeforePut,
        /// Of the whole file: its signature proves little, because its key is new or its importer registered it.
        NewKey,
    }
}

impl Rule {
    /// Whether it is a limit of the product, which a release has to name.
    pub fn is_limit(self) -> bool {
        match self {
            Self::ReturnOnSpend
            | Self::RevenueWithoutSpend
            | Self::RevenuePerThousand
            | Self::ReturnOnBudget => true,
            Self::SpendPerThousand | Self::AboveBudget | Self::BeforePut | Self::NewKey => false,
        }
    }
}

/// Something that stands out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notable {
    /// The plan; empty for the whole file.
    pub plan_number: String,
    /// The name of a [`Rule`].
    pub rule: String,
    /// What the import says: an amount, a ratio or a time.
    pub value: String,
    /// What would not stand out.
    pub usual: String,
}

impl Notable {
    /// A file that a key signed whose signature proves little.
    pub fn new_key(key: &SourceKey) -> Self {
        Self {
            plan_number: String::new(),
            rule: Rule::NewKey.as_str().to_owned(),
            value: key.added_at.to_rfc3339(),
            usual: format!("registered {} h before, by others", NEW_KEY_FOR.num_hours()),
        }
    }
}

/// What an import adds up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Plans with at least one report.
    pub plans: i64,
    /// Impressions.
    pub impressions: i64,
    /// Clicks.
    pub clicks: i64,
    /// Spend as reported, not as charged.
    pub spend: Micros,
    /// Revenue.
    pub revenue: Micros,
}

/// What the rows of one plan add up to.
#[derive(Clone, Debug)]
struct Part {
    plan_number: String,
    limits: RevenueLimits,
    budget: Micros,
    put_at: Option<DateTime<Utc>>,
    reported_before: Micros,
    revenue_before: Micros,
    replaced_spend: Micros,
    replaced_revenue: Micros,
    impressions: i64,
    clicks: i64,
    spend: Micros,
    revenue: Micros,
    earliest: DateTime<Utc>,
}

/// Adds up an import while it is read.
#[derive(Debug, Default)]
pub struct Tally {
    parts: BTreeMap<OrderId, Part>,
}

impl Tally {
    /// Adds a row of an order, with what was delivered of it before, that takes the place of `replaced`.
    pub fn add(
        &mut self,
        (order, before): (&Order, Delivered),
        limits: RevenueLimits,
        row: &Reported,
        replaced: Option<&Report>,
    ) -> Result<(), MoneyError> {
        let budget = Micros::try_from(order.put_amount)?;
        let part = self.parts.entry(order.id).or_insert_with(|| Part {
            plan_number: order.plan_number.clone(),
            limits,
            budget,
            put_at: order.put_at,
            reported_before: before.reported,
            revenue_before: before.revenue,
            replaced_spend: Micros::ZERO,
            replaced_revenue: Micros::ZERO,
            impressions: 0,
            clicks: 0,
            spend: Micros::ZERO,
            revenue: Micros::ZERO,
            earliest: row.time,
        });
        let count = |sum: i64, new: i64| sum.checked_add(new).ok_or(MoneyError::Overflow);
        part.impressions = count(part.impressions, row.impressions)?;
        part.clicks = count(part.clicks, row.clicks)?;
        part.spend = part.spend.checked_add(row.spend)?;
        part.revenue = part.revenue.checked_add(row.revenue)?;
        part.earliest = part.earliest.min(row.time);
        if let Some(replaced) = replaced {
            part.replaced_spend = part.replaced_spend.checked_add(replaced.spend)?;
            part.replaced_revenue = part.replaced_revenue.checked_add(replaced.revenue)?;
        }
        Ok(())
    }

    /// The sums.
    pub fn totals(&self) -> Result<Totals, MoneyError> {
        let mut totals = Totals {
            plans: i64::try_from(self.parts.len()).unwrap_or(i64::MAX),
            ..Totals::default()
        };
        let count = |sum: i64, new: i64| sum.checked_add(new).ok_or(MoneyError::Overflow);
        for part in self.parts.values() {
            totals.impressions = count(totals.impressions, part.impressions)?;
            totals.clicks = count(totals.clicks, part.clicks)?;
            totals.spend = totals.spend.checked_add(part.spend)?;
            totals.revenue = totals.revenue.checked_add(part.revenue)?;
        }
        Ok(totals)
    }

    /// What stands out.
    pub fn notable(&self) -> Vec<Notable> {
        let found = self.parts.values().flat_map(Part::notable);
        found.take(MOST_NOTABLE).collect()
    }

    /// The numbers of the plans, in order of id.
    pub fn plan_numbers(&self) -> impl Iterator<Item = &str> {
        self.parts.values().map(|part| part.plan_number.as_str())
    }
}

impl Part {
    fn notable(&self) -> Vec<Notable> {
        let mut found = Vec::new();
        let mut note = |rule: Rule, value: String, usual: String| {
            found.push(Notable {
                plan_number: self.plan_number.clone(),
                rule: rule.as_str().to_owned(),
                value,
                usual,
            });
        };
        let most_return = shown_hundredths(i128::from(self.limits.return_max_percent));
        if self.spend == Micros::ZERO && self.revenue > Micros::ZERO {
            note(Rule::RevenueWithoutSpend, shown(self.revenue), most_return);
        } else if exceeds_percent(self.revenue, self.spend, self.limits.return_max_percent) {
            let ratio = hundredths(self.revenue, self.spend);
            note(Rule::ReturnOnSpend, shown_hundredths(ratio), most_return);
        }
        let total = after(self.revenue_before, self.revenue, self.replaced_revenue);
        if self.limits.is_exceeded_by(total, self.budget) {
            let most = percent_of(self.budget, self.limits.return_max_percent);
            note(Rule::ReturnOnBudget, shown(total), shown(most));
        }
        if self.impressions >= FEWEST_IMPRESSIONS {
            let most = self.limits.per_thousand_max;
            let rules = [
                (Rule::RevenuePerThousand, self.revenue),
                (Rule::SpendPerThousand, self.spend),
            ];
            for (rule, amount) in rules {
                let price = per_thousand(amount, self.impressions);
                if price > most {
                    note(rule, price.to_string(), most.to_string());
                }
            }
        }
        let reported = after(self.reported_before, self.spend, self.replaced_spend);
        let most = percent_of(self.budget, 100 + BUDGET_LEEWAY_PERCENT);
        if reported > most {
            note(Rule::AboveBudget, shown(reported), shown(self.budget));
        }
        let from = self.put_at.and_then(|put| put.checked_sub_signed(BACKFILL));
        if let (Some(put_at), Some(from)) = (self.put_at, from)
            && self.earliest < from
        {
            note(
                Rule::BeforePut,
                self.earliest.to_rfc3339(),
                put_at.to_rfc3339(),
            );
        }
        found
    }
}

/// A sum after new rows took the place of others. Saturates: what is out of range stands out in any case.
fn after(before: Micros, new: Micros, replaced: Micros) -> Micros {
    let sum = before.get().saturating_add(new.get());
    Micros::new(sum.saturating_sub(replaced.get()))
}

/// Whether `amount` is more than `percent` of `base`.
pub fn exceeds_percent(amount: Micros, base: Micros, percent: i64) -> bool {
    amount > percent_of(base, percent)
}

/// `percent` of an amount, rounded down; saturates.
fn percent_of(base: Micros, percent: i64) -> Micros {
    let part = i128::from(base.get())
        .saturating_mul(percent.into())
        .div_euclid(100);
    Micros::new(i64::try_from(part).unwrap_or(i64::MAX))
}

/// `amount / base` in hundredths, rounded down; 0 for a base of nothing.
fn hundredths(amount: Micros, base: Micros) -> i128 {
    i128::from(amount.get())
        .saturating_mul(100)
        .checked_div(base.get().into())
        .unwrap_or(0)
}

fn shown_hundredths(value: i128) -> String {
    format!("{}.{:02}", value.div_euclid(100), value.rem_euclid(100))
}

/// The price of a thousand impressions, rounded half-even; saturates.
fn per_thousand(amount: Micros, impressions: i64) -> Money {
    let price = amount.ratio_half_even(FEWEST_IMPRESSIONS, impressions);
    price.map_or(Money::from_minor(i64::MAX), Micros::to_money_half_even)
}

/// An amount with its fractions of a cent.
fn shown(amount: Micros) -> String {
    let micros = amount.get();
    if micros.rem_euclid(MICROS_PER_UNIT / 100) == 0 {
        amount.to_money_half_even().to_string()
    } else {
        format!(
            "{}.{:06}",
            micros.div_euclid(MICROS_PER_UNIT),
            micros.rem_euclid(MICROS_PER_UNIT)
        )
    }
}

/// An import as staff see it.
#[derive(Clone, Debug)]
pub struct Import {
    /// Its id.
    pub id: ImportId,
    /// Who reports.
    pub source: String,
    /// A file, or what a network sent.
    pub origin: Origin,
    /// Who proposes it; the nil id for a network and for adfolioctl.
    pub staff_id: Uuid,
    /// When it began.
    pub began_at: DateTime<Utc>,
    /// Where it stands.
    pub state: State,
    /// SHA-256 of the file; none before its end, and none of what a network sent.
    pub sha256: Option<Vec<u8>>,
    /// Rows of the file.
    pub read: i64,
    /// What it adds up to.
    pub totals: Totals,
    /// What stands out.
    pub notable: Vec<Notable>,
    /// Who decided, and when.
    pub decided: Option<(Uuid, DateTime<Utc>)>,
    /// Why.
    pub decision_reason: String,
    /// What became of its rows.
    pub taken: Taken,
    /// Whether all of them were taken.
    pub is_done: bool,
    /// The key that signed the file.
    pub signed_by: Option<Kid>,
}

/// What became of the rows of a released import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// New reports.
    pub applied: i64,
    /// Known ones.
    pub repeated: i64,
    /// Restatements.
    pub restated: i64,
    /// Reports that the gate holds back.
    pub quarantined: i64,
    /// Reports that could not be taken any more.
    pub rejected: i64,
    /// The first of those.
    pub rejections: Vec<Rejection>,
}

/// A row that could not be taken any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// Its line in the file.
    pub line: i64,
    /// Why, in English.
    pub reason: String,
}

/// Whether a decision is still to be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nobody has decided yet.
    Now,
    /// The same member of staff has decided the same before.
    Before,
}

impl Import {
    /// Whether `by` may decide so now, and says what a release has to say. A decision stands.
    pub fn verdict(
        &self,
        by: Uuid,
        choice: Choice,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<Verdict, Refusal> {
        let is_theirs = self.decided.is_some_and(|(decider, _)| decider == by);
        if is_theirs && self.state == choice.state() {
            return Ok(Verdict::Before);
        }
        let expires_at = self.began_at.checked_add_signed(LIFETIME);
        if self.state != State::Proposed || expires_at.is_some_and(|end| now >= end) {
            return Err(Refusal::new(Reason::NothingChanged));
        }
        if choice == Choice::Released {
            let limits = self.notable.iter().map(|notable| notable.rule.as_str());
            let unnamed = limits
                .filter(|rule| Rule::from_name(rule).is_none_or(Rule::is_limit))
                .find(|rule| !reason.contains(rule));
            if let Some(rule) = unnamed {
                return Err(Refusal::broken(FormRule::UnnamedLimit, "reason")
                    .detail(format!("a release above a limit names it: {rule}")));
            }
        }
        Ok(Verdict::Now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(amount: i64) -> Micros {
        Micros::new(amount * MICROS_PER_UNIT)
    }

    fn part(spend: Micros, revenue: Micros) -> Part {
        Part {
            plan_number: "P1".to_owned(),
            limits: RevenueLimits::default(),
            budget: units(100),
            put_at: DateTime::from_timestamp(100_000_000, 0),
            reported_before: Micros::ZERO,
            revenue_before: Micros::ZERO,
            replaced_spend: Micros::ZERO,
            replaced_revenue: Micros::ZERO,
            impressions: 10_000,
            clicks: 10,
            spend,
            revenue,
            earliest: DateTime::from_timestamp(100_000_000, 0).expect("a time"),
        }
    }

    fn rules(part: &Part) -> Vec<String> {
        let found = part.notable().into_iter();
        found
            .map(|found| format!("{} {} {}", found.rule, found.value, found.usual))
            .collect()
    }

    #[test]
    fn ten_times_the_spend_does_not_stand_out_and_more_does() {
        assert_eq!(rules(&part(units(10), units(100))), Vec::<String>::new());
        let above = part(units(10), Micros::new(100 * MICROS_PER_UNIT + 1));
        assert_eq!(rules(&above), ["return_on_spend 10.00 10.00"]);
    }

    #[test]
    fn a_cent_that_earned_millions_stands_out() {
        let found = rules(&part(Micros::new(10_000), units(900_000)));
        assert_eq!(
            found,
            [
                "return_on_spend 90000000.00 10.00",
                "return_on_budget 900000.00 1000.00",
                "revenue_per_thousand 90000.00 1000.00",
            ]
        );
        let found = rules(&part(Micros::ZERO, units(1)));
        assert_eq!(found, ["revenue_without_spend 1.00 10.00"]);
    }

    #[test]
    fn what_is_restated_counts_once() {
        let mut part = part(units(100), units(900));
        (part.reported_before, part.revenue_before) = (units(100), units(900));
        assert_eq!(
            rules(&part),
            [
                "return_on_budget 1800.00 1000.00",
                "above_budget 200.00 100.00"
            ]
        );
        (part.replaced_spend, part.replaced_revenue) = (units(100), units(900));
        assert_eq!(rules(&part), Vec::<String>::new());
    }

    #[test]
    fn delivery_long_before_the_put_stands_out() {
        let mut part = part(units(1), units(1));
        part.earliest = part.put_at.expect("a put") - BACKFILL;
        assert_eq!(rules(&part), Vec::<String>::new());
        part.earliest -= TimeDelta::seconds(1);
        assert_eq!(part.notable().len(), 1);
        assert_eq!(part.notable()[0].rule, "before_put");
    }

    #[test]
    fn the_largest_amounts_stand_out_instead_of_overflowing() {
        let mut part = part(Micros::new(i64::MAX), Micros::new(i64::MAX));
        part.reported_before = Micros::new(i64::MAX);
        part.budget = Micros::new(1);
        assert!(
            rules(&part)
                .iter()
                .any(|rule| rule.starts_with("above_budget"))
        );
    }

    fn proposed(notable: Vec<Notable>) -> Import {
        Import {
            id: ImportId(Uuid::from_u128(1)),
            source: "network-a".to_owned(),
            origin: Origin::Import,
            staff_id: Uuid::from_u128(2),
            began_at: DateTime::UNIX_EPOCH,
            state: State::Proposed,
            sha256: None,
            read: 1,
            totals: Totals::default(),
            notable,
            decided: None,
            decision_reason: String::new(),
            taken: Taken::default(),
            is_done: false,
            signed_by: None,
        }
    }

    #[test]
    fn a_release_above_a_limit_names_it() {
        let above = proposed(part(units(1), units(11)).notable());
        let decide = |choice, reason| {
            above.verdict(Uuid::from_u128(3), choice, reason, DateTime::UNIX_EPOCH)
        };
        let refused = decide(Choice::Released, "looks right").expect_err("a refusal");
        assert_eq!(refused.field.as_deref(), Some("reason"));
        let named = "return_on_spend is a jackpot day";
        assert_eq!(decide(Choice::Released, named), Ok(Verdict::Now));
        assert_eq!(decide(Choice::Rejected, "no"), Ok(Verdict::Now));
    }

    #[test]
    fn a_decision_stands_and_a_proposal_expires() {
        let mut import = proposed(Vec::new());
        let end = import.began_at + LIFETIME;
        let by = Uuid::from_u128(3);
        let late = import.verdict(by, Choice::Released, "", end);
        assert_eq!(late, Err(Refusal::new(Reason::NothingChanged)));
        import.state = State::Released;
        import.decided = Some((by, end));
        let again = |by, choice| import.verdict(by, choice, "", end);
        assert_eq!(again(by, Choice::Released), Ok(Verdict::Before));
        assert!(again(by, Choice::Rejected).is_err());
        assert!(again(Uuid::from_u128(4), Choice::Released).is_err());
    }
}
