//! What waits for a member of staff, as each service answers it of its own tables and queues.

use adfolio_proto::common::v1 as proto;
use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};

use crate::metrics::{COUNTED_AT_MOST, InState};
use crate::mirror::Mirrored as _;
use crate::wire;

crate::names! {
    /// What may wait.
    Kind {
        /// Pending withdrawals.
        Withdrawals,
        /// Requests that need another member of staff.
        Approvals,
        /// Frozen wallets.
        Freezes,
        /// Pending exchange orders.
        ExchangeOrders,
        /// Open feedback.
        Feedback,
        /// Proposed imports of delivery.
        DeliveryImports,
        /// Reports in quarantine.
        QuarantinedReports,
        /// Plans whose time is over and that have not finished.
        PlansToFinish,
        /// Finished plans whose time of settlement is over and that have not settled.
        PlansToSettle,
        /// Proposed campaigns.
        Campaigns,
        /// Events that a consumer could not handle.
        DeadLetters,
        /// Open lines of account statements.
        BankLines,
        /// Payment batches that are not released, or not wholly paid.
        PaymentBatches,
    }
}

crate::mirror! {
    Kind = proto::WaitingKind,
}

/// Things of one kind that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// What they are.
    pub kind: Kind,
    /// How many, up to [`COUNTED_AT_MOST`].
    pub count: i64,
    /// Since when the oldest waits, where that is known.
    pub oldest_at: Option<DateTime<Utc>>,
}

impl Waiting {
    /// What the metrics know of one state; none counts as nothing. The time is cut to the second, because an age is
    /// measured anew each time and would seem to change otherwise.
    pub fn measured(kind: Kind, found: &[InState], state: &str, now: DateTime<Utc>) -> Self {
        let here = found.iter().find(|in_state| in_state.state == state);
        let here = here.filter(|here| here.count > 0);
        Self {
            kind,
            count: here.map_or(0, |here| here.count),
            oldest_at: here.map(|here| before(now, here.oldest_seconds)),
        }
    }

    /// The same, of what is counted without metrics.
    pub fn counted(kind: Kind, (count, oldest_at): (i64, Option<DateTime<Utc>>)) -> Self {
        Self {
            kind,
            count,
            oldest_at: oldest_at.map(|at| at.trunc_subsecs(0)),
        }
    }
}

impl From<Waiting> for proto::Waiting {
    fn from(waiting: Waiting) -> Self {
        Self {
            kind: waiting.kind.to_wire(),
            count: waiting.count,
            is_more: waiting.count >= COUNTED_AT_MOST,
            oldest_at: waiting.oldest_at.map(wire::timestamp),
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "an age in whole seconds fits, and a float saturates"
)]
fn before(now: DateTime<Utc>, seconds: f64) -> DateTime<Utc> {
    let age = TimeDelta::try_seconds(seconds.round() as i64).unwrap_or_default();
    now.round_subsecs(0).checked_sub_signed(age).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_state(state: &str, count: i64, oldest_seconds: f64) -> InState {
        InState {
            state: state.to_owned(),
            count,
            oldest_seconds,
        }
    }

    #[test]
    fn an_age_becomes_a_time_and_nothing_has_none() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::seconds(1_000);
        let found = [in_state("pending", 3, 60.2), in_state("due", 0, 0.0)];
        let waiting = Waiting::measured(Kind::Approvals, &found, "pending", now);
        assert_eq!(waiting.count, 3);
        let since = DateTime::UNIX_EPOCH + TimeDelta::seconds(940);
        assert_eq!(waiting.oldest_at, Some(since));
        for state in ["due", "unknown"] {
            let waiting = Waiting::measured(Kind::Approvals, &found, state, now);
            assert_eq!((waiting.count, waiting.oldest_at), (0, None), "{state}");
        }
    }

    #[test]
    fn a_full_count_says_that_there_may_be_more() {
        let more = |count| proto::Waiting::from(Waiting::counted(Kind::Feedback, (count, None)));
        assert!(!more(COUNTED_AT_MOST - 1).is_more);
        assert!(more(COUNTED_AT_MOST).is_more);
    }
}
