//! Rules of quarantine: the states of a report in it, and who decides.

use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::{Micros, Money, MoneyError};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::delivery::entity::{Objection, Origin, Verdict};
use crate::delivery::proposal::Choice;
use crate::delivery::row::Reported;
use crate::gate::{self, Finding};
use crate::ids::{ImportId, PlacementId, QuarantinedId};

names! {
    /// Where a report in quarantine stands.
    State {
        /// Waits for a decision.
        Waiting,
        /// One member of staff releases it, and it waits for a second one.
        Approved,
        /// Taken as if it had just come, as far as that was possible then.
        Released,
        /// Never taken.
        Rejected,
    }
}

/// A report that the gate holds back.
#[derive(Clone, Debug)]
pub struct Quarantined {
    pub id: QuarantinedId,
    pub source: String,
    pub origin: Origin,
    /// The file that brought it; none of what a network sent.
    pub import: Option<ImportId>,
    pub row: Reported,
    /// Of its source's network; none without one.
    pub placement: Option<PlacementId>,
    pub findings: Vec<Finding>,
    pub came_at: DateTime<Utc>,
    pub state: State,
    /// Who releases it first, and when, where that takes two.
    pub approved: Option<(Uuid, DateTime<Utc>)>,
    pub decided: Option<(Uuid, DateTime<Utc>)>,
    pub reason: String,
    /// Whether one member of staff released it.
    pub is_alone: bool,
    /// What became of a released one.
    pub outcome: String,
}

impl Quarantined {
    /// What this means for a row with the same id and revision.
    pub fn objection(&self, row: &Reported) -> Option<Objection> {
        let held = &self.row;
        let content = |row: &Reported| {
            (
                row.plan_number.clone(),
                row.placement.clone(),
                row.time,
                (row.impressions, row.clicks),
                (row.spend, row.revenue),
            )
        };
        if content(held) != content(row) {
            let reason = format!(
                "revision {} is in quarantine with other content",
                row.revision
            );
            return Some(Objection::Refused(reason));
        }
        match self.state {
            State::Waiting | State::Approved => Some(objection(&self.findings)),
            State::Rejected => Some(Objection::Refused("staff rejected it".to_owned())),
            State::Released => None,
        }
    }

    /// Whether `by` may decide so now; `Ok(false)` if the same was decided before by them.
    pub fn may_be_decided(&self, by: Uuid, choice: Choice) -> Result<bool, Refusal> {
        let (decided, is_theirs) = match self.state {
            State::Waiting | State::Approved => return Ok(true),
            State::Released => (Choice::Released, self.is_decided_by(by)),
            State::Rejected => (Choice::Rejected, self.is_decided_by(by)),
        };
        if is_theirs && decided == choice {
            Ok(false)
        } else {
            Err(Refusal::new(Reason::NothingChanged).field("ids"))
        }
    }

    fn is_decided_by(&self, by: Uuid) -> bool {
        self.decided.is_some_and(|(decider, _)| decider == by)
    }

    /// Spend and revenue together: what a release moves at most.
    pub fn amount(&self) -> Result<Micros, MoneyError> {
        self.row.spend.checked_add(self.row.revenue)
    }
}

/// What a release of reports moves at most, for the amount of four eyes.
pub fn amount_of<'a>(
    mut reports: impl Iterator<Item = &'a Quarantined>,
) -> Result<Money, MoneyError> {
    let sum = reports.try_fold(Micros::ZERO, |sum, report| {
        sum.checked_add(report.amount()?)
    })?;
    Ok(sum.to_money_half_even())
}

/// What findings mean for their row.
pub fn objection(findings: &[Finding]) -> Objection {
    Objection::Waits {
        reason: gate::reason(findings),
        is_after_settlement: findings.iter().any(Finding::is_after_settlement),
    }
}

/// What became of a released report, as staff see it.
pub fn outcome(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Applied => "applied".to_owned(),
        Verdict::Restated => "restated".to_owned(),
        Verdict::Repeated => "repeated".to_owned(),
        Verdict::Held(reason) | Verdict::Quarantined(reason) | Verdict::Rejected(reason) => {
            reason.clone()
        }
    }
}
