//! Payment batches, and where they stand.

use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::destination::entity::Method;
use crate::ids::{PaymentBatchId, StaffId};

/// Withdrawals of a batch at most.
pub const MOST_WITHDRAWALS: usize = 500;

names! {
    /// Where a batch stands, as stored.
    State as "payment_batch_state" {
        /// Waits for another person.
        Proposed,
        /// Its file may be read.
        Released,
        /// Its withdrawals wait as before.
        Dissolved,
    }
}

names! {
    /// Where a batch stands, as shown.
    ShownState {
        /// Waits for another person.
        Proposed,
        /// Its file may be read.
        Released,
        /// The bank has paid what was left in it.
        Paid,
        /// Its withdrawals wait as before.
        Dissolved,
    }
}

names! {
    /// A decision about a proposed batch.
    Decision {
        /// Its file may be read.
        Released,
        /// Its withdrawals wait as before.
        Dissolved,
    }
}

names! {
    /// Form of a payment file.
    FileFormat {
        /// pain.001.001.09 of ISO 20022.
        Pain001,
        /// CSV with a header line.
        Csv,
    }
}

impl Decision {
    /// The state that it leads to.
    pub fn state(self) -> State {
        match self {
            Self::Released => State::Released,
            Self::Dissolved => State::Dissolved,
        }
    }
}

/// Withdrawals that are paid with one file.
#[derive(Clone, Debug)]
pub struct Batch {
    pub id: PaymentBatchId,
    pub method: Method,
    pub state: State,
    pub reason: String,
    pub proposed_by: StaffId,
    pub proposed_at: DateTime<Utc>,
    /// Who released or dissolved it, and when.
    pub decided: Option<(StaffId, DateTime<Utc>)>,
    /// Withdrawals in it, and those of them that are posted as paid.
    pub count: i64,
    pub paid_count: i64,
    /// What the bank is to pay.
    pub payout: i64,
}

impl Batch {
    /// Where it stands, as shown: paid once nothing in it waits, dissolved where nothing is left in it.
    pub fn shown_state(&self) -> ShownState {
        match self.state {
            State::Proposed => ShownState::Proposed,
            State::Released if self.count == 0 => ShownState::Dissolved,
            State::Released if self.paid_count == self.count => ShownState::Paid,
            State::Released => ShownState::Released,
            State::Dissolved => ShownState::Dissolved,
        }
    }

    /// NOTHING_CHANGED unless its file may be read.
    pub fn require_released(&self) -> Result<DateTime<Utc>, Refusal> {
        match (self.state, self.decided) {
            (State::Released, Some((_, at))) => Ok(at),
            _ => Err(Refusal::new(Reason::NothingChanged).field("id")),
        }
    }

    /// What the audit log says of it.
    pub fn audited(&self) -> Value {
        json!({
            "state": self.state.as_str(),
            "method": self.method.as_str(),
            "withdrawals": self.count,
            "payout": self.payout,
        })
    }
}
