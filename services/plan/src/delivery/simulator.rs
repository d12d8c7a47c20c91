//! Simulated delivery, for demonstrations and tests. It is disabled by default and marked as
//! simulated wherever it is shown.
//!
//! Time is divided into slots. Every running plan gets one report per slot. The report follows from
//! the seed, the plan and the slot alone, so replicas that make the same report repeat each other.

use adfolio_kit::refusal::chain;
use adfolio_money::{Micros, Money};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use tracing::warn;

use super::entity::Origin;
use super::intake;
use super::repo;
use super::row::Reported;
use crate::app::App;
use crate::config::SimulatorArgs;
use crate::error::PlanError;
use crate::ids::OrderId;

/// The source that the reports name.
const SOURCE: &str = "simulator";

/// Plans that one transaction reports for.
const BATCH: i64 = 500;

/// A plan's budget lasts about this many slots.
const SLOTS_OF_BUDGET: i64 = 40;

/// What a thousand impressions cost, in millionths: 2.00.
const COST_PER_THOUSAND_MICROS: i64 = 2_000_000;

/// Millionths in a minor unit.
const MICROS_PER_MINOR: i64 = 10_000;

/// A running plan.
#[derive(Clone, Debug)]
pub(super) struct Running {
    /// Its id.
    pub(super) id: OrderId,
    /// Its number.
    pub(super) plan_number: String,
    /// Its budget.
    pub(super) budget: Money,
}

/// Reports this slot's delivery of every running plan.
pub async fn report_all(app: &App, args: SimulatorArgs) -> Result<(), PlanError> {
    let now = app.clock.now();
    let slot = now
        .timestamp()
        .div_euclid(args.interval_seconds.max(1).into());
    let mut after = None;
    loop {
        let plans = repo::running(&app.pool, after, BATCH).await?;
        let Some(last) = plans.last() else {
            return Ok(());
        };
        after = Some(last.id);
        let reports = plans
            .iter()
            .filter_map(|plan| report(plan, args.seed, slot, now))
            .collect();
        if let Err(error) = intake::take(app, (SOURCE, Origin::Simulator, false), reports).await {
            warn!(error = chain(&error), "simulated reports cannot be taken");
        }
    }
}

/// The report of a plan for a slot. None if a number would leave its range.
fn report(plan: &Running, seed: u64, slot: i64, now: DateTime<Utc>) -> Option<Reported> {
    let mut digest = Sha256::new();
    digest.update(seed.to_be_bytes());
    digest.update(plan.id.0.as_bytes());
    digest.update(slot.to_be_bytes());
    let bytes: [u8; 32] = digest.finalize().into();
    let chance = |place: usize, below: i64| -> i64 {
        let byte = bytes.get(place).copied().unwrap_or(0);
        i64::from(byte).checked_rem(below).unwrap_or(0)
    };
    let share = plan.budget.minor().checked_mul(MICROS_PER_MINOR)? / SLOTS_OF_BUDGET;
    // Between half and one and a half of an even share, and revenue between 80 and 139 per cent of
    // it.
    let spend = share.checked_mul(50_i64.checked_add(chance(0, 101))?)? / 100;
    let revenue = spend.checked_mul(80_i64.checked_add(chance(1, 60))?)? / 100;
    let impressions = spend.checked_mul(1_000)? / COST_PER_THOUSAND_MICROS;
    let clicks = impressions.checked_mul(5_i64.checked_add(chance(2, 26))?)? / 1_000;
    Some(Reported {
        line: 0,
        report_id: format!("{}:{slot}", plan.plan_number),
        revision: 1,
        plan_number: plan.plan_number.clone(),
        time: now,
        impressions,
        clicks,
        spend: Micros::new(spend),
        revenue: Micros::new(revenue),
        estimated: false,
        placement: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(budget_minor: i64) -> Running {
        Running {
            id: OrderId(uuid::Uuid::from_u128(7)),
            plan_number: "P1".to_owned(),
            budget: Money::from_minor(budget_minor),
        }
    }

    #[test]
    fn the_same_seed_plan_and_slot_make_the_same_report() {
        let now = DateTime::UNIX_EPOCH;
        let first = report(&plan(100_000), 1, 5, now).unwrap();
        assert_eq!(report(&plan(100_000), 1, 5, now), Some(first.clone()));
        let later = report(&plan(100_000), 1, 6, now).unwrap();
        assert_ne!(
            (later.report_id, later.spend),
            (first.report_id, first.spend)
        );
    }

    #[test]
    fn figures_stay_plausible() {
        for slot in 0..1_000 {
            let report = report(&plan(100_000), 9, slot, DateTime::UNIX_EPOCH).unwrap();
            let even = 1_000_000_000 / SLOTS_OF_BUDGET;
            let spend = report.spend.get();
            assert!((even / 2..=even * 3 / 2).contains(&spend), "{spend}");
            assert!(report.clicks <= report.impressions && report.impressions > 0);
            assert!(report.revenue.get() * 100 >= spend * 79);
        }
    }
}
